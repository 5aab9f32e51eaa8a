//! Entries of one transaction each, as they are added and as they wait.

use proof::tile::add_entry;

use super::Result;
use crate::db::{Db, DbError, Tx};

/// The order of entries that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Before consents, which name publications.
    Publications = 0,
    /// Consents and erasures.
    Consents = 1,
}

/// Batches that wait for an index, in the words of the index `ledger_batches_order`. SQLite uses it only where a statement
/// repeats its condition.
pub(super) const WAITING: &str =
    " FROM ledger_batches WHERE first_index IS NULL AND retired_in IS NULL";
/// The order in which they get theirs, as that index has it.
pub(super) const IN_TURN: &str = " ORDER BY first_index, kind, id";

/// The place of a batch.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(in crate::ledger) struct BatchRow {
    /// `None` while it waits.
    pub first_index: Option<i64>,
    pub leaves: i64,
    /// The number of the ledger that has ended with it; `None` in the present one.
    pub retired_in: Option<i64>,
}

/// The bytes of an entry bundle.
pub(crate) fn bundle<E: AsRef<[u8]>>(entries: &[E]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for entry in entries {
        add_entry(&mut bytes, entry.as_ref())
            .map_err(|error| DbError::Fault(sqlx::Error::Encode(Box::new(error))))?;
    }
    Ok(bytes)
}

/// Adds entries in the transaction of their cause. Returns the id of their batch.
pub(crate) async fn add<E: AsRef<[u8]>>(tx: &mut Tx, kind: Kind, entries: &[E]) -> Result<i64> {
    tx.query("INSERT INTO ledger_batches (kind, leaves, entries) VALUES ($1, $2, $3) RETURNING id")
        .bind(kind as i64)
        .bind(entries.len() as i64)
        .bind(bundle(entries)?)
        .one_value()
        .await
}

/// A batch whose entries become known later in the same transaction.
pub(crate) async fn reserve(tx: &mut Tx) -> Result<i64> {
    add::<Vec<u8>>(tx, Kind::Consents, &[]).await
}

/// Fills a reserved batch, or removes it if nothing is to be added.
pub(crate) async fn fill<E: AsRef<[u8]>>(tx: &mut Tx, batch: i64, entries: &[E]) -> Result<()> {
    let statement = if entries.is_empty() {
        tx.query("DELETE FROM ledger_batches WHERE id = $1")
            .bind(batch)
    } else {
        tx.query("UPDATE ledger_batches SET leaves = $2, entries = $3 WHERE id = $1")
            .bind(batch)
            .bind(entries.len() as i64)
            .bind(bundle(entries)?)
    };
    statement.exec().await?;
    Ok(())
}

/// The place of a batch.
pub(in crate::ledger) async fn batch(db: &Db, id: i64) -> Result<Option<BatchRow>> {
    db.query("SELECT first_index, leaves, retired_in FROM ledger_batches WHERE id = $1")
        .bind(id)
        .optional()
        .await
}

/// True if leaves wait for an index. Counting them would cost more the more there are, each second.
pub(in crate::ledger) async fn waits(db: &Db) -> Result<bool> {
    let mut statement = db.query("SELECT id");
    statement.push(WAITING).push(IN_TURN).push(" LIMIT 1");
    let first: Option<i64> = statement.optional_value().await?;
    Ok(first.is_some())
}

/// Leaves without an index.
pub(in crate::ledger) async fn waiting(db: &Db) -> Result<i64> {
    let mut statement = db.query("SELECT CAST(COALESCE(SUM(leaves), 0) AS BIGINT)");
    statement.push(WAITING);
    statement.one_value().await
}

/// The entries of a batch that no checkpoint covers yet, as they wait.
pub(in crate::ledger) async fn waits_in(db: &Db, id: i64) -> Result<Vec<u8>> {
    let entries: Option<Option<Vec<u8>>> = db
        .query("SELECT entries FROM ledger_batches WHERE id = $1")
        .bind(id)
        .optional_value()
        .await?;
    Ok(entries.flatten().unwrap_or_default())
}
