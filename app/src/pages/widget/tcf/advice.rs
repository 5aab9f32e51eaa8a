//! Remarks of the policies and of the server about a draft, at the card that they are about, with a fix where there
//! is a plain one.

use std::collections::BTreeMap;

use domain::documents::MOST_DAYS;
use domain::error_code::ErrorCode;
use domain::field_error::FieldError;
use serde_json::{Value, json};

use super::super::state::Place;
use crate::fns::tcf::{Framework, Notice, Plan, Platform, Standing};
use crate::i18n::{SectionTexts, StepTexts, fill, number};

/// Vendors that visitors can still weigh ("Policies", 20(1)).
const MANY: u64 = 200;
/// The field of Google's providers.
pub const PROVIDERS: &str = "/tcf/additionalConsent";
/// Ids that a remark names.
const MOST_LISTED: usize = 20;

/// A card of the section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Card {
    State,
    Publisher,
    Vendors,
    Purposes,
    Stacks,
    Interests,
    Rules,
    Providers,
}

/// A remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// True if it keeps the draft from being published.
    pub stops: bool,
    pub text: String,
    /// The label of the button that mends it, and its effect.
    pub fix: Option<(&'static str, Fix)>,
}

/// The effect of a fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fix {
    Set(String, Option<Value>),
    /// Removes these ids from the list at a pointer.
    Remove(String, Vec<u16>),
    RemoveSteps,
    Go(Place),
}

impl Card {
    /// The card with the field at a pointer.
    fn of(pointer: &str) -> Self {
        let mut parts = pointer.split('/').skip(1);
        if parts.next() != Some("tcf") {
            return Self::State;
        }
        match parts.next() {
            Some("vendors") => Self::Vendors,
            Some("additionalConsent") => Self::Providers,
            Some("purposes" | "specialFeatures") => Self::Purposes,
            Some("stacks") => Self::Stacks,
            Some("legitimateInterests") => Self::Interests,
            Some("restrictions") => Self::Rules,
            _ => Self::Publisher,
        }
    }
}

/// The remarks about a card.
pub fn advice(
    card: Card,
    draft: &Value,
    plan: Option<&Plan>,
    known: &Framework,
    w: &'static SectionTexts,
) -> Vec<Advice> {
    let mut found = Vec::new();
    if card == Card::State {
        found.extend(of_list(plan, known, w));
    }
    let Some(plan) = plan else {
        return found;
    };
    let errors = plan.errors.iter();
    let mut of_errors: Vec<Advice> = errors
        .filter(|error| Card::of(&error.pointer) == card && !is_stiff(error))
        .map(|error| of_error(error, draft, w))
        .collect();
    // Several fields may break one rule.
    of_errors.dedup();
    found.extend(of_errors);
    if card == Card::Rules {
        found.extend(of_rules(&plan.errors, draft, w));
    }
    found.extend(of_notices(card, &plan.notices, w));
    if card == Card::Vendors
        && let Some(counts) = &plan.counts
        && counts.vendors > MANY
    {
        let keep = json!(known.suggested);
        let fix = Fix::Set("/tcf/vendors".to_owned(), Some(keep));
        found.push(Advice {
            stops: false,
            text: fill(w.many, &[("n", &number(counts.vendors))]),
            fix: (!known.suggested.is_empty()).then_some((w.keep_suggested, fix)),
        });
    }
    found
}

fn of_list(plan: Option<&Plan>, known: &Framework, w: &'static SectionTexts) -> Vec<Advice> {
    let told = |stops, text: &str| Advice {
        stops,
        text: text.to_owned(),
        fix: None,
    };
    let mut found = Vec::new();
    if plan.is_some_and(|plan| plan.platform == Platform::Absent) {
        found.push(told(true, w.platform_absent));
    }
    let awaited = plan.is_some_and(|plan| plan.list != Standing::Absent);
    match &known.list {
        None if awaited => found.push(told(true, w.list_awaited)),
        None => found.push(told(true, w.list_absent)),
        Some(list) if list.is_old => found.push(told(false, w.list_old)),
        Some(_) => {}
    }
    found
}

fn of_error(error: &FieldError, draft: &Value, w: &'static SectionTexts) -> Advice {
    let pointer = error.pointer.as_str();
    let (text, fix) = match (pointer, error.code) {
        ("/tcf/publisherCC", ErrorCode::Required) => (w.country_needed.to_owned(), None),
        ("/tcf/vendors", ErrorCode::Required) => (w.partners_needed.to_owned(), None),
        ("/language", _) => (
            w.no_translation.to_owned(),
            Some((w.go_language, Fix::Go(Place::General))),
        ),
        ("/settings/cookieDurationDays", _) => (
            w.too_long_kept.to_owned(),
            Some((
                w.set_390,
                Fix::Set(pointer.to_owned(), Some(json!(MOST_DAYS))),
            )),
        ),
        (_, ErrorCode::IabAlone) => {
            let w = StepTexts::of_this_page();
            (
                w.steps_beside.to_owned(),
                Some((w.steps_remove, Fix::RemoveSteps)),
            )
        }
        (_, ErrorCode::Duplicate) if pointer.starts_with("/tcf/stacks/") => {
            let stack = draft.pointer(pointer).and_then(Value::as_u64);
            let stack = stack.and_then(|id| u16::try_from(id).ok());
            let fix = stack.map(|id| Fix::Remove("/tcf/stacks".to_owned(), vec![id]));
            (
                w.stacks_overlap.to_owned(),
                fix.map(|fix| (w.remove_stack, fix)),
            )
        }
        (_, ErrorCode::Duplicate) if Card::of(pointer) == Card::Rules => {
            (w.rules_overlap.to_owned(), None)
        }
        (_, ErrorCode::NotAllowed) if Card::of(pointer) == Card::Rules => {
            let fix = Fix::Set(pointer.to_owned(), Some(json!("not_allowed")));
            (
                w.rule_basis.to_owned(),
                Some((w.rule_make_not_allowed, fix)),
            )
        }
        _ => (error.detail.clone(), None),
    };
    Advice {
        stops: true,
        text,
        fix,
    }
}

/// Rules that name vendors to whom they cannot apply (`/tcf/restrictions/<rule>/vendors/<index>`), one remark for
/// each rule.
fn of_rules(errors: &[FieldError], draft: &Value, w: &'static SectionTexts) -> Vec<Advice> {
    let mut stiff = BTreeMap::<usize, Vec<u16>>::new();
    for error in errors.iter().filter(|error| is_stiff(error)) {
        let id = draft.pointer(&error.pointer).and_then(Value::as_u64);
        let id = id.and_then(|id| u16::try_from(id).ok());
        let rule = error.pointer.split('/').nth(3);
        if let (Some(id), Some(Ok(rule))) = (id, rule.map(str::parse)) {
            stiff.entry(rule).or_default().push(id);
        }
    }
    let remarks = stiff.into_iter().map(|(rule, ids)| {
        let (n, named) = ((rule + 1).to_string(), listed(&ids));
        let list = format!("/tcf/restrictions/{rule}/vendors");
        Advice {
            stops: true,
            text: fill(w.rule_cannot, &[("n", &n), ("ids", &named)]),
            fix: Some((w.rule_take_out, Fix::Remove(list, ids))),
        }
    });
    remarks.collect()
}

/// True if a rule cannot apply to a vendor that it names.
fn is_stiff(error: &FieldError) -> bool {
    let mut parts = error.pointer.split('/').skip(1);
    let is_vendor = parts.next() == Some("tcf")
        && parts.next() == Some("restrictions")
        && parts.nth(1) == Some("vendors")
        && parts.next().is_some();
    is_vendor && error.code == ErrorCode::InvalidValue
}

/// Ids in words; many are cut.
fn listed(ids: &[u16]) -> String {
    let shown: Vec<String> = ids.iter().take(MOST_LISTED).map(u16::to_string).collect();
    let rest = if ids.len() > MOST_LISTED { ", …" } else { "" };
    format!("{}{rest}", shown.join(", "))
}

fn of_notices(card: Card, notices: &[Notice], w: &'static SectionTexts) -> Vec<Advice> {
    let ids = |pick: fn(&Notice) -> Option<u16>| -> Vec<u16> {
        notices.iter().filter_map(pick).collect()
    };
    let told = |ids: Vec<u16>, text: &'static str, label: &'static str, list: &str| {
        (!ids.is_empty()).then(|| Advice {
            stops: false,
            text: fill(text, &[("ids", &listed(&ids))]),
            fix: Some((label, Fix::Remove(list.to_owned(), ids))),
        })
    };
    let found = match card {
        Card::Vendors => vec![
            told(
                ids(|notice| match notice {
                    Notice::VendorGone(id) => Some(*id),
                    _ => None,
                }),
                w.gone,
                w.remove_them,
                "/tcf/vendors",
            ),
            told(
                ids(|notice| match notice {
                    Notice::VendorEmpty(id) => Some(*id),
                    _ => None,
                }),
                w.emptied,
                w.remove_them,
                "/tcf/vendors",
            ),
        ],
        Card::Providers => vec![told(
            ids(|notice| match notice {
                Notice::ProviderGone(id) => Some(*id),
                _ => None,
            }),
            w.unknown_providers,
            w.remove_them,
            PROVIDERS,
        )],
        Card::Stacks => vec![told(
            ids(|notice| match notice {
                Notice::StackUncovered(id) => Some(*id),
                _ => None,
            }),
            w.stack_uncovered,
            w.remove_stack,
            "/tcf/stacks",
        )],
        _ => Vec::new(),
    };
    found.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fns::tcf::Counts;
    use crate::i18n::SectionTexts;

    fn plan(errors: Vec<FieldError>, notices: Vec<Notice>, vendors: u64) -> Plan {
        Plan {
            platform: Platform::Registered(31),
            list: Standing::Here,
            counts: Some(Counts {
                vendors,
                ..Counts::default()
            }),
            notices,
            errors,
        }
    }

    fn known() -> Framework {
        Framework {
            list: Some(crate::fns::tcf::ListState {
                version: 1,
                updated_at: 0,
                is_old: false,
                vendors: 3,
            }),
            suggested: vec![755],
            ..Framework::default()
        }
    }

    #[test]
    fn a_remark_stands_at_its_card_with_its_fix() {
        let w = SectionTexts::of_this_page();
        let draft = json!({"tcf": {"vendors": [1, 2], "stacks": [2, 3],
            "restrictions": [{"purpose": 7, "type": "consent", "vendors": [2, 1]}]}});
        let error = |pointer: &str, code| FieldError::new(pointer, code, "Detail.");
        let errors = vec![
            error("/tcf/publisherCC", ErrorCode::Required),
            error("/tcf/stacks/1", ErrorCode::Duplicate),
            error("/tcf/restrictions/0/vendors/0", ErrorCode::InvalidValue),
            error("/tcf/restrictions/0/vendors/1", ErrorCode::InvalidValue),
            error("/steps/1/layout", ErrorCode::IabAlone),
            error("/steps/2/layout", ErrorCode::IabAlone),
        ];
        let notices = vec![Notice::VendorGone(1), Notice::StackUncovered(3)];
        let plan = plan(errors, notices, 201);
        let fixes = |card| -> Vec<Option<Fix>> {
            let found = advice(card, &draft, Some(&plan), &known(), w).into_iter();
            found.map(|one| one.fix.map(|(_, fix)| fix)).collect()
        };
        let remove = |list: &str, id| Some(Fix::Remove(list.to_owned(), vec![id]));
        assert_eq!(fixes(Card::State), [Some(Fix::RemoveSteps)]);
        assert_eq!(fixes(Card::Publisher), [None]);
        assert_eq!(
            fixes(Card::Vendors),
            [
                remove("/tcf/vendors", 1),
                Some(Fix::Set("/tcf/vendors".to_owned(), Some(json!([755]))))
            ]
        );
        assert_eq!(
            fixes(Card::Stacks),
            [remove("/tcf/stacks", 3), remove("/tcf/stacks", 3)]
        );
        assert_eq!(
            fixes(Card::Rules),
            [Some(Fix::Remove(
                "/tcf/restrictions/0/vendors".to_owned(),
                vec![2, 1]
            ))]
        );
        assert_eq!(fixes(Card::Purposes), []);
    }

    #[test]
    fn a_server_without_platform_or_list_says_so() {
        let w = SectionTexts::of_this_page();
        let mut plan = plan(Vec::new(), Vec::new(), 1);
        (plan.platform, plan.list) = (Platform::Absent, Standing::Absent);
        let found = advice(
            Card::State,
            &json!({}),
            Some(&plan),
            &Framework::default(),
            w,
        );
        let texts: Vec<_> = found.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, [w.platform_absent, w.list_absent]);
    }
}
