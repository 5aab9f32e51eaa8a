//! SQL of second factors.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Target, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// The second factor of an account.
#[derive(sqlx::FromRow)]
pub(super) struct Row {
    /// Sealed.
    pub secret: Vec<u8>,
    pub confirmed_at: Option<Timestamp>,
}

pub(super) async fn find(mut at: Target<'_>, user: Uuid) -> Result<Option<Row>> {
    at.query("SELECT secret, confirmed_at FROM second_factors WHERE user_id = $1")
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

/// Ends every second factor. Returns `false` if the account had none that was confirmed.
pub(in crate::auth) async fn forget(tx: &mut Tx, user: Uuid) -> Result<bool> {
    forget_recovery(tx, user).await?;
    let passkeys = tx
        .query("DELETE FROM passkeys WHERE user_id = $1")
        .bind(user)
        .exec()
        .await?;
    Ok(forget_app(tx, user).await? || passkeys > 0)
}

/// Ends the authenticator app. Returns `false` if the account had none that was confirmed.
pub(super) async fn forget_app(tx: &mut Tx, user: Uuid) -> Result<bool> {
    let confirmed: Option<Option<Timestamp>> = tx
        .query("DELETE FROM second_factors WHERE user_id = $1 RETURNING confirmed_at")
        .bind(user)
        .optional_value()
        .await?;
    Ok(confirmed.flatten().is_some())
}

/// Ends the recovery codes of an account whose last second factor ended.
pub(super) async fn forget_recovery_without_factor(tx: &mut Tx, user: Uuid) -> Result<()> {
    tx.query(
        "DELETE FROM recovery_codes WHERE user_id = $1 \
         AND NOT EXISTS (SELECT 1 FROM confirmed_factors f WHERE f.user_id = $1)",
    )
    .bind(user)
    .exec()
    .await?;
    Ok(())
}

/// A passkey as it is stored.
#[derive(sqlx::FromRow)]
pub(super) struct PasskeyRow {
    pub id: Uuid,
    pub name: String,
    /// The library's JSON.
    pub credential: String,
    pub created_at: Timestamp,
    pub used_at: Option<Timestamp>,
}

/// The passkeys of an account, oldest first.
pub(super) async fn passkeys(db: &Db, user: Uuid) -> Result<Vec<PasskeyRow>> {
    db.query(
        "SELECT id, name, credential, created_at, used_at FROM passkeys WHERE user_id = $1 ORDER BY id",
    )
    .bind(user)
    .all()
    .await
}

pub(super) async fn count_passkeys(tx: &mut Tx, user: Uuid) -> Result<u64> {
    tx.query("SELECT COUNT(*) FROM passkeys WHERE user_id = $1")
        .bind(user)
        .count()
        .await
}

/// The account's passkey with the authenticator's id.
pub(super) async fn passkey_by_credential(
    tx: &mut Tx,
    user: Uuid,
    credential_id: &[u8],
) -> Result<Option<PasskeyRow>> {
    tx.query(
        "SELECT id, name, credential, created_at, used_at FROM passkeys \
         WHERE user_id = $1 AND credential_id = $2",
    )
    .bind(user)
    .bind(credential_id)
    .optional()
    .await
}

pub(super) async fn add_passkey(
    tx: &mut Tx,
    user: Uuid,
    passkey: &PasskeyRow,
    credential_id: &[u8],
) -> Result<()> {
    tx.query(
        "INSERT INTO passkeys (id, user_id, credential_id, name, credential, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(passkey.id)
    .bind(user)
    .bind(credential_id)
    .bind(&passkey.name)
    .bind(&passkey.credential)
    .bind(passkey.created_at)
    .exec()
    .await?;
    Ok(())
}

/// Notes a sign-in, and the counter that came with it.
pub(super) async fn use_passkey(
    tx: &mut Tx,
    id: Uuid,
    credential: &str,
    now: Timestamp,
) -> Result<()> {
    tx.query("UPDATE passkeys SET credential = $2, used_at = $3 WHERE id = $1")
        .bind(id)
        .bind(credential)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Removes a passkey of the account. Returns its name.
pub(super) async fn remove_passkey(tx: &mut Tx, user: Uuid, id: Uuid) -> Result<Option<String>> {
    tx.query("DELETE FROM passkeys WHERE user_id = $1 AND id = $2 RETURNING name")
        .bind(user)
        .bind(id)
        .optional_value()
        .await
}

/// The purpose of a question to a browser.
#[derive(Clone, Copy)]
pub(super) enum Purpose {
    /// Adds a passkey.
    Add,
    /// Signs in.
    SignIn,
}

impl Purpose {
    fn word(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::SignIn => "sign_in",
        }
    }
}

/// Stores a question in place of an earlier one.
pub(super) async fn ask(
    db: &Db,
    user: Uuid,
    purpose: Purpose,
    state: &str,
    expires_at: Timestamp,
) -> Result<()> {
    db.query(
        "INSERT INTO passkey_questions (user_id, purpose, state, expires_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (user_id, purpose) DO UPDATE SET state = excluded.state, \
         expires_at = excluded.expires_at",
    )
    .bind(user)
    .bind(purpose.word())
    .bind(state)
    .bind(expires_at)
    .exec()
    .await?;
    Ok(())
}

/// Takes the state of a question that has not expired.
pub(super) async fn take_question(
    tx: &mut Tx,
    user: Uuid,
    purpose: Purpose,
    now: Timestamp,
) -> Result<Option<String>> {
    tx.query(
        "DELETE FROM passkey_questions WHERE user_id = $1 AND purpose = $2 AND expires_at > $3 \
         RETURNING state",
    )
    .bind(user)
    .bind(purpose.word())
    .bind(now)
    .optional_value()
    .await
}

/// Deletes expired questions.
pub(in crate::auth) async fn forget_ended(db: &Db, now: Timestamp) -> Result<()> {
    db.query("DELETE FROM passkey_questions WHERE expires_at <= $1")
        .bind(now)
        .exec()
        .await?;
    Ok(())
}
