//! Texts of the widget: defaults for each language, and a configuration's own texts over them.
//!
//! To add a language: one file in `strings/` with every key of `en.json`, one in `beginnings.json`, one line in `TABLES` and in
//! `domain::language`.

use std::{collections::BTreeMap, sync::LazyLock};

use domain::documents::{CookieConfiguration, Step, Strings};
use serde::Deserialize;

use crate::sanitise::{self, Sanitised};

/// ISO 639-1 code and table of each shipped language. All others fall back to the first.
const TABLES: [(&str, &str); 32] = [
    ("en", include_str!("strings/en.json")),
    ("fr", include_str!("strings/fr.json")),
    ("de", include_str!("strings/de.json")),
    ("es", include_str!("strings/es.json")),
    ("it", include_str!("strings/it.json")),
    ("nl", include_str!("strings/nl.json")),
    ("bg", include_str!("strings/bg.json")),
    ("cs", include_str!("strings/cs.json")),
    ("da", include_str!("strings/da.json")),
    ("el", include_str!("strings/el.json")),
    ("et", include_str!("strings/et.json")),
    ("fi", include_str!("strings/fi.json")),
    ("ga", include_str!("strings/ga.json")),
    ("hr", include_str!("strings/hr.json")),
    ("hu", include_str!("strings/hu.json")),
    ("lt", include_str!("strings/lt.json")),
    ("lv", include_str!("strings/lv.json")),
    ("mt", include_str!("strings/mt.json")),
    ("pl", include_str!("strings/pl.json")),
    ("pt", include_str!("strings/pt.json")),
    ("ro", include_str!("strings/ro.json")),
    ("sk", include_str!("strings/sk.json")),
    ("sl", include_str!("strings/sl.json")),
    ("sv", include_str!("strings/sv.json")),
    ("no", include_str!("strings/no.json")),
    ("is", include_str!("strings/is.json")),
    ("uk", include_str!("strings/uk.json")),
    ("tr", include_str!("strings/tr.json")),
    ("ar", include_str!("strings/ar.json")),
    ("he", include_str!("strings/he.json")),
    ("ja", include_str!("strings/ja.json")),
    ("zh", include_str!("strings/zh.json")),
];

static DEFAULTS: LazyLock<BTreeMap<&str, Strings>> = LazyLock::new(|| {
    TABLES
        .iter()
        .filter_map(|(language, table)| Some((*language, serde_json::from_str(table).ok()?)))
        .collect()
});

/// The shipped texts of a language, `None` if it has none of its own.
pub fn defaults(language: &str) -> Option<&'static Strings> {
    DEFAULTS.get(language)
}

/// The words with which a new configuration begins.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
pub struct Beginning {
    /// Text of the first step, as long as no service has a purpose.
    pub message: String,
    /// Title of the step with services.
    pub services: String,
}

/// The words with which a new configuration in a language begins, else the English ones.
pub fn beginning(language: &str) -> Option<&'static Beginning> {
    static BEGINNINGS: LazyLock<BTreeMap<String, Beginning>> =
        LazyLock::new(|| serde_json::from_str(include_str!("beginnings.json")).unwrap_or_default());
    let own = BEGINNINGS.get(domain::language::primary(language).as_str());
    own.or_else(|| BEGINNINGS.get("en"))
}

/// The table for a language tag.
fn table(language: &str) -> Option<&'static Strings> {
    DEFAULTS.get(domain::language::primary(language).as_str())
}

/// The trimmed text, unless it is blank.
pub(super) fn words_of(text: Option<&str>) -> Option<&str> {
    text.map(str::trim).filter(|text| !text.is_empty())
}

/// The text of a step or box. Publishing has cleaned it already; being cleaned again makes it a type
/// that templates write as it stands.
pub(super) fn message(text: Option<&str>) -> Option<Sanitised> {
    words_of(text).map(|text| sanitise::html(text).in_new_tabs())
}

/// The tables of a step's texts, in the order of the search: the step, the configuration, the
/// language, English.
pub(super) struct Words<'a> {
    tables: [Option<&'a Strings>; 5],
}

/// The first tables hold the words of the site, and the others those of languages.
const OWN: usize = 3;

impl<'a> Words<'a> {
    pub(super) fn new(configuration: &'a CookieConfiguration, step: Option<&'a Step>) -> Self {
        Self {
            tables: [
                step.map(|step| &step.strings),
                Some(&configuration.consent_widget_strings),
                Some(&configuration.strings),
                table(&configuration.language),
                DEFAULTS.get("en"),
            ],
        }
    }

    /// The words of a language alone.
    pub(super) fn of_language(language: &str) -> Self {
        Self {
            tables: [None, None, None, table(language), DEFAULTS.get("en")],
        }
    }

    /// True if the site itself says the word of `key`, for the step or for the configuration.
    pub(super) fn has_own(&self, key: &str) -> bool {
        let own = self.tables[..OWN].iter().flatten();
        own.filter_map(|table| table.get(key))
            .any(|word| !word.trim().is_empty())
    }

    /// The word of `key`; blank entries count as absent.
    pub(super) fn get(&self, key: &str) -> &'a str {
        self.tables
            .iter()
            .flatten()
            .filter_map(|table| table.get(key))
            .map(|word| word.trim())
            .find(|word| !word.is_empty())
            .unwrap_or_default()
    }

    /// The word of `key` with `{name}` replaced.
    pub(super) fn fill(&self, key: &str, values: &[(&str, &str)]) -> String {
        values
            .iter()
            .fold(self.get(key).to_owned(), |text, (name, value)| {
                text.replace(&format!("{{{name}}}"), value)
            })
    }
}

#[cfg(test)]
mod tests {
    use domain::language::{LANGUAGES, Language};

    use super::*;

    #[test]
    fn every_language_has_every_word_and_the_same_slots() {
        let english = defaults("en").unwrap();
        assert_eq!(TABLES.len(), LANGUAGES.len());
        let slots = |text: &str| text.matches('{').count();
        for Language { code: language, .. } in LANGUAGES {
            let words = defaults(language).unwrap();
            let own = language == "en" || beginning(language) != beginning("en");
            assert!(own, "{language}");
            assert!(words.keys().eq(english.keys()), "{language}");
            for (key, text) in words {
                assert_eq!(slots(text), slots(&english[key]), "{language} {key}");
                assert!(!text.trim().is_empty(), "{language} {key}");
            }
        }
    }
}
