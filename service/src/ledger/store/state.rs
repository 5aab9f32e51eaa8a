//! The row of the ledger, and the lease of the process that works on it.

use uuid::Uuid;

use super::Result;
use crate::{
    clock::Timestamp,
    db::{Db, Lease, Tx},
    ledger::keys::LogKey,
};

/// Milliseconds: a lease that ends later was taken by a clock that was ahead.
const LONGEST_LEASE: i64 = 3_600_000;

/// The row of the ledger.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(in crate::ledger) struct State {
    pub origin: String,
    pub size: i64,
    pub integrated: i64,
    pub stopped: Option<String>,
    /// The witness that the ledger stands still for: one of those that contradict it.
    pub stopped_by: Option<String>,
    /// Leaves of the tree that this witness has seen.
    pub awaited: Option<i64>,
    /// The published minimum index.
    pub pruned: i64,
    /// The key of the next ledger, once the last entry of this one names it.
    pub next_public_key: Option<Vec<u8>>,
}

pub(in crate::ledger) async fn state(db: &Db) -> Result<Option<State>> {
    db.query(
        "SELECT origin, size, integrated, stopped, stopped_by, awaited, pruned, \
         next_public_key FROM ledger",
    )
    .optional()
    .await
}

/// Makes the ledger, unless another process has.
pub(in crate::ledger) async fn begin(db: &Db, origin: &str, key: &LogKey) -> Result<()> {
    let mut tx = db.begin().await?;
    // One row for ever: processes that begin at one time wait for each other here. On SQLite they do anyway.
    if matches!(db, Db::Postgres(_)) {
        tx.query("LOCK TABLE ledger IN EXCLUSIVE MODE")
            .exec()
            .await?;
    }
    let there: Option<String> = tx
        .query("SELECT origin FROM ledger")
        .optional_value()
        .await?;
    if there.is_none() {
        insert(&mut tx, origin, 0, key).await?;
    }
    tx.commit().await
}

/// Adds the row of a ledger with so many leaves, and its first key.
pub(in crate::ledger) async fn insert(
    tx: &mut Tx,
    origin: &str,
    size: i64,
    key: &LogKey,
) -> Result<()> {
    tx.query(
        "INSERT INTO ledger (origin, size, integrated, swept, held_until) VALUES ($1, $2, 0, 0, 0)",
    )
    .bind(origin)
    .bind(size)
    .exec()
    .await?;
    tx.query("INSERT INTO ledger_keys (public_key, private_key, from_index) VALUES ($1, $2, 0)")
        .bind(&key.public_key)
        .bind(&key.private_key)
        .exec()
        .await?;
    Ok(())
}

/// Takes or renews the lease. `None` if another process has it. One that `is_alone` with its database takes it from a process
/// that has died.
pub(in crate::ledger) async fn hold(
    db: &Db,
    lease: Lease,
    is_alone: bool,
) -> Result<Option<State>> {
    db.query(
        "UPDATE ledger SET holder = $1, held_until = $3 \
         WHERE holder IS NULL OR holder = $1 OR held_until <= $2 OR held_until > $5 OR $4 \
         RETURNING origin, size, integrated, stopped, stopped_by, awaited, pruned, next_public_key",
    )
    .bind(lease.owner)
    .bind(lease.from)
    .bind(lease.until)
    .bind(is_alone)
    .bind(lease.from.plus_millis(LONGEST_LEASE))
    .writes()
    .optional()
    .await
}

/// Gives the lease back.
pub(in crate::ledger) async fn let_go(db: &Db, me: Uuid) -> Result<()> {
    db.query("UPDATE ledger SET holder = NULL WHERE holder = $1")
        .bind(me)
        .exec()
        .await?;
    Ok(())
}

/// True if this process has the lease.
pub(in crate::ledger) async fn holds(db: &Db, me: Uuid, now: Timestamp) -> Result<bool> {
    let mine: Option<i64> = db
        .query("SELECT size FROM ledger WHERE holder = $1 AND held_until > $2")
        .bind(me)
        .bind(now)
        .optional_value()
        .await?;
    Ok(mine.is_some())
}

/// Holds the row of the ledger: a contradiction that comes while another one ends must be seen.
pub(in crate::ledger) async fn one_at_a_time(tx: &mut Tx) -> Result<()> {
    tx.query("UPDATE ledger SET origin = origin").exec().await?;
    Ok(())
}

/// Notes why the ledger stands still, unless it does for a witness. True if that is news, and the ledger is held.
pub(in crate::ledger) async fn stop(db: &Db, me: Uuid, why: &str) -> Result<bool> {
    let noted = db
        .query(
            "UPDATE ledger SET stopped = $1 \
             WHERE stopped_by IS NULL AND (stopped IS NULL OR stopped <> $1) AND holder = $2",
        )
        .bind(why)
        .bind(me)
        .exec()
        .await?;
    Ok(noted > 0)
}
