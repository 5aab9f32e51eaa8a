//! Parties that process the data, and the address for questions (GDPR, article 13).

use domain::documents::{CookieConfiguration, Processor};

use super::{links::WebAddress, text::words_of};

/// A party with a name.
pub(super) struct Party<'a> {
    pub(super) name: &'a str,
    pub(super) website: Option<WebAddress<'a>>,
    /// Its role, and a sentence.
    pub(super) more: Vec<&'a str>,
}

impl<'a> Party<'a> {
    pub(super) fn of(one: &'a Processor) -> Option<Self> {
        let more = [&one.role, &one.short_description];
        Some(Self {
            name: words_of(one.name.as_deref())?,
            website: WebAddress::of(one.website.as_deref()),
            more: more
                .into_iter()
                .filter_map(|text| words_of(text.as_deref()))
                .collect(),
        })
    }
}

/// The address for questions.
pub(super) enum Contact<'a> {
    Page(WebAddress<'a>),
    Mail(&'a str),
    Text(&'a str),
}

impl<'a> Contact<'a> {
    fn of(contact: &'a str) -> Self {
        if let Some(page) = WebAddress::of(Some(contact)) {
            Self::Page(page)
        } else if contact.contains('@') && !contact.contains(char::is_whitespace) {
            Self::Mail(contact)
        } else {
            Self::Text(contact)
        }
    }
}

/// The party that answers for the data of a configuration, and the address for questions.
pub(super) struct Responsible<'a> {
    pub(super) controller: Option<Party<'a>>,
    pub(super) contact: Option<Contact<'a>>,
}

impl<'a> Responsible<'a> {
    pub(super) fn of(configuration: &'a CookieConfiguration) -> Self {
        let controller = configuration.data_processor.as_ref();
        Self {
            controller: controller.and_then(Party::of),
            contact: words_of(configuration.contact.as_deref()).map(Contact::of),
        }
    }
}
