//! SQL of webhooks. `deliver` has the SQL of the outbox, `deliveries` the SQL of lists and retries.

use uuid::Uuid;

use crate::{
    access::{self, Holder},
    clock::Timestamp,
    db::{
        Db, DbError, Tx,
        page::{Listed, Page},
    },
    in_tx, on,
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

pub(super) const COLUMNS: &str = "SELECT w.id, w.project_id, w.topic, w.method, w.url, w.active, \
     w.inactive_reason, w.secret, w.old_secret, w.old_secret_until, w.failing_since, \
     w.created_by, w.created_at, w.updated_at FROM webhooks w";

/// Adds a webhook unless the project has `most` already. The update without effect locks the project, so that
/// two callers cannot both take the last place.
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

/// Stores the changes of a caller. If the webhook is turned off, its waiting deliveries are given up.
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

/// Gives up deliveries that wait and are not being sent. Members can retry them by hand.
pub(super) async fn give_up_waiting(tx: &mut Tx, webhook: Uuid, now: Timestamp) -> Result<()> {
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
