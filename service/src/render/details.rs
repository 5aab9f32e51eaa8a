//! Details of a service, which the widget loads when a visitor asks for them.

use askama::Template;
use domain::documents::Vendor;

use super::{
    links::{Policy, WebAddress},
    markup::filters,
    text::{Words, words_of},
};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const YEAR: u64 = 365 * DAY;

#[derive(Template)]
#[template(path = "widget/details.html")]
struct Details<'a> {
    words: &'a Words<'a>,
    long: Option<&'a str>,
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

/// The life of a cookie.
#[derive(Debug, PartialEq, Eq)]
enum Life {
    /// An amount and its unit. Browsers know the word for it in every language.
    Known(u64, &'static str),
    /// Until the browser closes.
    Session,
    Unknown,
}

impl Life {
    fn of(seconds: Option<u64>) -> Self {
        match seconds {
            None => Self::Unknown,
            Some(0) => Self::Session,
            Some(years) if years.is_multiple_of(YEAR) => Self::Known(years / YEAR, "year"),
            Some(seconds) => {
                let units = [(DAY, "day"), (HOUR, "hour"), (MINUTE, "minute")];
                let unit = units.into_iter().find(|(length, _)| seconds >= *length);
                let (length, name) = unit.unwrap_or((1, "second"));
                // A cookie that lives longer than is said would be worse than the opposite.
                Self::Known(seconds.div_ceil(length), name)
            }
        }
    }
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
pub(super) fn of(words: &Words<'_>, vendor: &Vendor) -> String {
    let short = words_of(vendor.short_description.as_deref());
    let long = words_of(vendor.long_description.as_deref());
    let policy = WebAddress::of(vendor.policy_url.as_deref());
    let details = Details {
        words,
        long: long.filter(|long| Some(*long) != short),
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
    details.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lives_are_told_in_the_unit_that_people_use() {
        for (seconds, life) in [
            (None, Life::Unknown),
            (Some(0), Life::Session),
            (Some(45), Life::Known(45, "second")),
            (Some(1_800), Life::Known(30, "minute")),
            (Some(5_400), Life::Known(2, "hour")),
            (Some(395 * DAY), Life::Known(395, "day")),
            (Some(2 * YEAR), Life::Known(2, "year")),
        ] {
            assert_eq!(Life::of(seconds), life);
        }
    }
}
