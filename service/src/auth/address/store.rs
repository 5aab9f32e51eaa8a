//! SQL of an account's e-mail address and of its pending address.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Locked, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// The columns of an account that a change of its address needs.
#[derive(sqlx::FromRow)]
pub(in crate::auth) struct Addresses {
    pub username: String,
    pub display_name: String,
    pub email: String,
    pending_email: Option<String>,
    pending_email_until: Option<Timestamp>,
}

impl Addresses {
    /// The pending address, if its deadline has not passed.
    pub(in crate::auth) fn waits(&self, now: Timestamp) -> Option<&str> {
        self.pending_email
            .as_deref()
            .filter(|_| self.pending_email_until > Some(now))
    }
}

/// Sets the pending address.
pub(super) async fn wait(tx: &mut Tx, user: Uuid, email: &str, until: Timestamp) -> Result<()> {
    tx.query("UPDATE users SET pending_email = $2, pending_email_until = $3 WHERE id = $1")
        .bind(user)
        .bind(email)
        .bind(until)
        .exec()
        .await?;
    Ok(())
}

/// Extends the pending address's deadline if the address has not changed meanwhile.
pub(super) async fn wait_on(
    tx: &mut Tx,
    user: Uuid,
    email: &str,
    until: Timestamp,
) -> Result<bool> {
    let found = tx
        .query("UPDATE users SET pending_email_until = $3 WHERE id = $1 AND pending_email = $2")
        .bind(user)
        .bind(email)
        .bind(until)
        .exec()
        .await?;
    Ok(found == 1)
}

/// Drops the pending address, which ends the links that were mailed to it.
pub(in crate::auth) async fn forget(tx: &mut Tx, user: Uuid) -> Result<()> {
    tx.query("UPDATE users SET pending_email = NULL, pending_email_until = NULL WHERE id = $1")
        .bind(user)
        .exec()
        .await?;
    Ok(())
}

/// Reads an account and locks it until the transaction ends.
pub(in crate::auth) async fn find(tx: &mut Tx, user: Uuid) -> Result<Option<Addresses>> {
    tx.lock(Locked::Account(user)).await?;
    tx.query(
        "SELECT username, display_name, email, pending_email, pending_email_until \
         FROM users WHERE id = $1",
    )
    .bind(user)
    .optional()
    .await
}

/// True if another account has the address.
pub(in crate::auth) async fn is_anothers(tx: &mut Tx, user: Uuid, email_key: &str) -> Result<bool> {
    let found: Option<Uuid> = tx
        .query("SELECT id FROM users WHERE email_key = $2 AND id <> $1")
        .bind(user)
        .bind(email_key)
        .optional_value()
        .await?;
    Ok(found.is_some())
}

/// Replaces an account's address and drops the pending one. If the username was the previous address, it
/// becomes the new one, because the previous address may become another account's login.
pub(super) async fn replace(
    tx: &mut Tx,
    user: Uuid,
    email: &str,
    verified_at: Option<Timestamp>,
    now: Timestamp,
) -> Result<()> {
    tx.query(
        "UPDATE users SET \
         username = CASE WHEN username_key = email_key THEN $2 ELSE username END, \
         username_key = CASE WHEN username_key = email_key THEN $3 ELSE username_key END, \
         email_verified_at = CASE WHEN email_key = $3 \
             THEN COALESCE(email_verified_at, $4) ELSE $4 END, \
         email = $2, email_key = $3, pending_email = NULL, pending_email_until = NULL, \
         updated_at = $5 WHERE id = $1",
    )
    .bind(user)
    .bind(email)
    .bind(crate::auth::key(email))
    .bind(verified_at)
    .bind(now)
    .exec()
    .await?;
    Ok(())
}

/// Drops pending addresses whose deadline has passed.
pub(in crate::auth) async fn forget_ended(db: &Db, now: Timestamp) -> Result<()> {
    db.query(
        "UPDATE users SET pending_email = NULL, pending_email_until = NULL \
         WHERE pending_email_until <= $1",
    )
    .bind(now)
    .exec()
    .await?;
    Ok(())
}
