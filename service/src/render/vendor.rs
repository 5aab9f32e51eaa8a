//! The rows of the list of services on a page.

use domain::documents::{CookieConfiguration, Layout, Vendor};

use super::{
    details,
    text::{Words, words_of},
};

/// A vendor that a visitor decides about.
pub(super) struct Row<'a> {
    /// Its number in the configuration, from which its ids are made.
    pub(super) number: usize,
    pub(super) name: &'a str,
    pub(super) title: &'a str,
    pub(super) initial: String,
    pub(super) short: Option<&'a str>,
    /// The language of both texts, if it is another one than the widget's.
    pub(super) language: Option<&'a str>,
    /// True if there are details to be loaded.
    pub(super) has_details: bool,
}

impl<'a> Row<'a> {
    pub(super) fn of(vendor: &'a Vendor, number: usize) -> Self {
        let title = words_of(Some(&vendor.title)).unwrap_or(&vendor.name);
        Self {
            number,
            name: &vendor.name,
            title,
            initial: initial(title),
            short: words_of(vendor.short_description.as_deref()),
            language: vendor.text_language.as_deref(),
            has_details: details::has_some(vendor),
        }
    }
}

/// A service that needs no consent.
pub(super) struct ExemptRow<'a> {
    pub(super) title: &'a str,
    pub(super) initial: String,
    pub(super) reason: &'a str,
    /// The languages of both texts, if they are others than the widget's.
    pub(super) title_language: Option<&'a str>,
    pub(super) reason_language: Option<&'a str>,
}

impl<'a> ExemptRow<'a> {
    fn of(title: &'a str, reason: &'a str) -> Self {
        let initial = initial(title);
        Self {
            title,
            initial,
            reason,
            title_language: None,
            reason_language: None,
        }
    }

    /// The rows of the page at `index`: on the first list of services all of them, and on others none. The
    /// widget itself is such a service.
    pub(super) fn all(
        configuration: &'a CookieConfiguration,
        words: &Words<'a>,
        index: usize,
    ) -> Vec<Self> {
        let mut steps = configuration.steps.iter();
        let lists =
            steps.position(|step| step.layout == Layout::Category || !step.vendors.is_empty());
        if lists != Some(index) {
            return Vec::new();
        }
        let others = configuration.always_on.iter().enumerate();
        let others = others.map(|(index, one)| {
            let language =
                |field: &str| configuration.language_of_text(&format!("/alwaysOn/{index}/{field}"));
            Self {
                title_language: language("title"),
                reason_language: language("reason"),
                ..Self::of(one.title.trim(), one.reason.trim())
            }
        });
        let own = Self::of(words.get("reopen"), words.get("ownReason"));
        others.chain([own]).collect()
    }
}

/// The letter in place of a picture.
fn initial(title: &str) -> String {
    let initial = title.chars().find(|c| c.is_alphanumeric());
    initial
        .map(|c| c.to_uppercase().collect())
        .unwrap_or_default()
}
