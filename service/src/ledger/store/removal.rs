//! Removal of files: partial ones of older trees, and those of entries that are older than the ledger is kept.

use super::Result;
use crate::{clock::Timestamp, db::Db};

/// Some checkpoints from before a time whose partial files may be there.
pub(in crate::ledger) async fn unswept(db: &Db, before: Timestamp) -> Result<Vec<i64>> {
    db.query(
        "SELECT size FROM ledger_checkpoints WHERE size > (SELECT swept FROM ledger) \
         AND created_at < $1 ORDER BY size LIMIT 50",
    )
    .bind(before)
    .all_values()
    .await
}

/// The size of the last tree whose partial files were removed.
pub(in crate::ledger) async fn last_swept(db: &Db) -> Result<i64> {
    db.query("SELECT swept FROM ledger").one_value().await
}

pub(in crate::ledger) async fn swept(db: &Db, size: i64) -> Result<()> {
    db.query("UPDATE ledger SET swept = $1 WHERE swept < $1")
        .bind(size)
        .exec()
        .await?;
    Ok(())
}

/// The largest swept tree that was signed before a time, with all smaller ones. A clock that was behind for a while must not
/// make younger trees look older.
pub(in crate::ledger) async fn swept_before(db: &Db, before: Timestamp) -> Result<Option<i64>> {
    db.query(
        "SELECT size FROM ledger_checkpoints WHERE size <= (SELECT swept FROM ledger) \
         AND size < (SELECT MIN(size) FROM ledger_checkpoints WHERE created_at >= $1) \
         ORDER BY size DESC LIMIT 1",
    )
    .bind(before)
    .optional_value()
    .await
}

/// Raises the minimum index. False if it is as large already.
pub(in crate::ledger) async fn prune(db: &Db, to: i64) -> Result<bool> {
    let raised = db
        .query("UPDATE ledger SET pruned = $1 WHERE pruned < $1 AND $1 <= integrated")
        .bind(to)
        .exec()
        .await?;
    Ok(raised > 0)
}
