//! Words of the widget: defaults for each language, and what a configuration puts over them.
//!
//! To add a language: one file in `strings/` with every key of `en.json`, one line in `TABLES`.

use std::{collections::BTreeMap, sync::LazyLock};

use domain::published::{CookieConfiguration, Step, Strings};

/// ISO 639-1 code and table of each shipped language; the first is what others fall back to.
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

/// Languages whose words are shipped.
pub fn languages() -> impl Iterator<Item = &'static str> {
    TABLES.iter().map(|(language, _)| *language)
}

/// The shipped words of a language, `None` if it has none of its own.
pub fn defaults(language: &str) -> Option<&'static Strings> {
    DEFAULTS.get(language)
}

/// The table for a language tag: `nb` and `nn` are written Norwegian too.
fn table(language: &str) -> Option<&'static Strings> {
    let language = language.split('-').next().unwrap_or_default();
    let language = match language.to_ascii_lowercase() {
        norwegian if norwegian == "nb" || norwegian == "nn" => "no".to_owned(),
        other => other,
    };
    DEFAULTS.get(language.as_str())
}

/// Where a step's words are looked up: the step, the configuration, the language, English.
pub(super) struct Words<'a> {
    tables: [Option<&'a Strings>; 4],
}

impl<'a> Words<'a> {
    pub(super) fn new(configuration: &'a CookieConfiguration, step: Option<&'a Step>) -> Self {
        Self {
            tables: [
                step.map(|step| &step.strings),
                Some(&configuration.strings),
                table(&configuration.language),
                DEFAULTS.get("en"),
            ],
        }
    }

    /// The words of a language alone.
    pub(super) fn of_language(language: &str) -> Self {
        Self {
            tables: [None, None, table(language), DEFAULTS.get("en")],
        }
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
    use super::*;

    #[test]
    fn every_language_has_every_word_and_the_same_slots() {
        let english = defaults("en").unwrap();
        let slots = |text: &str| text.matches('{').count();
        for language in languages() {
            let words = defaults(language).unwrap();
            assert!(words.keys().eq(english.keys()), "{language}");
            for (key, text) in words {
                assert_eq!(slots(text), slots(&english[key]), "{language} {key}");
                assert!(!text.trim().is_empty(), "{language} {key}");
            }
        }
    }
}
