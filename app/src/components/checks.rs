//! Checkboxes that put words into a list of a draft.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::draft::Draft;
use super::field::id_of;

/// True if the list at a pointer has a word.
pub fn is_listed(draft: Draft, pointer: &str, word: &str) -> bool {
    draft.with_at(pointer, |list| {
        let list = list.and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|at| at == word))
    })
}

/// Puts a word into the list at a pointer, or takes it out.
pub fn list(draft: Draft, pointer: &str, word: &str, there: bool) {
    let list = untrack(|| draft.at(pointer)).unwrap_or_default();
    let mut list = list.as_array().cloned().unwrap_or_default();
    list.retain(|at| at != word);
    if there {
        list.push(json!(word));
    }
    draft.set(pointer, Some(Value::Array(list)));
}

/// A checkbox for a word in the list at a pointer.
pub fn check(
    draft: Draft,
    pointer: &'static str,
    word: &str,
    label: String,
    hint: Option<&'static str>,
) -> AnyView {
    let id = format!("{}-{word}", id_of(pointer));
    let word = StoredValue::new(word.to_owned());
    let has = Memo::new(move |_| word.with_value(|word| is_listed(draft, pointer, word)));
    let hint_id = format!("{id}-hint");
    view! {
        <div class="check">
            <input
                type="checkbox"
                id=id.clone()
                aria-describedby=hint.map(|_| hint_id.clone())
                disabled=draft.read_only
                prop:checked=has
                on:change:target=move |event| {
                    word.with_value(|word| list(draft, pointer, word, event.target().checked()));
                }
            />
            <div>
                <label for=id>{label}</label>
                {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
            </div>
        </div>
    }
    .into_any()
}
