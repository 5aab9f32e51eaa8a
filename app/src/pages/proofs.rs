//! Proofs: every consent, found by token, configuration, outcome and day; and one with
//! everything that it proves.

use domain::choices::Outcome;
use domain::consent::TokenKind;
use domain::tcf::Unfit;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::components::Form;
use leptos_router::hooks::{use_navigate, use_params_map, use_query_map};

use super::project_id;
use crate::components::copy::{copyable, copyable_as};
use crate::components::dialog::confirm;
use crate::components::download::{Answer, after, download, why_not};
use crate::components::icon::{Icon, icon};
use crate::components::layout::{Tone, badge, busy_label, crumbs, notice, page_head};
use crate::components::loading::{
    block_skeleton, empty_state, error_message, loaded, table_skeleton,
};
use crate::components::preview::Preview;
use crate::components::table::pager;
use crate::components::time::{ago, moment};
use crate::components::toast::toasts;
use crate::fns::proofs::{
    Choice, ConsentPage, ConsentRow, DOSSIER, Filter, Proof, Screen, TcfFit, consents, erase,
    read_proof, seen,
};
use crate::i18n::{EvidenceTexts, Texts, count, fill, texts};
use crate::session::percent_encode;

/// The filter as the address has it: a plain form with GET writes it there.
fn filter_of_address() -> Memo<Filter> {
    let query = use_query_map();
    Memo::new(move |_| {
        query.with(|query| {
            let get = |name: &str| query.get(name).unwrap_or_default().trim().to_owned();
            Filter {
                token: get("token"),
                identifier: get("identifier"),
                outcome: get("outcome"),
                from: get("from"),
                to: get("to"),
                page: get("page").parse().unwrap_or(1).max(1),
            }
        })
    })
}

/// The address of a page of a filtered list.
fn address(project: &str, filter: &Filter, page: u32) -> String {
    let mut query: Vec<String> = [
        ("token", &filter.token),
        ("identifier", &filter.identifier),
        ("outcome", &filter.outcome),
        ("from", &filter.from),
        ("to", &filter.to),
    ]
    .into_iter()
    .filter(|(_, value)| !value.is_empty())
    .map(|(name, value)| format!("{name}={}", percent_encode(value)))
    .collect();
    if page > 1 {
        query.push(format!("page={page}"));
    }
    let path = format!("/projects/{project}/proofs");
    if query.is_empty() {
        path
    } else {
        format!("{path}?{}", query.join("&"))
    }
}

pub fn list() -> AnyView {
    let t = texts();
    let project = project_id();
    let filter = filter_of_address();
    let data = Resource::new(
        move || (project.get(), filter.get()),
        |(project, filter)| consents(project, filter),
    );
    let content = loaded(data, table_skeleton, move |page| {
        list_content(&project.get_untracked(), &filter.get_untracked(), page)
    });
    let files = move || {
        let address = move || format!("/projects/{}/proofs/files", project.get());
        view! { <a class="button" href=address>{t.export_import}</a> }
    };
    view! {
        <div class="page">
            {page_head(t.proofs, t.proofs_text, files())}
            {content}
        </div>
    }
    .into_any()
}

fn list_content(project: &str, filter: &Filter, page: ConsentPage) -> AnyView {
    let t = texts();
    if !page.any {
        let link = view! {
            <a class="button button-primary" href=format!("/projects/{project}/install")>{t.install}</a>
        };
        return view! {
            <div class="card">
                {empty_state(Icon::Shield, t.no_proofs_title, t.no_proofs_text, link.into_any())}
            </div>
        }
        .into_any();
    }
    let table = if page.items.is_empty() {
        let clear = view! {
            <a class="button" href=format!("/projects/{project}/proofs")>{t.clear_filter}</a>
        };
        empty_state(
            Icon::Search,
            t.nothing_fits_title,
            t.nothing_fits_text,
            clear.into_any(),
        )
    } else {
        let rows = page
            .items
            .iter()
            .map(|row| consent_row(t, project, filter, row))
            .collect_view();
        view! {
            <div class="table-scroll">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{t.decided}</th>
                            <th scope="col">{t.outcome}</th>
                            <th scope="col">{t.token}</th>
                            <th scope="col" class="wide-only">{t.asked_by}</th>
                            <th scope="col" class="wide-only">{t.page_host}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {pager(page.page, page.per_page, page.total, |number| address(project, filter, number))}
        }
        .into_any()
    };
    view! {
        <div class="card">
            {filter_form(t, project, filter, &page)}
            {table}
        </div>
    }
    .into_any()
}

fn filter_form(t: &'static Texts, project: &str, filter: &Filter, page: &ConsentPage) -> AnyView {
    let option = |value: &str, label: String, chosen: &str| {
        let selected = value == chosen;
        view! { <option value=value.to_owned() selected=selected>{label}</option> }.into_any()
    };
    let outcomes = [
        ("", t.any_outcome),
        ("accepted", t.accepted),
        ("partial", t.partial),
        ("refused", t.refused),
    ]
    .map(|(value, label)| option(value, label.to_owned(), &filter.outcome));
    let asked: Vec<AnyView> = std::iter::once(option(
        "",
        t.any_configuration.to_owned(),
        &filter.identifier,
    ))
    .chain(
        page.asked
            .iter()
            .map(|asked| option(&asked.id, asked.name.clone(), &filter.identifier)),
    )
    .collect();
    let clear = (!filter.is_empty()).then(|| {
        view! { <a class="button button-quiet" href=format!("/projects/{project}/proofs")>{t.clear_filter}</a> }
    });
    let action = format!("/projects/{project}/proofs");
    let Filter {
        token, from, to, ..
    } = filter.clone();
    view! {
        <Form
            method="GET"
            action=action
            attr:class="filters"
            attr:role="search"
        >
            <div class="field">
                <label for="filter-token">{t.token}</label>
                <input class="input mono" id="filter-token" name="token" value=token maxlength="255" />
            </div>
            <div class="field">
                <label for="filter-outcome">{t.outcome}</label>
                <span class="select">
                    <select class="input" id="filter-outcome" name="outcome">{outcomes.into_iter().collect_view()}</select>
                    {icon(Icon::ChevronDown)}
                </span>
            </div>
            <div class="field">
                <label for="filter-identifier">{t.asked_by}</label>
                <span class="select">
                    <select class="input" id="filter-identifier" name="identifier">{asked}</select>
                    {icon(Icon::ChevronDown)}
                </span>
            </div>
            <div class="field">
                <label for="filter-from">{t.from_day}</label>
                <input class="input" id="filter-from" type="date" name="from" value=from />
            </div>
            <div class="field">
                <label for="filter-to">{t.to_day}</label>
                <input class="input" id="filter-to" type="date" name="to" value=to />
            </div>
            <div class="row">
                <button class="button">{icon(Icon::Search)} {t.filter}</button>
                {clear}
            </div>
        </Form>
    }
    .into_any()
}

pub fn outcome_badge(t: &'static Texts, outcome: Outcome) -> AnyView {
    match outcome {
        Outcome::Accepted => badge(Tone::Ok, t.accepted),
        Outcome::Partial => badge(Tone::Accent, t.partial),
        Outcome::Refused => badge(Tone::Neutral, t.refused),
    }
}

fn consent_row(t: &'static Texts, project: &str, filter: &Filter, row: &ConsentRow) -> AnyView {
    let short = (row.token.chars().count() > 18)
        .then(|| row.token.chars().take(16).chain(['…']).collect::<String>());
    let by_token = Filter {
        token: row.token.clone(),
        ..Filter::default()
    };
    let same = filter.token == row.token;
    let token = if row.erased {
        badge(Tone::Neutral, t.erased)
    } else {
        view! {
            <span class="row">
                {copyable_as(row.token.clone(), short, t.token)}
                {row.unsigned.then(|| badge(Tone::Warn, t.token_unsigned))}
                {(!same).then(|| view! {
                    <a class="small muted" href=address(project, &by_token, 1)>{t.all_of_token}</a>
                })}
            </span>
        }
        .into_any()
    };
    view! {
        <tr>
            <td><a href=format!("/projects/{project}/proofs/{}", row.id)>{ago(row.decided_at)}</a></td>
            <td>{outcome_badge(t, row.outcome)}</td>
            <td>{token}</td>
            <td class="wide-only">{row.name.clone()}</td>
            <td class="wide-only muted">{row.page_host.clone().unwrap_or_else(|| "–".to_owned())}</td>
        </tr>
    }
    .into_any()
}

pub fn proof() -> AnyView {
    let project = project_id();
    let params = use_params_map();
    let consent =
        Memo::new(move |_| params.with(|params| params.get("consent").unwrap_or_default()));
    let data = Resource::new(
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

fn proof_content(project: &str, proof: Proof) -> AnyView {
    let (t, w) = (texts(), EvidenceTexts::of_this_page());
    let by_token = Filter {
        token: proof.token.clone(),
        ..Filter::default()
    };
    let publication = match (&proof.publication, proof.publication_verified) {
        (Some(id), _) => copyable(id.clone(), t.publication),
        (None, _) => view! { <span class="muted">{t.publication_unknown}</span> }.into_any(),
    };
    let flags = view! {
        {outcome_badge(t, proof.outcome)}
        {proof.closed.then(|| badge(Tone::Neutral, t.refused_by_closing))}
        {proof.replaced.then(|| badge(Tone::Neutral, t.replaced))}
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
                    <a class="small" href=address(project, &by_token, 1)>{t.all_of_token}</a>
                </span>
            },
        )
    };
    let choices = choices_card(t, &proof.choices);
    let raw = proof.raw.clone();
    let again = proof.publication.is_some().then(|| {
        let project = project.to_owned();
        let id = StoredValue::new((project, proof.id.clone()));
        let draw = move |(): (), nonce, dark| {
            let (project, consent) = id.get_value();
            seen(project, consent, nonce, dark)
        };
        view! {
            <section class="stack" aria-labelledby="seen-title">
                <h2 id="seen-title">{t.seen_title}</h2>
                {Preview::new(|| (), draw, None).alone()}
            </section>
        }
    });
    view! {
        {crumbs(
            vec![(format!("/projects/{project}/proofs"), t.proofs.to_owned())],
            proof.id.clone(),
        )}
        {page_head(t.proof_title, view! { {proof.name.clone()} ", " {moment(proof.decided_at)} }, flags)}
        <div class="split">
            <div class="stack-loose">
                <section class="card" aria-labelledby="facts-title">
                    <div class="card-head"><h2 id="facts-title">{t.proven}</h2></div>
                    <div class="card-body">
                        <dl class="facts">
                            {fact(t.consent_id, copyable(proof.id.clone(), t.consent_id))}
                            {token}
                            {proof.token_kind.map(|kind| fact(t.token_kind, token_kind(t, kind)))}
                            {fact(t.decided, moment(proof.decided_at))}
                            {fact(t.received, moment(proof.received_at))}
                            {fact(t.asked_by, view! {
                                <span class="row">
                                    {proof.name.clone()}
                                    {copyable(proof.identifier.clone(), t.identifier)}
                                </span>
                            })}
                            {fact(t.language, or_dash(Some(proof.language.clone()).filter(|text| !text.is_empty())))}
                            {fact(t.accept_sent, if proof.accept { "true" } else { "false" })}
                            {proof.value.clone().map(|value| fact(t.value, value))}
                            {fact(t.publication, publication)}
                            {proof.published_at.map(|at| fact(t.published_at, moment(at)))}
                            {proof.tcf.clone().map(|tcf| fact(t.tc_string, tc_string(t, tcf)))}
                            {fact(t.page_host, or_dash(proof.page_host.clone()))}
                            {fact(t.ip, or_dash(proof.ip.clone()))}
                            {fact(t.country, or_dash(proof.country.clone()))}
                            {fact(t.user_agent, or_dash(proof.user_agent.clone()))}
                        </dl>
                    </div>
                </section>
                {(proof.token_kind == Some(TokenKind::Unsigned)).then(|| notice(Tone::Warn, t.token_unsigned_text))}
                {(!proof.publication_verified).then(|| notice(Tone::Neutral, t.publication_not_verified))}
                <details>
                    <summary>{t.as_sent}</summary>
                    {crate::components::copy::code_block(Signal::stored(raw), t.as_sent)}
                </details>
            </div>
            <div class="stack-loose">
                {choices}
                {again}
                {shown_texts(&proof.screens)}
            </div>
        </div>
        <p class="print-only muted">{w.printed_from} " " {proof.address.clone()}</p>
    }
    .into_any()
}

/// The texts that were shown, for paper: the preview scrolls.
fn shown_texts(screens: &[Screen]) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let screen = |screen: &Screen| {
        let names = screen.services.join(", ");
        let services = (!names.is_empty())
            .then(|| view! { <p>{fill(w.shown_services, &[("names", &names)])}</p> });
        view! {
            <div class="stack-tight">
                <h3>{screen.title.clone()}</h3>
                <p class="as-lines">{screen.text.clone()}</p>
                {services}
            </div>
        }
        .into_any()
    };
    if screens.is_empty() {
        return ().into_any();
    }
    view! {
        <section class="card print-only" aria-labelledby="texts-title">
            <div class="card-head"><h2 id="texts-title">{w.shown_texts}</h2></div>
            <div class="card-body">{screens.iter().map(screen).collect_view()}</div>
        </section>
    }
    .into_any()
}

fn print_button() -> AnyView {
    let w = EvidenceTexts::of_this_page();
    view! {
        <button
            type="button"
            class="button button-small"
            on:click=move |_| {
                let _ = window().print();
            }
        >
            {w.print}
        </button>
    }
    .into_any()
}

/// Most times that a dossier is asked for while the ledger has no checkpoint.
const ASKED_AT_MOST: u32 = 60;

fn dossier_button(t: &'static Texts, project: &str, token: &str) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let toasts = toasts();
    let busy = RwSignal::new(false);
    let body = serde_json::json!({"project": project, "token": token}).to_string();
    let body = StoredValue::new(body);
    let name = StoredValue::new(format!("dossier-{project}.zip"));
    let start = move || {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let (body, name) = (body.get_value(), name.get_value());
        spawn_local(async move {
            let mut status = 503;
            for asked in 0..ASKED_AT_MOST {
                match download(DOSSIER, &body, &name).await {
                    Answer::Kept => {
                        let _ = busy.try_set(false);
                        return;
                    }
                    Answer::Refused(refused) => {
                        status = refused;
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
            toasts.problem(why_not(t, status));
        });
    };
    view! {
        <button
            type="button"
            class="button button-small"
            title=w.dossier_hint
            disabled=busy
            on:click=move |_| start()
        >
            {busy_label(busy.into(), w.dossier)}
        </button>
    }
    .into_any()
}

/// The string, and whether it fits what was shown.
fn tc_string(t: &'static Texts, tcf: TcfFit) -> AnyView {
    let fit = tcf.unfit.map(|unfit| match unfit {
        Unfit::Unreadable => t.unfit_unreadable,
        Unfit::Publication => t.unfit_publication,
        Unfit::Cmp => t.unfit_cmp,
        Unfit::List => t.unfit_list,
        Unfit::Disclosed => t.unfit_disclosed,
        Unfit::Restrictions => t.unfit_restrictions,
        Unfit::Choices => t.unfit_choices,
        Unfit::Day => t.unfit_day,
    });
    view! {
        {copyable(tcf.string, t.tc_string)}
        {match fit {
            None => badge(Tone::Ok, t.tc_string_fits),
            Some(reason) => view! { <span class="row">{badge(Tone::Warn, t.tc_string_unfit)} {reason}</span> }.into_any(),
        }}
    }
    .into_any()
}

fn token_kind(t: &'static Texts, kind: TokenKind) -> AnyView {
    match kind {
        TokenKind::Generated => badge(Tone::Neutral, t.token_generated),
        TokenKind::Signed => badge(Tone::Ok, t.token_signed),
        TokenKind::Unsigned => badge(Tone::Warn, t.token_unsigned),
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
                    let list = format!("/projects/{project}/proofs");
                    navigate.try_with_value(|navigate| navigate(&list, NavigateOptions::default()));
                }
                Err(error) => toasts.problem(error_message(t, &error)),
            }
        });
    };
    let ask = confirm(t.erase_title, t.erase_text, t.erase, true, run);
    view! {
        <button
            type="button"
            class="button button-small button-danger"
            on:click=move |_| ask()
        >
            {t.erase}
        </button>
    }
    .into_any()
}

fn choices_card(t: &'static Texts, choices: &[Choice]) -> AnyView {
    let rows = choices
        .iter()
        .map(|choice| {
            let answer = if choice.accepted {
                badge(Tone::Ok, t.accepted)
            } else {
                badge(Tone::Neutral, t.refused)
            };
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
        view! { <p class="muted card-pad">{t.no_choices}</p> }.into_any()
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
                <span class="muted small">{count(choices.len() as u64, t.n_service, t.n_services)}</span>
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
