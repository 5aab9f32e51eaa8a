//! The list of proofs and its filter.

use domain::choices::Outcome;
use domain::consent::MOST_CHARS;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::{address, circumstances, outcome_badge, unsigned_badge};
use crate::components::copy::copyable_as;
use crate::components::following::following;
use crate::components::layout::{Tone, badge, page_head};
use crate::components::listing::time_head;
use crate::components::loading::{empty_state, loaded, table_skeleton};
use crate::components::search::{day_field, filters, of_address};
use crate::components::table::pager;
use crate::components::time::clock_time;
use crate::error::UiError;
use crate::fns::listing::Listing;
use crate::fns::proofs::{ConsentPage, ConsentRow, Filter, Totals, consent_totals, consents};
use crate::i18n::{EvidenceTexts, Texts, number, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::pages::project_id;

/// The numbers of consents by outcome, as they are read.
type Counted = Resource<Result<Totals, UiError>>;

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
                oldest: get("sort") == Listing::OLDEST,
                page: get("page").parse().unwrap_or(1).max(1),
            }
        })
    })
}

pub fn page() -> AnyView {
    let t = texts();
    let project = project_id();
    let filter = filter_of_address();
    let data = following(
        move || (project.get(), filter.get()),
        |(project, filter)| consents(project, filter),
    );
    let totals = following(
        move || {
            // The page and the order make no difference.
            let filter = Filter {
                page: 0,
                oldest: false,
                outcome: String::new(),
                ..filter.get()
            };
            (project.get(), filter)
        },
        |(project, filter)| consent_totals(project, filter),
    );
    let content = loaded(data, table_skeleton, move |page| {
        content(
            &project.get_untracked(),
            &filter.get_untracked(),
            page,
            totals,
        )
    });
    let files = move || {
        let address = move |page: Page| page.at(&[&project.get()]);
        view! {
            <a class="button" href=move || address(Page::Publications)>{t.publications}</a>
            <a class="button" href=move || address(Page::Report)>{t.report}</a>
            <a class="button" href=move || address(Page::ConsentFiles)>{t.export_import}</a>
        }
    };
    view! {
        <div class="page">
            {page_head(t.proofs, t.proofs().proofs_text, files())}
            {content}
        </div>
    }
    .into_any()
}

fn content(project: &str, filter: &Filter, page: ConsentPage, totals: Counted) -> AnyView {
    let t = texts();
    if !page.any {
        let link = view! {
            <a class="button button-primary" href=Page::Install.at(&[&project])>{t.install}</a>
        };
        return view! {
            <div class="card">
                {empty_state(Icon::Shield, t.proofs().no_proofs_title, t.proofs().no_proofs_text, link.into_any())}
            </div>
        }
        .into_any();
    }
    let table = if page.total == 0 {
        let clear = view! {
            <a class="button" href=Page::Proofs.at(&[&project])>{t.clear_filter}</a>
        };
        empty_state(
            Icon::Search,
            t.nothing_fits_title,
            t.proofs().nothing_fits_text,
            clear.into_any(),
        )
    } else {
        let turned = Filter {
            oldest: !filter.oldest,
            ..filter.clone()
        };
        let turned = address(project, &turned, 1);
        let rows = page
            .items
            .iter()
            .map(|consent| row(t, project, filter, consent))
            .collect_view();
        view! {
            <div class="table-scroll">
                <table class="table">
                    <thead>
                        <tr>
                            {time_head(t.decided, filter.oldest, turned)}
                            <th scope="col">{t.proofs().outcome}</th>
                            <th scope="col">{t.token}</th>
                            <th scope="col" class="wide-only">{t.asked_by}</th>
                            <th scope="col" class="wide-only">{t.proofs().page_host}</th>
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
            <div class="spans row">
                {spans(t, project, filter, &page)}
                {outcomes(t, project, filter, totals)}
            </div>
            {filter_form(t, project, filter, &page)}
            {table}
        </div>
    }
    .into_any()
}

/// Links to the spans of time that people ask for most.
fn spans(t: &'static Texts, project: &str, filter: &Filter, page: &ConsentPage) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let choices = [w.all_time, w.today, w.last_7_days, w.last_30_days];
    let starts = std::iter::once("").chain(page.starts.iter().map(String::as_str));
    let links = choices
        .into_iter()
        .zip(starts)
        .map(|(label, from)| {
            let span = Filter {
                from: from.to_owned(),
                to: String::new(),
                ..filter.clone()
            };
            let is_chosen = span.from == filter.from && filter.to.is_empty();
            view! {
                <a href=address(project, &span, 1) aria-current=is_chosen.then_some("true")>
                    {label}
                </a>
            }
        })
        .collect_view();
    view! { <nav class="segments" aria-label=t.when>{links}</nav> }.into_any()
}

/// Links to the outcomes, each with its number of consents as soon as they are counted.
fn outcomes(t: &'static Texts, project: &str, filter: &Filter, totals: Counted) -> AnyView {
    let choices = [
        None,
        Some(Outcome::Accepted),
        Some(Outcome::Partial),
        Some(Outcome::Refused),
    ];
    let links = choices
        .into_iter()
        .map(|outcome| {
            let label = match outcome {
                None => t.any_outcome,
                Some(Outcome::Accepted) => t.accepted,
                Some(Outcome::Partial) => t.partial,
                Some(Outcome::Refused) => t.refused,
            };
            let narrowed = Filter {
                outcome: outcome.map_or("", Outcome::as_str).to_owned(),
                ..filter.clone()
            };
            let is_chosen = narrowed.outcome == filter.outcome;
            let counted = move || {
                Suspend::new(async move {
                    let totals = totals.await.ok();
                    totals.map(
                        |totals| view! { <span class="figure">{number(totals.of(outcome))}</span> },
                    )
                })
            };
            view! {
                <a href=address(project, &narrowed, 1) aria-current=is_chosen.then_some("true")>
                    {label} " "
                    <Transition fallback=|| ()>{counted}</Transition>
                </a>
            }
        })
        .collect_view();
    view! { <nav class="segments" aria-label=t.proofs().outcome>{links}</nav> }.into_any()
}

fn filter_form(t: &'static Texts, project: &str, filter: &Filter, page: &ConsentPage) -> AnyView {
    let option = |value: &str, label: String, chosen: &str| {
        let selected = value == chosen;
        view! { <option value=value.to_owned() selected=selected>{label}</option> }.into_any()
    };
    let asked: Vec<AnyView> = std::iter::once(option(
        "",
        t.proofs().any_configuration.to_owned(),
        &filter.identifier,
    ))
    .chain(
        page.asked
            .iter()
            .map(|asked| option(&asked.id, asked.name.clone(), &filter.identifier)),
    )
    .collect();
    let clear = (!filter.is_empty()).then(|| {
        view! { <a class="button button-quiet" href=Page::Proofs.at(&[&project])>{t.clear_filter}</a> }
    });
    let action = Page::Proofs.at(&[&project]);
    let Filter {
        token,
        from,
        to,
        outcome,
        oldest,
        ..
    } = filter.clone();
    let fields = view! {
            <div class="field">
                <label for="filter-token">{t.token}</label>
                <input
                    class="input mono"
                    id="filter-token"
                    name="token"
                    maxlength=MOST_CHARS
                    value=token.clone()
                    use:of_address=token
                />
            </div>
            <div class="field">
                <label for="filter-identifier">{t.asked_by}</label>
                <span class="select">
                    <select class="input" id="filter-identifier" name="identifier">{asked}</select>
                    {icon(Icon::ChevronDown)}
                </span>
            </div>
            {day_field("filter-from", "from", t.from_day, from)}
            {day_field("filter-to", "to", t.to_day, to)}
            {(!outcome.is_empty()).then(|| view! { <input type="hidden" name="outcome" value=outcome /> })}
            {oldest.then(|| view! { <input type="hidden" name="sort" value=Listing::OLDEST /> })}
            <div class="row">
                <button class="button">{icon(Icon::Search)} {t.filter}</button>
                {clear}
            </div>
    };
    filters(action, "filters", t.filter, fields)
}

fn row(t: &'static Texts, project: &str, filter: &Filter, row: &ConsentRow) -> AnyView {
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
                {row.unsigned.then(|| unsigned_badge(t))}
                {(!same).then(|| view! {
                    <a class="small muted" href=address(project, &by_token, 1)>{t.proofs().all_of_token}</a>
                })}
            </span>
        }
        .into_any()
    };
    view! {
        <tr>
            <td><a href=Page::Proof.at(&[&project, &row.id])>{clock_time(row.decided_at)}</a></td>
            <td>{outcome_badge(t, row.outcome)}</td>
            <td>{token}</td>
            <td class="wide-only">{row.name.clone()}</td>
            <td class="wide-only muted">
                <p>{row.page_host.clone().unwrap_or_else(|| "–".to_owned())}</p>
                <p class="small">{circumstances(&row.origin)}</p>
            </td>
        </tr>
    }
    .into_any()
}
