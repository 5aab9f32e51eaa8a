//! Checks that a JSON value has the shape that the API's document gives to a type. Names every
//! field that has not, in the texts of `domain::documents`. Serde cannot do this: it stops at the
//! first error, and reads objects from arrays.

use std::collections::BTreeMap;

use domain::{
    documents::below,
    error_code::ErrorCode,
    field_error::{FieldError, MOST_ERRORS},
};
use serde_json::{Map, Value};
use service::clock::Timestamp;
use utoipa::ToSchema;
use uuid::Uuid;

/// The shape of a type.
pub struct Shape {
    root: Value,
    /// The schemas that the type refers to, by name.
    named: BTreeMap<String, Value>,
}

impl Shape {
    /// Reads it from the schema.
    pub fn of<T: ToSchema>() -> Self {
        let json = |schema| serde_json::to_value(schema).unwrap_or_default();
        let mut named = Vec::new();
        T::schemas(&mut named);
        let named = named.into_iter().map(|(name, schema)| (name, json(schema)));
        Self {
            root: json(T::schema()),
            named: named.collect(),
        }
    }

    /// Everything in which a value, or its outline, differs: [`MOST_ERRORS`] places at most.
    pub fn check(&self, value: &Value) -> Vec<FieldError> {
        let mut check = Check {
            shape: self,
            errors: Vec::new(),
        };
        check.value("", value, &self.root);
        check.errors
    }
}

struct Check<'a> {
    shape: &'a Shape,
    errors: Vec<FieldError>,
}

impl<'a> Check<'a> {
    fn refuse(&mut self, pointer: &str, code: ErrorCode, detail: impl Into<String>) {
        if !self.is_full() {
            self.errors.push(FieldError::new(pointer, code, detail));
        }
    }

    fn is_full(&self) -> bool {
        self.errors.len() >= MOST_ERRORS
    }

    fn is_of_another_kind(&mut self, pointer: &str, kind: &str) {
        let what = if pointer.is_empty() { "body" } else { "field" };
        let detail = format!("This {what} must be {kind}.");
        self.refuse(pointer, ErrorCode::InvalidType, detail);
    }

    fn value(&mut self, pointer: &str, value: &Value, schema: &'a Value) {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            let name = name.rsplit('/').next().unwrap_or_default();
            if let Some(schema) = self.shape.named.get(name) {
                self.value(pointer, value, schema);
            }
        } else if let Some(several) = list(schema, "oneOf") {
            self.one_of(pointer, value, several);
        } else if let Some(all) = list(schema, "allOf") {
            for schema in all {
                let before = self.errors.len();
                self.value(pointer, value, schema);
                // A value of another kind is so for each of them.
                let mut new = self.errors.iter().skip(before);
                if new.any(|error| error.pointer == pointer) {
                    break;
                }
            }
        } else if let Some(words) = list(schema, "enum") {
            if !words.contains(value) {
                let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
                let detail = format!("One of: {}.", words.join(", "));
                self.refuse(pointer, ErrorCode::InvalidValue, detail);
            }
        } else {
            let kinds = match schema.get("type") {
                Some(Value::String(kind)) => vec![kind.as_str()],
                Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
                // Anything.
                _ => return,
            };
            if value.is_null() && kinds.contains(&"null") {
                return;
            }
            let kind = kinds.into_iter().find(|kind| *kind != "null");
            self.kind(pointer, value, schema, kind.unwrap_or("null"));
        }
    }

    /// One schema that fits is enough. If only one of them is not null, its errors are the answer.
    fn one_of(&mut self, pointer: &str, value: &Value, several: &'a [Value]) {
        let is_null = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "null");
        let mut tried = Vec::new();
        for schema in several {
            // Errors of its own, so that those before leave room for them.
            let mut check = Check {
                shape: self.shape,
                errors: Vec::new(),
            };
            check.value(pointer, value, schema);
            if check.errors.is_empty() {
                return;
            }
            if !is_null(schema) {
                tried.push(check.errors);
            }
        }
        if let [errors] = &mut tried[..] {
            self.errors.append(errors);
            self.errors.truncate(MOST_ERRORS);
        } else {
            self.refuse(
                pointer,
                ErrorCode::InvalidType,
                "This field has another kind of value.",
            );
        }
    }

    fn kind(&mut self, pointer: &str, value: &Value, schema: &'a Value, kind: &str) {
        match (kind, value) {
            ("object", Value::Object(map)) => self.object(pointer, map, schema),
            ("array", Value::Array(items)) => {
                if let Some(schema) = schema.get("items") {
                    for (index, item) in items.iter().enumerate() {
                        if self.is_full() {
                            return;
                        }
                        self.value(&below(pointer, &index.to_string()), item, schema);
                    }
                }
            }
            ("string", Value::String(text)) => self.text(pointer, text, schema),
            ("boolean", Value::Bool(_)) => {}
            ("number" | "integer", Value::Number(number)) => {
                if kind == "integer" && number.is_f64() {
                    let detail = "This number must be whole.";
                    self.refuse(pointer, ErrorCode::InvalidType, detail);
                } else if let Some(least) = schema.get("minimum").and_then(Value::as_f64)
                    && number.as_f64().is_some_and(|number| number < least)
                {
                    let detail = format!("This number must be {least} or more.");
                    self.refuse(pointer, ErrorCode::OutOfRange, detail);
                }
            }
            ("object", _) => self.is_of_another_kind(pointer, "an object"),
            ("array", _) => self.is_of_another_kind(pointer, "an array"),
            ("string", _) => self.is_of_another_kind(pointer, "a string"),
            ("boolean", _) => self.is_of_another_kind(pointer, "true or false"),
            ("null", _) => self.is_of_another_kind(pointer, "null"),
            _ => self.is_of_another_kind(pointer, "a number"),
        }
    }

    fn object(&mut self, pointer: &str, map: &Map<String, Value>, schema: &'a Value) {
        let properties = schema.get("properties").and_then(Value::as_object);
        let required = list(schema, "required").unwrap_or_default();
        for name in required.iter().filter_map(Value::as_str) {
            if map.get(name).is_none() {
                let detail = "This field is required.";
                self.refuse(&below(pointer, name), ErrorCode::Required, detail);
            }
        }
        let others = schema.get("additionalProperties");
        for (name, value) in map {
            if self.is_full() {
                return;
            }
            let known = properties.and_then(|properties| properties.get(name));
            if name.contains('\0') {
                self.nul(&below(pointer, name));
            }
            if let Some(schema) = known.or(others.filter(|others| others.is_object())) {
                self.value(&below(pointer, name), value, schema);
            }
        }
    }

    fn text(&mut self, pointer: &str, text: &str, schema: &Value) {
        if text.contains('\0') {
            return self.nul(pointer);
        }
        match schema.get("format").and_then(Value::as_str) {
            Some("uuid") if Uuid::try_parse(text).is_err() => {
                let detail = "An id is a UUID, hyphenated and in lower case.";
                self.refuse(pointer, ErrorCode::InvalidId, detail);
            }
            Some("date-time") if Timestamp::parse(text).is_none() => {
                let detail = "A time is written as 2026-11-21T09:30:00Z.";
                self.refuse(pointer, ErrorCode::InvalidTime, detail);
            }
            _ => {}
        }
    }

    fn nul(&mut self, pointer: &str) {
        self.refuse(
            pointer,
            ErrorCode::InvalidCharacter,
            "U+0000 is not allowed.",
        );
    }
}

fn list<'a>(schema: &'a Value, key: &str) -> Option<&'a [Value]> {
    schema.get(key)?.as_array().map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::*;

    #[derive(ToSchema)]
    #[schema(rename_all = "camelCase")]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Whole {
        name: String,
        id: Option<Uuid>,
        how_many: u32,
        parts: Vec<Part>,
        best: Option<Part>,
        notes: BTreeMap<String, bool>,
    }

    #[derive(ToSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Names {
        name: Option<Vec<String>>,
    }

    #[derive(ToSchema)]
    #[expect(dead_code, reason = "only its schema is read")]
    struct Part {
        kind: Kind,
    }

    #[derive(ToSchema)]
    #[schema(rename_all = "lowercase")]
    #[expect(dead_code, reason = "only its schema is read")]
    enum Kind {
        Left,
        Right,
    }

    fn refused(value: &Value) -> Vec<String> {
        let errors = Shape::of::<Whole>().check(value);
        let told = errors.iter();
        told.map(|error| format!("{} {}", error.pointer, error.code))
            .collect()
    }

    #[test]
    fn every_difference_is_told_and_null_is_nothing_that_is_optional() {
        let good = json!({"name": "a", "id": null, "howMany": 1, "parts": [{"kind": "left"}],
            "best": {"kind": "right"}, "notes": {"x": true}, "other": [1]});
        assert_eq!(refused(&good), [""; 0]);
        let bad = json!({"name": 1, "id": "x", "howMany": -1, "parts": [{"kind": "up"}, []],
            "best": {}, "notes": {"x/y": 1}});
        assert_eq!(
            refused(&bad),
            [
                "/name invalid_type",
                "/id invalid_id",
                "/howMany out_of_range",
                "/parts/0/kind invalid_value",
                "/parts/1 invalid_type",
                "/best/kind required",
                "/notes/x~1y invalid_type",
            ]
        );
        assert_eq!(
            refused(&json!({"name": "a\0"})),
            [
                "/howMany required",
                "/parts required",
                "/notes required",
                "/name invalid_character"
            ]
        );
        assert_eq!(refused(&json!(["a", null, 1])), [" invalid_type"]);
    }

    #[test]
    fn an_answer_names_a_hundred_places_at_most() {
        let refused =
            refused(&json!({"name": 1, "howMany": 1, "parts": vec![0; 10_000], "notes": {}}));
        assert_eq!(refused.len(), MOST_ERRORS);
        let best = json!({"name": vec![0; 10_000]});
        assert!(Shape::of::<Names>().check(&best).len() == MOST_ERRORS);
    }
}
