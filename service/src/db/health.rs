//! The state that databases report of themselves: durability, damage, encoding and clock.

use super::{Db, DbError};

/// The state of a database.
pub struct Condition {
    /// `SQLite 3.50.4` or `PostgreSQL 17.2`.
    pub version: String,
    /// The faults that an operator should know.
    pub faults: Vec<Fault>,
    /// Milliseconds since 1970 on its own clock, if it has one.
    pub clock_ms: Option<i64>,
}

/// Something about a database that is not as it should be.
pub enum Fault {
    /// An acknowledged consent may be lost when the machine stops.
    NotDurable(String),
    /// The file is damaged.
    Damaged(String),
    /// Text may be kept wrongly.
    Encoding(String),
}

/// Damages that are named; one is enough to act.
const MOST_DAMAGES: u32 = 3;

impl Db {
    /// Asks the database about itself. `SQLite` reads its whole file for that.
    pub async fn condition(&self) -> Result<Condition, DbError> {
        match self {
            Self::Sqlite { readers, .. } => {
                let version: String = sqlx::query_scalar("SELECT sqlite_version()")
                    .fetch_one(readers)
                    .await?;
                let check = format!("PRAGMA quick_check({MOST_DAMAGES})");
                let found: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(check))
                    .fetch_all(readers)
                    .await?;
                let damages = found.into_iter().filter(|line| line != "ok");
                Ok(Condition {
                    version: format!("SQLite {version}"),
                    faults: damages.map(Fault::Damaged).collect(),
                    clock_ms: None,
                })
            }
            Self::Postgres(pool) => {
                let show = async |setting: &str| {
                    sqlx::query_scalar::<_, String>("SELECT current_setting($1)")
                        .bind(setting)
                        .fetch_one(pool)
                        .await
                };
                let mut faults = Vec::new();
                for setting in ["fsync", "synchronous_commit", "full_page_writes"] {
                    if show(setting).await? == "off" {
                        faults.push(Fault::NotDurable(format!("{setting} = off")));
                    }
                }
                let encoding = show("server_encoding").await?;
                if encoding != "UTF8" {
                    faults.push(Fault::Encoding(encoding));
                }
                let version = show("server_version").await?;
                let clock_ms: i64 = sqlx::query_scalar(
                    "SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint",
                )
                .fetch_one(pool)
                .await?;
                Ok(Condition {
                    version: format!("PostgreSQL {version}"),
                    faults,
                    clock_ms: Some(clock_ms),
                })
            }
        }
    }
}
