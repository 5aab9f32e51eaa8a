//! Keys that sign checkpoints, from their beginning to their end.

use super::{
    Result,
    batches::{Kind, add},
    state::one_at_a_time,
};
use crate::{
    db::{Db, Tx},
    ledger::keys::LogKey,
};

/// A key, and the leaves between which it signs.
#[derive(Clone, sqlx::FromRow)]
pub(in crate::ledger) struct KeyRow {
    #[sqlx(flatten)]
    pub key: LogKey,
    pub from_index: i64,
    pub retired: Option<i64>,
    /// The batches with the entries that tell of its beginning and of its end.
    pub announced_in: Option<i64>,
    pub ended_in: Option<i64>,
}

/// The end of an attempt to retire a key.
pub(in crate::ledger) enum Retired {
    /// It signs no more.
    Yes,
    /// It is the only one.
    OnlyOne,
    /// No checkpoint covers the entry of the key after it.
    NotAnnounced,
}

/// All keys, in the order in which they began to sign.
pub(in crate::ledger) async fn keys(db: &Db) -> Result<Vec<KeyRow>> {
    db.query(
        "SELECT public_key, private_key, from_index, retired, announced_in, ended_in FROM ledger_keys \
         ORDER BY COALESCE(announced_in, 0)",
    )
    .all()
    .await
}

/// Adds keys for Ed25519 and for ML-DSA-44 that sign from the next checkpoint on, and their entries. False if more than one
/// key for Ed25519 signs already.
pub(in crate::ledger) async fn add_keys<E: AsRef<[u8]>>(
    db: &Db,
    key: &LogKey,
    ml_dsa: &LogKey,
    entries: &[E],
) -> Result<bool> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    if signing(&mut tx).await?.len() != 1 {
        return Ok(false);
    }
    let signed = signed(&mut tx).await?;
    let batch = add(&mut tx, Kind::Publications, entries).await?;
    tx.query(
        "INSERT INTO ledger_keys (public_key, private_key, from_index, announced_in) \
         VALUES ($1, $2, $3, $4)",
    )
    .bind(&key.public_key)
    .bind(&key.private_key)
    .bind(signed)
    .bind(batch)
    .exec()
    .await?;
    add_ml_dsa(&mut tx, ml_dsa, signed, Some(batch)).await?;
    tx.commit().await?;
    Ok(true)
}

/// Adds a key for ML-DSA-44 that signs checkpoints of more than `from` leaves; the first one signs all, the earlier ones too.
/// The transaction holds the ledger.
pub(in crate::ledger) async fn add_ml_dsa(
    tx: &mut Tx,
    key: &LogKey,
    from: i64,
    announced_in: Option<i64>,
) -> Result<()> {
    let newest: i64 = tx
        .query("SELECT COALESCE(MAX(number), 0) FROM ledger_ml_dsa_keys")
        .one_value()
        .await?;
    tx.query(
        "INSERT INTO ledger_ml_dsa_keys (number, public_key, private_key, from_index, announced_in) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(newest + 1)
    .bind(&key.public_key)
    .bind(&key.private_key)
    .bind(if newest == 0 { 0 } else { from })
    .bind(announced_in)
    .exec()
    .await?;
    Ok(())
}

/// Ends the older of two keys that sign, with the one for ML-DSA-44 if there is a newer one, and adds the entries that tell it.
pub(in crate::ledger) async fn retire_keys<E: AsRef<[u8]>>(
    db: &Db,
    older: &[u8],
    ml_dsa: Option<&[u8]>,
    entries: &[E],
) -> Result<Retired> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    let signing = signing(&mut tx).await?;
    if signing.len() != 2 || signing.first().is_none_or(|first| first != older) {
        return Ok(Retired::OnlyOne);
    }
    let announced: Option<i64> = tx
        .query(
            "SELECT b.id FROM ledger_keys k JOIN ledger_batches b ON b.id = k.announced_in \
             WHERE k.retired IS NULL AND k.public_key <> $1 \
             AND b.first_index + b.leaves <= (SELECT integrated FROM ledger)",
        )
        .bind(older.to_vec())
        .optional_value()
        .await?;
    // A ledger that stands still signs nothing, and may be waiting for this.
    let stopped: Option<String> = tx.query("SELECT stopped FROM ledger").one_value().await?;
    if announced.is_none() && stopped.is_none() {
        return Ok(Retired::NotAnnounced);
    }
    let signed = signed(&mut tx).await?;
    let batch = add(&mut tx, Kind::Publications, entries).await?;
    tx.query("UPDATE ledger_keys SET retired = $2, ended_in = $3 WHERE public_key = $1")
        .bind(older.to_vec())
        .bind(signed)
        .bind(batch)
        .exec()
        .await?;
    if let Some(ml_dsa) = ml_dsa {
        tx.query("UPDATE ledger_ml_dsa_keys SET retired = $2, ended_in = $3 WHERE public_key = $1")
            .bind(ml_dsa.to_vec())
            .bind(signed)
            .bind(batch)
            .exec()
            .await?;
    }
    tx.commit().await?;
    Ok(Retired::Yes)
}

/// The public keys that sign, the older one first.
pub(super) async fn signing(tx: &mut Tx) -> Result<Vec<Vec<u8>>> {
    let keys: Vec<(Vec<u8>,)> = tx
        .query(
            "SELECT public_key FROM ledger_keys WHERE retired IS NULL \
             ORDER BY COALESCE(announced_in, 0)",
        )
        .all()
        .await?;
    Ok(keys.into_iter().map(|(key,)| key).collect())
}

/// Leaves of the largest checkpoint.
async fn signed(tx: &mut Tx) -> Result<i64> {
    tx.query("SELECT COALESCE(MAX(size), 0) FROM ledger_checkpoints")
        .one_value()
        .await
}
