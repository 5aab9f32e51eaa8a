//! A list of objects in a form: added, moved, removed. Each entry's fields are the caller's.

use leptos::prelude::*;
use serde_json::Value;

use crate::components::draft::Draft;
use crate::components::focus::focus_when_there;
use crate::components::undo::Undo;
use crate::i18n::{fill, texts};
use crate::icon::{Icon, icon};

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

/// The element that does something with an entry, or adds one, so that it can get the focus.
fn control(pointer: &str, what: &str, index: usize) -> String {
    format!("{what}{}-{index}", pointer.replace('/', "-"))
}

const UP: &str = "up";
const DOWN: &str = "down";
const REMOVE: &str = "remove";
const ADD: &str = "add";

/// Swaps an entry with its neighbour. The focus goes along.
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
    write(draft, pointer, list);
    // At either end one of the two buttons is off.
    let ways = if up { [UP, DOWN] } else { [DOWN, UP] };
    focus_when_there(ways.map(|what| control(pointer, what, to)).into());
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
    let undo = Undo::of(draft);
    let count = Memo::new(move |_| list_of(draft, pointer).len());
    let remove = move |index: usize| {
        let before = draft.value_untracked();
        let mut list = untrack(|| list_of(draft, pointer));
        if index < list.len() {
            list.remove(index);
            write(draft, pointer, list);
            let gone = fill(words.one, &[("n", &(index + 1).to_string())]);
            let text = fill(t.step_removed, &[("title", &gone)]);
            undo.offer(text, before);
            let near = [index, index.saturating_sub(1)];
            let mut ids = near.map(|at| control(pointer, REMOVE, at)).to_vec();
            ids.push(control(pointer, ADD, 0));
            focus_when_there(ids);
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
                    let (what, label, picture) = if up {
                        (UP, t.move_up, Icon::ChevronUp)
                    } else {
                        (DOWN, t.move_down, Icon::ChevronDown)
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
                            id=control(pointer, what, index)
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
                            id=control(pointer, REMOVE, index)
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
                            <button
                                type="button"
                                id=control(pointer, ADD, 0)
                                class="button button-small"
                                on:click=add
                            >
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
