//! SQL of the installation's facts.

use crate::db::{Db, DbError};

type Result<T> = std::result::Result<T, DbError>;

const ADDRESSES: &str = "addresses";

pub(super) async fn addresses(db: &Db) -> Result<Option<String>> {
    db.query("SELECT value FROM meta WHERE key = $1")
        .bind(ADDRESSES)
        .optional_value()
        .await
}

pub(super) async fn set_addresses(db: &Db, addresses: &str) -> Result<()> {
    db.query(
        "INSERT INTO meta (key, value) VALUES ($1, $2) \
         ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )
    .bind(ADDRESSES)
    .bind(addresses)
    .exec()
    .await?;
    Ok(())
}
