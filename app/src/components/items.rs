//! A list of objects in a form: added, moved, removed. Each entry's fields are the caller's.

use leptos::prelude::*;
use serde_json::Value;

use crate::components::draft::Draft;
use crate::components::field::focus;
use crate::components::icon::{Icon, icon};
use crate::components::toast::toasts;
use crate::i18n::{fill, texts};

/// The names of a list's entries.
#[derive(Clone, Copy)]
pub struct Words {
    /// One entry, with its `{n}`.
    pub one: &'static str,
    pub add: &'static str,
}

/// The list at a pointer; nothing where there is none.
pub fn list_of(draft: Draft, pointer: &str) -> Vec<Value> {
    draft
        .at(pointer)
        .and_then(|list| list.as_array().cloned())
        .unwrap_or_default()
}

/// Writes it back; an empty list is left out.
fn write(draft: Draft, pointer: &str, list: Vec<Value>) {
    draft.set(pointer, (!list.is_empty()).then_some(Value::Array(list)));
}

/// The element that moves an entry, so that the focus can go along.
fn mover(pointer: &str, index: usize, up: bool) -> String {
    let way = if up { "up" } else { "down" };
    format!("move{}-{index}-{way}", pointer.replace('/', "-"))
}

/// Swaps an entry with its neighbour.
fn shift(draft: Draft, pointer: &'static str, index: usize, up: bool) {
    let mut list = untrack(|| list_of(draft, pointer));
    let to = if up {
        index.checked_sub(1)
    } else {
        Some(index + 1)
    };
    let Some(to) = to.filter(|to| *to < list.len() && index < list.len()) else {
        return;
    };
    list.swap(index, to);
    let last = list.len() - 1;
    write(draft, pointer, list);
    request_animation_frame(move || {
        // At either end one of the two buttons is off.
        let up = if to == 0 {
            false
        } else if to == last {
            true
        } else {
            up
        };
        if let Some(element) = document().get_element_by_id(&mover(pointer, to, up)) {
            focus(&element);
        }
    });
}

/// The entries at a pointer, each with the fields that `row` gives, and a button that adds what
/// `blank` makes of those that are there.
pub fn items(
    draft: Draft,
    pointer: &'static str,
    words: Words,
    blank: fn(&[Value]) -> Vec<Value>,
    row: fn(Draft, usize) -> AnyView,
) -> AnyView {
    let t = texts();
    let toasts = toasts();
    let count = Memo::new(move |_| list_of(draft, pointer).len());
    let remove = move |index: usize| {
        let before = draft.value_untracked();
        let mut list = untrack(|| list_of(draft, pointer));
        if index < list.len() {
            list.remove(index);
            write(draft, pointer, list);
            let gone = fill(words.one, &[("n", &(index + 1).to_string())]);
            let text = fill(t.step_removed, &[("title", &gone)]);
            toasts.done_with(text, t.undo, move || draft.replace(before.clone()));
        }
    };
    let add = move |_| {
        let mut list = untrack(|| list_of(draft, pointer));
        list.extend(blank(&list));
        write(draft, pointer, list);
    };
    let entry = move |index: usize| {
        let name = fill(words.one, &[("n", &(index + 1).to_string())]);
        let legend = name.clone();
        let buttons = move || {
            let name = name.clone();
            (!draft.read_only.get()).then(move || {
                let move_button = |up: bool| {
                    let (label, picture) = if up {
                        (t.move_up, Icon::ChevronUp)
                    } else {
                        (t.move_down, Icon::ChevronDown)
                    };
                    let off = move || {
                        if up {
                            index == 0
                        } else {
                            index + 1 >= count.get()
                        }
                    };
                    view! {
                        <button
                            type="button"
                            id=mover(pointer, index, up)
                            class="button button-quiet button-small button-icon"
                            aria-label=format!("{label}: {name}")
                            title=label
                            disabled=off
                            on:click=move |_| shift(draft, pointer, index, up)
                        >
                            {icon(picture)}
                        </button>
                    }
                    .into_any()
                };
                view! {
                    <div class="row step-actions">
                        {move_button(true)}
                        {move_button(false)}
                        <button
                            type="button"
                            class="button button-quiet button-small button-icon"
                            aria-label=format!("{}: {name}", t.remove)
                            title=t.remove
                            on:click=move |_| remove(index)
                        >
                            {icon(Icon::Trash)}
                        </button>
                    </div>
                }
            })
        };
        view! {
            <div class="entry" role="group" aria-label=legend.clone()>
                <div class="row-between">
                    <span class="strong">{legend.clone()}</span>
                    {buttons}
                </div>
                {row(draft, index)}
            </div>
        }
    };
    view! {
        <div class="entries" hidden=move || count.get() == 0>
            <For each=move || 0..count.get() key=|index| *index children=entry />
        </div>
        {move || {
            (!draft.read_only.get())
                .then(|| {
                    view! {
                        <div>
                            <button type="button" class="button button-small" on:click=add>
                                {icon(Icon::Plus)}
                                {words.add}
                            </button>
                        </div>
                    }
                })
        }}
    }
    .into_any()
}
