//! SQL of webhooks, their outbox and what became of it. What consents add to the outbox stands in
//! `consents::commit`, because it is written with them.

use uuid::Uuid;

use crate::{
    access::{self, Holder},
    clock::Timestamp,
    db::{
        Db, DbError, Tx,
        page::{Listed, Page, Part},
    },
    in_tx,
    mail::{Letter, Mail},
    on,
};

type Result<T> = std::result::Result<T, DbError>;

#[derive(Clone, sqlx::FromRow)]
pub(super) struct WebhookRow {
    pub id: Uuid,
    pub project_id: Uuid,
    pub topic: String,
    pub method: String,
    pub url: String,
    pub active: bool,
    pub inactive_reason: Option<String>,
    pub secret: Vec<u8>,
    pub old_secret: Option<Vec<u8>>,
    pub old_secret_until: Option<Timestamp>,
    pub failing_since: Option<Timestamp>,
    pub created_by: Uuid,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

const COLUMNS: &str = "SELECT w.id, w.project_id, w.topic, w.method, w.url, w.active, \
     w.inactive_reason, w.secret, w.old_secret, w.old_secret_until, w.failing_since, \
     w.created_by, w.created_at, w.updated_at FROM webhooks w";

/// Adds a webhook unless the project has `most` already. The no-op update locks the project, so
/// that two callers cannot both take the last place.
pub(super) async fn add(db: &Db, row: &WebhookRow, most: i64) -> Result<bool> {
    let mut tx = db.begin().await?;
    lock_project(&mut tx, row.project_id).await?;
    let there: i64 = in_tx!(&mut tx, conn => sqlx::query_scalar(
        "SELECT COUNT(*) FROM webhooks WHERE project_id = $1")
        .bind(row.project_id)
        .fetch_one(conn)
        .await)?;
    if there >= most {
        return Ok(false);
    }
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO webhooks (id, project_id, topic, method, url, active, secret, created_by, \
         created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)")
        .bind(row.id)
        .bind(row.project_id)
        .bind(&row.topic)
        .bind(&row.method)
        .bind(&row.url)
        .bind(row.active)
        .bind(&row.secret)
        .bind(row.created_by)
        .bind(row.created_at)
        .bind(row.updated_at)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await?;
    Ok(true)
}

async fn lock_project(tx: &mut Tx, project: Uuid) -> Result<()> {
    in_tx!(tx, conn => sqlx::query("UPDATE documents SET version = version WHERE id = $1")
        .bind(project)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

pub(super) async fn lookup(db: &Db, id: Uuid) -> Result<Option<WebhookRow>> {
    let sql = format!("{COLUMNS} WHERE w.id = $1");
    Ok(on!(db, pool => sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(id)
        .fetch_optional(pool)
        .await)?)
}

/// Webhooks of projects in which the user has a role, newest first.
pub(super) async fn list(
    db: &Db,
    holder: Holder,
    project: Option<Uuid>,
    page: Page,
) -> Result<Listed<WebhookRow>> {
    let mine = format!(
        "WHERE EXISTS (SELECT 1 FROM documents d WHERE d.id = w.project_id \
         AND d.deleted_at IS NULL AND {}) AND ($3 IS NULL OR w.project_id = $3)",
        access::visible("$1", "$2")
    );
    let sql = format!("SELECT COUNT(*) FROM webhooks w {mine}");
    let total: i64 = on!(db, pool => sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .bind(holder.user)
        .bind(holder.limited_by)
        .bind(project)
        .fetch_one(pool)
        .await)?;
    let sql = format!("{COLUMNS} {mine} ORDER BY w.id DESC LIMIT $4 OFFSET $5");
    let items = on!(db, pool => sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(holder.user)
        .bind(holder.limited_by)
        .bind(project)
        .bind(page.limit())
        .bind(page.offset())
        .fetch_all(pool)
        .await)?;
    Ok(Listed {
        items,
        total: total.unsigned_abs(),
        page,
    })
}

/// Replaces what a caller may change. What waits for a webhook that is turned off is given up.
pub(super) async fn update(db: &Db, row: &WebhookRow) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE webhooks SET topic = $2, method = $3, url = $4, active = $5, inactive_reason = $6, \
         failing_since = $7, updated_at = $8 WHERE id = $1")
        .bind(row.id)
        .bind(&row.topic)
        .bind(&row.method)
        .bind(&row.url)
        .bind(row.active)
        .bind(&row.inactive_reason)
        .bind(row.failing_since)
        .bind(row.updated_at)
        .execute(conn)
        .await
        .map(drop))?;
    if !row.active {
        give_up_waiting(&mut tx, row.id, row.updated_at).await?;
    }
    tx.commit().await
}

pub(super) async fn rotate(
    db: &Db,
    id: Uuid,
    secret: &[u8],
    old_until: Timestamp,
    now: Timestamp,
) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE webhooks SET old_secret = secret, old_secret_until = $3, secret = $2, \
         updated_at = $4 WHERE id = $1")
        .bind(id)
        .bind(secret)
        .bind(old_until)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

pub(super) async fn remove(db: &Db, id: Uuid) -> Result<()> {
    let mut tx = db.begin().await?;
    for sql in [
        "DELETE FROM webhooks WHERE id = $1",
        "DELETE FROM webhook_deliveries WHERE webhook_id = $1",
        "DELETE FROM webhook_attempts WHERE webhook_id = $1",
    ] {
        in_tx!(&mut tx, conn => sqlx::query(sql).bind(id).execute(conn).await.map(drop))?;
    }
    tx.commit().await
}

/// What waits and is not being sent is given up; it can be sent by hand later.
async fn give_up_waiting(tx: &mut Tx, webhook: Uuid, now: Timestamp) -> Result<()> {
    in_tx!(tx, conn => sqlx::query(
        "UPDATE webhook_deliveries SET status = 'failed', finished_at = $2 \
         WHERE webhook_id = $1 AND status = 'waiting' AND claimed_by IS NULL")
        .bind(webhook)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

#[derive(Clone, sqlx::FromRow)]
pub(super) struct DeliveryRow {
    pub webhook_id: Uuid,
    pub id: Uuid,
    pub kind: String,
    pub subject: Uuid,
    pub status: String,
    pub attempts: i64,
    pub by_hand: bool,
    /// Whether it is being sent.
    pub claimed: bool,
    pub next_at: Timestamp,
    pub created_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

const DELIVERY: &str = "SELECT webhook_id, id, kind, subject, status, attempts, by_hand, \
     claimed_by IS NOT NULL AS claimed, next_at, created_at, finished_at FROM webhook_deliveries";

/// Adds a delivery of one try.
pub(super) async fn add_test(db: &Db, webhook: Uuid, id: Uuid, now: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, attempts, by_hand, \
         next_at, created_at) VALUES ($1, $2, 'webhook.test', $2, 'waiting', 0, TRUE, $3, $3)")
        .bind(webhook)
        .bind(id)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

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

pub(super) async fn deliveries(
    db: &Db,
    webhook: Uuid,
    status: Option<&str>,
    page: Page,
) -> Result<Listed<DeliveryRow>> {
    const OF: &str = "WHERE webhook_id = $1 AND ($2 IS NULL OR status = $2)";
    let sql = format!("SELECT COUNT(*) FROM webhook_deliveries {OF}");
    let total: i64 = on!(db, pool => sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .bind(webhook)
        .bind(status)
        .fetch_one(pool)
        .await)?;
    let sql = format!("{DELIVERY} {OF} ORDER BY id DESC LIMIT $3 OFFSET $4");
    let items = on!(db, pool => sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(webhook)
        .bind(status)
        .bind(page.limit())
        .bind(page.offset())
        .fetch_all(pool)
        .await)?;
    Ok(Listed {
        items,
        total: total.unsigned_abs(),
        page,
    })
}

/// The deliveries behind one, newest first. Ids are in the order of time, so one that was forgotten
/// meanwhile still has its place.
pub(super) async fn deliveries_after(
    db: &Db,
    webhook: Uuid,
    status: Option<&str>,
    after: Uuid,
    size: u32,
) -> Result<Part<DeliveryRow>> {
    let sql = format!(
        "{DELIVERY} WHERE webhook_id = $1 AND ($2 IS NULL OR status = $2) AND id < $3 \
         ORDER BY id DESC LIMIT $4"
    );
    let rows = on!(db, pool => sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(webhook)
        .bind(status)
        .bind(after)
        .bind(Part::<DeliveryRow>::limit(size))
        .fetch_all(pool)
        .await)?;
    Ok(Part::new(rows, size))
}

pub(super) async fn delivery(db: &Db, webhook: Uuid, id: Uuid) -> Result<Option<DeliveryRow>> {
    let sql = format!("{DELIVERY} WHERE webhook_id = $1 AND id = $2");
    Ok(on!(db, pool => sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(webhook)
        .bind(id)
        .fetch_optional(pool)
        .await)?)
}

/// Whether any delivery of a webhook tells of a consent.
pub(super) async fn tells_consents(db: &Db, webhook: Uuid) -> Result<bool> {
    let found: Option<Uuid> = on!(db, pool => sqlx::query_scalar(
        "SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND kind = 'consent.created' LIMIT 1")
        .bind(webhook)
        .fetch_optional(pool)
        .await)?;
    Ok(found.is_some())
}

pub(super) async fn last_delivery(db: &Db, webhook: Uuid) -> Result<Option<DeliveryRow>> {
    let sql = format!("{DELIVERY} WHERE webhook_id = $1 ORDER BY id DESC LIMIT 1");
    Ok(on!(db, pool => sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(webhook)
        .fetch_optional(pool)
        .await)?)
}

/// A try of a delivery.
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

pub(super) async fn attempts(db: &Db, webhook: Uuid, delivery: Uuid) -> Result<Vec<AttemptRow>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT number, at, method, url, status, error, answer, latency_ms FROM webhook_attempts \
         WHERE webhook_id = $1 AND delivery_id = $2 ORDER BY number")
        .bind(webhook)
        .bind(delivery)
        .fetch_all(pool)
        .await)?)
}

/// Makes a delivery due now. One that had ended gets a single try; one that is being sent stays as
/// it is.
pub(super) async fn retry(db: &Db, webhook: Uuid, id: Uuid, now: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE webhook_deliveries SET by_hand = (by_hand OR status <> 'waiting'), \
         status = 'waiting', next_at = $3, finished_at = NULL \
         WHERE webhook_id = $1 AND id = $2 AND claimed_by IS NULL")
        .bind(webhook)
        .bind(id)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
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
    for address in owners(tx, outcome.project_id).await? {
        mail.post(tx, &letter(&address, outcome, reason)).await?;
    }
    Ok(())
}

/// Proved addresses of a project's owners, those through its organization among them.
async fn owners(tx: &mut Tx, project: Uuid) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT u.email FROM users u WHERE u.email_verified_at IS NOT NULL AND {} ORDER BY u.email",
        access::owns("$1")
    );
    Ok(
        in_tx!(tx, conn => sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
        .bind(project)
        .fetch_all(conn)
        .await)?,
    )
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

/// The webhook behind an id that a table names, and whether it is gone: few steps through an index,
/// however many rows there are.
async fn next_named(db: &Db, table: &str, after: Uuid) -> Result<Option<(Uuid, bool)>> {
    let sql = format!(
        "SELECT t.webhook_id, NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = t.webhook_id) \
         FROM {table} t WHERE t.webhook_id > $1 ORDER BY t.webhook_id LIMIT 1"
    );
    Ok(on!(db, pool => sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(after)
        .fetch_optional(pool)
        .await)?)
}

/// Forgets what ended: delivered before `delivered`, given up before `failed` (ids carry the time),
/// and everything of projects that are gone.
pub(super) async fn forget(db: &Db, delivered: Uuid, failed: Uuid) -> Result<()> {
    let gone: Vec<Uuid> = on!(db, pool => sqlx::query_scalar(
        "SELECT w.id FROM webhooks w WHERE NOT EXISTS (SELECT 1 FROM documents d \
         WHERE d.id = w.project_id)")
        .fetch_all(pool)
        .await)?;
    for webhook in gone {
        remove(db, webhook).await?;
    }
    // A consent that was written, or a call that ended, while its webhook was deleted may have left a
    // row.
    for table in ["webhook_deliveries", "webhook_attempts"] {
        let mut after = Uuid::nil();
        while let Some((webhook, is_gone)) = next_named(db, table, after).await? {
            after = webhook;
            if is_gone {
                remove(db, webhook).await?;
            }
        }
    }
    let webhooks: Vec<Uuid> = on!(db, pool => sqlx::query_scalar("SELECT id FROM webhooks")
        .fetch_all(pool)
        .await)?;
    for webhook in webhooks {
        let mut tx = db.begin().await?;
        in_tx!(&mut tx, conn => sqlx::query(
            "DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND id < $2 \
             AND (status = 'delivered' OR (status = 'failed' AND id < $3))")
            .bind(webhook)
            .bind(delivered)
            .bind(failed)
            .execute(conn)
            .await
            .map(drop))?;
        in_tx!(&mut tx, conn => sqlx::query(
            "DELETE FROM webhook_attempts WHERE webhook_id = $1 AND delivery_id < $2 \
             AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d \
             WHERE d.webhook_id = webhook_attempts.webhook_id AND d.id = webhook_attempts.delivery_id)")
            .bind(webhook)
            .bind(delivered)
            .execute(conn)
            .await
            .map(drop))?;
        tx.commit().await?;
    }
    Ok(())
}
