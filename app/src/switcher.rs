//! The project switcher: the projects by name, a search and the latest ones for people with many.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::debounce::debounced;
use crate::components::icon::{Icon, icon};
use crate::components::loading::error_message;
use crate::error::UiError;
use crate::fns::projects::{ProjectLink, find_projects, name_projects};
use crate::i18n::{SiteTexts, texts};

/// Projects from which on there is a search.
const MANY: usize = 8;
/// Projects that were opened last and are shown on top.
const RECENT: usize = 4;
/// Name of the browser's memory for their ids.
const MEMORY: &str = "placet_recent";

/// The first letter of a name, for its picture.
pub fn initial(name: &str) -> String {
    name.chars().next().map(String::from).unwrap_or_default()
}

/// The ids of the projects that this browser opened last, the latest first.
fn recent() -> Vec<String> {
    let memory = window().local_storage().ok().flatten();
    let ids = memory.and_then(|memory| memory.get_item(MEMORY).ok().flatten());
    let ids = ids.unwrap_or_default();
    ids.split_whitespace().map(str::to_owned).collect()
}

/// Puts a project on top of those that were opened last.
fn remember(id: &str) {
    let others = recent().into_iter().filter(|other| other != id);
    // The one that is open is not offered.
    let ids: Vec<String> = std::iter::once(id.to_owned())
        .chain(others)
        .take(RECENT + 1)
        .collect();
    if let Some(memory) = window().local_storage().ok().flatten() {
        let _ = memory.set_item(MEMORY, &ids.join(" "));
    }
}

pub fn view(links: Vec<ProjectLink>, current: Option<ProjectLink>) -> AnyView {
    let t = texts();
    let face = match &current {
        Some(link) => view! {
            <span class="avatar avatar-square" aria-hidden="true">{initial(&link.title)}</span>
            <span class="quiet">{t.switch_project}</span>
            <span class="truncate strong">{link.title.clone()}</span>
        }
        .into_any(),
        None => view! {
            {icon(Icon::Grid)}
            <span class="truncate strong">{t.all_projects}</span>
        }
        .into_any(),
    };
    let current = current.map(|current| current.id);
    let has_rule = !links.is_empty();
    let items = if links.len() < MANY {
        items(&links, current.as_deref())
    } else {
        many(links, current)
    };
    view! {
        <details class="menu switcher">
            <summary>{face} {icon(Icon::ChevronDown)}</summary>
            <div class="menu-panel">
                {items}
                {has_rule.then(|| view! { <div class="menu-rule"></div> })}
                <a class="menu-item" href="/">{icon(Icon::Grid)} {t.all_projects}</a>
                <a class="menu-item" href="/projects/new">{icon(Icon::Plus)} {t.new_project}</a>
            </div>
        </details>
    }
    .into_any()
}

fn items(links: &[ProjectLink], current: Option<&str>) -> AnyView {
    let item = |link: &ProjectLink| {
        let here = current == Some(link.id.as_str());
        view! {
            <a
                class="menu-item"
                href=format!("/projects/{}", link.id)
                aria-current=here.then_some("true")
            >
                <span class="avatar avatar-square" aria-hidden="true">{initial(&link.title)}</span>
                <span class="truncate">{link.title.clone()}</span>
            </a>
        }
    };
    links.iter().map(item).collect_view().into_any()
}

/// A search, the projects that were opened last, and all.
fn many(links: Vec<ProjectLink>, current: Option<String>) -> AnyView {
    let (t, w) = (texts(), SiteTexts::of_this_page());
    let latest = RwSignal::new(Vec::<ProjectLink>::new());
    let opened = current.clone();
    Effect::new(move |_| {
        let ids = recent();
        if let Some(id) = &opened {
            remember(id);
        }
        let others: Vec<String> = ids
            .into_iter()
            .filter(|id| opened.as_ref() != Some(id))
            .take(RECENT)
            .collect();
        if others.is_empty() {
            return;
        }
        spawn_local(async move {
            // Without an answer the list of all is there.
            let named = name_projects(others.clone()).await.unwrap_or_default();
            let in_order = others.iter().filter_map(|id| {
                let mut named = named.iter();
                named.find(|link| link.id == *id).cloned()
            });
            let _ = latest.try_set(in_order.collect());
        });
    });
    let query = RwSignal::new(String::new());
    let settled = debounced(query);
    let found = RwSignal::new(None::<Result<Vec<ProjectLink>, UiError>>);
    let asked = StoredValue::new(0_u32);
    Effect::new(move |_| {
        let words = settled.get();
        let number = asked.get_value() + 1;
        asked.set_value(number);
        if words.trim().is_empty() {
            found.set(None);
            return;
        }
        spawn_local(async move {
            let answer = find_projects(words).await;
            // Another question came after it, or the page is gone.
            if asked.try_get_value() == Some(number) {
                let _ = found.try_set(Some(answer.map(|(found, _)| found)));
            }
        });
    });
    let list = move || {
        let current = current.as_deref();
        match found.get() {
            Some(Ok(found)) if found.is_empty() => {
                view! { <p class="menu-title" role="status">{t.no_project_fits}</p> }.into_any()
            }
            Some(Ok(found)) => items(&found, current),
            Some(Err(error)) => {
                view! { <p class="menu-title" role="alert">{error_message(t, &error)}</p> }
                    .into_any()
            }
            None => {
                let recent = latest.get();
                let recent = (!recent.is_empty()).then(|| {
                    view! {
                        <p class="menu-title">{w.recent}</p>
                        {items(&recent, None)}
                        <div class="menu-rule"></div>
                    }
                });
                view! { {recent} {items(&links, current)} }.into_any()
            }
        }
    };
    view! {
        <input
            class="input"
            type="search"
            maxlength="200"
            aria-label=w.find
            placeholder=w.find
            prop:value=query
            on:input=move |event| query.set(event_target_value(&event))
        />
        {list}
    }
    .into_any()
}
