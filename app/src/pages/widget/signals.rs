//! Signals for tags about choices: Google Consent Mode and its options, and those of the United States.

use leptos::prelude::*;
use serde_json::{Value, json};

use super::state::{Editor, Place, untold};
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::field::{id_of, number, select, switch};
use crate::components::lines::lines;
use crate::i18n::StepTexts;
use crate::pages::fields;

/// The fields of this form that show their problems.
const SHOWN: [&str; 6] = [
    "/googleConsentMode/adsDataRedaction",
    "/googleConsentMode/urlPassthrough",
    "/googleConsentMode/microsoft",
    "/googleConsentMode/waitForUpdate",
    "/googleConsentMode/region",
    "/gpp/mspa",
];
const MODE: &str = "/googleConsentMode";
const SECTIONS: &str = "/gpp/sections";
/// The section of the Global Privacy Platform for the United States as a whole.
const NATIONAL: &str = "usnat";

/// True if a configuration's `googleConsentMode` is on: `true`, or an object that does not say
/// otherwise.
fn is_on(mode: Option<&Value>) -> bool {
    match mode {
        Some(Value::Object(fields)) => fields.get("enabled") != Some(&json!(false)),
        mode => mode == Some(&json!(true)),
    }
}

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

/// The form of signals.
pub fn signals(editor: Editor) -> AnyView {
    let Editor { draft, t, .. } = editor;
    let on = Memo::new(move |_| is_on(draft.at(MODE).as_ref()));
    let details = move || {
        on.get().then(|| {
            view! {
                {switch(draft, "/googleConsentMode/adsDataRedaction", t.fields().ads_redaction, Some(t.widget().ads_redaction_hint), true)}
                {switch(draft, "/googleConsentMode/urlPassthrough", t.fields().url_passthrough, Some(t.widget().url_passthrough_hint), false)}
                {switch(draft, "/googleConsentMode/microsoft", t.fields().microsoft_signals, Some(t.widget().microsoft_signals_hint), false)}
                {number(draft, "/googleConsentMode/waitForUpdate", t.fields().wait_for_update).placeholder("500").unit("ms").hint(t.widget().wait_for_update_hint).view()}
                {lines(draft, "/googleConsentMode/region", t.fields().signal_regions, "FR", t.widget().signal_regions_hint)}
            }
        })
    };
    let change = move |on: bool| {
        let mode = untrack(|| draft.at(MODE));
        // As an object, which the fields below can be written into.
        draft.set(MODE, turned(mode, on));
    };
    let fields = view! {
        {fact_switch(draft, MODE, on, change, (t.fields().consent_mode, t.widget().consent_mode_hint))}
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
    let signed = fields::mspa_modes().into_iter();
    let signed = signed.map(|(mode, label)| (mode.to_owned(), label));
    let modes: Vec<_> = std::iter::once((String::new(), w.mspa_none.to_owned()))
        .chain(signed)
        .collect();
    let mode = move || {
        let modes = modes.clone();
        on.get()
            .then(|| select(draft, "/gpp/mspa", w.mspa, modes, Some(w.mspa_hint)))
    };
    let fields = view! {
        {fact_switch(draft, SECTIONS, on, change, (w.us_on, w.us_hint))}
        {mode}
    };
    section(w.us, w.us_text, fields.into_any())
}

/// True if the sections of a draft have the national one.
fn has_national(sections: Option<&Value>) -> bool {
    let sections = sections.and_then(Value::as_array);
    sections.is_some_and(|sections| sections.contains(&json!(NATIONAL)))
}

/// A switch that stands for a field of another type.
fn fact_switch(
    draft: Draft,
    pointer: &'static str,
    on: Memo<bool>,
    change: impl Fn(bool) + 'static,
    (label, hint): (&'static str, &'static str),
) -> AnyView {
    let id = id_of(pointer);
    let hint_id = format!("{id}-hint");
    view! {
        <div class="field">
            <div class="switch">
                <input
                    type="checkbox"
                    role="switch"
                    id=id.clone()
                    aria-describedby=hint_id.clone()
                    disabled=draft.read_only
                    checked=on.get_untracked()
                    prop:checked=on
                    on:change:target=move |event| change(event.target().checked())
                />
                <div>
                    <label for=id>{label}</label>
                    <p class="hint" id=hint_id>{hint}</p>
                </div>
            </div>
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
