//! Entries for consents that were stored without one: before there was a ledger, or while it was off.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::BATCH;
use crate::{
    consents::row::{Commitment, ConsentRow, READ},
    db::{Db, DbError},
    ledger,
};

type Result<T> = std::result::Result<T, DbError>;

/// Project and id of a consent.
type Place = (Uuid, Uuid);

/// Binds some consents behind a place, in one transaction. Returns the place of the last one and their number; `None` when
/// there are none left. Erased ones have nothing to bind.
pub(in crate::consents) async fn bind_some(db: &Db, after: Place) -> Result<Option<(Place, u64)>> {
    let mut tx = db.begin().await?;
    // Locked, so that none is erased or removed before it has its entry.
    let rows: Vec<ConsentRow> = tx
        .query(AssertSqlSafe(format!(
            "SELECT {READ} FROM consents c WHERE (c.project_id, c.consent_id) > ($1, $2) \
             AND c.salt IS NULL AND c.batch IS NULL AND c.erased_at IS NULL \
             ORDER BY c.project_id, c.consent_id LIMIT $3{}",
            db.for_update()
        )))
        .bind(after.0)
        .bind(after.1)
        .bind(BATCH)
        .all()
        .await?;
    let Some(last) = rows.last() else {
        return Ok(None);
    };
    let last = (last.project_id, last.consent_id);
    let made: Vec<_> = rows.iter().map(ConsentRow::bind).collect();
    let entries: Vec<_> = made.iter().map(Commitment::entry).collect();
    let batch = ledger::add(&mut tx, ledger::Kind::Consents, &entries).await?;
    for (row, made) in rows.iter().zip(&made) {
        tx.query(
            "UPDATE consents SET salt = $3, batch = $4 WHERE project_id = $1 AND consent_id = $2",
        )
        .bind(row.project_id)
        .bind(row.consent_id)
        .bind(made.salt.as_slice())
        .bind(batch)
        .exec()
        .await?;
    }
    tx.commit().await?;
    Ok(Some((last, rows.len() as u64)))
}
