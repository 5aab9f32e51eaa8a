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
        Db::Postgres(pool) => {
            // A migration of a large table, and waiting for that of another process, take longer than statements may.
            let mut conn = pool.acquire().await?.detach();
            sqlx::query("SET statement_timeout = 0")
                .execute(&mut conn)
                .await?;
            POSTGRES.run(&mut conn).await
        }
    }
    .map_err(|error| DbError::Migrate(Box::new(error)))
}

/// True if a migration has not been applied yet.
pub(super) async fn pending(db: &Db) -> Result<bool, DbError> {
    let known = match db {
        Db::Sqlite { .. } => SQLITE.iter().count(),
        Db::Postgres(_) => POSTGRES.iter().count(),
    };
    Ok(applied(db).await? < known)
}

/// True if no migration has been applied.
pub(super) async fn is_new(db: &Db) -> Result<bool, DbError> {
    Ok(applied(db).await? == 0)
}

async fn applied(db: &Db) -> Result<usize, DbError> {
    match db {
        Db::Sqlite { writer, .. } => count(&mut *writer.acquire().await?).await,
        Db::Postgres(pool) => count(&mut *pool.acquire().await?).await,
    }
}

async fn count<C: Migrate>(conn: &mut C) -> Result<usize, DbError> {
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
