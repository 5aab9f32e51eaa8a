//! The section for the general facts of a configuration, and the services that need no consent.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::language_options;
use super::state::{Editor, Place, untold};
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::field::{select, switch, text};
use crate::components::items::{Words, items};
use crate::i18n::texts;

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
        {text(draft, "/title", t.widget().configuration_title).hint(t.widget().configuration_title_hint).view()}
        {text(draft, "/name", t.configuration_name).hint(t.widget().configuration_name_hint).view()}
        <div class="form-pair">
            {select(draft, "/language", t.language, language_options(), None)}
            {text(draft, "/country", t.country).placeholder("FR").optional().view()}
        </div>
        {text(draft, "/privacyPolicyUrl", t.fields().privacy_policy).kind("url").hint(t.widget().privacy_policy_hint).optional().view()}
        {switch(draft, "/isDefault", t.fields().is_default, Some(t.widget().is_default_hint), false)}
        {switch(draft, "/withSaveConsent", t.fields().with_save_consent, Some(t.widget().with_save_consent_hint), true)}
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
        let t = texts();
        view! {
            {text(draft, format!("{AT}/{index}/title"), t.fields().service_title).view()}
            {text(draft, format!("{AT}/{index}/reason"), t.fields().always_on_reason).view()}
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
        t.fields().always_on,
        t.widget().always_on_text,
        items(draft, AT, words, blank, entry),
    )
}
