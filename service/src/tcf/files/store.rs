//! SQL of the files.

use super::{File, Kind};
use crate::{
    clock::Timestamp,
    db::{Db, DbError},
};

type Result<T> = std::result::Result<T, DbError>;

const COLUMNS: &str =
    "name, url, sha256, etag, last_modified, tried_at, fetched_at, due_at, failures, failure";

/// The files of a kind, by name.
pub(in crate::tcf) async fn all(db: &Db, kind: Kind) -> Result<Vec<File>> {
    let sql = format!("SELECT {COLUMNS} FROM tcf_files WHERE kind = $1 ORDER BY name");
    db.query(sqlx::AssertSqlSafe(sql))
        .bind(kind.as_str())
        .all()
        .await
}

/// A file.
pub(in crate::tcf) async fn one(db: &Db, kind: Kind, name: &str) -> Result<Option<File>> {
    let sql = format!("SELECT {COLUMNS} FROM tcf_files WHERE kind = $1 AND name = $2");
    db.query(sqlx::AssertSqlSafe(sql))
        .bind(kind.as_str())
        .bind(name.to_owned())
        .optional()
        .await
}

/// Adds a file that is to be fetched, unless it is there already. True if it was added.
pub(in crate::tcf) async fn wish(db: &Db, kind: Kind, name: &str, url: &str) -> Result<bool> {
    let added = db
        .query(
            "INSERT INTO tcf_files (kind, name, url, due_at, failures) VALUES ($1, $2, $3, 0, 0) \
             ON CONFLICT (kind, name) DO NOTHING",
        )
        .bind(kind.as_str())
        .bind(name.to_owned())
        .bind(url.to_owned())
        .exec()
        .await?;
    Ok(added > 0)
}

/// Makes a file due later that is due `now`, or that nobody knows at this address. True if it was.
pub(super) async fn claim(
    db: &Db,
    kind: Kind,
    name: &str,
    url: &str,
    (now, until): (Timestamp, Timestamp),
) -> Result<bool> {
    let mut tx = db.begin().await?;
    // Facts about another address say nothing about this one.
    tx.query("DELETE FROM tcf_files WHERE kind = $1 AND name = $2 AND url <> $3")
        .bind(kind.as_str())
        .bind(name)
        .bind(url)
        .exec()
        .await?;
    let claimed = tx
        .query(
            "INSERT INTO tcf_files (kind, name, url, due_at, failures) VALUES ($1, $2, $3, $4, 0) \
             ON CONFLICT (kind, name) DO UPDATE SET due_at = excluded.due_at WHERE tcf_files.due_at <= $5",
        )
        .bind(kind.as_str())
        .bind(name)
        .bind(url)
        .bind(until.0)
        .bind(now.0)
        .exec()
        .await?;
    tx.commit().await?;
    Ok(claimed > 0)
}

/// Keeps what is known of a file.
pub(super) async fn put(db: &Db, kind: Kind, file: &File) -> Result<()> {
    db.query(
        "INSERT INTO tcf_files (kind, name, url, sha256, etag, last_modified, tried_at, fetched_at, due_at, failures, \
         failure) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
         ON CONFLICT (kind, name) DO UPDATE SET url = excluded.url, sha256 = excluded.sha256, etag = excluded.etag, \
         last_modified = excluded.last_modified, tried_at = excluded.tried_at, fetched_at = excluded.fetched_at, \
         due_at = excluded.due_at, failures = excluded.failures, failure = excluded.failure",
    )
    .bind(kind.as_str())
    .bind(&file.name)
    .bind(&file.url)
    .bind(&file.sha256)
    .bind(&file.etag)
    .bind(&file.last_modified)
    .bind(file.tried_at.map(|at: Timestamp| at.0))
    .bind(file.fetched_at.map(|at: Timestamp| at.0))
    .bind(file.due_at)
    .bind(file.failures)
    .bind(&file.failure)
    .exec()
    .await?;
    Ok(())
}
