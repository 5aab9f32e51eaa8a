//! SQL of ledgers that have ended.

use proof::{
    commitment::{EVENT, KEY},
    tile,
};
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
    ledger::{
        keys::LogKey,
        store::{self, Kind, one_at_a_time},
    },
};

type Result<T> = std::result::Result<T, DbError>;

/// A ledger that has ended.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(in crate::ledger) struct RetiredRow {
    pub number: i64,
    pub origin: String,
    pub size: i64,
    pub pruned: i64,
    pub retired_at: Timestamp,
    /// The public half of the key of its promises; `None` where nobody asked for one.
    pub promise_key: Option<Vec<u8>>,
}

/// A key of a ledger that has ended. Its length tells its kind.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(in crate::ledger) struct RetiredKey {
    pub public_key: Vec<u8>,
    pub from_index: i64,
    pub retired: i64,
}

/// All of them, the oldest first.
pub(in crate::ledger) async fn all(db: &Db) -> Result<Vec<RetiredRow>> {
    db.query(
        "SELECT number, origin, size, pruned, retired_at, promise_key FROM retired_ledgers ORDER BY number",
    )
    .all()
    .await
}

pub(in crate::ledger) async fn one(db: &Db, number: i64) -> Result<Option<RetiredRow>> {
    db.query(
        "SELECT number, origin, size, pruned, retired_at, promise_key FROM retired_ledgers WHERE number = $1",
    )
    .bind(number)
    .optional()
    .await
}

/// Raises the minimum indexes of those that ended before a time to the last full tile of leaves.
pub(in crate::ledger) async fn prune(db: &Db, before: Timestamp, width: i64) -> Result<()> {
    db.query("UPDATE retired_ledgers SET pruned = size - size % $2 WHERE retired_at < $1 AND pruned < size - size % $2")
        .bind(before)
        .bind(width)
        .exec()
        .await?;
    Ok(())
}

/// The keys of one of them, those for Ed25519 first, each in the order in which they ended.
pub(in crate::ledger) async fn keys(db: &Db, number: i64) -> Result<Vec<RetiredKey>> {
    db.query(
        "SELECT public_key, from_index, retired FROM retired_keys WHERE ledger = $1 \
         ORDER BY LENGTH(public_key), retired, from_index",
    )
    .bind(number)
    .all()
    .await
}

/// The key of the next ledger, if the last entry of this one names it: a command that was ended has begun this.
pub(in crate::ledger) async fn next_key(db: &Db) -> Result<Option<LogKey>> {
    db.query(
        "SELECT next_public_key AS public_key, next_private_key AS private_key FROM ledger \
         WHERE next_public_key IS NOT NULL",
    )
    .optional()
    .await
}

/// Adds the last entry of the ledger, behind those that have indexes and before all that wait, and keeps the key that it
/// names. False if another process has moved on.
pub(in crate::ledger) async fn close(
    db: &Db,
    me: Uuid,
    size: i64,
    entry: &[u8],
    next: &LogKey,
) -> Result<bool> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    let moved = tx
        .query(
            "UPDATE ledger SET size = $1, next_public_key = $4, next_private_key = $5 \
             WHERE size = $2 AND integrated = $2 AND holder = $3 AND stopped IS NULL",
        )
        .bind(size + 1)
        .bind(size)
        .bind(me)
        .bind(&next.public_key)
        .bind(&next.private_key)
        .exec()
        .await?;
    if moved != 1 {
        return Ok(false);
    }
    add_at(&mut tx, size, entry).await?;
    tx.commit().await?;
    Ok(true)
}

/// Adds an entry with its index.
async fn add_at(tx: &mut Tx, index: i64, entry: &[u8]) -> Result<()> {
    let batch = store::add(tx, Kind::Publications, &[entry]).await?;
    tx.query("UPDATE ledger_batches SET first_index = $2 WHERE id = $1")
        .bind(batch)
        .bind(index)
        .exec()
        .await?;
    Ok(())
}

/// The ledger that begins as another one ends.
pub(in crate::ledger) struct Beginning<'a> {
    pub origin: &'a str,
    pub key: &'a LogKey,
    /// Its first entry.
    pub entry: &'a [u8],
}

/// Puts the rows of the present ledger aside, and begins another one. Batches that no checkpoint covers wait for it. False if
/// another process works on the ledger.
pub(in crate::ledger) async fn retire(
    db: &Db,
    me: Uuid,
    beginning: Beginning<'_>,
    now: Timestamp,
) -> Result<bool> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    let mine = tx
        .query("UPDATE ledger SET holder = holder WHERE holder = $1 AND held_until > $2")
        .bind(me)
        .bind(now)
        .exec()
        .await?;
    if mine != 1 {
        return Ok(false);
    }
    let number: i64 = tx
        .query("SELECT COALESCE(MAX(number), 0) + 1 FROM retired_ledgers")
        .one_value()
        .await?;
    tx.query(
        "INSERT INTO retired_ledgers (number, origin, size, pruned, removed, retired_at, promise_key) \
         SELECT $1, origin, integrated, pruned, removed, $2, \
         (SELECT public_key FROM ledger_promise_keys) FROM ledger",
    )
    .bind(number)
    .bind(now)
    .exec()
    .await?;
    forget_own_words(&mut tx).await?;
    for (statement, numbered) in PUT_ASIDE {
        let mut query = tx.query(*statement);
        if *numbered {
            query = query.bind(number);
        }
        query.exec().await?;
    }
    store::insert(&mut tx, beginning.origin, 1, beginning.key).await?;
    add_at(&mut tx, 0, beginning.entry).await?;
    tx.commit().await?;
    Ok(true)
}

/// Removes waiting entries about the ledger itself, its keys and its events: they are nothing to the next one.
async fn forget_own_words(tx: &mut Tx) -> Result<()> {
    let waiting: Vec<(i64, Option<Vec<u8>>)> = tx
        .query(
            "SELECT id, entries FROM ledger_batches WHERE retired_in IS NULL AND kind = $1 \
             AND entries IS NOT NULL \
             AND (first_index IS NULL OR first_index >= (SELECT integrated FROM ledger))",
        )
        .bind(Kind::Publications as i64)
        .all()
        .await?;
    for (id, bundle) in waiting {
        let bundle = bundle.unwrap_or_default();
        let first = tile::entries(&bundle)
            .ok()
            .and_then(|entries| entries.first().and_then(|entry| entry.first().copied()));
        if matches!(first, Some(KEY | EVENT)) {
            tx.query("DELETE FROM ledger_batches WHERE id = $1")
                .bind(id)
                .exec()
                .await?;
        }
    }
    Ok(())
}

/// The statements that put the rows of a ledger aside, in order, and whether they take the ledger's number.
const PUT_ASIDE: &[(&str, bool)] = &[
    (
        "INSERT INTO retired_keys (ledger, public_key, from_index, retired) \
         SELECT $1, public_key, from_index, COALESCE(retired, (SELECT integrated FROM ledger)) \
         FROM (SELECT public_key, from_index, retired FROM ledger_keys \
         UNION ALL SELECT public_key, from_index, retired FROM ledger_ml_dsa_keys) AS both_kinds",
        true,
    ),
    (
        "UPDATE ledger_batches SET retired_in = $1 WHERE retired_in IS NULL \
         AND first_index IS NOT NULL \
         AND (entries IS NULL OR first_index < (SELECT integrated FROM ledger))",
        true,
    ),
    (
        "UPDATE ledger_batches SET first_index = NULL \
         WHERE retired_in IS NULL AND first_index IS NOT NULL",
        false,
    ),
    (
        "INSERT INTO retired_publications \
         (ledger, project_id, configuration_id, id, batch, pictures_batch) \
         SELECT $1, p.project_id, p.configuration_id, p.id, p.batch, e.batch FROM publications p \
         LEFT JOIN publication_pictures e ON e.project_id = p.project_id \
         AND e.configuration_id = p.configuration_id AND e.publication = p.id \
         WHERE p.batch IN (SELECT id FROM ledger_batches WHERE retired_in = $1)",
        true,
    ),
    (
        "UPDATE publications SET batch = NULL \
         WHERE batch IN (SELECT id FROM ledger_batches WHERE retired_in = $1)",
        true,
    ),
    (
        "UPDATE publication_pictures SET batch = NULL \
         WHERE batch IN (SELECT id FROM ledger_batches WHERE retired_in = $1)",
        true,
    ),
    (
        "INSERT INTO retired_checkpoints (ledger, size, note) \
         SELECT $1, size, note FROM ledger_checkpoints",
        true,
    ),
    (
        "INSERT INTO retired_cosignatures (ledger, size, witness, line, signed_at) \
         SELECT $1, size, witness, line, signed_at FROM ledger_cosignatures",
        true,
    ),
    (
        "INSERT INTO retired_timestamps (ledger, size, url, token, stamped_at) \
         SELECT $1, size, url, token, stamped_at FROM ledger_timestamps",
        true,
    ),
    ("DELETE FROM ledger_timestamps", false),
    ("DELETE FROM ledger_cosignatures", false),
    ("DELETE FROM ledger_checkpoints", false),
    // Each has seen nothing of the next one.
    ("DELETE FROM ledger_witnesses", false),
    ("DELETE FROM ledger_keys", false),
    // The next one gets its own when a server starts, and when somebody asks for a promise.
    ("DELETE FROM ledger_ml_dsa_keys", false),
    ("DELETE FROM ledger_promise_keys", false),
    ("DELETE FROM ledger", false),
];
