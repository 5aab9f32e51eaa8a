//! One proof, with everything that it proves.

use domain::choices::Outcome;
use domain::consent::{Cosignature, Place, TimeStamp, TokenKind};
use domain::tcf::Unfit;
use domain::user_agent::Device;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_params_map};

use super::{address, circumstances, outcome_badge, print_button, shown_texts, unsigned_badge};
use crate::components::copy::{code_block, copyable};
use crate::components::dialog::confirm;
use crate::components::download::{Answer, after, download};
use crate::components::following::following;
use crate::components::layout::{Tone, badge, busy_label, crumbs, notice, page_head};
use crate::components::loading::{block_skeleton, error_message, fetched, loaded};
use crate::components::preview::Preview;
use crate::components::time::{clock_time, moment};
use crate::components::toast::toasts;
use crate::fns::proofs::{
    BUNDLE, Choice, DOSSIER, Filter, Origin, Proof, TcfFit, TcfString, erase, read_place,
    read_proof, seen,
};
use crate::i18n::{EvidenceTexts, Texts, count, fill, number, texts};
use crate::map::Page;
use crate::pages::project_id;

pub fn page() -> AnyView {
    let project = project_id();
    let params = use_params_map();
    let consent =
        Memo::new(move |_| params.with(|params| params.get("consent").unwrap_or_default()));
    let data = following(
        move || (project.get(), consent.get()),
        |(project, consent)| read_proof(project, consent),
    );
    let content = loaded(data, block_skeleton, move |proof| {
        proof_content(&project.get_untracked(), proof)
    });
    view! { <div class="page">{content}</div> }.into_any()
}

fn fact(name: &'static str, value: impl IntoView + 'static) -> AnyView {
    view! {
        <dt>{name}</dt>
        <dd>{value.into_any()}</dd>
    }
    .into_any()
}

fn or_dash(value: Option<String>) -> String {
    value.unwrap_or_else(|| "–".to_owned())
}

/// The kind of device and the browser.
fn device(origin: &Origin) -> Option<String> {
    let told = circumstances(&Origin {
        country: None,
        ..origin.clone()
    });
    Some(told).filter(|told| !told.is_empty())
}

fn proof_content(project: &str, proof: Proof) -> AnyView {
    let (t, w) = (texts(), EvidenceTexts::of_this_page());
    let by_token = Filter {
        token: proof.token.clone(),
        ..Filter::default()
    };
    let publication = match &proof.publication {
        Some(id) => {
            let page = Page::Publication.at(&[&project, &proof.identifier, &id]);
            view! {
                <span class="row">
                    {copyable(id.clone(), t.publication)}
                    <a class="small" href=page>{w.open_publication}</a>
                </span>
            }
            .into_any()
        }
        None => view! { <span class="muted">{t.proofs().publication_unknown}</span> }.into_any(),
    };
    let flags = view! {
        {outcome_badge(t, proof.outcome)}
        {proof.closed.then(|| badge(Tone::Neutral, t.proofs().refused_by_closing))}
        {proof.replaced.then(|| badge(Tone::Neutral, t.proofs().replaced))}
        {proof.imported.then(|| badge(Tone::Neutral, t.imported))}
        {proof.erased_at.map(|_| badge(Tone::Neutral, t.erased))}
        {print_button()}
        {proof.erased_at.is_none().then(|| dossier_button(t, project, &proof.token))}
        {proof.can_erase.then(|| erase_button(t, project, &proof.token))}
    };
    let token = if let Some(at) = proof.erased_at {
        fact(t.erased, moment(at))
    } else {
        fact(
            t.token,
            view! {
                <span class="row">
                    {copyable(proof.token.clone(), t.token)}
                    <a class="small" href=address(project, &by_token, 1)>{t.proofs().all_of_token}</a>
                </span>
            },
        )
    };
    let choices = choices_card(t, &proof.choices, proof.erased_at.is_some());
    let ledger = ledger_card(t, project, &proof.id);
    let raw = proof.raw.clone();
    let again = proof.publication.is_some().then(|| {
        let project = project.to_owned();
        let id = StoredValue::new((project, proof.id.clone()));
        // The width of the visitor's window is not kept, but the kind of device is.
        let on_phone = proof.origin.device == Some(Device::Phone);
        let width = if on_phone {
            w.replay_on_phone
        } else {
            w.replay_wide
        };
        let draw = move |(): (), nonce, dark| {
            let (project, consent) = id.get_value();
            seen(project, consent, nonce, dark)
        };
        view! {
            <section class="stack" aria-labelledby="seen-title">
                <h2 id="seen-title">{w.replay}</h2>
                <p class="hint">{w.replay_hint} " " {w.replay_exact} " " {width}</p>
                {Preview::new(|| (), draw, None).on_phone(on_phone).alone()}
            </section>
        }
    });
    view! {
        {crumbs(
            vec![(Page::Proofs.at(&[&project]), t.proofs.to_owned())],
            proof.id.clone(),
        )}
        {page_head(t.proof_title, view! { {proof.name.clone()} ", " {moment(proof.decided_at)} }, flags)}
        <div class="split">
            <div class="stack-loose">
                <section class="card" aria-labelledby="facts-title">
                    <div class="card-head"><h2 id="facts-title">{t.proven}</h2></div>
                    <div class="card-body">
                        <dl class="facts">
                            {fact(t.decided, moment(proof.decided_at))}
                            {fact(t.proofs().page_host, or_dash(proof.page_host.clone()))}
                            {fact(t.country, or_dash(proof.origin.country.clone()))}
                            {fact(w.device, or_dash(device(&proof.origin)))}
                            {fact(t.asked_by, view! {
                                <span class="row">
                                    {proof.name.clone()}
                                    {copyable(proof.identifier.clone(), t.proofs().identifier)}
                                </span>
                            })}
                            {fact(t.language, or_dash(Some(proof.language.clone()).filter(|text| !text.is_empty())))}
                            {fact(t.proofs().accept_sent, if proof.accept { "true" } else { "false" })}
                            {proof.value.clone().map(|value| fact(t.value, value))}
                            {fact(t.publication, publication)}
                            {proof.published_at.map(|at| fact(t.proofs().published_at, moment(at)))}
                            {proof.tcf.clone().map(|tcf| fact(t.proofs().tc_string, tc_string(t, tcf)))}
                            {token}
                            {proof.token_kind.map(|kind| fact(t.proofs().token_kind, token_kind(t, kind)))}
                            {fact(t.proofs().consent_id, copyable(proof.id.clone(), t.proofs().consent_id))}
                            {fact(t.proofs().received, moment(proof.received_at))}
                            {fact(t.proofs().ip, or_dash(proof.ip.clone()))}
                            {fact(t.proofs().user_agent, or_dash(proof.user_agent.clone()))}
                        </dl>
                    </div>
                </section>
                {(proof.token_kind == Some(TokenKind::Unsigned)).then(|| notice(Tone::Neutral, t.proofs().token_unsigned_text))}
                {(!proof.publication_verified).then(|| notice(Tone::Neutral, t.proofs().publication_not_verified))}
                <details>
                    <summary>{t.proofs().as_sent}</summary>
                    {code_block(Signal::stored(raw), t.proofs().as_sent)}
                </details>
            </div>
            <div class="stack-loose">
                {again}
                {choices}
                {proof.tcf.is_some().then(|| super::tcf::card(project, &proof.id))}
                {ledger}
                {shown_texts(&proof.screens, "card print-only")}
            </div>
        </div>
        <p class="print-only muted">{w.printed_from} " " {proof.address.clone()}</p>
    }
    .into_any()
}

/// Most times that a dossier is asked for while the ledger has no checkpoint.
const ASKED_AT_MOST: u32 = 60;

/// A file that the server makes once a checkpoint of the ledger covers its content.
struct File {
    label: &'static str,
    hint: &'static str,
    address: &'static str,
    body: Signal<serde_json::Value>,
    name: String,
}

fn file_button(t: &'static Texts, file: File) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let toasts = toasts();
    let busy = RwSignal::new(false);
    let address = file.address;
    let body = file.body;
    let name = StoredValue::new(file.name);
    let start = move || {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let (body, name) = (body.get_untracked().to_string(), name.get_value());
        spawn_local(async move {
            let mut why = t.error_busy;
            for asked in 0..ASKED_AT_MOST {
                match download(t, address, &body, &name).await {
                    Answer::Kept => {
                        let _ = busy.try_set(false);
                        return;
                    }
                    Answer::Refused(reason) => {
                        why = reason;
                        break;
                    }
                    Answer::Later(seconds) => {
                        if asked == 0 {
                            toasts.done(w.dossier_waits);
                        }
                        after(seconds).await;
                    }
                }
                // The page may be gone by now.
                if busy.is_disposed() {
                    return;
                }
            }
            let _ = busy.try_set(false);
            toasts.problem(why);
        });
    };
    view! {
        <button
            type="button"
            class="button button-small"
            title=file.hint
            disabled=busy
            on:click=move |_| start()
        >
            {busy_label(busy.into(), file.label)}
        </button>
    }
    .into_any()
}

fn dossier_button(t: &'static Texts, project: &str, token: &str) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    file_button(
        t,
        File {
            label: w.dossier,
            hint: w.dossier_hint,
            address: DOSSIER,
            body: Signal::stored(serde_json::json!({"project": project, "token": token})),
            name: format!("dossier-{project}.zip"),
        },
    )
}

/// The groups of facts that a proof may leave out, by the names of the API.
fn withholding(withheld: RwSignal<Vec<&'static str>>) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let groups = [
        ("choice", w.withhold_choice),
        ("person", w.withhold_person),
        ("circumstances", w.withhold_circumstances),
    ];
    let boxes = groups.map(|(group, label)| {
        let choose = move |event| {
            let is_chosen = event_target_checked(&event);
            withheld.update(|all| {
                all.retain(|one| *one != group);
                if is_chosen {
                    all.push(group);
                }
            });
        };
        view! {
            <div class="check">
                <input type="checkbox" id=format!("withhold-{group}") on:change=choose />
                <label for=format!("withhold-{group}")>{label}</label>
            </div>
        }
    });
    view! {
        <fieldset class="stack-tight screen-only">
            <legend>{w.withhold}</legend>
            {boxes.into_iter().collect_view()}
        </fieldset>
    }
    .into_any()
}

/// The choice to have the pictures of the publication in the file, where the proof lists some.
fn with_pictures(listed: u32, chosen: RwSignal<bool>) -> AnyView {
    if listed == 0 {
        return ().into_any();
    }
    let w = EvidenceTexts::of_this_page();
    view! {
        <div class="check screen-only">
            <input
                type="checkbox"
                id="with-pictures"
                on:change=move |event| chosen.set(event_target_checked(&event))
            />
            <label for="with-pictures">
                {fill(w.with_pictures, &[("n", &number(u64::from(listed)))])}
            </label>
        </div>
    }
    .into_any()
}

/// The place of the consent in the ledger, and the file that proves it.
fn ledger_card(t: &'static Texts, project: &str, consent: &str) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let key = StoredValue::new((project.to_owned(), consent.to_owned()));
    let asked = Memo::new(move |_| key.get_value());
    let read = |(project, consent)| read_place(project, consent);
    let found = fetched(
        asked,
        block_skeleton,
        read,
        move |found: Place| match found {
            Place::Absent => view! { <p class="muted">{w.not_in_ledger}</p> }.into_any(),
            Place::Later => view! { <p class="muted">{w.ledger_later}</p> }.into_any(),
            Place::Removed => view! { <p class="muted">{w.ledger_removed}</p> }.into_any(),
            Place::Refuted(reason) => notice(Tone::Danger, reason),
            Place::Entry {
                origin,
                index,
                size,
                witnesses,
                stamps,
                pictures,
            } => {
                let (project, consent) = key.get_value();
                let name = format!("{consent}.placet-proof.json");
                // A key alone does not count the witnesses' signatures.
                let believed = if witnesses.is_empty() {
                    "--key KEY"
                } else {
                    "--policy POLICY"
                };
                let command = format!("placet-verify {believed} {name}");
                let withheld = RwSignal::new(Vec::new());
                let pictured = RwSignal::new(false);
                let body = Signal::derive(move || {
                    let withhold = withheld.get().join(",");
                    let pictures = pictured.get();
                    serde_json::json!({"project": project, "consent": consent, "withhold": withhold, "pictures": pictures})
                });
                let file = File {
                    label: w.download_proof,
                    hint: w.download_proof_hint,
                    address: BUNDLE,
                    body,
                    name,
                };
                let verify = if witnesses.is_empty() {
                    w.ledger_verify
                } else {
                    w.ledger_verify_policy
                };
                let place = fill(
                    w.ledger_place,
                    &[("index", &number(index)), ("size", &number(size))],
                );
                let vouched = |one: Cosignature| {
                    let by = fill(w.ledger_vouched, &[("name", &one.name)]);
                    view! { <p class="wrap-anywhere">{by} " " {clock_time(one.at * 1_000)}</p> }
                };
                let vouched: Vec<_> = witnesses.into_iter().map(vouched).collect();
                let stamped = |stamp: TimeStamp| {
                    let by = fill(w.ledger_stamped, &[("url", &stamp.url)]);
                    view! { <p class="wrap-anywhere">{by} " " {clock_time(stamp.at * 1_000)}</p> }
                };
                let stamps: Vec<_> = stamps.into_iter().map(stamped).collect();
                view! {
                    <p class="row">{badge(Tone::Ok, w.in_ledger)} {place}</p>
                    {vouched}
                    {stamps}
                    <p class="muted wrap-anywhere">{origin}</p>
                    <p>{verify}</p>
                    {code_block(Signal::stored(command), verify)}
                    {withholding(withheld)}
                    {with_pictures(pictures, pictured)}
                    <div class="row">
                        {file_button(t, file)}
                        <a class="button button-small" href="/verify" target="_blank" rel="noopener">
                            {w.verify_in_browser}
                        </a>
                    </div>
                }
                .into_any()
            }
        },
    );
    view! {
        <section class="card" aria-labelledby="ledger-title">
            <div class="card-head"><h2 id="ledger-title">{t.ledger}</h2></div>
            <div class="card-body">{found}</div>
        </section>
    }
    .into_any()
}

/// The string, and whether it fits what was shown.
fn tc_string(t: &'static Texts, tcf: TcfString) -> AnyView {
    let fit = match tcf.fit {
        TcfFit::Fits => badge(Tone::Ok, t.proofs().tc_string_fits),
        TcfFit::Kept => badge(Tone::Neutral, t.proofs().tc_string_kept),
        TcfFit::Unfit(unfit) => {
            let reason = unfit_text(t, unfit);
            view! { <span class="row">{badge(Tone::Warn, t.proofs().tc_string_unfit)} {reason}</span> }.into_any()
        }
    };
    view! { {copyable(tcf.text, t.proofs().tc_string)} {fit} }.into_any()
}

fn unfit_text(t: &'static Texts, unfit: Unfit) -> &'static str {
    match unfit {
        Unfit::Unreadable => t.proofs().unfit_unreadable,
        Unfit::Publication => t.proofs().unfit_publication,
        Unfit::Cmp => t.proofs().unfit_cmp,
        Unfit::List => t.proofs().unfit_list,
        Unfit::Disclosed => t.proofs().unfit_disclosed,
        Unfit::Restrictions => t.proofs().unfit_restrictions,
        Unfit::Choices => t.proofs().unfit_choices,
        Unfit::Day => t.proofs().unfit_day,
    }
}

fn token_kind(t: &'static Texts, kind: TokenKind) -> AnyView {
    match kind {
        TokenKind::Generated => badge(Tone::Neutral, t.proofs().token_generated),
        TokenKind::Signed => badge(Tone::Ok, t.proofs().token_signed),
        TokenKind::Unsigned => unsigned_badge(t),
    }
}

fn erase_button(t: &'static Texts, project: &str, token: &str) -> AnyView {
    let toasts = toasts();
    let (project, token) = (project.to_owned(), token.to_owned());
    let navigate = StoredValue::new(use_navigate());
    let run = move || {
        let (project, token) = (project.clone(), token.clone());
        spawn_local(async move {
            match erase(project.clone(), token).await {
                Ok(()) => {
                    toasts.done(t.erased);
                    let list = Page::Proofs.at(&[&project]);
                    navigate.try_with_value(|navigate| navigate(&list, NavigateOptions::default()));
                }
                Err(error) => toasts.problem(error_message(t, &error)),
            }
        });
    };
    let ask = confirm(
        t.proofs().erase_title,
        t.proofs().erase_text,
        t.proofs().erase,
        true,
        run,
    );
    view! {
        <button
            type="button"
            class="button button-small button-danger"
            on:click=move |_| ask()
        >
            {t.proofs().erase}
        </button>
    }
    .into_any()
}

fn choices_card(t: &'static Texts, choices: &[Choice], are_erased: bool) -> AnyView {
    let rows = choices
        .iter()
        .map(|choice| {
            let answer = outcome_badge(
                t,
                if choice.accepted {
                    Outcome::Accepted
                } else {
                    Outcome::Refused
                },
            );
            view! {
                <tr>
                    <td>
                        <span class="strong">{choice.title.clone()}</span>
                        " "
                        <code class="muted">{choice.name.clone()}</code>
                    </td>
                    <td class="number">{answer}</td>
                </tr>
            }
            .into_any()
        })
        .collect_view();
    let body = if choices.is_empty() {
        let texts = t.proofs();
        let why = if are_erased {
            texts.choices_erased
        } else {
            texts.no_choices
        };
        view! { <p class="muted card-pad">{why}</p> }.into_any()
    } else {
        view! {
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">{t.service}</th>
                        <th scope="col" class="number">{t.choice}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        }
        .into_any()
    };
    view! {
        <section class="card" aria-labelledby="choices-title">
            <div class="card-head">
                <h2 id="choices-title">{t.choices}</h2>
                {(!are_erased).then(|| view! {
                    <span class="muted small">{count(choices.len() as u64, t.n_service, t.n_services)}</span>
                })}
            </div>
            {body}
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_names_what_is_seen() {
        let filter = Filter {
            token: "a b".into(),
            outcome: "refused".into(),
            ..Filter::default()
        };
        assert_eq!(
            address("7", &filter, 1),
            "/projects/7/proofs?token=a%20b&outcome=refused"
        );
        assert_eq!(
            address("7", &Filter::default(), 3),
            "/projects/7/proofs?page=3"
        );
        assert_eq!(address("7", &Filter::default(), 1), "/projects/7/proofs");
    }
}
