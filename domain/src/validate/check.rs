//! The vocabulary of the rules: one method a rule, each naming the field that breaks it.

use serde_json::{Map, Value};

use crate::field_error::FieldError;

/// Longest plain text (title, label, sentence).
const LINE: usize = 1_000;
/// Longest text with paragraphs.
const TEXT: usize = 50_000;
/// Longest list in a document.
const LIST: usize = 1_000;

/// A JSON object and where it stands in the document.
pub(super) struct Fields<'a> {
    pointer: String,
    map: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// The field, unless absent or null.
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// JSON Pointer of the field.
    pub(super) fn at(&self, key: &str) -> String {
        format!(
            "{}/{}",
            self.pointer,
            key.replace('~', "~0").replace('/', "~1")
        )
    }

    /// Every member that is not null.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.map.iter().filter(|(_, value)| !value.is_null())
    }
}

/// Collects what is wrong.
#[derive(Default)]
pub(super) struct Check {
    errors: Vec<FieldError>,
}

impl Check {
    pub(super) fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    pub(super) fn refuse(&mut self, pointer: String, code: &str, detail: &str) {
        self.errors.push(FieldError::new(pointer, code, detail));
    }

    pub(super) fn root<'a>(&mut self, document: &'a Value) -> Option<Fields<'a>> {
        let fields = document.as_object().map(|map| Fields {
            pointer: String::new(),
            map,
        });
        if fields.is_none() {
            self.refuse(
                String::new(),
                "invalid_type",
                "The document must be a JSON object.",
            );
        }
        fields
    }

    /// PostgreSQL keeps no U+0000, so nobody may.
    pub(super) fn no_nul(&mut self, pointer: &str, value: &Value) {
        let child = |key: &str| format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
        match value {
            Value::String(text) if text.contains('\0') => {
                self.refuse(
                    pointer.to_owned(),
                    "invalid_character",
                    "U+0000 is not allowed.",
                );
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.no_nul(&child(&index.to_string()), item);
                }
            }
            Value::Object(map) => {
                for (key, item) in map {
                    if key.contains('\0') {
                        self.refuse(child(key), "invalid_character", "U+0000 is not allowed.");
                    }
                    self.no_nul(&child(key), item);
                }
            }
            _ => {}
        }
    }

    pub(super) fn required(&mut self, fields: &Fields<'_>, key: &str) {
        let absent = match fields.get(key) {
            None => true,
            Some(Value::String(text)) => text.trim().is_empty(),
            Some(_) => false,
        };
        if absent {
            self.refuse(fields.at(key), "required", "This field is required.");
        }
    }

    /// The text of a field that may be absent.
    fn text<'a>(&mut self, fields: &Fields<'a>, key: &str, longest: usize) -> Option<&'a str> {
        let value = fields.get(key)?;
        let Some(text) = value.as_str() else {
            self.refuse(
                fields.at(key),
                "invalid_type",
                "This field must be a string.",
            );
            return None;
        };
        if text.chars().count() > longest {
            let detail = format!("At most {longest} characters.");
            self.refuse(fields.at(key), "too_long", &detail);
            return None;
        }
        Some(text)
    }

    pub(super) fn line<'a>(&mut self, fields: &Fields<'a>, key: &str) -> Option<&'a str> {
        self.text(fields, key, LINE)
    }

    pub(super) fn lines(&mut self, fields: &Fields<'_>, keys: &[&str]) {
        for key in keys {
            self.line(fields, key);
        }
    }

    pub(super) fn texts(&mut self, fields: &Fields<'_>, keys: &[&str]) {
        for key in keys {
            self.text(fields, key, TEXT);
        }
    }

    pub(super) fn bools(&mut self, fields: &Fields<'_>, keys: &[&str]) {
        for key in keys {
            if fields.get(key).is_some_and(|value| !value.is_boolean()) {
                self.refuse(
                    fields.at(key),
                    "invalid_type",
                    "This field must be true or false.",
                );
            }
        }
    }

    pub(super) fn number(&mut self, fields: &Fields<'_>, key: &str, least: f64, most: f64) {
        let Some(value) = fields.get(key) else { return };
        match value.as_f64() {
            None => self.refuse(
                fields.at(key),
                "invalid_type",
                "This field must be a number.",
            ),
            Some(number) if number < least || number > most => {
                let detail = format!("This number must be from {least} to {most}.");
                self.refuse(fields.at(key), "out_of_range", &detail);
            }
            Some(_) => {}
        }
    }

    pub(super) fn whole_number(&mut self, fields: &Fields<'_>, key: &str, least: f64, most: f64) {
        if fields.get(key).is_some_and(Value::is_f64) {
            self.refuse(fields.at(key), "invalid_type", "This number must be whole.");
        } else {
            self.number(fields, key, least, most);
        }
    }

    pub(super) fn one_of(&mut self, fields: &Fields<'_>, key: &str, words: &[&str]) {
        if let Some(word) = self.line(fields, key)
            && !words.contains(&word)
        {
            let detail = format!("One of: {}.", words.join(", "));
            self.refuse(fields.at(key), "invalid_value", &detail);
        }
    }

    pub(super) fn url(&mut self, fields: &Fields<'_>, key: &str) {
        if let Some(text) = self.text(fields, key, 2_000)
            && !text.is_empty()
            && !is_http_url(text)
        {
            self.refuse(
                fields.at(key),
                "invalid_url",
                "An address beginning with https:// or http://.",
            );
        }
    }

    /// An address or the id of an asset.
    pub(super) fn url_or_asset(&mut self, fields: &Fields<'_>, key: &str) {
        if !fields.get(key).and_then(Value::as_str).is_some_and(is_uuid) {
            self.url(fields, key);
        }
    }

    pub(super) fn id(&mut self, fields: &Fields<'_>, key: &str) {
        let Some(value) = fields.get(key) else { return };
        if !value.as_str().is_some_and(is_uuid) {
            self.refuse(
                fields.at(key),
                "invalid_id",
                "An id is a UUID, hyphenated and in lower case.",
            );
        }
    }

    pub(super) fn color(&mut self, fields: &Fields<'_>, key: &str) {
        if let Some(text) = self.line(fields, key)
            && !is_hex_color(text)
        {
            self.refuse(fields.at(key), "invalid_color", "A colour such as #1a73e8.");
        }
    }

    pub(super) fn object<'a>(&mut self, fields: &Fields<'a>, key: &str) -> Option<Fields<'a>> {
        let value = fields.get(key)?;
        self.object_at(fields.at(key), value)
    }

    pub(super) fn object_at<'a>(
        &mut self,
        pointer: String,
        value: &'a Value,
    ) -> Option<Fields<'a>> {
        if let Some(map) = value.as_object() {
            return Some(Fields { pointer, map });
        }
        self.refuse(pointer, "invalid_type", "This field must be an object.");
        None
    }

    /// The items of a list with their pointers; empty when the field is absent or no list.
    pub(super) fn list<'a>(&mut self, fields: &Fields<'a>, key: &str) -> Vec<(String, &'a Value)> {
        let Some(value) = fields.get(key) else {
            return Vec::new();
        };
        let Some(items) = value.as_array() else {
            self.refuse(
                fields.at(key),
                "invalid_type",
                "This field must be an array.",
            );
            return Vec::new();
        };
        if items.len() > LIST {
            self.refuse(
                fields.at(key),
                "too_long",
                &format!("At most {LIST} entries."),
            );
            return Vec::new();
        }
        let pointer = fields.at(key);
        items
            .iter()
            .enumerate()
            .map(|(index, item)| (format!("{pointer}/{index}"), item))
            .collect()
    }

    /// The members of a list that must be objects.
    pub(super) fn objects<'a>(&mut self, fields: &Fields<'a>, key: &str) -> Vec<Fields<'a>> {
        self.list(fields, key)
            .into_iter()
            .filter_map(|(pointer, item)| self.object_at(pointer, item))
            .collect()
    }

    pub(super) fn list_of_lines(&mut self, fields: &Fields<'_>, key: &str) {
        for (pointer, item) in self.list(fields, key) {
            if item.as_str().is_none_or(|text| text.chars().count() > LINE) {
                self.refuse(
                    pointer,
                    "invalid_type",
                    "Each entry must be a short string.",
                );
            }
        }
    }

    /// An object of texts, such as `strings`.
    pub(super) fn object_of_texts(&mut self, fields: &Fields<'_>, key: &str) {
        let Some(inner) = self.object(fields, key) else {
            return;
        };
        for (name, value) in inner.members() {
            if value
                .as_str()
                .is_none_or(|text| text.chars().count() > TEXT)
            {
                self.refuse(
                    inner.at(name),
                    "invalid_type",
                    "Each entry must be a string.",
                );
            }
        }
    }
}

/// Whether this is an absolute `http:` or `https:` address with a host and nothing that could
/// end an attribute or start another scheme.
pub fn is_http_url(text: &str) -> bool {
    let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    let rest = if lower.starts_with("https://") {
        text.get(8..)
    } else if lower.starts_with("http://") {
        text.get(7..)
    } else {
        None
    };
    let Some(rest) = rest else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, port)| {
            if port.bytes().all(|byte| byte.is_ascii_digit()) {
                host
            } else {
                authority
            }
        });
    let clean = !text
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || "\"<>\\^`{|}".contains(c));
    clean && (is_host(host) || is_bracketed_ipv6(host) || (!host.is_ascii() && is_idn(host)))
}

fn is_bracketed_ipv6(host: &str) -> bool {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .is_some_and(|address| address.parse::<core::net::Ipv6Addr>().is_ok())
}

fn is_idn(host: &str) -> bool {
    !host.contains('@') && host.split('.').all(|label| !label.is_empty())
}

/// Whether this is a host name (or IPv4 address): dot-separated labels of letters, digits, `-`, `_`.
pub fn is_host(host: &str) -> bool {
    host.len() <= 253
        && host.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        })
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
        })
}

fn is_hex_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        matches!(digits.len(), 3 | 4 | 6 | 8) && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_absolute_http_addresses_pass() {
        for good in [
            "https://a.example",
            "http://localhost:8080/x?y#z",
            "https://[::1]/",
            "https://müller.example/",
        ] {
            assert!(is_http_url(good), "{good}");
        }
        for bad in [
            "javascript:alert(1)",
            "//a.example",
            "https://",
            "https:///x",
            "https://a b",
            "https://u@h",
            "https://a\"b",
            "ftp://a.example",
            "https://a..b",
        ] {
            assert!(!is_http_url(bad), "{bad}");
        }
    }
}
