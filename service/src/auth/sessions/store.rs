//! SQL of sessions.

use uuid::Uuid;

use super::SignedIn;
use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
    in_tx, on,
};

type Result<T> = std::result::Result<T, DbError>;

pub(in crate::auth) async fn add(
    db: &Db,
    id: Uuid,
    user: Uuid,
    device: &str,
    now: Timestamp,
    expires_at: Timestamp,
) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO sessions (id, user_id, device, created_at, last_used_at, expires_at) \
         VALUES ($1, $2, $3, $4, $4, $5)")
        .bind(id)
        .bind(user)
        .bind(device)
        .bind(now)
        .bind(expires_at)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

pub(super) async fn list(db: &Db, user: Uuid, now: Timestamp) -> Result<Vec<SignedIn>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT id, device, created_at, last_used_at, expires_at FROM sessions \
         WHERE user_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id DESC LIMIT 1000")
        .bind(user)
        .bind(now)
        .fetch_all(pool)
        .await)?)
}

/// Ends one session of a user, or all but one; how many.
pub(super) async fn end(
    tx: &mut Tx,
    user: Uuid,
    only: Option<Uuid>,
    but: Option<Uuid>,
) -> Result<u64> {
    in_tx!(&mut *tx, conn => sqlx::query(
        "INSERT INTO revoked_tokens (jti, expires_at) SELECT id, expires_at FROM sessions \
         WHERE user_id = $1 AND ($2 IS NULL OR id = $2) AND ($3 IS NULL OR id <> $3) \
         ON CONFLICT (jti) DO NOTHING")
        .bind(user)
        .bind(only)
        .bind(but)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(in_tx!(tx, conn => sqlx::query(
        "DELETE FROM sessions \
         WHERE user_id = $1 AND ($2 IS NULL OR id = $2) AND ($3 IS NULL OR id <> $3)")
        .bind(user)
        .bind(only)
        .bind(but)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?)
}

/// Forgets all sessions of a user whose tokens were revoked together.
pub(in crate::auth) async fn forget_all(tx: &mut Tx, user: Uuid) -> Result<()> {
    in_tx!(tx, conn => sqlx::query("DELETE FROM sessions WHERE user_id = $1")
        .bind(user)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

pub(super) async fn note(db: &Db, id: Uuid, now: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2")
        .bind(id)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

pub(in crate::auth) async fn forget_ended(db: &Db, now: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query("DELETE FROM sessions WHERE expires_at < $1")
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}
