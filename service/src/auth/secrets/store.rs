//! SQL of mailed secrets.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Locked, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// A secret with its purpose.
pub(in crate::auth) struct Secret<'a> {
    pub hash: Vec<u8>,
    pub purpose: &'static str,
    /// The account, or the invitation.
    pub subject: Uuid,
    /// The address that it was sent to.
    pub email_key: &'a str,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// Subject of a secret that was shown, and the address that it was mailed to.
#[derive(sqlx::FromRow)]
pub(in crate::auth) struct Shown {
    pub subject: Uuid,
    pub email_key: String,
}

/// Stores a secret for an account, unless `most` were made for this purpose after `since`. Concurrent calls
/// count each other.
pub(in crate::auth) async fn add(
    db: &Db,
    secret: &Secret<'_>,
    most: i64,
    since: Timestamp,
) -> Result<bool> {
    let mut tx = db.begin().await?;
    tx.lock(Locked::Account(secret.subject)).await?;
    let made: i64 = tx
        .query(
            "SELECT COUNT(*) FROM mailed_secrets \
         WHERE subject = $1 AND purpose = $2 AND created_at > $3",
        )
        .bind(secret.subject)
        .bind(secret.purpose)
        .bind(since)
        .one_value()
        .await?;
    if made >= most {
        return Ok(false);
    }
    tx.query(
        "INSERT INTO mailed_secrets (hash, purpose, subject, email_key, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(&secret.hash)
    .bind(secret.purpose)
    .bind(secret.subject)
    .bind(secret.email_key)
    .bind(secret.created_at)
    .bind(secret.expires_at)
    .exec()
    .await?;
    tx.commit().await?;
    Ok(true)
}

/// The time of the nth last secret that was made for this account and purpose after `since`; `None` if fewer were made.
pub(in crate::auth) async fn nth_last(
    db: &Db,
    account: Uuid,
    purpose: &str,
    (nth, since): (i64, Timestamp),
) -> Result<Option<Timestamp>> {
    db.query(
        "SELECT created_at FROM mailed_secrets \
         WHERE subject = $1 AND purpose = $2 AND created_at > $3 \
         ORDER BY created_at DESC LIMIT 1 OFFSET $4",
    )
    .bind(account)
    .bind(purpose)
    .bind(since)
    .bind(nth - 1)
    .optional_value()
    .await
}

/// Reads a secret that has not expired.
pub(in crate::auth) async fn show(
    db: &Db,
    hash: &[u8],
    purpose: &str,
    now: Timestamp,
) -> Result<Option<Shown>> {
    db.query(
        "SELECT subject, email_key FROM mailed_secrets \
         WHERE hash = $1 AND purpose = $2 AND expires_at > $3",
    )
    .bind(hash)
    .bind(purpose)
    .bind(now)
    .optional()
    .await
}

/// Uses a secret up. Of two concurrent calls one gets it.
pub(in crate::auth) async fn take(
    tx: &mut Tx,
    hash: &[u8],
    purpose: &str,
    now: Timestamp,
) -> Result<Option<Shown>> {
    tx.query(
        "DELETE FROM mailed_secrets WHERE hash = $1 AND purpose = $2 AND expires_at > $3 \
         RETURNING subject, email_key",
    )
    .bind(hash)
    .bind(purpose)
    .bind(now)
    .optional()
    .await
}

/// Ends every secret that an account was sent. The rows stay until they no longer count against the hourly
/// number of letters. Otherwise repeated resets could send any number of letters.
pub(in crate::auth) async fn end_all(tx: &mut Tx, account: Uuid, now: Timestamp) -> Result<()> {
    tx.query("UPDATE mailed_secrets SET expires_at = $2 WHERE subject = $1 AND expires_at > $2")
        .bind(account)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Deletes every secret of this purpose.
pub(in crate::auth) async fn forget_of(tx: &mut Tx, subject: Uuid, purpose: &str) -> Result<()> {
    tx.query("DELETE FROM mailed_secrets WHERE subject = $1 AND purpose = $2")
        .bind(subject)
        .bind(purpose)
        .exec()
        .await?;
    Ok(())
}

/// Deletes expired secrets that no longer count against the number of letters.
pub(in crate::auth) async fn forget_ended(db: &Db, now: Timestamp) -> Result<()> {
    db.query("DELETE FROM mailed_secrets WHERE expires_at < $1 AND created_at < $2")
        .bind(now)
        .bind(now.plus_seconds(-super::COUNTED_SECONDS))
        .exec()
        .await?;
    Ok(())
}
