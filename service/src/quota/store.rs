//! SQL of quotas.

use std::collections::HashMap;

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Locked, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// Bytes of an account, and the time it was made; `None` for one that was deleted.
pub(super) struct Counted {
    pub bytes: i64,
    pub since: Option<Timestamp>,
}

/// An account and its bytes.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Usage {
    /// Id.
    pub id: Uuid,
    /// Name that its person signs in with; `None` if it was deleted.
    pub username: Option<String>,
    /// Bytes of its documents and files.
    pub held: i64,
    /// Bytes that it published and imported in the last days.
    pub written: i64,
}

async fn counted(tx: &mut Tx, account: Uuid, bytes: i64) -> Result<Counted> {
    let since = tx
        .query("SELECT created_at FROM users WHERE id = $1")
        .bind(account)
        .optional_value()
        .await?;
    Ok(Counted { bytes, since })
}

/// Adds to the bytes that an account holds. Returns their sum.
pub(super) async fn hold(tx: &mut Tx, account: Uuid, bytes: i64) -> Result<Counted> {
    tx.note_lock(Locked::BytesHeld(account));
    let held: i64 = tx
        .query(
            "INSERT INTO account_bytes (account_id, bytes) VALUES ($1, $2) \
             ON CONFLICT (account_id) DO UPDATE SET bytes = account_bytes.bytes + excluded.bytes \
             RETURNING bytes",
        )
        .bind(account)
        .bind(bytes)
        .one_value()
        .await?;
    counted(tx, account, held).await
}

/// Adds to the bytes of a day. Returns their sum.
pub(super) async fn spend(tx: &mut Tx, account: Uuid, day: i64, bytes: i64) -> Result<Counted> {
    tx.note_lock(Locked::BytesOfDay(account));
    let spent: i64 = tx
        .query(
            "INSERT INTO account_days (account_id, day, bytes) VALUES ($1, $2, $3) \
             ON CONFLICT (account_id, day) DO UPDATE SET bytes = account_days.bytes + excluded.bytes \
             RETURNING bytes",
        )
        .bind(account)
        .bind(day)
        .bind(bytes)
        .one_value()
        .await?;
    counted(tx, account, spent).await
}

/// Takes bytes of a day back, as far as there are some: the day may be forgotten since.
pub(super) async fn refund(tx: &mut Tx, account: Uuid, day: i64, bytes: i64) -> Result<()> {
    tx.note_lock(Locked::BytesOfDay(account));
    tx.query(
        "UPDATE account_days SET bytes = CASE WHEN bytes > $3 THEN bytes - $3 ELSE 0 END \
         WHERE account_id = $1 AND day = $2",
    )
    .bind(account)
    .bind(day)
    .bind(bytes)
    .exec()
    .await?;
    Ok(())
}

pub(super) async fn forget(db: &Db, before: i64) -> Result<()> {
    db.query("DELETE FROM account_days WHERE day <= $1")
        .bind(before)
        .exec()
        .await?;
    Ok(())
}

/// Weighs the documents of a process that does not.
pub(super) async fn weigh(db: &Db, of_a_row: i64) -> Result<()> {
    db.query(
        "UPDATE documents SET held_by = created_by, bytes = $1 + OCTET_LENGTH(CAST(data AS TEXT)) \
         WHERE bytes = 0",
    )
    .bind(of_a_row)
    .exec()
    .await?;
    Ok(())
}

/// Bytes that accounts hold, by what there is, and by the counts.
pub(super) async fn sums(db: &Db) -> Result<(HashMap<Uuid, i64>, HashMap<Uuid, i64>)> {
    let counts: Vec<(Uuid, i64)> = db
        .query("SELECT account_id, bytes FROM account_bytes")
        .all()
        .await?;
    let sums: Vec<(Uuid, i64)> = db
        .query(
            "SELECT held.id, CAST(SUM(held.bytes) AS BIGINT) FROM ( \
             SELECT held_by AS id, bytes FROM documents WHERE held_by IS NOT NULL \
             UNION ALL SELECT uploaded_by, size FROM assets \
             UNION ALL SELECT a.uploaded_by, r.bytes FROM asset_renders r JOIN assets a ON a.id = r.asset_id \
             ) held GROUP BY held.id",
        )
        .all()
        .await?;
    Ok((sums.into_iter().collect(), counts.into_iter().collect()))
}

/// Corrects a count that nobody has changed meanwhile.
pub(super) async fn correct(db: &Db, account: Uuid, from: i64, to: i64) -> Result<()> {
    db.query("UPDATE account_bytes SET bytes = $3 WHERE account_id = $1 AND bytes = $2")
        .bind(account)
        .bind(from)
        .bind(to)
        .exec()
        .await?;
    Ok(())
}

/// The accounts with the most bytes, those written after a day included.
pub(super) async fn largest(db: &Db, after: i64, most: u32) -> Result<Vec<Usage>> {
    db.query(
        "SELECT b.id, u.username, CAST(SUM(b.held) AS BIGINT) AS held, \
         CAST(SUM(b.written) AS BIGINT) AS written FROM ( \
         SELECT account_id AS id, bytes AS held, 0 AS written FROM account_bytes \
         UNION ALL SELECT account_id, 0, bytes FROM account_days WHERE day > $1) b \
         LEFT JOIN users u ON u.id = b.id GROUP BY b.id, u.username \
         ORDER BY SUM(b.held) + SUM(b.written) DESC, b.id LIMIT $2",
    )
    .bind(after)
    .bind(i64::from(most))
    .all()
    .await
}
