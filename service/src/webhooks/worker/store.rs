//! SQL of the outbox: claiming due deliveries and recording their outcomes. `consents::writing` adds
//! deliveries of consents, because it writes both in one transaction.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    access,
    clock::Timestamp,
    concerns,
    db::{Db, DbError, Lease, Tx},
    mail::Mail,
    webhooks::{
        delivery::{self, AttemptRow, DeliveryRow},
        letters,
        store::{COLUMNS, WebhookRow, give_up_waiting},
    },
};

type Result<T> = std::result::Result<T, DbError>;

/// Frees the deliveries of a process that died, where that is known.
pub(super) async fn reclaim_at_start(db: &Db) -> Result<()> {
    if db.is_alone() {
        db.query(
            "UPDATE webhook_deliveries SET next_at = 0, claimed_by = NULL \
             WHERE status = 'waiting' AND claimed_by IS NOT NULL",
        )
        .exec()
        .await?;
    }
    Ok(())
}

/// Active webhooks with due deliveries.
pub(super) async fn due(db: &Db, now: Timestamp) -> Result<Vec<WebhookRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM webhooks w WHERE w.active AND EXISTS (SELECT 1 FROM webhook_deliveries d \
         WHERE d.webhook_id = w.id AND d.status = 'waiting' AND d.next_at <= $1)"
    );
    db.query(AssertSqlSafe(sql)).bind(now).all().await
}

/// Claims up to `most` due deliveries of a webhook.
pub(super) async fn claim(
    db: &Db,
    webhook: Uuid,
    lease: Lease,
    most: i64,
) -> Result<Vec<DeliveryRow>> {
    let sql = format!(
        "UPDATE webhook_deliveries SET attempts = attempts + 1, claimed_by = $2, next_at = $4 \
         WHERE webhook_id = $1 AND id IN (SELECT id FROM webhook_deliveries \
         WHERE webhook_id = $1 AND status = 'waiting' AND next_at <= $3 \
         ORDER BY next_at, id LIMIT $5{}) RETURNING {}",
        db.skip_locked(),
        delivery::COLUMNS
    );
    db.query(AssertSqlSafe(sql))
        .bind(webhook)
        .bind(lease.owner)
        .bind(lease.from)
        .bind(lease.until)
        .bind(most)
        .writes()
        .all()
        .await
}

/// Consequence of an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    Delivered,
    /// Retry at this time.
    Again(Timestamp),
    /// Give up. Turn the endpoint off if it has failed since this time or longer.
    GivenUp {
        off_if_failing_since: Timestamp,
    },
    /// The endpoint answered that it no longer exists.
    Gone,
    /// The content no longer exists.
    Nothing,
}

/// An attempt and its consequence.
#[derive(Clone)]
pub(super) struct Outcome {
    pub delivery: DeliveryRow,
    pub project_id: Uuid,
    pub attempt: AttemptRow,
    pub verdict: Verdict,
}

/// Records outcomes, all or none.
pub(super) async fn finish(
    db: &Db,
    mail: &Mail,
    owner: Uuid,
    outcomes: &[Outcome],
    now: Timestamp,
) -> Result<()> {
    let mut tx = db.begin().await?;
    for outcome in outcomes {
        add_attempt(&mut tx, outcome).await?;
        end_try(&mut tx, owner, outcome, now).await?;
    }
    // A fixed order, so that two processes do not deadlock.
    let mut of_webhooks: Vec<&Outcome> = outcomes.iter().collect();
    of_webhooks.sort_by_key(|outcome| outcome.delivery.webhook_id);
    for outcome in of_webhooks {
        judge(&mut tx, mail, outcome, now).await?;
    }
    tx.commit().await
}

/// Records an attempt. The answer of the endpoint may repeat the consent, so it is not stored if the consent
/// was erased meanwhile.
async fn add_attempt(tx: &mut Tx, outcome: &Outcome) -> Result<()> {
    let attempt = &outcome.attempt;
    tx.query(
        "INSERT INTO webhook_attempts (webhook_id, delivery_id, number, at, method, url, status, \
         error, answer, latency_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, \
         CASE WHEN EXISTS (SELECT 1 FROM consents c WHERE c.project_id = $11 \
         AND c.consent_id = $12 AND c.erased_at IS NOT NULL) THEN NULL ELSE $9 END, $10) \
         ON CONFLICT (webhook_id, delivery_id, number) DO NOTHING",
    )
    .bind(outcome.delivery.webhook_id)
    .bind(outcome.delivery.id)
    .bind(attempt.number)
    .bind(attempt.at)
    .bind(&attempt.method)
    .bind(&attempt.url)
    .bind(attempt.status)
    .bind(&attempt.error)
    .bind(&attempt.answer)
    .bind(attempt.latency_ms)
    .bind(outcome.project_id)
    .bind(outcome.delivery.subject)
    .exec()
    .await?;
    Ok(())
}

async fn end_try(tx: &mut Tx, owner: Uuid, outcome: &Outcome, now: Timestamp) -> Result<()> {
    let (status, next_at, finished_at) = match outcome.verdict {
        Verdict::Delivered => ("delivered", now, Some(now)),
        Verdict::Again(at) => ("waiting", at, None),
        Verdict::GivenUp { .. } | Verdict::Gone | Verdict::Nothing => ("failed", now, Some(now)),
    };
    // A success counts even if another process has claimed the delivery meanwhile.
    tx.query(
        "UPDATE webhook_deliveries SET status = $4, next_at = $5, finished_at = $6, \
         claimed_by = NULL WHERE webhook_id = $1 AND id = $2 \
         AND (claimed_by = $3 OR $4 = 'delivered')",
    )
    .bind(outcome.delivery.webhook_id)
    .bind(outcome.delivery.id)
    .bind(owner)
    .bind(status)
    .bind(next_at)
    .bind(finished_at)
    .exec()
    .await?;
    Ok(())
}

/// Updates the state of the endpoint by an attempt.
async fn judge(tx: &mut Tx, mail: &Mail, outcome: &Outcome, now: Timestamp) -> Result<()> {
    let webhook = outcome.delivery.webhook_id;
    match outcome.verdict {
        Verdict::Nothing => Ok(()),
        Verdict::Delivered => {
            tx.query(
                "UPDATE webhooks SET failing_since = NULL \
                 WHERE id = $1 AND failing_since IS NOT NULL",
            )
            .bind(webhook)
            .exec()
            .await?;
            Ok(())
        }
        // A retry by hand does not count for the state of the endpoint.
        Verdict::GivenUp { .. } if outcome.delivery.by_hand => Ok(()),
        Verdict::Again(_) => {
            failing(tx, outcome).await?;
            give_up_if_off(tx, outcome, now).await
        }
        Verdict::GivenUp {
            off_if_failing_since,
        } => {
            failing(tx, outcome).await?;
            let since = Some(off_if_failing_since);
            turn_off(tx, mail, outcome, "failing", since, now).await
        }
        Verdict::Gone => turn_off(tx, mail, outcome, "gone", None, now).await,
    }
}

/// Gives a delivery up if its endpoint was turned off during the call.
async fn give_up_if_off(tx: &mut Tx, outcome: &Outcome, now: Timestamp) -> Result<()> {
    tx.query(
        "UPDATE webhook_deliveries SET status = 'failed', finished_at = $3 \
         WHERE webhook_id = $1 AND id = $2 AND status = 'waiting' AND claimed_by IS NULL \
         AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = $1 AND NOT w.active)",
    )
    .bind(outcome.delivery.webhook_id)
    .bind(outcome.delivery.id)
    .bind(now)
    .exec()
    .await?;
    Ok(())
}

async fn failing(tx: &mut Tx, outcome: &Outcome) -> Result<()> {
    tx.query("UPDATE webhooks SET failing_since = $2 WHERE id = $1 AND failing_since IS NULL")
        .bind(outcome.delivery.webhook_id)
        .bind(outcome.attempt.at)
        .exec()
        .await?;
    Ok(())
}

/// Turns an endpoint off, gives up its waiting deliveries and sends a letter to the owners.
async fn turn_off(
    tx: &mut Tx,
    mail: &Mail,
    outcome: &Outcome,
    reason: &str,
    failing_since: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    let webhook = outcome.delivery.webhook_id;
    let turned = tx
        .query(
            "UPDATE webhooks SET active = FALSE, inactive_reason = $2, updated_at = $4 \
         WHERE id = $1 AND active AND ($3 IS NULL OR failing_since <= $3)",
        )
        .bind(webhook)
        .bind(reason)
        .bind(failing_since)
        .bind(now)
        .exec()
        .await?;
    if turned == 0 {
        return Ok(());
    }
    give_up_waiting(tx, webhook, now).await?;
    let project = outcome.project_id;
    let title = concerns::title(tx, project).await?.unwrap_or_default();
    for address in access::owners(tx, project, None).await? {
        let letter = letters::turned_off(
            &address,
            (webhook, &title),
            &outcome.attempt.url,
            reason == "gone",
        );
        mail.post_news(tx, &letter).await?;
    }
    Ok(())
}
