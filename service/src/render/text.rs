//! Texts of the widget: defaults for each language in each voice, and a configuration's own texts over them.
//!
//! To add a language: one file in `strings/` with every key of `en.json`, one in `strings/voices/` with every key of the
//! one there, an entry in `beginnings.json`, and its code in `TABLES` and in `domain::language`.

use std::{collections::BTreeMap, sync::LazyLock};

use domain::documents::{CookieConfiguration, Step, Strings, Voice};

use super::bounded::MOST_BYTES;
use crate::sanitise::{self, Sanitised};

/// The tables of languages: the code, the words, and those that voices say otherwise.
macro_rules! tables {
    ($($language:literal)+) => {
        [$((
            $language,
            include_str!(concat!("strings/", $language, ".json")),
            include_str!(concat!("strings/voices/", $language, ".json")),
        ),)+]
    };
}

/// ISO 639-1 code and tables of each shipped language. All others fall back to the first.
const TABLES: [(&str, &str, &str); 32] = tables![
    "en" "fr" "de" "es" "it" "nl" "bg" "cs" "da" "el" "et" "fi" "ga" "hr" "hu" "lt" "lv" "mt" "pl" "pt" "ro" "sk" "sl" "sv"
    "no" "is" "uk" "tr" "ar" "he" "ja" "zh"
];

/// The words of a language.
struct Shipped {
    words: Strings,
    /// The words that a voice says otherwise, by its name. Refusing and accepting are none of them.
    voices: BTreeMap<String, Strings>,
}

static SHIPPED: LazyLock<BTreeMap<&str, Shipped>> = LazyLock::new(|| {
    let tables = TABLES.iter().filter_map(|(language, words, voices)| {
        let shipped = Shipped {
            words: serde_json::from_str(words).ok()?,
            voices: serde_json::from_str(voices).ok()?,
        };
        Some((*language, shipped))
    });
    tables.collect()
});

impl Shipped {
    /// For a language tag: of its language, or else of English.
    fn of(language: &str) -> Option<&'static Self> {
        let own = SHIPPED.get(domain::language::primary(language).as_str());
        own.or_else(|| SHIPPED.get("en"))
    }

    fn voice(&self, voice: Voice) -> Option<&Strings> {
        self.voices.get(voice.as_str())
    }
}

/// The shipped words of a language in a voice, else the English ones.
pub fn defaults(language: &str, voice: Voice) -> Strings {
    let Some(shipped) = Shipped::of(language) else {
        return Strings::new();
    };
    let mut words = shipped.words.clone();
    words.extend(shipped.voice(voice).cloned().unwrap_or_default());
    words
}

/// The title of the list of services with which a new configuration in a language begins, else the English one.
pub fn title_of_services(language: &str) -> Option<&'static str> {
    static BEGINNINGS: LazyLock<Strings> =
        LazyLock::new(|| serde_json::from_str(include_str!("beginnings.json")).unwrap_or_default());
    let own = BEGINNINGS.get(domain::language::primary(language).as_str());
    own.or_else(|| BEGINNINGS.get("en")).map(String::as_str)
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
/// voice, the language.
pub(super) struct Words<'a> {
    tables: [Option<&'a Strings>; 5],
}

/// The first tables hold the words of the site, and the others shipped ones.
const OWN: usize = 3;

impl<'a> Words<'a> {
    pub(super) fn new(configuration: &'a CookieConfiguration, step: Option<&'a Step>) -> Self {
        let shipped = Shipped::of(&configuration.language);
        let voice = configuration.voice.unwrap_or_default();
        Self {
            tables: [
                step.map(|step| &step.strings),
                Some(&configuration.consent_widget_strings),
                Some(&configuration.strings),
                shipped.and_then(|shipped| shipped.voice(voice)),
                shipped.map(|shipped| &shipped.words),
            ],
        }
    }

    /// The words of a language alone.
    pub(super) fn of_language(language: &str) -> Self {
        let shipped = Shipped::of(language);
        Self {
            tables: [
                None,
                None,
                None,
                None,
                shipped.map(|shipped| &shipped.words),
            ],
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

    /// The word of `key` with `{name}` replaced. Stops above [`MOST_BYTES`]: what it stands in is refused then.
    pub(super) fn fill(&self, key: &str, values: &[(&str, &str)]) -> String {
        let mut rest = self.get(key);
        let mut filled = String::with_capacity(rest.len());
        while filled.len() <= MOST_BYTES
            && let Some((before, after)) = rest.split_once('{')
        {
            filled.push_str(before);
            let slot = values.iter().find_map(|(name, value)| {
                let after = after.strip_prefix(*name)?.strip_prefix('}')?;
                Some((*value, after))
            });
            let (value, after) = slot.unwrap_or(("{", after));
            filled.push_str(value);
            rest = after;
        }
        filled + rest
    }
}

#[cfg(test)]
mod tests {
    use domain::language::{LANGUAGES, Language};

    use super::*;

    #[test]
    fn words_are_filled_in_and_end_at_a_bound() {
        let with = |word: &str| CookieConfiguration {
            strings: [("changeMind".to_owned(), word.to_owned())].into(),
            ..CookieConfiguration::default()
        };
        for (word, filled) in [
            ("{a}{b}, {a}", "{b}2, {b}"),
            ("{{a} {c} a} {", "{{b} {c} a} {"),
        ] {
            let configuration = with(word);
            let words = Words::new(&configuration, None);
            let values = [("a", "{b}"), ("b", "2")];
            assert_eq!(words.fill("changeMind", &values), filled);
        }
        let configuration = with(&"{a}".repeat(10_000));
        let words = Words::new(&configuration, None);
        let value = "x".repeat(10_000);
        let filled = words.fill("changeMind", &[("a", &value)]).len();
        assert!(
            filled > MOST_BYTES && filled < MOST_BYTES + 50_000,
            "{filled}"
        );
    }

    /// The names of the slots of a text.
    fn slots(text: &str) -> Vec<&str> {
        let mut slots: Vec<_> = text
            .split('{')
            .skip(1)
            .map(|rest| rest.split('}').next().unwrap())
            .collect();
        slots.sort_unstable();
        slots
    }

    #[test]
    fn every_language_has_every_word_and_the_same_slots() {
        let english = &SHIPPED["en"].words;
        assert_eq!(TABLES.len(), LANGUAGES.len());
        for Language { code: language, .. } in LANGUAGES {
            let words = &SHIPPED[language].words;
            let own = language == "en" || title_of_services(language) != title_of_services("en");
            assert!(own, "{language}");
            assert!(words.keys().eq(english.keys()), "{language}");
            for (key, text) in words {
                assert_eq!(slots(text), slots(&english[key]), "{language} {key}");
                assert!(!text.trim().is_empty(), "{language} {key}");
            }
        }
    }

    #[test]
    fn every_voice_says_some_words_of_every_language_in_its_own_way() {
        /// Labels of buttons, which have little room.
        const BUTTONS: [&str; 7] = [
            "allowOnce",
            "configure",
            "lastStep",
            "notNow",
            "readMore",
            "save",
            "understood",
        ];
        let keys: Vec<_> = SHIPPED["en"].voices["friendly"].keys().collect();
        // Both answers are the same words in each voice, and the policies of TCF have their own.
        let fixed = |key: &&String| {
            ["acceptAll", "dismiss"].contains(&key.as_str()) || key.starts_with("iab")
        };
        assert_eq!(keys.iter().copied().find(fixed), None);
        let voices = [Voice::Friendly, Voice::Formal];
        for Language { code: language, .. } in LANGUAGES {
            let shipped = &SHIPPED[language];
            assert_eq!(shipped.voices.len(), voices.len(), "{language}");
            for voice in voices {
                let words = shipped.voice(voice).unwrap();
                let place = |key: &str| format!("{language} {} {key}", voice.as_str());
                assert!(words.keys().eq(keys.iter().copied()), "{}", place(""));
                for (key, text) in words {
                    let neutral = &shipped.words[key];
                    assert_eq!(slots(text), slots(neutral), "{}", place(key));
                    assert!(
                        !text.trim().is_empty() && !text.contains(['!', '！', '¡']),
                        "{}",
                        place(key)
                    );
                    let letters = |text: &str| text.chars().count();
                    let room = letters(neutral) * 4 / 3 + 4;
                    let fits = !BUTTONS.contains(&key.as_str()) || letters(text) <= room;
                    assert!(fits, "{}", place(key));
                }
                assert_ne!(words["title"], shipped.words["title"], "{}", place("title"));
                assert_eq!(defaults(language, voice)["title"], words["title"]);
            }
            let [friendly, formal] = voices.map(|voice| &shipped.voice(voice).unwrap()["opening"]);
            assert_ne!(friendly, formal, "{language}");
            assert_eq!(defaults(language, Voice::Neutral), shipped.words);
        }
    }
}
