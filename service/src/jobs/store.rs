//! SQL of the queue.

use uuid::Uuid;

use super::{Claimed, Queued};
use crate::{
    clock::Timestamp,
    db::{Db, DbError, Lease, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// Adds a job, unless its id is taken.
pub(super) async fn add(tx: &mut Tx, queued: &Queued, now: Timestamp) -> Result<bool> {
    let Queued {
        job,
        lane,
        account,
        aside,
    } = queued;
    let added = tx
        .query(
            "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, created_at, account, aside) \
         VALUES ($1, $2, $3, $4, 'queued', $5, 0, $5, $6, $7) ON CONFLICT (id) DO NOTHING",
        )
        .bind(job.id)
        .bind(&job.kind)
        .bind(lane)
        .bind(&job.payload)
        .bind(now)
        .bind(*account)
        .bind(*aside)
        .exec()
        .await?;
    Ok(added > 0)
}

/// Claims a job that was added in the same transaction.
pub(super) async fn hold(tx: &mut Tx, id: Uuid, lease: Lease) -> Result<()> {
    tx.query(
        "UPDATE jobs SET status = 'running', attempts = 1, lease_owner = $2, lease_until = $3 \
         WHERE id = $1",
    )
    .bind(id)
    .bind(lease.owner)
    .bind(lease.until)
    .exec()
    .await?;
    Ok(())
}

/// Jobs of one account that run at once.
const OF_AN_ACCOUNT: i64 = 2;
/// Seconds for which a job that is done counts against the account that asked for it.
const OF_LATE: i64 = 60;

/// Claims the next job that is due, of a kind that is not `full`, and whose lane has none before it. One that
/// has begun comes first: an id that was made earlier, by another process or in a slower transaction, may be
/// seen later. Among lanes that account comes first for which the fewest jobs run, then the fewest have run of
/// late. Jobs aside are counted apart. Jobs of other kinds than `kinds` are left to other processes: a command works on
/// few kinds, and a later release may know more.
pub(super) async fn claim(
    db: &Db,
    lease: Lease,
    kinds: &[&str],
    full: &[&str],
) -> Result<Option<Claimed>> {
    const RUNNING: &str = "(SELECT COUNT(*) FROM jobs o WHERE o.account = j.account \
         AND o.aside = j.aside AND o.status = 'running' AND o.lease_until >= $2)";
    let mut claim = db
        .query(
            "UPDATE jobs SET status = 'running', attempts = attempts + 1, lease_owner = $1, \
             lease_until = $3 WHERE id = (SELECT j.id FROM jobs j \
             WHERE ((j.status = 'queued' AND j.run_at <= $2) \
             OR (j.status = 'running' AND j.lease_until < $2)) \
             AND NOT EXISTS (SELECT 1 FROM jobs e WHERE e.lane = j.lane \
             AND e.status IN ('queued', 'running') \
             AND (e.attempts = 0, e.id) < (j.attempts = 0, j.id))",
        )
        .bind(lease.owner)
        .bind(lease.from)
        .bind(lease.until);
    if !full.is_empty() {
        claim.push(" AND j.kind NOT IN (");
        claim.values(full.iter().copied()).push(")");
    }
    claim.push(" AND j.kind IN (");
    claim
        .values(kinds.iter().copied())
        .push(") AND ")
        .push(RUNNING)
        .push(" < ")
        .value(OF_AN_ACCOUNT);
    claim.push(" ORDER BY ").push(RUNNING);
    claim.push(", (SELECT COUNT(*) FROM jobs o WHERE o.account = j.account AND o.aside = j.aside AND o.finished_at > ");
    claim.value(lease.from.plus_seconds(-OF_LATE));
    claim
        .push("), j.run_at, j.id LIMIT 1")
        .push(db.skip_locked());
    claim.push(") RETURNING id, kind, payload, attempts");
    claim.writes().optional().await
}

/// Makes waiting jobs of a lane due.
pub(super) async fn hurry(tx: &mut Tx, lane: &str, now: Timestamp) -> Result<()> {
    tx.query("UPDATE jobs SET run_at = $2 WHERE lane = $1 AND status = 'queued' AND run_at > $2")
        .bind(lane)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Frees the jobs of a process that died, where that is known.
pub(super) async fn reclaim_at_start(db: &Db) -> Result<()> {
    if db.is_alone() {
        db.query("UPDATE jobs SET lease_until = 0 WHERE status = 'running'")
            .exec()
            .await?;
    }
    Ok(())
}

pub(super) async fn renew(db: &Db, id: Uuid, lease: Lease) -> Result<bool> {
    let changed = db
        .query(
            "UPDATE jobs SET lease_until = $3 \
             WHERE id = $1 AND lease_owner = $2 AND status = 'running'",
        )
        .bind(id)
        .bind(lease.owner)
        .bind(lease.until)
        .exec()
        .await?;
    Ok(changed == 1)
}

pub(super) async fn retry(
    db: &Db,
    id: Uuid,
    owner: Uuid,
    at: Timestamp,
    cause: &str,
) -> Result<()> {
    db.query(
        "UPDATE jobs SET status = 'queued', run_at = $3, last_error = $4, lease_owner = NULL, \
         lease_until = NULL WHERE id = $1 AND lease_owner = $2",
    )
    .bind(id)
    .bind(owner)
    .bind(at)
    .bind(cause)
    .exec()
    .await?;
    Ok(())
}

pub(super) async fn finish(
    db: &Db,
    id: Uuid,
    owner: Uuid,
    status: &str,
    cause: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    db.query(
        "UPDATE jobs SET status = $3, last_error = $4, finished_at = $5, lease_owner = NULL, \
         lease_until = NULL WHERE id = $1 AND lease_owner = $2",
    )
    .bind(id)
    .bind(owner)
    .bind(status)
    .bind(cause)
    .bind(now)
    .exec()
    .await?;
    Ok(())
}

pub(super) async fn forget_finished(db: &Db, before: Timestamp) -> Result<()> {
    db.query("DELETE FROM jobs WHERE status = 'done' AND finished_at < $1")
        .bind(before)
        .exec()
        .await?;
    Ok(())
}

pub(super) async fn failed(db: &Db) -> Result<i64> {
    db.query("SELECT COUNT(*) FROM jobs WHERE status = 'failed'")
        .one_value()
        .await
}

pub(super) async fn overdue(db: &Db, before: Timestamp) -> Result<i64> {
    db.query("SELECT COUNT(*) FROM jobs WHERE status = 'queued' AND NOT aside AND run_at < $1")
        .bind(before)
        .one_value()
        .await
}

pub(super) async fn unfinished(db: &Db) -> Result<i64> {
    db.query("SELECT COUNT(*) FROM jobs WHERE status IN ('queued', 'running') AND NOT aside")
        .one_value()
        .await
}
