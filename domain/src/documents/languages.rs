//! The languages of one configuration: its texts in each, and those that nobody has translated.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    DEFAULT_LANGUAGE, Strings,
    check::{below, get},
    field::{Absent, Kind, object},
};
use crate::{error_code::ErrorCode, field_error::FieldError, language};

object! {
    /// The texts of a configuration in another language.
    pub struct Translation, TRANSLATION {
        /// Privacy policy in this language.
        "privacyPolicyUrl" privacy_policy_url: Option<String>, Kind::Url.optional();
        /// Words of the widget that differ from those of this language.
        "strings" strings: Strings, Kind::Texts.optional();
        /// Words about the proof of a choice; they go before `strings`.
        "consentWidgetStrings" consent_widget_strings: Strings, Kind::Texts.optional();
        /// Texts of services that need no consent, by the `title` of the service.
        "alwaysOn" always_on: BTreeMap<String, ExemptTexts>, Kind::Named(&EXEMPT_TEXTS).optional();
        /// Texts of steps, by the `name` of the step.
        "steps" steps: BTreeMap<String, StepTexts>, Kind::Named(&STEP_TEXTS).optional();
    }
}

object! {
    /// The texts of a service that needs no consent.
    pub struct ExemptTexts, EXEMPT_TEXTS {
        /// Name for people.
        "title" title: Option<String>, Kind::Line.optional();
        /// Reason for which it needs none.
        "reason" reason: Option<String>, Kind::Line.optional();
    }
}

object! {
    /// The texts of a step.
    pub struct StepTexts, STEP_TEXTS {
        /// Title.
        "title" title: Option<String>, Kind::Line.optional();
        /// Line above the title.
        "topTitle" top_title: Option<String>, Kind::Line.optional();
        /// Line below the title.
        "subTitle" sub_title: Option<String>, Kind::Line.optional();
        /// Text under the titles.
        "message" message: Option<String>, Kind::Html.optional();
        /// Words that go before those of the configuration.
        "strings" strings: Strings, Kind::Texts.optional();
    }
}

/// A list of a configuration whose entries have texts.
pub struct TranslatedList {
    /// Name of the list, in a configuration and in a translation.
    pub key: &'static str,
    /// The field of an entry that names it in translations.
    pub name: &'static str,
    /// The fields with texts, in the order in which visitors read them.
    pub texts: &'static [&'static str],
}

/// The texts of a step, in the order in which visitors read them.
pub const STEP_LINES: [&str; 4] = ["topTitle", "title", "subTitle", "message"];

/// The lists whose entries have texts.
pub const TRANSLATED_LISTS: [TranslatedList; 2] = [
    TranslatedList {
        key: "steps",
        name: "name",
        texts: &STEP_LINES,
    },
    TranslatedList {
        key: "alwaysOn",
        name: "title",
        texts: &["title", "reason"],
    },
];
/// The objects of words, which have shipped ones in each language.
pub(super) const WORDS: [&str; 2] = ["strings", "consentWidgetStrings"];
pub(super) const POLICY: &str = "privacyPolicyUrl";
pub(super) const TRANSLATIONS: &str = "translations";
pub(super) const LANGUAGES: &str = "languages";
const LANGUAGE: &str = "language";

/// A configuration in one of its other languages.
pub struct Spoken {
    /// The configuration, as if it had this language alone.
    pub document: Value,
    /// JSON Pointers of texts that nobody has translated, in [`Self::document`].
    pub untranslated: Vec<String>,
}

/// The default language of a configuration.
pub fn language_of(configuration: &Value) -> &str {
    let own = configuration.get(LANGUAGE).and_then(Value::as_str);
    own.filter(|language| language::is_code(language))
        .unwrap_or(DEFAULT_LANGUAGE)
}

/// The language of a box: its own, or that of its project if it names none.
pub fn language_of_box<'a>(own: &'a Value, project: &'a Value) -> &'a str {
    let speaker = if says(own.get(LANGUAGE)) {
        own
    } else {
        project
    };
    language_of(speaker)
}

/// Gives a box that names no language that of its project.
pub fn inherit_language(own: &mut Map<String, Value>, project: &Value) {
    let common = project.get(LANGUAGE).filter(|common| says(Some(common)));
    if let (false, Some(language)) = (says(own.get(LANGUAGE)), common) {
        own.insert(LANGUAGE.to_owned(), language.clone());
    }
}

/// The other languages of a configuration, in its order.
pub fn other_languages(configuration: &Value) -> Vec<&'static str> {
    let own = language_of(configuration);
    let listed = configuration.get(LANGUAGES).and_then(Value::as_array);
    let mut others: Vec<&'static str> = Vec::new();
    for tag in listed.into_iter().flatten().filter_map(Value::as_str) {
        let known = language::LANGUAGES.iter().find(|known| known.code == tag);
        if let Some(known) = known
            && known.code != own
            && !others.contains(&known.code)
        {
            others.push(known.code);
        }
    }
    others
}

/// The configuration in one of its other languages. A missing text stands in the default language; a missing word
/// of the widget is the shipped one.
pub fn spoken_in(configuration: &Value, language: &str) -> Spoken {
    let mut document = configuration.clone();
    let mut untranslated = Vec::new();
    if let Some(fields) = document.as_object_mut() {
        let translation = fields
            .remove(TRANSLATIONS)
            .and_then(|mut all| all.get_mut(language).map(Value::take))
            .unwrap_or_default();
        fields.remove(LANGUAGES);
        fields.insert(LANGUAGE.to_owned(), language.into());
        for key in WORDS {
            replace(fields, key, &translation);
        }
        if says(translation.get(POLICY)) {
            replace(fields, POLICY, &translation);
        }
        for list in &TRANSLATED_LISTS {
            list.translate(fields, &translation, &mut untranslated);
        }
    }
    Spoken {
        document,
        untranslated,
    }
}

impl TranslatedList {
    fn translate(
        &self,
        fields: &mut Map<String, Value>,
        translation: &Value,
        untranslated: &mut Vec<String>,
    ) {
        let entries = fields.get_mut(self.key).and_then(Value::as_array_mut);
        let entries = entries.into_iter().flatten().enumerate();
        for (index, entry) in entries.filter_map(|(at, one)| Some((at, one.as_object_mut()?))) {
            let name = get(entry, self.name).and_then(Value::as_str);
            let own = name.and_then(|name| translation.get(self.key)?.get(name));
            let own = own.cloned().unwrap_or_default();
            for key in self.texts {
                if says(own.get(key)) {
                    replace(entry, key, &own);
                } else if says(entry.get(*key)) {
                    untranslated.push(format!("/{}/{index}/{key}", self.key));
                }
            }
            // Entries that have no words keep none.
            replace(entry, "strings", &own);
        }
    }
}

/// Takes a field from another object, where it may be absent.
fn replace(fields: &mut Map<String, Value>, key: &str, from: &Value) {
    match from.get(key) {
        Some(value) => fields.insert(key.to_owned(), value.clone()),
        None => fields.remove(key),
    };
}

/// True if a visitor can read something in a text.
pub(super) fn says(text: Option<&Value>) -> bool {
    text.and_then(Value::as_str)
        .is_some_and(|text| !text.trim().is_empty())
}

/// The place of a text of [`Spoken::document`] in the configuration that it was made from. `None` for fields that
/// all languages share.
pub fn translated_at(configuration: &Value, language: &str, pointer: &str) -> Option<String> {
    let root = below(&below("", TRANSLATIONS), language);
    let mut segments = pointer.split('/').skip(1);
    let key = segments.next()?;
    if key == POLICY || WORDS.contains(&key) {
        return Some(root + pointer);
    }
    let list = TRANSLATED_LISTS.iter().find(|list| list.key == key)?;
    let index: usize = segments.next()?.parse().ok()?;
    let field = segments.next()?;
    if !list.texts.contains(&field) && field != "strings" {
        return None;
    }
    let entry = configuration.get(key)?.get(index)?;
    let name = entry.get(list.name).and_then(Value::as_str)?;
    let rest = segments.map(|segment| format!("/{segment}"));
    let place = below(&below(&below(&root, key), name), field);
    Some(place + &rest.collect::<String>())
}

/// The rules of `languages` beside those of its field.
pub(super) fn rules(configuration: &Value) -> Vec<FieldError> {
    let own = language_of(configuration);
    let listed = configuration.get(LANGUAGES).and_then(Value::as_array);
    let mut seen = BTreeSet::new();
    let tags = listed.into_iter().flatten().enumerate();
    let errors = tags.filter_map(|(index, tag)| {
        let tag = tag.as_str()?;
        let detail = if tag == own {
            "This is the default language already."
        } else if seen.insert(tag) {
            return None;
        } else {
            "Another entry has this language."
        };
        let pointer = below(&below("", LANGUAGES), &index.to_string());
        Some(FieldError::new(pointer, ErrorCode::Duplicate, detail))
    });
    errors.collect()
}

/// Gives the translations of an entry the name that the entry has now. `list` is the key of its list.
pub fn rename(configuration: &mut Value, list: &str, before: &str, after: &str) {
    let translations = configuration
        .get_mut(TRANSLATIONS)
        .and_then(Value::as_object_mut);
    for translation in translations.into_iter().flat_map(Map::values_mut) {
        let entries = translation.get_mut(list).and_then(Value::as_object_mut);
        if let Some(entries) = entries
            && let Some(texts) = entries.remove(before)
        {
            entries.insert(after.to_owned(), texts);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        collection::Collection,
        documents::{CONFIGURATION, CookieConfiguration, field::Object, read, validate},
    };

    fn bilingual() -> Value {
        json!({
            "projectId": "01900000-0000-7000-8000-000000000000", "name": "shop", "language": "en", "languages": ["fr", "de"],
            "privacyPolicyUrl": "https://shop.example/privacy",
            "strings": {"acceptAll": "Fine"}, "consentWidgetStrings": {"reopen": "Again"},
            "settings": {"overlay": true},
            "alwaysOn": [{"title": "Basket", "reason": "It keeps the basket."}],
            "steps": [
                {"name": "hello", "layout": "welcome", "title": "Hello", "message": "<b>Hi</b>", "strings": {"dismiss": "No"}},
                {"name": "a/b", "layout": "category", "title": "Services", "vendors": ["x"], "subTitle": " "},
            ],
            "translations": {"fr": {
                "privacyPolicyUrl": "https://shop.example/fr",
                "strings": {"acceptAll": "D’accord"},
                "alwaysOn": {"Basket": {"title": "Panier"}},
                "steps": {"hello": {"title": "Bonjour", "message": " ", "strings": {"dismiss": "Non"}},
                    "gone": {"title": "Parti"}},
            }},
        })
    }

    #[test]
    fn a_language_has_its_own_texts_and_shares_everything_else() {
        let Spoken {
            document,
            untranslated,
        } = spoken_in(&bilingual(), "fr");
        let step = |index: usize| document["steps"][index].clone();
        assert_eq!(document["language"], "fr");
        assert_eq!(document["strings"], json!({"acceptAll": "D’accord"}));
        assert_eq!(document["privacyPolicyUrl"], "https://shop.example/fr");
        assert_eq!(document["settings"], json!({"overlay": true}));
        assert_eq!(document.get("consentWidgetStrings"), None);
        assert_eq!(
            document.get("translations").or(document.get("languages")),
            None
        );
        assert_eq!(
            (step(0)["title"].clone(), step(0)["message"].clone()),
            (json!("Bonjour"), json!("<b>Hi</b>"))
        );
        assert_eq!(step(0)["strings"], json!({"dismiss": "Non"}));
        assert_eq!(step(1)["vendors"], json!(["x"]));
        assert_eq!(
            document["alwaysOn"],
            json!([{"title": "Panier", "reason": "It keeps the basket."}])
        );
        assert_eq!(
            untranslated,
            ["/steps/0/message", "/steps/1/title", "/alwaysOn/0/reason"]
        );
    }

    #[test]
    fn missing_texts_are_named_by_the_places_where_they_go() {
        let french = "/translations/fr/steps/hello/message";
        let configuration = bilingual();
        let missing = other_languages(&configuration).into_iter();
        let missing: Vec<_> = missing
            .flat_map(|language| {
                let places = spoken_in(&configuration, language).untranslated.into_iter();
                let places = places.map(|place| translated_at(&configuration, language, &place));
                places.collect::<Option<Vec<_>>>().unwrap()
            })
            .collect();
        assert_eq!(missing.len(), 3 + 5, "{missing:?}");
        assert!(missing.contains(&french.to_owned()));
        assert!(missing.contains(&"/translations/de/steps/a~1b/title".to_owned()));
        let at = |pointer| translated_at(&bilingual(), "fr", pointer);
        assert_eq!(
            at("/strings/dismiss").as_deref(),
            Some("/translations/fr/strings/dismiss")
        );
        assert_eq!(
            at("/steps/0/strings/dismiss").as_deref(),
            Some("/translations/fr/steps/hello/strings/dismiss")
        );
        for shared in ["/settings/overlay", "/steps/0/layout", "/steps/7/title", ""] {
            assert_eq!(at(shared), None, "{shared}");
        }
    }

    #[test]
    fn languages_are_shipped_ones_that_differ() {
        let errors = |document: Value| {
            let errors = validate(Collection::Cookies, &document).into_iter();
            errors
                .map(|error| (error.pointer, error.code))
                .collect::<Vec<_>>()
        };
        assert_eq!(errors(bilingual()), []);
        let place = |index: usize| format!("/languages/{index}");
        assert_eq!(
            errors(
                json!({"projectId": "01900000-0000-7000-8000-000000000000", "language": "fr", "languages": ["fr", "de", "de", "xx"]})
            ),
            [
                (place(3), ErrorCode::InvalidValue),
                (place(0), ErrorCode::Duplicate),
                (place(2), ErrorCode::Duplicate),
            ]
        );
        assert_eq!(
            other_languages(&json!({"language": "fr", "languages": ["fr", "de", "de", "xx", 7]})),
            ["de"]
        );
        assert_eq!(other_languages(&json!({"languages": ["en", "fr"]})), ["fr"]);
    }

    /// The lists, and the objects that describe their entries and the translations of these.
    #[test]
    fn each_text_of_a_list_is_described_on_both_sides() {
        let entries =
            |object: &Object, key: &str| match object.field(key).map(|field| field.rule.kind) {
                Some(Kind::Objects(entry, _) | Kind::Named(entry)) => entry,
                _ => panic!("{key} is no list"),
            };
        for TranslatedList { key, name, texts } in TRANSLATED_LISTS {
            let (entry, translated) = (entries(&CONFIGURATION, key), entries(&TRANSLATION, key));
            let mut described: Vec<_> = translated.fields.iter().map(|field| field.key).collect();
            described.retain(|field| *field != "strings");
            let sorted = |mut fields: Vec<&'static str>| {
                fields.sort_unstable();
                fields
            };
            assert_eq!(sorted(described), sorted(texts.to_vec()), "{key}");
            for field in texts.iter().chain([&name]) {
                assert!(entry.field(field).is_some(), "{key}/{field}");
            }
        }
    }

    #[test]
    fn translations_follow_a_renamed_step() {
        let mut configuration = bilingual();
        rename(&mut configuration, "steps", "hello", "start");
        let steps = &configuration["translations"]["fr"]["steps"];
        assert_eq!(steps["start"]["title"], "Bonjour");
        assert_eq!(steps.get("hello"), None);
        let read: CookieConfiguration = read(&configuration);
        assert_eq!(read.languages, ["fr", "de"]);
    }
}
