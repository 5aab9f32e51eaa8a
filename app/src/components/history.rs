//! Going back and forth through the changes of a draft.

use leptos::ev;
use leptos::prelude::*;
use serde_json::Value;

use super::draft::Draft;
use super::icon::{Icon, icon};
use crate::i18n::Texts;

/// The states for undo and redo.
#[derive(Clone, Copy)]
pub struct History {
    draft: Draft,
    past: RwSignal<Vec<Value>>,
    future: RwSignal<Vec<Value>>,
    /// The latest state that an entry was made of, and when.
    last: StoredValue<(Value, f64)>,
}

impl History {
    /// One entry for what is typed without a pause.
    const SPAN_MS: f64 = 900.0;
    const MOST: usize = 100;

    pub fn new(draft: Draft) -> Self {
        let history = Self {
            draft,
            past: RwSignal::new(Vec::new()),
            future: RwSignal::new(Vec::new()),
            last: StoredValue::new((draft.value_untracked(), 0.0)),
        };
        Effect::new(move |_| {
            let value = draft.value();
            let (before, at) = history.last.get_value();
            if before == value {
                return;
            }
            let now = js_sys::Date::now();
            if now - at > Self::SPAN_MS {
                history.past.update(|past| {
                    past.push(before);
                    let surplus = past.len().saturating_sub(Self::MOST);
                    past.drain(..surplus);
                });
            }
            history.future.update(Vec::clear);
            history.last.set_value((value, now));
        });
        history
    }

    fn step(self, from: RwSignal<Vec<Value>>, to: RwSignal<Vec<Value>>) {
        if let Some(Some(value)) = from.try_update(Vec::pop) {
            to.update(|to| to.push(self.draft.value_untracked()));
            self.last.set_value((value.clone(), 0.0));
            self.draft.replace(value);
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
