//! Webhooks, deliveries and attempts as callers see them.

use domain::webhook::DeliveryStatus;
use serde::Serialize;
use uuid::Uuid;

use super::{
    delivery::{AttemptRow, DeliveryRow},
    store::WebhookRow,
};
use crate::clock::Timestamp;

/// A webhook.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    /// Id.
    pub id: Uuid,
    /// Method of the call.
    #[schema(example = "POST")]
    pub method: String,
    /// Address of the call.
    #[schema(example = "https://shop.example/hooks/consent")]
    pub url: String,
    /// `consent/<project_id>` or `publish/<project_id>`.
    #[schema(example = "consent/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70")]
    pub event: String,
    /// The project.
    pub project_id: Uuid,
    /// False when it is turned off.
    pub active: bool,
    /// Reason why Placet turned it off: `gone` (it answered 410) or `failing` (three days without success);
    /// absent when a member turned it off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "failing")]
    pub inactive_reason: Option<String>,
    /// Time since which no delivery has succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
    /// Key of the signatures; only in the answers to create and rotate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=")]
    pub secret: Option<String>,
    /// Time of registration.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// The newest delivery; null before the first.
    pub last_delivery: Option<LastDelivery>,
}

/// The newest delivery of a webhook.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LastDelivery {
    /// Id.
    pub id: Uuid,
    /// `waiting`, `delivered` or `failed`.
    #[schema(example = "delivered")]
    pub status: String,
    /// Time of the event.
    pub created_at: Timestamp,
}

/// An event that an endpoint is called for.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// Id, sent as `webhook-id` with every attempt.
    pub id: Uuid,
    /// `consent.created`, `publish.complete`, `publish.error` or `webhook.test`.
    #[serde(rename = "type")]
    #[schema(example = "consent.created")]
    pub kind: String,
    /// The consent or publish job.
    pub subject: Uuid,
    /// `waiting` (for its next attempt), `delivered` or `failed` (given up).
    #[schema(example = "delivered")]
    pub status: String,
    /// Time of the event.
    pub created_at: Timestamp,
    /// Time at which it was delivered or given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// Time of the next attempt; absent while it is being sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<Timestamp>,
    /// Its attempts, oldest first.
    pub attempts: Vec<Attempt>,
}

/// An attempt.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// Number of the attempt, from 1.
    #[schema(example = 1)]
    pub number: i64,
    /// Time of the attempt; also the `webhook-timestamp`.
    pub at: Timestamp,
    /// Method of the call.
    #[schema(example = "POST")]
    pub method: String,
    /// Address of the call.
    #[schema(example = "https://shop.example/hooks/consent")]
    pub url: String,
    /// Status of the answer; null without an answer.
    #[schema(example = 200)]
    pub status: Option<i64>,
    /// Reason for a missing answer: `address_refused`, `connection_failed`, `too_many_redirects` or `timeout`. Without a
    /// call `nothing_to_tell`, when the content was erased, or `server_fault`, when the server could not read it or the
    /// webhook's secret.
    #[schema(example = "timeout")]
    pub error: Option<String>,
    /// The first 2 KB of the answer. An endpoint may repeat the event in it, so an API key sees answers to
    /// consents only with the scope `consents`.
    #[schema(example = "ok")]
    pub answer: Option<String>,
    /// Milliseconds from the call to the answer.
    #[schema(example = 84)]
    pub latency_ms: i64,
}

/// A delivery with its request.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryDetail {
    /// The delivery.
    #[serde(flatten)]
    pub delivery: Delivery,
    /// The request that an attempt would send now; null when the content no longer exists.
    pub request: Option<DeliveryRequest>,
}

/// A request to an endpoint.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryRequest {
    /// Method.
    #[schema(example = "POST")]
    pub method: String,
    /// Address; for GET with the fields in its query.
    #[schema(example = "https://shop.example/hooks/consent")]
    pub url: String,
    /// The body, empty for GET.
    #[schema(
        example = "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-21T09:30:00.000Z\",\"data\":{}}"
    )]
    pub body: String,
}

pub(super) fn shown(row: WebhookRow, last: Option<DeliveryRow>, secret: Option<String>) -> Webhook {
    Webhook {
        id: row.id,
        event: format!("{}/{}", row.topic, row.project_id),
        method: row.method,
        url: row.url,
        project_id: row.project_id,
        active: row.active,
        inactive_reason: row.inactive_reason,
        failing_since: row.failing_since,
        secret,
        created_at: row.created_at,
        updated_at: row.updated_at,
        last_delivery: last.map(|last| LastDelivery {
            id: last.id,
            status: last.status,
            created_at: last.created_at,
        }),
    }
}

pub(super) fn shown_delivery(row: DeliveryRow, attempts: Vec<AttemptRow>) -> Delivery {
    Delivery {
        id: row.id,
        next_attempt_at: (row.status == DeliveryStatus::Waiting.as_str() && !row.claimed)
            .then_some(row.next_at),
        kind: row.kind,
        subject: row.subject,
        status: row.status,
        created_at: row.created_at,
        finished_at: row.finished_at,
        attempts: attempts
            .into_iter()
            // Attempts that began or ended after the delivery was read do not fit its state.
            .filter(|attempt| attempt.number <= row.attempts - i64::from(row.claimed))
            .map(|attempt| Attempt {
                number: attempt.number,
                at: attempt.at,
                method: attempt.method,
                url: attempt.url,
                status: attempt.status,
                error: attempt.error,
                answer: attempt.answer,
                latency_ms: attempt.latency_ms,
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_shown_with_the_attempts_of_its_own_state() {
        let numbers = |claimed, tried: i64, recorded: i64| -> Vec<i64> {
            let at = Timestamp::from_millis(0);
            let row = DeliveryRow {
                webhook_id: Uuid::nil(),
                id: Uuid::nil(),
                kind: "consent".to_owned(),
                subject: Uuid::nil(),
                status: "waiting".to_owned(),
                attempts: tried,
                by_hand: false,
                claimed,
                next_at: at,
                created_at: at,
                finished_at: None,
            };
            let attempts = (1..=recorded).map(|number| AttemptRow {
                number,
                at,
                method: "POST".to_owned(),
                url: String::new(),
                status: Some(500),
                error: None,
                answer: None,
                latency_ms: 1,
            });
            let shown = shown_delivery(row, attempts.collect());
            shown
                .attempts
                .iter()
                .map(|attempt| attempt.number)
                .collect()
        };
        assert_eq!(numbers(false, 1, 1), [1]);
        assert_eq!(numbers(true, 2, 1), [1]);
        // The second attempt ended, or began and ended, after the row was read.
        assert_eq!(numbers(true, 2, 2), [1]);
        assert_eq!(numbers(false, 1, 2), [1]);
    }
}
