//! Signed checkpoints.

use super::{Result, keys::signing, state::one_at_a_time};
use crate::{
    clock::Timestamp,
    db::{
        Db, Tx,
        page::{Listed, Page},
    },
};

/// A signed checkpoint.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(in crate::ledger) struct CheckpointRow {
    pub size: i64,
    pub root: Vec<u8>,
    pub note: String,
    pub created_at: Timestamp,
}

/// Keeps a checkpoint that these keys signed, and returns what is kept for its size. `None` if they are not the keys that
/// sign: another one was added or retired meanwhile.
pub(in crate::ledger) async fn add_checkpoint(
    db: &Db,
    (size, root, note): (i64, &[u8], &str),
    signed_by: &[Vec<u8>],
    now: Timestamp,
) -> Result<Option<CheckpointRow>> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    if signing(&mut tx).await? != signed_by {
        return Ok(None);
    }
    keep(&mut tx, (size, root, note), now).await?;
    let kept = tx
        .query("SELECT size, root, note, created_at FROM ledger_checkpoints WHERE size = $1")
        .bind(size)
        .one()
        .await?;
    tx.commit().await?;
    Ok(Some(kept))
}

/// Keeps a checkpoint, unless there is one of its size.
pub(super) async fn keep(
    tx: &mut Tx,
    (size, root, note): (i64, &[u8], &str),
    now: Timestamp,
) -> Result<()> {
    tx.query(
        "INSERT INTO ledger_checkpoints (size, root, note, created_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (size) DO NOTHING",
    )
    .bind(size)
    .bind(root)
    .bind(note)
    .bind(now)
    .exec()
    .await?;
    Ok(())
}

/// The published checkpoints, newest first.
pub(in crate::ledger) async fn checkpoints(db: &Db, page: Page) -> Result<Listed<CheckpointRow>> {
    db.query("FROM ledger_checkpoints WHERE size <= (SELECT integrated FROM ledger)")
        .page("size, root, note, created_at", "size DESC", page)
        .await
}

pub(in crate::ledger) async fn newest_checkpoint(db: &Db) -> Result<Option<CheckpointRow>> {
    db.query(
        "SELECT size, root, note, created_at FROM ledger_checkpoints ORDER BY size DESC LIMIT 1",
    )
    .optional()
    .await
}

/// The checkpoint of so many leaves.
pub(in crate::ledger) async fn checkpoint(db: &Db, size: i64) -> Result<Option<CheckpointRow>> {
    db.query("SELECT size, root, note, created_at FROM ledger_checkpoints WHERE size = $1")
        .bind(size)
        .optional()
        .await
}

/// The checkpoint that is published.
pub(in crate::ledger) async fn published(db: &Db) -> Result<Option<CheckpointRow>> {
    db.query(
        "SELECT size, root, note, created_at FROM ledger_checkpoints \
         WHERE size = (SELECT integrated FROM ledger)",
    )
    .optional()
    .await
}

pub(in crate::ledger) async fn first_checkpoint_at(db: &Db) -> Result<Option<Timestamp>> {
    db.query("SELECT created_at FROM ledger_checkpoints ORDER BY size LIMIT 1")
        .optional_value()
        .await
}

/// Removes some checkpoints from before a time, whose partial files are gone, which nobody else signed, and which a later
/// one of the same day (UTC) follows. Returns their number.
pub(in crate::ledger) async fn thin(db: &Db, before: Timestamp) -> Result<u64> {
    const DAY: i64 = 86_400_000_000;
    db.query(
        "DELETE FROM ledger_checkpoints WHERE size IN (SELECT c.size FROM ledger_checkpoints c \
         WHERE c.created_at < $1 AND c.size <= (SELECT swept FROM ledger) \
         AND c.created_at / $2 = (SELECT n.created_at / $2 FROM ledger_checkpoints n \
         WHERE n.size > c.size ORDER BY n.size LIMIT 1) \
         AND NOT EXISTS (SELECT 1 FROM ledger_cosignatures s WHERE s.size = c.size) \
         AND NOT EXISTS (SELECT 1 FROM ledger_timestamps t WHERE t.size = c.size) \
         ORDER BY c.size LIMIT 1000)",
    )
    .bind(before)
    .bind(DAY)
    .exec()
    .await
}
