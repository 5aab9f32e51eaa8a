//! Vendors: services that a step asks for, of the catalogue or a project's own.

use super::field::{Absent, Kind, Reach, object};
use crate::format;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
const YEAR: u64 = 365 * DAY;
/// Three thousand years: the catalogue has cookies that are meant never to end.
const MOST_SECONDS: f64 = 1e11;

object! {
    /// A cookie that a service sets.
    pub struct Cookie, COOKIE {
        /// Its name; `*` at the end stands for a part that differs.
        "name" name: String, Kind::Line.required();
        /// Seconds that it lives; 0 until the browser closes, absent where nobody knows.
        "maxAgeSeconds" max_age_seconds: Option<u64>, Kind::Whole(0.0, MOST_SECONDS).optional();
    }
}

object! {
    /// A custom vendor: a service that the catalogue does not have, or not in the language that is
    /// needed.
    pub struct Vendor, VENDOR {
        /// Key of the choice, unique in a configuration.
        "name" name: String, Kind::Formatted(&format::VENDOR_NAME).required();
        /// Name for people.
        "title" title: String, Kind::Formatted(&format::NAME).optional().expected();
        /// One sentence.
        "shortDescription" short_description: Option<String>, Kind::Line.optional();
        /// A paragraph.
        "longDescription" long_description: Option<String>, Kind::Text.optional();
        /// Host of the service, shown where no privacy policy is linked.
        "domain" domain: Option<String>, Kind::Line.optional();
        /// Privacy policy of the service.
        "policyUrl" policy_url: Option<String>, Kind::Url.optional();
        /// Categories, such as `advertising` and `analytics`: they say which purposes it has.
        "categories" categories: Vec<String>, Kind::Lines.optional();
        /// Company that runs the service, told with its country where the visitor decides.
        "company" company: Option<String>, Kind::Line.optional();
        /// Country of the company (ISO 3166-1 alpha-2).
        "country" country: Option<String>, Kind::Formatted(&format::COUNTRY).optional();
        /// Its id in the Global Vendor List, if it takes part in TCF.
        "tcfVendorId" tcf_vendor_id: Option<u16>, Kind::Whole(1.0, 65_535.0).optional();
        /// Cookies that it sets, told with their lives where the visitor decides.
        "cookieFacts" cookie_facts: Vec<Cookie>, Kind::Objects(&COOKIE, Some("name")).optional();
        /// Names of its cookies, which are taken away when consent is.
        "cookies" cookies: Vec<String>, Kind::Lines.optional().seen_by(Reach::Made);
        /// Language of its texts, in a widget that was translated from it.
        "textLanguage" text_language: Option<String>, Kind::Line.optional().seen_by(Reach::Made);
        /// The project whose members may use it.
        "projectId" project_id: Option<String>, Kind::Id.private(), skip_serializing;
        /// The organization whose members may use it; not beside `projectId`.
        "organizationId" organization_id: Option<String>, Kind::Id.private(), skip_serializing;
    }
}

/// Units of a cookie's life with their seconds, the longest first.
pub const LIFE_UNITS: [(&str, u64); 5] = [
    ("year", YEAR),
    ("day", DAY),
    ("hour", HOUR),
    ("minute", MINUTE),
    ("second", 1),
];

/// The life of a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// An amount and its unit. Browsers know the word for it in every language.
    Known(u64, &'static str),
    /// Until the browser closes.
    Session,
    /// Nobody knows.
    Unknown,
}

impl Life {
    /// The life of a cookie that lives so many seconds, if anybody knows.
    pub fn of(seconds: Option<u64>) -> Self {
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
