//! Two configurations of one widget become one: the texts of the second become translations of the first.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    check::get,
    languages::{
        LANGUAGES, POLICY, TRANSLATED_LISTS, TRANSLATIONS, TranslatedList, WORDS, language_of,
        other_languages, says,
    },
};

/// The result of [`adopt`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adopted {
    /// The languages that the configuration has texts of now.
    pub languages: Vec<&'static str>,
    /// Number of texts that were taken.
    pub texts: usize,
    /// Names of entries of the other configuration that have no counterpart, whose texts were left.
    pub left: Vec<String>,
}

/// Takes the texts of another configuration, in all its languages but the default one of this. Texts that are there
/// already stay. A step or service is the counterpart of that with its name, or else of the next one that nobody is
/// the counterpart of, and that has its layout.
pub fn adopt(configuration: &mut Value, other: &Value) -> Adopted {
    let own = language_of(configuration).to_owned();
    let mut adopted = Adopted::default();
    let mut names = BTreeMap::new();
    for list in &TRANSLATED_LISTS {
        let (map, left) = list.counterparts(configuration, other);
        names.insert(list.key, map);
        adopted.left.extend(left);
    }
    let theirs = crate::language::find(language_of(other)).map(|language| language.code);
    for code in theirs.into_iter().chain(other_languages(other)) {
        if code == own {
            continue;
        }
        let translation = if Some(code) == theirs {
            as_translation(other)
        } else {
            let translations = other.get(TRANSLATIONS);
            let translation = translations.and_then(|all| all.get(code));
            translation.cloned().unwrap_or_default()
        };
        let translation = renamed(&translation, &names);
        let Some(fields) = configuration.as_object_mut() else {
            continue;
        };
        let there = fields
            .entry(TRANSLATIONS)
            .or_insert_with(|| Value::Object(Map::new()));
        if let Some(there) = there.as_object_mut() {
            let there = there
                .entry(code)
                .or_insert_with(|| Value::Object(Map::new()));
            adopted.texts += fill(there, translation);
        }
        adopted.languages.push(code);
    }
    let mut listed = other_languages(configuration);
    listed.extend(&adopted.languages);
    let mut known = Vec::new();
    listed.retain(|code| {
        let new = !known.contains(code);
        known.push(*code);
        new
    });
    if let Some(fields) = configuration.as_object_mut()
        && !listed.is_empty()
    {
        fields.insert(LANGUAGES.to_owned(), listed.into());
    }
    adopted
}

impl TranslatedList {
    /// The names here of entries there, and the names of entries there that have no counterpart here.
    fn counterparts(&self, here: &Value, there: &Value) -> (BTreeMap<String, String>, Vec<String>) {
        let entries = |of: &Value| -> Vec<(String, Option<String>)> {
            let list = of.get(self.key).and_then(Value::as_array);
            let word = |entry: &Value, key: &str| {
                let word = entry.get(key).and_then(Value::as_str);
                word.map(str::to_owned)
            };
            let named = list.into_iter().flatten();
            named
                .filter_map(|entry| Some((word(entry, self.name)?, word(entry, "layout"))))
                .collect()
        };
        let (mut free, mut waiting) = (entries(here), entries(there));
        let mut found = BTreeMap::new();
        waiting.retain(|(name, _)| {
            let at = free.iter().position(|(here, _)| here == name);
            if let Some(at) = at {
                found.insert(name.clone(), free.remove(at).0);
            }
            at.is_none()
        });
        let mut left = Vec::new();
        for (name, layout) in waiting {
            match free.iter().position(|(_, other)| *other == layout) {
                Some(at) => {
                    found.insert(name, free.remove(at).0);
                }
                None => left.push(name),
            }
        }
        (found, left)
    }
}

/// The texts of a configuration in its default language, as a translation has them.
fn as_translation(configuration: &Value) -> Value {
    let mut translation = Map::new();
    for key in WORDS.into_iter().chain([POLICY]) {
        if let Some(value) = configuration.get(key) {
            translation.insert(key.to_owned(), value.clone());
        }
    }
    for list in &TRANSLATED_LISTS {
        let entries = configuration.get(list.key).and_then(Value::as_array);
        let entries = entries.into_iter().flatten().filter_map(|entry| {
            let entry = entry.as_object()?;
            let name = get(entry, list.name)?.as_str()?;
            let texts = list.texts.iter().copied().chain(["strings"]);
            let texts = texts.filter_map(|key| Some((key.to_owned(), entry.get(key)?.clone())));
            Some((name.to_owned(), Value::Object(texts.collect())))
        });
        translation.insert(list.key.to_owned(), Value::Object(entries.collect()));
    }
    Value::Object(translation)
}

/// A translation by the names of the entries here; texts of others are left out.
fn renamed(translation: &Value, names: &BTreeMap<&'static str, BTreeMap<String, String>>) -> Value {
    let mut translation = translation.clone();
    for (list, names) in names {
        if let Some(entries) = translation.get_mut(*list).and_then(Value::as_object_mut) {
            let all = std::mem::take(entries).into_iter();
            entries
                .extend(all.filter_map(|(name, texts)| Some((names.get(&name)?.clone(), texts))));
        }
    }
    translation
}

/// Adds texts that are missing; returns their number.
fn fill(there: &mut Value, from: Value) -> usize {
    match (there, from) {
        (Value::Object(there), Value::Object(from)) => from
            .into_iter()
            .map(|(key, value)| {
                if let Some(there) = there.get_mut(&key) {
                    return fill(there, value);
                }
                let texts = texts(&value);
                if texts > 0 {
                    there.insert(key, value);
                }
                texts
            })
            .sum(),
        (there, from) if !says(Some(there)) && says(Some(&from)) => {
            *there = from;
            1
        }
        _ => 0,
    }
}

/// The number of texts in a value.
fn texts(value: &Value) -> usize {
    match value {
        Value::Object(fields) => fields.values().map(texts).sum(),
        value => usize::from(says(Some(value))),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        collection::Collection,
        documents::{spoken_in, validate},
    };

    fn english() -> Value {
        json!({
            "projectId": "01900000-0000-7000-8000-000000000000", "language": "en",
            "strings": {"acceptAll": "Fine"},
            "alwaysOn": [{"title": "Basket", "reason": "It keeps the basket."}],
            "steps": [
                {"name": "hello", "layout": "welcome", "title": "Hello", "message": "Hi"},
                {"name": "ads", "layout": "category", "title": "Ads", "vendors": ["x"]},
                {"name": "stats", "layout": "category", "title": "Statistics", "vendors": ["y"]},
            ],
        })
    }

    fn french() -> Value {
        json!({
            "projectId": "01900000-0000-7000-8000-000000000000", "language": "fr", "languages": ["en", "de"],
            "privacyPolicyUrl": "https://shop.example/fr",
            "strings": {"acceptAll": "D’accord"},
            "settings": {"overlay": true},
            "alwaysOn": [{"title": "Panier", "reason": "Il garde le panier."}],
            "steps": [
                {"name": "bonjour", "layout": "welcome", "title": "Bonjour", "message": "Salut", "subTitle": " "},
                {"name": "stats", "layout": "category", "title": "Statistiques", "vendors": ["y"]},
                {"name": "pub", "layout": "category", "title": "Publicité", "vendors": ["x"]},
                {"name": "fin", "layout": "category", "title": "Fin"},
            ],
            "translations": {"de": {"steps": {"bonjour": {"title": "Hallo"}, "fin": {"title": "Ende"}}}},
        })
    }

    #[test]
    fn the_texts_of_another_configuration_become_translations() {
        let mut merged = english();
        let adopted = adopt(&mut merged, &french());
        assert_eq!(adopted.languages, ["fr", "de"]);
        assert_eq!(adopted.left, ["fin"]);
        // Policy, word, two of the basket, two of the welcome, two titles; one German title.
        assert_eq!(adopted.texts, 9);
        assert_eq!(validate(Collection::Cookies, &merged), []);
        let spoken = spoken_in(&merged, "fr");
        assert_eq!(spoken.untranslated, Vec::<String>::new());
        let titles = |of: &Value| -> Vec<String> {
            let steps = of["steps"].as_array().unwrap().iter();
            steps
                .map(|step| step["title"].as_str().unwrap().to_owned())
                .collect()
        };
        assert_eq!(
            titles(&spoken.document),
            ["Bonjour", "Publicité", "Statistiques"]
        );
        assert_eq!(spoken.document["alwaysOn"][0]["title"], "Panier");
        assert_eq!(spoken.document["strings"], json!({"acceptAll": "D’accord"}));
        let german = spoken_in(&merged, "de").document;
        assert_eq!(titles(&german), ["Hallo", "Ads", "Statistics"]);
        // Everything else stays as it was.
        let (mut left, right) = (merged, english());
        for key in [LANGUAGES, TRANSLATIONS] {
            left.as_object_mut().unwrap().shift_remove(key);
        }
        assert_eq!(left, right);
    }

    #[test]
    fn texts_that_are_there_stay() {
        let mut merged = english();
        merged["languages"] = json!(["fr"]);
        merged["translations"] =
            json!({"fr": {"strings": {"acceptAll": "Oui"}, "steps": {"hello": {"title": " "}}}});
        let adopted = adopt(&mut merged, &french());
        let french_ = &merged["translations"]["fr"];
        assert_eq!(french_["strings"]["acceptAll"], "Oui");
        assert_eq!(french_["steps"]["hello"]["title"], "Bonjour");
        assert_eq!(adopted.texts, 8);
        // A second time nothing is missing.
        assert_eq!(adopt(&mut merged, &french()).texts, 0);
        assert_eq!(merged["languages"], json!(["fr", "de"]));
        // One in the same language has nothing to give.
        assert_eq!(adopt(&mut merged, &english()), Adopted::default());
    }
}
