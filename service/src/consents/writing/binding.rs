//! Entries for consents that were stored without one: before there was a ledger, or while it was off.

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::BATCH;
use crate::{
    clock::Timestamp,
    consents::row::{Commitment, ConsentRow, READ},
    db::{Db, DbError},
    ledger,
};

type Result<T> = std::result::Result<T, DbError>;

/// Project and id of a consent.
pub(in crate::consents) type Place = (Uuid, Uuid);

/// Places that are read at a time.
const PAGE: i64 = 1_000;
/// Consents that one transaction binds.
pub(in crate::consents) const MOST_BOUND: usize = BATCH as usize;

/// The next places, and whether the consent there has no entry. Erased ones have nothing to bind.
pub(in crate::consents) async fn places_after(
    db: &Db,
    (project, consent): &Place,
) -> Result<Vec<(Place, bool)>> {
    let page: Vec<(Uuid, Uuid, bool)> = db
        .query(
            "SELECT project_id, consent_id, salt IS NULL AND batch IS NULL AND erased_at IS NULL \
             FROM consents WHERE (project_id, consent_id) > ($1, $2) \
             ORDER BY project_id, consent_id LIMIT $3",
        )
        .bind(*project)
        .bind(*consent)
        .bind(PAGE)
        .all()
        .await?;
    let keyed = page.into_iter();
    Ok(keyed
        .map(|(project, consent, is_open)| ((project, consent), is_open))
        .collect())
}

/// Binds those of these consents that were received before a time and have no entry. Returns their number.
pub(in crate::consents) async fn bind_some(
    db: &Db,
    places: &[Place],
    before: Timestamp,
) -> Result<u64> {
    let mut tx = db.begin().await?;
    let lock = tx.for_update();
    let mut statement = tx.query(AssertSqlSafe(format!(
        "SELECT {READ} FROM consents c WHERE (c.project_id, c.consent_id) IN (VALUES "
    )));
    statement
        .tuples(places.iter().map(|(project, consent)| [*project, *consent]))
        .push(
            ") AND c.salt IS NULL AND c.batch IS NULL AND c.erased_at IS NULL AND c.received_at < ",
        )
        .value(before)
        // Locked, so that none is erased or removed before it has its entry.
        .push(" ORDER BY c.project_id, c.consent_id")
        .push(lock);
    let rows: Vec<ConsentRow> = statement.all().await?;
    if rows.is_empty() {
        return Ok(0);
    }
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
    Ok(rows.len() as u64)
}
