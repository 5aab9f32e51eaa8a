//! SQL of concerns.

use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

/// The kinds that people were told of, each with the time since which it lasted.
pub(super) async fn told(db: &Db, project: Uuid) -> Result<Vec<(String, Timestamp)>> {
    db.query("SELECT kind, since FROM concerns WHERE project_id = $1 ORDER BY kind")
        .bind(project)
        .all()
        .await
}

/// Notes a concern; false if it is noted already.
pub(super) async fn add(
    tx: &mut Tx,
    project: Uuid,
    kind: &'static str,
    since: Timestamp,
) -> Result<bool> {
    let added = tx
        .query(
            "INSERT INTO concerns (project_id, kind, since) VALUES ($1, $2, $3) \
             ON CONFLICT (project_id, kind) DO NOTHING",
        )
        .bind(project)
        .bind(kind)
        .bind(since)
        .exec()
        .await?;
    Ok(added > 0)
}

pub(super) async fn forget(tx: &mut Tx, project: Uuid, kind: &str) -> Result<()> {
    tx.query("DELETE FROM concerns WHERE project_id = $1 AND kind = $2")
        .bind(project)
        .bind(kind)
        .exec()
        .await?;
    Ok(())
}

/// Forgets the concerns of projects that are deleted.
pub(super) async fn forget_deleted(db: &Db) -> Result<()> {
    db.query(
        "DELETE FROM concerns WHERE NOT EXISTS (SELECT 1 FROM documents d \
         WHERE d.id = concerns.project_id AND d.deleted_at IS NULL)",
    )
    .exec()
    .await?;
    Ok(())
}

/// The title of a project.
pub(crate) async fn title(tx: &mut Tx, project: Uuid) -> Result<Option<String>> {
    // `->>` gives text on PostgreSQL; on SQLite it does for a string.
    tx.query("SELECT CAST(COALESCE(data ->> 'title', '') AS TEXT) FROM documents WHERE id = $1")
        .bind(project)
        .optional_value()
        .await
}
