//! The receipt: the facts of a bundle again, named as ISO/IEC TS 27560 names the fields of a consent record, for
//! people and other systems.
//!
//! It follows from the bundle alone. So it proves nothing by itself, and a verifier makes it again and compares.

use serde_json::{Map, Value};

use crate::{bundle::Bundle, commitment::Group};

/// The value of `schema_version`.
pub const SCHEMA: &str = "placet-receipt/1";

/// The receipt of a bundle. It has no fact of a withheld group.
pub fn receipt(bundle: &Bundle) -> Value {
    let group = |group: Group| read(bundle.record.get(group).json.as_deref());
    let (core, choice, person) = (
        group(Group::Core),
        group(Group::Choice),
        group(Group::Person),
    );
    let manifest = read(bundle.publication.as_ref().map(|shown| &*shown.manifest));
    // The configuration of a widget, or the box of a form.
    let told = ["configuration", "document"]
        .into_iter()
        .find_map(|field| manifest.get(field))
        .unwrap_or(&Value::Null);
    object([
        (
            "header",
            Some(object([
                ("schema_version", Some(SCHEMA.into())),
                ("record_id", text(&core, "/consentId")),
                ("pii_principal_id", text(&person, "/token")),
            ])),
        ),
        (
            "processing",
            Some(object([
                ("privacy_notice", text(&core, "/publication")),
                ("language", text(told, "/language")),
                ("purpose", text(told, "/purpose")),
                ("services", services(&choice)),
            ])),
        ),
        ("party_identification", party(told)),
        (
            "event",
            Some(object([
                ("event_time", text(&core, "/decidedAt")),
                (
                    "event_state",
                    Some(state(!is(&core, "/outcome", "refused"))),
                ),
            ])),
        ),
    ])
}

/// The choice about each service, by its name.
fn services(choice: &Value) -> Option<Value> {
    let preferences = read(choice.pointer("/preferences").and_then(Value::as_str));
    let vendors = preferences.get("vendors").and_then(Value::as_object)?;
    let mut names: Vec<(&String, &Value)> = vendors.iter().collect();
    names.sort_unstable_by_key(|(name, _)| *name);
    let services = names.into_iter().map(|(name, allowed)| {
        object([
            ("service", Some(name.as_str().into())),
            ("event_state", Some(state(allowed == &Value::Bool(true)))),
        ])
    });
    Some(services.collect())
}

/// The party that the visitor was told of.
fn party(told: &Value) -> Option<Value> {
    let name = text(told, "/dataProcessor/name");
    let url = text(told, "/dataProcessor/website");
    let contact = text(told, "/contact");
    if name.is_none() && url.is_none() && contact.is_none() {
        return None;
    }
    let party = object([
        ("party_name", name),
        ("party_url", url),
        ("party_contact", contact),
    ]);
    Some(Value::Array(vec![party]))
}

fn state(given: bool) -> Value {
    if given { "given" } else { "refused" }.into()
}

fn read(json: Option<&str>) -> Value {
    json.and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_default()
}

fn text(value: &Value, pointer: &str) -> Option<Value> {
    let found = value.pointer(pointer)?;
    found.is_string().then(|| found.clone())
}

fn is(value: &Value, pointer: &str, word: &str) -> bool {
    value.pointer(pointer).is_some_and(|found| found == word)
}

fn object<const FIELDS: usize>(fields: [(&str, Option<Value>); FIELDS]) -> Value {
    let fields = fields.into_iter();
    let there = fields.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(there.collect::<Map<_, _>>())
}
