//! The search of the switcher, and the projects that were opened last.

use domain::search::MOST_CHARS;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{RECENT, items, recent};
use crate::components::debounce::debounced;
use crate::error::UiError;
use crate::fns::projects::{ProjectLink, find_projects, name_projects};
use crate::i18n::SiteTexts;

/// The projects that the switcher offers.
#[derive(Clone, Debug)]
pub enum Found {
    /// Nothing is searched for.
    All,
    Some(Vec<ProjectLink>),
    Failed(UiError),
}

/// The search, and the latest projects but the open one while nothing is searched for.
pub fn finder(found: RwSignal<Found>, current: Option<String>) -> AnyView {
    let w = SiteTexts::of_this_page();
    let latest = RwSignal::new(Vec::<ProjectLink>::new());
    let others: Vec<String> = recent()
        .into_iter()
        .filter(|id| current.as_ref() != Some(id))
        .take(RECENT)
        .collect();
    if !others.is_empty() {
        spawn_local(async move {
            // Without an answer the list of all is there.
            let named = name_projects(others.clone()).await.unwrap_or_default();
            let in_order = others.iter().filter_map(|id| {
                let mut named = named.iter();
                named.find(|link| link.id == *id).cloned()
            });
            let _ = latest.try_set(in_order.collect());
        });
    }
    let query = RwSignal::new(String::new());
    let settled = debounced(query);
    let asked = StoredValue::new(0_u32);
    Effect::new(move |_| {
        let words = settled.get();
        let number = asked.get_value() + 1;
        asked.set_value(number);
        if words.trim().is_empty() {
            found.set(Found::All);
            return;
        }
        spawn_local(async move {
            let answer = find_projects(words).await;
            // Another question came after it, or the page is gone.
            if asked.try_get_value() == Some(number) {
                let answer = answer.map_or_else(Found::Failed, |(links, _)| Found::Some(links));
                let _ = found.try_set(answer);
            }
        });
    });
    let latest = move || {
        let is_shown = found.with(|found| matches!(found, Found::All));
        let latest = latest.get();
        (is_shown && !latest.is_empty()).then(|| {
            view! {
                <p class="menu-title">{w.recent}</p>
                {items(&latest, None)}
                <div class="menu-rule"></div>
            }
        })
    };
    view! {
        <input
            class="input"
            type="search"
            maxlength=MOST_CHARS
            aria-label=w.find
            placeholder=w.find
            prop:value=query
            on:input=move |event| query.set(event_target_value(&event))
        />
        {latest}
    }
    .into_any()
}
