//! Webhooks: endpoints of customers that are called when something happens in a project
//! (`interface.md`, "Webhooks"; `decisions.md`, "Webhooks").
//!
//! What is to be told is written to an outbox in the transaction in which it happens (consents in
//! `consents::commit`, publishes in `publish::store`), so nothing that was acknowledged is lost.
//! The worker ([`deliver`]) calls endpoints through the guarded client, signs after Standard
//! Webhooks (`sign`) and tries again by a schedule (`schedule`). To add an event: a [`Topic`], its
//! row in the outbox, and its content in `deliver::event`.

pub mod deliver;
mod payload;
mod places;
mod schedule;
mod sign;
pub(crate) mod store;

use std::{sync::Arc, time::Duration};

use domain::{field_error::FieldError, role::Role};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;
use url::Url;
use uuid::Uuid;

use crate::{
    Placet,
    access::{self, Actor, Need, Scope},
    clock::{SharedClock, Timestamp},
    consents::Consents,
    db::{
        Db,
        page::{Listed, Page, Part},
    },
    error::{Error, Result},
    ids::Ids,
    outbound::Outbound,
    secret::SecretKey,
};
use payload::Message;
use sign::Secret;
use store::{AttemptRow, DeliveryRow, WebhookRow};

/// Methods that an endpoint can be called with.
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
/// Longest address.
const MOST_URL: usize = 2_000;
/// Webhooks of a project.
const MOST_WEBHOOKS: i64 = 20;
/// Hours that the secret before stays valid.
const OLD_SECRET_HOURS: i64 = 24;
/// Days that what was delivered is listed.
const DELIVERED_DAYS: i64 = 7;
/// Days that what was given up is listed and can be sent by hand.
const FAILED_DAYS: i64 = 30;
/// The kind of test events.
const TEST: &str = "webhook.test";

/// What an endpoint is told about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Topic {
    Consent,
    Publish,
}

impl Topic {
    fn as_str(self) -> &'static str {
        match self {
            Self::Consent => "consent",
            Self::Publish => "publish",
        }
    }
}

/// A webhook as a caller describes it.
#[derive(Clone, Debug, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookIn {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`, in any case.
    #[schema(example = "POST")]
    pub method: String,
    /// Where to call; `https` unless the operator allows `http`.
    #[schema(example = "https://shop.example/hooks/consent")]
    pub url: String,
    /// `consent/<project_id>` or `publish/<project_id>`.
    #[schema(example = "consent/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70")]
    pub event: String,
    /// Whether it is called; true when absent.
    #[serde(default)]
    pub active: Option<bool>,
}

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
    /// Whether it is called.
    pub active: bool,
    /// Why it was turned off: `gone` (it answered 410), `failing` (three days without success);
    /// absent when a member did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "failing")]
    pub inactive_reason: Option<String>,
    /// Since when no delivery has succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failing_since: Option<Timestamp>,
    /// Key of the signatures; only in the answer to create and to rotate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=")]
    pub secret: Option<String>,
    /// When it was registered.
    pub created_at: Timestamp,
    /// When it was last changed.
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
    /// When it happened.
    pub created_at: Timestamp,
}

/// Something that an endpoint is told.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// Id, sent as `webhook-id` with every try.
    pub id: Uuid,
    /// `consent.created`, `publish.complete`, `publish.error` or `webhook.test`.
    #[serde(rename = "type")]
    #[schema(example = "consent.created")]
    pub kind: String,
    /// The consent or publish job.
    pub subject: Uuid,
    /// `waiting` (for its first or next try), `delivered` or `failed` (given up).
    #[schema(example = "delivered")]
    pub status: String,
    /// When it happened.
    pub created_at: Timestamp,
    /// When it was delivered or given up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Timestamp>,
    /// When it is tried next; absent while it is being sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<Timestamp>,
    /// Its tries, oldest first.
    pub attempts: Vec<Attempt>,
}

/// A try.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Attempt {
    /// From 1.
    #[schema(example = 1)]
    pub number: i64,
    /// When; also the `webhook-timestamp`.
    pub at: Timestamp,
    /// Method of the call.
    #[schema(example = "POST")]
    pub method: String,
    /// Address of the call.
    #[schema(example = "https://shop.example/hooks/consent")]
    pub url: String,
    /// Status of the answer; null when there was none.
    #[schema(example = 200)]
    pub status: Option<i64>,
    /// Why there was no answer: `address_refused`, `timeout` or `connection_failed`; or no call,
    /// `nothing_to_tell`: what it was about has been erased.
    #[schema(example = "timeout")]
    pub error: Option<String>,
    /// The first 2 KB of the answer.
    #[schema(example = "ok")]
    pub answer: Option<String>,
    /// Milliseconds from the call to the answer.
    #[schema(example = 84)]
    pub latency_ms: i64,
}

/// A delivery with what is sent.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryDetail {
    /// The delivery.
    #[serde(flatten)]
    pub delivery: Delivery,
    /// What a try would send now; null when what it is about is gone.
    pub request: Option<DeliveryRequest>,
}

/// What is sent.
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

/// How endpoints are called.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Whether addresses without TLS are taken.
    pub allow_http: bool,
    /// How long a call may take.
    pub timeout: Duration,
}

/// The sub-service `webhooks`.
pub struct Webhooks {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    secret: SecretKey,
    outbound: Outbound,
    consents: Arc<Consents>,
    settings: Settings,
    wake: Arc<Notify>,
}

/// The parts of [`Webhooks`].
pub(crate) struct Parts {
    pub db: Db,
    pub clock: SharedClock,
    pub ids: Arc<Ids>,
    pub secret: SecretKey,
    pub outbound: Outbound,
    pub consents: Arc<Consents>,
    pub settings: Settings,
    pub wake: Arc<Notify>,
}

impl Webhooks {
    pub(crate) fn new(parts: Parts) -> Self {
        Self {
            db: parts.db,
            clock: parts.clock,
            ids: parts.ids,
            secret: parts.secret,
            outbound: parts.outbound,
            consents: parts.consents,
            settings: parts.settings,
            wake: parts.wake,
        }
    }

    /// Registers an endpoint; the answer holds its secret, which is never shown again.
    pub async fn create(&self, actor: Actor, input: WebhookIn) -> Result<Webhook> {
        let checked = self.check(actor, &input).await?;
        let created_by = actor
            .responsible()
            .ok_or_else(|| Error::forbidden("not_a_user", "Only a user can do this."))?;
        let (id, now) = (self.ids.next(), self.clock.now());
        let secret = Secret::make();
        let row = WebhookRow {
            id,
            project_id: checked.project,
            topic: checked.topic.as_str().to_owned(),
            method: checked.method,
            url: checked.url,
            active: input.active.unwrap_or(true),
            inactive_reason: None,
            secret: self.secret.seal(id.as_bytes(), &secret.0),
            old_secret: None,
            old_secret_until: None,
            failing_since: None,
            created_by,
            created_at: now,
            updated_at: now,
        };
        if !store::add(&self.db, &row, MOST_WEBHOOKS).await? {
            return Err(Error::conflict(
                None,
                "too_many_webhooks",
                format!("A project has at most {MOST_WEBHOOKS} webhooks."),
            ));
        }
        self.consents.forget(row.project_id);
        Ok(shown(row, None, Some(secret.shown())))
    }

    /// The webhooks of the caller's projects, newest first.
    pub async fn list(
        &self,
        actor: Actor,
        project: Option<Uuid>,
        page: Page,
    ) -> Result<Listed<Webhook>> {
        let holder = actor.holder(Scope::Read)?;
        let rows = store::list(&self.db, holder, project, page).await?;
        let (total, page) = (rows.total, rows.page);
        let mut items = Vec::with_capacity(rows.items.len());
        for row in rows.items {
            items.push(self.show(row).await?);
        }
        Ok(Listed { items, total, page })
    }

    /// A webhook.
    pub async fn read(&self, actor: Actor, id: Uuid) -> Result<Webhook> {
        let row = self.find(actor, id, Role::Viewer).await?;
        self.show(row).await
    }

    /// Replaces a webhook; `active: true` turns it on again. Its secret stays.
    pub async fn update(&self, actor: Actor, id: Uuid, input: WebhookIn) -> Result<Webhook> {
        let mut row = self.find(actor, id, Role::Editor).await?;
        let checked = self.check(actor, &input).await?;
        if checked.project != row.project_id {
            return Err(Error::field(
                "/event",
                "project_fixed",
                "A webhook stays with its project: its deliveries are that project's.",
            ));
        }
        let active = input.active.unwrap_or(true);
        if active || row.active {
            // By a member's hand, either way.
            row.inactive_reason = None;
            row.failing_since = None;
        }
        checked.topic.as_str().clone_into(&mut row.topic);
        row.method = checked.method;
        row.url = checked.url;
        row.active = active;
        row.updated_at = self.clock.now();
        store::update(&self.db, &row).await?;
        self.consents.forget(row.project_id);
        self.wake();
        self.show(row).await
    }

    /// Removes a webhook and its deliveries.
    pub async fn delete(&self, actor: Actor, id: Uuid) -> Result<()> {
        let row = self.find(actor, id, Role::Editor).await?;
        store::remove(&self.db, row.id).await?;
        self.consents.forget(row.project_id);
        Ok(())
    }

    /// Makes a new secret and shows it once; the one before signs too for a day.
    pub async fn rotate(&self, actor: Actor, id: Uuid) -> Result<Webhook> {
        let row = self.find(actor, id, Role::Editor).await?;
        let secret = Secret::make();
        let sealed = self.secret.seal(id.as_bytes(), &secret.0);
        let now = self.clock.now();
        let old_until = now.plus_seconds(OLD_SECRET_HOURS * 3_600);
        store::rotate(&self.db, row.id, &sealed, old_until, now).await?;
        let row = store::lookup(&self.db, id).await?.ok_or(Error::NotFound)?;
        let last = store::last_delivery(&self.db, id).await?;
        Ok(shown(row, last, Some(secret.shown())))
    }

    /// Sends a test event, tried once.
    pub async fn test(&self, actor: Actor, id: Uuid) -> Result<Delivery> {
        let row = self.find(actor, id, Role::Editor).await?;
        must_be_active(&row)?;
        let delivery = self.ids.next();
        store::add_test(&self.db, id, delivery, self.clock.now()).await?;
        self.wake();
        self.delivery(id, delivery).await
    }

    /// Deliveries of a webhook, newest first.
    pub async fn deliveries(
        &self,
        actor: Actor,
        id: Uuid,
        status: Option<&str>,
        page: Page,
    ) -> Result<Listed<Delivery>> {
        self.find(actor, id, Role::Viewer).await?;
        check_status(status)?;
        let rows = store::deliveries(&self.db, id, status, page).await?;
        let (total, page) = (rows.total, rows.page);
        let items = self.with_attempts(id, rows.items).await?;
        Ok(Listed { items, total, page })
    }

    /// Those behind a delivery; costs the same however far that is.
    pub async fn deliveries_after(
        &self,
        actor: Actor,
        id: Uuid,
        status: Option<&str>,
        after: Uuid,
        size: u32,
    ) -> Result<Part<Delivery>> {
        self.find(actor, id, Role::Viewer).await?;
        check_status(status)?;
        let Part { items, size, more } =
            store::deliveries_after(&self.db, id, status, after, size).await?;
        let items = self.with_attempts(id, items).await?;
        Ok(Part { items, size, more })
    }

    async fn with_attempts(&self, id: Uuid, rows: Vec<DeliveryRow>) -> Result<Vec<Delivery>> {
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            let attempts = store::attempts(&self.db, id, row.id).await?;
            items.push(shown_delivery(row, attempts));
        }
        Ok(items)
    }

    /// Sends a delivery again: one try more for one that has ended, the next try now for one that
    /// waits.
    pub async fn retry(&self, actor: Actor, id: Uuid, delivery: Uuid) -> Result<Delivery> {
        let row = self.find(actor, id, Role::Editor).await?;
        self.delivery(id, delivery).await?;
        must_be_active(&row)?;
        store::retry(&self.db, id, delivery, self.clock.now()).await?;
        self.wake();
        self.delivery(id, delivery).await
    }

    /// Tells the worker that there is something to deliver.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Forgets what ended long ago.
    pub(crate) async fn forget_ended(&self) -> Result<()> {
        let now = self.clock.now();
        let delivered = deliver::id_at(now.plus_days(-DELIVERED_DAYS));
        let failed = deliver::id_at(now.plus_days(-FAILED_DAYS));
        Ok(store::forget(&self.db, delivered, failed).await?)
    }

    async fn find(&self, actor: Actor, id: Uuid, need: Role) -> Result<WebhookRow> {
        let row = store::lookup(&self.db, id).await?.ok_or(Error::NotFound)?;
        access::project(&self.db, actor, row.project_id, need).await?;
        Ok(row)
    }

    async fn show(&self, row: WebhookRow) -> Result<Webhook> {
        let last = store::last_delivery(&self.db, row.id).await?;
        Ok(shown(row, last, None))
    }

    async fn delivery(&self, webhook: Uuid, id: Uuid) -> Result<Delivery> {
        let row = store::delivery(&self.db, webhook, id).await?;
        let row = row.ok_or(Error::NotFound)?;
        let attempts = store::attempts(&self.db, webhook, id).await?;
        Ok(shown_delivery(row, attempts))
    }

    /// The secrets that sign at this moment, newest first.
    fn secrets(&self, row: &WebhookRow, now: Timestamp) -> Option<Vec<Secret>> {
        let old = row
            .old_secret
            .as_ref()
            .filter(|_| row.old_secret_until.is_some_and(|until| now < until));
        let open = |sealed: &Vec<u8>| self.secret.open(row.id.as_bytes(), sealed).map(Secret);
        [Some(&row.secret), old]
            .into_iter()
            .flatten()
            .map(open)
            .collect()
    }

    async fn check(&self, actor: Actor, input: &WebhookIn) -> Result<Checked> {
        let mut errors = Vec::new();
        let method = input.method.to_ascii_uppercase();
        if !METHODS.contains(&method.as_str()) {
            let detail = format!("One of: {}.", METHODS.join(", "));
            errors.push(FieldError::new("/method", "invalid_value", detail));
        }
        let url = self.check_url(&input.url);
        errors.extend(url.as_ref().err().cloned());
        let event = parse_event(&input.event);
        let mut known = None;
        match event {
            None => errors.push(FieldError::new(
                "/event",
                "invalid_value",
                "`consent/<project_id>` or `publish/<project_id>`.",
            )),
            Some((topic, project)) => match self.may_listen(actor, topic, project).await {
                Ok(()) => known = Some((topic, project)),
                Err(Error::NotFound) => errors.push(FieldError::new(
                    "/event",
                    "unknown_project",
                    "This project does not exist, or is not yours.",
                )),
                Err(error) => return Err(error),
            },
        }
        match (known, url) {
            (Some((topic, project)), Ok(url)) if errors.is_empty() => Ok(Checked {
                topic,
                project,
                method,
                url,
            }),
            _ => Err(Error::Invalid(errors)),
        }
    }

    /// Whether the actor may have the endpoint told of this: a key must also be able to read what
    /// is told.
    async fn may_listen(&self, actor: Actor, topic: Topic, project: Uuid) -> Result<()> {
        access::project(&self.db, actor, project, Role::Editor).await?;
        if topic == Topic::Consent {
            access::project(&self.db, actor, project, Need::consents(Role::Editor)).await?;
        }
        Ok(())
    }

    /// The address in its normal form. Names are not resolved here: what counts is where they
    /// lead when they are called.
    fn check_url(&self, text: &str) -> std::result::Result<String, FieldError> {
        let refuse = |code, detail: &str| Err(FieldError::new("/url", code, detail));
        if text.len() > MOST_URL {
            return refuse("too_long", "At most 2000 characters.");
        }
        let Ok(url) = Url::parse(text) else {
            return refuse(
                "invalid_url",
                "An absolute address beginning with https://.",
            );
        };
        if !(url.scheme() == "https" || (self.settings.allow_http && url.scheme() == "http")) {
            return refuse("invalid_url", "The address must begin with https://.");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return refuse("invalid_url", "The address must not hold credentials.");
        }
        if url.fragment().is_some() {
            return refuse("invalid_url", "The address must not hold a fragment.");
        }
        if !self.outbound.may_call(&url) {
            return refuse("address_refused", "This address may not be called.");
        }
        Ok(url.into())
    }
}

impl Placet {
    /// A delivery with what is sent.
    pub async fn webhook_delivery(
        &self,
        actor: Actor,
        webhook: Uuid,
        id: Uuid,
    ) -> Result<DeliveryDetail> {
        let webhooks = &self.webhooks;
        let row = webhooks.find(actor, webhook, Role::Viewer).await?;
        if row.topic == Topic::Consent.as_str() {
            let need = Need::consents(Role::Viewer);
            access::project(&webhooks.db, actor, row.project_id, need).await?;
        }
        let found = store::delivery(&webhooks.db, webhook, id).await?;
        let found = found.ok_or(Error::NotFound)?;
        let event = deliver::event(self, &row, &found).await?;
        let request = event.map(|event| {
            let message = Message::new(&row.method, &row.url, &event);
            DeliveryRequest {
                method: row.method.clone(),
                url: message.url,
                body: String::from_utf8_lossy(&message.body).into_owned(),
            }
        });
        let attempts = store::attempts(&webhooks.db, webhook, id).await?;
        Ok(DeliveryDetail {
            delivery: shown_delivery(found, attempts),
            request,
        })
    }
}

/// A webhook whose every field is in order.
struct Checked {
    topic: Topic,
    project: Uuid,
    method: String,
    url: String,
}

fn parse_event(event: &str) -> Option<(Topic, Uuid)> {
    let (topic, project) = event.split_once('/')?;
    let topic = [Topic::Consent, Topic::Publish]
        .into_iter()
        .find(|known| known.as_str() == topic)?;
    let id = Uuid::parse_str(project).ok()?;
    (id.to_string() == project).then_some((topic, id))
}

fn check_status(status: Option<&str>) -> Result<()> {
    if status.is_none_or(|status| ["waiting", "delivered", "failed"].contains(&status)) {
        return Ok(());
    }
    Err(Error::BadRequest(
        "`status` is waiting, delivered or failed.".to_owned(),
    ))
}

fn must_be_active(row: &WebhookRow) -> Result<()> {
    if row.active {
        return Ok(());
    }
    Err(Error::conflict(
        None,
        "webhook_inactive",
        "This webhook is turned off; turn it on with `active: true`.",
    ))
}

fn shown(row: WebhookRow, last: Option<DeliveryRow>, secret: Option<String>) -> Webhook {
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

fn shown_delivery(row: DeliveryRow, attempts: Vec<AttemptRow>) -> Delivery {
    Delivery {
        id: row.id,
        next_attempt_at: (row.status == "waiting" && !row.claimed).then_some(row.next_at),
        kind: row.kind,
        subject: row.subject,
        status: row.status,
        created_at: row.created_at,
        finished_at: row.finished_at,
        attempts: attempts
            .into_iter()
            // What began or ended since the delivery was read is not shown beside its old state.
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
        // The second one ended, or began and ended, after the row was read.
        assert_eq!(numbers(true, 2, 2), [1]);
        assert_eq!(numbers(false, 1, 2), [1]);
    }
}
