//! The single entry point to both databases.
//!
//! The enum is the abstraction: `$1` placeholders, `RETURNING` and `ON CONFLICT` mean the same on
//! both engines, so a statement is written once ([`Query`]). If the engines must differ, both texts stand
//! side by side, here and where consents are written.

mod backfill;
mod checkpoint;
mod health;
mod held;
mod lease;
mod lock;
mod migrate;
pub mod page;
mod query;
mod queue;
#[cfg(test)]
pub(crate) mod testing;

pub use health::{Condition, Fault};
pub(crate) use held::keep;
pub use held::keeping;
pub use lease::Lease;
pub(crate) use lock::Locked;
pub(crate) use query::{MOST_IDS, Target};
pub use query::{Query, Readable, Value};
pub use queue::{Queue, Queues};

use std::{path::Path, str::FromStr, sync::Arc, time::Duration};

use sqlx::{
    ConnectOptions, Connection, PgPool, SqlitePool,
    postgres::{PgConnectOptions, PgPoolOptions},
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use queue::Purpose;

/// A connection to PostgreSQL that was used within this time is not tested again.
const RECENTLY: Duration = Duration::from_secs(1);

/// An error of the database.
#[derive(Debug, thiserror::Error)]
pub enum DbError {
    /// The database is away, full, or too busy; trying again later may help.
    #[error("the database is not available")]
    Unavailable(#[source] sqlx::Error),
    /// A unique index refused the row.
    #[error("a row with this key exists already")]
    Duplicate(#[source] sqlx::Error),
    /// Anything else: a fault of ours.
    #[error("the database refused a statement")]
    Fault(#[source] sqlx::Error),
    /// The migrations do not fit the database.
    #[error("the database could not be migrated")]
    Migrate(#[source] Box<sqlx::migrate::MigrateError>),
    /// The address of the database cannot be used.
    #[error("the database address cannot be used: {0}")]
    Address(String),
}

impl From<sqlx::Error> for DbError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed => Self::Unavailable(error),
            sqlx::Error::Database(database) if database.is_unique_violation() => {
                Self::Duplicate(error)
            }
            sqlx::Error::Database(database) => {
                if is_passing(database.code().as_deref(), database.message()) {
                    Self::Unavailable(error)
                } else {
                    Self::Fault(error)
                }
            }
            _ => Self::Fault(error),
        }
    }
}

/// True if the engine says that the fault lies in its surroundings (disk, shutdown, locks).
fn is_passing(code: Option<&str>, message: &str) -> bool {
    let Some(code) = code else { return false };
    // PostgreSQL, SQLSTATE classes: 08 connection, 53 resources, 57 operator intervention (also
    // the statement time-out), 58 system, 40 serialization, 25006 read-only.
    if code.len() == 5 {
        let class = code.get(..2).unwrap_or_default();
        return ["08", "53", "57", "58", "40"].contains(&class) || code == "25006";
    }
    // SQLite primary codes (the low byte of the extended one): BUSY, LOCKED, NOMEM, READONLY,
    // IOERR, FULL, CANTOPEN.
    let primary = code.parse::<i64>().map_or(0, |code| code & 0xff);
    [5, 6, 7, 8, 10, 13, 14].contains(&primary) || message.contains("disk I/O error")
}

/// A pool on one of the two engines.
#[derive(Clone, Debug)]
pub enum Db {
    /// One writer, several readers on one file.
    Sqlite {
        /// The only connection that writes.
        writer: SqlitePool,
        /// Connections that read beside it.
        readers: SqlitePool,
        /// The connection that brings the write-ahead log into the file.
        log: SqlitePool,
        /// Counts the transactions since the last checkpoint.
        written: Arc<checkpoint::Written>,
    },
    /// A server.
    Postgres(PgPool),
}

/// An open transaction; dropping it rolls back.
pub struct Tx {
    begun: Begun,
    /// The rows that it has locked.
    locked: Vec<Locked>,
}

enum Begun {
    /// Writing on the SQLite writer, begun with `BEGIN IMMEDIATE`; a snapshot on a reader.
    Sqlite(sqlx::Transaction<'static, sqlx::Sqlite>),
    /// On PostgreSQL, read committed; a snapshot repeatable read.
    Postgres(sqlx::Transaction<'static, sqlx::Postgres>),
}

/// True if an address leads to a database in which migrations have run. Makes none.
pub async fn exists(url: &str) -> Result<bool, DbError> {
    if let Some(path) = sqlite_path(url)
        && !Path::new(path).exists()
    {
        return Ok(false);
    }
    let db = Db::open(url).await?;
    let new = migrate::is_new(&db).await;
    db.close().await;
    Ok(!new?)
}

/// The path in `sqlite:<path>`.
fn sqlite_path(url: &str) -> Option<&str> {
    let path = url.strip_prefix("sqlite:")?;
    Some(path.trim_start_matches("//"))
}

impl Db {
    /// Opens `sqlite:<path>` or `postgres://…`.
    pub async fn open(url: &str) -> Result<Self, DbError> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            Self::open_postgres(url).await
        } else if let Some(path) = sqlite_path(url) {
            Self::open_sqlite(path).await
        } else {
            // The address may hold a password: only its scheme is repeated.
            let scheme = url.split(':').next().unwrap_or_default();
            Err(DbError::Address(format!(
                "`{scheme}:` is neither `sqlite:<path>` nor `postgres://…`"
            )))
        }
    }

    async fn open_sqlite(path: &str) -> Result<Self, DbError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            // A consent answered 201 is on disk: FULL syncs the log at every commit.
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(Duration::from_secs(5))
            .pragma("cache_size", "-16000")
            .pragma("mmap_size", "268435456")
            .pragma("wal_autocheckpoint", checkpoint::MOST_PAGES)
            // Erased data is overwritten, not only unlinked.
            .pragma("secure_delete", "ON")
            .optimize_on_close(true, 400)
            .disable_statement_logging();
        let written = Arc::new(checkpoint::Written::default());
        let counted = written.clone();
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(Duration::from_secs(10))
            // A file does not go away, and each question waits for its turn.
            .test_before_acquire(false)
            // SQLite ends a transaction by itself when the disk is full; sqlx does not notice, and
            // would refuse every later one on this connection.
            .before_acquire(|connection, _| {
                let usable = !connection.is_in_transaction();
                Box::pin(async move { Ok(usable) })
            })
            .after_release(move |_, _| {
                counted.count();
                Box::pin(async { Ok(true) })
            })
            .connect_with(options.clone())
            .await?;
        let log = checkpoint::keep_short(options.clone(), written.clone());
        let readers = SqlitePoolOptions::new()
            .max_connections(6)
            .acquire_timeout(Duration::from_secs(10))
            .test_before_acquire(false)
            .connect_lazy_with(options.read_only(true).create_if_missing(false));
        Ok(Self::Sqlite {
            writer,
            readers,
            log,
            written,
        })
    }

    async fn open_postgres(url: &str) -> Result<Self, DbError> {
        let options = PgConnectOptions::from_str(url)
            .map_err(|_| DbError::Address("the PostgreSQL address is malformed".to_owned()))?
            .application_name("placet")
            .options([
                ("statement_timeout", "30s"),
                ("client_min_messages", "warning"),
            ])
            .disable_statement_logging();
        let pool = PgPoolOptions::new()
            .max_connections(16)
            .acquire_timeout(Duration::from_secs(5))
            // A connection was tested when its last user gave it back.
            .test_before_acquire(false)
            .before_acquire(|connection, last| {
                Box::pin(
                    async move { Ok(last.idle_for < RECENTLY || connection.ping().await.is_ok()) },
                )
            })
            .connect_with(options)
            .await?;
        Ok(Self::Postgres(pool))
    }

    /// Begins a write transaction.
    pub async fn begin(&self) -> Result<Tx, DbError> {
        Ok(Tx::new(match self {
            Self::Sqlite { writer, .. } => {
                let _first = queue::first(writer, Purpose::Writing).await?;
                Begun::Sqlite(writer.begin_with("BEGIN IMMEDIATE").await?)
            }
            Self::Postgres(pool) => {
                let _first = queue::first(pool, Purpose::Writing).await?;
                Begun::Postgres(pool.begin().await?)
            }
        }))
    }

    /// Begins a transaction that reads everything as it is at one moment.
    ///
    /// A caller that holds a snapshot must ask for no other connection. Otherwise callers that wait
    /// for another connection could hold all of them.
    pub async fn snapshot(&self) -> Result<Tx, DbError> {
        const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        Ok(Tx::new(match self {
            Self::Sqlite { readers, .. } => {
                let _first = queue::first(readers, Purpose::Reading).await?;
                Begun::Sqlite(readers.begin().await?)
            }
            Self::Postgres(pool) => {
                let _first = queue::first(pool, Purpose::Reading).await?;
                Begun::Postgres(pool.begin_with(BEGIN).await?)
            }
        }))
    }

    /// Most connections that read at one time.
    pub(crate) fn most_readers(&self) -> usize {
        let most = match self {
            Self::Sqlite { readers, .. } => readers.options().get_max_connections(),
            Self::Postgres(pool) => pool.options().get_max_connections(),
        };
        most as usize
    }

    /// Brings the schema up to date.
    pub async fn migrate(&self) -> Result<(), DbError> {
        migrate::run(self).await
    }

    /// True if migrations have not been applied yet.
    pub async fn pending_migrations(&self) -> Result<bool, DbError> {
        migrate::pending(self).await
    }

    /// Answers when the database does.
    pub async fn ping(&self) -> Result<(), DbError> {
        self.query("SELECT 1").one_value::<i32>().await.map(drop)
    }

    /// Closes every connection after running statements ended.
    pub async fn close(&self) {
        match self {
            Self::Sqlite {
                writer,
                readers,
                log,
                ..
            } => {
                readers.close().await;
                log.close().await;
                writer.close().await;
            }
            Self::Postgres(pool) => pool.close().await,
        }
    }

    /// Sees to it that data which was erased before is in no file of the database a moment later. PostgreSQL
    /// does so at its next vacuum.
    pub fn scrub(&self) {
        if let Self::Sqlite { written, .. } = self {
            written.erase();
        }
    }

    /// SQL for the JSON in a column of texts, of which `->` and `->>` take parts.
    pub fn json(&self, column: &str) -> String {
        match self {
            Self::Sqlite { .. } => column.to_owned(),
            Self::Postgres(_) => format!("CAST({column} AS JSON)"),
        }
    }

    /// SQL that lowers ASCII letters only, as both engines then do alike.
    pub fn ascii_lower(&self, expression: &str) -> String {
        match self {
            Self::Sqlite { .. } => format!("LOWER({expression})"),
            Self::Postgres(_) => format!("LOWER({expression} COLLATE \"C\")"),
        }
    }

    /// SQL after an expression that makes it compare by bytes.
    pub fn collate_bytes(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => " COLLATE BINARY",
            Self::Postgres(_) => " COLLATE \"C\"",
        }
    }

    /// `sqlite` or `postgres`, for logs and tests.
    pub fn engine(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "sqlite",
            Self::Postgres(_) => "postgres",
        }
    }
}

impl Tx {
    fn new(begun: Begun) -> Self {
        Self {
            begun,
            locked: Vec::new(),
        }
    }

    /// Commits. The writes are on disk afterwards.
    pub async fn commit(self) -> Result<(), DbError> {
        match self.begun {
            Begun::Sqlite(transaction) => transaction.commit().await?,
            Begun::Postgres(transaction) => transaction.commit().await?,
        }
        Ok(())
    }
}
