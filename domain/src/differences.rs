//! The fields in which two forms of a document differ, for people who decide between them.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    hash::{BuildHasher, RandomState},
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Bounds of a list of differences.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Most fields that are told.
    pub fields: usize,
    /// Most characters that are told of a value.
    pub characters: usize,
    /// Characters of a long value that are told before the first one that differs.
    pub context: usize,
}

/// Fields that people neither see nor choose.
const UNTOLD: [&str; 1] = ["identifier"];
/// The forms of a configuration in its other languages.
const TRANSLATED: &str = "translated";
/// The value of a field that is not there.
static NULL: Value = Value::Null;

/// The fields in which two forms of a document differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// The fields, in the order of their names, those of other languages last.
    pub fields: Vec<FieldChange>,
    /// Number of further fields.
    pub omitted: usize,
}

/// A field with two values. Long ones are cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(utoipa::ToSchema),
    schema(as = PublishFieldChange)
)]
pub struct FieldChange {
    /// The way to it: names of fields, and of entries of lists.
    #[cfg_attr(feature = "schema", schema(example = json!(["steps", "welcome", "title"])))]
    pub path: Vec<String>,
    /// The value that is live; null if there is none.
    #[cfg_attr(feature = "schema", schema(value_type = Value, example = "Your privacy"))]
    pub before: Value,
    /// The value that comes in its place; null if there is none.
    #[cfg_attr(feature = "schema", schema(value_type = Value, example = "Your choice"))]
    pub after: Value,
}

/// Compares two forms.
pub fn between(before: &Value, after: &Value, bounds: Bounds) -> Differences {
    let mut found = Found {
        told: Differences::default(),
        bounds,
        keys: RandomState::new(),
        own: HashSet::new(),
    };
    compare(&mut Vec::new(), before, after, &mut found);
    found.told
}

/// The fields that differ, as far as they are compared. A form may differ in a million of them, so only those that are
/// told are kept.
struct Found {
    told: Differences,
    bounds: Bounds,
    /// Keys of the hashes, which nobody knows: a translation of equal hash would not be told.
    keys: RandomState,
    /// Hashes of the fields of the form itself, beside those of its translations.
    own: HashSet<u64>,
}

impl Found {
    fn add(&mut self, path: &[String], before: &Value, after: &Value) {
        let change = change(path, before, after, self.bounds);
        match path.get(2..) {
            // A translated form repeats everything that is no text.
            Some(rest) if is_translated(path) => {
                if self.own.contains(&self.hash_of(rest, &change)) {
                    return;
                }
            }
            _ => {
                self.own.insert(self.hash_of(path, &change));
            }
        }
        if self.told.fields.len() < self.bounds.fields {
            self.told.fields.push(change);
        } else {
            self.told.omitted += 1;
        }
    }

    fn hash_of(&self, path: &[String], change: &FieldChange) -> u64 {
        let values = (&change.before, &change.after);
        // Strings and numbers only, so it cannot fail.
        let text = serde_json::to_string(&(path, values)).unwrap_or_default();
        self.keys.hash_one(text)
    }
}

fn is_translated(path: &[String]) -> bool {
    path.first().is_some_and(|first| first == TRANSLATED)
}

fn compare(path: &mut Vec<String>, before: &Value, after: &Value, found: &mut Found) {
    if before == after {
        return;
    }
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => objects(path, before, after, found),
        // Objects without fields are left out.
        (Value::Null, Value::Object(after)) => objects(path, &Map::new(), after, found),
        (Value::Object(before), Value::Null) => objects(path, before, &Map::new(), found),
        (Value::Array(before), Value::Array(after)) => lists(path, before, after, found),
        _ => found.add(path, before, after),
    }
}

fn objects(
    path: &mut Vec<String>,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    found: &mut Found,
) {
    let names = before.keys().chain(after.keys());
    let names: BTreeSet<_> = names
        .filter(|name| !UNTOLD.contains(&name.as_str()))
        .collect();
    // Last, so that the fields of the form itself are known.
    let is_last = |name: &&String| path.is_empty() && *name == TRANSLATED;
    let (last, first): (Vec<_>, Vec<_>) = names.into_iter().partition(is_last);
    for name in first.into_iter().chain(last) {
        let (before, after) = (before.get(name), after.get(name));
        within(path, name, |path| {
            compare(path, before.unwrap_or(&NULL), after.unwrap_or(&NULL), found);
        });
    }
}

/// Compares lists by the names of their entries, or by their places where no entry came or went.
fn lists(path: &mut Vec<String>, before: &[Value], after: &[Value], found: &mut Found) {
    let are_languages = path.len() == 1 && is_translated(path);
    let named = |list| named(list, are_languages);
    if let (Some(old), Some(new)) = (named(before), named(after)) {
        let others: BTreeMap<_, _> = old.iter().copied().collect();
        let names: BTreeSet<&str> = new.iter().map(|(name, _)| *name).collect();
        let kept: Vec<&str> = new
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| others.contains_key(name))
            .collect();
        let left: Vec<&str> = old
            .iter()
            .map(|(name, _)| *name)
            .filter(|name| names.contains(name))
            .collect();
        if left != kept {
            found.add(path, &json!(left), &json!(kept));
        }
        for (name, after) in &new {
            within(path, name, |path| match others.get(name) {
                Some(before) => compare(path, before, after, found),
                None => found.add(path, &Value::Null, &title(after)),
            });
        }
        for (name, before) in old.iter().filter(|(name, _)| !names.contains(name)) {
            within(path, name, |path| {
                found.add(path, &title(before), &Value::Null);
            });
        }
        return;
    }
    let are_objects = |list: &[Value]| list.iter().all(Value::is_object);
    if before.len() == after.len() && are_objects(before) && are_objects(after) {
        for (at, (before, after)) in before.iter().zip(after).enumerate() {
            let place = (at + 1).to_string();
            within(path, &place, |path| compare(path, before, after, found));
        }
        return;
    }
    found.add(path, &json!(before), &json!(after));
}

fn within(path: &mut Vec<String>, name: &str, work: impl FnOnce(&mut Vec<String>)) {
    path.push(name.to_owned());
    work(path);
    path.pop();
}

/// The entries of a list by their names, or by their languages; `None` if an entry has none or shares it.
fn named(list: &[Value], are_languages: bool) -> Option<Vec<(&str, &Value)>> {
    let key = if are_languages { "language" } else { "name" };
    let named: Option<Vec<_>> = list
        .iter()
        .map(|entry| Some((entry.get(key)?.as_str()?, entry)))
        .collect();
    let named = named?;
    let names: BTreeSet<_> = named.iter().map(|(name, _)| *name).collect();
    (names.len() == named.len()).then_some(named)
}

/// An entry of a list in a word.
fn title(entry: &Value) -> Value {
    let text = |key| entry.get(key).filter(|text| text.is_string()).cloned();
    text("title")
        .or_else(|| text("name"))
        .unwrap_or_else(|| entry.clone())
}

fn change(path: &[String], before: &Value, after: &Value, bounds: Bounds) -> FieldChange {
    let (one, other) = (text_of(before), text_of(after));
    let same = one.chars().zip(other.chars());
    let same = same.take_while(|(one, other)| one == other).count();
    // The difference must be seen, with some words before it.
    let start = if same < bounds.characters.saturating_sub(bounds.context) {
        0
    } else {
        same.saturating_sub(bounds.context)
    };
    FieldChange {
        path: path.to_vec(),
        before: short(before, &one, start, bounds.characters),
        after: short(after, &other, start, bounds.characters),
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// A value of a length that people read: itself, or a part of its text from a character on.
fn short(value: &Value, text: &str, start: usize, most: usize) -> Value {
    let length = text.chars().count();
    if length <= most {
        return value.clone();
    }
    let part: String = text.chars().skip(start).take(most).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if length > start + most { "…" } else { "" };
    format!("{before}{part}{after}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        fields: 100,
        characters: 300,
        context: 60,
    };

    fn told(before: &Value, after: &Value) -> Value {
        let found = between(before, after, BOUNDS).fields.into_iter();
        let found = found.map(|one| json!([one.path.join("/"), one.before, one.after]));
        found.collect()
    }

    #[test]
    fn a_difference_deep_in_a_text_is_shown() {
        let text = |end: &str| json!({"title": format!("{}{end}", "é".repeat(500))});
        let told = told(&text("old"), &text("new, and longer"));
        let same = "é".repeat(BOUNDS.context);
        let expected = json!([[
            "title",
            format!("…{same}old"),
            format!("…{same}new, and longer")
        ]]);
        assert_eq!(told, expected);
    }

    #[test]
    fn entries_of_lists_are_found_by_their_names() {
        let before = json!({"steps": [
            {"name": "a", "title": "A", "vendors": [{"name": "x", "title": "X"}]},
            {"name": "b", "title": "B"},
            {"name": "c", "title": "C"},
        ]});
        let after = json!({"steps": [
            {"name": "b", "title": "B"},
            {"name": "a", "title": "A2", "vendors": [{"name": "y", "title": "Y"}]},
            {"name": "d", "title": "D"},
        ]});
        assert_eq!(
            told(&before, &after),
            json!([
                ["steps", ["a", "b"], ["b", "a"]],
                ["steps/a/title", "A", "A2"],
                ["steps/a/vendors/y", null, "Y"],
                ["steps/a/vendors/x", "X", null],
                ["steps/d", null, "D"],
                ["steps/c", "C", null],
            ])
        );
    }

    #[test]
    fn other_lists_are_compared_by_place_or_as_a_whole() {
        let buttons = |second: &str| json!({"buttons": [{"text": "Yes"}, {"text": second}]});
        assert_eq!(
            told(&buttons("No"), &buttons("Later")),
            json!([["buttons/2/text", "No", "Later"]])
        );
        let texts = json!({"strings": {"close": "Bye"}});
        assert_eq!(
            told(&json!({}), &texts),
            json!([["strings/close", null, "Bye"]])
        );
        assert_eq!(
            told(&texts, &json!({})),
            json!([["strings/close", "Bye", null]])
        );
        assert_eq!(
            told(&json!({"ids": [1]}), &json!({"ids": [1, 2]})),
            json!([["ids", [1], [1, 2]]])
        );
        assert_eq!(
            told(
                &json!({"identifier": "1", "a": 1}),
                &json!({"identifier": "2"})
            ),
            json!([["a", 1, null]])
        );
    }

    #[test]
    fn a_translation_tells_only_what_is_its_own() {
        let form = |bar: bool, title: &str, titre: &str| {
            let one = |language: &str, title: &str| {
                json!({"language": language, "name": "main", "bar": bar,
                    "steps": [{"name": "a", "title": title}]})
            };
            let mut whole = one("en", title);
            whole[TRANSLATED] = json!([one("fr", titre)]);
            whole
        };
        assert_eq!(
            told(
                &form(false, "Hello", "Salut"),
                &form(true, "Hello", "Bonjour")
            ),
            json!([
                ["bar", false, true],
                ["translated/fr/steps/a/title", "Salut", "Bonjour"],
            ])
        );
    }

    #[test]
    fn what_is_told_has_bounds() {
        let fields = |value: &str| -> Value {
            let fields = (0..BOUNDS.fields + 7).map(|at| (format!("f{at:03}"), value.into()));
            Value::Object(fields.collect())
        };
        let long = "é".repeat(BOUNDS.characters + 1);
        let told = |fields_told: usize| {
            let bounds = Bounds {
                fields: fields_told,
                ..BOUNDS
            };
            let found = between(&fields("a"), &fields(&long), bounds);
            (found.fields.len(), found.omitted)
        };
        assert_eq!(told(BOUNDS.fields), (BOUNDS.fields, 7));
        assert_eq!(told(0), (0, BOUNDS.fields + 7));
        let found = between(&fields("a"), &fields(&long), BOUNDS);
        let after = found.fields[0].after.as_str().unwrap();
        assert_eq!(after.chars().count(), BOUNDS.characters + 1);
        assert!(after.ends_with('…'));
    }
}
