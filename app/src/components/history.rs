//! Going back and forth through the changes of a page's drafts.

use leptos::ev;
use leptos::prelude::*;
use serde_json::Value;

use super::draft::Draft;
use super::icon::{Icon, icon};
use crate::i18n::Texts;

/// The states for undo and redo, each with the index of its draft.
#[derive(Clone, Copy)]
pub struct History {
    drafts: StoredValue<Vec<Draft>>,
    past: RwSignal<Vec<(usize, Value)>>,
    future: RwSignal<Vec<(usize, Value)>>,
    /// For each draft the latest state that an entry was made of.
    seen: StoredValue<Vec<Value>>,
    /// The draft that was changed last, and when.
    last: StoredValue<(usize, f64)>,
}

impl History {
    /// One entry for what is typed without a pause.
    const SPAN_MS: f64 = 900.0;
    const MOST: usize = 100;

    pub fn new(drafts: Vec<Draft>) -> Self {
        let seen = drafts.iter().map(|draft| draft.value_untracked()).collect();
        let history = Self {
            drafts: StoredValue::new(drafts.clone()),
            past: RwSignal::new(Vec::new()),
            future: RwSignal::new(Vec::new()),
            seen: StoredValue::new(seen),
            last: StoredValue::new((0, 0.0)),
        };
        for (index, draft) in drafts.into_iter().enumerate() {
            Effect::new(move |_| history.note(index, draft.value()));
        }
        history
    }

    fn note(self, index: usize, value: Value) {
        let before = self.seen.with_value(|seen| seen.get(index).cloned());
        let Some(before) = before.filter(|before| *before != value) else {
            return;
        };
        let now = js_sys::Date::now();
        let (last, at) = self.last.get_value();
        if last != index || now - at > Self::SPAN_MS {
            self.past.update(|past| {
                past.push((index, before));
                let surplus = past.len().saturating_sub(Self::MOST);
                past.drain(..surplus);
            });
        }
        self.future.update(Vec::clear);
        self.see(index, value, now);
    }

    fn see(self, index: usize, value: Value, at: f64) {
        self.seen.update_value(|seen| {
            if let Some(seen) = seen.get_mut(index) {
                *seen = value;
            }
        });
        self.last.set_value((index, at));
    }

    fn step(self, from: RwSignal<Vec<(usize, Value)>>, to: RwSignal<Vec<(usize, Value)>>) {
        let Some(Some((index, value))) = from.try_update(Vec::pop) else {
            return;
        };
        let draft = self.drafts.with_value(|drafts| drafts.get(index).copied());
        if let Some(draft) = draft {
            to.update(|to| to.push((index, draft.value_untracked())));
            self.see(index, value.clone(), 0.0);
            draft.replace(value);
        }
    }

    fn undo(self) {
        self.step(self.past, self.future);
    }

    fn redo(self) {
        self.step(self.future, self.past);
    }

    /// Ctrl+Z outside of fields; inside, the browser's own undo is the better one.
    pub fn keys(self) {
        use wasm_bindgen::JsCast;
        Effect::new(move |_| {
            let listener = window_event_listener(ev::keydown, move |event| {
                let in_field = event
                    .target()
                    .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
                    .is_some_and(|element| {
                        let fields = "input, textarea, select, [contenteditable]";
                        element.matches(fields).unwrap_or(false)
                    });
                if in_field || !(event.ctrl_key() || event.meta_key()) {
                    return;
                }
                match (event.key().to_ascii_lowercase().as_str(), event.shift_key()) {
                    ("z", false) => self.undo(),
                    ("z", true) | ("y", false) => self.redo(),
                    _ => return,
                }
                event.prevent_default();
            });
            on_cleanup(move || listener.remove());
        });
    }

    pub fn buttons(self, t: &'static Texts) -> AnyView {
        view! {
            <button
                type="button"
                class="button button-quiet button-icon"
                aria-label=t.undo
                title=t.undo
                disabled=move || self.past.with(Vec::is_empty)
                on:click=move |_| self.undo()
            >
                {icon(Icon::Undo)}
            </button>
            <button
                type="button"
                class="button button-quiet button-icon"
                aria-label=t.redo
                title=t.redo
                disabled=move || self.future.with(Vec::is_empty)
                on:click=move |_| self.redo()
            >
                {icon(Icon::Redo)}
            </button>
        }
        .into_any()
    }
}
