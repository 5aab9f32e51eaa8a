//! SQL of the outbox: taking what is due, and what came of it. What consents add to the outbox
//! stands in `consents::commit`, because it is written with them.

use uuid::Uuid;

use crate::{
    access,
    clock::Timestamp,
    db::{Db, DbError, Tx},
    in_tx,
    mail::{Letter, Mail},
    on,
    webhooks::{
        deliveries::store::{AttemptRow, DeliveryRow},
        store::{COLUMNS, WebhookRow, give_up_waiting},
    },
};

type Result<T> = std::result::Result<T, DbError>;

/// Tells the project's webhooks, in the transaction in which a publish ends.
pub(crate) async fn add_publish(
    tx: &mut Tx,
    project: Uuid,
    job: Uuid,
    kind: &str,
    now: Timestamp,
) -> Result<()> {
    in_tx!(tx, conn => sqlx::query(
        "INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, attempts, by_hand, \
         next_at, created_at) SELECT w.id, $2, $3, $2, 'waiting', 0, FALSE, $4, $4 FROM webhooks w \
         WHERE w.project_id = $1 AND w.topic = 'publish' AND w.active \
         ON CONFLICT (webhook_id, id) DO NOTHING")
        .bind(project)
        .bind(job)
        .bind(kind)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// On SQLite there is one process: what is claimed at its start belongs to a process that died.
pub(super) async fn reclaim_at_start(db: &Db) -> Result<()> {
    if let Db::Sqlite { writer, .. } = db {
        sqlx::query(
            "UPDATE webhook_deliveries SET next_at = 0, claimed_by = NULL \
             WHERE status = 'waiting' AND claimed_by IS NOT NULL",
        )
        .execute(writer)
        .await?;
    }
    Ok(())
}

/// Active webhooks for which something is due.
pub(super) async fn due(db: &Db, now: Timestamp) -> Result<Vec<WebhookRow>> {
    let sql = format!(
        "{COLUMNS} WHERE w.active AND EXISTS (SELECT 1 FROM webhook_deliveries d \
         WHERE d.webhook_id = w.id AND d.status = 'waiting' AND d.next_at <= $1)"
    );
    Ok(on!(db, pool => sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(now)
        .fetch_all(pool)
        .await)?)
}

macro_rules! claim_sql {
    ($lock:literal) => {
        concat!(
            "UPDATE webhook_deliveries SET attempts = attempts + 1, claimed_by = $2, next_at = $4 \
             WHERE webhook_id = $1 AND id IN (SELECT id FROM webhook_deliveries \
             WHERE webhook_id = $1 AND status = 'waiting' AND next_at <= $3 \
             ORDER BY next_at, id LIMIT $5",
            $lock,
            ") RETURNING webhook_id, id, kind, subject, status, attempts, by_hand, \
             claimed_by IS NOT NULL AS claimed, next_at, created_at, finished_at"
        )
    };
}

/// Takes what is due for a webhook, at most `most`, until `until`.
pub(super) async fn claim(
    db: &Db,
    webhook: Uuid,
    owner: Uuid,
    now: Timestamp,
    until: Timestamp,
    most: i64,
) -> Result<Vec<DeliveryRow>> {
    // SQLite: the single writer is the lock. PostgreSQL: other processes skip what one has locked.
    Ok(match db {
        Db::Sqlite { writer, .. } => {
            sqlx::query_as(claim_sql!(""))
                .bind(webhook)
                .bind(owner)
                .bind(now)
                .bind(until)
                .bind(most)
                .fetch_all(writer)
                .await?
        }
        Db::Postgres(pool) => {
            sqlx::query_as(claim_sql!(" FOR UPDATE SKIP LOCKED"))
                .bind(webhook)
                .bind(owner)
                .bind(now)
                .bind(until)
                .bind(most)
                .fetch_all(pool)
                .await?
        }
    })
}

/// What follows from a try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    Delivered,
    /// Again then.
    Again(Timestamp),
    /// Not again, and the endpoint is turned off if it has failed since then or longer.
    GivenUp {
        off_if_failing_since: Option<Timestamp>,
    },
    /// The endpoint says that it is no more.
    Gone,
    /// There is nothing to tell any more.
    Nothing,
}

/// A try and what follows.
#[derive(Clone)]
pub(super) struct Outcome {
    pub delivery: DeliveryRow,
    pub project_id: Uuid,
    pub attempt: AttemptRow,
    pub verdict: Verdict,
}

/// Records tries, all or none.
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
    // In one order, so that two processes do not wait for each other in a circle.
    let mut of_webhooks: Vec<&Outcome> = outcomes.iter().collect();
    of_webhooks.sort_by_key(|outcome| outcome.delivery.webhook_id);
    for outcome in of_webhooks {
        judge(&mut tx, mail, outcome, now).await?;
    }
    tx.commit().await
}

/// An answer may repeat the consent; of one that was erased meanwhile it is not kept.
async fn add_attempt(tx: &mut Tx, outcome: &Outcome) -> Result<()> {
    let attempt = &outcome.attempt;
    in_tx!(tx, conn => sqlx::query(
        "INSERT INTO webhook_attempts (webhook_id, delivery_id, number, at, method, url, status, \
         error, answer, latency_ms) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, \
         CASE WHEN EXISTS (SELECT 1 FROM consents c WHERE c.project_id = $11 \
         AND c.consent_id = $12 AND c.erased_at IS NOT NULL) THEN NULL ELSE $9 END, $10) \
         ON CONFLICT (webhook_id, delivery_id, number) DO NOTHING")
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
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

async fn end_try(tx: &mut Tx, owner: Uuid, outcome: &Outcome, now: Timestamp) -> Result<()> {
    let (status, next_at, finished_at) = match outcome.verdict {
        Verdict::Delivered => ("delivered", now, Some(now)),
        Verdict::Again(at) => ("waiting", at, None),
        Verdict::GivenUp { .. } | Verdict::Gone | Verdict::Nothing => ("failed", now, Some(now)),
    };
    // What was delivered is delivered, whoever has claimed it meanwhile.
    in_tx!(tx, conn => sqlx::query(
        "UPDATE webhook_deliveries SET status = $4, next_at = $5, finished_at = $6, \
         claimed_by = NULL WHERE webhook_id = $1 AND id = $2 \
         AND (claimed_by = $3 OR $4 = 'delivered')")
        .bind(outcome.delivery.webhook_id)
        .bind(outcome.delivery.id)
        .bind(owner)
        .bind(status)
        .bind(next_at)
        .bind(finished_at)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// What a try says of its endpoint.
async fn judge(tx: &mut Tx, mail: &Mail, outcome: &Outcome, now: Timestamp) -> Result<()> {
    let webhook = outcome.delivery.webhook_id;
    match outcome.verdict {
        Verdict::Nothing => Ok(()),
        Verdict::Delivered => {
            in_tx!(tx, conn => sqlx::query(
                "UPDATE webhooks SET failing_since = NULL \
                 WHERE id = $1 AND failing_since IS NOT NULL")
                .bind(webhook)
                .execute(conn)
                .await
                .map(drop))?;
            Ok(())
        }
        // A try by hand says nothing of how the endpoint does by itself.
        Verdict::Again(_) | Verdict::GivenUp { .. } if outcome.delivery.by_hand => Ok(()),
        Verdict::Again(_) => {
            failing(tx, outcome).await?;
            give_up_if_off(tx, outcome, now).await
        }
        Verdict::GivenUp {
            off_if_failing_since,
        } => {
            failing(tx, outcome).await?;
            turn_off(tx, mail, outcome, "failing", off_if_failing_since, now).await
        }
        Verdict::Gone => turn_off(tx, mail, outcome, "gone", None, now).await,
    }
}

/// Gives a delivery up whose endpoint was turned off during the call.
async fn give_up_if_off(tx: &mut Tx, outcome: &Outcome, now: Timestamp) -> Result<()> {
    in_tx!(tx, conn => sqlx::query(
        "UPDATE webhook_deliveries SET status = 'failed', finished_at = $3 \
         WHERE webhook_id = $1 AND id = $2 AND status = 'waiting' AND claimed_by IS NULL \
         AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = $1 AND NOT w.active)")
        .bind(outcome.delivery.webhook_id)
        .bind(outcome.delivery.id)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

async fn failing(tx: &mut Tx, outcome: &Outcome) -> Result<()> {
    in_tx!(tx, conn => sqlx::query(
        "UPDATE webhooks SET failing_since = $2 WHERE id = $1 AND failing_since IS NULL")
        .bind(outcome.delivery.webhook_id)
        .bind(outcome.attempt.at)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Turns an endpoint off, gives up what waits for it, and tells the owners.
async fn turn_off(
    tx: &mut Tx,
    mail: &Mail,
    outcome: &Outcome,
    reason: &str,
    failing_since: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    let webhook = outcome.delivery.webhook_id;
    let turned = in_tx!(tx, conn => sqlx::query(
        "UPDATE webhooks SET active = FALSE, inactive_reason = $2, updated_at = $4 \
         WHERE id = $1 AND active AND ($3 IS NULL OR failing_since <= $3)")
        .bind(webhook)
        .bind(reason)
        .bind(failing_since)
        .bind(now)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    if turned == 0 {
        return Ok(());
    }
    give_up_waiting(tx, webhook, now).await?;
    for address in access::owners(tx, outcome.project_id, None).await? {
        mail.post(tx, &letter(&address, outcome, reason)).await?;
    }
    Ok(())
}

fn letter(address: &str, outcome: &Outcome, reason: &str) -> Letter {
    let cause = if reason == "gone" {
        "it answered 410, which means that it is no more"
    } else {
        "it has accepted nothing for three days"
    };
    let text = format!(
        "The webhook {} of your project {} was turned off: {cause}.\n\nIts address is {}\n\n\
         What waited for it was given up and can be sent by hand for 30 days, once the webhook is \
         turned on again.\n",
        outcome.delivery.webhook_id, outcome.project_id, outcome.attempt.url
    );
    Letter::plain(address, "A webhook was turned off", &text)
}
