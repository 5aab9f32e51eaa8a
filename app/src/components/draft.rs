//! A document being edited: its JSON, what of it is saved, and which fields are broken.
//!
//! Fields are addressed by JSON Pointer, the same that the API's errors name, so that an error
//! finds its field. Fields that the form does not know stay in the document untouched.

use domain::collection::Collection;
use domain::documents;
use domain::documents::field::{Object, TAGS};
use domain::error_code::ErrorCode;
use domain::field_error::FieldError;
use leptos::prelude::*;
use serde_json::{Map, Value};

use super::toast::toasts;
use crate::error::UiError;
use crate::i18n::{Texts, fill, texts, words};

/// A document being edited.
#[derive(Clone, Copy)]
pub struct Draft {
    value: RwSignal<Value>,
    saved: RwSignal<Value>,
    errors: RwSignal<Vec<FieldError>>,
    /// Set for people who may look but not change.
    pub read_only: RwSignal<bool>,
    /// The description of the document; none where something else is written.
    described: Option<&'static Object>,
}

impl Draft {
    /// A document of a collection.
    pub fn of(collection: Collection, saved: Value) -> Self {
        Self {
            described: Some(documents::of(collection)),
            ..Self::new(saved)
        }
    }

    pub fn new(saved: Value) -> Self {
        let value = RwSignal::new(saved.clone());
        let toasts = toasts();
        on_cleanup(move || toasts.leave(value));
        Self {
            value,
            saved: RwSignal::new(saved),
            errors: RwSignal::new(Vec::new()),
            read_only: RwSignal::new(false),
            described: None,
        }
    }

    /// The description of the document, if it is one.
    pub fn described(self) -> Option<&'static Object> {
        self.described
    }

    /// The signal that the document is in, by which notices know it.
    pub fn document(self) -> RwSignal<Value> {
        self.value
    }

    /// The whole document; reading it tracks every change.
    pub fn value(self) -> Value {
        self.value.get()
    }

    pub fn value_untracked(self) -> Value {
        self.value.get_untracked()
    }

    /// True if the draft differs from the saved document.
    pub fn dirty(self) -> bool {
        self.value
            .with(|value| self.saved.with(|saved| value != saved))
    }

    pub fn dirty_untracked(self) -> bool {
        untrack(|| self.dirty())
    }

    /// Replaces everything, as after reading it anew or undoing.
    pub fn replace(self, value: Value) {
        self.value.set(value);
        self.errors.set(Vec::new());
    }

    /// Marks a state as saved.
    pub fn mark_saved(self, value: Value) {
        self.saved.set(value);
    }

    /// Leaves out what was sent and is not given back, as if it had never been there.
    pub fn forget(self, pointer: &str) {
        for document in [self.value, self.saved] {
            document.update(|document| set_at(document, pointer, None));
        }
    }

    pub fn saved_untracked(self) -> Value {
        self.saved.get_untracked()
    }

    /// Looks at the value at a pointer.
    pub fn with_at<T>(self, pointer: &str, look: impl FnOnce(Option<&Value>) -> T) -> T {
        self.value.with(|value| look(value.pointer(pointer)))
    }

    /// The value at a pointer.
    pub fn at(self, pointer: &str) -> Option<Value> {
        self.value.with(|value| value.pointer(pointer).cloned())
    }

    /// The text at a pointer, empty where there is none.
    pub fn text(self, pointer: &str) -> String {
        self.value.with(|value| {
            value
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        })
    }

    /// Changes the document and forgets the errors that the change may have healed.
    pub fn edit(self, pointer: &str, change: impl FnOnce(&mut Value)) {
        self.value.update(change);
        self.forgive(pointer);
    }

    /// Sets the value at a pointer, making the objects on the way; `None` removes it.
    pub fn set(self, pointer: &str, value: Option<Value>) {
        self.edit(pointer, |document| set_at(document, pointer, value));
    }

    /// Sets or, when empty, removes a text.
    pub fn set_text(self, pointer: &str, text: &str) {
        self.set(
            pointer,
            (!text.is_empty()).then(|| Value::String(text.to_owned())),
        );
    }

    /// The first problem at a pointer or below it.
    pub fn problem(self, pointer: &str) -> Option<String> {
        let t = texts();
        self.errors.with(|errors| {
            errors
                .iter()
                .find(|error| covers(pointer, &error.pointer))
                .map(|error| error_text(t, error))
        })
    }

    /// Problems that no field of this list shows, so that none is ever swallowed.
    pub fn problems_outside(self, shown: &[&str]) -> Vec<String> {
        self.problems_of(|pointer| !shown.iter().any(|shown| covers(shown, pointer)))
    }

    /// Problems of the fields of which this is true.
    pub fn problems_of(self, is_of: impl Fn(&str) -> bool) -> Vec<String> {
        let t = texts();
        self.errors.with(|errors| {
            errors
                .iter()
                .filter(|error| is_of(&error.pointer))
                .map(|error| format!("{} ({})", error_text(t, error), error.pointer))
                .collect()
        })
    }

    pub fn has_errors(self) -> bool {
        self.errors.with(|errors| !errors.is_empty())
    }

    pub fn errors_untracked(self) -> Vec<FieldError> {
        self.errors.get_untracked()
    }

    /// Shows the broken fields of a refused save.
    pub fn refuse(self, error: &UiError) {
        self.errors.set(error.fields().to_vec());
    }

    fn forgive(self, pointer: &str) {
        if self
            .errors
            .with_untracked(|errors| errors.iter().any(|e| covers(pointer, &e.pointer)))
        {
            self.errors
                .update(|errors| errors.retain(|error| !covers(pointer, &error.pointer)));
        }
    }
}

/// True if `inner` is `outer` or below it.
pub fn covers(outer: &str, inner: &str) -> bool {
    inner
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Sets or removes the value at a pointer. Missing objects are made; an index past the end of
/// an array, or a step through a scalar, changes nothing.
fn set_at(document: &mut Value, pointer: &str, value: Option<Value>) {
    let Some((parent, key)) = pointer.rsplit_once('/') else {
        if let Some(value) = value {
            *document = value;
        }
        return;
    };
    let mut current = document;
    for part in parent.split('/').skip(1) {
        let part = unescape(part);
        current = match current {
            Value::Array(items) => {
                match part
                    .parse::<usize>()
                    .ok()
                    .and_then(|index| items.get_mut(index))
                {
                    Some(item) => item,
                    None => return,
                }
            }
            other => {
                if value.is_none() && other.get(&part).is_none() {
                    return;
                }
                if other.is_null() {
                    *other = Value::Object(Map::new());
                }
                match other {
                    Value::Object(map) => {
                        map.entry(part).or_insert_with(|| Value::Object(Map::new()))
                    }
                    _ => return,
                }
            }
        };
    }
    let key = unescape(key);
    match (current, value) {
        (Value::Object(map), Some(value)) => {
            map.insert(key, value);
        }
        (Value::Object(map), None) => {
            map.remove(&key);
        }
        (Value::Array(items), Some(value)) => {
            if let Some(item) = key
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get_mut(index))
            {
                *item = value;
            }
        }
        _ => {}
    }
}

fn unescape(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

/// A broken rule in the page's language; rules without a text of their own keep the API's
/// English sentence.
pub fn error_text(t: &'static Texts, error: &FieldError) -> String {
    if error.code == ErrorCode::TooManyTags {
        return fill(t.rule_too_many_tags, &[("n", &TAGS.to_string())]);
    }
    words(t, error.code).map_or_else(|| error.detail.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;
    use serde_json::json;

    #[test]
    fn too_many_tags_are_told_with_their_bound() {
        let error = FieldError::new("/message", ErrorCode::TooManyTags, "");
        let said = error_text(Locale::En.texts(), &error);
        assert_eq!(said, "Use at most 200 HTML tags.");
    }

    #[test]
    fn setting_makes_the_objects_on_the_way_and_removing_makes_none() {
        let mut document = json!({"steps": [{"name": "a"}], "other": 1});
        set_at(&mut document, "/settings/position", Some(json!("top")));
        set_at(&mut document, "/steps/0/title", Some(json!("T")));
        set_at(&mut document, "/steps/7/title", Some(json!("nowhere")));
        set_at(&mut document, "/strings/close", None);
        set_at(&mut document, "/other/deep", Some(json!(1)));
        assert_eq!(
            document,
            json!({
                "steps": [{"name": "a", "title": "T"}],
                "other": 1,
                "settings": {"position": "top"}
            })
        );
        set_at(&mut document, "/settings/position", None);
        assert_eq!(document.pointer("/settings"), Some(&json!({})));
    }

    #[test]
    fn a_pointer_covers_itself_and_what_is_below_but_not_its_namesakes() {
        assert!(covers("/steps/1", "/steps/1/title"));
        assert!(covers("/title", "/title"));
        assert!(!covers("/steps/1", "/steps/10/title"));
    }
}
