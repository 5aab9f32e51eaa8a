//! The single entry point through which rows of `consents` are written: answers of visitors ([`batch`]), imports, erasure,
//! retention, and entries for those that have none.
//!
//! Each function is a transaction or part of one, and a transaction writes rows of one kind only. Their entries in
//! the ledger are written with them; the entries get their order afterwards, because lanes that shared a counter
//! would wait for each other's commits.
//!
//! A day and outcome of a project is counted with the rows. Writers count apart (`lane`), so that none waits for
//! the other's commit.

pub(super) mod batch;
mod binding;
mod erasure;

use std::collections::{BTreeMap, HashSet};

pub(super) use binding::{MOST_BOUND, bind_some, places_after};
pub(super) use erasure::erase_some;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::row::{Row, WRITTEN};
use crate::{
    db::{Db, DbError, Tx},
    ledger,
};

type Result<T> = std::result::Result<T, DbError>;

/// The lane in which imports count days. The lanes of [`batch`] have lower numbers.
pub(super) const IMPORTS: i64 = batch::MOST_LANES;
/// Consents that one transaction erases or removes.
pub(super) const BATCH: i64 = 200;
/// Rows of one statement. Few sizes, so that few statements are prepared.
const PIECES: [usize; 6] = [32, 16, 8, 4, 2, 1];

/// Stores the rows whose ids are not taken, counts them, and tells webhooks of those that are hooked. Returns
/// true for each row that was stored. Rows are written in the order of their ids, as every writer does, so that no
/// deadlock arises.
pub(super) async fn add(tx: &mut Tx, rows: &[&Row], lane: i64) -> Result<Vec<bool>> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|index| rows.get(*index).map(|row| (row.project_id, row.consent_id)));
    let sorted: Vec<&Row> = order
        .iter()
        .filter_map(|index| rows.get(*index).copied())
        .collect();
    let mut stored = HashSet::new();
    // Which rows are new is known afterwards, and they name the batch of their entries.
    let is_bound = rows.iter().any(|row| row.commitment.is_some());
    let batch = if is_bound {
        Some(ledger::reserve(tx).await?)
    } else {
        None
    };
    for piece in pieces(&sorted) {
        let mut statement = tx.query(AssertSqlSafe(format!(
            "INSERT INTO consents ({WRITTEN}, batch) VALUES "
        )));
        let values = piece.iter().map(|row| {
            let batch = batch.filter(|_| row.commitment.is_some());
            row.values().into_iter().chain([batch.into()])
        });
        statement
            .tuples(values)
            .push(" ON CONFLICT (project_id, consent_id) DO NOTHING RETURNING seq");
        stored.extend(statement.all_values::<Uuid>().await?);
    }
    let added: Vec<bool> = rows.iter().map(|row| stored.contains(&row.seq)).collect();
    let new: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| stored.contains(&row.seq))
        .collect();
    if let Some(batch) = batch {
        let entries: Vec<Vec<u8>> = new.iter().filter_map(|row| row.entry()).collect();
        ledger::fill(tx, batch, &entries).await?;
    }
    for ((project, day, outcome), consents) in days(&new) {
        tx.query(
            "INSERT INTO consent_days AS d (project_id, day, outcome, lane, consents) \
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (project_id, day, outcome, lane) \
             DO UPDATE SET consents = d.consents + excluded.consents",
        )
        .bind(project)
        .bind(day)
        .bind(outcome)
        .bind(lane)
        .bind(consents)
        .exec()
        .await?;
    }
    for row in new.iter().filter(|row| row.hooked) {
        tx.query(
            "INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, attempts, \
         by_hand, \
         next_at, created_at) SELECT w.id, $1, 'consent.created', $2, 'waiting', 0, FALSE, \
         $3, $3 \
         FROM webhooks w WHERE w.project_id = $4 AND w.topic = 'consent' AND w.active",
        )
        .bind(row.seq)
        .bind(row.consent_id)
        .bind(row.received_at)
        .bind(row.project_id)
        .exec()
        .await?;
    }
    Ok(added)
}

/// Consents of each project, day and outcome.
fn days<'r>(rows: &[&'r Row]) -> BTreeMap<(Uuid, i64, &'r str), i64> {
    let mut days = BTreeMap::new();
    for row in rows {
        // Imported consents belong to the day of their decision: they were not received here.
        let at = if row.imported {
            row.decided_at
        } else {
            row.received_at
        };
        *days
            .entry((row.project_id, at.day(), row.outcome.as_str()))
            .or_insert(0) += 1;
    }
    days
}

/// Cuts into pieces of few sizes.
pub(super) fn pieces<T>(mut rest: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = PIECES.into_iter().find(|size| *size <= rest.len())?;
        let (piece, others) = rest.split_at(size);
        rest = others;
        Some(piece)
    })
}

/// Removes consents by (`seq`, id), in one transaction. Days go on counting them, lists do not.
pub(super) async fn remove(db: &Db, project: Uuid, consents: &[(Uuid, Uuid)]) -> Result<u64> {
    let mut tx = db.begin().await?;
    let mut statement = tx
        .query("DELETE FROM consents WHERE project_id = $1 AND consent_id IN (")
        .bind(project);
    statement
        .values(consents.iter().map(|(_, id)| *id))
        .push(")");
    let removed = statement.exec().await?;
    let seqs: Vec<Uuid> = consents.iter().map(|(seq, _)| *seq).collect();
    forget_answers(&mut tx, project, &seqs).await?;
    tx.query(
        "INSERT INTO consents_removed AS r (project_id, consents) VALUES ($1, $2) \
         ON CONFLICT (project_id) DO UPDATE SET consents = r.consents + excluded.consents",
    )
    .bind(project)
    .bind(i64::try_from(removed).unwrap_or(i64::MAX))
    .exec()
    .await?;
    tx.commit().await?;
    Ok(removed)
}

/// Removes some consents of a project that is gone; 0 when there are none left.
pub(super) async fn remove_some(db: &Db, project: Uuid) -> Result<u64> {
    db.query(
        "DELETE FROM consents WHERE project_id = $1 AND consent_id IN \
         (SELECT consent_id FROM consents WHERE project_id = $1 LIMIT $2)",
    )
    .bind(project)
    .bind(BATCH)
    .exec()
    .await
}

/// Removes the answers of endpoints to these consents, which may repeat personal data. A delivery
/// has the id of its consent.
async fn forget_answers(tx: &mut Tx, project: Uuid, consents: &[Uuid]) -> Result<()> {
    if consents.is_empty() {
        return Ok(());
    }
    let mut statement = tx
        .query(
            "UPDATE webhook_attempts SET answer = NULL WHERE answer IS NOT NULL \
             AND webhook_id IN (SELECT id FROM webhooks WHERE project_id = $1) AND delivery_id IN (",
        )
        .bind(project);
    statement.values(consents.iter().copied()).push(")");
    statement.exec().await?;
    Ok(())
}
