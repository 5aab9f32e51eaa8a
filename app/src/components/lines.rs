//! A list of short texts, one a line: the document holds a list, people type lines.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::draft::Draft;
use super::field::{id_of, problem};
use crate::i18n::texts;
use crate::rcdata::rcdata;

/// A field for the list at a pointer; none when nothing is typed.
pub fn lines(
    draft: Draft,
    pointer: &'static str,
    label: &'static str,
    placeholder: &'static str,
    hint: &'static str,
) -> AnyView {
    list(draft, pointer, label, placeholder, hint, false)
}

/// The same for what people read, not programs.
pub fn sentences(
    draft: Draft,
    pointer: &'static str,
    label: &'static str,
    placeholder: &'static str,
    hint: &'static str,
) -> AnyView {
    list(draft, pointer, label, placeholder, hint, true)
}

fn list(
    draft: Draft,
    pointer: &'static str,
    label: &'static str,
    placeholder: &'static str,
    hint: &'static str,
    prose: bool,
) -> AnyView {
    let t = texts();
    let id = id_of(pointer);
    let problem_id = format!("{id}-problem");
    let hint_id = format!("{id}-hint");
    let read = Memo::new(move |_| {
        let list = draft.at(pointer).unwrap_or_default();
        let entries: Vec<&str> = list
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        entries.join("\n")
    });
    let invalid = Memo::new(move |_| draft.problem(pointer).is_some());
    // Blank lines are there while one types; they are gone when one leaves the field.
    let write = move |text: String, done: bool| {
        let lines = text
            .split('\n')
            .map(|line| if done { line.trim() } else { line });
        let entries: Vec<&str> = lines.filter(|line| !done || !line.is_empty()).collect();
        draft.set(pointer, (!text.trim().is_empty()).then(|| json!(entries)));
    };
    view! {
        <div class="field">
            <label for=id.clone()>{label} <span class="optional">" " {t.optional}</span></label>
            <textarea
                id=id
                class="input"
                class:mono=!prose
                rows="3"
                spellcheck=if prose { "true" } else { "false" }
                placeholder=placeholder
                aria-describedby=format!("{hint_id} {problem_id}")
                aria-invalid=move || invalid.get().then_some("true")
                disabled=draft.read_only
                prop:value=read
                on:input:target=move |event| write(event.target().value(), false)
                on:change:target=move |event| write(event.target().value(), true)
            >
                {rcdata(read.get_untracked())}
            </textarea>
            <p class="hint" id=hint_id>{hint}</p>
            {problem(problem_id, move || draft.problem(pointer))}
        </div>
    }
    .into_any()
}
