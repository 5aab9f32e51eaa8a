//! The audit log of a project: who did what, and when.

use domain::audit::Action;
use domain::role::Role;
use domain::search::MOST_CHARS;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::collections::kind;
use super::project_id;
use crate::components::download::file_form;
use crate::components::following::following;
use crate::components::layout::page_head;
use crate::components::listing::{Shown, listing_of_address};
use crate::components::loading::{empty_state, loaded, table_skeleton};
use crate::components::role::role_name;
use crate::components::search::{filters, of_address};
use crate::components::time::ago;
use crate::fns::audit::{AuditPage, By, EXPORT, Entry, audit};
use crate::fns::listing::Listing;
use crate::i18n::{AuditTexts, ListingTexts, Texts, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

pub fn page() -> AnyView {
    let t = texts();
    let words = AuditTexts::of_this_page();
    let project = project_id();
    let query = use_query_map();
    let action = Memo::new(move |_| {
        let word = query.with(|query| query.get("action").unwrap_or_default());
        Action::parse(&word)
    });
    let listing = listing_of_address();
    let found = following(
        move || (project.get(), action.get(), listing.get()),
        |(project, action, listing)| audit(project, action, listing),
    );
    let content = loaded(found, table_skeleton, move |page: AuditPage| {
        let project = project.get_untracked();
        let (action, listing) = (action.get_untracked(), listing.get_untracked());
        let base = Page::Audit.at(&[&project]);
        let list = Shown {
            base: &base,
            listing: &listing,
            kept: vec![("action", action.map_or("", Action::as_str))],
            per_page: page.per_page,
            total: page.total,
        };
        if list.is_empty() && action.is_none() {
            return view! {
                <div class="card">
                    {empty_state(Icon::Eye, words.empty_title, words.empty_text, ().into_any())}
                </div>
            }
            .into_any();
        }
        view! {
            <div class="card">
                {filter(t, words, &list, action)}
                {export(words, &project, action, listing.text.clone())}
                {table(t, words, &list, &page.items)}
            </div>
        }
        .into_any()
    });
    view! {
        <div class="page">
            {page_head(t.audit, view! { {words.text} " " {words.hourly} }, ())}
            {content}
        </div>
    }
    .into_any()
}

fn filter(
    t: &'static Texts,
    words: &'static AuditTexts,
    list: &Shown<'_>,
    chosen: Option<Action>,
) -> AnyView {
    let w = ListingTexts::of_this_page();
    let is_narrowed = chosen.is_some() || list.is_searched();
    let (base, text) = (list.base.to_owned(), list.listing.text.clone());
    let clear = is_narrowed.then(|| {
        view! { <a class="button button-quiet" href=base.clone()>{t.clear_filter}</a> }
    });
    let oldest = list.listing.is_oldest_first().then(|| {
        view! { <input type="hidden" name="sort" value=Listing::OLDEST /> }
    });
    let options = Action::ALL.iter().map(move |action| {
        let selected = chosen == Some(*action);
        view! { <option value=action.as_str() selected=selected>{words.action(*action)}</option> }
    });
    let fields = view! {
            <div class="field">
                <label for="filter-q">{t.search}</label>
                <input
                    class="input"
                    id="filter-q"
                    type="search"
                    name="q"
                    maxlength=MOST_CHARS
                    value=text.clone()
                    use:of_address=text
                    placeholder=w.search_audit
                    title=w.search_audit
                />
            </div>
            <div class="field">
                <label for="filter-action">{words.what}</label>
                <span class="select">
                    <select class="input" id="filter-action" name="action">
                        <option value="">{words.any}</option>
                        {options.collect_view()}
                    </select>
                    {icon(Icon::ChevronDown)}
                </span>
            </div>
            {oldest}
            <div class="row">
                <button class="button">{icon(Icon::Search)} {t.filter}</button>
                {clear}
            </div>
    };
    filters(base, "filters", t.filter, fields)
}

/// A button for the entries that are listed, as a file.
fn export(
    words: &'static AuditTexts,
    project: &str,
    action: Option<Action>,
    text: String,
) -> AnyView {
    let action = action.map_or("", Action::as_str);
    let fields = view! {
        <input type="hidden" name="project" value=project.to_owned() />
        <input type="hidden" name="action" value=action />
        <input type="hidden" name="q" value=text />
        <button class="button button-small">{words.export}</button>
    };
    file_form(EXPORT, "card-pad", fields.into_any())
}

fn table(
    t: &'static Texts,
    words: &'static AuditTexts,
    list: &Shown<'_>,
    entries: &[Entry],
) -> AnyView {
    if list.total == 0 && list.is_searched() {
        return list.nothing_fits();
    }
    if list.total == 0 {
        return empty_state(
            Icon::Search,
            words.none_title,
            words.none_text,
            ().into_any(),
        );
    }
    let rows = entries
        .iter()
        .map(|entry| row(t, words, entry))
        .collect_view();
    view! {
        <div class="table-scroll">
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">{words.what}</th>
                        <th scope="col">{words.who}</th>
                        {list.time_head(words.when)}
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {list.pages()}
    }
    .into_any()
}

fn row(t: &'static Texts, words: &'static AuditTexts, entry: &Entry) -> AnyView {
    let who = match &entry.by {
        By::Account(address) => address.clone(),
        By::Gone => words.gone.to_owned(),
        By::Placet if entry.action == Action::VisitorsErased => words.visitors.to_owned(),
        By::Placet => words.placet.to_owned(),
    };
    let key = entry.key.as_ref().map(|name| {
        let name = if name.is_empty() {
            words.revoked_key
        } else {
            name
        };
        let text = format!("{}: {name}", words.by_key);
        view! { <p class="hint wrap-anywhere">{text}</p> }
    });
    let subject: Vec<String> = [
        entry
            .collection
            .map(|collection| kind(t, collection).to_owned()),
        Some(entry.title.clone()).filter(|title| !title.is_empty()),
    ]
    .into_iter()
    .flatten()
    .collect();
    let details: Vec<String> = entry
        .details
        .iter()
        .map(|detail| match Role::parse(detail) {
            Some(role) => role_name(t, role).to_owned(),
            None => detail.clone(),
        })
        .collect();
    view! {
        <tr>
            <td>
                <p class="strong">{words.action(entry.action)}</p>
                {(!subject.is_empty())
                    .then(|| view! { <p class="wrap-anywhere">{subject.join(": ")}</p> })}
                {(!details.is_empty())
                    .then(|| view! { <p class="hint wrap-anywhere">{details.join(", ")}</p> })}
            </td>
            <td>
                <p class="wrap-anywhere">{who}</p>
                {key}
            </td>
            <td>{ago(entry.at)}</td>
        </tr>
    }
    .into_any()
}
