//! The report of a period, to print or to save as PDF: how visitors answered, to what and from where.

use domain::documents::IpMode;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::project_id;
use super::proofs::print_button;
use crate::components::chart::{answer_cells, answer_heads, daily_chart};
use crate::components::following::following;
use crate::components::layout::{Tone, crumbs, notice, page_head, tile};
use crate::components::loading::{block_skeleton, loaded};
use crate::components::search::{day_field, filters};
use crate::components::time::{clock_time, day};
use crate::fns::projects::Day;
use crate::fns::report::{Named, Report, read_report};
use crate::i18n::{EvidenceTexts, Texts, count, fill, number, percent, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;
/// Rows of a table on screen and paper.
const MOST_ROWS: usize = 40;

pub fn page() -> AnyView {
    let project = project_id();
    let query = use_query_map();
    let of_address =
        move |name: &str| query.with(|query| query.get(name).unwrap_or_default().trim().to_owned());
    let key = Memo::new(move |_| (project.get(), of_address("from"), of_address("to")));
    let data = following(
        move || key.get(),
        |(project, from, to)| read_report(project, from, to),
    );
    let content = loaded(data, block_skeleton, move |report| {
        let (project, from, to) = key.get_untracked();
        match report {
            Some(report) => content(&project, report),
            None => no_period(&project, &from, &to),
        }
    });
    view! { <div class="page">{content}</div> }.into_any()
}

/// The form again with these days, and why there is no report of them.
fn no_period(project: &str, from: &str, to: &str) -> AnyView {
    let (t, w) = (texts(), EvidenceTexts::of_this_page());
    view! {
        {page_head(t.report, (), ())}
        {period_form(t, project, from, to)}
        <div role="alert">{notice(Tone::Danger, w.no_period)}</div>
    }
    .into_any()
}

fn content(project: &str, report: Report) -> AnyView {
    let (t, w) = (texts(), EvidenceTexts::of_this_page());
    let last = report.end - DAY;
    let period = if report.start == last {
        day(last)
    } else {
        let (start, end) = (day(report.start), day(last));
        fill(w.from_to, &[("from", &start), ("to", &end)])
    };
    let trail = vec![(Page::Proofs.at(&[&project]), t.proofs.to_owned())];
    let answers = report.answers;
    let tiles = view! {
        <dl class="tiles">
            {tile(w.consents, number(answers.total()), w.by_decision)}
            {share(t.accepted, answers.accepted, answers)}
            {share(t.partial, answers.partial, answers)}
            {share(t.refused, answers.refused, answers)}
        </dl>
    };
    let days = Memo::new(move |_| report.days.clone());
    let chart = (answers.total() > 0).then(|| {
        view! {
            <section class="card" aria-labelledby="chart-title">
                <div class="card-head"><h2 id="chart-title">{t.consents_per_day}</h2></div>
                <div class="card-body">{daily_chart(days)}</div>
            </section>
        }
    });
    let ip = match report.ip_mode {
        IpMode::Truncated => t.ip_truncated,
        IpMode::Hash => t.ip_hash,
        IpMode::Full => t.ip_full,
        IpMode::None => t.ip_none,
    };
    let kept = match report.months {
        Some(months) => count(u64::from(months), w.n_month, w.n_months),
        None => w.for_ever.to_owned(),
    };
    let ledger = report.ledger.map(|ledger| {
        let size = number(ledger.size);
        view! {
            <dt>{t.ledger}</dt>
            <dd>
                <p class="wrap-anywhere">{ledger.origin}</p>
                <p>{fill(w.ledger_entries, &[("n", &size)])} " " {ledger.checkpoint_at.map(clock_time)}</p>
            </dd>
        }
    });
    let erased = (report.erased > 0).then(|| {
        view! {
            <dt>{t.erased}</dt>
            <dd>{number(report.erased)}</dd>
        }
    });
    let officer = (!report.officer.is_empty()).then(|| {
        view! {
            <dt>{t.role_dpo}</dt>
            <dd>{report.officer.clone()}</dd>
        }
    });
    view! {
        {crumbs(trail, t.report.to_owned())}
        {page_head(
            t.report,
            view! { {report.title.clone()} ", " {period} },
            print_button(),
        )}
        {period_form(t, project, &report.from, &report.to)}
        {tiles}
        {chart}
        {table("configurations-title", w.by_configuration, t.asked_by, &report.configurations)}
        {table("languages-title", w.by_language, t.language, &report.languages)}
        {table("countries-title", w.by_country, t.country, &report.countries)}
        <section class="card" aria-labelledby="about-title">
            <div class="card-head"><h2 id="about-title">{w.about_report}</h2></div>
            <div class="card-body">
                <dl class="facts">
                    <dt>{t.site}</dt>
                    <dd>{report.site.clone()}</dd>
                    {officer}
                    <dt>{w.kept_for}</dt>
                    <dd>{kept}</dd>
                    <dt>{t.ip_mode}</dt>
                    <dd>{ip}</dd>
                    {erased}
                    {ledger}
                    <dt>{w.made_at}</dt>
                    <dd>{clock_time(report.made_at)}</dd>
                </dl>
                <p class="hint">{w.report_hint}</p>
            </div>
        </section>
    }
    .into_any()
}

/// An outcome, and its share of all consents.
fn share(name: &'static str, part: u64, of: Day) -> AnyView {
    tile(name, number(part), percent(part, of.total()))
}

fn period_form(t: &'static Texts, project: &str, from: &str, to: &str) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let (from, to) = (from.to_owned(), to.to_owned());
    let action = Page::Report.at(&[&project]);
    let fields = view! {
                {day_field("report-from", "from", t.from_day, from)}
                {day_field("report-to", "to", t.to_day, to)}
                <div class="row">
                    <button class="button">{icon(Icon::Search)} {w.show}</button>
                </div>
    };
    let form = filters(action, "filters filters-alone", w.show, fields);
    view! { <div class="card screen-only">{form}</div> }.into_any()
}

/// Consents by outcome, a row for each name; nothing without rows.
fn table(
    id: &'static str,
    title: &'static str,
    name: &'static str,
    rows: &[Named],
) -> Option<AnyView> {
    let w = EvidenceTexts::of_this_page();
    if rows.is_empty() {
        return None;
    }
    let others = rows.get(MOST_ROWS..).unwrap_or_default();
    let sum: Vec<Day> = others.iter().map(|row| row.answers).collect();
    let rest = (!others.is_empty()).then(|| Named {
        name: fill(w.others, &[("n", &others.len().to_string())]),
        answers: Day::sum(&sum),
    });
    let rows = rows
        .iter()
        .take(MOST_ROWS)
        .cloned()
        .chain(rest)
        .map(|row| {
            let name = if row.name.is_empty() {
                w.unknown.to_owned()
            } else {
                row.name
            };
            view! {
                <tr>
                    <td class="wrap-anywhere">{name}</td>
                    {answer_cells(row.answers)}
                </tr>
            }
            .into_any()
        })
        .collect_view();
    let table = view! {
        <section class="card" aria-labelledby=id>
            <div class="card-head"><h2 id=id>{title}</h2></div>
            <div class="table-scroll">
                <table class="table">
                    <thead>
                        <tr>
                            <th scope="col">{name}</th>
                            {answer_heads()}
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        </section>
    };
    Some(table.into_any())
}
