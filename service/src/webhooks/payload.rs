//! Content of a call: a JSON body, or for GET the same fields in the query.

use serde_json::{Map, Value, json};
use url::Url;

use crate::clock::Timestamp;

/// Longest address of a GET. Objects that do not fit are left out of the query.
const MOST_ADDRESS: usize = 8_000;

/// An event.
pub(super) struct Told {
    /// `consent.created`, `publish.complete`, `publish.error` or `webhook.test`.
    pub kind: String,
    /// Time of the event.
    pub timestamp: Timestamp,
    /// The consent, the publish job, …
    pub data: Value,
}

/// A message as it is sent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    pub url: String,
    /// Empty for GET.
    pub body: Vec<u8>,
}

impl Message {
    pub(super) fn new(method: &str, url: &str, event: &Told) -> Self {
        if method == "GET" {
            return Self {
                url: with_query(url, event),
                body: Vec::new(),
            };
        }
        let body = json!({
            "type": event.kind, "timestamp": event.timestamp.to_string(), "data": event.data,
        });
        Self {
            url: url.to_owned(),
            body: body.to_string().into_bytes(),
        }
    }

    /// The signed bytes: the body, or for GET the query of the address.
    pub(super) fn signed(&self) -> &[u8] {
        if self.body.is_empty() {
            let query = self.url.split_once('?').map_or("", |(_, query)| query);
            query.as_bytes()
        } else {
            &self.body
        }
    }
}

/// Adds the event's fields to the address: objects and lists as JSON, without null values.
fn with_query(address: &str, event: &Told) -> String {
    let Ok(mut url) = Url::parse(address) else {
        return address.to_owned(); // it was checked at registration; the call will refuse it
    };
    let empty = Map::new();
    let fields = event.data.as_object().unwrap_or(&empty);
    let timestamp = event.timestamp.to_string();
    {
        let mut query = url.query_pairs_mut();
        query.append_pair("type", &event.kind);
        query.append_pair("timestamp", &timestamp);
        for (name, value) in fields {
            match value {
                Value::String(text) => drop(query.append_pair(name, text)),
                Value::Bool(_) | Value::Number(_) => {
                    query.append_pair(name, &value.to_string());
                }
                _ => {}
            }
        }
    }
    for (name, value) in fields {
        if value.is_object() || value.is_array() {
            let mut longer = url.clone();
            longer
                .query_pairs_mut()
                .append_pair(name, &value.to_string());
            if longer.as_str().len() <= MOST_ADDRESS {
                url = longer;
            }
        }
    }
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(data: Value) -> Told {
        Told {
            kind: "consent.created".to_owned(),
            timestamp: Timestamp::parse("2026-11-21T09:30:00Z").unwrap(),
            data,
        }
    }

    #[test]
    fn a_post_carries_json() {
        let message = Message::new(
            "POST",
            "https://a.example/x?y=1",
            &event(json!({"accept": true})),
        );
        assert_eq!(message.url, "https://a.example/x?y=1");
        assert_eq!(
            serde_json::from_slice::<Value>(&message.body).unwrap(),
            json!({"type": "consent.created", "timestamp": "2026-11-21T09:30:00.000Z", "data": {"accept": true}})
        );
        assert_eq!(message.signed(), message.body);
    }

    #[test]
    fn a_get_carries_the_fields_in_its_query_and_signs_them() {
        let data = json!({"accept": true, "token": "a b&c", "value": null, "preferences": {"vendors": {"x": false}}});
        let message = Message::new("GET", "https://a.example/x?y=1", &event(data));
        let url = Url::parse(&message.url).unwrap();
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let expected = [
            ("y", "1"),
            ("type", "consent.created"),
            ("timestamp", "2026-11-21T09:30:00.000Z"),
            ("accept", "true"),
            ("token", "a b&c"),
            ("preferences", "{\"vendors\":{\"x\":false}}"),
        ];
        let expected: Vec<(String, String)> = expected
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec();
        assert_eq!(pairs, expected);
        assert_eq!(message.signed(), url.query().unwrap().as_bytes());
    }

    #[test]
    fn an_address_stays_short() {
        let data = json!({"accept": true, "preferences": {"tcString": "x".repeat(90_000)}});
        let message = Message::new("GET", "https://a.example/", &event(data));
        assert!(message.url.len() < MOST_ADDRESS && message.url.contains("accept=true"));
    }
}
