//! The text of the first layer where the owner has written none: the purposes of the services, who answers for the
//! data, how many services there are, how long an answer is kept, and how a visitor changes their mind.

use std::collections::BTreeSet;

use domain::{
    documents::{CookieConfiguration, Layout, Step, Vendor},
    payload::purpose,
};

use super::{
    party::Party,
    purposes,
    text::{Words, words_of},
};
use crate::vendors::{categories, category_title};

pub(super) struct Opening<'a> {
    pub(super) asked: String,
    pub(super) controller: Option<Party<'a>>,
    /// The number of services, if there are any.
    pub(super) services: Option<String>,
    /// The list of services is on the next layer.
    pub(super) leads_on: bool,
    /// The time for which an answer is kept.
    pub(super) kept: Kept<'a>,
    pub(super) change_mind: Option<String>,
}

/// Days in words. The days stand in an element of their own: a page may have others (`userCookiesDuration`), and the SDK
/// puts in those that apply there.
pub(super) struct Kept<'a> {
    pub(super) before: &'a str,
    /// `None` where the words of the owner tell no days.
    pub(super) days: Option<u32>,
    pub(super) after: &'a str,
}

impl<'a> Kept<'a> {
    fn of(words: &'a str, days: u32) -> Self {
        let parts = words.split_once("{days}");
        let (before, after) = parts.unwrap_or((words, ""));
        Self {
            before,
            days: parts.map(|_| days),
            after,
        }
    }
}

/// True if the widget writes the text of a step.
pub(super) fn is_missing(index: usize, step: &Step) -> bool {
    index == 0 && step.layout.asks() && words_of(step.message.as_deref()).is_none()
}

impl<'a> Opening<'a> {
    /// Of the page at `index`, unless the owner has written its text.
    pub(super) fn of(
        configuration: &'a CookieConfiguration,
        words: &Words<'a>,
        index: usize,
        step: &'a Step,
    ) -> Option<Self> {
        let steps = configuration.steps.iter();
        let vendors: Vec<&Vendor> = steps.flat_map(|step| &step.vendors).collect();
        if !is_missing(index, step) {
            return None;
        }
        let language = &configuration.language;
        let asked = match named(&vendors, language) {
            purposes if purposes.is_empty() => words.get("opening").to_owned(),
            purposes => words.fill("purposesAsked", &[("purposes", &purposes)]),
        };
        let reopen = [("reopen", words.get("reopen"))];
        let settings = &configuration.settings;
        let controller = configuration.data_processor.as_ref();
        Some(Self {
            asked,
            controller: controller.and_then(Party::of),
            services: (!vendors.is_empty())
                .then(|| words.fill("servicesCount", &[("count", &vendors.len().to_string())])),
            kept: Kept::of(words.get("keptDays"), settings.cookie_duration_days),
            leads_on: step.layout == Layout::Welcome || step.vendors.is_empty(),
            // Visitors who have chosen must find the button that it names.
            change_mind: (settings.reopen_button && !settings.hide_for_visitors_with_choice)
                .then(|| words.fill("changeMind", &reopen)),
        })
    }
}

/// The titles of all categories that services have, in the order of the catalogue.
fn named(vendors: &[&Vendor], language: &str) -> String {
    let used: BTreeSet<&str> = vendors.iter().flat_map(|vendor| known(vendor)).collect();
    let titles: Vec<_> = categories()
        .filter(|name| used.contains(name))
        .map(|name| category_title(name, language))
        .collect();
    let comma = match domain::language::primary(language).as_str() {
        "ar" => "، ",
        "ja" | "zh" => "、",
        _ => ", ",
    };
    titles.join(comma)
}

/// The categories of a service by the names of the catalogue. Custom vendors have words of their own, which
/// say at least a purpose.
pub(super) fn known(vendor: &Vendor) -> Vec<&str> {
    let own = vendor.categories.iter().map(String::as_str);
    let mut known: Vec<&str> = own
        .filter(|own| categories().any(|category| category == *own))
        .collect();
    if known.len() < vendor.categories.len() {
        known.extend(purposes(vendor).bytes().map(|letter| match letter {
            purpose::ADVERTISING => "advertising",
            purpose::ANALYTICS => "analytics",
            purpose::PERSONALISATION => "experience",
            _ => "functional",
        }));
    }
    known
}
