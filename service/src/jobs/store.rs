//! SQL of the queue. Claiming differs between the engines here and nowhere else.

use uuid::Uuid;

use super::{Claimed, Queued};
use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
    in_tx, on,
};

type Result<T> = std::result::Result<T, DbError>;

/// Adds a job, unless its id is taken.
pub(super) async fn add(tx: &mut Tx, queued: &Queued, now: Timestamp) -> Result<bool> {
    let Queued { job, lane } = queued;
    let added = in_tx!(tx, conn => sqlx::query(
        "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, created_at) \
         VALUES ($1, $2, $3, $4, 'queued', $5, 0, $5) ON CONFLICT (id) DO NOTHING")
        .bind(job.id)
        .bind(&job.kind)
        .bind(lane)
        .bind(&job.payload)
        .bind(now)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(added > 0)
}

/// Claims a job that was added in the same transaction.
pub(super) async fn hold(tx: &mut Tx, id: Uuid, owner: Uuid, until: Timestamp) -> Result<()> {
    in_tx!(tx, conn => sqlx::query(
        "UPDATE jobs SET status = 'running', attempts = 1, lease_owner = $2, lease_until = $3 \
         WHERE id = $1")
        .bind(id)
        .bind(owner)
        .bind(until)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// The next job that is due, not of one kind, and whose lane has none before it. One that has begun
/// comes first: an id that was made earlier, by another process or in a slower transaction, may be
/// seen later.
macro_rules! claim_sql {
    ($lock:literal) => {
        concat!(
            "UPDATE jobs SET status = 'running', attempts = attempts + 1, lease_owner = $1, \
             lease_until = $3 WHERE id = (SELECT j.id FROM jobs j \
             WHERE ((j.status = 'queued' AND j.run_at <= $2) \
             OR (j.status = 'running' AND j.lease_until < $2)) AND j.kind <> $4 \
             AND NOT EXISTS (SELECT 1 FROM jobs e WHERE e.lane = j.lane \
             AND e.status IN ('queued', 'running') \
             AND (e.attempts = 0, e.id) < (j.attempts = 0, j.id)) \
             ORDER BY j.run_at, j.id LIMIT 1",
            $lock,
            ") RETURNING id, kind, payload, attempts"
        )
    };
}

pub(super) async fn claim(
    db: &Db,
    owner: Uuid,
    now: Timestamp,
    until: Timestamp,
    except: &str,
) -> Result<Option<Claimed>> {
    // On SQLite the single writer is the lock. On PostgreSQL other processes skip rows that one has
    // locked.
    Ok(match db {
        Db::Sqlite { writer, .. } => {
            sqlx::query_as(claim_sql!(""))
                .bind(owner)
                .bind(now)
                .bind(until)
                .bind(except)
                .fetch_optional(writer)
                .await?
        }
        Db::Postgres(pool) => {
            sqlx::query_as(claim_sql!(" FOR UPDATE SKIP LOCKED"))
                .bind(owner)
                .bind(now)
                .bind(until)
                .bind(except)
                .fetch_optional(pool)
                .await?
        }
    })
}

/// On SQLite there is one process: whatever runs at its start belongs to a process that died.
pub(super) async fn reclaim_at_start(db: &Db) -> Result<()> {
    if let Db::Sqlite { writer, .. } = db {
        sqlx::query("UPDATE jobs SET lease_until = 0 WHERE status = 'running'")
            .execute(writer)
            .await?;
    }
    Ok(())
}

pub(super) async fn renew(db: &Db, id: Uuid, owner: Uuid, until: Timestamp) -> Result<bool> {
    let mut tx = db.begin().await?;
    let changed = in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE jobs SET lease_until = $3 WHERE id = $1 AND lease_owner = $2 AND status = 'running'")
        .bind(id)
        .bind(owner)
        .bind(until)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    tx.commit().await?;
    Ok(changed == 1)
}

pub(super) async fn retry(
    db: &Db,
    id: Uuid,
    owner: Uuid,
    at: Timestamp,
    cause: &str,
) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE jobs SET status = 'queued', run_at = $3, last_error = $4, lease_owner = NULL, \
         lease_until = NULL WHERE id = $1 AND lease_owner = $2")
        .bind(id)
        .bind(owner)
        .bind(at)
        .bind(cause)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

pub(super) async fn finish(
    db: &Db,
    id: Uuid,
    owner: Uuid,
    status: &str,
    cause: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE jobs SET status = $3, last_error = $4, finished_at = $5, lease_owner = NULL, \
         lease_until = NULL WHERE id = $1 AND lease_owner = $2")
        .bind(id)
        .bind(owner)
        .bind(status)
        .bind(cause)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

pub(super) async fn forget_finished(db: &Db, before: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "DELETE FROM jobs WHERE status = 'done' AND finished_at < $1")
        .bind(before)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

pub(super) async fn failed(db: &Db) -> Result<i64> {
    Ok(on!(db, pool => sqlx::query_scalar(
        "SELECT COUNT(*) FROM jobs WHERE status = 'failed'")
        .fetch_one(pool)
        .await)?)
}

pub(super) async fn overdue(db: &Db, before: Timestamp) -> Result<i64> {
    Ok(on!(db, pool => sqlx::query_scalar(
        "SELECT COUNT(*) FROM jobs WHERE status = 'queued' AND run_at < $1")
        .bind(before)
        .fetch_one(pool)
        .await)?)
}

pub(super) async fn unfinished(db: &Db) -> Result<i64> {
    Ok(on!(db, pool => sqlx::query_scalar(
        "SELECT COUNT(*) FROM jobs WHERE status IN ('queued', 'running')")
        .fetch_one(pool)
        .await)?)
}
