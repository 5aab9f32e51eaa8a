//! SQL of imports: parts of files that wait, and consents that come in many at a time.

use std::collections::{BTreeMap, HashSet};

use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::row::Entry;
use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
    in_tx, on,
};

type Result<T> = std::result::Result<T, DbError>;

/// Imports count days apart from the writer's lanes, so that none waits for the other's commit.
const LANE: i64 = 2;
/// Rows of one statement.
const PIECES: [usize; 6] = [32, 16, 8, 4, 2, 1];
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
}

impl std::ops::AddAssign for Placed {
    fn add_assign(&mut self, other: Self) {
        self.imported += other.imported;
        self.skipped += other.skipped;
        self.erased += other.erased;
    }
}

/// The documents that rows may answer: those of the project, and all that it ever published.
pub(super) async fn asked(db: &Db, project: Uuid) -> Result<Vec<(Uuid, String)>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT id, collection FROM documents WHERE project_id = $1 AND deleted_at IS NULL \
         AND collection IN ('cookies', 'processings', 'contracts') \
         UNION SELECT configuration_id, collection FROM publications WHERE project_id = $1")
        .bind(project)
        .fetch_all(pool)
        .await)?)
}

/// Keeps a part of a file until all of it has been read.
pub(super) async fn keep(db: &Db, import: Uuid, number: i64, records: &str) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO consent_import_parts (import_id, number, records) VALUES ($1, $2, $3)")
        .bind(import)
        .bind(number)
        .bind(records)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

pub(super) async fn count(tx: &mut Tx, import: Uuid) -> Result<i64> {
    Ok(in_tx!(tx, conn => sqlx::query_scalar(
        "SELECT COUNT(*) FROM consent_import_parts WHERE import_id = $1")
        .bind(import)
        .fetch_one(conn)
        .await)?)
}

/// The next part that waits.
pub(super) async fn next(db: &Db, import: Uuid) -> Result<Option<(i64, String)>> {
    Ok(on!(db, pool => sqlx::query_as(
        "SELECT number, records FROM consent_import_parts WHERE import_id = $1 \
         ORDER BY number LIMIT 1")
        .bind(import)
        .fetch_optional(pool)
        .await)?)
}

/// Drops a few parts; false when there are none left.
pub(super) async fn forget_some(db: &Db, import: Uuid) -> Result<bool> {
    let mut tx = db.begin().await?;
    let gone = in_tx!(&mut tx, conn => sqlx::query(
        "DELETE FROM consent_import_parts WHERE import_id = $1 AND number IN \
         (SELECT number FROM consent_import_parts WHERE import_id = $1 ORDER BY number LIMIT $2)")
        .bind(import)
        .bind(DROPPED)
        .execute(conn)
        .await
        .map(|done| done.rows_affected()))?;
    tx.commit().await?;
    Ok(gone > 0)
}

/// Imports that began before an id and were never decided: their process died.
pub(super) async fn left_behind(db: &Db, before: Uuid) -> Result<Vec<Uuid>> {
    Ok(on!(db, pool => sqlx::query_scalar(
        "SELECT DISTINCT p.import_id FROM consent_import_parts p WHERE p.import_id < $1 \
         AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.id = p.import_id)")
        .bind(before)
        .fetch_all(pool)
        .await)?)
}

/// Stores consents that are not stored yet, in one transaction. With `part` they are those of a
/// part that waits, which goes away with it; one that is gone was stored by another process.
pub(super) async fn place(
    db: &Db,
    project: Uuid,
    entries: Vec<Entry>,
    now: Timestamp,
    part: Option<(Uuid, i64)>,
) -> Result<Placed> {
    let mut tx = db.begin().await?;
    if let Some((import, number)) = part {
        let gone = in_tx!(&mut tx, conn => sqlx::query(
            "DELETE FROM consent_import_parts WHERE import_id = $1 AND number = $2")
            .bind(import)
            .bind(number)
            .execute(conn)
            .await
            .map(|done| done.rows_affected()))?;
        if gone == 0 {
            return Ok(Placed::default());
        }
    }
    let all = entries.len() as u64;
    let mut entries = without_twins(&mut tx, project, entries).await?;
    // Every writer of consents takes their ids in one order, so that no deadlock arises.
    entries.sort_by_key(|entry| (entry.consent_id, entry.row));
    let mut imported = 0;
    let mut erased = 0;
    let mut days = BTreeMap::new();
    for piece in pieces(&entries) {
        let added = insert(&mut tx, project, piece, now).await?;
        imported += added.len() as u64;
        // Of two rows with one id in the piece, the first was taken.
        let mut added = added;
        let mut there = Vec::new();
        for entry in piece {
            if added.remove(&entry.consent_id) {
                let day = Timestamp(entry.decided_at).day();
                *days.entry((day, entry.outcome.as_str())).or_insert(0_i64) += 1;
            } else {
                there.push(entry.consent_id);
            }
        }
        for ids in pieces(&there) {
            erased += tombstones(&mut tx, project, ids).await?;
        }
    }
    for ((day, outcome), consents) in days {
        in_tx!(&mut tx, conn => sqlx::query(
            "INSERT INTO consent_days AS d (project_id, day, outcome, lane, consents) \
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (project_id, day, outcome, lane) \
             DO UPDATE SET consents = d.consents + excluded.consents")
            .bind(project)
            .bind(day)
            .bind(outcome)
            .bind(LANE)
            .bind(consents)
            .execute(conn)
            .await
            .map(drop))?;
    }
    tx.commit().await?;
    Ok(Placed {
        imported,
        skipped: all - imported,
        erased,
    })
}

/// Cuts into pieces of few sizes, so that few statements are prepared.
fn pieces<T>(mut rest: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let size = PIECES.into_iter().find(|size| *size <= rest.len())?;
        let (piece, others) = rest.split_at(size);
        rest = others;
        Some(piece)
    })
}

/// `($2, $3), ($4, $5)`: so many rows of so many columns, from a number on.
fn values(first: usize, rows: usize, columns: usize) -> String {
    let rows: Vec<String> = (0..rows)
        .map(|row| {
            let first = first + row * columns;
            let row: Vec<String> = (first..first + columns).map(|n| format!("${n}")).collect();
            format!("({})", row.join(", "))
        })
        .collect();
    rows.join(", ")
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
        let sql = format!(
            "SELECT token, identifier, decided_at, collection, accept, \
             COALESCE(value, '') AS value, preferences FROM consents \
             WHERE project_id = $1 AND (token, identifier, decided_at) IN (VALUES {})",
            values(2, piece.len(), 3)
        );
        let found: Vec<Twin> = in_tx!(&mut *tx, conn => {
            let mut statement = sqlx::query_as(AssertSqlSafe(sql)).bind(project);
            for entry in piece {
                statement = statement
                    .bind(&entry.token)
                    .bind(entry.identifier)
                    .bind(entry.decided_at);
            }
            statement.fetch_all(conn).await
        })?;
        stored.extend(found);
    }
    if stored.is_empty() {
        return Ok(entries);
    }
    Ok(entries
        .into_iter()
        .filter(|entry| !(entry.seek_twin && stored.contains(&Twin::of(entry))))
        .collect())
}

/// Ids that were not stored yet.
async fn insert(
    tx: &mut Tx,
    project: Uuid,
    piece: &[Entry],
    now: Timestamp,
) -> Result<HashSet<Uuid>> {
    let sql = format!(
        "INSERT INTO consents (project_id, received_at, imported, seq, consent_id, collection, \
         identifier, token, accept, outcome, preferences, value, publication, decided_at, \
         page_host, ip, country, user_agent, body_hash, erased_at, token_signed) VALUES {} \
         ON CONFLICT (project_id, consent_id) DO NOTHING RETURNING consent_id",
        values(1, piece.len(), 21)
    );
    let added: Vec<Uuid> = in_tx!(&mut *tx, conn => {
        let mut statement = sqlx::query_scalar(AssertSqlSafe(sql));
        for entry in piece {
            statement = statement
                .bind(project)
                .bind(now)
                .bind(true)
                .bind(entry.seq())
                .bind(entry.consent_id)
                .bind(entry.collection.as_str())
                .bind(entry.identifier)
                .bind(&entry.token)
                .bind(entry.accept)
                .bind(entry.outcome.as_str())
                .bind(&entry.preferences)
                .bind(&entry.value)
                .bind(&entry.publication)
                .bind(entry.decided_at)
                .bind(&entry.page_host)
                .bind(&entry.ip)
                .bind(&entry.country)
                .bind(&entry.user_agent)
                .bind(entry.body_hash().to_vec())
                .bind(entry.erased_at)
                .bind(entry.token_signed);
        }
        statement.fetch_all(conn).await
    })?;
    Ok(added.into_iter().collect())
}

/// The number of erased consents among these.
async fn tombstones(tx: &mut Tx, project: Uuid, ids: &[Uuid]) -> Result<u64> {
    let places: Vec<String> = (2..2 + ids.len()).map(|n| format!("${n}")).collect();
    let sql = format!(
        "SELECT COUNT(*) FROM consents WHERE project_id = $1 AND erased_at IS NOT NULL \
         AND consent_id IN ({})",
        places.join(", ")
    );
    let found: i64 = in_tx!(&mut *tx, conn => {
        let mut statement = sqlx::query_scalar(AssertSqlSafe(sql)).bind(project);
        for id in ids {
            statement = statement.bind(*id);
        }
        statement.fetch_one(conn).await
    })?;
    Ok(found.unsigned_abs())
}
