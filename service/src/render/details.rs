//! Details of a service, which the widget loads when a visitor asks for them.

use askama::Template;
use domain::documents::{Life, Vendor};

use super::{
    bounded::{Room, TooLarge},
    links::{Policy, WebAddress},
    markup::filters,
    text::{Words, words_of},
};

#[derive(Template)]
#[template(path = "widget/details.html")]
struct Details<'a> {
    words: &'a Words<'a>,
    long: Option<&'a str>,
    /// The language of the vendor's texts, if it is another one than the widget's.
    language: Option<&'a str>,
    company: Option<&'a str>,
    country: Option<&'a str>,
    cookies: Vec<CookieLine<'a>>,
    policy: Option<Policy<'a>>,
    host: Option<&'a str>,
}

struct CookieLine<'a> {
    name: &'a str,
    life: Life,
}

/// True if there is more to tell of a service than its row does.
pub(super) fn has_some(vendor: &Vendor) -> bool {
    let texts = [&vendor.long_description, &vendor.company, &vendor.domain];
    texts
        .into_iter()
        .any(|text| words_of(text.as_deref()).is_some())
        || !vendor.cookie_facts.is_empty()
        || WebAddress::of(vendor.policy_url.as_deref()).is_some()
}

/// The details as HTML; empty if there are none.
pub(super) fn of(room: &mut Room, words: &Words<'_>, vendor: &Vendor) -> Result<String, TooLarge> {
    let short = words_of(vendor.short_description.as_deref());
    let long = words_of(vendor.long_description.as_deref());
    let policy = WebAddress::of(vendor.policy_url.as_deref());
    let details = Details {
        words,
        long: long.filter(|long| Some(*long) != short),
        language: vendor.text_language.as_deref(),
        company: words_of(vendor.company.as_deref()),
        country: words_of(vendor.country.as_deref()),
        cookies: vendor
            .cookie_facts
            .iter()
            .map(|cookie| CookieLine {
                name: &cookie.name,
                life: Life::of(cookie.max_age_seconds),
            })
            .collect(),
        policy: policy.map(|url| Policy {
            url,
            service: Some(words_of(Some(&vendor.title)).unwrap_or(&vendor.name)),
        }),
        // A policy's address names the host already.
        host: words_of(vendor.domain.as_deref()).filter(|_| policy.is_none()),
    };
    room.draw(&details)
}
