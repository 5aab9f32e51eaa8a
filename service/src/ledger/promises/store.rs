//! SQL of promises.

use crate::{
    db::{Db, DbError},
    ledger::{
        keys::LogKey,
        store::{Kind, add, one_at_a_time},
    },
};

type Result<T> = std::result::Result<T, DbError>;

/// The key that signs promises.
#[derive(Clone, sqlx::FromRow)]
pub(in crate::ledger) struct PromiseKeyRow {
    #[sqlx(flatten)]
    pub key: LogKey,
    /// The batch with the entry that tells of it.
    pub announced_in: i64,
}

pub(in crate::ledger) async fn key(db: &Db) -> Result<Option<PromiseKeyRow>> {
    db.query("SELECT public_key, private_key, announced_in FROM ledger_promise_keys")
        .optional()
        .await
}

/// Keeps the key with its entry, unless another process has made one.
pub(super) async fn add_key(db: &Db, key: &LogKey, entry: &[u8]) -> Result<()> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    let keys: i64 = tx
        .query("SELECT COUNT(*) FROM ledger_promise_keys")
        .one_value()
        .await?;
    if keys > 0 {
        return Ok(());
    }
    let batch = add(&mut tx, Kind::Publications, &[entry]).await?;
    tx.query(
        "INSERT INTO ledger_promise_keys (public_key, private_key, announced_in) VALUES ($1, $2, $3)",
    )
    .bind(&key.public_key)
    .bind(&key.private_key)
    .bind(batch)
    .exec()
    .await?;
    tx.commit().await
}
