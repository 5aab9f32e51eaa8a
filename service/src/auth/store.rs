//! SQL of accounts, signing keys and revoked tokens.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{
    User,
    keys::{Older, SealedKey},
};
use crate::{
    clock::Timestamp,
    db::{Db, DbError, Target, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

#[derive(sqlx::FromRow)]
pub(super) struct Credentials {
    id: Uuid,
    display_name: String,
    username: String,
    email: String,
    pub password_hash: Option<String>,
    pub token_generation: i64,
    email_verified_at: Option<Timestamp>,
    pending_email: Option<String>,
    pending_email_until: Option<Timestamp>,
    concern_letters: bool,
    digest_letters: bool,
}

const CREDENTIALS: &str = "SELECT id, display_name, username, email, password_hash, \
     token_generation, email_verified_at, pending_email, pending_email_until, concern_letters, \
     digest_letters FROM users";

impl Credentials {
    pub(super) fn user(self, now: Timestamp) -> User {
        User {
            pending_email: self
                .pending_email
                .filter(|_| self.pending_email_until > Some(now)),
            id: self.id,
            display_name: self.display_name,
            username: self.username,
            email: self.email,
            email_verified: self.email_verified_at.is_some(),
            concern_letters: self.concern_letters,
            digest_letters: self.digest_letters,
        }
    }
}

pub(super) async fn add(
    tx: &mut Tx,
    user: &User,
    password_hash: Option<&str>,
    now: Timestamp,
) -> Result<()> {
    tx.query(
        "INSERT INTO users (id, username, username_key, email, email_key, display_name, \
         password_hash, created_at, updated_at, token_generation, concern_letters, digest_letters) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8, 0, $9, $10)",
    )
    .bind(user.id)
    .bind(&user.username)
    .bind(super::key(&user.username))
    .bind(&user.email)
    .bind(super::key(&user.email))
    .bind(&user.display_name)
    .bind(password_hash)
    .bind(now)
    .bind(user.concern_letters)
    .bind(user.digest_letters)
    .exec()
    .await?;
    Ok(())
}

/// Changes the display name, and the spelling of username and address. It never replaces these by others.
pub(super) async fn update(tx: &mut Tx, user: &User, now: Timestamp) -> Result<()> {
    tx.query(
        "UPDATE users SET username = CASE WHEN username_key = $3 THEN $2 ELSE username END, \
         email = CASE WHEN email_key = $5 THEN $4 ELSE email END, \
         display_name = $6, updated_at = $7, concern_letters = $8, digest_letters = $9 WHERE id = $1",
    )
    .bind(user.id)
    .bind(&user.username)
    .bind(super::key(&user.username))
    .bind(&user.email)
    .bind(super::key(&user.email))
    .bind(&user.display_name)
    .bind(now)
    .bind(user.concern_letters)
    .bind(user.digest_letters)
    .exec()
    .await?;
    Ok(())
}

pub(super) async fn find_by_username(db: &Db, key: &str) -> Result<Option<Uuid>> {
    db.query("SELECT id FROM users WHERE username_key = $1")
        .bind(key)
        .optional_value()
        .await
}

pub(super) async fn find_by_email(db: &Db, key: &str) -> Result<Option<Uuid>> {
    db.query("SELECT id FROM users WHERE email_key = $1")
        .bind(key)
        .optional_value()
        .await
}

/// Finds an account by username or e-mail address. Both are unique, and a username with `@` is the account's
/// own address.
pub(super) async fn credentials(db: &Db, key: &str) -> Result<Option<Credentials>> {
    let sql = format!("{CREDENTIALS} WHERE username_key = $1 OR email_key = $1");
    db.query(AssertSqlSafe(sql)).bind(key).optional().await
}

pub(super) async fn account_of_email(db: &Db, key: &str, now: Timestamp) -> Result<Option<User>> {
    let sql = format!("{CREDENTIALS} WHERE email_key = $1");
    let found: Option<Credentials> = db.query(AssertSqlSafe(sql)).bind(key).optional().await?;
    Ok(found.map(|found| found.user(now)))
}

/// Marks the address as verified if the account still has it. Returns whether it was verified before, or
/// `None` if the account has another address.
pub(super) async fn verify_email(
    tx: &mut Tx,
    user: Uuid,
    email_key: &str,
    now: Timestamp,
) -> Result<Option<bool>> {
    let before: Option<Option<Timestamp>> = tx
        .query("SELECT email_verified_at FROM users WHERE id = $1 AND email_key = $2")
        .bind(user)
        .bind(email_key)
        .optional_value()
        .await?;
    let Some(before) = before else {
        return Ok(None);
    };
    tx.query("UPDATE users SET email_verified_at = COALESCE(email_verified_at, $2) WHERE id = $1")
        .bind(user)
        .bind(now)
        .exec()
        .await?;
    Ok(Some(before.is_some()))
}

pub(super) async fn lookup(db: &Db, id: Uuid, now: Timestamp) -> Result<Option<User>> {
    let sql = format!("{CREDENTIALS} WHERE id = $1");
    let found: Option<Credentials> = db.query(AssertSqlSafe(sql)).bind(id).optional().await?;
    Ok(found.map(|found| found.user(now)))
}

/// Reads an account with its token generation.
pub(super) async fn account(db: &Db, id: Uuid, now: Timestamp) -> Result<Option<(User, i64)>> {
    let sql = format!("{CREDENTIALS} WHERE id = $1");
    let found: Option<Credentials> = db.query(AssertSqlSafe(sql)).bind(id).optional().await?;
    Ok(found.map(|found| {
        let generation = found.token_generation;
        (found.user(now), generation)
    }))
}

/// The columns that decide about a token, besides its signature.
#[derive(sqlx::FromRow)]
pub(super) struct Standing {
    pub token_generation: i64,
    /// Last noted use of its session.
    pub last_used_at: Option<Timestamp>,
}

/// Returns `None` if the token was revoked or the account is gone.
pub(super) async fn standing(db: &Db, user: Uuid, token_id: Uuid) -> Result<Option<Standing>> {
    db.query(
        "SELECT u.token_generation, s.last_used_at FROM users u \
         LEFT JOIN sessions s ON s.id = $2 AND s.user_id = u.id WHERE u.id = $1 \
         AND NOT EXISTS (SELECT 1 FROM revoked_tokens WHERE jti = $2)",
    )
    .bind(user)
    .bind(token_id)
    .optional()
    .await
}

/// Stores a revoked token.
pub(super) async fn revoke(db: &Db, token_id: Uuid, expires_at: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    tx.query(
        "INSERT INTO revoked_tokens (jti, expires_at) VALUES ($1, $2) ON CONFLICT (jti) DO NOTHING",
    )
    .bind(token_id)
    .bind(expires_at)
    .exec()
    .await?;
    tx.query("DELETE FROM sessions WHERE id = $1")
        .bind(token_id)
        .exec()
        .await?;
    tx.commit().await
}

/// Deletes revoked tokens that have expired.
pub(super) async fn forget_ended(db: &Db, now: Timestamp) -> Result<()> {
    db.query("DELETE FROM revoked_tokens WHERE expires_at < $1")
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Sets the password, raises the token generation and returns it.
pub(super) async fn set_password(
    tx: &mut Tx,
    user: Uuid,
    hash: &str,
    now: Timestamp,
) -> Result<i64> {
    tx.query(
        "UPDATE users SET password_hash = $2, updated_at = $3, \
         token_generation = token_generation + 1 WHERE id = $1 RETURNING token_generation",
    )
    .bind(user)
    .bind(hash)
    .bind(now)
    .one_value()
    .await
}

/// Signing keys made after `oldest`, the newest first.
pub(super) async fn keys(db: &Db, oldest: Timestamp) -> Result<Vec<SealedKey>> {
    db.query(
        "SELECT kid, private_key, public_key, created_at FROM signing_keys \
         WHERE created_at > $1 ORDER BY created_at DESC, kid",
    )
    .bind(oldest)
    .all()
    .await
}

pub(super) async fn add_key(db: &Db, key: &SealedKey, older: Older) -> Result<()> {
    let mut tx = db.begin().await?;
    if older == Older::End {
        tx.query("DELETE FROM signing_keys").exec().await?;
    }
    tx.query(
        "INSERT INTO signing_keys (kid, private_key, public_key, created_at) \
         VALUES ($1, $2, $3, $4)",
    )
    .bind(&key.kid)
    .bind(&key.private_key)
    .bind(&key.public_key)
    .bind(key.created_at)
    .exec()
    .await?;
    tx.commit().await
}

/// True if a sign-in asks for a second factor.
pub(super) async fn has_factor(mut at: Target<'_>, user: Uuid) -> Result<bool> {
    let factors = at.query("SELECT COUNT(*) FROM confirmed_factors WHERE user_id = $1");
    Ok(factors.bind(user).count().await? > 0)
}
