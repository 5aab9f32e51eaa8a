//! Ways to answer: a checkbox, or buttons that each stand for a value.

use domain::consent::MOST_CHARS;
use domain::documents::BUTTON;
use leptos::prelude::*;
use serde_json::{Map, Value, json};

use super::Kind;
use crate::components::draft::Draft;
use crate::components::field::{id_of, problem, select_control};
use crate::components::items::{Words, items, list_of};
use crate::components::layout::{Tone, notice};
use crate::i18n::{Texts, texts};
use crate::pages::fields::{self, label, line, switch};

pub const BUTTONS: &str = "/buttons";
const SCREENS: &str = "confirmations";
/// The look of a button that says nothing of it.
const USUAL_LOOK: &str = "default";

/// The meaning of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Accepts,
    Refuses,
    /// A value of its own, kept with the consent.
    Own,
}

impl Meaning {
    /// As the widget reads a value: without one a button accepts.
    fn of(value: Option<&Value>) -> Self {
        match value {
            None | Some(Value::Bool(true)) => Self::Accepts,
            Some(Value::Bool(false) | Value::Null) => Self::Refuses,
            Some(_) => Self::Own,
        }
    }

    fn code(self) -> &'static str {
        match self {
            Self::Accepts => "true",
            Self::Refuses => "false",
            Self::Own => "own",
        }
    }
}

/// True if a button's value gives consent.
fn accepts(button: &Value) -> bool {
    match button.get("value") {
        Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty() && text != "false",
        Some(Value::Number(number)) => number.as_f64() != Some(0.0),
        None | Some(_) => true,
    }
}

/// The name of the screen that follows a button.
pub fn screen_of(button: &Value) -> String {
    match button.get("value") {
        None => "true".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}

/// Gives a button another value; the screen that follows it goes along, unless another button has it
/// too.
fn set_value(document: &mut Value, index: usize, value: Value) {
    let buttons = document.get("buttons").and_then(Value::as_array);
    let names: Vec<String> = buttons.into_iter().flatten().map(screen_of).collect();
    let Some(before) = names.get(index).cloned() else {
        return;
    };
    let Some(button) = document
        .pointer_mut(&format!("{BUTTONS}/{index}"))
        .and_then(Value::as_object_mut)
    else {
        return;
    };
    button.insert("value".to_owned(), value);
    let after = screen_of(&Value::Object(button.clone()));
    let shared = names
        .iter()
        .enumerate()
        .any(|(other, name)| other != index && *name == before);
    let screens = document.get_mut(SCREENS).and_then(Value::as_object_mut);
    if let Some(screens) = screens
        && !shared
        && after != before
        && !screens.contains_key(&after)
        && let Some(screen) = screens.remove(&before)
    {
        screens.insert(after, screen);
    }
}

/// The next button: first the two that every question needs, then others.
fn blank(list: &[Value]) -> Vec<Value> {
    if list.is_empty() {
        return vec![json!({"value": true}), json!({"value": false})];
    }
    let taken: Vec<String> = list.iter().map(screen_of).collect();
    // One more try than there are buttons finds a free one.
    let free = (1..=list.len() + 1)
        .map(|n| format!("option-{n}"))
        .find(|name| !taken.contains(name))
        .unwrap_or_default();
    vec![Value::Object(Map::from_iter([(
        "value".to_owned(),
        free.into(),
    )]))]
}

/// Warnings about unfair answers of a consent box.
fn concerns(document: &Value, t: &'static Texts) -> Vec<&'static str> {
    let buttons: Vec<&Value> = document
        .get("buttons")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .collect();
    let stands_out = |button: &&&Value| button.get("color") == Some(&json!("primary"));
    let (yes, no): (Vec<&Value>, Vec<&Value>) =
        buttons.iter().copied().partition(|button| accepts(button));
    let mut found = Vec::new();
    if !yes.is_empty() && no.is_empty() {
        found.push(t.boxes().box_warn_no_refusal);
    }
    if !no.is_empty()
        && yes.iter().filter(stands_out).count() > 0
        && no.iter().filter(stands_out).count() == 0
    {
        found.push(t.boxes().box_warn_unequal);
    }
    if document.get("idRequired") == Some(&json!(true)) {
        found.push(t.boxes().box_warn_required);
    }
    found
}

/// The fields of the answers.
pub fn fields(draft: Draft, kind: Kind, id: &str) -> AnyView {
    let t = texts();
    let warnings = move || {
        let found = concerns(&draft.value(), t);
        (kind == Kind::Consent && !found.is_empty()).then(|| {
            let rows = found
                .into_iter()
                .map(|text| view! { <p>{text}</p> })
                .collect_view();
            notice(Tone::Warn, rows)
        })
    };
    let words = Words {
        one: t.boxes().box_button_n,
        add: t.boxes().box_button_add,
    };
    view! {
        {items(draft, BUTTONS, words, blank, row)}
        <div aria-live="polite">{warnings}</div>
        {switch(draft, "/idRequired")}
        {line(draft, "/name").placeholder(id).view()}
    }
    .into_any()
}

/// The fields of a button.
fn row(draft: Draft, index: usize) -> AnyView {
    let t = texts();
    let at = format!("{BUTTONS}/{index}");
    let value_at = format!("{at}/value");
    let colour_at = format!("{at}/color");
    let meaning = {
        let at = value_at.clone();
        Memo::new(move |_| draft.with_at(&at, Meaning::of))
    };
    let own = {
        let at = value_at.clone();
        Memo::new(move |_| {
            draft.with_at(&at, |value| match value {
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => String::new(),
            })
        })
    };
    let change = {
        let at = value_at.clone();
        move |value: Value| draft.edit(&at, |document| set_value(document, index, value))
    };
    let choose = {
        let change = change.clone();
        move |code: String| {
            let value = match code.as_str() {
                "true" => json!(true),
                "false" => json!(false),
                _ => json!(format!("option-{}", index + 1)),
            };
            change(value);
        }
    };
    let colour = {
        let at = colour_at.clone();
        Signal::derive(move || {
            let text = draft.text(&at);
            if text == USUAL_LOOK {
                String::new()
            } else {
                text
            }
        })
    };
    let paint = {
        let at = colour_at.clone();
        move |value: String| draft.set_text(&at, &value)
    };
    let meanings = [
        (Meaning::Accepts, t.boxes().box_button_accepts),
        (Meaning::Refuses, t.boxes().box_button_refuses),
        (Meaning::Own, t.boxes().box_button_own),
    ]
    .map(|(meaning, label)| (meaning.code().to_owned(), label.to_owned()));
    let colours = fields::button_looks().into_iter().map(|(look, label)| {
        // A missing value means the default.
        let look = if look == USUAL_LOOK { "" } else { look };
        (look.to_owned(), label)
    });
    let colours: Vec<_> = colours.collect();
    let (value_id, colour_id) = (id_of(&value_at), id_of(&colour_at));
    let own_id = format!("{value_id}-own");
    let own_field = move || {
        let (change, own_id) = (change.clone(), own_id.clone());
        (meaning.get() == Meaning::Own).then(move || {
            view! {
                <div class="field">
                    <label for=own_id.clone()>{t.value}</label>
                    <input
                        id=own_id.clone()
                        class="input mono"
                        autocomplete="off"
                        spellcheck="false"
                        maxlength=MOST_CHARS
                        aria-describedby=format!("{own_id}-hint")
                        disabled=draft.read_only
                        value=own.get_untracked()
                        prop:value=own
                        on:input:target=move |event| change(json!(event.target().value()))
                    />
                    <p class="hint" id=format!("{own_id}-hint")>{t.boxes().box_button_own_hint}</p>
                </div>
            }
        })
    };
    view! {
        {line(draft, format!("{at}/text")).view()}
        <div class="form-pair form-pair-tight">
            <div class="field">
                <label for=value_id.clone()>{label(&BUTTON, "value")}</label>
                {select_control(
                    value_id.clone(),
                    meanings.into(),
                    Signal::derive(move || meaning.get().code().to_owned()),
                    choose,
                    draft.read_only.into(),
                )}
                {problem(format!("{value_id}-problem"), move || draft.problem(&value_at))}
            </div>
            <div class="field">
                <label for=colour_id.clone()>{label(&BUTTON, "color")}</label>
                {select_control(colour_id.clone(), colours, colour, paint, draft.read_only.into())}
                {problem(format!("{colour_id}-problem"), move || draft.problem(&colour_at))}
            </div>
        </div>
        {own_field}
    }
    .into_any()
}

/// Answers in order: the name of the screen that follows, and what the button says.
pub fn answers(draft: Draft, t: &'static Texts) -> Vec<(String, String)> {
    let buttons = list_of(draft, BUTTONS);
    if buttons.is_empty() {
        return vec![
            ("true".to_owned(), t.boxes().box_checked.to_owned()),
            ("false".to_owned(), t.boxes().box_unchecked.to_owned()),
        ];
    }
    let mut found: Vec<(String, String)> = Vec::new();
    for button in &buttons {
        let name = screen_of(button);
        if found.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let text = button
            .get("text")
            .and_then(Value::as_str)
            .filter(|text| !text.trim().is_empty());
        let label = text.unwrap_or(match Meaning::of(button.get("value")) {
            Meaning::Accepts => t.boxes().box_button_accepts,
            Meaning::Refuses => t.boxes().box_button_refuses,
            Meaning::Own => &name,
        });
        found.push((name.clone(), label.to_owned()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn a_screen_goes_along_with_its_button_s_value() {
        let mut document = json!({
            "buttons": [{"value": "offers", "text": "Offers"}, {"value": true}, {}],
            "confirmations": {"offers": {"title": "Thanks"}, "true": {"title": "Yes"}},
        });
        set_value(&mut document, 0, json!("deals"));
        assert_eq!(document["confirmations"]["deals"]["title"], "Thanks");
        assert_eq!(document["confirmations"].get("offers"), None);
        // Another button accepts as well: its screen stays.
        set_value(&mut document, 1, json!("all"));
        assert_eq!(document["confirmations"]["true"]["title"], "Yes");
        assert_eq!(document["buttons"][1]["value"], "all");
        set_value(&mut document, 9, json!(false));
    }

    #[test]
    fn new_buttons_begin_with_yes_and_no_and_have_values_of_their_own() {
        assert_eq!(
            blank(&[]),
            [json!({"value": true}), json!({"value": false})]
        );
        let list = [json!({"value": "option-1"}), json!({})];
        assert_eq!(blank(&list), [json!({"value": "option-2"})]);
    }

    #[test]
    fn what_is_not_fair_is_told() {
        let t = Locale::En.texts();
        assert_eq!(concerns(&json!({}), t), Vec::<&str>::new());
        let fair = json!({"buttons": [{"color": "primary"}, {"value": false, "color": "primary"}]});
        assert_eq!(concerns(&fair, t), Vec::<&str>::new());
        let unfair =
            json!({"buttons": [{"color": "primary"}, {"value": false}], "idRequired": true});
        assert_eq!(
            concerns(&unfair, t),
            [t.boxes().box_warn_unequal, t.boxes().box_warn_required]
        );
        let forced = json!({"buttons": [{"value": "all"}]});
        assert_eq!(concerns(&forced, t), [t.boxes().box_warn_no_refusal]);
    }
}
