//! SQL of the ledger's keys for ML-DSA-44.

use crate::{
    db::{Db, DbError},
    ledger::{
        keys::LogKey,
        store::{KeyRow, Kind, add, add_ml_dsa, one_at_a_time},
    },
};

type Result<T> = std::result::Result<T, DbError>;

/// All keys, in the order in which they were made.
pub(super) async fn keys(db: &Db) -> Result<Vec<KeyRow>> {
    db.query(
        "SELECT public_key, private_key, from_index, retired, announced_in, ended_in \
         FROM ledger_ml_dsa_keys ORDER BY number",
    )
    .all()
    .await
}

/// True if there is a key.
pub(super) async fn has_key(db: &Db) -> Result<bool> {
    let first: Option<i64> = db
        .query("SELECT number FROM ledger_ml_dsa_keys ORDER BY number LIMIT 1")
        .optional_value()
        .await?;
    Ok(first.is_some())
}

/// Adds the first key, unless another process has.
pub(super) async fn begin(db: &Db, key: &LogKey) -> Result<()> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    let there: Option<i64> = tx
        .query("SELECT number FROM ledger_ml_dsa_keys ORDER BY number LIMIT 1")
        .optional_value()
        .await?;
    if there.is_none() {
        add_ml_dsa(&mut tx, key, 0, None).await?;
    }
    tx.commit().await
}

/// The public keys that sign, and that the ledger does not tell of.
pub(super) async fn untold(db: &Db) -> Result<Vec<Vec<u8>>> {
    db.query(
        "SELECT public_key FROM ledger_ml_dsa_keys \
         WHERE announced_in IS NULL AND retired IS NULL ORDER BY number",
    )
    .all_values()
    .await
}

/// Adds the entry of a key's beginning. False if another process has.
pub(super) async fn tell(db: &Db, public_key: &[u8], entry: &[u8]) -> Result<bool> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    let batch = add(&mut tx, Kind::Publications, &[entry]).await?;
    let noted = tx
        .query(
            "UPDATE ledger_ml_dsa_keys SET announced_in = $2 \
             WHERE public_key = $1 AND announced_in IS NULL",
        )
        .bind(public_key.to_vec())
        .bind(batch)
        .exec()
        .await?;
    if noted != 1 {
        return Ok(false);
    }
    tx.commit().await?;
    Ok(true)
}
