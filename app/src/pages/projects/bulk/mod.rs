//! The projects that are chosen to be published together.

#![expect(
    clippy::unnecessary_wraps,
    reason = "a part may fail to load, and the function that is split off says so"
)]

mod bar;

use std::collections::{BTreeMap, BTreeSet};

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::components::layout::{Tone, badge};
use crate::i18n::SiteTexts;
use crate::map::Page;
use crate::split;

/// The projects of the table that are chosen, and the publishing of them.
#[derive(Clone, Copy, Default)]
pub struct Bulk {
    chosen: RwSignal<BTreeSet<String>>,
    states: RwSignal<BTreeMap<String, State>>,
    is_busy: RwSignal<bool>,
    stops: RwSignal<bool>,
}

/// The state of a project that is published with others.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Waits,
    Runs,
    Done,
    /// A second person must approve.
    Asked,
    /// The reason in words.
    Failed(String),
}

impl Bulk {
    /// Forgets the choice and what came of earlier ones, for other rows. Nothing that runs is stopped.
    pub fn forget(self) {
        if !self.is_busy.get_untracked() {
            self.chosen.set(BTreeSet::new());
            self.states.set(BTreeMap::new());
        }
    }

    pub fn is_busy(self) -> bool {
        self.is_busy.get()
    }

    /// True if all of these are chosen.
    pub fn has_all(self, ids: &[String]) -> bool {
        self.chosen
            .with(|chosen| ids.iter().all(|id| chosen.contains(id)))
    }

    /// Chooses projects, or takes them out.
    pub fn choose(self, ids: &[String], is_chosen: bool) {
        self.chosen.update(|chosen| {
            for id in ids {
                if is_chosen {
                    chosen.insert(id.clone());
                } else {
                    chosen.remove(id);
                }
            }
        });
    }

    /// The state of a project that was chosen, where it has one.
    pub fn state(self, id: &str) -> Option<AnyView> {
        let w = SiteTexts::of_this_page();
        let state = self.states.with(|states| states.get(id).cloned())?;
        Some(match state {
            State::Waits => badge(Tone::Neutral, w.waits),
            State::Runs => view! {
                <span class="spinner" aria-hidden="true"></span>
                {w.runs}
            }
            .into_any(),
            State::Done => badge(Tone::Ok, w.done),
            State::Asked => badge(Tone::Warn, w.asked),
            State::Failed(why) => view! {
                {badge(Tone::Danger, w.failed)}
                <span class="small">{why} " " <a href=Page::Publish.at(&[&id])>{w.look}</a></span>
            }
            .into_any(),
        })
    }

    /// True while there is a choice, or publishing goes on.
    fn is_shown(self) -> bool {
        self.is_busy() || self.chosen.with(|chosen| !chosen.is_empty())
    }

    /// The bar of the chosen projects, from the first choice on.
    pub fn bar(self) -> AnyView {
        let was_shown = Memo::new(move |was: Option<&bool>| was == Some(&true) || self.is_shown());
        let view = move || split::now(bar(self));
        view! {
            {move || was_shown.get().then(|| split::once_loaded(fetch(), view))}
        }
        .into_any()
    }
}

// Loaded with the first choice: most visits choose none.
#[wasm_split(bulk, fallible, preload(fetch))]
fn bar(bulk: Bulk) -> Result<AnyView, SplitLoaderError> {
    Ok(bar::bar(bulk))
}
