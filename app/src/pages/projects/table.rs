//! Projects as a table, which can be sorted, and published several at once.

use leptos::prelude::*;

use super::bulk::Bulk;
use super::{Asked, bare, live_badge};
use crate::components::layout::{Tone, badge};
use crate::components::table::sort_head;
use crate::components::time::ago;
use crate::fns::projects::{Day, ProjectCard, ProjectOrder, ProjectPage};
use crate::i18n::{ConcernTexts, SiteTexts, fill, number, percent, texts};
use crate::map::Page;

pub fn table(page: &ProjectPage, asked: &Asked, bulk: Bulk, foot: Option<AnyView>) -> AnyView {
    let (t, w) = (texts(), SiteTexts::of_this_page());
    let head = |order: ProjectOrder, label: &'static str, class: &'static str| {
        let is_sorted = asked.order == order;
        let direction = match order {
            ProjectOrder::Consents | ProjectOrder::Concerns => "descending",
            ProjectOrder::Name | ProjectOrder::Published => "ascending",
        };
        let to = Asked {
            order,
            page: 1,
            ..asked.clone()
        };
        let direction = is_sorted.then_some(direction);
        sort_head(label, class, direction, to.address(), None)
    };
    let ids = page.cards.iter().filter(|card| card.can_publish);
    let ids: Vec<String> = ids.map(|card| card.link.id.clone()).collect();
    let all = (!ids.is_empty()).then(|| checkbox(ids, w.choose_all.to_owned(), bulk));
    let rows = page.cards.iter().map(|card| row(card, bulk)).collect_view();
    view! {
        {bulk.bar()}
        <div class="card">
            <div class="table-scroll">
                <table class="table table-projects">
                    <thead>
                        <tr>
                            <th scope="col" class="tick">{all}</th>
                            {head(ProjectOrder::Name, t.project_title, "")}
                            <th scope="col">{w.state}</th>
                            {head(ProjectOrder::Concerns, w.attention, "wide-only")}
                            {head(ProjectOrder::Consents, w.week, "number")}
                            <th scope="col" class="number wide-only">{w.accepted}</th>
                            {head(ProjectOrder::Published, w.last_published, "wide-only")}
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
            {foot}
        </div>
    }
    .into_any()
}

fn row(card: &ProjectCard, bulk: Bulk) -> AnyView {
    let w = SiteTexts::of_this_page();
    let week = Day::sum(&card.week);
    let id = card.link.id.clone();
    let choice = card.can_publish.then(|| {
        let label = fill(w.choose, &[("title", &card.link.title)]);
        checkbox(vec![id.clone()], label, bulk)
    });
    let live = card.live;
    let state = move || bulk.state(&id).unwrap_or_else(|| live_badge(&live));
    let attention = || {
        let words = ConcernTexts::of_this_page();
        card.has_concerns.then(|| badge(Tone::Danger, words.title))
    };
    view! {
        <tr>
            <td class="tick">{choice}</td>
            <td>
                <p class="wrap-anywhere"><a href=Page::Overview.at(&[&card.link.id])>{card.link.title.clone()}</a></p>
                <p class="muted small wrap-anywhere">{bare(&card.link.site)}</p>
                <p class="narrow-only">{attention()}</p>
            </td>
            <td><span class="row" aria-live="polite">{state}</span></td>
            <td class="wide-only">{attention()}</td>
            <td class="number figure">{number(week.total())}</td>
            <td class="number figure wide-only">{(week.total() > 0).then(|| percent(week.accepted, week.total()))}</td>
            <td class="wide-only">{live.published_at.map_or_else(|| w.never.into_any(), ago)}</td>
        </tr>
    }
    .into_any()
}

/// Chooses projects by their ids. These lie in the handlers, not in the page's arena: the rows may be gone when their
/// choice is forgotten.
fn checkbox(ids: Vec<String>, label: String, bulk: Bulk) -> AnyView {
    let of_box = ids.clone();
    view! {
        <input
            type="checkbox"
            aria-label=label
            prop:checked=move || bulk.has_all(&of_box)
            disabled=move || bulk.is_busy()
            on:change=move |event| bulk.choose(&ids, event_target_checked(&event))
        />
    }
    .into_any()
}
