//! SQL of letters.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{Letter, Outcome, Purpose, mailbox};
use crate::{
    access,
    clock::Timestamp,
    db::{Db, DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

#[derive(sqlx::FromRow)]
pub(super) struct Row {
    pub kind: String,
    pub recipient: String,
    pub content: String,
    pub sender: Option<Uuid>,
    pub created_at: Timestamp,
}

/// Adds a letter to those that wait; `about` is the project that it warns of.
pub(super) async fn add(
    tx: &mut Tx,
    id: Uuid,
    letter: &Letter,
    about: Option<Uuid>,
    now: Timestamp,
) -> Result<()> {
    tx.query(
        "INSERT INTO letters (id, kind, recipient, content, status, attempts, created_at, sender, about, mailbox) \
         VALUES ($1, $2, $3, $4, 'queued', 0, $5, $6, $7, $8)",
    )
    .bind(id)
    .bind(letter.purpose.as_str())
    .bind(&letter.recipient)
    .bind(&letter.content)
    .bind(now)
    .bind(letter.sender)
    .bind(about)
    .bind(mailbox(&letter.recipient))
    .exec()
    .await?;
    Ok(())
}

/// Counts the letters that an account has sent since a time: all, and those to the mailbox of an address.
pub(super) async fn sent(
    tx: &mut Tx,
    sender: Uuid,
    recipient: &str,
    since: Timestamp,
) -> Result<(i64, i64)> {
    tx.query(
        "SELECT COUNT(*), COUNT(CASE WHEN mailbox = $2 THEN 1 END) FROM letters \
         WHERE sender = $1 AND created_at > $3",
    )
    .bind(sender)
    .bind(mailbox(recipient))
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

/// Counts the warnings of a project with the subject of a letter, to its recipient, since a time.
pub(super) async fn had_alike(
    tx: &mut Tx,
    letter: &Letter,
    about: Uuid,
    since: Timestamp,
) -> Result<i64> {
    // The subject of a plain letter ends with the first line break.
    let subject = letter
        .content
        .split_inclusive('\n')
        .next()
        .unwrap_or_default();
    let length = i32::try_from(subject.chars().count()).unwrap_or(i32::MAX);
    tx.query(
        "SELECT COUNT(*) FROM letters WHERE recipient = $1 AND created_at > $2 AND about = $3 \
         AND SUBSTR(content, 1, $4) = $5",
    )
    .bind(&letter.recipient)
    .bind(since)
    .bind(about)
    .bind(length)
    .bind(subject)
    .one_value()
    .await
}

/// True if the person with this address came to the project by an own act.
pub(super) async fn came_freely(tx: &mut Tx, address: &str, project: Uuid) -> Result<bool> {
    let freely = access::came_freely("u.id");
    let sql = format!(
        "SELECT COUNT(*) FROM users u JOIN documents d ON d.id = $2 WHERE u.email = $1 AND {freely}"
    );
    let count = tx
        .query(AssertSqlSafe(sql))
        .bind(address)
        .bind(project)
        .count()
        .await?;
    Ok(count > 0)
}

/// The time of the nth last letter of a purpose, and of a sender if there is one, to the mailbox of an address since a
/// time, or of those before a letter. `None` if there were fewer.
pub(super) async fn nth_last(
    db: &Db,
    (purpose, sender): (Purpose, Option<Uuid>),
    recipient: &str,
    (nth, since, before): (i64, Timestamp, Option<Uuid>),
) -> Result<Option<Timestamp>> {
    db.query(
        "SELECT created_at FROM letters WHERE mailbox = $1 AND created_at > $2 AND kind = $3 \
         AND ($4 IS NULL OR id < $4) AND ($5 IS NULL OR sender = $5) \
         ORDER BY created_at DESC LIMIT 1 OFFSET $6",
    )
    .bind(mailbox(recipient))
    .bind(since)
    .bind(purpose.as_str())
    .bind(before)
    .bind(sender)
    .bind(nth - 1)
    .optional_value()
    .await
}

/// A letter that waits.
pub(super) async fn waiting(db: &Db, id: Uuid) -> Result<Option<Row>> {
    db.query(
        "SELECT kind, recipient, content, sender, created_at FROM letters \
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
