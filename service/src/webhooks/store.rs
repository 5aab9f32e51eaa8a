//! SQL of webhooks. `worker` has the SQL of the outbox, `history` the SQL of lists and retries.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    access::{self, Holder},
    clock::Timestamp,
    db::{
        Db, DbError, Locked, Tx,
        page::{Asked, Listed},
    },
    search::lower_words,
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

pub(super) const COLUMNS: &str = "w.id, w.project_id, w.topic, w.method, w.url, w.active, \
     w.inactive_reason, w.secret, w.old_secret, w.old_secret_until, w.failing_since, \
     w.created_by, w.created_at, w.updated_at";

/// Most webhooks.
#[derive(Clone, Copy)]
pub(super) struct Most {
    pub of_project: u64,
    pub of_account: u64,
}

/// The result of adding a webhook.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    Yes,
    /// The project has as many as it may.
    ProjectFull,
    /// The account that registers it has as many as it may.
    AccountFull,
}

/// Adds a webhook if there may be one more. Updates without effect lock account and project, so that two callers cannot
/// both take the last place.
pub(super) async fn add(tx: &mut Tx, row: &WebhookRow, most: Most) -> Result<Added> {
    tx.lock(Locked::Account(row.created_by)).await?;
    tx.lock(Locked::Document(row.project_id)).await?;
    let of_account = tx
        .query("SELECT COUNT(*) FROM webhooks WHERE created_by = $1")
        .bind(row.created_by)
        .count()
        .await?;
    if of_account >= most.of_account {
        return Ok(Added::AccountFull);
    }
    let of_project = tx
        .query("SELECT COUNT(*) FROM webhooks WHERE project_id = $1")
        .bind(row.project_id)
        .count()
        .await?;
    if of_project >= most.of_project {
        return Ok(Added::ProjectFull);
    }
    tx.query(
        "INSERT INTO webhooks (id, project_id, topic, method, url, active, secret, created_by, \
         created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
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
    .exec()
    .await?;
    Ok(Added::Yes)
}

pub(super) async fn lookup(db: &Db, id: Uuid) -> Result<Option<WebhookRow>> {
    let sql = format!("SELECT {COLUMNS} FROM webhooks w WHERE w.id = $1");
    db.query(AssertSqlSafe(sql)).bind(id).optional().await
}

/// Webhooks of projects in which the user has a role, whose address has the words of a search.
pub(super) async fn list(
    db: &Db,
    holder: Holder,
    project: Option<Uuid>,
    asked: &Asked,
) -> Result<Listed<WebhookRow>> {
    // Starts at the projects of the user, not at the webhooks of all.
    let mine = format!(
        "FROM webhooks w WHERE w.project_id IN (SELECT d.id FROM documents d \
         WHERE +d.deleted_at IS NULL AND {}) AND ($3 IS NULL OR w.project_id = $3)",
        access::visible("$1", "$2")
    );
    let mut scope = db
        .query(AssertSqlSafe(mine))
        .bind(holder.user)
        .bind(holder.limited_by)
        .bind(project);
    scope.holds(&db.ascii_lower("w.url"), lower_words(&asked.text));
    let order = asked.order("w.id DESC", "w.id");
    scope.page(COLUMNS, order, asked.page).await
}

/// Stores the changes of a caller, who read the row as it was before. If the webhook is turned off, its waiting
/// deliveries are given up. False if somebody else changed it meanwhile, or it is gone.
pub(super) async fn update(tx: &mut Tx, before: &WebhookRow, row: &WebhookRow) -> Result<bool> {
    let changed = tx.query(
        "UPDATE webhooks SET topic = $2, method = $3, url = $4, active = $5, inactive_reason = $6, \
         failing_since = $7, updated_at = $8 WHERE id = $1 AND updated_at = $9 AND active = $10",
    )
    .bind(row.id)
    .bind(&row.topic)
    .bind(&row.method)
    .bind(&row.url)
    .bind(row.active)
    .bind(&row.inactive_reason)
    .bind(row.failing_since)
    .bind(row.updated_at)
    .bind(before.updated_at)
    .bind(before.active)
    .exec()
    .await?;
    if changed == 0 {
        return Ok(false);
    }
    if !row.active {
        give_up_waiting(tx, row.id, row.updated_at).await?;
    }
    Ok(true)
}

pub(super) async fn rotate(
    tx: &mut Tx,
    id: Uuid,
    secret: &[u8],
    old_until: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    let rotated = tx
        .query(
            "UPDATE webhooks SET old_secret = secret, old_secret_until = $3, secret = $2, \
         updated_at = $4 WHERE id = $1",
        )
        .bind(id)
        .bind(secret)
        .bind(old_until)
        .bind(now)
        .exec()
        .await?;
    Ok(rotated > 0)
}

/// Removes a webhook and its deliveries. False if it is gone already.
pub(super) async fn remove(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let removed = tx
        .query("DELETE FROM webhooks WHERE id = $1")
        .bind(id)
        .exec()
        .await?;
    for sql in [
        "DELETE FROM webhook_deliveries WHERE webhook_id = $1",
        "DELETE FROM webhook_attempts WHERE webhook_id = $1",
    ] {
        tx.query(sql).bind(id).exec().await?;
    }
    Ok(removed > 0)
}

/// Gives up deliveries that wait and are not being sent. Members can retry them by hand.
pub(super) async fn give_up_waiting(tx: &mut Tx, webhook: Uuid, now: Timestamp) -> Result<()> {
    tx.query(
        "UPDATE webhook_deliveries SET status = 'failed', finished_at = $2 \
         WHERE webhook_id = $1 AND status = 'waiting' AND claimed_by IS NULL",
    )
    .bind(webhook)
    .bind(now)
    .exec()
    .await?;
    Ok(())
}
