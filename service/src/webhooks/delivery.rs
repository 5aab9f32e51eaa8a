//! Deliveries and their attempts, as the tables hold them: the worker writes them, members read them.

use domain::webhook::{EventKind, Topic};
use uuid::Uuid;

use crate::clock::Timestamp;

/// A delivery.
#[derive(Clone, sqlx::FromRow)]
pub(super) struct DeliveryRow {
    pub webhook_id: Uuid,
    pub id: Uuid,
    pub kind: String,
    pub subject: Uuid,
    pub status: String,
    pub attempts: i64,
    pub by_hand: bool,
    /// True while a process sends it.
    pub claimed: bool,
    pub next_at: Timestamp,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

/// Most attempts of a delivery that are kept, the latest: people may send it again without end.
pub(super) const MOST_ATTEMPTS: i64 = 20;

impl DeliveryRow {
    /// The event; `None` for one of a later version.
    pub(super) fn event(&self) -> Option<EventKind> {
        EventKind::parse(&self.kind)
    }

    /// True if somebody asked for it to test the endpoint.
    pub(super) fn is_test(&self) -> bool {
        self.event() == Some(EventKind::Test)
    }

    /// True if its content is a consent, as that of an event of a later version may be.
    pub(super) fn tells_consent(&self) -> bool {
        (self.event()).is_none_or(|event| event.topic() == Some(Topic::Consent))
    }
}

/// The columns of a delivery.
pub(super) const COLUMNS: &str = "webhook_id, id, kind, subject, status, attempts, by_hand, \
     claimed_by IS NOT NULL AS claimed, next_at, created_at, finished_at";

/// An attempt of a delivery.
#[derive(Clone, sqlx::FromRow)]
pub(super) struct AttemptRow {
    pub number: i64,
    pub at: Timestamp,
    pub method: String,
    pub url: String,
    pub status: Option<i64>,
    pub error: Option<String>,
    pub answer: Option<String>,
    pub latency_ms: i64,
}
