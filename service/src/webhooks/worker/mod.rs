//! The delivery worker: claims due deliveries from the outbox and calls endpoints.
//!
//! Each endpoint, project and account has a bounded share of the calls, so slow endpoints delay nobody else
//! (`places`). A claim lasts longer than a call can take, so a second process sends the delivery only if the
//! first one died. The outcomes of several calls are written in one transaction.

pub(crate) mod store;

use std::{sync::Arc, time::Duration};

use domain::webhook::{EventKind, NoAnswer};
use serde_json::json;
use tokio::{
    sync::mpsc,
    task::{Id, JoinSet},
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    Webhooks,
    delivery::{AttemptRow, DeliveryRow},
    payload::{Message, Told},
    places::Places,
    schedule, sign,
    store::WebhookRow,
};
use crate::{
    db::Lease,
    error::{Error, Result},
    events::Event,
    outbound::{Call, OutboundError, Reply},
};
use store::{Outcome, Verdict};

/// Interval of reading the outbox when nothing wakes the worker.
const POLL: Duration = Duration::from_millis(900);
/// A claim is longer than the longest call by this.
const CLAIM_MARGIN: Duration = Duration::from_secs(15);
/// Outcomes that are written in one transaction.
const BATCH: usize = 64;
/// Attempts to write outcomes, and the pause between two, in which a database that is away may come back.
const WRITES: usize = 3;
const BETWEEN_WRITES: Duration = Duration::from_millis(200);
/// Bytes of an answer that are stored.
const ANSWER_BYTES: usize = 2_048;
/// Attempts of an account's webhooks on a day (UTC) whose answers are stored, and whose long addresses. Of the others a
/// short row stays: an account must not fill the disk with the answers of an endpoint of its own.
const MOST_ANSWERS: u32 = 20_000;
/// Bytes of an address that always stay.
const ADDRESS_BYTES: usize = 200;

/// Delivers until `stop`, then waits for the running calls.
pub async fn work(webhooks: Arc<Webhooks>, stop: CancellationToken) {
    let owner = webhooks.ids.next();
    if let Err(error) = store::reclaim_at_start(&webhooks.db).await {
        tracing::warn!(%error, "deliveries of the last run could not be reclaimed");
    }
    let (ended, outcomes) = mpsc::channel(BATCH);
    let recorder = tokio::spawn(record(webhooks.clone(), owner, outcomes));
    let mut worker = Worker {
        webhooks: webhooks.clone(),
        owner,
        ended,
        calls: JoinSet::new(),
        places: Places::default(),
    };
    loop {
        worker.forget_ended();
        let begun = Instant::now();
        if let Err(error) = worker.start_due().await {
            tracing::warn!(%error, "the outbox cannot be read");
        }
        // Reading the outbox takes long when very many endpoints wait. The worker then rests as long, at most `POLL`, so
        // that others reach the database.
        let rest = begun.elapsed().min(POLL);
        tokio::select! {
            () = stop.cancelled() => break,
            () = webhooks.wake.notified() => {}
            Some(ended) = worker.calls.join_next_with_id() => worker.forget(&ended),
            () = tokio::time::sleep(POLL) => {}
        }
        tokio::select! {
            () = stop.cancelled() => break,
            () = tokio::time::sleep(rest) => {}
        }
    }
    while worker.calls.join_next().await.is_some() {}
    drop(worker);
    let _ = recorder.await;
}

struct Worker {
    webhooks: Arc<Webhooks>,
    owner: Uuid,
    ended: mpsc::Sender<Outcome>,
    calls: JoinSet<()>,
    places: Places,
}

type Ended = std::result::Result<(Id, ()), tokio::task::JoinError>;

impl Worker {
    fn forget_ended(&mut self) {
        while let Some(ended) = self.calls.try_join_next_with_id() {
            self.forget(&ended);
        }
    }

    fn forget(&mut self, ended: &Ended) {
        let id = match ended {
            Ok((id, ())) => *id,
            Err(error) => {
                tracing::error!(%error, "a delivery failed unexpectedly; it is retried");
                error.id()
            }
        };
        self.places.leave(id);
    }

    async fn start_due(&mut self) -> Result<()> {
        if self.places.are_taken() {
            return Ok(());
        }
        let webhooks = &self.webhooks;
        let now = webhooks.clock.now();
        let waiting = store::due(&webhooks.db, now).await?;
        for endpoint in self.places.in_turn(waiting) {
            let free = self.places.free(&endpoint);
            if free == 0 {
                continue;
            }
            // It may have been turned off, or removed, since it was found.
            let found = super::store::lookup(&webhooks.db, endpoint.id).await?;
            let Some(webhook) = found.filter(|webhook| webhook.active) else {
                continue;
            };
            let lease = Lease::new(self.owner, now, webhooks.settings.timeout + CLAIM_MARGIN);
            let most = i64::try_from(free).unwrap_or(1);
            let claimed = store::claim(&webhooks.db, webhook.id, lease, most).await?;
            for delivery in claimed {
                let call = deliver(
                    self.webhooks.clone(),
                    webhook.clone(),
                    delivery,
                    self.ended.clone(),
                );
                let task = self.calls.spawn(call);
                self.places.take(task.id(), &endpoint);
            }
        }
        Ok(())
    }
}

/// Writes the outcomes of calls, as many in one transaction as have arrived.
async fn record(webhooks: Arc<Webhooks>, owner: Uuid, mut outcomes: mpsc::Receiver<Outcome>) {
    let mut batch = Vec::with_capacity(BATCH);
    while outcomes.recv_many(&mut batch, BATCH).await > 0 {
        for write in 1..=WRITES {
            match store::finish(
                &webhooks.db,
                &webhooks.mail,
                owner,
                &batch,
                webhooks.clock.now(),
            )
            .await
            {
                Ok(()) => break,
                Err(error) if write < WRITES => {
                    tracing::warn!(%error, "outcomes of deliveries were not recorded; again in a moment");
                    tokio::time::sleep(BETWEEN_WRITES).await;
                }
                Err(error) => {
                    let lost = batch.len();
                    tracing::error!(%error, lost, "outcomes of deliveries are lost; these are sent again");
                    batch.clear();
                }
            }
        }
        for outcome in batch.drain(..) {
            if matches!(outcome.verdict, Verdict::Gone | Verdict::GivenUp { .. }) {
                // The webhook may have been turned off. Then consents no longer need a row in the outbox, and
                // the owners get a letter.
                let changed = Event::ProjectChanged(outcome.project_id);
                webhooks.events.tell(changed);
                webhooks.mail.wake();
            }
        }
    }
}

async fn deliver(
    webhooks: Arc<Webhooks>,
    webhook: WebhookRow,
    delivery: DeliveryRow,
    ended: mpsc::Sender<Outcome>,
) {
    let outcome = match told(&webhooks, &webhook, &delivery).await {
        Ok(Some(event)) => call(&webhooks, webhook, delivery, &event).await,
        Ok(None) => no_call(&webhooks, webhook, delivery, NoAnswer::NothingToTell),
        Err(error @ (Error::Db(_) | Error::Busy | Error::Unavailable)) => {
            tracing::warn!(%error, "the content of a delivery cannot be read; it is retried");
            return;
        }
        Err(error) => {
            tracing::warn!(%error, "the content of a delivery cannot be read");
            no_call(&webhooks, webhook, delivery, NoAnswer::ServerFault)
        }
    };
    let _ = ended.send(outcome).await;
}

/// Reads the content of a delivery. Returns `None` if it no longer exists.
pub(super) async fn told(
    webhooks: &Webhooks,
    webhook: &WebhookRow,
    delivery: &DeliveryRow,
) -> Result<Option<Told>> {
    let (project, subject) = (webhook.project_id, delivery.subject);
    let data = match delivery.event() {
        None => None,
        Some(EventKind::Test) => Some(json!({"webhookId": webhook.id, "projectId": project})),
        Some(EventKind::PublishComplete | EventKind::PublishError) => {
            let job = webhooks.publish.lookup(project, subject).await?;
            job.and_then(|job| serde_json::to_value(job).ok())
        }
        Some(EventKind::ConsentCreated) => {
            let consent = webhooks.consents.lookup(project, subject).await?;
            // An erased consent is not sent.
            let consent = consent.filter(|consent| consent.erased_at.is_none());
            consent.and_then(|consent| serde_json::to_value(consent).ok())
        }
    };
    Ok(data.map(|data| Told {
        kind: delivery.kind.clone(),
        timestamp: delivery.created_at,
        data,
    }))
}

async fn call(
    webhooks: &Webhooks,
    webhook: WebhookRow,
    delivery: DeliveryRow,
    event: &Told,
) -> Outcome {
    let message = Message::new(&webhook.method, &webhook.url, event);
    let at = webhooks.clock.now();
    let Some(secrets) = webhooks.secrets(&webhook, at) else {
        tracing::error!(webhook.id = %webhook.id, "a webhook's secret was sealed with another key");
        return no_call(webhooks, webhook, delivery, NoAnswer::ServerFault);
    };
    let id = delivery.id.to_string();
    let signature = sign::header(&secrets, &id, at.seconds(), message.signed());
    let begun = Instant::now();
    let outbound = webhooks.outbound.of(webhook.created_by);
    let reply = outbound
        .call(Call {
            method: &webhook.method,
            url: &message.url,
            headers: &[
                ("content-type", "application/json"),
                ("webhook-id", &id),
                ("webhook-timestamp", &at.seconds().to_string()),
                ("webhook-signature", &signature),
            ],
            body: message.body.clone(),
            deadline: webhooks.settings.timeout,
            most_bytes: ANSWER_BYTES,
        })
        .await;
    let latency_ms = i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX);
    let verdict = verdict(webhooks, &delivery, reply.as_ref());
    let is_kept = (webhooks.answered).add(webhook.created_by, at.day(), MOST_ANSWERS);
    let (status, error, answer) = match reply {
        Ok(reply) => {
            let answer = is_kept.then(|| text(&reply.body));
            (Some(i64::from(reply.status)), None, answer)
        }
        Err(error) => (None, Some(error.word().as_str().to_owned()), None),
    };
    // Without the query of a GET, because its fields are a visitor's data.
    let mut url = webhook.url;
    if !is_kept && url.len() > ADDRESS_BYTES {
        url.truncate(url.floor_char_boundary(ADDRESS_BYTES));
        url.push('…');
    }
    let attempt = AttemptRow {
        number: delivery.attempts,
        at,
        method: webhook.method,
        url,
        status,
        error,
        answer,
        latency_ms,
    };
    Outcome {
        delivery,
        project_id: webhook.project_id,
        attempt,
        verdict,
    }
}

fn verdict(
    webhooks: &Webhooks,
    delivery: &DeliveryRow,
    reply: std::result::Result<&Reply, &OutboundError>,
) -> Verdict {
    let now = webhooks.clock.now();
    let retry_after = match reply {
        Ok(reply) if (200..300).contains(&reply.status) => return Verdict::Delivered,
        Ok(reply) if reply.status == 410 => return Verdict::Gone,
        Ok(reply) => reply
            .retry_after
            .as_deref()
            .and_then(|header| schedule::retry_after(header, now)),
        Err(_) => None,
    };
    let wait = schedule::wait_millis(delivery.attempts, retry_after);
    match wait.filter(|_| !delivery.by_hand) {
        Some(wait) => Verdict::Again(now.plus_millis(wait)),
        None => Verdict::GivenUp {
            off_if_failing_since: now.plus_days(-schedule::OFF_AFTER_DAYS),
        },
    }
}

/// The outcome of a delivery without a call. It is no fault of the endpoint.
fn no_call(
    webhooks: &Webhooks,
    webhook: WebhookRow,
    delivery: DeliveryRow,
    why: NoAnswer,
) -> Outcome {
    let now = webhooks.clock.now();
    let again = schedule::wait_millis(delivery.attempts, None)
        .filter(|_| why == NoAnswer::ServerFault && !delivery.by_hand);
    let attempt = AttemptRow {
        number: delivery.attempts,
        at: now,
        method: webhook.method,
        url: webhook.url,
        status: None,
        error: Some(why.as_str().to_owned()),
        answer: None,
        latency_ms: 0,
    };
    Outcome {
        delivery,
        project_id: webhook.project_id,
        attempt,
        verdict: again.map_or(Verdict::Nothing, |wait| {
            Verdict::Later(now.plus_millis(wait))
        }),
    }
}

/// The first bytes of an answer as text that both databases can store. A byte that is none of UTF-8 becomes three.
fn text(bytes: &[u8]) -> String {
    let mut text = String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}");
    text.truncate(text.floor_char_boundary(ANSWER_BYTES));
    text
}
