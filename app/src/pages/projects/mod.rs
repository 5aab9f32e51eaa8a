//! The first page: every project at a glance, and making one.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::components::Form;
use leptos_router::hooks::{use_navigate, use_query_map};
use serde_json::json;

use crate::components::chart::spark;
use crate::components::draft::Draft;
use crate::components::field::text;
use crate::components::form::Form;
use crate::components::icon::{Icon, icon};
use crate::components::layout::{Tone, badge, notice, page_head};
use crate::components::loading::{empty_state, loaded, table_skeleton};
use crate::components::table::pager;
use crate::fns::documents::{Document, create_document};
use crate::fns::organizations::organizations_waiting;
use crate::fns::projects::{Day, Live, ProjectCard, ProjectPage, project_cards};
use crate::frame::Rail;
use crate::i18n::{ConcernTexts, Texts, count, fill, number, percent, texts};
use crate::session::percent_encode;

pub fn list() -> AnyView {
    let t = texts();
    let query = use_query_map();
    let asked = Memo::new(move |_| {
        query.with(|query| {
            let text = query.get("q").unwrap_or_default().trim().to_owned();
            let page = query
                .get("page")
                .and_then(|page| page.parse::<u32>().ok())
                .unwrap_or(1);
            (text, page)
        })
    });
    let data = Resource::new(
        move || asked.get(),
        |(text, page)| project_cards(text, page),
    );
    let waiting = Resource::new(|| (), |()| organizations_waiting());
    let new = move || {
        view! {
            <a class="button button-primary" href="/projects/new">
                {icon(Icon::Plus)}
                {t.new_project}
            </a>
        }
        .into_any()
    };
    let content = loaded(data, table_skeleton, move |page: ProjectPage| {
        let (text, _) = asked.get_untracked();
        if page.cards.is_empty() && text.is_empty() {
            return view! {
                <div class="card">
                    {empty_state(Icon::Shield, t.no_projects_title, t.no_projects_text, new())}
                </div>
            }
            .into_any();
        }
        let many = page.total > u64::from(page.per_page) || !text.is_empty();
        let cards = if page.cards.is_empty() {
            let clear = view! { <a class="button" href="/">{t.clear_filter}</a> };
            view! {
                <div class="card">
                    {empty_state(Icon::Search, t.nothing_fits_title, t.no_project_fits, clear.into_any())}
                </div>
            }
            .into_any()
        } else {
            view! { <div class="cards">{page.cards.iter().map(card).collect_view()}</div> }
                .into_any()
        };
        let address = move |number: u32| format!("/?q={}&page={number}", percent_encode(&text));
        view! {
            {many.then(|| search(t, asked.get_untracked().0))}
            {cards}
            {(page.total > u64::from(page.per_page)).then(|| pager(page.page, page.per_page, page.total, address))}
        }
        .into_any()
    });
    view! {
        <div class="page">
            {page_head(t.projects, t.projects_text, new())}
            {loaded(waiting, || ().into_any(), second_factor_awaited)}
            {content}
        </div>
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
    let content = view! { <p>{text} " " <a href="/account">{t.second_factor_begin}</a></p> };
    notice(Tone::Warn, content)
}

fn search(t: &'static Texts, text: String) -> AnyView {
    view! {
        <Form method="GET" action="/" attr:class="row" attr:role="search">
            <div class="input-icon grow">
                {icon(Icon::Search)}
                <input
                    class="input"
                    type="search"
                    name="q"
                    aria-label=t.search_projects
                    placeholder=t.search_projects
                    value=text
                />
            </div>
            <button class="button">{t.search}</button>
        </Form>
    }
    .into_any()
}

/// Draft, live, or changed since.
pub fn live_badge(live: &Live) -> AnyView {
    let t = texts();
    match (live.published_at, live.waiting) {
        (None, _) => badge(Tone::Neutral, t.not_live),
        (Some(_), 0) => badge(Tone::Ok, t.live),
        (Some(_), n) => badge(Tone::Warn, count(n, t.change_waiting, t.changes_waiting)),
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
                    <h2 class="truncate"><a href=format!("/projects/{}", card.link.id)>{card.link.title.clone()}</a></h2>
                    {card.has_concerns.then(|| badge(Tone::Danger, ConcernTexts::of_this_page().title))}
                    {live_badge(&card.live)}
                </div>
                <p class="muted small truncate">{bare(&card.link.site)}</p>
            </div>
            <div class="project-figures">
                <div>
                    <p class="strong figure">{percent(accepted, total)} " " {t.accepted_lower}</p>
                    <p class="muted small figure">{number(total)} " " {t.consents_in_7_days}</p>
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

pub fn create() -> AnyView {
    let t = texts();
    let draft = Draft::new(json!({}));
    let navigate = use_navigate();
    let rail = Rail::refresher();
    let send = |sent| create_document(Collection::Projects, with_scheme(sent));
    let made = move |project: Document| {
        rail();
        let path = format!("/projects/{}", project.id);
        navigate(&path, NavigateOptions::default());
    };
    let fields = view! {
        {text(draft, "/title", t.project_title).hint(t.project_title_hint).view()}
        {text(draft, "/websiteURL", t.site).kind("url").placeholder("https://shop.example").hint(t.site_hint).view()}
    };
    let cancel = view! { <a class="button button-quiet" href="/">{t.cancel}</a> };
    let form = Form::sending(draft, t.create_project, send, made)
        .class("form card card-pad")
        .beside(cancel.into_any())
        .view(fields.into_any());
    view! {
        <div class="page page-narrow">
            {page_head(t.new_project, t.new_project_text, ())}
            {form}
        </div>
    }
    .into_any()
}

/// People type `shop.example`; the API wants an address.
fn with_scheme(mut project: serde_json::Value) -> serde_json::Value {
    if let Some(site) = project.get_mut("websiteURL")
        && let Some(text) = site.as_str().map(str::trim)
    {
        *site = if text.contains("://") || text.is_empty() {
            text.into()
        } else {
            format!("https://{text}").into()
        };
    }
    project
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_host_becomes_an_address() {
        assert_eq!(
            with_scheme(json!({"websiteURL": "shop.example"}))["websiteURL"],
            "https://shop.example"
        );
        assert_eq!(
            with_scheme(json!({"websiteURL": "http://a/"}))["websiteURL"],
            "http://a/"
        );
        assert_eq!(with_scheme(json!({})), json!({}));
        assert_eq!(bare("https://shop.example/"), "shop.example");
    }
}
