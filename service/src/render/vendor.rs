//! A vendor in the list of a page.

use domain::documents::Vendor;

use super::{
    links::{Policy, WebAddress},
    text::words_of,
};

pub(super) struct Row<'a> {
    /// Its number in the configuration, from which its ids are made.
    pub(super) number: usize,
    pub(super) name: &'a str,
    pub(super) title: &'a str,
    pub(super) initial: String,
    pub(super) short: Option<&'a str>,
    pub(super) long: Option<&'a str>,
    pub(super) policy: Option<Policy<'a>>,
    pub(super) host: Option<&'a str>,
}

impl<'a> Row<'a> {
    pub(super) fn of(vendor: &'a Vendor, number: usize) -> Self {
        let title = words_of(Some(&vendor.title)).unwrap_or(&vendor.name);
        let initial = title.chars().find(|c| c.is_alphanumeric());
        let short = words_of(vendor.short_description.as_deref());
        let long = words_of(vendor.long_description.as_deref());
        let policy = WebAddress::of(vendor.policy_url.as_deref());
        Self {
            number,
            name: &vendor.name,
            title,
            initial: initial
                .map(|c| c.to_uppercase().collect())
                .unwrap_or_default(),
            short,
            long: long.filter(|long| Some(*long) != short),
            policy: policy.map(|url| Policy {
                url,
                service: Some(title),
            }),
            // A policy's address names the host already.
            host: words_of(vendor.domain.as_deref()).filter(|_| policy.is_none()),
        }
    }

    /// True if there is more than a sentence.
    pub(super) fn has_more(&self) -> bool {
        self.long.is_some() || self.policy.is_some() || self.host.is_some()
    }
}
