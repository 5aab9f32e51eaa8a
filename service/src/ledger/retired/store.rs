//! SQL of ledgers that have ended.

use proof::{
    commitment::{EVENT, KEY},
    tile,
};
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Lease, Tx},
    ledger::{
        keys::LogKey,
        stamps::store::StampRow,
        store::{self, CosignatureRow, Kind, LONGEST_LEASE, one_at_a_time},
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

/// Size and note of a checkpoint.
pub(in crate::ledger) type Signed = (i64, String);

/// All of them, the oldest first.
pub(in crate::ledger) async fn all(db: &Db) -> Result<Vec<RetiredRow>> {
    db.query(
        "SELECT number, origin, size, pruned, promise_key FROM retired_ledgers ORDER BY number",
    )
    .all()
    .await
}

pub(in crate::ledger) async fn one(db: &Db, number: i64) -> Result<Option<RetiredRow>> {
    db.query(
        "SELECT number, origin, size, pruned, promise_key FROM retired_ledgers WHERE number = $1",
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

/// The minimum index of one of them, and the index below which the files of leaves are gone.
pub(in crate::ledger) async fn pruned(db: &Db, number: i64) -> Result<Option<(i64, i64)>> {
    db.query("SELECT pruned, removed FROM retired_ledgers WHERE number = $1")
        .bind(number)
        .optional()
        .await
}

/// Notes below which index the files of leaves are gone.
pub(in crate::ledger) async fn removed(db: &Db, number: i64, to: i64) -> Result<()> {
    db.query(
        "UPDATE retired_ledgers SET removed = $2 \
         WHERE number = $1 AND removed < $2 AND $2 <= pruned",
    )
    .bind(number)
    .bind(to)
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

/// The earliest published checkpoint with so many leaves.
pub(in crate::ledger) async fn checkpoint_over(
    db: &Db,
    number: i64,
    leaves: i64,
) -> Result<Option<Signed>> {
    db.query(
        "SELECT size, note FROM retired_checkpoints WHERE ledger = $1 AND size >= $2 \
         AND size <= (SELECT size FROM retired_ledgers WHERE number = $1) ORDER BY size LIMIT 1",
    )
    .bind(number)
    .bind(leaves)
    .optional()
    .await
}

/// Some cosignatures of these witnesses (vkeys) under published checkpoints above `after` leaves, by their sizes.
pub(in crate::ledger) async fn cosignatures(
    db: &Db,
    number: i64,
    witnesses: &[String],
    (after, most): (i64, i64),
) -> Result<Vec<CosignatureRow>> {
    let mut statement = db
        .query(
            "SELECT size, witness, line, signed_at FROM retired_cosignatures WHERE ledger = $1 \
             AND size > $2 AND size <= (SELECT size FROM retired_ledgers WHERE number = $1) \
             AND witness IN (",
        )
        .bind(number)
        .bind(after);
    statement
        .values(witnesses)
        .push(") ORDER BY size, witness LIMIT ")
        .value(most);
    statement.all().await
}

/// The cosignatures under a checkpoint, the earliest first.
pub(in crate::ledger) async fn lines(db: &Db, number: i64, size: i64) -> Result<Vec<String>> {
    db.query(
        "SELECT line FROM retired_cosignatures WHERE ledger = $1 AND size = $2 \
         ORDER BY signed_at, witness LIMIT 40",
    )
    .bind(number)
    .bind(size)
    .all_values()
    .await
}

/// The stamp over the earliest published checkpoint with so many leaves that has one.
pub(in crate::ledger) async fn stamp_over(
    db: &Db,
    number: i64,
    leaves: i64,
) -> Result<Option<StampRow>> {
    db.query(
        "SELECT stamps.size, checkpoints.note, stamps.url, stamps.token \
         FROM retired_timestamps stamps JOIN retired_checkpoints checkpoints \
         ON checkpoints.ledger = stamps.ledger AND checkpoints.size = stamps.size \
         WHERE stamps.ledger = $1 AND stamps.size >= $2 \
         AND stamps.size <= (SELECT size FROM retired_ledgers WHERE number = $1) \
         ORDER BY stamps.size, stamps.stamped_at, stamps.url LIMIT 1",
    )
    .bind(number)
    .bind(leaves)
    .optional()
    .await
}

/// Takes the lease for a command. False if a process has it, also where the database is a file: a server beside a command
/// works on.
pub(in crate::ledger) async fn take(db: &Db, lease: Lease) -> Result<bool> {
    let taken = db
        .query(
            "UPDATE ledger SET holder = $1, held_until = $3 \
             WHERE holder IS NULL OR holder = $1 OR held_until <= $2 OR held_until > $4",
        )
        .bind(lease.owner)
        .bind(lease.from)
        .bind(lease.until)
        .bind(lease.from.plus_millis(LONGEST_LEASE))
        .exec()
        .await?;
    Ok(taken == 1)
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
    let batch = store::add(&mut tx, Kind::Publications, &[entry]).await?;
    tx.query("UPDATE ledger_batches SET first_index = $2 WHERE id = $1")
        .bind(batch)
        .bind(size)
        .exec()
        .await?;
    tx.commit().await?;
    Ok(true)
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
    tx.query(
        "INSERT INTO ledger (origin, size, integrated, swept, held_until) VALUES ($1, 1, 0, 0, 0)",
    )
    .bind(beginning.origin)
    .exec()
    .await?;
    tx.query("INSERT INTO ledger_keys (public_key, private_key, from_index) VALUES ($1, $2, 0)")
        .bind(&beginning.key.public_key)
        .bind(&beginning.key.private_key)
        .exec()
        .await?;
    let batch = store::add(&mut tx, Kind::Publications, &[beginning.entry]).await?;
    tx.query("UPDATE ledger_batches SET first_index = 0 WHERE id = $1")
        .bind(batch)
        .exec()
        .await?;
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
         SELECT $1, public_key, from_index, \
         COALESCE(retired, (SELECT integrated FROM ledger)) FROM ledger_keys",
        true,
    ),
    (
        "INSERT INTO retired_keys (ledger, public_key, from_index, retired) \
         SELECT $1, public_key, from_index, \
         COALESCE(retired, (SELECT integrated FROM ledger)) FROM ledger_ml_dsa_keys",
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
