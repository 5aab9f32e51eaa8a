//! One transaction for many consents, in the words of each engine.
//!
//! The transaction writes the consents, the counters of days and, for projects with webhooks, the
//! outbox of deliveries (a project without webhooks costs nothing more). The state of a token is
//! not written but read: it is the consent with the greatest (`decided_at`, `seq`), so a late retry
//! never undoes a withdrawal. A consent whose id is already stored changes nothing and is compared
//! with the stored one. PostgreSQL does all this in one statement (one round trip, its own
//! transaction). SQLite does it in one text, handed to its thread once.

use std::{collections::HashMap, sync::Arc, time::Duration};

use sqlx::{
    AssertSqlSafe, Connection, PgPool, Postgres, Sqlite, SqliteConnection, SqlitePool,
    pool::PoolConnection, sqlite::SqliteArguments,
};
use uuid::Uuid;

use super::collect::Row;
use crate::{
    clock::Timestamp,
    db::{Db, DbError},
};

type Result<T> = std::result::Result<T, DbError>;

/// Lanes on PostgreSQL: one works here while the other's commit waits for the disk.
const POSTGRES_LANES: i64 = 2;

/// Visitors do not wait longer than this for a server that is away.
const PATIENCE: Duration = Duration::from_secs(2);

/// The result of writing a consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// It is stored.
    Now,
    /// The same consent was stored before, decided then.
    Before(Timestamp),
    /// Another consent has its id.
    Other,
}

/// Writes batches on one connection.
pub(super) enum Batches {
    /// The connection is the writer's own as long as it works.
    Postgres {
        pool: PgPool,
        connection: Option<PoolConnection<Postgres>>,
        /// Lanes count days apart, so that none waits for the other's commit.
        lane: i64,
    },
    /// The connection is shared with every other writer.
    Sqlite(SqlitePool),
}

/// A consent under an id, as it is stored.
#[derive(sqlx::FromRow)]
struct Stored {
    project_id: Uuid,
    consent_id: Uuid,
    seq: Uuid,
    body_hash: Vec<u8>,
    decided_at: Timestamp,
}

impl Batches {
    /// The number of lanes that serves the engine best.
    pub(super) fn lanes(db: &Db) -> i64 {
        match db {
            Db::Sqlite { .. } => 1,
            Db::Postgres(_) => POSTGRES_LANES,
        }
    }

    pub(super) fn new(db: Db, lane: i64) -> Self {
        match db {
            Db::Sqlite { writer, .. } => Self::Sqlite(writer),
            Db::Postgres(pool) => Self::Postgres {
                pool,
                connection: None,
                lane,
            },
        }
    }

    /// Writes all of them, or none.
    pub(super) async fn write(&mut self, rows: &[Arc<Row>]) -> Result<Vec<Written>> {
        match self {
            Self::Postgres {
                pool,
                connection,
                lane,
            } => {
                let mut conn = match connection.take() {
                    Some(conn) => conn,
                    None => tokio::time::timeout(PATIENCE, pool.acquire())
                        .await
                        .map_err(|_| DbError::Unavailable(sqlx::Error::PoolTimedOut))??,
                };
                match postgres(&mut conn, rows, *lane).await {
                    Ok(written) => {
                        *connection = Some(conn);
                        Ok(written)
                    }
                    Err(error) => {
                        // Its state is not known: another one will serve.
                        conn.close_on_drop();
                        Err(error)
                    }
                }
            }
            Self::Sqlite(pool) => sqlite(pool, rows).await,
        }
    }
}

/// Finds the result for each row by comparing it with the stored consent of its id.
fn compare(rows: &[Arc<Row>], stored: Vec<Stored>) -> Result<Vec<Written>> {
    let stored: HashMap<(Uuid, Uuid), Stored> = stored
        .into_iter()
        .map(|stored| ((stored.project_id, stored.consent_id), stored))
        .collect();
    rows.iter()
        .map(|row| {
            let stored = stored
                .get(&(row.project_id, row.consent_id))
                .ok_or(DbError::Fault(sqlx::Error::RowNotFound))?;
            Ok(if stored.seq == row.seq {
                Written::Now
            } else if stored.body_hash == row.body_hash {
                Written::Before(stored.decided_at)
            } else {
                Written::Other
            })
        })
        .collect()
}

/// The statement, with and without the outbox.
macro_rules! postgres_sql {
    ($outbox:literal) => {
        concat!(
            r"
WITH added AS (
    INSERT INTO consents (project_id, seq, consent_id, collection, identifier, token, accept,
        outcome, preferences, value, publication, received_at, decided_at, page_host, ip, country,
        user_agent, token_signed, body_hash, imported)
    SELECT *, FALSE FROM UNNEST($1::UUID[], $2::UUID[], $3::UUID[], $4::TEXT[], $5::UUID[], $6::TEXT[],
        $7::BOOLEAN[], $8::TEXT[], $9::TEXT[], $10::TEXT[], $11::TEXT[], $12::BIGINT[],
        $13::BIGINT[], $14::TEXT[], $15::TEXT[], $16::TEXT[], $17::TEXT[], $18::BOOLEAN[],
        $19::BYTEA[])
    ON CONFLICT (project_id, consent_id) DO NOTHING
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

async fn postgres(
    conn: &mut PoolConnection<Postgres>,
    rows: &[Arc<Row>],
    lane: i64,
) -> Result<Vec<Written>> {
    // Two lanes meet rows in the same order, so that none waits for the other in a circle.
    let mut sorted: Vec<&Row> = rows.iter().map(AsRef::as_ref).collect();
    sorted.sort_unstable_by_key(|row| (row.project_id, row.consent_id, row.seq));
    macro_rules! column {
        ($of:expr) => {
            sorted.iter().map($of).collect::<Vec<_>>()
        };
    }
    let hooked = rows.iter().any(|row| row.hooked);
    let added: i64 = sqlx::query_scalar(if hooked { POSTGRES_HOOKED } else { POSTGRES })
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
        .fetch_one(&mut **conn)
        .await?;
    if usize::try_from(added) == Ok(rows.len()) {
        return Ok(vec![Written::Now; rows.len()]);
    }
    let stored = sqlx::query_as(
        "SELECT c.project_id, c.consent_id, c.seq, c.body_hash, c.decided_at FROM consents c \
         JOIN UNNEST($1::UUID[], $2::UUID[]) AS asked (project_id, consent_id) \
         ON c.project_id = asked.project_id AND c.consent_id = asked.consent_id",
    )
    .bind(column!(|row| row.project_id))
    .bind(column!(|row| row.consent_id))
    .fetch_all(&mut **conn)
    .await?;
    compare(rows, stored)
}

async fn sqlite(pool: &SqlitePool, rows: &[Arc<Row>]) -> Result<Vec<Written>> {
    let mut conn = pool.acquire().await?;
    let all: Vec<&Row> = rows.iter().map(AsRef::as_ref).collect();
    match at_once(&mut conn, &all).await {
        Ok(()) => Ok(vec![Written::Now; rows.len()]),
        Err(error) => {
            if sqlx::query("ROLLBACK").execute(&mut *conn).await.is_err() {
                // The state of the transaction is unknown: another connection serves the next
                // batch.
                conn.close_on_drop();
                return Err(error);
            }
            match error {
                DbError::Duplicate(_) => with_care(&mut conn, rows, &all).await,
                error => Err(error),
            }
        }
    }
}

/// Writes consents of which none is there yet, in a transaction that is one text: each statement
/// sent on its own would wait for its turn on a busy machine. When this fails, the transaction may
/// still be open.
async fn at_once(conn: &mut SqliteConnection, rows: &[&Row]) -> Result<()> {
    let days = days(rows);
    let hooked: Vec<&Row> = rows.iter().copied().filter(|row| row.hooked).collect();
    let mut sql = "BEGIN IMMEDIATE;".to_owned();
    for piece in rows.chunks(PIECE) {
        sql += &insert_sql(piece.len());
        sql.push(';');
    }
    for statement in [COUNT]
        .repeat(days.len())
        .into_iter()
        .chain([TELL].repeat(hooked.len()))
    {
        sql += statement;
        sql.push(';');
    }
    sql += "COMMIT;";
    let statement: Statement<'_> = sqlx::query(AssertSqlSafe(sql));
    let statement = rows.iter().fold(statement, |to, row| bind_row(to, row));
    let statement = days.iter().fold(statement, |to, (day, consents)| {
        bind_day(to, *day, *consents)
    });
    let statement = hooked.iter().fold(statement, |to, row| bind_told(to, row));
    statement.execute(conn).await?;
    Ok(())
}

/// Looks at each row and writes those that are not stored yet.
async fn with_care(
    conn: &mut SqliteConnection,
    rows: &[Arc<Row>],
    all: &[&Row],
) -> Result<Vec<Written>> {
    let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
    for piece in all.chunks(PIECE) {
        let sql = insert_sql(piece.len()) + " ON CONFLICT (project_id, consent_id) DO NOTHING";
        let statement: Statement<'_> = sqlx::query(AssertSqlSafe(sql));
        let statement = piece.iter().fold(statement, |to, row| bind_row(to, row));
        statement.execute(&mut *tx).await?;
    }
    let written = compare(rows, stored(&mut tx, all).await?)?;
    let fresh: Vec<&Row> = all
        .iter()
        .zip(&written)
        .filter(|(_, written)| **written == Written::Now)
        .map(|(row, _)| *row)
        .collect();
    for (day, consents) in days(&fresh) {
        let statement = bind_day(sqlx::query(COUNT), day, consents);
        statement.execute(&mut *tx).await?;
    }
    for row in fresh.iter().filter(|row| row.hooked) {
        bind_told(sqlx::query(TELL), row).execute(&mut *tx).await?;
    }
    tx.commit().await?;
    Ok(written)
}

/// Rows of one statement.
const PIECE: usize = 64;

type Statement<'q> = sqlx::query::Query<'q, Sqlite, SqliteArguments>;

/// `(?, …, ?), (?, …, ?)`: so many rows of so many columns, each with an end of its own.
fn values(rows: usize, columns: usize, end: &str) -> String {
    let row = format!("({}{end})", vec!["?"; columns].join(", "));
    vec![row; rows].join(", ")
}

fn insert_sql(rows: usize) -> String {
    format!(
        "INSERT INTO consents (project_id, seq, consent_id, collection, identifier, token, \
         accept, outcome, preferences, value, publication, received_at, decided_at, page_host, ip, \
         country, user_agent, token_signed, body_hash, imported) VALUES {}",
        values(rows, 19, ", FALSE")
    )
}

fn bind_row<'q>(statement: Statement<'q>, row: &'q Row) -> Statement<'q> {
    statement
        .bind(row.project_id)
        .bind(row.seq)
        .bind(row.consent_id)
        .bind(row.collection.as_str())
        .bind(row.identifier)
        .bind(&row.token)
        .bind(row.accept)
        .bind(row.outcome.as_str())
        .bind(&row.preferences)
        .bind(&row.value)
        .bind(&row.publication)
        .bind(row.received_at)
        .bind(row.decided_at)
        .bind(&row.page_host)
        .bind(&row.ip)
        .bind(&row.country)
        .bind(&row.user_agent)
        .bind(row.token_signed)
        .bind(row.body_hash.as_slice())
}

/// Counts consents that are new.
const COUNT: &str = "INSERT INTO consent_days AS d (project_id, day, outcome, lane, consents) \
     VALUES (?, ?, ?, 0, ?) ON CONFLICT (project_id, day, outcome, lane) DO UPDATE SET \
     consents = d.consents + excluded.consents";

/// Puts a consent that is new into the outbox of its project's webhooks.
const TELL: &str = "INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, \
     attempts, by_hand, next_at, created_at) SELECT w.id, ?, 'consent.created', ?, 'waiting', 0, \
     FALSE, ?, ? FROM webhooks w WHERE w.project_id = ? AND w.topic = 'consent' AND w.active";

/// A project's day and outcome.
type Day<'r> = (Uuid, i64, &'r str);

/// Consents of each project, day and outcome.
fn days<'r>(rows: &[&'r Row]) -> HashMap<Day<'r>, i64> {
    let mut days = HashMap::new();
    for row in rows {
        let day = (row.project_id, row.received_at.day(), row.outcome.as_str());
        *days.entry(day).or_default() += 1;
    }
    days
}

fn bind_day<'q>(
    statement: Statement<'q>,
    (project, day, outcome): Day<'q>,
    consents: i64,
) -> Statement<'q> {
    statement
        .bind(project)
        .bind(day)
        .bind(outcome)
        .bind(consents)
}

fn bind_told<'q>(statement: Statement<'q>, row: &Row) -> Statement<'q> {
    statement
        .bind(row.seq)
        .bind(row.consent_id)
        .bind(row.received_at)
        .bind(row.received_at)
        .bind(row.project_id)
}

async fn stored(conn: &mut SqliteConnection, rows: &[&Row]) -> Result<Vec<Stored>> {
    let mut stored = Vec::with_capacity(rows.len());
    for piece in rows.chunks(PIECE) {
        let mut statement = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT project_id, consent_id, seq, body_hash, decided_at FROM consents \
             WHERE (project_id, consent_id) IN (VALUES {})",
            values(piece.len(), 2, "")
        )));
        for row in piece {
            statement = statement.bind(row.project_id).bind(row.consent_id);
        }
        stored.extend(statement.fetch_all(&mut *conn).await?);
    }
    Ok(stored)
}
