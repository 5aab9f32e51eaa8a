//! SQL that counts the consents of a day.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// Consents that have all of this in common.
#[derive(sqlx::FromRow)]
pub(super) struct Alike {
    pub collection: String,
    pub identifier: Uuid,
    pub outcome: String,
    pub country: Option<String>,
    pub language: Option<String>,
    pub consents: i64,
    /// Those of them that were erased.
    pub erased: i64,
}

/// Counts the consents of a project between two moments. The index of their time holds every column, and a day of it
/// is sorted in memory.
pub(super) async fn alike(
    tx: &mut Tx,
    project: Uuid,
    (start, end): (Timestamp, Timestamp),
) -> Result<Vec<Alike>> {
    tx.query(
        // An older version beside this one erases consents and leaves their language.
        "SELECT collection, identifier, outcome, country, \
         CASE WHEN erased_at IS NULL THEN language END AS language, \
         COUNT(*) AS consents, COUNT(erased_at) AS erased \
         FROM consents WHERE project_id = $1 AND decided_at >= $2 AND decided_at < $3 \
         GROUP BY 1, 2, 3, 4, 5",
    )
    .bind(project)
    .bind(start)
    .bind(end)
    .all()
    .await
}
