//! `/docs`: the OpenAPI document as a page that one can read, without scripts and without the
//! internet.

use std::fmt::Write;

use axum::{
    extract::State,
    http::header,
    response::{Html, IntoResponse, Response},
};
use serde_json::Value;

use crate::{router, state::AppState};

const STYLE: &str = include_str!("docs.css");

/// The page.
pub async fn page(State(state): State<AppState>) -> Response {
    let nonce = state.ids.next().simple().to_string();
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let page = render(router::document(), &state.placet.config.base_url, &nonce);
    ([(header::CONTENT_SECURITY_POLICY, policy)], Html(page)).into_response()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// Escaped text in which `code` spans are marked.
fn prose(text: &str) -> String {
    let escaped = escape(text);
    let mut out = String::with_capacity(escaped.len());
    for (index, part) in escaped.split('`').enumerate() {
        if index % 2 == 1 {
            let _ = write!(out, "<code>{part}</code>");
        } else {
            out.push_str(part);
        }
    }
    out
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = (&'a str, &'a Value)> {
    value
        .get(key)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(key, value)| (key.as_str(), value))
}

struct Operation<'a> {
    method: &'a str,
    path: &'a str,
    value: &'a Value,
}

/// The operations by tag, both in the order of the document.
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
            let operation = Operation {
                method,
                path,
                value,
            };
            match tags.iter_mut().find(|(name, _)| *name == tag) {
                Some((_, operations)) => operations.push(operation),
                None => tags.push((tag, vec![operation])),
            }
        }
    }
    tags
}

fn render(document: &Value, base_url: &str, nonce: &str) -> String {
    let tags = by_tag(document);
    let mut nav = String::new();
    let mut main = String::new();
    for (tag, operations) in &tags {
        let _ = write!(nav, "<li><a href=\"#{0}\">{0}</a></li>", escape(tag));
        let _ = write!(
            main,
            "<section aria-labelledby=\"{0}\"><h2 id=\"{0}\">{0}</h2>",
            escape(tag)
        );
        for operation in operations {
            render_operation(&mut main, operation);
        }
        main.push_str("</section>");
    }
    main.push_str("<section aria-labelledby=\"schemas\"><h2 id=\"schemas\">schemas</h2>");
    for (name, schema) in document
        .get("components")
        .map(|components| items(components, "schemas"))
        .into_iter()
        .flatten()
    {
        let _ = write!(
            main,
            "<details id=\"schema-{0}\"><summary><strong>{0}</strong> <span>{1}</span></summary>{2}</details>",
            escape(name),
            prose(text(schema, "description")),
            properties(schema),
        );
    }
    main.push_str("</section>");
    let info = document.get("info").cloned().unwrap_or_default();
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Placet API</title>\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <style nonce=\"{nonce}\">{STYLE}</style></head><body>\
         <header><h1>Placet API <small>{version}</small></h1><p>{description}</p>\
         <p>Base address <code>{base}</code> · <a href=\"/v1/openapi.json\">OpenAPI 3.1 document</a></p></header>\
         <nav aria-label=\"Sections\"><ul>{nav}<li><a href=\"#schemas\">schemas</a></li></ul></nav>\
         <main>{main}</main></body></html>",
        version = escape(text(&info, "version")),
        description = prose(text(&info, "description")),
        base = escape(base_url),
    )
}

fn render_operation(out: &mut String, operation: &Operation<'_>) {
    let Operation {
        method,
        path,
        value,
    } = operation;
    let public = value.get("security").is_some_and(|security| {
        let ways = security.as_array().map_or(&[][..], Vec::as_slice);
        ways.first()
            .is_none_or(|first| first.as_object().is_some_and(serde_json::Map::is_empty))
    });
    let _ = write!(
        out,
        "<details><summary><span class=\"method {method}\">{upper}</span> <code>{path}</code> <span>{summary}{public}</span></summary>",
        upper = method.to_uppercase(),
        path = escape(path),
        summary = prose(text(value, "summary")),
        public = if public { " · public" } else { "" },
    );
    if !text(value, "description").is_empty() {
        let _ = write!(out, "<p>{}</p>", prose(text(value, "description")));
    }
    let parameters = value
        .get("parameters")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    if !parameters.is_empty() {
        out.push_str("<h3>Parameters</h3><dl>");
        for parameter in &parameters {
            let _ = write!(
                out,
                "<dt><code>{}</code> <small>{}, {}</small></dt><dd>{}</dd>",
                escape(text(parameter, "name")),
                escape(text(parameter, "in")),
                kind(parameter.get("schema").unwrap_or(&Value::Null)),
                prose(text(parameter, "description")),
            );
        }
        out.push_str("</dl>");
    }
    if let Some(body) = value.get("requestBody") {
        let _ = write!(
            out,
            "<h3>Body</h3><p>{}</p>",
            prose(text(body, "description"))
        );
        contents(out, body);
    }
    out.push_str("<h3>Answers</h3><dl>");
    for (status, response) in items(value, "responses") {
        let _ = write!(
            out,
            "<dt><code>{}</code></dt><dd>{}",
            escape(status),
            prose(text(response, "description"))
        );
        contents(out, response);
        out.push_str("</dd>");
    }
    out.push_str("</dl></details>");
}

fn contents(out: &mut String, holder: &Value) {
    for (media, content) in items(holder, "content") {
        let schema = content.get("schema").unwrap_or(&Value::Null);
        let _ = write!(
            out,
            "<p><small>{}</small> {}</p>",
            escape(media),
            kind(schema)
        );
        let example = content.get("example").filter(|example| !example.is_null());
        if let Some(example) = example {
            let pretty = serde_json::to_string_pretty(example).unwrap_or_default();
            let _ = write!(out, "<pre tabindex=\"0\">{}</pre>", escape(&pretty));
        }
    }
}

/// A schema in a few words, with links to named ones.
fn kind(schema: &Value) -> String {
    if let Some(name) = schema
        .get("$ref")
        .and_then(Value::as_str)
        .and_then(|path| path.rsplit('/').next())
    {
        return format!("<a href=\"#schema-{0}\">{0}</a>", escape(name));
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        if let Some(list) = schema.get(several).and_then(Value::as_array) {
            return list.iter().map(kind).collect::<Vec<_>>().join(" or ");
        }
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        let words: Vec<String> = words
            .iter()
            .filter_map(Value::as_str)
            .map(|word| format!("<code>{}</code>", escape(word)))
            .collect();
        return words.join(" or ");
    }
    let names: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    if names.contains(&"array") {
        return format!(
            "list of {}",
            kind(schema.get("items").unwrap_or(&Value::Null))
        );
    }
    let format = text(schema, "format");
    let suffix = if format.is_empty() {
        String::new()
    } else {
        format!(" ({})", escape(format))
    };
    format!("{}{suffix}", escape(&names.join(" or ")))
}

fn properties(schema: &Value) -> String {
    let mut out = String::from("<dl>");
    let mut any = false;
    for (name, property) in items(schema, "properties") {
        any = true;
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .is_some_and(|list| list.iter().any(|one| one == name));
        let _ = write!(
            out,
            "<dt><code>{}</code> <small>{}{}</small></dt><dd>{}</dd>",
            escape(name),
            kind(property),
            if required { ", required" } else { "" },
            prose(text(property, "description")),
        );
    }
    if any {
        out + "</dl>"
    } else {
        format!("<p>{}</p>", kind(schema))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_and_schema_is_on_the_page_and_links_lead_somewhere() {
        let document = router::document();
        let page = render(document, "https://consent.example", "n");
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
                    escape(path)
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
