//! The first page: every project at a glance.

mod begin;
mod bulk;
mod table;

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;

pub use self::begin::create;
use self::bulk::Bulk;

use crate::address::{address, page_number};
use crate::components::chart::spark;
use crate::components::following::following;
use crate::components::layout::{Tone, badge, notice, page_head};
use crate::components::loading::{empty_state, loaded, table_skeleton};
use crate::components::search::Search;
use crate::components::table::{has_pager, pager};
use crate::fns::organizations::organizations_waiting;
use crate::fns::projects::{Day, Live, ProjectCard, ProjectOrder, ProjectPage, project_cards};
use crate::i18n::{ConcernTexts, SiteTexts, Texts, count, fill, percent, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

/// Projects from which on there is something to search and to sort.
const SOME: u64 = 4;

/// The list that the address names.
#[derive(Clone, Debug, PartialEq)]
struct Asked {
    text: String,
    page: u32,
    order: ProjectOrder,
    /// Cards or a table; `None` goes by the number of projects.
    table: Option<bool>,
}

impl Asked {
    /// Words of the address for orders, the usual one first.
    const ORDERS: [(ProjectOrder, &'static str); 4] = [
        (ProjectOrder::Name, ""),
        (ProjectOrder::Consents, "consents"),
        (ProjectOrder::Concerns, "attention"),
        (ProjectOrder::Published, "published"),
    ];

    fn of(query: &ParamsMap) -> Self {
        let word = |name: &str| query.get(name).unwrap_or_default();
        let sort = word("sort");
        let order = Self::ORDERS.iter().find(|(_, word)| *word == sort);
        Self {
            text: word("q").trim().to_owned(),
            page: word("page").parse().unwrap_or(1),
            order: order.map_or_else(ProjectOrder::default, |(order, _)| *order),
            table: match word("view").as_str() {
                "table" => Some(true),
                "cards" => Some(false),
                _ => None,
            },
        }
    }

    fn sort(&self) -> &'static str {
        let order = Self::ORDERS.iter().find(|(order, _)| *order == self.order);
        order.map_or("", |(_, word)| word)
    }

    fn view(&self) -> &'static str {
        match self.table {
            None => "",
            Some(true) => "table",
            Some(false) => "cards",
        }
    }

    fn address(&self) -> String {
        address(
            Page::Projects.path(),
            &[
                ("q", &self.text),
                ("sort", self.sort()),
                ("view", self.view()),
                ("page", &page_number(self.page)),
            ],
        )
    }
}

pub fn list() -> AnyView {
    let t = texts();
    let query = use_query_map();
    let asked = Memo::new(move |_| query.with(Asked::of));
    let data = following(
        move || asked.get(),
        |asked| project_cards(asked.text, asked.page, asked.order),
    );
    let waiting = Resource::new(|| (), |()| organizations_waiting());
    let bulk = Bulk::default();
    let content = loaded(data, table_skeleton, move |page: ProjectPage| {
        bulk.forget();
        content(&page, &asked.get_untracked(), bulk)
    });
    view! {
        <div class="page">
            {page_head(t.projects, t.projects_text, new_project(t))}
            {loaded(waiting, || ().into_any(), second_factor_awaited)}
            {content}
        </div>
    }
    .into_any()
}

fn new_project(t: &'static Texts) -> AnyView {
    view! {
        <a class="button button-primary" href=Page::NewProject.path()>
            {icon(Icon::Plus)}
            {t.new_project}
        </a>
    }
    .into_any()
}

fn content(page: &ProjectPage, asked: &Asked, bulk: Bulk) -> AnyView {
    let t = texts();
    if page.total == 0 && asked.text.is_empty() {
        return view! {
            <div class="card">
                {empty_state(Icon::Shield, t.no_projects_title, t.no_projects_text, new_project(t))}
            </div>
        }
        .into_any();
    }
    let has_pages = has_pager(page.page, page.per_page, page.total);
    let is_table = asked.table.unwrap_or(has_pages);
    let foot = has_pages.then(|| {
        pager(page.page, page.per_page, page.total, |page| {
            let asked = asked.clone();
            Asked { page, ..asked }.address()
        })
    });
    let list = if page.total == 0 {
        let all = Asked {
            text: String::new(),
            page: 1,
            ..asked.clone()
        };
        let clear = view! { <a class="button" href=all.address()>{t.clear_filter}</a> };
        view! {
            <div class="card">
                {empty_state(Icon::Search, t.nothing_fits_title, t.no_project_fits, clear.into_any())}
            </div>
        }
        .into_any()
    } else if is_table {
        table::table(page, asked, bulk, foot)
    } else {
        view! {
            <div class="cards">{page.cards.iter().map(card).collect_view()}</div>
            {foot}
        }
        .into_any()
    };
    let is_narrowed = !asked.text.is_empty();
    view! {
        {(page.total >= SOME || is_narrowed).then(|| tools(asked, is_table))}
        {list}
    }
    .into_any()
}

/// Says that projects of organizations are missing from the list, and the way to them.
fn second_factor_awaited(organizations: Vec<String>) -> AnyView {
    let t = texts();
    if organizations.is_empty() {
        return ().into_any();
    }
    let text = fill(
        t.second_factor_awaited_by,
        &[("names", &organizations.join(", "))],
    );
    let content =
        view! { <p>{text} " " <a href=Page::Account.path()>{t.second_factor_begin}</a></p> };
    notice(Tone::Warn, content)
}

/// The search, the order of cards, and the choice between cards and a table.
fn tools(asked: &Asked, is_table: bool) -> AnyView {
    let (t, w) = (texts(), SiteTexts::of_this_page());
    let link = |is_on: bool, to: Asked, label: &'static str| {
        let current = is_on.then_some("true");
        view! { <a href=to.address() aria-current=current>{label}</a> }
    };
    // A table is sorted by its heads.
    let order = (!is_table).then(|| {
        let words = [w.by_name, w.by_consents, w.by_concerns, w.by_published];
        let links = Asked::ORDERS.iter().zip(words).map(|((order, _), label)| {
            let to = Asked {
                order: *order,
                page: 1,
                ..asked.clone()
            };
            link(asked.order == *order, to, label)
        });
        view! { <nav class="segments" aria-label=w.order>{links.collect_view()}</nav> }
    });
    let views = [(false, w.cards), (true, w.table)].map(|(table, label)| {
        let to = Asked {
            table: Some(table),
            ..asked.clone()
        };
        link(is_table == table, to, label)
    });
    let search = Search {
        action: Page::Projects.path().to_owned(),
        name: "q",
        label: t.search_projects,
        text: asked.text.clone(),
        kept: vec![("sort", asked.sort()), ("view", asked.view())],
        order: ().into_any(),
        whole: None,
    };
    view! {
        <div class="stack">
            {search.view()}
            <div class="row-between">
                <nav class="segments" aria-label=w.view>{views.collect_view()}</nav>
                {order}
            </div>
        </div>
    }
    .into_any()
}

/// Draft, live, or changed since.
pub fn live_badge(live: &Live) -> AnyView {
    let t = texts();
    match (live.published_at, live.waiting) {
        (None, _) => badge(Tone::Neutral, t.not_live),
        (Some(_), None) => badge(Tone::Warn, t.too_large),
        (Some(_), Some(0)) => badge(Tone::Ok, t.live),
        (Some(_), Some(n)) => badge(Tone::Warn, count(n, t.change_waiting, t.changes_waiting)),
    }
}

fn card(card: &ProjectCard) -> AnyView {
    let t = texts();
    let total: u64 = card.week.iter().map(Day::total).sum();
    let accepted: u64 = card.week.iter().map(|day| day.accepted).sum();
    view! {
        <article class="card project-card">
            <div class="stack-tight">
                <div class="row-between">
                    <h2 class="truncate"><a href=Page::Overview.at(&[&card.link.id])>{card.link.title.clone()}</a></h2>
                    {card.has_concerns.then(|| badge(Tone::Danger, ConcernTexts::of_this_page().title))}
                    {live_badge(&card.live)}
                </div>
                <p class="muted small truncate">{bare(&card.link.site)}</p>
            </div>
            <div class="project-figures">
                <div>
                    <p class="strong figure">{percent(accepted, total)} " " {t.accepted_lower}</p>
                    <p class="muted small figure">{count(total, t.consent_in_7_days, t.consents_in_7_days)}</p>
                </div>
                {(total > 0).then(|| spark(&card.week))}
            </div>
        </article>
    }
    .into_any()
}

/// An address without what every address has.
pub fn bare(url: &str) -> String {
    let rest = url
        .strip_prefix("https://")
        .or_else(|| url.strip_prefix("http://"))
        .unwrap_or(url);
    rest.trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_bare() {
        assert_eq!(bare("https://shop.example/"), "shop.example");
    }
}
