//! SQL of time stamps.

use crate::{
    clock::Timestamp,
    db::{Db, DbError},
};

type Result<T> = std::result::Result<T, DbError>;

/// The state of an authority.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct AuthorityRow {
    pub asked_at: Timestamp,
    /// Questions since the last stamp.
    pub failures: i64,
    pub fault: Option<String>,
    pub fault_at: Option<Timestamp>,
}

pub(super) async fn authority(db: &Db, url: &str) -> Result<Option<AuthorityRow>> {
    db.query("SELECT asked_at, failures, fault, fault_at FROM ledger_authorities WHERE url = $1")
        .bind(url)
        .optional()
        .await
}

/// Notes that an authority is asked. Before it is, so that no crash makes it be asked more often.
pub(super) async fn asking(db: &Db, url: &str, now: Timestamp) -> Result<()> {
    db.query(
        "INSERT INTO ledger_authorities (url, asked_at, failures) VALUES ($1, $2, 1) \
         ON CONFLICT (url) DO UPDATE SET asked_at = excluded.asked_at, \
         failures = ledger_authorities.failures + 1",
    )
    .bind(url)
    .bind(now)
    .exec()
    .await?;
    Ok(())
}

pub(super) async fn failed(db: &Db, url: &str, fault: &str, now: Timestamp) -> Result<()> {
    db.query("UPDATE ledger_authorities SET fault = $2, fault_at = $3 WHERE url = $1")
        .bind(url)
        .bind(fault)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Keeps the first stamp of an authority over a checkpoint.
pub(super) async fn stamped(
    db: &Db,
    size: i64,
    url: &str,
    token: &[u8],
    at: Timestamp,
) -> Result<()> {
    let mut tx = db.begin().await?;
    tx.query(
        "INSERT INTO ledger_timestamps (size, url, token, stamped_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (size, url) DO NOTHING",
    )
    .bind(size)
    .bind(url)
    .bind(token)
    .bind(at)
    .exec()
    .await?;
    tx.query(
        "UPDATE ledger_authorities SET failures = 0, fault = NULL, fault_at = NULL WHERE url = $1",
    )
    .bind(url)
    .exec()
    .await?;
    tx.commit().await
}

/// Size and time of the latest stamp of an authority.
pub(super) async fn latest(db: &Db, url: &str) -> Result<Option<(i64, Timestamp)>> {
    db.query(
        "SELECT size, stamped_at FROM ledger_timestamps WHERE url = $1 ORDER BY size DESC LIMIT 1",
    )
    .bind(url)
    .optional()
    .await
}
