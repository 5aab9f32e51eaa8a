//! Many answers of visitors in one transaction, in the words of each engine.
//!
//! The transaction writes the consents, the counters of days and, for projects with webhooks, the outbox of deliveries,
//! and the entries of the ledger as one row (a project without webhooks costs nothing more). The state of a token is
//! not written but read: it is the consent with the greatest (`decided_at`, `seq`), so a late retry never undoes a
//! withdrawal.
//!
//! Nearly always no id is taken, and one statement does all this: on PostgreSQL in one round trip, on
//! SQLite in one text that is handed to its thread once. If an id is taken, the statement fails as a
//! whole, and [`super::add`] writes the others. A consent whose id is stored changes nothing and is
//! compared with the stored one.

use std::{collections::HashMap, sync::Arc, time::Duration};

use proof::Hash;
use sqlx::{AssertSqlSafe, PgPool, Postgres, SqlitePool, pool::PoolConnection};
use uuid::Uuid;

use super::{add, days, pieces};
use crate::{
    clock::Timestamp,
    consents::row::{COLUMNS, Row, WRITTEN},
    db::{Db, DbError, Value},
    ledger::bundle,
};

type Result<T> = std::result::Result<T, DbError>;

/// Lanes on PostgreSQL: under a load that is worth two, one works here while the other's commit waits for the disk.
pub(super) const MOST_LANES: i64 = 2;

/// Visitors do not wait longer than this for a server that is away.
const PATIENCE: Duration = Duration::from_secs(2);

/// The result of writing a consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::consents) enum Written {
    /// It is stored.
    Now,
    /// The same consent was stored before.
    Before(Stood),
    /// Another consent has its id.
    Other,
}

/// Facts of a stored consent that another attempt to store it would make anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::consents) struct Stood {
    pub decided_at: Timestamp,
    /// `None` where the consent has no entry in the ledger.
    pub salt: Option<Hash>,
}

/// Writes batches of one lane.
pub(in crate::consents) struct Batches {
    db: Db,
    /// Lanes count days apart, so that none waits for the other's commit.
    lane: i64,
    /// On PostgreSQL the lane's own connection, as long as it works.
    connection: Option<PoolConnection<Postgres>>,
}

/// A consent under an id, as it is stored.
#[derive(sqlx::FromRow)]
struct Stored {
    project_id: Uuid,
    consent_id: Uuid,
    seq: Uuid,
    body_hash: Vec<u8>,
    decided_at: Timestamp,
    salt: Option<Vec<u8>>,
}

impl Batches {
    /// The number of lanes that serves the engine best.
    pub(in crate::consents) fn lanes(db: &Db) -> i64 {
        match db {
            Db::Sqlite { .. } => 1,
            Db::Postgres(_) => MOST_LANES,
        }
    }

    pub(in crate::consents) fn new(db: Db, lane: i64) -> Self {
        Self {
            db,
            lane,
            connection: None,
        }
    }

    /// Writes all of them, or none.
    pub(in crate::consents) async fn write(&mut self, rows: &[Arc<Row>]) -> Result<Vec<Written>> {
        let rows: Vec<&Row> = rows.iter().map(AsRef::as_ref).collect();
        let done = match &self.db {
            Db::Sqlite { writer, .. } => sqlite(writer, &rows).await,
            Db::Postgres(pool) => {
                let mut conn = match self.connection.take() {
                    Some(conn) => conn,
                    None => connect(pool).await?,
                };
                let done = postgres(&mut conn, &rows, self.lane).await;
                match done {
                    Ok(()) | Err(DbError::Duplicate(_)) => self.connection = Some(conn),
                    // The state of the connection is unknown: another one will serve.
                    Err(_) => conn.close_on_drop(),
                }
                done
            }
        };
        match done {
            Ok(()) => Ok(vec![Written::Now; rows.len()]),
            Err(DbError::Duplicate(_)) => self.write_others(&rows).await,
            Err(error) => Err(error),
        }
    }

    /// Writes those whose ids are not taken, and compares the others.
    async fn write_others(&self, rows: &[&Row]) -> Result<Vec<Written>> {
        let mut tx = self.db.begin().await?;
        add(&mut tx, rows, self.lane).await?;
        let mut stored = HashMap::with_capacity(rows.len());
        for piece in pieces(rows) {
            let mut statement = tx.query(
                "SELECT project_id, consent_id, seq, body_hash, decided_at, salt FROM consents \
                 WHERE (project_id, consent_id) IN (VALUES ",
            );
            statement
                .tuples(piece.iter().map(|row| [row.project_id, row.consent_id]))
                .push(")");
            for found in statement.all::<Stored>().await? {
                stored.insert((found.project_id, found.consent_id), found);
            }
        }
        tx.commit().await?;
        rows.iter()
            .map(|row| {
                let stored = stored
                    .get(&(row.project_id, row.consent_id))
                    .ok_or(DbError::Fault(sqlx::Error::RowNotFound))?;
                Ok(if stored.seq == row.seq {
                    Written::Now
                } else if stored.body_hash == row.body_hash {
                    let salt = stored.salt.as_deref();
                    Written::Before(Stood {
                        decided_at: stored.decided_at,
                        salt: salt.and_then(|salt| Hash::try_from(salt).ok()),
                    })
                } else {
                    Written::Other
                })
            })
            .collect()
    }
}

async fn connect(pool: &PgPool) -> Result<PoolConnection<Postgres>> {
    Ok(tokio::time::timeout(PATIENCE, pool.acquire())
        .await
        .map_err(|_| DbError::Unavailable(sqlx::Error::PoolTimedOut))??)
}

/// The statement, with and without the outbox.
macro_rules! postgres_sql {
    ($outbox:literal) => {
        concat!(
            r"
WITH batch AS (
    INSERT INTO ledger_batches (kind, leaves, entries)
    SELECT 1, $22::BIGINT, $23::BYTEA WHERE $22::BIGINT > 0
    RETURNING id
), added AS (
    INSERT INTO consents (project_id, seq, consent_id, collection, identifier, token, accept,
        outcome, preferences, value, publication, received_at, decided_at, page_host, ip, country,
        user_agent, token_signed, body_hash, salt, language, imported, batch)
    SELECT *, FALSE, (SELECT id FROM batch) FROM UNNEST($1::UUID[], $2::UUID[], $3::UUID[], $4::TEXT[], $5::UUID[], $6::TEXT[],
        $7::BOOLEAN[], $8::TEXT[], $9::TEXT[], $10::TEXT[], $11::TEXT[], $12::BIGINT[],
        $13::BIGINT[], $14::TEXT[], $15::TEXT[], $16::TEXT[], $17::TEXT[], $18::BOOLEAN[],
        $19::BYTEA[], $21::BYTEA[], $24::TEXT[])
    RETURNING project_id, seq, consent_id, received_at, outcome
), days AS (
    INSERT INTO consent_days AS d (project_id, day, outcome, lane, consents)
    SELECT project_id, received_at / 86400000000, outcome, $20::BIGINT, COUNT(*) FROM added
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (project_id, day, outcome, lane) DO UPDATE SET
        consents = d.consents + excluded.consents
)",
            $outbox,
            "SELECT COUNT(*) FROM added"
        )
    };
}

const POSTGRES: &str = postgres_sql!(" ");
const POSTGRES_HOOKED: &str = postgres_sql!(
    r", outbox AS (
    INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, attempts, by_hand,
        next_at, created_at)
    SELECT w.id, a.seq, 'consent.created', a.consent_id, 'waiting', 0, FALSE, a.received_at,
        a.received_at
    FROM added a JOIN webhooks w ON w.project_id = a.project_id
    WHERE w.topic = 'consent' AND w.active
)
"
);

async fn postgres(conn: &mut PoolConnection<Postgres>, rows: &[&Row], lane: i64) -> Result<()> {
    // Two lanes meet rows in the same order, so that none waits for the other in a circle.
    let mut sorted = rows.to_vec();
    sorted.sort_unstable_by_key(|row| (row.project_id, row.consent_id, row.seq));
    macro_rules! column {
        ($of:expr) => {
            sorted.iter().map($of).collect::<Vec<_>>()
        };
    }
    let hooked = rows.iter().any(|row| row.hooked);
    let entries: Vec<Vec<u8>> = sorted.iter().filter_map(|row| row.entry()).collect();
    sqlx::query(if hooked { POSTGRES_HOOKED } else { POSTGRES })
        .bind(column!(|row| row.project_id))
        .bind(column!(|row| row.seq))
        .bind(column!(|row| row.consent_id))
        .bind(column!(|row| row.collection.as_str()))
        .bind(column!(|row| row.identifier))
        .bind(column!(|row| row.token.as_str()))
        .bind(column!(|row| row.accept))
        .bind(column!(|row| row.outcome.as_str()))
        .bind(column!(|row| row.preferences.as_str()))
        .bind(column!(|row| row.value.as_deref()))
        .bind(column!(|row| row.publication.as_deref()))
        .bind(column!(|row| row.received_at.0))
        .bind(column!(|row| row.decided_at.0))
        .bind(column!(|row| row.page_host.as_deref()))
        .bind(column!(|row| row.ip.as_deref()))
        .bind(column!(|row| row.country.as_deref()))
        .bind(column!(|row| row.user_agent.as_deref()))
        .bind(column!(|row| row.token_signed))
        .bind(column!(|row| row.body_hash.as_slice()))
        .bind(lane)
        .bind(column!(|row| row
            .commitment
            .as_ref()
            .map(|made| made.salt.as_slice())))
        .bind(entries.len() as i64)
        .bind(bundle(&entries)?)
        .bind(column!(|row| row.language))
        .execute(&mut **conn)
        .await?;
    Ok(())
}

/// Rows of one of SQLite's statements.
const PIECE: usize = 64;

/// Counts consents.
const COUNT: &str = "INSERT INTO consent_days AS d (project_id, day, outcome, lane, consents) \
     VALUES (?, ?, ?, 0, ?) ON CONFLICT (project_id, day, outcome, lane) DO UPDATE SET \
     consents = d.consents + excluded.consents;";

/// Puts a consent into the outbox of its project's webhooks.
const TELL: &str = "INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, \
     attempts, by_hand, next_at, created_at) SELECT w.id, ?, 'consent.created', ?, 'waiting', 0, \
     FALSE, ?, ? FROM webhooks w WHERE w.project_id = ? AND w.topic = 'consent' AND w.active;";

/// Writes in a transaction that is one text: each statement sent on its own would wait for its turn on
/// a busy machine.
async fn sqlite(pool: &SqlitePool, rows: &[&Row]) -> Result<()> {
    let days = days(rows);
    let hooked: Vec<&Row> = rows.iter().copied().filter(|row| row.hooked).collect();
    let mut sql = "BEGIN IMMEDIATE;".to_owned();
    let mut values = Vec::with_capacity(rows.len() * COLUMNS + 2);
    let entries: Vec<Vec<u8>> = rows.iter().filter_map(|row| row.entry()).collect();
    let mut batch = "NULL";
    if !entries.is_empty() {
        sql += "INSERT INTO ledger_batches (kind, leaves, entries) VALUES (1, ?, ?);";
        values.extend::<[Value; 2]>([(entries.len() as i64).into(), bundle(&entries)?.into()]);
        // The transaction is the only writer.
        batch = "(SELECT MAX(id) FROM ledger_batches)";
    }
    for piece in rows.chunks(PIECE) {
        let row = format!("({})", ["?"; COLUMNS].join(", "));
        let all = vec![row; piece.len()].join(", ");
        // The batch stands once: SQLite would look for it again for each row of values.
        sql.extend([
            "INSERT INTO consents (",
            WRITTEN,
            ", batch) SELECT *, ",
            batch,
            " FROM (VALUES ",
            &all,
            ");",
        ]);
        values.extend(piece.iter().flat_map(|row| row.values()));
    }
    for ((project, day, outcome), consents) in days {
        sql += COUNT;
        values.extend::<[Value; 4]>([project.into(), day.into(), outcome.into(), consents.into()]);
    }
    for row in hooked {
        sql += TELL;
        values.extend::<[Value; 5]>([
            row.seq.into(),
            row.consent_id.into(),
            row.received_at.into(),
            row.received_at.into(),
            row.project_id.into(),
        ]);
    }
    sql += "COMMIT;";
    let mut conn = pool.acquire().await?;
    let statement = sqlx::query_with(AssertSqlSafe(sql), Value::sqlite(values)?);
    let Err(error) = statement.execute(&mut *conn).await else {
        return Ok(());
    };
    if sqlx::query("ROLLBACK").execute(&mut *conn).await.is_err() {
        // The state of the transaction is unknown: another connection serves the next batch.
        conn.close_on_drop();
    }
    Err(error.into())
}
