//! SQL that counts the consents of a period.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// Most rows of a list: files may bring consents from as many places as they like.
const MOST_ROWS: i64 = 1_000;

/// The consents of a project in a period.
#[derive(Clone, Copy)]
pub(super) struct Scope {
    pub project: Uuid,
    pub start: Timestamp,
    pub end: Timestamp,
}

/// Consents to a configuration or box with an outcome.
#[derive(sqlx::FromRow)]
pub(super) struct ConfigurationRow {
    pub collection: String,
    pub identifier: Uuid,
    pub outcome: String,
    pub consents: i64,
}

pub(super) async fn by_configuration(tx: &mut Tx, of: Scope) -> Result<Vec<ConfigurationRow>> {
    tx.query(
        "SELECT collection, identifier, outcome, COUNT(*) AS consents FROM consents \
         WHERE project_id = $1 AND decided_at >= $2 AND decided_at < $3 \
         GROUP BY collection, identifier, outcome ORDER BY COUNT(*) DESC LIMIT $4",
    )
    .bind(of.project)
    .bind(of.start)
    .bind(of.end)
    .bind(MOST_ROWS)
    .all()
    .await
}

/// Country, outcome and count.
pub(super) async fn by_country(
    tx: &mut Tx,
    of: Scope,
) -> Result<Vec<(Option<String>, String, i64)>> {
    tx.query(
        "SELECT country, outcome, COUNT(*) FROM consents \
         WHERE project_id = $1 AND decided_at >= $2 AND decided_at < $3 \
         GROUP BY country, outcome ORDER BY COUNT(*) DESC LIMIT $4",
    )
    .bind(of.project)
    .bind(of.start)
    .bind(of.end)
    .bind(MOST_ROWS)
    .all()
    .await
}

/// Day since 1970, outcome, count, and how many of them are erased.
pub(super) async fn by_day(tx: &mut Tx, of: Scope) -> Result<Vec<(i64, String, i64, i64)>> {
    // Microseconds of a day.
    tx.query(
        "SELECT decided_at / 86400000000 AS day, outcome, COUNT(*), COUNT(erased_at) FROM consents \
         WHERE project_id = $1 AND decided_at >= $2 AND decided_at < $3 GROUP BY day, outcome",
    )
    .bind(of.project)
    .bind(of.start)
    .bind(of.end)
    .all()
    .await
}
