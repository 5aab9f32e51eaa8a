//! SQL of second factors.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// The second factor of an account.
#[derive(sqlx::FromRow)]
pub(super) struct Row {
    /// Sealed.
    pub secret: Vec<u8>,
    pub confirmed_at: Option<Timestamp>,
}

pub(super) async fn find(db: &Db, user: Uuid) -> Result<Option<Row>> {
    db.query("SELECT secret, confirmed_at FROM second_factors WHERE user_id = $1")
        .bind(user)
        .optional()
        .await
}

/// Stores a secret that waits for its first code, in place of another one that waits. Returns `false` if the account has a
/// confirmed one.
pub(super) async fn begin(tx: &mut Tx, user: Uuid, secret: &[u8], now: Timestamp) -> Result<bool> {
    let changed = tx
        .query(
            "INSERT INTO second_factors (user_id, secret, created_at, last_time_step) \
             VALUES ($1, $2, $3, 0) ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, \
             created_at = excluded.created_at, last_time_step = 0 \
             WHERE second_factors.confirmed_at IS NULL",
        )
        .bind(user)
        .bind(secret)
        .bind(now)
        .exec()
        .await?;
    Ok(changed == 1)
}

/// Uses the code of a time step. Returns `false` if that code, or a later one, was used before.
pub(super) async fn take_time_step(tx: &mut Tx, user: Uuid, step: i64) -> Result<bool> {
    let changed = tx
        .query("UPDATE second_factors SET last_time_step = $2 WHERE user_id = $1 AND last_time_step < $2")
        .bind(user)
        .bind(step)
        .exec()
        .await?;
    Ok(changed == 1)
}

/// Uses a recovery code. Returns `false` if there is none with this hash.
pub(super) async fn take_recovery(tx: &mut Tx, user: Uuid, hash: &[u8]) -> Result<bool> {
    let removed = tx
        .query("DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2")
        .bind(user)
        .bind(hash)
        .exec()
        .await?;
    Ok(removed == 1)
}

pub(super) async fn confirm(tx: &mut Tx, user: Uuid, now: Timestamp) -> Result<()> {
    tx.query("UPDATE second_factors SET confirmed_at = $2 WHERE user_id = $1")
        .bind(user)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Replaces the recovery codes.
pub(super) async fn set_recovery(tx: &mut Tx, user: Uuid, hashes: &[Vec<u8>]) -> Result<()> {
    forget_recovery(tx, user).await?;
    for hash in hashes {
        tx.query("INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)")
            .bind(user)
            .bind(hash)
            .exec()
            .await?;
    }
    Ok(())
}

async fn forget_recovery(tx: &mut Tx, user: Uuid) -> Result<()> {
    tx.query("DELETE FROM recovery_codes WHERE user_id = $1")
        .bind(user)
        .exec()
        .await?;
    Ok(())
}

pub(super) async fn recovery_codes(db: &Db, user: Uuid) -> Result<u64> {
    db.query("SELECT COUNT(*) FROM recovery_codes WHERE user_id = $1")
        .bind(user)
        .count()
        .await
}

/// Ends the second factor. Returns `false` if the account had none that was confirmed.
pub(in crate::auth) async fn forget(tx: &mut Tx, user: Uuid) -> Result<bool> {
    forget_recovery(tx, user).await?;
    let confirmed: Option<Option<Timestamp>> = tx
        .query("DELETE FROM second_factors WHERE user_id = $1 RETURNING confirmed_at")
        .bind(user)
        .optional_value()
        .await?;
    Ok(confirmed.flatten().is_some())
}
