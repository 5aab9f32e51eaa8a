//! SQL of the ledger.

use proof::tile::add_entry;
use uuid::Uuid;

use super::keys::LogKey;
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, Lease, Tx,
        page::{Listed, Page},
    },
};

type Result<T> = std::result::Result<T, DbError>;

/// Most batches that get their indexes in one transaction.
const MOST_BATCHES: i64 = 1_000;

/// Milliseconds: a lease that ends later was taken by a clock that was ahead.
pub(super) const LONGEST_LEASE: i64 = 3_600_000;

/// The order of entries that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Before consents, which name publications.
    Publications = 0,
    /// Consents and erasures.
    Consents = 1,
}

/// The row of the ledger.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct State {
    pub origin: String,
    pub size: i64,
    pub integrated: i64,
    pub stopped: Option<String>,
    /// The witness that the ledger stands still for: one of those that contradict it.
    pub stopped_by: Option<String>,
    /// Leaves of the tree that this witness has seen.
    pub awaited: Option<i64>,
    /// The published minimum index.
    pub pruned: i64,
    /// The key of the next ledger, once the last entry of this one names it.
    pub next_public_key: Option<Vec<u8>>,
}

/// The state of a witness.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct WitnessRow {
    pub witness: String,
    /// The largest tree that it signed; 0 if none.
    pub size: i64,
    pub cosigned_at: Option<Timestamp>,
    pub asked_at: Timestamp,
    pub fault: Option<String>,
    pub fault_at: Option<Timestamp>,
    /// The reason for which it contradicts the ledger.
    pub contradiction: Option<String>,
}

/// A stored cosignature.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct CosignatureRow {
    pub size: i64,
    pub witness: String,
    pub line: String,
    /// Seconds since 1970.
    pub signed_at: i64,
}

/// A key, and the leaves between which it signs.
#[derive(Clone, sqlx::FromRow)]
pub(super) struct KeyRow {
    #[sqlx(flatten)]
    pub key: LogKey,
    pub from_index: i64,
    pub retired: Option<i64>,
    /// The batches with the entries that tell of its beginning and of its end.
    pub announced_in: Option<i64>,
    pub ended_in: Option<i64>,
}

/// The place of a batch.
#[derive(Clone, Copy, Debug, sqlx::FromRow)]
pub(super) struct BatchRow {
    /// `None` while it waits.
    pub first_index: Option<i64>,
    pub leaves: i64,
    /// The number of the ledger that has ended with it; `None` in the present one.
    pub retired_in: Option<i64>,
}

/// A signed checkpoint.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(super) struct CheckpointRow {
    pub size: i64,
    pub root: Vec<u8>,
    pub note: String,
    pub created_at: Timestamp,
}

/// The bytes of an entry bundle.
pub(crate) fn bundle<E: AsRef<[u8]>>(entries: &[E]) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for entry in entries {
        add_entry(&mut bytes, entry.as_ref())
            .map_err(|error| DbError::Fault(sqlx::Error::Encode(Box::new(error))))?;
    }
    Ok(bytes)
}

/// Adds entries in the transaction of their cause. Returns the id of their batch.
pub(crate) async fn add<E: AsRef<[u8]>>(tx: &mut Tx, kind: Kind, entries: &[E]) -> Result<i64> {
    tx.query("INSERT INTO ledger_batches (kind, leaves, entries) VALUES ($1, $2, $3) RETURNING id")
        .bind(kind as i64)
        .bind(entries.len() as i64)
        .bind(bundle(entries)?)
        .one_value()
        .await
}

/// A batch whose entries become known later in the same transaction.
pub(crate) async fn reserve(tx: &mut Tx) -> Result<i64> {
    add::<Vec<u8>>(tx, Kind::Consents, &[]).await
}

/// Fills a reserved batch, or removes it if nothing is to be added.
pub(crate) async fn fill<E: AsRef<[u8]>>(tx: &mut Tx, batch: i64, entries: &[E]) -> Result<()> {
    let statement = if entries.is_empty() {
        tx.query("DELETE FROM ledger_batches WHERE id = $1")
            .bind(batch)
    } else {
        tx.query("UPDATE ledger_batches SET leaves = $2, entries = $3 WHERE id = $1")
            .bind(batch)
            .bind(entries.len() as i64)
            .bind(bundle(entries)?)
    };
    statement.exec().await?;
    Ok(())
}

pub(super) async fn state(db: &Db) -> Result<Option<State>> {
    db.query(
        "SELECT origin, size, integrated, stopped, stopped_by, awaited, pruned, \
         next_public_key FROM ledger",
    )
    .optional()
    .await
}

/// Makes the ledger, unless another process has.
pub(super) async fn begin(db: &Db, origin: &str, key: &LogKey) -> Result<()> {
    let mut tx = db.begin().await?;
    // One row for ever: processes that begin at one time wait for each other here. On SQLite they do anyway.
    if matches!(db, Db::Postgres(_)) {
        tx.query("LOCK TABLE ledger IN EXCLUSIVE MODE")
            .exec()
            .await?;
    }
    let there: Option<String> = tx
        .query("SELECT origin FROM ledger")
        .optional_value()
        .await?;
    if there.is_none() {
        tx.query("INSERT INTO ledger (origin, size, integrated, swept, held_until) VALUES ($1, 0, 0, 0, 0)")
            .bind(origin)
            .exec()
            .await?;
        tx.query(
            "INSERT INTO ledger_keys (public_key, private_key, from_index) VALUES ($1, $2, 0)",
        )
        .bind(&key.public_key)
        .bind(&key.private_key)
        .exec()
        .await?;
    }
    tx.commit().await
}

/// All keys, in the order in which they began to sign.
pub(super) async fn keys(db: &Db) -> Result<Vec<KeyRow>> {
    db.query(
        "SELECT public_key, private_key, from_index, retired, announced_in, ended_in FROM ledger_keys \
         ORDER BY COALESCE(announced_in, 0)",
    )
    .all()
    .await
}

/// Adds keys for Ed25519 and for ML-DSA-44 that sign from the next checkpoint on, and their entries. False if more than one
/// key for Ed25519 signs already.
pub(super) async fn add_keys<E: AsRef<[u8]>>(
    db: &Db,
    key: &LogKey,
    ml_dsa: &LogKey,
    entries: &[E],
) -> Result<bool> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    if signing(&mut tx).await?.len() != 1 {
        return Ok(false);
    }
    let signed = signed(&mut tx).await?;
    let batch = add(&mut tx, Kind::Publications, entries).await?;
    tx.query(
        "INSERT INTO ledger_keys (public_key, private_key, from_index, announced_in) \
         VALUES ($1, $2, $3, $4)",
    )
    .bind(&key.public_key)
    .bind(&key.private_key)
    .bind(signed)
    .bind(batch)
    .exec()
    .await?;
    add_ml_dsa(&mut tx, ml_dsa, signed, Some(batch)).await?;
    tx.commit().await?;
    Ok(true)
}

/// Adds a key for ML-DSA-44 that signs checkpoints of more than `from` leaves; the first one signs all, those of before as well.
/// The transaction holds the ledger.
pub(super) async fn add_ml_dsa(
    tx: &mut Tx,
    key: &LogKey,
    from: i64,
    announced_in: Option<i64>,
) -> Result<()> {
    let newest: i64 = tx
        .query("SELECT COALESCE(MAX(number), 0) FROM ledger_ml_dsa_keys")
        .one_value()
        .await?;
    tx.query(
        "INSERT INTO ledger_ml_dsa_keys (number, public_key, private_key, from_index, announced_in) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(newest + 1)
    .bind(&key.public_key)
    .bind(&key.private_key)
    .bind(if newest == 0 { 0 } else { from })
    .bind(announced_in)
    .exec()
    .await?;
    Ok(())
}

/// The end of an attempt to retire a key.
pub(super) enum Retired {
    /// It signs no more.
    Yes,
    /// It is the only one.
    OnlyOne,
    /// No checkpoint covers the entry of the key after it.
    NotAnnounced,
}

/// Ends the older of two keys that sign, with the one for ML-DSA-44 if there is a newer one, and adds the entries that tell it.
pub(super) async fn retire_keys<E: AsRef<[u8]>>(
    db: &Db,
    older: &[u8],
    ml_dsa: Option<&[u8]>,
    entries: &[E],
) -> Result<Retired> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    let signing = signing(&mut tx).await?;
    if signing.len() != 2 || signing.first().is_none_or(|first| first != older) {
        return Ok(Retired::OnlyOne);
    }
    let announced: Option<i64> = tx
        .query(
            "SELECT b.id FROM ledger_keys k JOIN ledger_batches b ON b.id = k.announced_in \
             WHERE k.retired IS NULL AND k.public_key <> $1 \
             AND b.first_index + b.leaves <= (SELECT integrated FROM ledger)",
        )
        .bind(older.to_vec())
        .optional_value()
        .await?;
    // A ledger that stands still signs nothing, and may be waiting for this.
    let stopped: Option<String> = tx.query("SELECT stopped FROM ledger").one_value().await?;
    if announced.is_none() && stopped.is_none() {
        return Ok(Retired::NotAnnounced);
    }
    let signed = signed(&mut tx).await?;
    let batch = add(&mut tx, Kind::Publications, entries).await?;
    tx.query("UPDATE ledger_keys SET retired = $2, ended_in = $3 WHERE public_key = $1")
        .bind(older.to_vec())
        .bind(signed)
        .bind(batch)
        .exec()
        .await?;
    if let Some(ml_dsa) = ml_dsa {
        tx.query("UPDATE ledger_ml_dsa_keys SET retired = $2, ended_in = $3 WHERE public_key = $1")
            .bind(ml_dsa.to_vec())
            .bind(signed)
            .bind(batch)
            .exec()
            .await?;
    }
    tx.commit().await?;
    Ok(Retired::Yes)
}

/// The public keys that sign, the older one first.
async fn signing(tx: &mut Tx) -> Result<Vec<Vec<u8>>> {
    let keys: Vec<(Vec<u8>,)> = tx
        .query(
            "SELECT public_key FROM ledger_keys WHERE retired IS NULL \
             ORDER BY COALESCE(announced_in, 0)",
        )
        .all()
        .await?;
    Ok(keys.into_iter().map(|(key,)| key).collect())
}

/// Leaves of the largest checkpoint.
async fn signed(tx: &mut Tx) -> Result<i64> {
    tx.query("SELECT COALESCE(MAX(size), 0) FROM ledger_checkpoints")
        .one_value()
        .await
}

/// Takes or renews the lease. `None` if another process has it.
pub(super) async fn hold(db: &Db, lease: Lease) -> Result<Option<State>> {
    db.query(
        "UPDATE ledger SET holder = $1, held_until = $3 \
         WHERE holder IS NULL OR holder = $1 OR held_until <= $2 OR held_until > $5 OR $4 \
         RETURNING origin, size, integrated, stopped, stopped_by, awaited, pruned, next_public_key",
    )
    .bind(lease.owner)
    .bind(lease.from)
    .bind(lease.until)
    .bind(db.is_alone())
    .bind(lease.from.plus_millis(LONGEST_LEASE))
    .writes()
    .optional()
    .await
}

/// Gives the lease back.
pub(super) async fn let_go(db: &Db, me: Uuid) -> Result<()> {
    db.query("UPDATE ledger SET holder = NULL WHERE holder = $1")
        .bind(me)
        .exec()
        .await?;
    Ok(())
}

/// Gives waiting batches their indexes. Returns the new size; `None` if another process was faster, or the ledger has
/// stopped. The size is the lock: it changes only from the value that the indexes begin with.
pub(super) async fn assign(db: &Db, me: Uuid, size: i64) -> Result<Option<i64>> {
    let mut tx = db.begin().await?;
    // One statement for all: under load a round trip for each batch would cost more than the batch. An upsert finds
    // the rows by their key, whatever the planner of SQLite believes of a table that has grown since it was measured.
    let given: Vec<i64> = tx
        .query(
            "INSERT INTO ledger_batches (id, kind, leaves, first_index) \
             SELECT id, kind, leaves, $1 + CAST(SUM(leaves) OVER (ORDER BY kind, id) AS BIGINT) - leaves \
             FROM (SELECT id, kind, leaves FROM ledger_batches WHERE first_index IS NULL \
             ORDER BY kind, id LIMIT $2) AS oldest WHERE TRUE \
             ON CONFLICT (id) DO UPDATE SET first_index = excluded.first_index RETURNING leaves",
        )
        .bind(size)
        .bind(MOST_BATCHES)
        .all_values()
        .await?;
    if given.is_empty() {
        return Ok(Some(size));
    }
    let new = size + given.iter().sum::<i64>();
    let swapped = tx
        .query("UPDATE ledger SET size = $1 WHERE size = $2 AND holder = $3 AND stopped IS NULL")
        .bind(new)
        .bind(size)
        .bind(me)
        .exec()
        .await?;
    if swapped != 1 {
        return Ok(None);
    }
    tx.commit().await?;
    Ok(Some(new))
}

/// First index and bytes of a batch.
pub(super) type Batch = (i64, i64, Option<Vec<u8>>);

/// Some batches from an index on, in order.
pub(super) async fn batches(db: &Db, from: i64) -> Result<Vec<Batch>> {
    db.query(
        "SELECT first_index, leaves, entries FROM ledger_batches \
         WHERE first_index >= $1 AND retired_in IS NULL ORDER BY first_index LIMIT $2",
    )
    .bind(from)
    .bind(MOST_BATCHES)
    .all()
    .await
}

/// Keeps a checkpoint that these keys signed, and returns what is kept for its size. `None` if they are not the keys that
/// sign: another one was added or retired meanwhile.
pub(super) async fn add_checkpoint(
    db: &Db,
    (size, root, note): (i64, &[u8], &str),
    signed_by: &[Vec<u8>],
    now: Timestamp,
) -> Result<Option<CheckpointRow>> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    if signing(&mut tx).await? != signed_by {
        return Ok(None);
    }
    tx.query(
        "INSERT INTO ledger_checkpoints (size, root, note, created_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (size) DO NOTHING",
    )
    .bind(size)
    .bind(root)
    .bind(note)
    .bind(now)
    .exec()
    .await?;
    let kept = tx
        .query("SELECT size, root, note, created_at FROM ledger_checkpoints WHERE size = $1")
        .bind(size)
        .one()
        .await?;
    tx.commit().await?;
    Ok(Some(kept))
}

/// Forgets the bytes that are published. False if another process has moved on.
pub(super) async fn integrated(db: &Db, me: Uuid, from: i64, to: i64) -> Result<bool> {
    let mut tx = db.begin().await?;
    let moved = tx
        .query("UPDATE ledger SET integrated = $1 WHERE integrated = $2 AND holder = $3")
        .bind(to)
        .bind(from)
        .bind(me)
        .exec()
        .await?;
    if moved != 1 {
        return Ok(false);
    }
    tx.query(
        "UPDATE ledger_batches SET entries = NULL \
         WHERE first_index >= $1 AND first_index < $2 AND retired_in IS NULL",
    )
    .bind(from)
    .bind(to)
    .exec()
    .await?;
    tx.commit().await?;
    Ok(true)
}

/// Takes over the published tree of a database that knows fewer leaves, and adds an entry that says so. The batches with
/// these first indexes are not in it, and wait again. False if another process has moved on.
pub(super) async fn adopt(
    db: &Db,
    me: Uuid,
    (from, to): (i64, i64),
    (root, note): (&[u8], &str),
    displaced: &[i64],
    now: Timestamp,
) -> Result<bool> {
    let mut tx = db.begin().await?;
    let moved = tx
        .query("UPDATE ledger SET size = $1, integrated = $1 WHERE size = $2 AND holder = $3")
        .bind(to)
        .bind(from)
        .bind(me)
        .exec()
        .await?;
    if moved != 1 {
        return Ok(false);
    }
    for first in displaced {
        tx.query(
            "UPDATE ledger_batches SET first_index = NULL \
             WHERE first_index = $1 AND entries IS NOT NULL AND retired_in IS NULL",
        )
        .bind(*first)
        .exec()
        .await?;
    }
    // The published tree has the others at these places: they were given before the backup.
    tx.query(
        "UPDATE ledger_batches SET entries = NULL \
         WHERE first_index IS NOT NULL AND entries IS NOT NULL AND retired_in IS NULL",
    )
    .exec()
    .await?;
    tx.query(
        "INSERT INTO ledger_checkpoints (size, root, note, created_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (size) DO NOTHING",
    )
    .bind(to)
    .bind(root)
    .bind(note)
    .bind(now)
    .exec()
    .await?;
    let event = proof::commitment::restored_entry(from.unsigned_abs(), to.unsigned_abs());
    add(&mut tx, Kind::Publications, &[event]).await?;
    tx.commit().await?;
    Ok(true)
}

/// Notes why the ledger stands still, unless it does for a witness. True if that is news, and the ledger is held.
pub(super) async fn stop(db: &Db, me: Uuid, why: &str) -> Result<bool> {
    let noted = db
        .query(
            "UPDATE ledger SET stopped = $1 \
             WHERE stopped_by IS NULL AND (stopped IS NULL OR stopped <> $1) AND holder = $2",
        )
        .bind(why)
        .bind(me)
        .exec()
        .await?;
    Ok(noted > 0)
}

/// Ends what [`stop`] has noted. True if the ledger goes on, and does not stand still for a witness.
pub(super) async fn goes_on(db: &Db, me: Uuid) -> Result<bool> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    let other = contradiction(&mut tx).await?;
    let goes_on = other.why.is_none();
    let changed = tx
        .query(
            "UPDATE ledger SET stopped = $1, stopped_by = $2, awaited = $3 \
             WHERE stopped_by IS NULL AND stopped IS NOT NULL AND holder = $4",
        )
        .bind(other.why)
        .bind(other.witness)
        .bind(other.awaited)
        .bind(me)
        .exec()
        .await?;
    tx.commit().await?;
    Ok(changed > 0 && goes_on)
}

/// Stops for a witness that has seen another tree, of `awaited` leaves if it has seen more than there is. Each witness
/// has its own contradiction, so that none hides that of another.
pub(super) async fn stop_for(
    db: &Db,
    witness: &str,
    awaited: Option<i64>,
    why: &str,
) -> Result<()> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    tx.query("UPDATE ledger_witnesses SET contradiction = $1, awaited = $3 WHERE witness = $2")
        .bind(why)
        .bind(witness)
        .bind(awaited)
        .exec()
        .await?;
    tx.query(
        "UPDATE ledger SET stopped = $1, stopped_by = $2, awaited = $3 \
         WHERE stopped IS NULL OR stopped_by = $2",
    )
    .bind(why)
    .bind(witness)
    .bind(awaited)
    .exec()
    .await?;
    tx.commit().await
}

/// Holds the row of the ledger: a contradiction that comes while another one ends must be seen.
pub(super) async fn one_at_a_time(tx: &mut Tx) -> Result<()> {
    tx.query("UPDATE ledger SET origin = origin").exec().await?;
    Ok(())
}

/// The claim of a witness for which the ledger stands still. All are `None` if no witness contradicts it.
#[derive(Default, sqlx::FromRow)]
struct Contradiction {
    why: Option<String>,
    witness: Option<String>,
    awaited: Option<i64>,
}

/// The contradiction of the first witness that has one.
async fn contradiction(tx: &mut Tx) -> Result<Contradiction> {
    let first = tx
        .query(
            "SELECT contradiction AS why, witness, awaited FROM ledger_witnesses \
             WHERE contradiction IS NOT NULL ORDER BY witness LIMIT 1",
        )
        .optional()
        .await?;
    Ok(first.unwrap_or_default())
}

/// Ends the contradiction of a witness. The ledger goes on if it stood still for it, and no other witness contradicts
/// it; else it stands still for another one. True if it goes on.
pub(super) async fn resume(db: &Db, witness: &str) -> Result<bool> {
    let mut tx = db.begin().await?;
    one_at_a_time(&mut tx).await?;
    tx.query("UPDATE ledger_witnesses SET contradiction = NULL, awaited = NULL WHERE witness = $1")
        .bind(witness)
        .exec()
        .await?;
    let other = contradiction(&mut tx).await?;
    let goes_on = other.why.is_none();
    let changed = tx
        .query(
            "UPDATE ledger SET stopped = $2, stopped_by = $3, awaited = $4 WHERE stopped_by = $1",
        )
        .bind(witness)
        .bind(other.why)
        .bind(other.witness)
        .bind(other.awaited)
        .exec()
        .await?;
    tx.commit().await?;
    Ok(changed > 0 && goes_on)
}

/// True if this process has the lease.
pub(super) async fn holds(db: &Db, me: Uuid, now: Timestamp) -> Result<bool> {
    let mine: Option<i64> = db
        .query("SELECT size FROM ledger WHERE holder = $1 AND held_until > $2")
        .bind(me)
        .bind(now)
        .optional_value()
        .await?;
    Ok(mine.is_some())
}

pub(super) async fn witnesses(db: &Db) -> Result<Vec<WitnessRow>> {
    db.query(
        "SELECT witness, size, cosigned_at, asked_at, fault, fault_at, contradiction \
         FROM ledger_witnesses",
    )
    .all()
    .await
}

/// Notes that a witness is asked. Before it is, so that no crash makes it be asked more often.
pub(super) async fn asking(db: &Db, witness: &str, now: Timestamp) -> Result<()> {
    db.query(
        "INSERT INTO ledger_witnesses (witness, size, asked_at) VALUES ($1, 0, $2) \
         ON CONFLICT (witness) DO UPDATE SET asked_at = excluded.asked_at",
    )
    .bind(witness)
    .bind(now)
    .exec()
    .await?;
    Ok(())
}

/// Keeps the first cosignature of a witness under a checkpoint.
pub(super) async fn cosigned(db: &Db, row: &CosignatureRow) -> Result<()> {
    let mut tx = db.begin().await?;
    tx.query(
        "INSERT INTO ledger_cosignatures (size, witness, line, signed_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (size, witness) DO NOTHING",
    )
    .bind(row.size)
    .bind(&row.witness)
    .bind(&row.line)
    .bind(row.signed_at)
    .exec()
    .await?;
    tx.query(
        "UPDATE ledger_witnesses SET size = $2, cosigned_at = $3, fault = NULL, fault_at = NULL \
         WHERE witness = $1 AND size <= $2",
    )
    .bind(&row.witness)
    .bind(row.size)
    .bind(Timestamp(row.signed_at.saturating_mul(1_000_000)))
    .exec()
    .await?;
    tx.commit().await
}

pub(super) async fn failed(db: &Db, witness: &str, fault: &str, now: Timestamp) -> Result<()> {
    db.query("UPDATE ledger_witnesses SET fault = $2, fault_at = $3 WHERE witness = $1")
        .bind(witness)
        .bind(fault)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Some cosignatures of these witnesses (vkeys) under published checkpoints above `after` leaves, by their sizes.
pub(super) async fn cosignatures(
    db: &Db,
    witnesses: &[String],
    after: i64,
    most: i64,
) -> Result<Vec<CosignatureRow>> {
    let mut statement = db
        .query(
            "SELECT size, witness, line, signed_at FROM ledger_cosignatures WHERE size > $1 \
             AND size <= (SELECT integrated FROM ledger) AND witness IN (",
        )
        .bind(after);
    statement
        .values(witnesses)
        .push(") ORDER BY size, witness LIMIT ")
        .value(most);
    statement.all().await
}

/// Cosignatures that are read of a checkpoint, at most.
const MOST_COSIGNATURES: i64 = 40;

/// The cosignatures of these checkpoints.
pub(super) async fn cosignatures_of(db: &Db, sizes: &[i64]) -> Result<Vec<CosignatureRow>> {
    if sizes.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement =
        db.query("SELECT size, witness, line, signed_at FROM ledger_cosignatures WHERE size IN (");
    statement
        .values(sizes.iter().copied())
        .push(") ORDER BY size, signed_at, witness LIMIT ")
        .value(MOST_COSIGNATURES * sizes.len() as i64);
    statement.all().await
}

/// The published checkpoints, newest first.
pub(super) async fn checkpoints(db: &Db, page: Page) -> Result<Listed<CheckpointRow>> {
    db.query("FROM ledger_checkpoints WHERE size <= (SELECT integrated FROM ledger)")
        .page("size, root, note, created_at", "size DESC", page)
        .await
}

pub(super) async fn newest_checkpoint(db: &Db) -> Result<Option<CheckpointRow>> {
    db.query(
        "SELECT size, root, note, created_at FROM ledger_checkpoints ORDER BY size DESC LIMIT 1",
    )
    .optional()
    .await
}

/// The checkpoint of so many leaves.
pub(super) async fn checkpoint(db: &Db, size: i64) -> Result<Option<CheckpointRow>> {
    db.query("SELECT size, root, note, created_at FROM ledger_checkpoints WHERE size = $1")
        .bind(size)
        .optional()
        .await
}

/// The earliest published checkpoint with so many leaves.
pub(super) async fn checkpoint_over(db: &Db, leaves: i64) -> Result<Option<CheckpointRow>> {
    db.query(
        "SELECT size, root, note, created_at FROM ledger_checkpoints WHERE size >= $1 \
         AND size <= (SELECT integrated FROM ledger) ORDER BY size LIMIT 1",
    )
    .bind(leaves)
    .optional()
    .await
}

/// The checkpoint that is published.
pub(super) async fn published(db: &Db) -> Result<Option<CheckpointRow>> {
    db.query(
        "SELECT size, root, note, created_at FROM ledger_checkpoints \
         WHERE size = (SELECT integrated FROM ledger)",
    )
    .optional()
    .await
}

pub(super) async fn first_checkpoint_at(db: &Db) -> Result<Option<Timestamp>> {
    db.query("SELECT created_at FROM ledger_checkpoints ORDER BY size LIMIT 1")
        .optional_value()
        .await
}

/// Some checkpoints from before a time whose partial files may be there.
pub(super) async fn unswept(db: &Db, before: Timestamp) -> Result<Vec<i64>> {
    db.query(
        "SELECT size FROM ledger_checkpoints WHERE size > (SELECT swept FROM ledger) \
         AND created_at < $1 ORDER BY size LIMIT 50",
    )
    .bind(before)
    .all_values()
    .await
}

/// The size of the last tree whose partial files were removed.
pub(super) async fn last_swept(db: &Db) -> Result<i64> {
    db.query("SELECT swept FROM ledger").one_value().await
}

pub(super) async fn swept(db: &Db, size: i64) -> Result<()> {
    db.query("UPDATE ledger SET swept = $1 WHERE swept < $1")
        .bind(size)
        .exec()
        .await?;
    Ok(())
}

/// Removes some checkpoints from before a time, whose partial files are gone, which nobody else signed, and which a later
/// one of the same day (UTC) follows. Returns their number.
pub(super) async fn thin(db: &Db, before: Timestamp) -> Result<u64> {
    const DAY: i64 = 86_400_000_000;
    db.query(
        "DELETE FROM ledger_checkpoints WHERE size IN (SELECT c.size FROM ledger_checkpoints c \
         WHERE c.created_at < $1 AND c.size <= (SELECT swept FROM ledger) \
         AND c.created_at / $2 = (SELECT n.created_at / $2 FROM ledger_checkpoints n \
         WHERE n.size > c.size ORDER BY n.size LIMIT 1) \
         AND NOT EXISTS (SELECT 1 FROM ledger_cosignatures s WHERE s.size = c.size) \
         AND NOT EXISTS (SELECT 1 FROM ledger_timestamps t WHERE t.size = c.size) \
         ORDER BY c.size LIMIT 1000)",
    )
    .bind(before)
    .bind(DAY)
    .exec()
    .await
}

/// True if leaves wait for an index. Counting them would cost more the more there are, each second.
pub(super) async fn waits(db: &Db) -> Result<bool> {
    let first: Option<i64> = db
        .query("SELECT id FROM ledger_batches WHERE first_index IS NULL ORDER BY kind, id LIMIT 1")
        .optional_value()
        .await?;
    Ok(first.is_some())
}

/// Leaves without an index.
pub(super) async fn waiting(db: &Db) -> Result<i64> {
    db.query(
        "SELECT CAST(COALESCE(SUM(leaves), 0) AS BIGINT) FROM ledger_batches \
         WHERE first_index IS NULL",
    )
    .one_value()
    .await
}

/// The entries of a batch that no checkpoint covers yet, as they wait.
pub(super) async fn waits_in(db: &Db, id: i64) -> Result<Vec<u8>> {
    let entries: Option<Option<Vec<u8>>> = db
        .query("SELECT entries FROM ledger_batches WHERE id = $1")
        .bind(id)
        .optional_value()
        .await?;
    Ok(entries.flatten().unwrap_or_default())
}

/// The place of a batch.
pub(super) async fn batch(db: &Db, id: i64) -> Result<Option<BatchRow>> {
    db.query("SELECT first_index, leaves, retired_in FROM ledger_batches WHERE id = $1")
        .bind(id)
        .optional()
        .await
}

/// The largest swept tree that was signed before a time, with all smaller ones. A clock that was behind for a while must not
/// make younger trees look older.
pub(super) async fn swept_before(db: &Db, before: Timestamp) -> Result<Option<i64>> {
    db.query(
        "SELECT size FROM ledger_checkpoints WHERE size <= (SELECT swept FROM ledger) \
         AND size < (SELECT MIN(size) FROM ledger_checkpoints WHERE created_at >= $1) \
         ORDER BY size DESC LIMIT 1",
    )
    .bind(before)
    .optional_value()
    .await
}

/// Raises the minimum index. False if it is as large already.
pub(super) async fn prune(db: &Db, to: i64) -> Result<bool> {
    let raised = db
        .query("UPDATE ledger SET pruned = $1 WHERE pruned < $1 AND $1 <= integrated")
        .bind(to)
        .exec()
        .await?;
    Ok(raised > 0)
}

/// The minimum index, and the index below which the files of leaves are gone.
pub(super) async fn pruned(db: &Db) -> Result<Option<(i64, i64)>> {
    db.query("SELECT pruned, removed FROM ledger")
        .optional()
        .await
}

/// Notes below which index the files of leaves are gone.
pub(super) async fn removed(db: &Db, to: i64) -> Result<()> {
    db.query("UPDATE ledger SET removed = $1 WHERE removed < $1 AND $1 <= pruned")
        .bind(to)
        .exec()
        .await?;
    Ok(())
}
