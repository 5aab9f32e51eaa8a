//! Rows of a ledger that is the present one or has ended: the same statements over other tables.

use super::Result;
use crate::db::{Db, Query};

/// The number of a ledger that has ended; `None` for the present one.
pub(in crate::ledger) type Number = Option<i64>;

/// Tables, and the condition of a ledger's rows in them.
struct Rows {
    present: (&'static str, &'static str),
    /// The ledger's number ends the condition.
    retired: (&'static str, &'static str),
}

const LEDGER: Rows = Rows {
    present: ("ledger", " WHERE TRUE"),
    retired: ("retired_ledgers", " WHERE number = "),
};

/// Published ones.
const CHECKPOINTS: Rows = Rows {
    present: (
        "ledger_checkpoints",
        " WHERE size <= (SELECT integrated FROM ledger)",
    ),
    retired: (
        "retired_checkpoints",
        " WHERE size <= (SELECT size FROM retired_ledgers WHERE number = ledger) AND ledger = ",
    ),
};

/// Those under published checkpoints.
const COSIGNATURES: Rows = Rows {
    present: ("ledger_cosignatures", CHECKPOINTS.present.1),
    retired: ("retired_cosignatures", CHECKPOINTS.retired.1),
};

/// Stamps of published checkpoints, with these.
const STAMPS: Rows = Rows {
    present: (
        "ledger_timestamps JOIN ledger_checkpoints USING (size)",
        CHECKPOINTS.present.1,
    ),
    retired: (
        "retired_timestamps JOIN retired_checkpoints USING (ledger, size)",
        CHECKPOINTS.retired.1,
    ),
};

impl Rows {
    /// Begins a statement that reads columns of the rows of a ledger. Further conditions follow.
    fn read<'a>(&self, db: &'a Db, columns: &'static str, number: Number) -> Query<'a> {
        let mut statement = db.query("SELECT ");
        statement
            .push(columns)
            .push(" FROM ")
            .push(self.tables(number));
        self.limit(&mut statement, number);
        statement
    }

    fn tables(&self, number: Number) -> &'static str {
        match number {
            None => self.present.0,
            Some(_) => self.retired.0,
        }
    }

    /// Limits a statement to the rows of a ledger.
    fn limit(&self, statement: &mut Query<'_>, number: Number) {
        match number {
            None => statement.push(self.present.1),
            Some(number) => statement.push(self.retired.1).value(number),
        };
    }
}

/// Size and note of a checkpoint.
pub(in crate::ledger) type Signed = (i64, String);

/// A stored cosignature.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(in crate::ledger) struct CosignatureRow {
    pub size: i64,
    pub witness: String,
    pub line: String,
    /// Seconds since 1970.
    pub signed_at: i64,
}

/// A stamp, with the checkpoint that it is over.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(in crate::ledger) struct StampRow {
    pub size: i64,
    pub note: String,
    pub url: String,
    pub token: Vec<u8>,
}

/// The earliest published checkpoint with so many leaves.
pub(in crate::ledger) async fn checkpoint_over(
    db: &Db,
    number: Number,
    leaves: i64,
) -> Result<Option<Signed>> {
    let mut statement = CHECKPOINTS.read(db, "size, note", number);
    statement
        .push(" AND size >= ")
        .value(leaves)
        .push(" ORDER BY size LIMIT 1");
    statement.optional().await
}

/// Some cosignatures of these witnesses (vkeys) under published checkpoints above `after` leaves, by their sizes.
pub(in crate::ledger) async fn cosignatures(
    db: &Db,
    number: Number,
    witnesses: &[String],
    (after, most): (i64, i64),
) -> Result<Vec<CosignatureRow>> {
    let mut statement = COSIGNATURES.read(db, "size, witness, line, signed_at", number);
    statement
        .push(" AND size > ")
        .value(after)
        .push(" AND witness IN (")
        .values(witnesses)
        .push(") ORDER BY size, witness LIMIT ")
        .value(most);
    statement.all().await
}

/// Cosignatures that are read of a checkpoint, at most.
const MOST_COSIGNATURES: i64 = 40;

/// The cosignatures of these published checkpoints, those of each the earliest first.
pub(in crate::ledger) async fn cosignatures_of(
    db: &Db,
    number: Number,
    sizes: &[i64],
) -> Result<Vec<CosignatureRow>> {
    if sizes.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = COSIGNATURES.read(db, "size, witness, line, signed_at", number);
    statement
        .push(" AND size IN (")
        .values(sizes.iter().copied())
        .push(") ORDER BY size, signed_at, witness LIMIT ")
        .value(MOST_COSIGNATURES * sizes.len() as i64);
    statement.all().await
}

/// The stamp over the earliest published checkpoint with so many leaves that has one.
pub(in crate::ledger) async fn stamp_over(
    db: &Db,
    number: Number,
    leaves: i64,
) -> Result<Option<StampRow>> {
    let mut statement = STAMPS.read(db, "size, note, url, token", number);
    statement
        .push(" AND size >= ")
        .value(leaves)
        .push(" ORDER BY size, stamped_at, url LIMIT 1");
    statement.optional().await
}

/// The minimum index, and the index below which the files of leaves are gone.
pub(in crate::ledger) async fn pruned(db: &Db, number: Number) -> Result<Option<(i64, i64)>> {
    LEDGER.read(db, "pruned, removed", number).optional().await
}

/// Notes below which index the files of leaves are gone.
pub(in crate::ledger) async fn removed(db: &Db, number: Number, to: i64) -> Result<()> {
    let mut statement = db.query("UPDATE ");
    statement
        .push(LEDGER.tables(number))
        .push(" SET removed = ")
        .value(to);
    LEDGER.limit(&mut statement, number);
    statement
        .push(" AND removed < ")
        .value(to)
        .push(" AND pruned >= ")
        .value(to);
    statement.exec().await?;
    Ok(())
}
