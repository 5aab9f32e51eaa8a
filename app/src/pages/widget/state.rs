//! State that the parts of the editor share: the draft, the place in the form, the services known by id.

use std::collections::BTreeMap;

use domain::documents::{CONFIGURATION, asks_by_tcf, steps_beside_tcf, vendor_id};
use leptos::prelude::*;
use serde_json::{Value, json};

use crate::components::draft::{Draft, covers};
use crate::components::layout::{Tone, notice};
use crate::fns::vendors::VendorCard;
use crate::i18n::Texts;
use crate::pages::fields;

/// The subject of the form in the middle, as the address names it (`?at=…`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    General,
    Step(usize),
    Words,
    Behaviour,
    Signals,
    Look,
    /// The choices of a step that asks by TCF.
    Framework,
    Languages,
    /// The texts in another language.
    Language(String),
}

impl Place {
    pub fn parse(at: Option<&str>) -> Self {
        match at {
            Some("general") => Self::General,
            Some("words") => Self::Words,
            Some("behaviour") => Self::Behaviour,
            Some("signals") => Self::Signals,
            Some("look") => Self::Look,
            Some("tcf") => Self::Framework,
            Some("languages") => Self::Languages,
            Some(other) => match other.strip_prefix("language-") {
                Some(code) => Self::Language(code.to_owned()),
                None => Self::step(other),
            },
            None => Self::Step(0),
        }
    }

    fn step(code: &str) -> Self {
        code.strip_prefix("step-")
            .and_then(|number| number.parse::<usize>().ok())
            .and_then(|number| number.checked_sub(1))
            .map_or(Self::Step(0), Self::Step)
    }

    /// The form with the field at a pointer.
    pub fn of_field(pointer: &str) -> Self {
        let mut parts = pointer.split('/').skip(1);
        match (parts.next(), parts.next()) {
            (Some("steps"), Some(index)) => Self::Step(index.parse().unwrap_or_default()),
            (Some("strings" | "voice"), _) => Self::Words,
            (Some("settings"), _) => Self::Behaviour,
            (Some("googleConsentMode" | "gpp"), _) => Self::Signals,
            (Some("tcf"), _) => Self::Framework,
            (Some("languages"), _) => Self::Languages,
            (Some("translations"), Some(code)) => Self::Language(code.to_owned()),
            _ => Self::General,
        }
    }

    /// True if it is a form of the list, or the list itself.
    pub fn is_in(&self, list: &Self) -> bool {
        self == list || matches!((self, list), (Self::Language(_), Self::Languages))
    }

    pub fn code(&self) -> String {
        match self {
            Self::General => "general".to_owned(),
            Self::Step(index) => format!("step-{}", index + 1),
            Self::Words => "words".to_owned(),
            Self::Behaviour => "behaviour".to_owned(),
            Self::Signals => "signals".to_owned(),
            Self::Look => "look".to_owned(),
            Self::Framework => "tcf".to_owned(),
            Self::Languages => "languages".to_owned(),
            Self::Language(code) => format!("language-{code}"),
        }
    }
}

/// Pointers of the fields of a form that it does not draw by itself. `shown` are those that it does.
fn undrawn(place: &Place, shown: &[&str]) -> Vec<String> {
    let all = fields::rows(&CONFIGURATION).into_iter();
    let of_form = all.filter(|pointer| Place::of_field(pointer) == *place);
    of_form
        .filter(|pointer| !shown.iter().any(|one| covers(one, pointer)))
        .collect()
}

/// The rows of the fields of a form that it does not draw by itself, so that a new field needs no row of its own.
pub fn others(draft: Draft, place: Place, shown: &'static [&'static str]) -> AnyView {
    let undrawn = undrawn(&place, shown).into_iter();
    let rows = undrawn.filter_map(|pointer| fields::row(draft, &pointer));
    rows.collect_view().into_any()
}

/// The problems of a form that none of its fields shows, so that none is ever swallowed. `shown` are its fields that do,
/// beside [`others`].
pub fn untold(draft: Draft, place: Place, shown: &'static [&'static str]) -> AnyView {
    let others = undrawn(&place, shown);
    let told = move || {
        let is_shown = |pointer: &str| {
            let drawn = shown
                .iter()
                .copied()
                .chain(others.iter().map(String::as_str));
            drawn.into_iter().any(|one| covers(one, pointer))
        };
        let problems =
            draft.problems_of(|pointer| Place::of_field(pointer) == place && !is_shown(pointer));
        (!problems.is_empty()).then(|| notice(Tone::Danger, problems.join(" ")))
    };
    told.into_any()
}

/// State that the parts of the editor share.
#[derive(Clone, Copy)]
pub struct Editor {
    pub draft: Draft,
    pub place: Memo<Place>,
    pub go: Callback<Place>,
    pub chosen: Chosen,
    pub project: StoredValue<String>,
    pub t: &'static Texts,
}

/// The services that steps name by id.
#[derive(Clone, Copy)]
pub struct Chosen {
    cards: RwSignal<BTreeMap<String, VendorCard>>,
    changes: RwSignal<u32>,
}

impl Chosen {
    pub fn new(cards: Vec<VendorCard>) -> Self {
        let cards = cards.into_iter().map(|card| (card.id.clone(), card));
        Self {
            cards: RwSignal::new(cards.collect()),
            changes: RwSignal::new(0),
        }
    }

    /// Number of changes of services, which the preview shows as well. The configuration stays the same with them.
    pub fn changes(self) -> u32 {
        self.changes.get()
    }

    /// Has the preview drawn anew after a change of a service.
    pub fn redraw(self) {
        self.changes.try_update(|changes| *changes += 1);
    }

    pub fn card(self, id: &str) -> VendorCard {
        let known = self.cards.with(|cards| cards.get(id).cloned());
        known.unwrap_or_else(|| VendorCard::missing(id))
    }

    /// Titles of a step's custom services that have no purpose.
    pub fn without_purpose(self, step: &Value) -> Vec<String> {
        let named = step.get("vendors").and_then(Value::as_array);
        let ids = named.into_iter().flatten().filter_map(vendor_id);
        self.cards.with(|cards| {
            let cards = ids.filter_map(|id| cards.get(id));
            let own = cards.filter(|card| card.custom && card.category.is_empty());
            own.map(|card| card.title.clone()).collect()
        })
    }

    pub fn learn(self, card: VendorCard) {
        // The page may be gone before an answer of the server is there.
        let _ = self.cards.try_update(|cards| {
            cards.insert(card.id.clone(), card);
        });
    }
}

/// True if a step of a configuration asks by TCF.
pub fn asks(draft: Draft) -> Memo<bool> {
    Memo::new(move |_| draft.with_at("", |whole| whole.is_some_and(asks_by_tcf)))
}

/// Gives a configuration that begins to ask by TCF the field that it needs.
pub fn begin_when_asked(draft: Draft, asks: Memo<bool>) {
    Effect::new(move |_| {
        let lacks = draft.with_at("/tcf", |tcf| tcf.is_none_or(Value::is_null));
        if asks.get() && lacks && !draft.read_only.get() {
            draft.set("/tcf", Some(json!({"vendors": []})));
        }
    });
}

/// Removes the steps that cannot stand beside one that asks by TCF. Returns true if there were some.
pub fn remove_steps_beside(draft: Draft) -> bool {
    let left = steps_that_stay(&draft.value_untracked());
    let is_changed = left.is_some();
    if is_changed {
        draft.set("/steps", left);
    }
    is_changed
}

/// The steps of a configuration that may stay; `None` if all may.
fn steps_that_stay(configuration: &Value) -> Option<Value> {
    let gone = steps_beside_tcf(configuration);
    let steps = configuration.get("steps").and_then(Value::as_array)?;
    let left = steps.iter().enumerate();
    let left = left.filter(|(index, _)| !gone.contains(index));
    (!gone.is_empty()).then(|| left.map(|(_, step)| step.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_before_the_step_of_tcf_stay() {
        let layouts = ["info", "welcome", "iab", "info", "category"];
        let steps = layouts.map(|layout| json!({"layout": layout}));
        let left = steps_that_stay(&json!({"steps": steps}));
        assert_eq!(left, Some(json!([{"layout": "info"}, {"layout": "iab"}])));
        assert_eq!(steps_that_stay(&json!({"steps": left})), None);
    }

    #[test]
    fn places_are_named_in_the_address() {
        for place in [
            Place::General,
            Place::Step(2),
            Place::Words,
            Place::Behaviour,
            Place::Signals,
            Place::Look,
            Place::Framework,
            Place::Languages,
            Place::Language("fr".to_owned()),
        ] {
            assert_eq!(Place::parse(Some(&place.code())), place);
        }
        assert_eq!(Place::parse(None), Place::Step(0));
        assert_eq!(Place::parse(Some("step-0")), Place::Step(0));
        assert_eq!(Place::parse(Some("nonsense")), Place::Step(0));
    }
}
