//! A vendor in the list of a page.

use domain::documents::Vendor;

use super::{details, text::words_of};

pub(super) struct Row<'a> {
    /// Its number in the configuration, from which its ids are made.
    pub(super) number: usize,
    pub(super) name: &'a str,
    pub(super) title: &'a str,
    pub(super) initial: String,
    pub(super) short: Option<&'a str>,
    /// True if there are details to be loaded.
    pub(super) has_details: bool,
}

impl<'a> Row<'a> {
    pub(super) fn of(vendor: &'a Vendor, number: usize) -> Self {
        let title = words_of(Some(&vendor.title)).unwrap_or(&vendor.name);
        let initial = title.chars().find(|c| c.is_alphanumeric());
        Self {
            number,
            name: &vendor.name,
            title,
            initial: initial
                .map(|c| c.to_uppercase().collect())
                .unwrap_or_default(),
            short: words_of(vendor.short_description.as_deref()),
            has_details: details::has_some(vendor),
        }
    }
}
