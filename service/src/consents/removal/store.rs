//! SQL that erases and removes consents.

use serde_json::Value;
use sqlx::{AssertSqlSafe, types::Json};
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
    in_tx, on,
};

type Result<T> = std::result::Result<T, DbError>;

/// Consents of one transaction.
pub(super) const BATCH: i64 = 200;
/// Projects that are read at once.
pub(super) const PROJECTS: i64 = 100;

/// Makes tombstones of some consents of a token that were received up to a moment; 0 when there
/// are none left.
pub(super) async fn erase_some(db: &Db, project: Uuid, token: &str, now: Timestamp) -> Result<u64> {
    let mut tx = db.begin().await?;
    let erased: Vec<Uuid> = in_tx!(&mut tx, conn => sqlx::query_scalar(
        "UPDATE consents SET token = '', preferences = '{}', value = NULL, page_host = NULL, \
         ip = NULL, country = NULL, user_agent = NULL, body_hash = $5, erased_at = $3 \
         WHERE project_id = $1 AND consent_id IN (SELECT consent_id FROM consents \
         WHERE project_id = $1 AND token = $2 AND received_at <= $3 LIMIT $4) RETURNING seq")
        .bind(project)
        .bind(token)
        .bind(now)
        .bind(BATCH)
        .bind([0_u8; 32].as_slice())
        .fetch_all(conn)
        .await)?;
    forget_answers(&mut tx, project, &erased).await?;
    tx.commit().await?;
    Ok(erased.len() as u64)
}

/// `$2, $3, …`
fn places(count: usize) -> String {
    let places: Vec<String> = (2..2 + count).map(|n| format!("${n}")).collect();
    places.join(", ")
}

/// Removes the answers of endpoints to these consents, which may repeat personal data. A delivery
/// has the id of its consent.
async fn forget_answers(tx: &mut Tx, project: Uuid, consents: &[Uuid]) -> Result<()> {
    if consents.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "UPDATE webhook_attempts SET answer = NULL WHERE answer IS NOT NULL \
         AND webhook_id IN (SELECT id FROM webhooks WHERE project_id = $1) \
         AND delivery_id IN ({})",
        places(consents.len())
    );
    in_tx!(&mut *tx, conn => {
        let mut statement = sqlx::query(AssertSqlSafe(sql)).bind(project);
        for id in consents {
            statement = statement.bind(*id);
        }
        statement.execute(conn).await.map(drop)
    })?;
    Ok(())
}

/// The fields of a document that set its retention.
#[derive(sqlx::FromRow)]
pub(super) struct RuleRow {
    pub id: Uuid,
    pub data: Json<Value>,
}

/// Projects behind an id, those that are deleted and can be restored too.
pub(super) async fn projects(db: &Db, after: Uuid) -> Result<Vec<RuleRow>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT id, data FROM documents WHERE collection = 'projects' AND id > $1 \
         ORDER BY id LIMIT $2")
        .bind(after)
        .bind(PROJECTS)
        .fetch_all(pool)
        .await)?)
}

/// Consent boxes of a project.
pub(super) async fn boxes(db: &Db, project: Uuid) -> Result<Vec<RuleRow>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT id, data FROM documents WHERE project_id = $1 AND collection = 'processings'")
        .bind(project)
        .fetch_all(pool)
        .await)?)
}

/// A consent as far as its time may be over.
#[derive(sqlx::FromRow)]
pub(super) struct AgedRow {
    pub seq: Uuid,
    pub consent_id: Uuid,
    pub identifier: Uuid,
    pub decided_at: Timestamp,
}

/// The next consents that were decided before a moment, oldest first.
pub(super) async fn aged(
    db: &Db,
    project: Uuid,
    before: Timestamp,
    (decided_at, seq): (Timestamp, Uuid),
) -> Result<Vec<AgedRow>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT seq, consent_id, identifier, decided_at FROM consents \
         WHERE project_id = $1 AND decided_at < $2 AND (decided_at, seq) > ($3, $4) \
         ORDER BY decided_at, seq LIMIT $5")
        .bind(project)
        .bind(before)
        .bind(decided_at)
        .bind(seq)
        .bind(BATCH)
        .fetch_all(pool)
        .await)?)
}

/// Removes consents, in one transaction. Days go on counting them, lists do not.
pub(super) async fn remove(db: &Db, project: Uuid, aged: &[&AgedRow]) -> Result<u64> {
    let mut tx = db.begin().await?;
    let sql = format!(
        "DELETE FROM consents WHERE project_id = $1 AND consent_id IN ({})",
        places(aged.len())
    );
    let removed = in_tx!(&mut tx, conn => {
        let mut statement = sqlx::query(AssertSqlSafe(sql)).bind(project);
        for row in aged {
            statement = statement.bind(row.consent_id);
        }
        statement.execute(conn).await.map(|done| done.rows_affected())
    })?;
    let seqs: Vec<Uuid> = aged.iter().map(|row| row.seq).collect();
    forget_answers(&mut tx, project, &seqs).await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO consents_removed AS r (project_id, consents) VALUES ($1, $2) \
         ON CONFLICT (project_id) DO UPDATE SET consents = r.consents + excluded.consents")
        .bind(project)
        .bind(i64::try_from(removed).unwrap_or(i64::MAX))
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await?;
    Ok(removed)
}

/// The project behind an id for which consents were counted, and whether it is gone.
pub(super) async fn next_counted(db: &Db, after: Uuid) -> Result<Option<(Uuid, bool)>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT d.project_id, NOT EXISTS (SELECT 1 FROM documents p WHERE p.id = d.project_id) \
         FROM consent_days d WHERE d.project_id > $1 ORDER BY d.project_id LIMIT 1")
        .bind(after)
        .fetch_optional(pool)
        .await)?)
}

/// Removes some consents of a project, in one transaction; 0 when there are none left.
pub(super) async fn remove_some(db: &Db, project: Uuid) -> Result<u64> {
    let mut tx = db.begin().await?;
    let removed = in_tx!(&mut tx, conn => sqlx::query(
        "DELETE FROM consents WHERE project_id = $1 AND consent_id IN \
         (SELECT consent_id FROM consents WHERE project_id = $1 LIMIT $2)")
        .bind(project)
        .bind(BATCH)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    tx.commit().await?;
    Ok(removed)
}

/// Forgets how many consents a project had.
pub(super) async fn forget_counts(db: &Db, project: Uuid) -> Result<()> {
    let mut tx = db.begin().await?;
    for sql in [
        "DELETE FROM consent_days WHERE project_id = $1",
        "DELETE FROM consents_removed WHERE project_id = $1",
    ] {
        in_tx!(&mut tx, conn => sqlx::query(sql).bind(project).execute(conn).await.map(drop))?;
    }
    tx.commit().await
}
