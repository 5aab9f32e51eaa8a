//! Reading documents: as types, and as they are published.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    Described,
    check::{self, below},
    field::{Field, FileUse, Kind, Object, Reach},
};
use crate::{collection::Collection, format::is_uuid};

/// The published fields of an object: of values that keep the rules, without `null`s and empty
/// texts. `harmless` makes HTML harmless. Vendors stay as they are named.
///
/// The rules were kept when the document was saved; a field that breaks a later rule is left out.
pub fn published(
    object: &Object,
    value: &Value,
    harmless: &dyn Fn(&str) -> String,
) -> Map<String, Value> {
    let taking = Taking {
        reaches: &[Reach::Published],
        harmless,
    };
    taking.of(object, value)
}

/// Reads a document, or a part of one, as it is sent. A value that breaks a rule counts as absent, so
/// every document can be read. Steps come without vendors: see [`vendors`].
pub fn read<T: Described>(value: &Value) -> T {
    read_harmless(value, &str::to_owned)
}

/// As [`read`], with its HTML made harmless.
pub fn read_harmless<T: Described>(value: &Value, harmless: &dyn Fn(&str) -> String) -> T {
    let taking = Taking {
        reaches: &[Reach::Published, Reach::Private],
        harmless,
    };
    taking.typed(value)
}

/// As [`read`], of a document as it is published: with the fields that publishing makes.
pub fn read_published<T: Described>(value: &Value) -> T {
    let taking = Taking {
        reaches: &[Reach::Published, Reach::Made],
        harmless: &str::to_owned,
    };
    taking.typed(value)
}

/// Takes the known values of a document.
#[derive(Clone, Copy)]
struct Taking<'a> {
    /// The fields that are taken, by who sees them.
    reaches: &'a [Reach],
    harmless: &'a dyn Fn(&str) -> String,
}

impl Taking<'_> {
    fn typed<T: Described>(self, value: &Value) -> T {
        let mut taken = Value::Object(self.of(T::description(), value));
        for step in parts_mut(&mut taken, STEPS).filter_map(Value::as_object_mut) {
            step.remove(VENDORS);
        }
        // Tests hold that the type of each field takes each value that its rule allows.
        serde_json::from_value(taken).unwrap_or_default()
    }

    /// The fields of a document, in the order of their description.
    fn of(self, object: &Object, value: &Value) -> Map<String, Value> {
        let fields = object.fields.iter();
        let taken = fields.filter_map(|field| {
            let value = value.as_object()?.get(field.key)?;
            Some((field.key.to_owned(), self.field(field, value)?))
        });
        taken.collect()
    }

    /// The fields of a part of a document, in the order in which they were sent.
    fn in_order(self, object: &Object, map: &Map<String, Value>) -> Value {
        let taken = map.iter().filter_map(|(key, value)| {
            let field = object.field(key)?;
            Some((key.clone(), self.field(field, value)?))
        });
        Value::Object(taken.collect())
    }

    fn field(self, field: &Field, value: &Value) -> Option<Value> {
        let is_taken = self.reaches.contains(&field.rule.reach) && !value.is_null();
        match field.rule.reach {
            _ if !is_taken => None,
            // Rules are for those who write documents.
            Reach::Made => Some(value.clone()),
            _ => self.value(field.rule.kind, value),
        }
    }

    fn value(self, kind: Kind, value: &Value) -> Option<Value> {
        match (kind, value) {
            (Kind::Object(object) | Kind::FlagOr(object), Value::Object(map)) => {
                Some(self.in_order(object, map))
            }
            (Kind::Named(object), Value::Object(map)) => {
                let parts = map.iter().filter_map(|(name, value)| {
                    Some((name.clone(), self.in_order(object, value.as_object()?)))
                });
                Some(Value::Object(parts.collect()))
            }
            (Kind::Objects(object, _), Value::Array(items)) => {
                let items = items.iter().filter_map(Value::as_object);
                Some(items.map(|map| self.in_order(object, map)).collect())
            }
            (Kind::Texts, Value::Object(map)) => {
                let texts = map.iter().filter(|(_, value)| value.is_string());
                let texts = texts.map(|(name, value)| (name.clone(), value.clone()));
                Some(Value::Object(texts.collect()))
            }
            (_, Value::String(text)) if text.is_empty() => None,
            _ if !check::holds(kind, value) => None,
            (Kind::Html, Value::String(text)) => Some((self.harmless)(text).into()),
            _ => Some(value.clone()),
        }
    }
}

const STEPS: &str = "steps";
const VENDORS: &str = "vendors";

/// The field with the id that publishing gives each document.
pub const IDENTIFIER: &str = "identifier";

/// The id of a document as it is published.
pub fn identifier(published: &Value) -> Option<&str> {
    text(published, IDENTIFIER)
}

/// The title of a document for people, else its name.
pub fn title(document: &Value) -> Option<String> {
    let mut texts = [text(document, "title"), name(document)]
        .into_iter()
        .flatten();
    texts.find(|text| !text.is_empty()).map(str::to_owned)
}

/// The name of a document.
pub fn name(document: &Value) -> Option<&str> {
    text(document, "name")
}

/// The project that a document says it belongs to.
pub fn project_id(document: &Value) -> Option<&str> {
    text(document, "projectId")
}

/// The organization that a document says it joins.
pub fn organization_id(document: &Value) -> Option<&str> {
    text(document, "organizationId")
}

/// Takes a document out of its organization.
pub fn leave_organization(document: &mut Value) {
    if let Some(fields) = document.as_object_mut() {
        fields.shift_remove("organizationId");
    }
}

fn text<'a>(document: &'a Value, key: &str) -> Option<&'a str> {
    document.get(key).and_then(Value::as_str)
}

/// The steps of a configuration as it is sent.
pub fn steps(configuration: &Value) -> impl Iterator<Item = &Value> {
    parts(configuration, STEPS)
}

/// The vendors of a step as it is sent, each with its id: a text, or an object with `id`.
pub fn vendors(step: &Value) -> impl Iterator<Item = (&Value, Option<&str>)> {
    parts(step, VENDORS).map(|vendor| (vendor, vendor_id(vendor)))
}

/// The id of a vendor of a step, which is named by it or by an object with `id`.
pub fn vendor_id(vendor: &Value) -> Option<&str> {
    vendor.get("id").unwrap_or(vendor).as_str()
}

/// The vendors that the steps of a configuration name, in their order: JSON Pointer and id.
pub fn vendors_named(configuration: &Value) -> Vec<(String, &str)> {
    let steps = steps(configuration).enumerate();
    steps
        .flat_map(|(step, fields)| {
            let vendors = vendors(fields).enumerate();
            vendors.filter_map(move |(at, (_, id))| {
                Some((format!("/{STEPS}/{step}/{VENDORS}/{at}"), id?))
            })
        })
        .collect()
}

/// The vendors that a configuration names again, after the first time: JSON Pointer and id.
pub fn vendors_repeated(configuration: &Value) -> Vec<(String, &str)> {
    let mut seen = BTreeSet::new();
    let mut named = vendors_named(configuration);
    named.retain(|(_, id)| !seen.insert(*id));
    named
}

/// The uploaded files that a document names: JSON Pointer, id and use.
pub fn files_named(collection: Collection, document: &Value) -> Vec<(String, &str, FileUse)> {
    let mut named = Vec::new();
    files_of(super::of(collection), document, "", &mut named);
    named
}

fn files_of<'a>(
    object: &Object,
    value: &'a Value,
    pointer: &str,
    named: &mut Vec<(String, &'a str, FileUse)>,
) {
    for field in object.fields {
        let Some(value) = value.get(field.key) else {
            continue;
        };
        let pointer = below(pointer, field.key);
        match (field.rule.kind, value) {
            (Kind::File(used), Value::String(text)) if is_uuid(text) => {
                named.push((pointer, text, used));
            }
            (Kind::Object(object) | Kind::FlagOr(object), value) => {
                files_of(object, value, &pointer, named);
            }
            (Kind::Named(object), Value::Object(map)) => {
                for (key, value) in map {
                    files_of(object, value, &below(&pointer, key), named);
                }
            }
            (Kind::Objects(object, _), Value::Array(items)) => {
                for (index, value) in items.iter().enumerate() {
                    files_of(object, value, &below(&pointer, &index.to_string()), named);
                }
            }
            _ => {}
        }
    }
}

fn parts<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    let list = value.get(key).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn parts_mut<'a>(value: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> + use<'a> {
    let list = value.get_mut(key).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use serde::Serialize;

    use crate::documents::{
        CONSENT_BOX, ConsentBox, ContractBox, CookieConfiguration, IpMode, PROJECT, Project, Vendor,
    };

    #[test]
    fn named_files_and_repeated_vendors_are_found_with_their_places() {
        const ONE: &str = "01900000-0000-7000-8000-000000000001";
        const TWO: &str = "01900000-0000-7000-8000-000000000002";
        let configuration = json!({"image": ONE, "steps": [
            {"vendors": [ONE, {"id": TWO}], "image": TWO},
            {"vendors": [{"id": ONE, "more": 1}, 7], "image": "https://shop.example/a.png"},
            {"vendors": [TWO], "image": null},
        ]});
        let picture = |pointer: &str, id| (pointer.to_owned(), id, FileUse::Picture);
        assert_eq!(
            files_named(Collection::Cookies, &configuration),
            [picture("/steps/0/image", TWO)]
        );
        let repeated = |pointer: &str, id| (pointer.to_owned(), id);
        assert_eq!(
            vendors_repeated(&configuration),
            [
                repeated("/steps/1/vendors/0", ONE),
                repeated("/steps/2/vendors/0", TWO)
            ]
        );
        assert_eq!(
            files_named(Collection::Processings, &json!({ "picture": ONE })),
            [picture("/picture", ONE)]
        );
        assert_eq!(
            files_named(Collection::Contracts, &json!({ "file": ONE })),
            [("/file".to_owned(), ONE, FileUse::Document)]
        );
    }

    #[test]
    fn known_published_good_values_are_taken() {
        let sent = json!({
            "projectId": "x", "unknown": 1, "title": "", "subTitle": "Sub", "purpose": null,
            "message": "<b>", "storageDuration": "ever", "automatedDecisions": true,
            "buttons": [{"value": false, "text": "No", "other": 1, "color": "red"}, 7],
            "confirmations": {"true": {"message": "<b>", "title": null}},
        });
        let taken = published(&CONSENT_BOX, &sent, &|html| format!("clean {html}"));
        let expected = json!({
            "subTitle": "Sub", "message": "clean <b>",
            "buttons": [{"value": false, "text": "No"}],
            "confirmations": {"true": {"message": "clean <b>"}},
            "automatedDecisions": true,
        });
        assert_eq!(Value::Object(taken).to_string(), expected.to_string());
    }

    /// Documents with one value of each JSON type for each field that is known.
    fn documents(object: &Object) -> Vec<Value> {
        let mut values = vec![
            json!(null),
            json!(true),
            json!(-1),
            json!(1.5),
            json!(1e300),
            json!(""),
            json!("x"),
            json!([]),
            json!([1, {}, "x"]),
            json!({}),
            json!({"x": 1}),
        ];
        for field in object.fields {
            let inner: Vec<Value> = match field.rule.kind {
                Kind::Object(object) | Kind::FlagOr(object) => documents(object),
                Kind::Objects(object, _) => documents(object)
                    .into_iter()
                    .map(|one| json!([one]))
                    .collect(),
                Kind::Named(object) => documents(object)
                    .into_iter()
                    .map(|one| json!({"true": one}))
                    .collect(),
                Kind::Words(words) => words.iter().map(|word| json!(word)).collect(),
                Kind::Formatted(format) => vec![json!(format.example)],
                Kind::ListOf(format) => vec![json!([format.example])],
                Kind::Ids(_) | Kind::AllOrIds(_) => vec![json!([3, 1]), json!("all")],
                _ => Vec::new(),
            };
            let simple = [
                json!(7),
                json!(7.5),
                json!("text"),
                json!("https://shop.example"),
                json!("01900000-0000-7000-8000-000000000000"),
                json!(["a"]),
                json!([{"id": "a"}]),
                json!(false),
                json!(1000),
                json!({"text": "a"}),
            ];
            values.extend(
                inner
                    .into_iter()
                    .chain(simple)
                    .map(|value| json!({field.key: value})),
            );
        }
        values
    }

    /// The types and the rules agree: each value that a rule allows is read, and is published.
    fn all_that_is_allowed_is_read<T: Described + Serialize>() {
        let object = T::description();
        for document in documents(object) {
            let mut published = Value::Object(published(object, &document, &str::to_owned));
            for step in parts_mut(&mut published, STEPS).filter_map(Value::as_object_mut) {
                step.remove(VENDORS);
            }
            let read = read::<T>(&document);
            let read = serde_json::to_value(read).unwrap();
            for (key, value) in published.as_object().unwrap() {
                assert!(
                    contains(&read[key], value) || is_empty(value),
                    "{key} of {document} is read as {read}"
                );
            }
        }
    }

    /// True for values that a type may leave out.
    fn is_empty(value: &Value) -> bool {
        value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
    }

    /// True if all of `part` stands in `whole`, which may have defaults as well.
    fn contains(whole: &Value, part: &Value) -> bool {
        match (whole, part) {
            (Value::Object(whole), Value::Object(part)) => part.iter().all(|(key, part)| {
                is_empty(part) || whole.get(key).is_some_and(|whole| contains(whole, part))
            }),
            (Value::Array(whole), Value::Array(part)) => {
                whole.len() == part.len()
                    && whole
                        .iter()
                        .zip(part)
                        .all(|(whole, part)| contains(whole, part))
            }
            (Value::Number(whole), Value::Number(part)) => whole.as_f64() == part.as_f64(),
            _ => whole == part,
        }
    }

    #[test]
    fn each_type_reads_whatever_its_rules_allow() {
        all_that_is_allowed_is_read::<Project>();
        all_that_is_allowed_is_read::<CookieConfiguration>();
        all_that_is_allowed_is_read::<Vendor>();
        all_that_is_allowed_is_read::<ConsentBox>();
        all_that_is_allowed_is_read::<ContractBox>();
    }

    #[test]
    fn private_fields_are_read_and_not_published() {
        let sent = json!({"title": "Shop", "websiteURL": "https://shop.example", "domains": ["shop.example"],
            "retention": {"ipMode": "hash"}, "tokenSecret": "0123456789abcdef"});
        let project = read::<Project>(&sent);
        assert_eq!(project.website_url.as_deref(), Some("https://shop.example"));
        assert_eq!(project.retention.ip_mode, IpMode::Hash);
        assert_eq!(project.token_secret, None);
        let shown = serde_json::to_value(&project).unwrap();
        let published = |key: &str| PROJECT.field(key).map(|field| field.rule.reach);
        for key in shown.as_object().unwrap().keys() {
            assert_eq!(published(key), Some(Reach::Published), "{key}");
        }
    }

    #[test]
    fn vendors_are_ids_or_objects() {
        let configuration = json!({"steps": [
            {"layout": "welcome"},
            {"vendors": ["a", {"id": "b"}, 7]},
            {"vendors": ["b"]},
        ]});
        let named = vendors_named(&configuration);
        let ids: Vec<_> = named.iter().map(|(_, id)| *id).collect();
        assert_eq!(ids, ["a", "b", "b"]);
        assert_eq!(named[1].0, "/steps/1/vendors/1");
    }
}
