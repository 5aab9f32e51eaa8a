//! Witnesses: how it stands with each, what they signed, and how they contradict the ledger.

use uuid::Uuid;

use super::{Result, rows::CosignatureRow, state::one_at_a_time};
use crate::{
    clock::Timestamp,
    db::{Db, Tx},
};

/// The state of a witness.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(in crate::ledger) struct WitnessRow {
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

pub(in crate::ledger) async fn witnesses(db: &Db) -> Result<Vec<WitnessRow>> {
    db.query(
        "SELECT witness, size, cosigned_at, asked_at, fault, fault_at, contradiction \
         FROM ledger_witnesses",
    )
    .all()
    .await
}

/// Notes that a witness is asked. Before it is, so that no crash makes it be asked more often.
pub(in crate::ledger) async fn asking(db: &Db, witness: &str, now: Timestamp) -> Result<()> {
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
pub(in crate::ledger) async fn cosigned(db: &Db, row: &CosignatureRow) -> Result<()> {
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

pub(in crate::ledger) async fn failed(
    db: &Db,
    witness: &str,
    fault: &str,
    now: Timestamp,
) -> Result<()> {
    db.query("UPDATE ledger_witnesses SET fault = $2, fault_at = $3 WHERE witness = $1")
        .bind(witness)
        .bind(fault)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Stops for a witness that has seen another tree, of `awaited` leaves if it has seen more than there is. Each witness
/// has its own contradiction, so that none hides that of another.
pub(in crate::ledger) async fn stop_for(
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

/// Ends what [`stop`] has noted. True if the ledger goes on, and does not stand still for a witness.
pub(in crate::ledger) async fn goes_on(db: &Db, me: Uuid) -> Result<bool> {
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

/// Ends the contradiction of a witness. The ledger goes on if it stood still for it, and no other witness contradicts
/// it; else it stands still for another one. True if it goes on.
pub(in crate::ledger) async fn resume(db: &Db, witness: &str) -> Result<bool> {
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
