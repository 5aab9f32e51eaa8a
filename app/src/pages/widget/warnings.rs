//! The warnings above the editor: problems for the law or for visitors, each with the way to its place.

use domain::documents::{self, Layout, asks_by_tcf, vendors_named};
use domain::fairness::{Concern, Finding, findings};
use leptos::prelude::*;
use serde_json::Value;

use super::languages;
use super::state::{Chosen, Editor, Place};
use super::steps::step_label;
use crate::components::draft::Draft;
use crate::components::field::id_of;
use crate::components::focus::focus_when_there;
use crate::components::layout::{Tone, notice};
use crate::i18n::{ServiceTexts, Texts, concern, fill};
use crate::pages::design::repairs;

/// A problem for the law or for visitors, and the place to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Warning {
    text: String,
    place: Place,
    /// The field that makes it so, if it is one.
    field: Option<String>,
}

impl Warning {
    fn new(text: impl Into<String>, place: Place) -> Self {
        Self {
            text: text.into(),
            place,
            field: None,
        }
    }
}

/// Everything to warn of in a configuration.
fn warnings(configuration: &Value, project: &Value, t: &'static Texts) -> Vec<Warning> {
    let steps: Vec<&Value> = documents::steps(configuration).collect();
    if steps.is_empty() {
        return vec![Warning::new(t.widget().warn_no_steps, Place::General)];
    }
    let mut found: Vec<Warning> = findings(configuration, project)
        .into_iter()
        .map(|finding| unfair(&finding, configuration, &steps, t))
        .collect();
    let asked = vendors_named(configuration);
    // By TCF the partners of its list are asked for.
    if asked.is_empty() && !asks_by_tcf(configuration) {
        let at = steps
            .iter()
            .position(|step| Layout::of(step) == Some(Layout::Category))
            .unwrap_or(0);
        found.push(Warning::new(t.widget().warn_no_services, Place::Step(at)));
    }
    for (index, step) in steps.iter().enumerate() {
        let place = || Place::Step(index);
        let layout = Layout::of(step);
        if layout == Some(Layout::Category) {
            let empty = documents::vendors(step).next().is_none();
            if empty && !asked.is_empty() {
                found.push(Warning::new(t.widget().warn_empty_step, place()));
            }
        }
        let silent = ["title", "message"].iter().all(|key| {
            step.get(*key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .trim()
                .is_empty()
        });
        // A step of TCF has the sentences of its rules.
        if silent && layout != Some(Layout::Iab) {
            found.push(Warning::new(t.widget().warn_silent_step, place()));
        }
    }
    found
}

/// Custom services without a purpose. No text names them, no signal follows them, and a refusal of advertising does
/// not concern them.
fn purposeless(configuration: &Value, chosen: Chosen) -> Vec<Warning> {
    let w = ServiceTexts::of_this_page();
    let steps = documents::steps(configuration).enumerate();
    let found = steps.flat_map(|(index, step)| {
        let titles = chosen.without_purpose(step).into_iter();
        titles.map(move |title| {
            let text = fill(w.warn_no_purpose, &[("title", &title)]);
            Warning {
                field: Some(format!("/steps/{index}/vendors")),
                ..Warning::new(text, Place::Step(index))
            }
        })
    });
    found.collect()
}

/// A finding in words, with the step that it is about.
fn unfair(
    finding: &Finding,
    configuration: &Value,
    steps: &[&Value],
    t: &'static Texts,
) -> Warning {
    let text = concern(t, finding.concern);
    let place = Place::of_field(&finding.pointer);
    let about = match &place {
        Place::Step(index) => steps.get(*index).map(|step| step_label(step, t)),
        Place::Language(code) => Some(languages::name_of(code).to_owned()),
        _ => None,
    };
    let missing = match (&place, finding.concern) {
        (Place::Language(code), Concern::Untranslated) => languages::warning(configuration, code),
        _ => None,
    };
    let text = match (missing, about) {
        (Some(missing), _) => missing,
        (None, Some(about)) => fill(t.widget().warn_in_step, &[("step", &about), ("text", text)]),
        (None, None) => text.to_owned(),
    };
    Warning {
        text,
        place,
        field: Some(finding.pointer.clone()),
    }
}

pub fn warnings_view(editor: Editor, design: Draft) -> AnyView {
    let Editor { draft, t, go, .. } = editor;
    let list = Memo::new(move |_| {
        let configuration = draft.value();
        let project = design.value();
        let mut list = warnings(&configuration, &project, t);
        list.extend(purposeless(&configuration, editor.chosen));
        if !repairs(&project).is_empty() {
            list.push(Warning::new(t.widget().warn_contrast, Place::Look));
        }
        list
    });
    let view = move || {
        let list = list.get();
        if list.is_empty() {
            return ().into_any();
        }
        let rows = list
            .into_iter()
            .enumerate()
            .map(|(index, Warning { text, place, field })| {
                let id = format!("warning-{index}");
                let described = id.clone();
                // Viewers have nothing to fix.
                let fix = (!draft.read_only.get()).then(move || {
                    view! {
                        <button
                            type="button"
                            class="button button-small"
                            aria-describedby=described
                            on:click=move |_| {
                                go.run(place.clone());
                                if let Some(field) = &field {
                                    focus_when_there(vec![id_of(field)]);
                                }
                            }
                        >
                            {t.widget().fix}
                        </button>
                    }
                });
                view! {
                    <li>
                        <span class="grow" id=id>{text}</span>
                        {fix}
                    </li>
                }
            })
            .collect_view();
        notice(
            Tone::Warn,
            view! { <ul class="repairs" aria-label=t.warnings>{rows}</ul> },
        )
    };
    view! { {view} }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;
    use serde_json::json;

    #[test]
    fn warns_of_what_a_visitor_would_stumble_over() {
        let t = Locale::En.texts();
        let good = json!({"privacyPolicyUrl": "https://shop.example/privacy", "steps": [
            {"layout": "welcome", "title": "Hello"},
            {"layout": "category", "title": "Services", "vendors": ["a"]},
        ]});
        assert_eq!(warnings(&good, &json!({}), t), []);
        let bad = json!({"steps": [{"layout": "welcome"}, {"layout": "category", "title": "x"}]});
        assert_eq!(
            warnings(&bad, &json!({}), t),
            [
                Warning::new(t.widget().warn_no_services, Place::Step(1)),
                Warning::new(t.widget().warn_silent_step, Place::Step(0)),
            ]
        );
        // Its partners and sentences come from the list.
        assert_eq!(
            warnings(&json!({"steps": [{"layout": "iab"}]}), &json!({}), t),
            []
        );
        assert_eq!(
            warnings(&json!({}), &json!({}), t),
            [Warning::new(t.widget().warn_no_steps, Place::General)]
        );
    }

    #[test]
    fn what_is_not_fair_is_told_at_its_place() {
        let t = Locale::En.texts();
        let unfair = json!({
            "steps": [
                {"layout": "welcome", "title": "Hello", "message": "By continuing you accept."},
                {"layout": "category", "title": "Services", "vendors": ["a"]},
            ],
            "strings": {"dismiss": "–"},
            "settings": {"reopenButton": false},
        });
        let found = warnings(&unfair, &json!({}), t);
        let places: Vec<_> = found
            .iter()
            .map(|warning| (&warning.place, warning.field.as_deref()))
            .collect();
        assert_eq!(
            places,
            [
                (&Place::Words, Some("/strings/dismiss")),
                (&Place::Step(0), Some("/steps/0/message")),
                (&Place::General, Some("/privacyPolicyUrl")),
                (&Place::Step(0), Some("/steps/0/message")),
                (&Place::Behaviour, Some("/settings/reopenButton")),
            ]
        );
        let project = json!({"privacyPolicyUrl": "https://shop.example/privacy"});
        assert_eq!(warnings(&unfair, &project, t).len(), found.len() - 1);
        assert!(found[1].text.starts_with("Hello: "), "{}", found[1].text);
    }
}
