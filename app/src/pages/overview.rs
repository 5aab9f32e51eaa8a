//! A project on one page: is it live, does it work, what is left to do.

use std::time::Duration;

use leptos::prelude::*;

use super::project_id;
use super::projects::{bare, live_badge};
use super::proofs::{circumstances, outcome_badge};
use crate::components::chart::{answer_cells, answer_heads, csv, daily_chart};
use crate::components::following::following;
use crate::components::layout::{Tone, notice, page_head, tile};
use crate::components::loading::{block_skeleton, fetched, follow, live, loaded};
use crate::components::time::ago;
use crate::error::UiError;
use crate::fns::concerns::{Concern, Kind};
use crate::fns::projects::{Day, Figures, Overview, read_figures, read_overview};
use crate::fns::proofs::ConsentRow;
use crate::fns::report::{Named, read_languages};
use crate::i18n::{ConcernTexts, Texts, count, number, percent, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

/// Time after which a consent is seen here at the latest.
const PAUSE: Duration = Duration::from_secs(5);

pub fn page() -> AnyView {
    let project = project_id();
    let data = following(move || project.get(), read_overview);
    let figures = following(move || project.get(), read_figures);
    follow(figures, PAUSE);
    // The project whose figures have a consent. An effect says so, because the page begins as the server wrote it.
    let answered = RwSignal::new(None::<String>);
    Effect::new(move |_| {
        if let Some(Ok(figures)) = figures.get()
            && !figures.latest.is_empty()
        {
            answered.set(Some(figures.project));
        }
    });
    let content = loaded(data, block_skeleton, move |data| {
        content(data, figures, answered)
    });
    view! { <div class="page">{content}</div> }.into_any()
}

fn content(
    data: Overview,
    figures: Resource<Result<Figures, UiError>>,
    answered: RwSignal<Option<String>>,
) -> AnyView {
    let t = texts();
    let project = data.link.id.clone();
    let publish = Page::Publish.at(&[&project]);
    let site = data.link.site.clone();
    let head = page_head(
        data.link.title.clone(),
        view! { <a href=site.clone() rel="noreferrer" target="_blank">{bare(&site)}</a> },
        view! {
            {live_badge(&data.live)}
            {data.can_edit.then(|| view! {
                <a class="button" class:button-primary={data.live.waiting.is_some_and(|n| n > 0)} href=publish.clone()>
                    {icon(Icon::Publish)}
                    {t.publish}
                </a>
            })}
        },
    );
    let asks = data
        .concerns
        .iter()
        .any(|one| one.kind == Kind::PublishWaits);
    let waits = (data.publish_waits && !asks).then(|| {
        let w = texts().publish();
        let link = view! { <a href=publish>{w.see_waiting}</a> };
        notice(Tone::Neutral, view! { {w.waits} ". " {link} })
    });
    let concerns = (!data.concerns.is_empty()).then(|| concerns(&project, &data.concerns));
    let data = StoredValue::new(data);
    // The first consent ends the checklist. The rest of the page stays as it is, with all that is open there.
    let has_consents = {
        let project = project.clone();
        Memo::new(move |_| {
            let came = answered.with(|answered| answered.as_ref() == Some(&project));
            came || data.with_value(|data| data.has_consents)
        })
    };
    let todo = move || {
        let has_consents = has_consents.get();
        data.with_value(|data| {
            let done = data.live.published_at.is_some() && has_consents;
            (!done && data.can_edit).then(|| checklist(data, has_consents))
        })
    };
    let consents = live(figures, block_skeleton, move |figures: Memo<Figures>| {
        let project = project.clone();
        // Those of a project that somebody switches to may come before its overview.
        let are_own = Memo::new(move |_| figures.with(|figures| figures.project == project));
        let content = move || {
            if are_own.get() {
                data.with_value(|data| consents(data, figures))
            } else {
                block_skeleton()
            }
        };
        view! { {content} }.into_any()
    });
    view! {
        {head}
        {concerns}
        {waits}
        {todo}
        {consents}
    }
    .into_any()
}

/// The figures, the chart and the last proofs. They follow what visitors answer.
fn consents(data: &Overview, figures: Memo<Figures>) -> AnyView {
    let t = texts();
    let project = StoredValue::new(data.link.id.clone());
    let state = match data.live.published_at {
        None => tile(t.state, t.not_live, t.not_live_remark),
        Some(at) => {
            let waiting = match data.live.waiting {
                Some(0) => String::new(),
                Some(n) => count(n, t.change_waiting, t.changes_waiting) + ", ",
                None => format!("{}, ", t.too_large),
            };
            tile(
                t.state,
                t.live,
                view! { {waiting} {t.overview().published_lower} " " {ago(at)} },
            )
        }
    };
    let days = Memo::new(move |_| figures.with(|figures| figures.days.clone()));
    let today = move || days.with(|days| days.last().map_or(0, Day::total));
    let month = Memo::new(move |_| days.with(|days| Day::sum(days)));
    let last = Memo::new(move |_| {
        figures.with(|figures| figures.latest.first().map(|last| last.decided_at))
    });
    let latest = move || match last.get() {
        Some(at) => view! { {t.overview().latest_consent} " " {ago(at)} }.into_any(),
        None => t.none_yet.into_any(),
    };
    let proofs = Memo::new(move |_| figures.with(|figures| figures.latest.clone()));
    // By their ids, so that a link keeps its place under the focus.
    let rows = move || {
        let row = move |row: ConsentRow| project.with_value(|project| last_proof(t, project, &row));
        view! { <For each=move || proofs.get() key=|row| row.id.clone() children=row /> }
    };
    let is_charted = Memo::new(move |_| month.with(|month| month.total() > 0));
    let project = StoredValue::new(data.link.id.clone());
    let report = StoredValue::new(Page::Report.at(&[&data.link.id]));
    let chart = move || {
        is_charted.get().then(|| {
            view! {
                <section class="card" aria-labelledby="chart-title">
                    <div class="card-head">
                        <h2 id="chart-title">{t.consents_per_day}</h2>
                        <span class="row">
                            <a class="button button-small" href=report.get_value()>
                                {t.overview().by_language}
                            </a>
                            <a
                                class="button button-small"
                                href=move || days.with(|days| csv(days))
                                download="consents-per-day.csv"
                            >
                                {t.overview().as_csv}
                            </a>
                        </span>
                    </div>
                    <div class="card-body">{daily_chart(days)} {languages(project)}</div>
                </section>
            }
        })
    };
    let is_listed = Memo::new(move |_| last.with(Option::is_some));
    let list = move || {
        is_listed.get().then(|| {
            view! {
                <section class="card" aria-labelledby="last-title">
                    <div class="card-head">
                        <h2 id="last-title">{t.overview().last_proofs}</h2>
                        <a class="button button-small" href=Page::Proofs.at(&[&project.get_value()])>{t.see_proofs}</a>
                    </div>
                    <div class="card-body"><ul class="card-rows">{rows()}</ul></div>
                </section>
            }
        })
    };
    view! {
        <dl class="tiles">
            {state}
            {tile(t.overview().consents_today, move || number(today()), latest)}
            {tile(
                t.overview().accept_rate_30_days,
                move || month.with(|month| percent(month.accepted, month.total())),
                move || count(month.with(Day::total), t.overview().of_answer, t.overview().of_answers),
            )}
            {tile(
                t.services,
                data.vendors.map_or_else(|| "–".to_owned(), number),
                count(data.configurations, t.overview().n_configuration, t.overview().n_configurations),
            )}
        </dl>
        {chart}
        {list}
    }
    .into_any()
}

/// Answers by language. To count them reads every consent of the days, so they are counted for those who open this.
fn languages(project: StoredValue<String>) -> AnyView {
    let w = texts().overview();
    let is_open = RwSignal::new(false);
    let asked = Memo::new(move |_| project.get_value());
    let node = NodeRef::<leptos::html::Details>::new();
    // It opens before the page wakes up, too.
    Effect::new(move |_| {
        if let Some(details) = node.get() {
            is_open.set(details.open());
        }
    });
    let content = move || {
        let table = |rows: Vec<Named>| language_table(&rows);
        is_open
            .get()
            .then(|| fetched(asked, block_skeleton, read_languages, table))
    };
    view! {
        <div class="chart">
            <details node_ref=node on:toggle:target=move |event| is_open.set(event.target().open())>
                <summary>{w.languages}</summary>
                {content}
            </details>
        </div>
    }
    .into_any()
}

fn language_table(rows: &[Named]) -> AnyView {
    let (t, w) = (texts(), texts().overview());
    if rows.iter().all(|row| row.name.is_empty()) {
        return view! { <p class="muted small">{w.languages_none}</p> }.into_any();
    }
    let row = |row: &Named| {
        let name = if row.name.is_empty() {
            w.language_unknown.to_owned()
        } else {
            row.name.clone()
        };
        view! { <tr><td>{name}</td> {answer_cells(row.answers)}</tr> }.into_any()
    };
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=w.languages>
            <table class="table">
                <thead>
                    <tr><th scope="col">{t.language}</th> {answer_heads()}</tr>
                </thead>
                <tbody>{rows.iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn last_proof(t: &'static Texts, project: &str, row: &ConsentRow) -> AnyView {
    let from = [row.page_host.clone(), Some(circumstances(&row.origin))];
    let from: Vec<String> = from.into_iter().flatten().collect();
    let from: Vec<String> = from.into_iter().filter(|text| !text.is_empty()).collect();
    view! {
        <li>
            <div class="row-between">
                <span class="row">
                    <a href=Page::Proof.at(&[&project, &row.id])>{ago(row.decided_at)}</a>
                    {outcome_badge(t, row.outcome)}
                </span>
                <span class="muted small wrap-anywhere">{from.join(", ")}</span>
            </div>
        </li>
    }
    .into_any()
}

/// The states that somebody should look at, each with the way there.
fn concerns(project: &str, concerns: &[Concern]) -> AnyView {
    let w = ConcernTexts::of_this_page();
    let row = |concern: &Concern| {
        let (title, text, action, page) = match concern.kind {
            Kind::NoConsents => (
                w.no_consents,
                w.no_consents_text,
                w.check_site,
                Page::Install,
            ),
            Kind::SnippetGone => (
                w.snippet_gone,
                w.snippet_gone_text,
                w.check_site,
                Page::Install,
            ),
            Kind::PublishFailed => (
                w.publish_failed,
                w.publish_failed_text,
                w.see_publish,
                Page::Publish,
            ),
            Kind::PublishWaits => (
                w.publish_waits,
                w.publish_waits_text,
                w.see_publish,
                Page::Publish,
            ),
            Kind::WebhookOff => (
                w.webhook_off,
                w.webhook_off_text,
                w.see_webhooks,
                Page::Webhooks,
            ),
        };
        view! {
            <li>
                <div class="row-between">
                    <div>
                        <p><span class="strong">{title}</span> <span class="muted">", " {w.since} " " {ago(concern.since)}</span></p>
                        <p class="muted small">{text}</p>
                    </div>
                    <a class="button button-small" href=page.at(&[&project])>{action}</a>
                </div>
            </li>
        }
    };
    view! {
        <section class="card" aria-labelledby="concerns-title">
            <div class="card-head">
                <h2 id="concerns-title" class="row">{icon(Icon::Warning)} {w.title}</h2>
            </div>
            <div class="card-body">
                <ul class="card-rows">{concerns.iter().map(row).collect_view()}</ul>
            </div>
        </section>
    }
    .into_any()
}

/// The steps to the first consent, in order.
fn checklist(data: &Overview, has_consents: bool) -> AnyView {
    let t = texts();
    let project = &data.link.id;
    let configurations = Page::Configurations.at(&[project]);
    let widget = match &data.first_configuration {
        Some(id) => Page::Configuration.at(&[project, id]),
        None => configurations.clone(),
    };
    let steps = [
        (
            t.overview().todo_configuration,
            t.overview().todo_configuration_text,
            data.configurations > 0,
            configurations,
        ),
        (
            t.overview().todo_services,
            t.overview().todo_services_text,
            data.vendors != Some(0),
            widget,
        ),
        (
            t.overview().todo_publish,
            t.overview().todo_publish_text,
            data.live.published_at.is_some(),
            Page::Publish.at(&[project]),
        ),
        (
            t.overview().todo_install,
            t.overview().todo_install_text,
            has_consents,
            Page::Install.at(&[project]),
        ),
    ];
    let next = steps.iter().position(|(_, _, done, _)| !done);
    let items = steps
        .into_iter()
        .enumerate()
        .map(|(index, (title, text, done, href))| {
            let is_next = Some(index) == next;
            view! {
                <li class:done=done class:next=is_next>
                    <span class="mark">{icon(Icon::Check)}</span>
                    <div>
                        <p class="strong">{title} {done.then(|| view! { <span class="quiet">" – " {t.done}</span> })}</p>
                        {(!done).then(|| view! { <p class="muted small">{text}</p> })}
                    </div>
                    {is_next.then(|| view! { <a class="button button-small button-primary" href=href>{t.go}</a> })}
                </li>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <section class="card" aria-labelledby="todo-title">
            <div class="card-head"><h2 id="todo-title">{t.overview().todo_title}</h2></div>
            <ol class="checklist">{items}</ol>
        </section>
    }
    .into_any()
}
