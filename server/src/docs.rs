//! `/docs`: the OpenAPI document as a page that one can read, without scripts and without the
//! internet.

use std::{borrow::Cow, slice};

use askama::Template;
use axum::{
    extract::State,
    http::header,
    response::{Html, IntoResponse, Response},
};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{router, state::AppState};

/// The style of the page, which the page includes without the last line break.
const STYLE: &str = include_str!("../templates/docs.css").trim_ascii_end();

/// The page with its policy, drawn once.
pub struct Page {
    policy: String,
    html: Bytes,
}

impl Page {
    fn of(html: String) -> Self {
        let hash = BASE64_STANDARD.encode(Sha256::digest(STYLE));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        );
        Self {
            policy,
            html: html.into(),
        }
    }
}

/// Answers with the page.
pub async fn page(State(state): State<AppState>) -> Response {
    let page = state
        .docs
        .get_or_init(|| Page::of(render(router::document(), &state.placet.config.base_url)));
    let policy = [(header::CONTENT_SECURITY_POLICY, page.policy.as_str())];
    (policy, Html(page.html.clone())).into_response()
}

#[derive(Template)]
#[template(path = "docs.html")]
struct Docs<'a> {
    version: &'a str,
    description: Vec<Piece<'a>>,
    base_url: &'a str,
    /// The operations by tag, both in the order of the document.
    tags: Vec<(&'a str, Vec<Operation<'a>>)>,
    schemas: Vec<Schema<'a>>,
}

/// A part of a text.
enum Piece<'a> {
    Text(Cow<'a, str>),
    Code(&'a str),
    /// Name of a schema, with a link to it.
    Schema(&'a str),
}

struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    public: bool,
    summary: Vec<Piece<'a>>,
    description: Vec<Piece<'a>>,
    parameters: Vec<Parameter<'a>>,
    body: Option<Body<'a>>,
    /// With their statuses.
    answers: Vec<(&'a str, Body<'a>)>,
}

struct Parameter<'a> {
    name: &'a str,
    place: &'a str,
    kind: Vec<Piece<'a>>,
    description: Vec<Piece<'a>>,
}

/// The body of a request or of an answer.
struct Body<'a> {
    description: Vec<Piece<'a>>,
    contents: Vec<Content<'a>>,
}

struct Content<'a> {
    media: &'a str,
    kind: Vec<Piece<'a>>,
    example: Option<String>,
}

struct Schema<'a> {
    name: &'a str,
    description: Vec<Piece<'a>>,
    kind: Vec<Piece<'a>>,
    properties: Vec<Property<'a>>,
}

struct Property<'a> {
    name: &'a str,
    kind: Vec<Piece<'a>>,
    required: bool,
    description: Vec<Piece<'a>>,
}

fn render(document: &Value, base_url: &str) -> String {
    let info = document.get("info").unwrap_or(&Value::Null);
    let schemas = document.pointer("/components/schemas");
    let docs = Docs {
        version: text(info, "version"),
        description: prose(info, "description"),
        base_url,
        tags: by_tag(document),
        schemas: members(schemas)
            .map(|named| Schema::of(named, schemas))
            .collect(),
    };
    docs.to_string()
}

fn by_tag(document: &Value) -> Vec<(&str, Vec<Operation<'_>>)> {
    let mut tags: Vec<(&str, Vec<Operation<'_>>)> = Vec::new();
    for (path, item) in items(document, "paths") {
        for method in ["get", "post", "put", "patch", "delete"] {
            let Some(value) = item.get(method) else {
                continue;
            };
            let tag = value
                .pointer("/tags/0")
                .and_then(Value::as_str)
                .unwrap_or("other");
            let operation = Operation::of(method, path, value);
            match tags.iter_mut().find(|(name, _)| *name == tag) {
                Some((_, operations)) => operations.push(operation),
                None => tags.push((tag, vec![operation])),
            }
        }
    }
    tags
}

impl<'a> Operation<'a> {
    fn of(method: &'a str, path: &'a str, value: &'a Value) -> Self {
        let parameters = value.get("parameters").and_then(Value::as_array);
        Self {
            method,
            path,
            public: value.get("security").is_some_and(|security| {
                let ways = security.as_array().map_or(&[][..], Vec::as_slice);
                ways.first()
                    .is_none_or(|first| first.as_object().is_some_and(serde_json::Map::is_empty))
            }),
            summary: prose(value, "summary"),
            description: prose(value, "description"),
            parameters: parameters
                .into_iter()
                .flatten()
                .map(Parameter::of)
                .collect(),
            body: value.get("requestBody").map(Body::of),
            answers: items(value, "responses")
                .map(|(status, answer)| (status, Body::of(answer)))
                .collect(),
        }
    }
}

impl<'a> Parameter<'a> {
    fn of(value: &'a Value) -> Self {
        Self {
            name: text(value, "name"),
            place: text(value, "in"),
            kind: kind(value.get("schema")),
            description: prose(value, "description"),
        }
    }
}

impl<'a> Body<'a> {
    fn of(value: &'a Value) -> Self {
        let contents = items(value, "content").map(|(media, content)| {
            let example = content.get("example").filter(|example| !example.is_null());
            Content {
                media,
                kind: kind(content.get("schema")),
                example: example.and_then(|example| serde_json::to_string_pretty(example).ok()),
            }
        });
        Self {
            description: prose(value, "description"),
            contents: contents.collect(),
        }
    }
}

impl<'a> Schema<'a> {
    fn of((name, schema): (&'a str, &'a Value), named: Option<&'a Value>) -> Self {
        // A type that has the fields of another one is all of its parts.
        let parts = schema.get("allOf").and_then(Value::as_array);
        let parts = parts.map_or(slice::from_ref(schema), Vec::as_slice);
        let whole = |part: &'a Value| {
            let name = part
                .get("$ref")
                .and_then(Value::as_str)?
                .rsplit('/')
                .next()?;
            named?.get(name)
        };
        let parts = parts.iter().map(|part| whole(part).unwrap_or(part));
        let properties = parts.flat_map(|part| {
            let required = part.get("required").and_then(Value::as_array);
            items(part, "properties").map(move |(name, property)| Property {
                name,
                kind: kind(Some(property)),
                required: required.is_some_and(|list| list.iter().any(|one| one == name)),
                description: prose(property, "description"),
            })
        });
        Self {
            name,
            description: prose(schema, "description"),
            kind: kind(Some(schema)),
            properties: properties.collect(),
        }
    }
}

/// A schema in a few words, with links to named ones.
fn kind(schema: Option<&Value>) -> Vec<Piece<'_>> {
    let schema = schema.unwrap_or(&Value::Null);
    if let Some(name) = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| path.rsplit('/').next())
    {
        return vec![Piece::Schema(name)];
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        if let Some(list) = schema.get(several).and_then(Value::as_array) {
            return either(list.iter().map(|one| kind(Some(one))));
        }
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words = words.iter().filter_map(Value::as_str);
        return either(words.map(|word| vec![Piece::Code(word)]));
    }
    let names: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    if names.contains(&"array") {
        let mut list = vec![Piece::Text("list of ".into())];
        list.extend(kind(schema.get("items")));
        return list;
    }
    let names = names.join(" or ");
    let words = match text(schema, "format") {
        "" => names,
        format => format!("{names} ({format})"),
    };
    vec![Piece::Text(words.into())]
}

fn either<'a>(several: impl Iterator<Item = Vec<Piece<'a>>>) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    for one in several {
        if !pieces.is_empty() {
            pieces.push(Piece::Text(" or ".into()));
        }
        pieces.extend(one);
    }
    pieces
}

/// A text in which `code` spans are marked.
fn prose<'a>(value: &'a Value, key: &str) -> Vec<Piece<'a>> {
    let parts = text(value, key).split('`').enumerate();
    let pieces = parts.filter(|(_, part)| !part.is_empty());
    pieces
        .map(|(index, part)| match index % 2 {
            0 => Piece::Text(part.into()),
            _ => Piece::Code(part),
        })
        .collect()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    members(value.get(key))
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&str, &Value)> {
    let members = value.and_then(Value::as_object).into_iter().flatten();
    members.map(|(key, value)| (key.as_str(), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_and_schema_is_on_the_page_and_links_lead_somewhere() {
        let document = router::document();
        let page = render(document, "https://consent.example");
        // The policy allows this text alone.
        assert!(page.contains(&format!("<style>{STYLE}</style>")));
        for (path, item) in items(document, "paths") {
            for (method, _) in item
                .as_object()
                .unwrap()
                .iter()
                .filter(|(method, _)| method.len() < 7)
            {
                let entry = format!(
                    "<span class=\"method {method}\">{}</span> <code>{}</code>",
                    method.to_uppercase(),
                    path
                );
                assert!(page.contains(&entry), "{entry}");
            }
        }
        for link in page.split("href=\"#").skip(1) {
            let target = link.split('"').next().unwrap();
            assert!(page.contains(&format!("id=\"{target}\"")), "{target}");
        }
    }
}
