//! The places that describe names of the interface, and the effects that they tell.
//!
//! | Place | Description |
//! |---|---|
//! | `vault <collection> <path>` | `domain/src/documents`, a field of a document |
//! | `schema <name>.<field>` | the OpenAPI document, as all below |
//! | `query <method> <path> <name>` | |
//! | `header <name>` | |
//! | `operation <method> <path>` | |
//! | `response <method> <path> <status>` | |
//! | `security <name>` | |
//! | `tag <name>` | |
//! | `sdk <interface>.<member>` | `sdk-wasm/npm/index.d.ts` |
//!
//! `=<value>` behind a field is one of its values.

use std::fs;

use domain::{
    collection::Collection,
    documents::{
        self,
        field::{Field, Kind, Object},
    },
};
use serde_json::Value;

use super::root;

/// A member of an interface of the SDK's types.
pub struct Member {
    pub name: String,
    /// Its type, or its parameters and the type of its result.
    pub holds: String,
    pub about: String,
}

/// The places, read.
pub struct Places {
    openapi: &'static Value,
    types: String,
}

impl Places {
    pub fn read() -> Self {
        let types = root().join("sdk-wasm/npm/index.d.ts");
        Self {
            openapi: server::router::document(),
            types: fs::read_to_string(types).expect("the types are there"),
        }
    }

    /// The effect that a place tells; empty where it tells none, an error where there is no such place.
    pub fn effect(&self, place: &str) -> Result<String, String> {
        let (kind, rest) = place.split_once(' ').unwrap_or((place, ""));
        let (rest, value) = match rest.split_once('=') {
            Some((rest, value)) => (rest, Some(value)),
            None => (rest, None),
        };
        let found = match kind {
            "vault" => of_document(rest, value),
            "schema" => self.of_schema(rest, value),
            "sdk" => rest.split_once('.').and_then(|(interface, name)| {
                let mut members = self.members(interface).into_iter();
                members.find(|one| one.name == name).map(|one| one.about)
            }),
            _ => self.of_openapi(kind, rest),
        };
        found.ok_or_else(|| format!("there is no {place}"))
    }

    /// A part of the OpenAPI document.
    pub fn openapi(&self, pointer: &str) -> Option<&'static Value> {
        self.openapi.pointer(pointer)
    }

    /// A schema by its name.
    pub fn schema(&self, name: &str) -> Option<&'static Value> {
        self.openapi(&format!("/components/schemas/{name}"))
    }

    /// The fields of a schema, and of the schemas that it is composed of.
    pub fn fields(&self, schema: &'static Value) -> Vec<(&'static str, &'static Value)> {
        let own = schema["properties"].as_object().into_iter().flatten();
        let own = own.map(|(name, field)| (name.as_str(), field));
        let parts = schema["allOf"].as_array().into_iter().flatten();
        let parts = parts.flat_map(|part| match referred(part) {
            Some(name) => self.schema(name).map(|part| self.fields(part)),
            None => Some(self.fields(part)),
        });
        own.chain(parts.flatten()).collect()
    }

    fn of_schema(&self, path: &str, value: Option<&str>) -> Option<String> {
        let (name, field) = path.split_once('.').unwrap_or((path, ""));
        let schema = self.schema(name)?;
        if let Some(value) = value {
            let values = schema["enum"].as_array()?;
            return values.iter().any(|one| one == value).then(String::new);
        }
        let fields = self.fields(schema);
        let (_, field) = fields.into_iter().find(|(key, _)| *key == field)?;
        Some(about(field))
    }

    fn of_openapi(&self, kind: &str, rest: &str) -> Option<String> {
        let words: Vec<&str> = rest.split(' ').collect();
        let operation = |method: &str, path: &str| {
            let path = path.replace('/', "~1");
            self.openapi(&format!("/paths/{path}/{method}"))
        };
        let found = match (kind, words.as_slice()) {
            ("operation", [method, path]) => &operation(method, path)?["summary"],
            ("response", [method, path, status]) => {
                operation(method, path)?["responses"].get(*status)?
            }
            ("query", [method, path, name]) => {
                let mut parameters = operation(method, path)?["parameters"].as_array()?.iter();
                parameters.find(|one| one["in"] == "query" && one["name"] == *name)?
            }
            ("header", [name]) => self.openapi(&format!("/components/headers/{name}"))?,
            ("security", [name]) => self.openapi(&format!("/components/securitySchemes/{name}"))?,
            ("tag", [name]) => {
                let mut tags = self.openapi("/tags")?.as_array()?.iter();
                tags.find(|one| one["name"] == *name)?
            }
            _ => return None,
        };
        Some(match found {
            Value::String(text) => text.clone(),
            found => about(found),
        })
    }

    /// The members of an interface of the SDK's types.
    pub fn members(&self, interface: &str) -> Vec<Member> {
        let head = format!("export interface {interface} {{\n");
        let (_, body) = self.types.split_once(&head).unwrap_or_default();
        let (body, _) = body.split_once("\n}").unwrap_or_default();
        let (mut members, mut about) = (Vec::new(), String::new());
        for line in body.lines().map(str::trim) {
            if line.starts_with("/*") || line.starts_with('*') {
                let text = line
                    .trim_start_matches(['/', '*'])
                    .trim_end_matches(['/', '*']);
                about = format!("{about} {}", text.trim()).trim().to_owned();
                continue;
            }
            let line = line.trim_start_matches("readonly ").trim_end_matches(';');
            let quoted = line.strip_prefix('"').and_then(|rest| rest.split_once('"'));
            let (name, holds) = quoted.unwrap_or_else(|| {
                let end = line.find(|letter: char| !letter.is_alphanumeric());
                line.split_at(end.unwrap_or(line.len()))
            });
            members.push(Member {
                name: name.to_owned(),
                holds: holds.trim_start_matches(['?', ':']).trim().to_owned(),
                about: std::mem::take(&mut about),
            });
        }
        members
    }
}

/// The name of the schema that a schema refers to.
pub fn referred(schema: &'static Value) -> Option<&'static str> {
    let (_, name) = schema["$ref"].as_str()?.rsplit_once('/')?;
    Some(name)
}

/// The description of a part of the OpenAPI document; empty if there is none.
pub fn about(part: &Value) -> String {
    let ways = part["oneOf"].as_array().into_iter().flatten();
    let mut texts = [part].into_iter().chain(ways);
    let text = texts.find_map(|one| one["description"].as_str());
    text.unwrap_or_default().replace('\n', " ")
}

/// The description of a field of a document.
fn of_document(place: &str, value: Option<&str>) -> Option<String> {
    let (collection, path) = place.split_once(' ')?;
    let mut object = documents::of(Collection::parse(collection)?);
    let mut keys = path.split('.').peekable();
    loop {
        let field: &Field = object.field(keys.next()?)?;
        if keys.peek().is_none() {
            return match value {
                None => Some(field.about.trim().to_owned()),
                Some(value) => takes(field, value).then(String::new),
            };
        }
        object = inner(field)?;
    }
}

fn takes(field: &Field, value: &str) -> bool {
    matches!(field.rule.kind, Kind::Words(words) if words.contains(&value))
}

fn inner(field: &Field) -> Option<&'static Object> {
    match field.rule.kind {
        Kind::Object(inner)
        | Kind::FlagOr(inner)
        | Kind::Objects(inner, _)
        | Kind::Named(inner) => Some(inner),
        _ => None,
    }
}
