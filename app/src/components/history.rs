//! Going back and forth through the changes of a page's drafts, also after leaving the page and coming back.

use std::cell::RefCell;

use leptos::ev;
use leptos::prelude::*;
use serde_json::Value;

use super::draft::Draft;
use super::save::Saver;
use crate::i18n::Texts;
use crate::icon::{Icon, icon};

/// States of drafts, each with the index of its draft.
type States = Vec<(usize, Value)>;

/// The changes of a page that somebody has left.
struct Left {
    /// Ids of the documents.
    documents: Vec<String>,
    /// The documents as they were then.
    seen: Vec<Value>,
    past: States,
    future: States,
}

thread_local! {
    /// The pages that were left last, in this order. Browsers alone keep them: a thread of the server works for many
    /// people.
    static LEFT: RefCell<Vec<Left>> = const { RefCell::new(Vec::new()) };
}

impl Left {
    /// Pages that are kept, and the states of each: a state is a whole document.
    const MOST: usize = 3;
    const MOST_STATES: usize = 20;

    fn keep(mut self) {
        for states in [&mut self.past, &mut self.future] {
            let surplus = states.len().saturating_sub(Self::MOST_STATES);
            states.drain(..surplus); // the latest are last
        }
        LEFT.with_borrow_mut(|all| {
            all.retain(|one| one.documents != self.documents);
            all.push(self);
            let surplus = all.len().saturating_sub(Self::MOST);
            all.drain(..surplus);
        });
    }

    /// The changes of these documents.
    fn of(documents: &[String]) -> Option<Self> {
        LEFT.with_borrow_mut(|all| {
            let found = all.iter().position(|one| one.documents == documents)?;
            Some(all.remove(found))
        })
    }

    /// Past and future of the documents that are as they were left. Somebody else has changed the others: a state of
    /// before would undo that, too.
    fn still(self, now: &[Value]) -> (States, States) {
        let Self {
            seen,
            mut past,
            mut future,
            ..
        } = self;
        for states in [&mut past, &mut future] {
            states.retain(|(index, _)| seen.get(*index) == now.get(*index));
        }
        (past, future)
    }
}

/// The states for undo and redo.
#[derive(Clone, Copy)]
pub struct History {
    drafts: StoredValue<Vec<Draft>>,
    past: RwSignal<States>,
    future: RwSignal<States>,
    /// For each draft the latest state that an entry was made of.
    seen: StoredValue<Vec<Value>>,
    /// The draft that was changed last, and when.
    last: StoredValue<(usize, f64)>,
}

impl History {
    /// One entry for what is typed without a pause.
    const SPAN_MS: f64 = 900.0;
    const MOST: usize = 100;

    /// Begins with the changes of the last time, if somebody comes back to these documents.
    pub fn new(savers: &[Saver]) -> Self {
        let drafts: Vec<Draft> = savers.iter().map(|saver| saver.draft).collect();
        let documents: Vec<String> = savers.iter().map(|saver| saver.id()).collect();
        let seen = values(&drafts);
        let (past, future) = Left::of(&documents)
            .map(|left| left.still(&seen))
            .unwrap_or_default();
        let history = Self {
            drafts: StoredValue::new(drafts.clone()),
            past: RwSignal::new(past),
            future: RwSignal::new(future),
            seen: StoredValue::new(seen),
            last: StoredValue::new((0, 0.0)),
        };
        if cfg!(target_family = "wasm") {
            on_cleanup(move || history.leave(documents));
        }
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

    fn leave(self, documents: Vec<String>) {
        Left {
            documents,
            seen: self.drafts.with_value(|drafts| values(drafts)),
            past: self.past.get_untracked(),
            future: self.future.get_untracked(),
        }
        .keep();
    }

    fn step(self, from: RwSignal<States>, to: RwSignal<States>) {
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

fn values(drafts: &[Draft]) -> Vec<Value> {
    drafts.iter().map(|draft| draft.value_untracked()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn left(documents: &[&str], seen: &[Value]) -> Left {
        Left {
            documents: documents.iter().map(|id| (*id).to_owned()).collect(),
            seen: seen.to_vec(),
            past: vec![(0, json!(1)), (1, json!("a"))],
            future: vec![(0, json!(3))],
        }
    }

    #[test]
    fn changes_are_there_for_documents_that_nobody_has_changed_meanwhile() {
        left(&["7", "8"], &[json!(2), json!("b")]).keep();
        assert!(Left::of(&["7".to_owned()]).is_none());
        let ids = ["7".to_owned(), "8".to_owned()];
        let found = Left::of(&ids).expect("they were kept");
        let (past, future) = found.still(&[json!(2), json!("other")]);
        assert_eq!(past, [(0, json!(1))]);
        assert_eq!(future, [(0, json!(3))]);
        assert!(Left::of(&ids).is_none());
    }

    #[test]
    fn the_pages_that_were_left_last_are_kept() {
        for number in 0..=Left::MOST {
            left(&[&number.to_string()], &[]).keep();
        }
        assert!(Left::of(&["0".to_owned()]).is_none());
        assert!(Left::of(&["1".to_owned()]).is_some());
    }
}
