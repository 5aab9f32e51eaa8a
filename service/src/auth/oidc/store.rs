//! SQL of identities and of logins under way.

use uuid::Uuid;

use super::Identity;
use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
    in_tx, on,
};

type Result<T> = std::result::Result<T, DbError>;

/// A login under way.
#[derive(sqlx::FromRow)]
pub(super) struct Login {
    pub provider: String,
    pub nonce: String,
    pub verifier: Vec<u8>,
    pub user_id: Option<Uuid>,
    pub next: String,
}

pub(super) async fn begin(
    db: &Db,
    state_hash: &[u8],
    login: &Login,
    expires_at: Timestamp,
) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO oidc_logins (state_hash, provider, nonce, verifier, user_id, next, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)")
        .bind(state_hash)
        .bind(&login.provider)
        .bind(&login.nonce)
        .bind(&login.verifier)
        .bind(login.user_id)
        .bind(&login.next)
        .bind(expires_at)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

/// Uses a login up; of two at once one gets it.
pub(super) async fn take(db: &Db, state_hash: &[u8], now: Timestamp) -> Result<Option<Login>> {
    let mut tx = db.begin().await?;
    let found = in_tx!(&mut tx, conn => sqlx::query_as(
        "DELETE FROM oidc_logins WHERE state_hash = $1 AND expires_at > $2 \
         RETURNING provider, nonce, verifier, user_id, next")
        .bind(state_hash)
        .bind(now)
        .fetch_optional(conn)
        .await)?;
    tx.commit().await?;
    Ok(found)
}

pub(in crate::auth) async fn forget_ended(db: &Db, now: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query("DELETE FROM oidc_logins WHERE expires_at < $1")
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

/// Whose identity signs in, noted as used.
pub(super) async fn used(
    db: &Db,
    issuer: &str,
    subject: &str,
    now: Timestamp,
) -> Result<Option<Uuid>> {
    let mut tx = db.begin().await?;
    let user = in_tx!(&mut tx, conn => sqlx::query_scalar(
        "UPDATE identities SET last_used_at = $3 WHERE issuer = $1 AND subject = $2 \
         RETURNING user_id")
        .bind(issuer)
        .bind(subject)
        .bind(now)
        .fetch_optional(conn)
        .await)?;
    tx.commit().await?;
    Ok(user)
}

/// Links an identity; false when it is linked already.
pub(super) async fn add(
    tx: &mut Tx,
    identity: &Identity,
    user: Uuid,
    issuer: &str,
    subject: &str,
) -> Result<bool> {
    let added = in_tx!(tx, conn => sqlx::query(
        "INSERT INTO identities (id, user_id, provider, issuer, subject, email, created_at, \
         last_used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) \
         ON CONFLICT (issuer, subject) DO NOTHING")
        .bind(identity.id)
        .bind(user)
        .bind(&identity.provider)
        .bind(issuer)
        .bind(subject)
        .bind(&identity.email)
        .bind(identity.created_at)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    Ok(added == 1)
}

/// The password first, where there is one.
pub(super) async fn list(db: &Db, user: Uuid) -> Result<Vec<Identity>> {
    let mut found: Vec<Identity> = on!(db, pool => sqlx::query_as(
        "SELECT id, 'local' AS provider, email, created_at, NULL AS last_used_at FROM users \
         WHERE id = $1 AND password_hash IS NOT NULL")
        .bind(user)
        .fetch_all(pool)
        .await)?;
    let linked: Vec<Identity> = on!(db, pool => sqlx::query_as(
        "SELECT id, provider, email, created_at, last_used_at FROM identities \
         WHERE user_id = $1 ORDER BY created_at, id")
        .bind(user)
        .fetch_all(pool)
        .await)?;
    found.extend(linked);
    Ok(found)
}

/// What became of a wish to remove.
pub(super) enum Removed {
    Yes,
    Unknown,
    Last,
}

/// Removes an identity, or (by the account's id) the password, unless it is the last of all.
pub(super) async fn remove(db: &Db, user: Uuid, id: Uuid) -> Result<Removed> {
    let mut tx = db.begin().await?;
    // Locks the account on PostgreSQL, so that two cannot remove each other's last way in.
    let removed = if id == user {
        in_tx!(&mut tx, conn => sqlx::query(
            "UPDATE users SET password_hash = NULL WHERE id = $1 AND password_hash IS NOT NULL")
            .bind(user)
            .execute(conn)
            .await
            .map(|done| done.rows_affected()))?
    } else {
        in_tx!(&mut tx, conn => sqlx::query(
            "UPDATE users SET updated_at = updated_at WHERE id = $1")
            .bind(user)
            .execute(conn)
            .await
            .map(drop))?;
        in_tx!(&mut tx, conn => sqlx::query("DELETE FROM identities WHERE id = $1 AND user_id = $2")
            .bind(id)
            .bind(user)
            .execute(conn)
            .await
            .map(|done| done.rows_affected()))?
    };
    if removed == 0 {
        return Ok(Removed::Unknown);
    }
    let left: i64 = in_tx!(&mut tx, conn => sqlx::query_scalar(
        "SELECT (SELECT COUNT(*) FROM identities WHERE user_id = $1) \
         + (SELECT COUNT(*) FROM users WHERE id = $1 AND password_hash IS NOT NULL)")
        .bind(user)
        .fetch_one(conn)
        .await)?;
    if left == 0 {
        return Ok(Removed::Last);
    }
    tx.commit().await?;
    Ok(Removed::Yes)
}

/// Unlinks every identity of a user.
pub(in crate::auth) async fn remove_all(tx: &mut Tx, user: Uuid) -> Result<()> {
    in_tx!(tx, conn => sqlx::query("DELETE FROM identities WHERE user_id = $1")
        .bind(user)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
