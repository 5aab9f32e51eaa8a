//! Signals for tags about choices: Google Consent Mode and its options, and those of the United States.

use domain::documents::field::Object;
use domain::documents::{CONFIGURATION, ConsentMode, GPP};
use leptos::prelude::*;
use serde_json::{Value, json};

use super::state::{Editor, Place, untold};
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::field::{id_of, problem};
use crate::i18n::StepTexts;
use crate::pages::fields::{self, choice_or, line, list, switch};

/// The fields of this form that show their problems.
pub const SHOWN: [&str; 8] = [
    MODE_ENABLED,
    SECTIONS,
    "/googleConsentMode/adsDataRedaction",
    "/googleConsentMode/urlPassthrough",
    "/googleConsentMode/microsoft",
    "/googleConsentMode/waitForUpdate",
    "/googleConsentMode/region",
    "/gpp/mspa",
];
const MODE: &str = "/googleConsentMode";
const MODE_ENABLED: &str = "/googleConsentMode/enabled";
const SECTIONS: &str = "/gpp/sections";
/// The section of the Global Privacy Platform for the United States as a whole.
const NATIONAL: &str = "usnat";

/// The same mode turned on or off; what else it says is kept.
fn turned(mode: Option<Value>, on: bool) -> Option<Value> {
    match mode {
        Some(Value::Object(mut fields)) => {
            fields.insert("enabled".to_owned(), json!(on));
            Some(Value::Object(fields))
        }
        _ => on.then(|| json!({"enabled": true})),
    }
}

/// True if consent mode is on.
fn is_on(mode: Option<&Value>) -> bool {
    ConsentMode::of(mode).is_some()
}

/// The form of signals.
pub fn signals(editor: Editor) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let on = Memo::new(move |_| draft.with_at(MODE, is_on));
    let details = move || {
        on.get().then(|| {
            view! {
                {switch(draft, "/googleConsentMode/adsDataRedaction")}
                {switch(draft, "/googleConsentMode/urlPassthrough")}
                {switch(draft, "/googleConsentMode/microsoft")}
                {line(draft, "/googleConsentMode/waitForUpdate").view()}
                {list(draft, "/googleConsentMode/region", "FR")}
            }
        })
    };
    let change = move |on: bool| {
        let mode = untrack(|| draft.at(MODE));
        // As an object, which the fields below can be written into.
        draft.set(MODE, turned(mode, on));
    };
    let fields = view! {
        {fact_switch(draft, MODE, MODE_ENABLED, on, change, label_and_hint(&CONFIGURATION, "googleConsentMode"))}
        {details}
    };
    view! {
        {untold(draft, Place::Signals, &SHOWN)}
        {section(t.signals, t.widget().signals_text, fields.into_any())}
        {of_united_states(draft)}
    }
    .into_any()
}

/// The Global Privacy Platform.
fn of_united_states(draft: Draft) -> AnyView {
    let w = StepTexts::of_this_page();
    let on = Memo::new(move |_| draft.with_at(SECTIONS, has_national));
    let change = move |on: bool| draft.set(SECTIONS, on.then(|| json!([NATIONAL])));
    let mode = move || on.get().then(|| choice_or(draft, "/gpp/mspa", w.mspa_none));
    let fields = view! {
        {fact_switch(draft, SECTIONS, SECTIONS, on, change, label_and_hint(&GPP, "sections"))}
        {mode}
    };
    section(
        fields::label(&CONFIGURATION, "gpp"),
        w.us_text,
        fields.into_any(),
    )
}

/// True if the sections of a draft have the national one.
fn has_national(sections: Option<&Value>) -> bool {
    let sections = sections.and_then(Value::as_array);
    sections.is_some_and(|sections| sections.contains(&json!(NATIONAL)))
}

/// The label of a field and its hint.
fn label_and_hint(
    object: &'static Object,
    key: &'static str,
) -> (&'static str, Option<&'static str>) {
    (fields::label(object, key), fields::hint(object, key))
}

/// A switch that stands for a field of another type. It shows the problems of the field `told_of`.
fn fact_switch(
    draft: Draft,
    pointer: &'static str,
    told_of: &'static str,
    on: Memo<bool>,
    change: impl Fn(bool) + 'static,
    (label, hint): (&'static str, Option<&'static str>),
) -> AnyView {
    let id = id_of(pointer);
    let hint_id = format!("{id}-hint");
    let problem_id = format!("{id}-problem");
    view! {
        <div class="field">
            <div class="switch">
                <input
                    type="checkbox"
                    role="switch"
                    id=id.clone()
                    aria-describedby=hint.map(|_| hint_id.clone())
                    disabled=draft.read_only
                    checked=on.get_untracked()
                    prop:checked=on
                    on:change:target=move |event| change(event.target().checked())
                />
                <div>
                    <label for=id>{label}</label>
                    {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
                </div>
            </div>
            {problem(problem_id, move || draft.problem(told_of))}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_national_section_is_found() {
        assert!(has_national(Some(&json!(["usnat"]))));
        for other in [None, Some(&json!([])), Some(&json!("usnat"))] {
            assert!(!has_national(other), "{other:?}");
        }
    }

    #[test]
    fn turning_keeps_what_else_is_said() {
        let rich = json!({"urlPassthrough": true, "region": ["FR"]});
        assert!(is_on(Some(&rich)) && is_on(Some(&json!(true))));
        assert!(!is_on(None) && !is_on(Some(&json!(false))) && !is_on(Some(&json!(null))));
        let off = turned(Some(rich), false);
        assert!(!is_on(off.as_ref()));
        let on = turned(off, true).unwrap();
        assert_eq!(
            on,
            json!({"enabled": true, "urlPassthrough": true, "region": ["FR"]})
        );
        assert_eq!(turned(Some(json!(true)), false), None);
        assert_eq!(turned(None, true), Some(json!({"enabled": true})));
    }
}
