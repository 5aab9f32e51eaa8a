//! SQL of imports: parts of files that wait, and consents that come in many at a time.

use std::collections::HashSet;

use domain::consent::ConsentCollection;
use uuid::Uuid;

use super::{
    super::{
        row::Row,
        writing::{self, pieces},
    },
    row::Entry,
};
use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx, Value},
};

type Result<T> = std::result::Result<T, DbError>;

/// Parts that are dropped in one transaction.
const DROPPED: i64 = 4;

/// Counts of stored rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Placed {
    /// Stored now.
    pub imported: u64,
    /// Stored before.
    pub skipped: u64,
    /// Of those, consents that were erased.
    pub erased: u64,
    /// Bytes of those that were skipped, as the account pays for them.
    pub skipped_bytes: u64,
}

impl std::ops::AddAssign for Placed {
    fn add_assign(&mut self, other: Self) {
        self.imported += other.imported;
        self.skipped += other.skipped;
        self.erased += other.erased;
        self.skipped_bytes += other.skipped_bytes;
    }
}

/// The documents that rows may answer: those of the project, and all that it ever published.
pub(super) async fn asked(db: &Db, project: Uuid) -> Result<Vec<(Uuid, String)>> {
    let mut statement = db
        .query(
            "SELECT id, collection FROM documents WHERE project_id = $1 AND deleted_at IS NULL \
             AND collection IN (",
        )
        .bind(project);
    statement
        .values(ConsentCollection::ALL.map(ConsentCollection::as_str))
        .push(
            ") UNION SELECT configuration_id, collection FROM publications WHERE project_id = $1",
        );
    statement.all().await
}

/// Keeps a part of a file until all of it has been read.
pub(super) async fn keep(
    tx: &mut Tx,
    project: Uuid,
    (import, number): (Uuid, i64),
    records: &str,
) -> Result<()> {
    tx.query(
        "INSERT INTO consent_import_parts (import_id, number, records, project_id) \
         VALUES ($1, $2, $3, $4)",
    )
    .bind(import)
    .bind(number)
    .bind(records)
    .bind(project)
    .exec()
    .await?;
    Ok(())
}

/// Takes a part that waits. `None` if another process has taken it.
pub(super) async fn take(tx: &mut Tx, (import, number): (Uuid, i64)) -> Result<Option<String>> {
    tx.query(
        "DELETE FROM consent_import_parts WHERE import_id = $1 AND number = $2 RETURNING records",
    )
    .bind(import)
    .bind(number)
    .optional_value()
    .await
}

/// Parts of a project's imports whose records hold a text.
pub(super) async fn waiting_with(db: &Db, project: Uuid, text: &str) -> Result<Vec<(Uuid, i64)>> {
    let mut waiting = db
        .query("SELECT import_id, number FROM consent_import_parts WHERE project_id = $1")
        .bind(project);
    waiting.holds("records", [text.to_owned()]);
    waiting.all().await
}

pub(super) async fn count(tx: &mut Tx, import: Uuid) -> Result<i64> {
    tx.query("SELECT COUNT(*) FROM consent_import_parts WHERE import_id = $1")
        .bind(import)
        .one_value()
        .await
}

/// The next part that waits.
pub(super) async fn next(db: &Db, import: Uuid) -> Result<Option<i64>> {
    db.query("SELECT MIN(number) FROM consent_import_parts WHERE import_id = $1")
        .bind(import)
        .one_value()
        .await
}

/// Drops a few parts; false when there are none left.
pub(super) async fn forget_some(db: &Db, import: Uuid) -> Result<bool> {
    let gone = db
        .query(
            "DELETE FROM consent_import_parts WHERE import_id = $1 AND number IN \
         (SELECT number FROM consent_import_parts WHERE import_id = $1 ORDER BY number LIMIT $2)",
        )
        .bind(import)
        .bind(DROPPED)
        .exec()
        .await?;

    Ok(gone > 0)
}

/// Imports that began before an id and were never decided, since their process died; those that were given up and began
/// before another one; and those of projects that are gone.
pub(super) async fn left_behind(db: &Db, before: Uuid, given_up: Uuid) -> Result<Vec<Uuid>> {
    db.query(
        "SELECT DISTINCT p.import_id FROM consent_import_parts p \
         WHERE (p.import_id < $1 AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = p.import_id)) \
         OR (p.import_id < $2 AND EXISTS (SELECT 1 FROM jobs j WHERE j.id = p.import_id AND j.status = 'failed')) \
         OR (p.project_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.id = p.project_id))",
    )
    .bind(before)
    .bind(given_up)
    .all_values()
    .await
}

/// Stores consents that are not stored yet. With `bound` they get entries in the ledger.
pub(super) async fn place(
    tx: &mut Tx,
    project: Uuid,
    entries: Vec<Entry>,
    now: Timestamp,
    bound: bool,
) -> Result<Placed> {
    let all = entries.len() as u64;
    let bytes: usize = entries.iter().map(Entry::bytes).sum();
    let (entries, forgotten) = without_older(tx, project, entries).await?;
    let entries = without_twins(tx, project, entries).await?;
    let weights: Vec<usize> = entries.iter().map(Entry::bytes).collect();
    let mut rows: Vec<Row> = entries
        .into_iter()
        .map(|entry| entry.into_row(project, now))
        .collect();
    if bound {
        rows.iter_mut().for_each(Row::bind);
    }
    let rows: Vec<&Row> = rows.iter().collect();
    let added = writing::add(tx, &rows, writing::IMPORTS).await?;
    let there: Vec<Uuid> = rows
        .iter()
        .zip(&added)
        .filter(|(_, added)| !**added)
        .map(|(row, _)| row.consent_id)
        .collect();
    let mut erased = forgotten;
    for ids in pieces(&there) {
        erased += tombstones(tx, project, ids).await?;
    }
    let imported = (rows.len() - there.len()) as u64;
    let of_imported: usize = weights
        .iter()
        .zip(&added)
        .filter(|(_, added)| **added)
        .map(|(bytes, _)| bytes)
        .sum();
    Ok(Placed {
        imported,
        skipped: all - imported,
        erased,
        skipped_bytes: (bytes - of_imported) as u64,
    })
}

/// Leaves out rows that a release before has stored under ids of its own, and tells how many of them were erased.
async fn without_older(
    tx: &mut Tx,
    project: Uuid,
    entries: Vec<Entry>,
) -> Result<(Vec<Entry>, u64)> {
    let ids: Vec<Uuid> = entries.iter().filter_map(|entry| entry.older_id).collect();
    let mut stored: HashSet<Uuid> = HashSet::new();
    let mut erased = 0;
    for ids in pieces(&ids) {
        let mut statement = tx
            .query("SELECT consent_id FROM consents WHERE project_id = $1 AND consent_id IN (")
            .bind(project);
        statement.values(ids.iter().copied()).push(")");
        let found: Vec<Uuid> = statement.all_values().await?;
        if !found.is_empty() {
            erased += tombstones(tx, project, &found).await?;
        }
        stored.extend(found);
    }
    let is_new = |entry: &Entry| entry.older_id.is_none_or(|id| !stored.contains(&id));
    Ok((entries.into_iter().filter(is_new).collect(), erased))
}

/// The fields that identify a row without an id.
#[derive(PartialEq, Eq, Hash, sqlx::FromRow)]
struct Twin {
    token: String,
    identifier: Uuid,
    decided_at: i64,
    collection: String,
    accept: bool,
    value: String,
    preferences: String,
}

impl Twin {
    fn of(entry: &Entry) -> Self {
        Self {
            token: entry.token.clone(),
            identifier: entry.identifier,
            decided_at: entry.decided_at,
            collection: entry.collection.as_str().to_owned(),
            accept: entry.accept,
            value: entry.value.clone().unwrap_or_default(),
            preferences: entry.preferences.clone(),
        }
    }
}

/// Leaves out rows that are stored already under ids that their file does not name.
async fn without_twins(tx: &mut Tx, project: Uuid, entries: Vec<Entry>) -> Result<Vec<Entry>> {
    let sought: Vec<&Entry> = entries.iter().filter(|entry| entry.seek_twin).collect();
    let mut stored: HashSet<Twin> = HashSet::new();
    for piece in pieces(&sought) {
        let mut statement = tx
            .query(
                "SELECT token, identifier, decided_at, collection, accept, \
                 COALESCE(value, '') AS value, preferences FROM consents \
                 WHERE project_id = $1 AND (token, identifier, decided_at) IN (VALUES ",
            )
            .bind(project);
        statement
            .tuples(piece.iter().map(|entry| -> [Value; 3] {
                [
                    (&entry.token).into(),
                    entry.identifier.into(),
                    entry.decided_at.into(),
                ]
            }))
            .push(")");
        stored.extend(statement.all::<Twin>().await?);
    }
    if stored.is_empty() {
        return Ok(entries);
    }
    Ok(entries
        .into_iter()
        .filter(|entry| !(entry.seek_twin && stored.contains(&Twin::of(entry))))
        .collect())
}

/// The number of erased consents among these.
async fn tombstones(tx: &mut Tx, project: Uuid, ids: &[Uuid]) -> Result<u64> {
    let mut statement = tx
        .query(
            "SELECT COUNT(*) FROM consents WHERE project_id = $1 AND erased_at IS NOT NULL \
             AND consent_id IN (",
        )
        .bind(project);
    statement.values(ids.iter().copied()).push(")");
    statement.count().await
}
