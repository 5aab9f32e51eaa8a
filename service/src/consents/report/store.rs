//! SQL that counts the consents of a period.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError},
};

type Result<T> = std::result::Result<T, DbError>;

/// Consents with the same configuration, country and outcome.
#[derive(sqlx::FromRow)]
pub(super) struct CountedRow {
    pub collection: String,
    pub identifier: Uuid,
    pub country: Option<String>,
    pub outcome: String,
    pub consents: i64,
    pub erased: i64,
}

pub(super) async fn counted(
    db: &Db,
    project: Uuid,
    start: Timestamp,
    end: Timestamp,
) -> Result<Vec<CountedRow>> {
    db.query(
        "SELECT collection, identifier, country, outcome, COUNT(*) AS consents, \
         COUNT(erased_at) AS erased FROM consents \
         WHERE project_id = $1 AND decided_at >= $2 AND decided_at < $3 \
         GROUP BY collection, identifier, country, outcome",
    )
    .bind(project)
    .bind(start)
    .bind(end)
    .all()
    .await
}

/// Day since 1970, outcome and count.
pub(super) async fn by_day(
    db: &Db,
    project: Uuid,
    start: Timestamp,
    end: Timestamp,
) -> Result<Vec<(i64, String, i64)>> {
    // Microseconds of a day.
    db.query(
        "SELECT decided_at / 86400000000 AS day, outcome, COUNT(*) FROM consents \
         WHERE project_id = $1 AND decided_at >= $2 AND decided_at < $3 GROUP BY day, outcome",
    )
    .bind(project)
    .bind(start)
    .bind(end)
    .all()
    .await
}
