//! SQL of API keys.

use std::collections::HashMap;

use uuid::Uuid;

use super::ApiKey;
use crate::{
    access::Scopes,
    clock::Timestamp,
    db::{Db, DbError, Tx},
};

type Result<T> = std::result::Result<T, DbError>;

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    name: String,
    prefix: String,
    scopes: String,
    limited: bool,
    created_at: Timestamp,
    last_used_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
}

/// The columns that checking a key needs.
#[derive(sqlx::FromRow)]
pub(super) struct Checked {
    pub id: Uuid,
    pub user_id: Uuid,
    pub scopes: String,
    pub limited: bool,
    pub last_used_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
}

/// Adds a key to an account that the transaction has locked. Returns `false` if the user has `most` keys.
pub(super) async fn add(
    tx: &mut Tx,
    user: Uuid,
    key: &ApiKey,
    hash: &[u8],
    most: usize,
) -> Result<bool> {
    let scopes: Scopes = key.scopes.iter().copied().collect();
    let count: i64 = tx
        .query("SELECT COUNT(*) FROM api_keys WHERE user_id = $1")
        .bind(user)
        .one_value()
        .await?;
    if usize::try_from(count).is_ok_and(|count| count >= most) {
        return Ok(false);
    }
    tx.query(
        "INSERT INTO api_keys (id, user_id, name, prefix, hash, scopes, limited, created_at, \
         expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(key.id)
    .bind(user)
    .bind(&key.name)
    .bind(&key.prefix)
    .bind(hash)
    .bind(scopes.words())
    .bind(key.projects.is_some())
    .bind(key.created_at)
    .bind(key.expires_at)
    .exec()
    .await?;
    for project in key.projects.iter().flatten() {
        tx.query("INSERT INTO api_key_projects (key_id, project_id) VALUES ($1, $2)")
            .bind(key.id)
            .bind(*project)
            .exec()
            .await?;
    }
    Ok(true)
}

pub(in crate::auth) async fn list(db: &Db, user: Uuid) -> Result<Vec<ApiKey>> {
    let rows: Vec<Row> = db
        .query(
            "SELECT id, name, prefix, scopes, limited, created_at, last_used_at, expires_at \
         FROM api_keys WHERE user_id = $1 ORDER BY created_at DESC, id DESC",
        )
        .bind(user)
        .all()
        .await?;
    let reached: Vec<(Uuid, Uuid)> = db
        .query(
            "SELECT p.key_id, p.project_id FROM api_key_projects p \
         JOIN api_keys k ON k.id = p.key_id WHERE k.user_id = $1 ORDER BY p.project_id",
        )
        .bind(user)
        .all()
        .await?;
    let mut projects: HashMap<Uuid, Vec<Uuid>> = HashMap::new();
    for (key, project) in reached {
        projects.entry(key).or_default().push(project);
    }
    Ok(rows
        .into_iter()
        .map(|row| ApiKey {
            projects: row
                .limited
                .then(|| projects.remove(&row.id).unwrap_or_default()),
            id: row.id,
            name: row.name,
            prefix: row.prefix,
            scopes: Scopes::parse(&row.scopes).list(),
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            expires_at: row.expires_at,
        })
        .collect())
}

pub(super) async fn by_hash(db: &Db, hash: &[u8]) -> Result<Option<Checked>> {
    db.query(
        "SELECT id, user_id, scopes, limited, last_used_at, expires_at FROM api_keys \
         WHERE hash = $1",
    )
    .bind(hash)
    .optional()
    .await
}

/// False for a key that was revoked.
pub(in crate::auth) async fn is_there(db: &Db, id: Uuid) -> Result<bool> {
    let found: Option<Uuid> = db
        .query("SELECT id FROM api_keys WHERE id = $1")
        .bind(id)
        .optional_value()
        .await?;
    Ok(found.is_some())
}

pub(super) async fn note(db: &Db, id: Uuid, now: Timestamp) -> Result<()> {
    db.query("UPDATE api_keys SET last_used_at = $2 WHERE id = $1")
        .bind(id)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

pub(super) async fn remove(db: &Db, user: Uuid, id: Uuid) -> Result<bool> {
    let removed = db
        .query("DELETE FROM api_keys WHERE id = $1 AND user_id = $2")
        .bind(id)
        .bind(user)
        .exec()
        .await?;

    Ok(removed == 1)
}

/// Revokes every key of a user and returns their names.
pub(in crate::auth) async fn remove_all(tx: &mut Tx, user: Uuid) -> Result<Vec<String>> {
    tx.query("DELETE FROM api_keys WHERE user_id = $1 RETURNING name")
        .bind(user)
        .all_values()
        .await
}
