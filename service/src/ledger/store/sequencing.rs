//! Statements of the process that works on the ledger: indexes, and what is published.

use uuid::Uuid;

use super::{
    Result,
    batches::{IN_TURN, Kind, WAITING, add},
    checkpoints::keep,
};
use crate::{clock::Timestamp, db::Db};

/// Most batches that get their indexes in one transaction.
const MOST_BATCHES: i64 = 1_000;

/// First index and bytes of a batch.
pub(in crate::ledger) type Batch = (i64, i64, Option<Vec<u8>>);

/// Gives waiting batches their indexes. Returns the new size; `None` if another process was faster, or the ledger has
/// stopped. The size is the lock: it changes only from the value that the indexes begin with.
pub(in crate::ledger) async fn assign(db: &Db, me: Uuid, size: i64) -> Result<Option<i64>> {
    let mut tx = db.begin().await?;
    // One statement for all: under load a round trip for each batch would cost more than the batch. An upsert finds
    // the rows by their key, whatever the planner of SQLite believes of a table that has grown since it was measured.
    let mut statement = tx.query(
        "INSERT INTO ledger_batches (id, kind, leaves, first_index) \
         SELECT id, kind, leaves, $1 + CAST(SUM(leaves) OVER (ORDER BY kind, id) AS BIGINT) - leaves \
         FROM (SELECT id, kind, leaves",
    );
    statement.push(WAITING).push(IN_TURN).push(
        " LIMIT $2) AS oldest WHERE TRUE \
         ON CONFLICT (id) DO UPDATE SET first_index = excluded.first_index RETURNING leaves",
    );
    let given: Vec<i64> = statement.bind(size).bind(MOST_BATCHES).all_values().await?;
    if given.is_empty() {
        return Ok(Some(size));
    }
    let new = size + given.iter().sum::<i64>();
    let swapped = tx
        .query("UPDATE ledger SET size = $1 WHERE size = $2 AND holder = $3 AND stopped IS NULL")
        .bind(new)
        .bind(size)
        .bind(me)
        .exec()
        .await?;
    if swapped != 1 {
        return Ok(None);
    }
    tx.commit().await?;
    Ok(Some(new))
}

/// Some batches from an index on, in order.
pub(in crate::ledger) async fn batches(db: &Db, from: i64) -> Result<Vec<Batch>> {
    db.query(
        "SELECT first_index, leaves, entries FROM ledger_batches \
         WHERE first_index >= $1 AND retired_in IS NULL ORDER BY first_index LIMIT $2",
    )
    .bind(from)
    .bind(MOST_BATCHES)
    .all()
    .await
}

/// Forgets the bytes that are published. False if another process has moved on.
pub(in crate::ledger) async fn integrated(db: &Db, me: Uuid, from: i64, to: i64) -> Result<bool> {
    let mut tx = db.begin().await?;
    let moved = tx
        .query("UPDATE ledger SET integrated = $1 WHERE integrated = $2 AND holder = $3")
        .bind(to)
        .bind(from)
        .bind(me)
        .exec()
        .await?;
    if moved != 1 {
        return Ok(false);
    }
    tx.query(
        "UPDATE ledger_batches SET entries = NULL \
         WHERE first_index >= $1 AND first_index < $2 AND retired_in IS NULL",
    )
    .bind(from)
    .bind(to)
    .exec()
    .await?;
    tx.commit().await?;
    Ok(true)
}

/// Takes over the published tree of a database that knows fewer leaves, and adds an entry that says so. The batches with
/// these first indexes are not in it, and wait again. False if another process has moved on.
pub(in crate::ledger) async fn adopt(
    db: &Db,
    me: Uuid,
    (from, to): (i64, i64),
    (root, note): (&[u8], &str),
    displaced: &[i64],
    now: Timestamp,
) -> Result<bool> {
    let mut tx = db.begin().await?;
    let moved = tx
        .query("UPDATE ledger SET size = $1, integrated = $1 WHERE size = $2 AND holder = $3")
        .bind(to)
        .bind(from)
        .bind(me)
        .exec()
        .await?;
    if moved != 1 {
        return Ok(false);
    }
    for first in displaced {
        tx.query(
            "UPDATE ledger_batches SET first_index = NULL \
             WHERE first_index = $1 AND entries IS NOT NULL AND retired_in IS NULL",
        )
        .bind(*first)
        .exec()
        .await?;
    }
    // The published tree has the others at these places: they were given before the backup.
    tx.query(
        "UPDATE ledger_batches SET entries = NULL \
         WHERE first_index IS NOT NULL AND entries IS NOT NULL AND retired_in IS NULL",
    )
    .exec()
    .await?;
    keep(&mut tx, (to, root, note), now).await?;
    let event = proof::commitment::restored_entry(from.unsigned_abs(), to.unsigned_abs());
    add(&mut tx, Kind::Publications, &[event]).await?;
    tx.commit().await?;
    Ok(true)
}
