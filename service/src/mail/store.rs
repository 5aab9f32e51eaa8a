//! SQL of letters.

use uuid::Uuid;

use super::{Letter, Outcome, Purpose};
use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

#[derive(sqlx::FromRow)]
pub(super) struct Row {
    pub kind: String,
    pub recipient: String,
    pub content: String,
    pub created_at: Timestamp,
}

pub(super) async fn add(tx: &mut Tx, id: Uuid, letter: &Letter, now: Timestamp) -> Result<()> {
    tx.query(
        "INSERT INTO letters (id, kind, recipient, content, status, attempts, created_at, sender) \
         VALUES ($1, $2, $3, $4, 'queued', 0, $5, $6)",
    )
    .bind(id)
    .bind(letter.purpose.as_str())
    .bind(&letter.recipient)
    .bind(&letter.content)
    .bind(now)
    .bind(letter.sender)
    .exec()
    .await?;
    Ok(())
}

/// Counts the letters that an account has sent since a time: all, and those to one e-mail address.
pub(super) async fn sent(
    tx: &mut Tx,
    sender: Uuid,
    recipient: &str,
    since: Timestamp,
) -> Result<(i64, i64)> {
    tx.query(
        "SELECT COUNT(*), COUNT(CASE WHEN recipient = $2 THEN 1 END) FROM letters \
         WHERE sender = $1 AND created_at > $3",
    )
    .bind(sender)
    .bind(recipient)
    .bind(since)
    .one()
    .await
}

/// Counts the letters with news to an address since a time. Strangers ask for letters with links, which must not keep
/// news away.
pub(super) async fn had(tx: &mut Tx, recipient: &str, since: Timestamp) -> Result<i64> {
    tx.query(
        "SELECT COUNT(*) FROM letters WHERE recipient = $1 AND created_at > $2 AND sender IS NULL \
         AND kind = $3",
    )
    .bind(recipient)
    .bind(since)
    .bind(Purpose::Plain.as_str())
    .one_value()
    .await
}

/// A letter that waits.
pub(super) async fn waiting(db: &Db, id: Uuid) -> Result<Option<Row>> {
    db.query(
        "SELECT kind, recipient, content, created_at FROM letters \
         WHERE id = $1 AND status = 'queued'",
    )
    .bind(id)
    .optional()
    .await
}

/// Records a try: `status` is `queued` while it will be tried again.
pub(super) async fn record(
    db: &Db,
    id: Uuid,
    status: &str,
    answer: Option<&str>,
    finished_at: Option<Timestamp>,
) -> Result<()> {
    db.query(
        "UPDATE letters SET status = $2, attempts = attempts + 1, last_answer = $3, \
         finished_at = $4 WHERE id = $1 AND status = 'queued'",
    )
    .bind(id)
    .bind(status)
    .bind(answer)
    .bind(finished_at)
    .exec()
    .await?;
    Ok(())
}

/// Removes a letter that nobody is to get.
pub(super) async fn remove(db: &Db, id: Uuid) -> Result<()> {
    db.query("DELETE FROM letters WHERE id = $1")
        .bind(id)
        .exec()
        .await?;
    Ok(())
}

pub(super) async fn forget(db: &Db, before: Timestamp) -> Result<()> {
    db.query("DELETE FROM letters WHERE finished_at < $1")
        .bind(before)
        .exec()
        .await?;
    Ok(())
}

/// The latest letters to an address, newest first.
pub(super) async fn outcomes(db: &Db, recipient: &str) -> Result<Vec<Outcome>> {
    db.query(
        "SELECT id, kind, status, attempts, last_answer FROM letters WHERE recipient = $1 \
         ORDER BY id DESC LIMIT 100",
    )
    .bind(recipient)
    .all()
    .await
}
