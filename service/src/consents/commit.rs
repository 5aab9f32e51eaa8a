//! One transaction for many consents, in the words of each engine.
//!
//! Written together: the consents, the counters of days and, for projects with webhooks, the
//! outbox of deliveries (a project without any costs nothing more). What a token answers
//! now is not written but read: its consent with the greatest (`decided_at`, `seq`), so a late
//! retry never undoes a withdrawal. A consent whose id is there already changes nothing and is
//! compared with what is there. PostgreSQL does it in one statement (one round trip, its own
//! transaction); SQLite in few with many rows each.

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

/// What became of a consent.
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
    /// How many lanes the engine is best served by.
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

/// What became of each row, given what is stored under their ids.
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
    let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
    if add(&mut tx, &all).await? {
        tell(&mut tx, &all).await?;
        tx.commit().await?;
        return Ok(vec![Written::Now; rows.len()]);
    }
    // Some are there already, and are counted with the others: once more, with a look at each.
    tx.rollback().await?;
    let mut tx = conn.begin_with("BEGIN IMMEDIATE").await?;
    insert(&mut tx, &all).await?;
    let written = compare(rows, stored(&mut tx, &all).await?)?;
    let fresh: Vec<&Row> = all
        .into_iter()
        .zip(&written)
        .filter(|(_, written)| **written == Written::Now)
        .map(|(row, _)| row)
        .collect();
    count(&mut tx, &fresh).await?;
    tell(&mut tx, &fresh).await?;
    tx.commit().await?;
    Ok(written)
}

/// Sizes of statements; a batch is filled up to the next one, so that few are prepared.
const SIZES: [usize; 12] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64];

/// Cuts a batch into pieces, each with the size of the statement that takes it.
fn pieces<T>(rows: &[T]) -> impl Iterator<Item = (&[T], usize)> {
    let most = SIZES.last().copied().unwrap_or(1);
    rows.chunks(most).map(move |piece| {
        let fits = SIZES.into_iter().find(|size| *size >= piece.len());
        (piece, fits.unwrap_or(most))
    })
}

/// A piece filled up to a size by its last row. A row that comes twice is a conflict with itself,
/// and changes nothing.
fn filled<T: Copy>(piece: &[T], size: usize) -> impl Iterator<Item = T> {
    let last = piece.last().copied();
    piece
        .iter()
        .copied()
        .chain(std::iter::repeat_with(move || last).flatten())
        .take(size)
}

/// `(?, …, ?), (?, …)`: so many rows of so many columns, each with an end of its own.
fn values(rows: usize, columns: usize, end: &str) -> String {
    let row = format!("({}{end})", vec!["?"; columns].join(", "));
    vec![row; rows].join(", ")
}

type Statement<'q> = sqlx::query::Query<'q, Sqlite, SqliteArguments>;

fn insert_sql(rows: usize) -> String {
    format!(
        "INSERT INTO consents (project_id, seq, consent_id, collection, identifier, token, \
         accept, outcome, preferences, value, publication, received_at, decided_at, page_host, ip, \
         country, user_agent, token_signed, body_hash, imported) \
         VALUES {} ON CONFLICT (project_id, consent_id) DO NOTHING;",
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

const COUNT: &str = "INSERT INTO consent_days AS d (project_id, day, outcome, lane, consents) \
     VALUES (?, ?, ?, 0, ?) ON CONFLICT (project_id, day, outcome, lane) DO UPDATE SET \
     consents = d.consents + excluded.consents;";

/// Consents of each project, day and outcome.
fn days<'r>(rows: &[&'r Row]) -> HashMap<(Uuid, i64, &'r str), i64> {
    let mut days = HashMap::new();
    for row in rows {
        let day = (row.project_id, row.received_at.day(), row.outcome.as_str());
        *days.entry(day).or_default() += 1;
    }
    days
}

/// Inserts and counts rows in one go and says whether all of them were new; if not, the counts are
/// wrong. Each statement sent on its own would wait for its turn on a busy machine; this is sent
/// once.
async fn add(conn: &mut SqliteConnection, rows: &[&Row]) -> Result<bool> {
    let days = days(rows);
    let mut sql: String = pieces(rows).map(|(_, size)| insert_sql(size)).collect();
    for _ in &days {
        sql.push_str(COUNT);
    }
    let mut statement: Statement<'_> = sqlx::query(AssertSqlSafe(sql));
    for (piece, size) in pieces(rows) {
        statement = filled(piece, size).fold(statement, |statement, row| bind_row(statement, row));
    }
    for (&(project, day, outcome), &consents) in &days {
        statement = bind_day(statement, project, day, outcome, consents);
    }
    let changed = statement.execute(&mut *conn).await?.rows_affected();
    Ok(changed == (rows.len() + days.len()) as u64)
}

fn bind_day<'q>(
    statement: Statement<'q>,
    project: Uuid,
    day: i64,
    outcome: &'q str,
    consents: i64,
) -> Statement<'q> {
    statement
        .bind(project)
        .bind(day)
        .bind(outcome)
        .bind(consents)
}

async fn insert(conn: &mut SqliteConnection, rows: &[&Row]) -> Result<()> {
    for (piece, size) in pieces(rows) {
        let statement = sqlx::query(AssertSqlSafe(insert_sql(size)));
        filled(piece, size)
            .fold(statement, |statement, row| bind_row(statement, row))
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}

async fn stored(conn: &mut SqliteConnection, rows: &[&Row]) -> Result<Vec<Stored>> {
    let mut stored = Vec::with_capacity(rows.len());
    for (piece, size) in pieces(rows) {
        let mut statement = sqlx::query_as(AssertSqlSafe(format!(
            "SELECT project_id, consent_id, seq, body_hash, decided_at FROM consents \
             WHERE (project_id, consent_id) IN (VALUES {})",
            values(size, 2, "")
        )));
        for row in filled(piece, size) {
            statement = statement.bind(row.project_id).bind(row.consent_id);
        }
        stored.extend(statement.fetch_all(&mut *conn).await?);
    }
    Ok(stored)
}

/// Puts consents that are new into the outbox of their projects' webhooks.
async fn tell(conn: &mut SqliteConnection, rows: &[&Row]) -> Result<()> {
    for row in rows.iter().filter(|row| row.hooked) {
        sqlx::query(
            "INSERT INTO webhook_deliveries (webhook_id, id, kind, subject, status, attempts, \
             by_hand, next_at, created_at) SELECT w.id, ?1, 'consent.created', ?2, 'waiting', 0, \
             FALSE, ?3, ?3 FROM webhooks w WHERE w.project_id = ?4 AND w.topic = 'consent' \
             AND w.active",
        )
        .bind(row.seq)
        .bind(row.consent_id)
        .bind(row.received_at)
        .bind(row.project_id)
        .execute(&mut *conn)
        .await?;
    }
    Ok(())
}

/// Counts consents that are new.
async fn count(conn: &mut SqliteConnection, rows: &[&Row]) -> Result<()> {
    for ((project, day, outcome), consents) in days(rows) {
        bind_day(sqlx::query(COUNT), project, day, outcome, consents)
            .execute(&mut *conn)
            .await?;
    }
    Ok(())
}
