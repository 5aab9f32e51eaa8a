//! The section for the general facts of a configuration, and the services that need no consent.

use domain::documents::CONFIGURATION;
use leptos::prelude::*;
use serde_json::{Value, json};

use super::language_options;
use super::state::{Editor, Place, others, untold};
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::items::{Words, items};
use crate::pages::fields::{label, line, select, switch};

/// The fields of this form, which show their problems.
const SHOWN: [&str; 8] = [
    "/title",
    "/name",
    "/language",
    "/country",
    "/privacyPolicyUrl",
    "/isDefault",
    "/withSaveConsent",
    "/alwaysOn",
];

pub fn general(editor: Editor) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let fields = view! {
        {untold(draft, Place::General, &SHOWN)}
        {line(draft, "/title").view()}
        {line(draft, "/name").view()}
        <div class="form-pair">
            {select(draft, "/language", language_options())}
            {line(draft, "/country").example("FR").view()}
        </div>
        {line(draft, "/privacyPolicyUrl").view()}
        {switch(draft, "/isDefault")}
        {switch(draft, "/withSaveConsent")}
        {others(draft, Place::General, &SHOWN)}
    };
    view! {
        <div class="stack">
            {section(t.widget().general, t.widget().general_text, fields.into_any())}
            {always_on(editor)}
        </div>
    }
    .into_any()
}

/// The services that need no consent.
fn always_on(editor: Editor) -> AnyView {
    const AT: &str = "/alwaysOn";
    fn entry(draft: Draft, index: usize) -> AnyView {
        view! {
            {line(draft, format!("{AT}/{index}/title")).view()}
            {line(draft, format!("{AT}/{index}/reason")).view()}
        }
        .into_any()
    }
    let Editor { draft, t, .. } = editor;
    let words = Words {
        one: t.widget().always_on_n,
        add: t.widget().always_on_add,
    };
    let blank = |_: &[Value]| vec![json!({"title": "", "reason": ""})];
    section(
        label(&CONFIGURATION, "alwaysOn"),
        t.widget().always_on_text,
        items(draft, AT, words, blank, entry),
    )
}
