//! The events that the server sends to customers' endpoints: the `webhooks` of the API's document.

use domain::webhook::{EventKind, Topic};
use serde_json::{Value, json};

use super::set;

/// Headers of a delivery (Standard Webhooks).
const HEADERS: [(&str, &str, &str); 3] = [
    (
        "webhook-id",
        "019aa3f4-1c2d-7e4f-8a9b-0c1d2e3f4a5b",
        "Names the event; the same when it is tried again.",
    ),
    (
        "webhook-timestamp",
        "1795512600",
        "Seconds since 1970 when it was sent.",
    ),
    (
        "webhook-signature",
        "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=",
        "Signatures of id, timestamp and body, with a blank between them.",
    ),
];

/// Describes the deliveries.
pub(super) fn describe(document: &mut Value) {
    let deliveries = json!({
        "consent": delivery(
            Topic::Consent,
            "A consent was stored",
            "For webhooks of the event `consent/<project id>`.",
            "Consent",
        ),
        "publish": delivery(
            Topic::Publish,
            "A publish job has ended",
            "For webhooks of the event `publish/<project id>`.",
            "PublishJob",
        ),
    });
    set(document, "webhooks", deliveries);
}

fn delivery(topic: Topic, summary: &str, about: &str, data: &str) -> Value {
    let name = topic.as_str();
    let kinds: Vec<_> = EventKind::of(topic).map(EventKind::as_str).collect();
    let parameters: Vec<_> = HEADERS
        .iter()
        .map(|(name, example, about)| {
            json!({"name": name, "in": "header", "required": true, "description": about,
                "schema": {"type": "string"}, "example": example})
        })
        .collect();
    let schema = json!({
        "type": "object",
        "required": ["type", "timestamp", "data"],
        "properties": {
            "type": {"type": "string", "enum": kinds, "description": "What happened."},
            "timestamp": {"type": "string", "format": "date-time", "description": "When.",
                "example": "2026-11-21T09:30:00.000Z"},
            "data": {"$ref": format!("#/components/schemas/{data}")},
        },
    });
    json!({"post": {
        "operationId": format!("webhooks.deliver.{name}"),
        "tags": ["webhooks"],
        "summary": summary,
        "description": format!("{about} Sent with the method of the webhook; for GET the fields are in the query."),
        "security": [],
        "parameters": parameters,
        "requestBody": {"required": true, "content": {"application/json": {"schema": schema}}},
        "responses": {
            "2XX": {"description": "Delivered."},
            "410": {"description": "The endpoint is gone: the webhook is turned off."},
            "default": {"description": "It is tried again, for about three days."},
        },
    }})
}
