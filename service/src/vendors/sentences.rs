//! Our own sentences: they describe the services of a category in every shipped language.
//!
//! A hash of the service's name chooses the variants of a description. So a long list does not read
//! as one sentence repeated, and stays the same. The sentences avoid everything that depends on the
//! gender, number or first character of a name.

use std::{collections::BTreeMap, sync::LazyLock};

use domain::language::{LANGUAGES, primary};
use sha2::{Digest, Sha256};

use super::facts::ServiceFacts;

/// Most cookies and domains that a description names.
const MOST_COOKIES: usize = 6;
const MOST_DOMAINS: usize = 3;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("catalogue/sentences/", $name, ".txt")))),*]
    };
}

/// Sentences that serve every category.
static COMMON: &str = include_str!("catalogue/sentences/common.txt");

/// Every category with its sentences, in the order in which they are listed.
static FILES: [(&str, &str); 28] = files![
    "advertising",
    "ad-measurement",
    "affiliate",
    "analytics",
    "experience",
    "testing",
    "tag-management",
    "consent-management",
    "social",
    "video",
    "audio",
    "content",
    "customer-support",
    "surveys",
    "reviews",
    "marketing",
    "ecommerce",
    "payment",
    "forms",
    "search",
    "maps",
    "fonts",
    "cdn-hosting",
    "security",
    "monitoring",
    "login",
    "accessibility",
    "functional",
];

/// Variants of a sentence by its key and language.
type Sentences = BTreeMap<(&'static str, &'static str), Vec<&'static str>>;

static CATEGORIES: LazyLock<BTreeMap<&str, Sentences>> = LazyLock::new(|| {
    FILES
        .iter()
        .map(|(name, text)| (*name, parse(text)))
        .collect()
});
static SHARED: LazyLock<Sentences> = LazyLock::new(|| parse(COMMON));

/// A line is a key alone, or a language and a variant of the last key's sentence.
fn parse(text: &'static str) -> Sentences {
    let mut sentences = Sentences::new();
    let mut key = "";
    for line in text.lines() {
        match line.split_once(' ') {
            Some((language, sentence)) => {
                sentences.entry((key, language)).or_default().push(sentence);
            }
            None => key = line,
        }
    }
    sentences
}

/// The shipped language that serves a request for `fr`, `fr-CH`, `FR`; English for others.
pub fn language(asked: &str) -> &'static str {
    let primary = primary(&asked.replace('_', "-"));
    let shipped = LANGUAGES.iter().find(|language| language.code == primary);
    shipped.map_or(LANGUAGES[0].code, |language| language.code)
}

/// Names of all categories, in order.
pub fn categories() -> impl ExactSizeIterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// True if this is the name of a category.
pub(super) fn is_category(name: &str) -> bool {
    CATEGORIES.contains_key(name)
}

fn one(sentences: &Sentences, key: &'static str, language: &str, choice: u8) -> &'static str {
    let language = self::language(language);
    let variants = sentences
        .get(&(key, language))
        .map(Vec::as_slice)
        .unwrap_or_default();
    let chosen = usize::from(choice).checked_rem(variants.len()).unwrap_or(0);
    variants.get(chosen).copied().unwrap_or_default()
}

fn of_category(category: &str, key: &'static str, language: &str, choice: u8) -> &'static str {
    CATEGORIES
        .get(category)
        .map_or("", |sentences| one(sentences, key, language, choice))
}

/// Title of a category.
pub fn category_title(category: &str, language: &str) -> &'static str {
    of_category(category, "title", language, 0)
}

/// Describes the services of a category.
pub(super) fn category_description(category: &str, language: &str) -> &'static str {
    of_category(category, "description", language, 0)
}

/// Puts values in the places of `{title}` and the like. A value that ends with a full stop does
/// not get a second one.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            break;
        };
        let value = values
            .iter()
            .find(|(key, _)| *key == name)
            .map_or("", |(_, value)| *value);
        text.push_str(value);
        rest = match after.strip_prefix('.') {
            Some(more) if value.ends_with('.') => more,
            _ => after,
        };
    }
    text.push_str(rest);
    text
}

/// The short and the long description of a service.
pub(super) fn describe(service: &ServiceFacts, language: &str) -> (String, String) {
    let hash = Sha256::digest(service.name.as_bytes());
    let choice = |index: usize| hash.get(index).copied().unwrap_or(0);
    let category = service.categories.first().map_or("", String::as_str);
    let title = ("title", service.title.as_str());
    let short = fill(
        of_category(category, "short", language, choice(0)),
        &[title],
    );

    let mut long = vec![fill(
        of_category(category, "long", language, choice(1)),
        &[title],
    )];
    let shared = |key, choice| one(&SHARED, key, language, choice);
    if !service.company.eq_ignore_ascii_case(&service.title) {
        let company = ("company", service.company.as_str());
        long.push(fill(shared("operator", choice(2)), &[title, company]));
    }
    let others: Vec<&str> = service
        .categories
        .iter()
        .skip(1)
        .map(|category| category_title(category, language))
        .collect();
    if !others.is_empty() {
        long.push(fill(
            shared("also", 0),
            &[("categories", &others.join(", "))],
        ));
    }
    let more = shared("more", 0);
    // Names of one or two letters tell a reader nothing.
    let cookies = service.cookies.iter().map(|cookie| cookie.name.as_str());
    let cookies = enumerate(cookies.filter(|name| name.len() > 2), MOST_COOKIES, more);
    if !cookies.is_empty() {
        long.push(fill(shared("cookies", 0), &[("cookies", &cookies)]));
    }
    let domains = enumerate(
        service.domains.iter().map(String::as_str),
        MOST_DOMAINS,
        more,
    );
    if !domains.is_empty() {
        long.push(fill(shared("domains", 0), &[("domains", &domains)]));
    }
    (short, long.join(" "))
}

/// `a, b, c`, or `a, b, c and others` when there are more.
fn enumerate<'a>(names: impl Iterator<Item = &'a str>, most: usize, more: &str) -> String {
    let names: Vec<&str> = names.collect();
    let shown = names
        .iter()
        .copied()
        .take(most)
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > most {
        format!("{shown} {more}")
    } else {
        shown
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;
    use crate::vendors::{EMBEDDED, file};

    fn slots(text: &str) -> BTreeSet<&str> {
        text.split('{')
            .skip(1)
            .filter_map(|part| part.split('}').next())
            .collect()
    }

    #[test]
    fn titles_of_categories_name_their_purposes_to_the_editor() {
        let findings = |category: &str, message: &str| {
            let vendors = json!([{"categories": [category]}]);
            let step = json!({"layout": "category", "message": message, "vendors": vendors});
            domain::fairness::findings(&json!({"steps": [step]}), &Value::Null).len()
        };
        let mut missed = Vec::new();
        for category in ["advertising", "analytics", "social"] {
            for language in LANGUAGES.map(|language| language.code) {
                let title = category_title(category, language);
                if findings(category, title) >= findings(category, "Cookies") {
                    missed.push(format!("{language}: {title}"));
                }
            }
        }
        assert_eq!(missed, Vec::<String>::new());
    }

    #[test]
    fn every_sentence_exists_in_every_language_with_the_same_slots() {
        let all = CATEGORIES
            .iter()
            .map(|(name, sentences)| (*name, sentences));
        for (name, sentences) in all.chain([("common", &*SHARED)]) {
            let keys: BTreeSet<&str> = sentences.keys().map(|(key, _)| *key).collect();
            if name != "common" {
                assert_eq!(
                    keys,
                    BTreeSet::from(["description", "long", "short", "title"]),
                    "{name}"
                );
            }
            for key in keys {
                let english = &sentences[&(key, "en")];
                for language in LANGUAGES.map(|language| language.code) {
                    let variants = sentences
                        .get(&(key, language))
                        .unwrap_or_else(|| panic!("{name} {key} lacks {language}"));
                    assert_eq!(variants.len(), english.len(), "{name} {key} {language}");
                    for variant in variants {
                        let expected: BTreeSet<&str> = match (name, key) {
                            (_, "short" | "long") => BTreeSet::from(["title"]),
                            ("common", "operator") => slots(variant),
                            _ => slots(english[0]),
                        };
                        assert_eq!(slots(variant), expected, "{name} {key} {language}");
                        assert!(!variant.contains("  ") && variant.trim() == *variant);
                        let ends =
                            matches!(key, "title" | "more") || variant.ends_with(['.', '。']);
                        assert!(ends, "{name} {key} {language}: {variant}");
                    }
                }
            }
        }
    }

    /// Texts that would be wrong for some names: `de` and `que` are elided before a vowel in
    /// French, `y` becomes `e` in Spanish, the Hungarian article depends on the next sound, and endings
    /// depend on the last one.
    #[test]
    fn sentences_hold_for_every_name() {
        for (name, text) in FILES.iter().chain([&("common", COMMON)]) {
            for line in text.lines() {
                let trap = match line.get(..3) {
                    Some("fr ") => line.contains(" de {") || line.contains("que {"),
                    Some("es ") => line.contains(" y {") || line.contains(" o {"),
                    Some("hu ") => line.contains(" a {") || line.contains(" az {"),
                    _ => false,
                };
                assert!(!trap, "{name}: {line}");
                // Japanese and Chinese write words without spaces between them.
                if !line.starts_with("ja ") && !line.starts_with("zh ") {
                    let glued = line.split('}').skip(1).any(|rest| {
                        rest.starts_with(|next: char| {
                            next.is_alphanumeric() || matches!(next, '-' | '\'' | '’')
                        })
                    });
                    assert!(!glued, "{name}: {line}");
                }
            }
        }
    }

    #[test]
    fn every_service_is_described_in_every_language() {
        let catalogue = file::parse(EMBEDDED).unwrap();
        let mut shorts = BTreeSet::new();
        for service in &catalogue.services {
            for language in LANGUAGES.map(|language| language.code) {
                let (short, long) = describe(service, language);
                for text in [&short, &long] {
                    assert!(text.contains(&service.title), "{text}");
                    assert!(!text.contains(['{', '}', '<', '>', '\n']), "{text}");
                    assert!(!text.contains("..") && !text.contains("  "), "{text}");
                    assert!(text.chars().count() <= 1200, "{text}");
                }
                assert!(short.chars().count() <= 200, "{short}");
                assert!(long.len() > short.len());
                shorts.insert((language, short.replace(&service.title, "")));
            }
        }
        // Not robotic: the list uses all that was written for it.
        assert!(
            shorts.len() >= (FILES.len() * 3 - 1) * LANGUAGES.len(),
            "{}",
            shorts.len()
        );
    }

    #[test]
    fn languages_fall_back() {
        assert_eq!(language("fr-CH"), "fr");
        assert_eq!(language("DE"), "de");
        assert_eq!(language("nb_NO"), "no");
        assert_eq!(language("eo"), "en");
        assert_eq!(language(""), "en");
    }

    #[test]
    fn full_stops_are_not_doubled() {
        assert_eq!(
            fill("By {company}. Yes.", &[("company", "One Inc.")]),
            "By One Inc. Yes."
        );
        assert_eq!(fill("By {company}.", &[("company", "One")]), "By One.");
    }
}
