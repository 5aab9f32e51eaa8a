//! SQL of deliveries as members see and retry them, and of their removal.

use domain::webhook::{EventKind, Topic};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, Locked, Query, Target, Tx,
        page::{Asked, Listed, Slice},
    },
    webhooks::{
        delivery::{AttemptRow, COLUMNS, DeliveryRow, MOST_ATTEMPTS},
        store::remove,
    },
};

type Result<T> = std::result::Result<T, DbError>;

/// Adds a test delivery, which gets one attempt. False if another one of the webhook waits.
pub(super) async fn add_test(db: &Db, webhook: Uuid, id: Uuid, now: Timestamp) -> Result<bool> {
    let mut tx = db.begin().await?;
    tx.lock(Locked::Webhook(webhook)).await?;
    let is_added = !another_test_waits(&mut tx, webhook, id).await?;
    if is_added {
        tx.query(
            "INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, attempts, by_hand, \
             next_at, created_at) VALUES ($1, $2, $4, $2, 'waiting', 0, TRUE, $3, $3)",
        )
        .bind(webhook)
        .bind(id)
        .bind(now)
        .bind(EventKind::Test.as_str())
        .exec()
        .await?;
    }
    tx.commit().await?;
    Ok(is_added)
}

async fn another_test_waits(tx: &mut Tx, webhook: Uuid, id: Uuid) -> Result<bool> {
    // The type stands in the text, as in the condition of its index.
    let sql = format!(
        "SELECT EXISTS (SELECT 1 FROM webhook_deliveries WHERE webhook_id = $1 AND id <> $2 \
         AND status = 'waiting' AND kind = '{}')",
        EventKind::Test.as_str()
    );
    tx.query(AssertSqlSafe(sql))
        .bind(webhook)
        .bind(id)
        .one_value()
        .await
}

/// Deliveries in a state or in any. A text is the id of the only one that is wanted.
fn scope<'a>(db: &'a Db, webhook: Uuid, status: Option<&str>, text: &str) -> Query<'a> {
    let mut scope = db
        .query("FROM webhook_deliveries WHERE webhook_id = $1 AND ($2 IS NULL OR status = $2)")
        .bind(webhook)
        .bind(status);
    let text = text.trim();
    if !text.is_empty() {
        // No delivery has the nil id.
        let id = Uuid::parse_str(text).unwrap_or_default();
        scope.push(" AND id = ").value(id);
    }
    scope
}

pub(super) async fn deliveries(
    db: &Db,
    webhook: Uuid,
    status: Option<&str>,
    asked: &Asked,
) -> Result<Listed<DeliveryRow>> {
    scope(db, webhook, status, &asked.text)
        .page_by_id(COLUMNS, asked)
        .await
}

/// Deliveries behind one of them.
pub(super) async fn deliveries_after(
    db: &Db,
    webhook: Uuid,
    status: Option<&str>,
    after: Uuid,
    asked: &Asked,
) -> Result<Slice<DeliveryRow>> {
    scope(db, webhook, status, &asked.text)
        .beyond(COLUMNS, after, asked)
        .await
}

pub(super) async fn delivery(db: &Db, webhook: Uuid, id: Uuid) -> Result<Option<DeliveryRow>> {
    let sql = format!("SELECT {COLUMNS} FROM webhook_deliveries WHERE webhook_id = $1 AND id = $2");
    db.query(AssertSqlSafe(sql))
        .bind(webhook)
        .bind(id)
        .optional()
        .await
}

/// True if any delivery of a webhook contains a consent.
pub(in crate::webhooks) async fn tells_consents(mut at: Target<'_>, webhook: Uuid) -> Result<bool> {
    let mut statement =
        at.query("SELECT id FROM webhook_deliveries WHERE webhook_id = $1 AND kind IN (");
    statement = statement.bind(webhook);
    statement
        .values(EventKind::of(Topic::Consent).map(EventKind::as_str))
        .push(") LIMIT 1");
    let found: Option<Uuid> = statement.optional_value().await?;
    Ok(found.is_some())
}

pub(in crate::webhooks) async fn last_delivery(
    db: &Db,
    webhook: Uuid,
) -> Result<Option<DeliveryRow>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id DESC LIMIT 1"
    );
    db.query(AssertSqlSafe(sql)).bind(webhook).optional().await
}

pub(super) async fn attempts(db: &Db, webhook: Uuid, delivery: Uuid) -> Result<Vec<AttemptRow>> {
    db.query(
        "SELECT number, at, method, url, status, error, answer, latency_ms FROM webhook_attempts \
         WHERE webhook_id = $1 AND delivery_id = $2 \
         AND number > (SELECT MAX(number) - $3 FROM webhook_attempts \
         WHERE webhook_id = $1 AND delivery_id = $2) ORDER BY number",
    )
    .bind(webhook)
    .bind(delivery)
    .bind(MOST_ATTEMPTS)
    .all()
    .await
}

/// Makes a delivery due now. A delivery that had ended gets a single attempt. A delivery that is being sent
/// is not changed. False if it is a test and another one of the webhook waits.
pub(super) async fn retry(
    db: &Db,
    webhook: Uuid,
    delivery: &DeliveryRow,
    now: Timestamp,
) -> Result<bool> {
    let mut tx = db.begin().await?;
    if delivery.is_test() {
        tx.lock(Locked::Webhook(webhook)).await?;
        if another_test_waits(&mut tx, webhook, delivery.id).await? {
            return Ok(false);
        }
    }
    tx.query(
        "UPDATE webhook_deliveries SET by_hand = (by_hand OR status <> 'waiting'), \
         status = 'waiting', next_at = $3, finished_at = NULL \
         WHERE webhook_id = $1 AND id = $2 AND claimed_by IS NULL",
    )
    .bind(webhook)
    .bind(delivery.id)
    .bind(now)
    .exec()
    .await?;
    tx.commit().await?;
    Ok(true)
}

/// The next webhook id after `after` that the table contains, and `true` if that webhook no longer exists. An
/// index makes the number of steps independent of the number of rows.
async fn next_named(db: &Db, table: &str, after: Uuid) -> Result<Option<(Uuid, bool)>> {
    let sql = format!(
        "SELECT t.webhook_id, NOT EXISTS (SELECT 1 FROM webhooks w WHERE w.id = t.webhook_id) \
         FROM {table} t WHERE t.webhook_id > $1 ORDER BY t.webhook_id LIMIT 1"
    );
    db.query(AssertSqlSafe(sql)).bind(after).optional().await
}

async fn remove_alone(db: &Db, webhook: Uuid) -> Result<()> {
    let mut tx = db.begin().await?;
    remove(&mut tx, webhook).await?;
    tx.commit().await
}

/// Deletes ended deliveries: successful ones before `delivered`, failed ones before `failed` (ids carry the
/// time), and all of deleted projects. Gives up those that a process held when their webhook was turned off and that
/// it never ended.
pub(super) async fn forget(db: &Db, delivered: Uuid, failed: Uuid, now: Timestamp) -> Result<()> {
    let gone: Vec<Uuid> = db
        .query(
            "SELECT w.id FROM webhooks w WHERE NOT EXISTS (SELECT 1 FROM documents d \
         WHERE d.id = w.project_id)",
        )
        .all_values()
        .await?;
    for webhook in gone {
        remove_alone(db, webhook).await?;
    }
    // A consent or a call may have added a row while its webhook was deleted.
    for table in ["webhook_deliveries", "webhook_attempts"] {
        let mut after = Uuid::nil();
        while let Some((webhook, is_gone)) = next_named(db, table, after).await? {
            after = webhook;
            if is_gone {
                remove_alone(db, webhook).await?;
            }
        }
    }
    let webhooks: Vec<Uuid> = db.query("SELECT id FROM webhooks").all_values().await?;
    for webhook in webhooks {
        let mut tx = db.begin().await?;
        tx.query(
            "UPDATE webhook_deliveries SET status = 'failed', finished_at = $2, claimed_by = NULL \
             WHERE webhook_id = $1 AND status = 'waiting' AND next_at <= $2 \
             AND EXISTS (SELECT 1 FROM webhooks w WHERE w.id = $1 AND NOT w.active)",
        )
        .bind(webhook)
        .bind(now)
        .exec()
        .await?;
        tx.query(
            "DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND id < $2 \
             AND (status = 'delivered' OR (status = 'failed' AND id < $3))",
        )
        .bind(webhook)
        .bind(delivered)
        .bind(failed)
        .exec()
        .await?;
        tx.query(
            "DELETE FROM webhook_attempts WHERE webhook_id = $1 AND delivery_id < $2 \
         AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d \
         WHERE d.webhook_id = webhook_attempts.webhook_id \
         AND d.id = webhook_attempts.delivery_id)",
        )
        .bind(webhook)
        .bind(delivered)
        .exec()
        .await?;
        tx.commit().await?;
    }
    Ok(())
}
