//! SQL of the outbox: claiming due deliveries and recording their outcomes. `consents::writing` adds
//! deliveries of consents, because it writes both in one transaction.

use domain::webhook::{DeliveryStatus, EventKind};
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
        places::{Endpoint, OF_OWNER},
        store::give_up_waiting,
    },
};

/// Endpoints that one look at the outbox finds.
const MOST_FOUND: i64 = 4_096;

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

/// Active endpoints with due deliveries, at most [`MOST_FOUND`]. Of each account it finds [`OF_OWNER`] endpoints that
/// fail and [`OF_OWNER`] others, so that a backlog of the former hides none of the latter. Endpoints that have waited
/// longest come first. The first of each account comes before the second of any, so that an account with many hides
/// no other. Events that only a later release knows are left to its processes, here and in [`claim`].
pub(super) async fn due(db: &Db, now: Timestamp) -> Result<Vec<Endpoint>> {
    let mut due = db.query(
        "SELECT id, project_id, created_by, failing_since FROM ( \
         SELECT id, project_id, created_by, failing_since, since, \
         ROW_NUMBER() OVER (PARTITION BY created_by, failing_since IS NOT NULL ORDER BY since, id) AS turn FROM ( \
         SELECT w.id, w.project_id, w.created_by, w.failing_since, \
         (SELECT d.next_at FROM webhook_deliveries d WHERE d.webhook_id = w.id \
         AND d.status = 'waiting' AND d.next_at <= $1 AND d.kind IN (",
    );
    due = due.bind(now);
    due.values(EventKind::WORDS.iter().copied())
        .push(
            ") ORDER BY d.next_at LIMIT 1) AS since FROM webhooks w WHERE w.active) active \
             WHERE since IS NOT NULL) turns WHERE turn <= ",
        )
        .value(OF_OWNER as i64)
        .push(" ORDER BY turn, since, id LIMIT ")
        .value(MOST_FOUND);
    due.all().await
}

/// Claims up to `most` due deliveries of a webhook.
pub(super) async fn claim(
    db: &Db,
    webhook: Uuid,
    lease: Lease,
    most: i64,
) -> Result<Vec<DeliveryRow>> {
    let mut claim = db
        .query(
            "UPDATE webhook_deliveries SET attempts = attempts + 1, claimed_by = $2, next_at = $4 \
             WHERE webhook_id = $1 AND id IN (SELECT id FROM webhook_deliveries \
             WHERE webhook_id = $1 AND status = 'waiting' AND next_at <= $3 AND kind IN (",
        )
        .bind(webhook)
        .bind(lease.owner)
        .bind(lease.from)
        .bind(lease.until);
    claim
        .values(EventKind::WORDS.iter().copied())
        .push(") ORDER BY next_at, id LIMIT ")
        .value(most)
        .push(db.skip_locked())
        .push(") RETURNING ")
        .push(delivery::COLUMNS);
    claim.writes().all().await
}

/// Consequence of an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Verdict {
    Delivered,
    /// Retry at this time.
    Again(Timestamp),
    /// Retry at this time what the server could not send. That says nothing about the endpoint.
    Later(Timestamp),
    /// Give up. Turn the endpoint off if it has failed since this time or longer.
    GivenUp {
        off_if_failing_since: Timestamp,
    },
    /// The endpoint answered that it no longer exists.
    Gone,
    /// Give up, for a reason that is not the endpoint's: the content no longer exists, or the server cannot send it.
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
    if attempt.number > delivery::MOST_ATTEMPTS {
        tx.query(
            "DELETE FROM webhook_attempts \
             WHERE webhook_id = $1 AND delivery_id = $2 AND number <= $3",
        )
        .bind(outcome.delivery.webhook_id)
        .bind(outcome.delivery.id)
        .bind(attempt.number - delivery::MOST_ATTEMPTS)
        .exec()
        .await?;
    }
    Ok(())
}

async fn end_try(tx: &mut Tx, owner: Uuid, outcome: &Outcome, now: Timestamp) -> Result<()> {
    let (status, next_at, finished_at) = match outcome.verdict {
        Verdict::Delivered => (DeliveryStatus::Delivered, now, Some(now)),
        Verdict::Again(at) | Verdict::Later(at) => (DeliveryStatus::Waiting, at, None),
        Verdict::GivenUp { .. } | Verdict::Gone | Verdict::Nothing => {
            (DeliveryStatus::Failed, now, Some(now))
        }
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
    .bind(status.as_str())
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
        Verdict::Later(_) => give_up_if_off(tx, outcome, now).await,
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
        mail.post_warning(tx, project, &letter).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::testing::new_in;

    const GREEDY: Uuid = Uuid::from_u128(1);
    const HONEST: Uuid = Uuid::from_u128(2);
    const UNLUCKY: Uuid = Uuid::from_u128(3);

    /// Registers an endpoint with deliveries that are due from a time on.
    async fn register(tx: &mut Tx, id: u128, account: Uuid, is_active: bool, since: i64) {
        let id = Uuid::from_u128(1_000 + id);
        tx.query(
            "INSERT INTO webhooks (id, project_id, topic, method, url, active, secret, created_by, \
             created_at, updated_at) \
             VALUES ($1, $1, 'consent', 'POST', 'https://hooks.example/', $2, X'00', $3, 0, 0)",
        )
        .bind(id)
        .bind(is_active)
        .bind(account)
        .exec()
        .await
        .unwrap();
        for after in 0..3 {
            tx.query(
                "INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, attempts, \
                 by_hand, next_at, created_at) \
                 VALUES ($1, $2, 'consent.created', $2, 'waiting', 0, FALSE, $3, 0)",
            )
            .bind(id)
            .bind(Uuid::from_u128(after))
            .bind(since + after as i64)
            .exec()
            .await
            .unwrap();
        }
    }

    #[tokio::test]
    async fn a_look_finds_few_endpoints_of_an_account_and_all_accounts() {
        let folder = tempfile::tempdir().unwrap();
        let db = new_in(folder.path()).await;
        let mut tx = db.begin().await.unwrap();
        for id in 0..200 {
            register(&mut tx, id, GREEDY, true, 100 - (id as i64) / 2).await;
        }
        register(&mut tx, 200, HONEST, true, 100).await;
        // One that is off, and one whose time has not come.
        register(&mut tx, 201, HONEST, false, 0).await;
        register(&mut tx, 202, HONEST, true, 101).await;
        // Many that fail, and one that does not and has waited less.
        for id in 300..370 {
            register(&mut tx, id, UNLUCKY, true, 100).await;
        }
        tx.query("UPDATE webhooks SET failing_since = 1 WHERE created_by = $1 AND id < $2")
            .bind(UNLUCKY)
            .bind(Uuid::from_u128(1_000 + 369))
            .exec()
            .await
            .unwrap();
        tx.commit().await.unwrap();
        let found = due(&db, Timestamp(100)).await.unwrap();
        let of = |account| found.iter().filter(move |one| one.created_by == account);
        assert_eq!((of(GREEDY).count(), of(HONEST).count()), (OF_OWNER, 1));
        // Those that have waited longest.
        assert!(of(GREEDY).all(|one| one.id.as_u128() >= 1_000 + 200 - 64));
        let healthy = of(UNLUCKY).filter(|one| one.failing_since.is_none());
        assert_eq!((of(UNLUCKY).count(), healthy.count()), (OF_OWNER + 1, 1));
        let honest = found.iter().position(|one| one.created_by == HONEST);
        assert_eq!(
            honest,
            Some(1),
            "the second of an account is behind all first ones"
        );
        db.close().await;
    }
}
