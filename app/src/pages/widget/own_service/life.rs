//! The life of a cookie as people write it: a number and its unit.

use domain::documents::LIFE_UNITS;
use leptos::prelude::*;
use serde_json::{Value, json};

use crate::components::draft::Draft;
use crate::components::field::{id_of, problem, select_control};
use crate::i18n::ServiceTexts;

/// Nobody knows the life.
const UNKNOWN: &str = "";
/// The cookie ends when the browser closes.
const SESSION: &str = "session";
/// The unit for which a number is asked first.
const FIRST: &str = "day";

/// Seconds of a unit, if it is one of time.
fn length(unit: &str) -> Option<u64> {
    let found = LIFE_UNITS.iter().find(|(name, _)| *name == unit);
    found.map(|(_, seconds)| *seconds)
}

/// The unit in which a life is shown: the wished one, if the life is a whole number of it.
fn unit_of(seconds: Option<&Value>, wish: &str) -> &'static str {
    let wished = LIFE_UNITS.iter().find(|(name, _)| *name == wish);
    let Some(seconds) = seconds else {
        return wished.map_or(UNKNOWN, |(name, _)| name);
    };
    let Some(seconds) = seconds.as_u64() else {
        // Text that is no number stays beside the unit until it is one.
        return wished.map_or(FIRST, |(name, _)| name);
    };
    if let Some((name, length)) = wished
        && seconds.is_multiple_of(*length)
    {
        return name;
    }
    if seconds == 0 {
        return SESSION;
    }
    let mut units = LIFE_UNITS.iter();
    let whole = units.find(|(_, length)| seconds.is_multiple_of(*length));
    whole.map_or(FIRST, |(name, _)| name)
}

/// The number of a unit, as the field shows it.
fn amount(seconds: Option<&Value>, unit: &str) -> String {
    match (seconds, length(unit)) {
        (Some(Value::String(text)), _) => text.clone(),
        (Some(seconds), Some(length)) => {
            let number = seconds.as_u64().map(|seconds| seconds / length);
            number.map_or_else(|| seconds.to_string(), |number| number.to_string())
        }
        _ => String::new(),
    }
}

/// The seconds of a number of units. Other text stays as it is, so that the server refuses it and nobody loses it.
fn seconds(text: &str, unit: &str) -> Option<Value> {
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    let number = text.parse::<u64>().ok();
    let whole = number.and_then(|number| number.checked_mul(length(unit)?));
    Some(whole.map_or_else(|| json!(text), |whole| json!(whole)))
}

/// The fields of the life at a pointer.
pub fn life(draft: Draft, at: String) -> AnyView {
    let w = ServiceTexts::of_this_page();
    let id = id_of(&at);
    let (unit_id, number_id, problem_id) =
        (format!("{id}-unit"), id.clone(), format!("{id}-problem"));
    let at = StoredValue::new(at);
    let value = Memo::new(move |_| at.with_value(|at| draft.at(at)));
    let wish = RwSignal::new(unit_of(value.get_untracked().as_ref(), UNKNOWN).to_owned());
    let unit =
        Memo::new(move |_| value.with(|value| wish.with(|wish| unit_of(value.as_ref(), wish))));
    let shown = Memo::new(move |_| value.with(|value| amount(value.as_ref(), unit.get())));
    let write = move |value| at.with_value(|at| draft.set(at, value));
    let choose = move |chosen: String| {
        let before = untrack(|| shown.get());
        wish.set(chosen.clone());
        write(match chosen.as_str() {
            UNKNOWN => None,
            SESSION => Some(json!(0)),
            unit => seconds(&before, unit),
        });
    };
    let options = [
        (UNKNOWN, w.life_unknown),
        (SESSION, w.life_session),
        ("minute", w.life_minutes),
        ("hour", w.life_hours),
        ("day", w.life_days),
        ("year", w.life_years),
        ("second", w.life_seconds),
    ];
    let options = options.map(|(unit, label)| (unit.to_owned(), label.to_owned()));
    let is_number = Memo::new(move |_| length(unit.get()).is_some());
    let field = {
        let (number_id, problem_id) = (number_id.clone(), problem_id.clone());
        move || {
            let (number_id, problem_id) = (number_id.clone(), problem_id.clone());
            is_number.get().then(move || {
                view! {
                    <div class="field">
                        <label for=number_id.clone()>{w.life_number}</label>
                        <input
                            id=number_id
                            class="input input-short"
                            inputmode="numeric"
                            autocomplete="off"
                            aria-describedby=problem_id
                            disabled=draft.read_only
                            value=shown.get_untracked()
                            prop:value=shown
                            on:input:target=move |event| {
                                let text = event.target().value();
                                // The unit stays while a number is typed.
                                wish.set(unit.get_untracked().to_owned());
                                write(seconds(&text, unit.get_untracked()));
                            }
                        />
                    </div>
                }
            })
        }
    };
    let invalid = move || at.with_value(|at| draft.problem(at));
    view! {
        <div class="form-pair form-pair-tight">
            <div class="field">
                <label for=unit_id.clone()>{w.life}</label>
                {select_control(
                    unit_id,
                    options.into(),
                    Signal::derive(move || unit.get().to_owned()),
                    choose,
                    draft.read_only.into(),
                )}
                {problem(problem_id, invalid)}
            </div>
            {field}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400;

    #[test]
    fn a_life_is_shown_in_the_longest_whole_unit() {
        for (seconds, unit, number) in [
            (None, UNKNOWN, ""),
            (Some(0), SESSION, ""),
            (Some(90), "second", "90"),
            (Some(1_800), "minute", "30"),
            (Some(36 * 3_600), "hour", "36"),
            (Some(180 * DAY), "day", "180"),
            (Some(2 * 365 * DAY), "year", "2"),
        ] {
            let value = seconds.map(|seconds| json!(seconds));
            assert_eq!(unit_of(value.as_ref(), UNKNOWN), unit);
            assert_eq!(amount(value.as_ref(), unit), number);
        }
    }

    #[test]
    fn the_chosen_unit_stays_while_a_number_is_typed() {
        // A year that is typed as days stays in days.
        assert_eq!(unit_of(Some(&json!(365 * DAY)), "day"), "day");
        assert_eq!(unit_of(None, "day"), "day");
        assert_eq!(unit_of(Some(&json!(0)), "day"), "day");
        assert_eq!(unit_of(Some(&json!("x")), "hour"), "hour");
        assert_eq!(seconds("365", "day"), Some(json!(365 * DAY)));
        assert_eq!(seconds(" ", "day"), None);
        // The server refuses it at its field.
        assert_eq!(seconds("a year", "day"), Some(json!("a year")));
        assert_eq!(
            seconds("99999999999999999999", "day"),
            Some(json!("99999999999999999999"))
        );
        assert_eq!(amount(Some(&json!("a year")), "day"), "a year");
    }
}
