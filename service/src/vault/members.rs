//! Members of documents: rules and SQL.

use domain::role::Role;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    clock::Timestamp,
    db::{Db, DbError, Tx},
    in_tx, on,
};

type Result<T> = std::result::Result<T, DbError>;

/// A user to add.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberIn {
    /// The user.
    pub user_id: Uuid,
    /// The user's role. `editor` when absent.
    #[serde(default)]
    pub role: Option<Role>,
}

/// A user's role on a document.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The user.
    pub user_id: Uuid,
    /// The user's role.
    pub role: Role,
    /// Time since which the user is a member.
    pub created_at: Timestamp,
}

#[derive(sqlx::FromRow)]
struct Row {
    user_id: Uuid,
    role: String,
    created_at: Timestamp,
}

pub(super) async fn list(db: &Db, document: Uuid) -> Result<Vec<Member>> {
    let rows: Vec<Row> = on!(db, pool => sqlx::query_as(
        "SELECT user_id, role, created_at FROM members WHERE document_id = $1 \
         ORDER BY created_at, user_id")
        .bind(document)
        .fetch_all(pool)
        .await)?;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            Some(Member {
                user_id: row.user_id,
                role: Role::parse(&row.role)?,
                created_at: row.created_at,
            })
        })
        .collect())
}

pub(super) async fn user_exists(db: &Db, user: Uuid) -> Result<bool> {
    let found: Option<Uuid> = on!(db, pool => sqlx::query_scalar("SELECT id FROM users WHERE id = $1")
        .bind(user)
        .fetch_optional(pool)
        .await)?;
    Ok(found.is_some())
}

/// True if the document itself has an owner.
pub(super) async fn is_owned(db: &Db, document: Uuid) -> Result<bool> {
    let owners: i64 = on!(db, pool => sqlx::query_scalar(
        "SELECT COUNT(*) FROM members WHERE document_id = $1 AND role = 'owner'")
        .bind(document)
        .fetch_one(pool)
        .await)?;
    Ok(owners > 0)
}

/// Adds a member or changes its role; false when that would take away the last owner.
pub(super) async fn set(db: &Db, document: Uuid, member: &Member) -> Result<bool> {
    let mut tx = db.begin().await?;
    let owned = lock_owners(&mut tx, document).await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO members (document_id, user_id, role, created_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (document_id, user_id) DO UPDATE SET role = excluded.role")
        .bind(document)
        .bind(member.user_id)
        .bind(member.role.as_str())
        .bind(member.created_at)
        .execute(conn)
        .await
        .map(drop))?;
    commit_unless_orphaned(tx, document, owned).await
}

/// Removes a member; false when it is the last owner.
pub(super) async fn remove(db: &Db, document: Uuid, user: Uuid) -> Result<bool> {
    let mut tx = db.begin().await?;
    let owned = lock_owners(&mut tx, document).await?;
    in_tx!(&mut tx, conn => sqlx::query("DELETE FROM members WHERE document_id = $1 AND user_id = $2")
        .bind(document)
        .bind(user)
        .execute(conn)
        .await
        .map(drop))?;
    commit_unless_orphaned(tx, document, owned).await
}

/// True if the document has owners of its own. The no-op update locks it on PostgreSQL, so that two
/// owners cannot remove each other at the same moment.
async fn lock_owners(tx: &mut Tx, document: Uuid) -> Result<bool> {
    in_tx!(tx, conn => sqlx::query("UPDATE documents SET version = version WHERE id = $1")
        .bind(document)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(owners(tx, document).await? > 0)
}

async fn owners(tx: &mut Tx, document: Uuid) -> Result<i64> {
    Ok(in_tx!(tx, conn => sqlx::query_scalar(
        "SELECT COUNT(*) FROM members WHERE document_id = $1 AND role = 'owner'")
        .bind(document)
        .fetch_one(conn)
        .await)?)
}

async fn commit_unless_orphaned(mut tx: Tx, document: Uuid, owned: bool) -> Result<bool> {
    if owned && owners(&mut tx, document).await? == 0 {
        return Ok(false);
    }
    tx.commit().await?;
    Ok(true)
}
