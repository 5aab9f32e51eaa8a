//! The screens after an answer: one for each value of a button.

use domain::documents::{SCREEN, below};
use leptos::prelude::*;
use serde_json::{Value, json};

use super::answers::answers;
use crate::components::draft::Draft;
use crate::components::field::id_of;
use crate::components::rich::rich;
use crate::i18n::{fill, texts};
use crate::pages::fields::{label, line};

const SCREENS: &str = "/confirmations";

/// The pointer of the screen that follows a value.
fn pointer(name: &str) -> String {
    below(SCREENS, name)
}

/// The screens of all answers, and of values that no button has any more, written in a language.
pub fn fields(draft: Draft, language: Signal<String>) -> AnyView {
    let t = texts();
    let list = Memo::new(move |_| {
        let mut list = answers(draft, t);
        for (_, label) in &mut list {
            *label = fill(t.boxes().box_screen_after, &[("answer", label)]);
        }
        let written = draft.at(SCREENS).unwrap_or_default();
        for name in written
            .as_object()
            .into_iter()
            .flat_map(serde_json::Map::keys)
        {
            if !list.iter().any(|(known, _)| known == name) {
                let label = fill(t.boxes().box_screen_unused, &[("value", name)]);
                list.push((name.clone(), label));
            }
        }
        list
    });
    let rows = move || {
        list.get()
            .into_iter()
            .map(|(name, heading)| screen(draft, language, &name, heading))
            .collect_view()
    };
    view! { <div class="entries">{rows}</div> }.into_any()
}

fn screen(draft: Draft, language: Signal<String>, name: &str, heading: String) -> AnyView {
    let at = pointer(name);
    let id = id_of(&at);
    let there = {
        let at = at.clone();
        Memo::new(move |_| draft.with_at(&at, |screen| screen.is_some_and(Value::is_object)))
    };
    let turn = {
        let at = at.clone();
        move |on: bool| draft.set(&at, on.then(|| json!({})))
    };
    let inside = move || {
        there.get().then(|| {
            view! {
                {line(draft, format!("{at}/title")).view()}
                {rich(draft, format!("{at}/message"), label(&SCREEN, "message"), language).view()}
                {line(draft, format!("{at}/backButtonText")).view()}
            }
        })
    };
    view! {
        <div class="entry" role="group" aria-label=heading.clone()>
            <div class="switch">
                <input
                    type="checkbox"
                    role="switch"
                    id=id.clone()
                    disabled=draft.read_only
                    checked=there.get_untracked()
                    prop:checked=there
                    on:change:target=move |event| turn(event.target().checked())
                />
                <label for=id>{heading.clone()}</label>
            </div>
            {inside}
        </div>
    }
    .into_any()
}
