//! SQL of sessions.

use uuid::Uuid;

use super::SignedIn;
use crate::{
    auth::store::has_factor,
    clock::Timestamp,
    db::{Db, DbError, Locked, Target, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// The proof that stands for a second factor, where the account has one.
#[derive(Clone, Copy)]
pub(in crate::auth) enum Proven<'a> {
    /// None: the account must have no second factor.
    Nothing,
    /// The factor itself, or a session that has it.
    Factor,
    /// A provider's login. The identity must still be linked.
    Identity { issuer: &'a str, subject: &'a str },
}

/// A session to store.
pub(in crate::auth) struct Session<'a> {
    pub id: Uuid,
    pub user: Uuid,
    /// The account's token generation when its credentials were checked.
    pub generation: i64,
    pub proven: Proven<'a>,
    pub device: &'a str,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// Stores a session. Returns `false` if the account's token generation has risen meanwhile, because the
/// session's token would not work, if the account has got a second factor that was not asked for, or if the identity is
/// linked no more.
pub(in crate::auth) async fn add(db: &Db, session: &Session<'_>) -> Result<bool> {
    let mut tx = db.begin().await?;
    tx.lock(Locked::Account(session.user)).await?;
    // Read after the lock: on PostgreSQL, a statement that waited for the account does not see what was written
    // meanwhile.
    let generation: Option<i64> = tx
        .query("SELECT token_generation FROM users WHERE id = $1")
        .bind(session.user)
        .optional_value()
        .await?;
    if generation != Some(session.generation) {
        return Ok(false);
    }
    let is_enough = match session.proven {
        Proven::Nothing => !has_factor(Target::Tx(&mut tx), session.user).await?,
        Proven::Factor => true,
        Proven::Identity { issuer, subject } => {
            let linked = tx.query(
                "SELECT COUNT(*) FROM identities WHERE issuer = $1 AND subject = $2 AND user_id = $3",
            );
            let linked = linked.bind(issuer).bind(subject).bind(session.user);
            linked.count().await? > 0
        }
    };
    if !is_enough {
        return Ok(false);
    }
    tx.query(
        "INSERT INTO sessions (id, user_id, device, created_at, last_used_at, expires_at) \
         VALUES ($1, $2, $3, $4, $4, $5)",
    )
    .bind(session.id)
    .bind(session.user)
    .bind(session.device)
    .bind(session.created_at)
    .bind(session.expires_at)
    .exec()
    .await?;
    tx.commit().await?;
    Ok(true)
}

/// [Locks](Locked) an account. Returns `true` if the session is still valid. A request may
/// be held open after its credentials were checked, so everything that it writes comes after this call.
pub(in crate::auth) async fn hold(tx: &mut Tx, user: Uuid, session: Uuid) -> Result<bool> {
    tx.lock(Locked::Account(user)).await?;
    let lives: Option<i64> = tx
        .query("SELECT CAST(1 AS BIGINT) FROM sessions WHERE id = $1 AND user_id = $2")
        .bind(session)
        .bind(user)
        .optional_value()
        .await?;
    Ok(lives.is_some())
}

pub(super) async fn list(db: &Db, user: Uuid, now: Timestamp) -> Result<Vec<SignedIn>> {
    db.query(
        "SELECT id, device, created_at, last_used_at, expires_at FROM sessions \
         WHERE user_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id DESC LIMIT 1000",
    )
    .bind(user)
    .bind(now)
    .all()
    .await
}

/// Ends one session of a user, or all but one, and returns their number.
pub(in crate::auth) async fn end(
    tx: &mut Tx,
    user: Uuid,
    only: Option<Uuid>,
    but: Option<Uuid>,
) -> Result<u64> {
    tx.query(
        "INSERT INTO revoked_tokens (jti, expires_at) SELECT id, expires_at FROM sessions \
         WHERE user_id = $1 AND ($2 IS NULL OR id = $2) AND ($3 IS NULL OR id <> $3) \
         ON CONFLICT (jti) DO NOTHING",
    )
    .bind(user)
    .bind(only)
    .bind(but)
    .exec()
    .await?;
    tx.query(
        "DELETE FROM sessions \
         WHERE user_id = $1 AND ($2 IS NULL OR id = $2) AND ($3 IS NULL OR id <> $3)",
    )
    .bind(user)
    .bind(only)
    .bind(but)
    .exec()
    .await
}

/// Deletes all sessions of a user whose tokens were revoked together.
pub(in crate::auth) async fn forget_all(tx: &mut Tx, user: Uuid) -> Result<()> {
    tx.query("DELETE FROM sessions WHERE user_id = $1")
        .bind(user)
        .exec()
        .await?;
    Ok(())
}

pub(super) async fn note(db: &Db, id: Uuid, now: Timestamp) -> Result<()> {
    db.query("UPDATE sessions SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2")
        .bind(id)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

pub(in crate::auth) async fn forget_ended(db: &Db, now: Timestamp) -> Result<()> {
    db.query("DELETE FROM sessions WHERE expires_at < $1")
        .bind(now)
        .exec()
        .await?;
    Ok(())
}
