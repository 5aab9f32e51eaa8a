//! A project on one page: is it live, does it work, what is left to do.

use leptos::prelude::*;

use super::project_id;
use super::projects::{bare, live_badge};
use crate::components::chart::daily_chart;
use crate::components::icon::{Icon, icon};
use crate::components::layout::{page_head, tile};
use crate::components::loading::{block_skeleton, loaded};
use crate::components::time::ago;
use crate::fns::projects::{Day, Overview, read_overview};
use crate::i18n::{count, number, percent, texts};

pub fn page() -> AnyView {
    let project = project_id();
    let data = Resource::new(move || project.get(), read_overview);
    let content = loaded(data, block_skeleton, content);
    view! { <div class="page">{content}</div> }.into_any()
}

fn content(data: Overview) -> AnyView {
    let t = texts();
    let base = format!("/projects/{}", data.link.id);
    let today = data.days.last().copied().unwrap_or_default();
    let month = data.days.iter().fold(Day::default(), |sum, day| Day {
        start: 0,
        accepted: sum.accepted + day.accepted,
        partial: sum.partial + day.partial,
        refused: sum.refused + day.refused,
    });
    let site = data.link.site.clone();
    let head = page_head(
        data.link.title.clone(),
        view! { <a href=site.clone() rel="noreferrer" target="_blank">{bare(&site)}</a> },
        view! {
            {live_badge(&data.live)}
            {data.can_edit.then(|| view! {
                <a class="button" class:button-primary={data.live.waiting > 0} href=format!("{base}/publish")>
                    {icon(Icon::Publish)}
                    {t.publish}
                </a>
            })}
        },
    );
    let state = match data.live.published_at {
        None => tile(t.state, t.not_live, t.not_live_remark),
        Some(at) if data.live.waiting > 0 => tile(
            t.state,
            t.live,
            view! { {count(data.live.waiting, t.change_waiting, t.changes_waiting)} ", " {t.published_lower} " " {ago(at)} },
        ),
        Some(at) => tile(t.state, t.live, view! { {t.published_lower} " " {ago(at)} }),
    };
    let latest = match data.last_consent {
        Some(at) => view! { {t.latest_consent} " " {ago(at)} }.into_any(),
        None => t.none_yet.into_any(),
    };
    let tiles = view! {
        <dl class="tiles">
            {state}
            {tile(t.consents_today, number(today.total()), latest)}
            {tile(
                t.accept_rate_30_days,
                percent(month.accepted, month.total()),
                count(month.total(), t.n_consent, t.n_consents),
            )}
            {tile(
                t.services,
                number(data.vendors),
                count(data.configurations, t.n_configuration, t.n_configurations),
            )}
        </dl>
    };
    let done = data.live.published_at.is_some() && data.last_consent.is_some();
    view! {
        {head}
        {(!done && data.can_edit).then(|| checklist(&data))}
        {tiles}
        <section class="card" aria-labelledby="chart-title">
            <div class="card-head">
                <h2 id="chart-title">{t.consents_per_day}</h2>
                <a class="button button-small" href=format!("{base}/proofs")>{t.see_proofs}</a>
            </div>
            <div class="card-body">{daily_chart(&data.days)}</div>
        </section>
    }
    .into_any()
}

/// The steps to the first consent, in order.
fn checklist(data: &Overview) -> AnyView {
    let t = texts();
    let base = format!("/projects/{}", data.link.id);
    let widget = match &data.first_configuration {
        Some(id) => format!("{base}/widget/{id}"),
        None => format!("{base}/widget"),
    };
    let steps = [
        (
            t.todo_configuration,
            t.todo_configuration_text,
            data.configurations > 0,
            format!("{base}/widget"),
        ),
        (
            t.todo_services,
            t.todo_services_text,
            data.vendors > 0,
            widget,
        ),
        (
            t.todo_publish,
            t.todo_publish_text,
            data.live.published_at.is_some(),
            format!("{base}/publish"),
        ),
        (
            t.todo_install,
            t.todo_install_text,
            data.last_consent.is_some(),
            format!("{base}/install"),
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
            <div class="card-head"><h2 id="todo-title">{t.todo_title}</h2></div>
            <ol class="checklist">{items}</ol>
        </section>
    }
    .into_any()
}
