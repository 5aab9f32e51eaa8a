//! SQL of the installation's facts.

use crate::{
    db::{Db, DbError},
    in_tx, on,
};

type Result<T> = std::result::Result<T, DbError>;

const ADDRESSES: &str = "addresses";

pub(super) async fn addresses(db: &Db) -> Result<Option<String>> {
    Ok(
        on!(db, pool => sqlx::query_scalar("SELECT value FROM meta WHERE key = $1")
        .bind(ADDRESSES)
        .fetch_optional(pool)
        .await)?,
    )
}

pub(super) async fn set_addresses(db: &Db, addresses: &str) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO meta (key, value) VALUES ($1, $2) \
         ON CONFLICT (key) DO UPDATE SET value = excluded.value")
        .bind(ADDRESSES)
        .bind(addresses)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}
