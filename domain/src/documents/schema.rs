//! The descriptions as JSON Schema (draft 2020-12, which OpenAPI 3.1 uses).

use serde_json::{Map, Value, json};

use super::field::{ALL, Field, IDS, Kind, LINE, LIST, Needed, Object, Reach, TEXT, URL};
use crate::format::Format;

/// The schema of an object as it is sent and given back, with an example.
pub fn of(object: &Object) -> Value {
    let mut schema = plain(object);
    set(&mut schema, "example", example(object));
    schema
}

/// Gives a schema a member.
fn set(schema: &mut Value, key: &str, value: impl Into<Value>) {
    if let Some(members) = schema.as_object_mut() {
        members.insert(key.to_owned(), value.into());
    }
}

fn plain(object: &Object) -> Value {
    let sent = || {
        let fields = object.fields.iter();
        fields.filter(|field| field.rule.reach != Reach::Made)
    };
    let properties: Map<String, Value> = sent()
        .map(|field| (field.key.to_owned(), property(field)))
        .collect();
    let required: Vec<_> = sent()
        .filter(|field| field.rule.is_required)
        .map(|field| field.key)
        .collect();
    let mut schema = json!({
        "type": "object", "description": object.about.trim(),
        "properties": properties, "additionalProperties": true,
    });
    if !required.is_empty() {
        set(&mut schema, "required", json!(required));
    }
    schema
}

fn property(field: &Field) -> Value {
    let mut schema = kind(field.rule.kind);
    if !field.rule.is_required
        && let Some(one) = schema.get("type").cloned()
    {
        set(&mut schema, "type", json!([one, "null"]));
        if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
            words.push(Value::Null);
        }
    }
    let mut about = field.about.trim().to_owned();
    if let Some(only) = field.rule.only {
        about = format!("{about} Only with `{}` {}.", only.field, words(only.words));
    }
    if let Some(needed) = field.rule.to_publish.map(needed) {
        about = format!("{about} ({needed})");
    }
    set(&mut schema, "description", about);
    if field.rule.reach == Reach::Secret {
        set(&mut schema, "writeOnly", true);
    }
    if let Some(default) = default_of(field) {
        set(&mut schema, "default", default);
    }
    schema
}

/// The value that the absence of a field stands for, where that is one of a simple field.
pub(super) fn default_of(field: &Field) -> Option<Value> {
    let is_plain = |value: &Value| !value.is_null() && !value.is_object() && !value.is_array();
    let default = field.default_value().filter(is_plain)?;
    let is_optional = !field.rule.is_required && default.as_str() != Some("");
    is_optional.then_some(default)
}

/// When publishing needs a field, in words.
pub(super) fn needed(needed: Needed) -> String {
    match needed {
        Needed::Always => "needed to publish".to_owned(),
        Needed::WithoutParty(field) => {
            format!("needed to publish unless the project has `{field}`")
        }
    }
}

/// Words as a sentence shows them.
pub(super) fn words(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    quoted.join(", ")
}

fn kind(kind: Kind) -> Value {
    match kind {
        Kind::Line => json!({"type": "string", "maxLength": LINE}),
        Kind::Text | Kind::Html => json!({"type": "string", "maxLength": TEXT}),
        Kind::Formatted(format) => formatted(format),
        Kind::Secret(least, most) => {
            json!({"type": "string", "minLength": least, "maxLength": most})
        }
        // An empty text is none.
        Kind::Url => {
            json!({"type": "string", "anyOf": [{"format": "uri"}, {"maxLength": 0}], "maxLength": URL})
        }
        Kind::File(_) => json!({"type": "string", "maxLength": URL}),
        Kind::Id => json!({"type": "string", "format": "uuid"}),
        Kind::Flag => json!({"type": "boolean"}),
        Kind::Number(least, most) => json!({"type": "number", "minimum": least, "maximum": most}),
        Kind::Whole(least, most) => json!({"type": "integer", "minimum": least, "maximum": most}),
        Kind::Words(words) => json!({"type": "string", "enum": words}),
        Kind::Texts => {
            json!({"type": "object", "additionalProperties": {"type": ["string", "null"], "maxLength": LINE}})
        }
        Kind::Object(object) => plain(object),
        Kind::FlagOr(object) => json!({"oneOf": [{"type": ["boolean", "null"]}, plain(object)]}),
        Kind::Named(object) => json!({"type": "object", "additionalProperties": plain(object)}),
        Kind::Lines => list(&json!({"type": "string", "maxLength": LINE})),
        Kind::ListOf(format) => list(&formatted(format)),
        Kind::Ids(most) => ids(most),
        Kind::AllOrIds(most) => json!({"oneOf": [ids(most), {"type": "string", "enum": [ALL]}]}),
        Kind::Objects(object, _) => list(&plain(object)),
        Kind::Vendors => list(&json!({"oneOf": [
            {"type": "string", "format": "uuid"},
            {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "format": "uuid"}}},
        ]})),
        Kind::Any => json!({}),
    }
}

fn list(entry: &Value) -> Value {
    json!({"type": "array", "maxItems": LIST, "items": entry})
}

fn ids(most: u16) -> Value {
    let id = json!({"type": "integer", "minimum": 1, "maximum": most});
    json!({"type": "array", "maxItems": IDS, "uniqueItems": true, "items": id})
}

fn formatted(format: &Format) -> Value {
    let mut schema = json!({"type": "string"});
    if let Some(pattern) = format.pattern {
        set(&mut schema, "pattern", pattern);
    }
    schema
}

/// A document with a value for each field that does not exclude another one.
pub fn example(object: &Object) -> Value {
    let fields = object.fields.iter().filter(|field| {
        !matches!(field.rule.reach, Reach::Made | Reach::Secret) && field.rule.only.is_none()
    });
    let values = fields.filter_map(|field| {
        let default = default_of(field);
        let value = default.or_else(|| example_of(field))?;
        Some((field.key.to_owned(), value))
    });
    Value::Object(values.collect())
}

fn example_of(field: &Field) -> Option<Value> {
    const ID: &str = "01900000-0000-7000-8000-000000000000";
    Some(match field.rule.kind {
        Kind::Line | Kind::Text => field.about.trim().trim_end_matches('.').into(),
        Kind::Html => "<p>We use <b>cookies</b>.</p>".into(),
        Kind::Formatted(format) => format.example.into(),
        Kind::Url | Kind::File(_) => "https://shop.example/page".into(),
        // An organization is nobody's until one has made it.
        Kind::Id if !field.rule.is_required => return None,
        Kind::Id => ID.into(),
        Kind::Flag | Kind::Any => true.into(),
        Kind::Number(least, _) => json!(least + 12.0),
        Kind::Whole(least, _) => json!((least + 12.0) as u64),
        Kind::Words(words) => words.first().copied()?.into(),
        Kind::Object(object) | Kind::FlagOr(object) => example(object),
        Kind::Objects(object, _) => json!([example(object)]),
        Kind::Named(object) => json!({"true": example(object)}),
        Kind::Texts => json!({}),
        Kind::Lines => json!(["e-mail"]),
        Kind::ListOf(format) => json!([format.example]),
        Kind::Ids(_) => json!([2]),
        Kind::AllOrIds(_) => json!([2, 755]),
        Kind::Secret(..) | Kind::Vendors => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{collection::Collection, documents};

    #[test]
    fn examples_keep_the_rules() {
        for collection in Collection::ALL {
            let example = example(documents::of(collection));
            assert_eq!(documents::validate(collection, &example), [], "{example}");
        }
    }
}
