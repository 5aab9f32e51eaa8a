//! SQL of quotas.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// Bytes of an account, and the time it was made; `None` for one that was deleted.
#[derive(sqlx::FromRow)]
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

/// Bytes of the documents that an account made and the files that it uploaded.
pub(super) async fn held(tx: &mut Tx, account: Uuid) -> Result<Counted> {
    tx.query(
        "SELECT CAST(COALESCE((SELECT SUM(bytes) FROM documents WHERE created_by = $1), 0) \
         + COALESCE((SELECT SUM(size) FROM assets WHERE uploaded_by = $1), 0) AS BIGINT) AS bytes, \
         (SELECT created_at FROM users WHERE id = $1) AS since",
    )
    .bind(account)
    .one()
    .await
}

/// Adds to the bytes of a day. Returns their sum.
pub(super) async fn spend(tx: &mut Tx, account: Uuid, day: i64, bytes: i64) -> Result<Counted> {
    let bytes: i64 = tx
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
    let since = tx
        .query("SELECT created_at FROM users WHERE id = $1")
        .bind(account)
        .optional_value()
        .await?;
    Ok(Counted { bytes, since })
}

pub(super) async fn forget(db: &Db, before: i64) -> Result<()> {
    db.query("DELETE FROM account_days WHERE day < $1")
        .bind(before)
        .exec()
        .await?;
    Ok(())
}

/// The accounts with the most bytes, those written since a day included.
pub(super) async fn largest(db: &Db, since: i64, most: u32) -> Result<Vec<Usage>> {
    db.query(
        "SELECT b.id, u.username, CAST(SUM(b.held) AS BIGINT) AS held, \
         CAST(SUM(b.written) AS BIGINT) AS written FROM ( \
         SELECT created_by AS id, bytes AS held, 0 AS written FROM documents \
         UNION ALL SELECT uploaded_by, size, 0 FROM assets \
         UNION ALL SELECT account_id, 0, bytes FROM account_days WHERE day >= $1) b \
         LEFT JOIN users u ON u.id = b.id GROUP BY b.id, u.username \
         ORDER BY SUM(b.held) + SUM(b.written) DESC, b.id LIMIT $2",
    )
    .bind(since)
    .bind(i64::from(most))
    .all()
    .await
}
