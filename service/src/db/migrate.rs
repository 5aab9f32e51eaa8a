//! The embedded migrations of both engines.

use sqlx::migrate::{Migrate, Migrator};

use super::{Db, DbError};

static SQLITE: Migrator = sqlx::migrate!("../migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("../migrations/postgres");

/// Applies the missing migrations. PostgreSQL is locked meanwhile (sqlx takes an advisory lock), so
/// that several processes may start at once.
pub(super) async fn run(db: &Db) -> Result<(), DbError> {
    match db {
        Db::Sqlite { writer, .. } => SQLITE.run(writer).await,
        Db::Postgres(pool) => POSTGRES.run(pool).await,
    }
    .map_err(|error| DbError::Migrate(Box::new(error)))
}

/// True if a migration has not been applied yet.
pub(super) async fn pending(db: &Db) -> Result<bool, DbError> {
    let (applied, known) = match db {
        Db::Sqlite { writer, .. } => {
            let mut conn = writer.acquire().await?;
            (applied(&mut *conn).await?, SQLITE.iter().count())
        }
        Db::Postgres(pool) => {
            let mut conn = pool.acquire().await?;
            (applied(&mut *conn).await?, POSTGRES.iter().count())
        }
    };
    Ok(applied < known)
}

async fn applied<C: Migrate>(conn: &mut C) -> Result<usize, DbError> {
    let fail = |error| DbError::Migrate(Box::new(error));
    conn.ensure_migrations_table("_sqlx_migrations")
        .await
        .map_err(fail)?;
    Ok(conn
        .list_applied_migrations("_sqlx_migrations")
        .await
        .map_err(fail)?
        .len())
}
