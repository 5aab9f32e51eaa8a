//! The project switcher: the projects by name, a search and the latest ones for people with many.

#![expect(
    clippy::unnecessary_wraps,
    reason = "a part may fail to load, and the function that is split off says so"
)]

mod finder;

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::finder::Found;
use crate::components::loading::error_message;
use crate::fns::projects::ProjectLink;
use crate::i18n::texts;
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::split;

/// Projects from which on there is a search.
const MANY: usize = 8;
/// Projects that were opened last and are shown above the others.
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
    // The open project is left out of the offers, so one more is kept.
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
    // Pointing at the menu, or the focus, fetches what it needs before it opens.
    let is_wanted = RwSignal::new(false);
    let wanted = move || {
        if !is_wanted.get_untracked() {
            is_wanted.set(true);
        }
    };
    let items = if links.len() < MANY {
        items(&links, current.as_deref())
    } else {
        many(links, current, is_wanted)
    };
    view! {
        <details class="menu switcher" on:toggle=move |_| wanted()>
            <summary on:pointerenter=move |_| wanted() on:focus=move |_| wanted()>{face} {icon(Icon::ChevronDown)}</summary>
            <div class="menu-panel">
                {items}
                {has_rule.then(|| view! { <div class="menu-rule"></div> })}
                <a class="menu-item" href=Page::Projects.path()>{icon(Icon::Grid)} {t.all_projects}</a>
                <a class="menu-item" href=Page::NewProject.path()>{icon(Icon::Plus)} {t.new_project}</a>
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
                href=Page::Overview.at(&[&link.id])
                aria-current=here.then_some("true")
            >
                <span class="avatar avatar-square" aria-hidden="true">{initial(&link.title)}</span>
                <span class="truncate">{link.title.clone()}</span>
            </a>
        }
    };
    links.iter().map(item).collect_view().into_any()
}

/// All projects, or those that a search finds. The search comes once it is wanted.
fn many(links: Vec<ProjectLink>, current: Option<String>, is_wanted: RwSignal<bool>) -> AnyView {
    let t = texts();
    let opened = current.clone();
    Effect::new(move |_| {
        if let Some(id) = &opened {
            remember(id);
        }
    });
    let found = RwSignal::new(Found::All);
    let here = current.clone();
    let search = move || {
        let here = here.clone();
        let view = move || split::now(finder(found, here.clone()));
        is_wanted.get().then(|| split::once_loaded(fetch(), view))
    };
    let list = move || {
        found.with(|found| match found {
            Found::All => items(&links, current.as_deref()),
            Found::Some(links) if links.is_empty() => {
                view! { <p class="menu-title" role="status">{t.no_project_fits}</p> }.into_any()
            }
            Found::Some(links) => items(links, current.as_deref()),
            Found::Failed(error) => {
                view! { <p class="menu-title" role="alert">{error_message(t, error)}</p> }
                    .into_any()
            }
        })
    };
    view! { {search} {list} }.into_any()
}

// Loaded when somebody with many projects points at the menu.
#[wasm_split(switcher, fallible, preload(fetch))]
fn finder(found: RwSignal<Found>, current: Option<String>) -> Result<AnyView, SplitLoaderError> {
    Ok(finder::finder(found, current))
}
