//! SQL of identities and of logins under way.

use uuid::Uuid;

use super::Identity;
use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// A login in progress.
#[derive(sqlx::FromRow)]
pub(super) struct Login {
    pub provider: String,
    pub nonce: String,
    pub verifier: Vec<u8>,
    /// The account that an identity will be linked to; `None` for a login.
    pub user_id: Option<Uuid>,
    /// The session that began the linking.
    pub session_id: Option<Uuid>,
    pub next: String,
}

pub(super) async fn begin(
    tx: &mut Tx,
    state_hash: &[u8],
    login: &Login,
    expires_at: Timestamp,
) -> Result<()> {
    tx.query(
        "INSERT INTO oidc_logins (state_hash, provider, nonce, verifier, user_id, \
         session_id, next, \
         expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(state_hash)
    .bind(&login.provider)
    .bind(&login.nonce)
    .bind(&login.verifier)
    .bind(login.user_id)
    .bind(login.session_id)
    .bind(&login.next)
    .bind(expires_at)
    .exec()
    .await?;
    Ok(())
}

/// Ends the linkings that an account began.
pub(in crate::auth) async fn forget_links(tx: &mut Tx, user: Uuid) -> Result<()> {
    tx.query("DELETE FROM oidc_logins WHERE user_id = $1")
        .bind(user)
        .exec()
        .await?;
    Ok(())
}

/// Uses a login up. Of two concurrent calls one gets it.
pub(super) async fn take(db: &Db, state_hash: &[u8], now: Timestamp) -> Result<Option<Login>> {
    db.query(
        "DELETE FROM oidc_logins WHERE state_hash = $1 AND expires_at > $2 \
         RETURNING provider, nonce, verifier, user_id, session_id, next",
    )
    .bind(state_hash)
    .bind(now)
    .writes()
    .optional()
    .await
}

pub(in crate::auth) async fn forget_ended(db: &Db, now: Timestamp) -> Result<()> {
    db.query("DELETE FROM oidc_logins WHERE expires_at < $1")
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Notes the use of an identity and returns its account with the token generation. One statement does both,
/// so an identity that is being unlinked opens no session of the next generation.
pub(super) async fn used(
    db: &Db,
    issuer: &str,
    subject: &str,
    now: Timestamp,
) -> Result<Option<(Uuid, i64)>> {
    db.query(
        "UPDATE identities SET last_used_at = $3 WHERE issuer = $1 AND subject = $2 \
         RETURNING user_id, \
         (SELECT u.token_generation FROM users u WHERE u.id = identities.user_id)",
    )
    .bind(issuer)
    .bind(subject)
    .bind(now)
    .writes()
    .optional()
    .await
}

/// Links an identity. Returns `false` if it is linked already.
pub(super) async fn add(
    tx: &mut Tx,
    identity: &Identity,
    user: Uuid,
    issuer: &str,
    subject: &str,
) -> Result<bool> {
    let added = tx
        .query(
            "INSERT INTO identities (id, user_id, provider, issuer, subject, email, created_at, \
         last_used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $7) \
         ON CONFLICT (issuer, subject) DO NOTHING",
        )
        .bind(identity.id)
        .bind(user)
        .bind(&identity.provider)
        .bind(issuer)
        .bind(subject)
        .bind(&identity.email)
        .bind(identity.created_at)
        .exec()
        .await?;
    Ok(added == 1)
}

/// Lists identities, the password first.
pub(in crate::auth) async fn list(db: &Db, user: Uuid) -> Result<Vec<Identity>> {
    let mut found: Vec<Identity> = db
        .query(
            "SELECT id, 'local' AS provider, email, created_at, NULL AS last_used_at FROM users \
         WHERE id = $1 AND password_hash IS NOT NULL",
        )
        .bind(user)
        .all()
        .await?;
    let linked: Vec<Identity> = db
        .query(
            "SELECT id, provider, email, created_at, last_used_at FROM identities \
         WHERE user_id = $1 ORDER BY created_at, id",
        )
        .bind(user)
        .all()
        .await?;
    found.extend(linked);
    Ok(found)
}

/// Result of a removal.
pub(super) enum Removed {
    Yes,
    Unknown,
    Last,
}

/// Removes an identity, or (by the account's id) the password, unless it is the last one. The transaction has
/// locked the account, so concurrent calls cannot remove the last two.
pub(super) async fn remove(tx: &mut Tx, user: Uuid, id: Uuid) -> Result<Removed> {
    let removed = if id == user {
        tx.query(
            "UPDATE users SET password_hash = NULL WHERE id = $1 AND password_hash IS NOT NULL",
        )
        .bind(user)
        .exec()
        .await?
    } else {
        tx.query("DELETE FROM identities WHERE id = $1 AND user_id = $2")
            .bind(id)
            .bind(user)
            .exec()
            .await?
    };
    if removed == 0 {
        return Ok(Removed::Unknown);
    }
    let left: i64 = tx
        .query(
            "SELECT (SELECT COUNT(*) FROM identities WHERE user_id = $1) \
         + (SELECT COUNT(*) FROM users WHERE id = $1 AND password_hash IS NOT NULL)",
        )
        .bind(user)
        .one_value()
        .await?;
    if left == 0 {
        return Ok(Removed::Last);
    }
    Ok(Removed::Yes)
}

/// Unlinks every identity of a user and returns their providers.
pub(in crate::auth) async fn remove_all(tx: &mut Tx, user: Uuid) -> Result<Vec<String>> {
    tx.query("DELETE FROM identities WHERE user_id = $1 RETURNING provider")
        .bind(user)
        .all_values()
        .await
}
