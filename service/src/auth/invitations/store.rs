//! SQL of invitations.

use domain::role::Role;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{Invitation, Of, Target};
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, Tx,
        page::{Listed, Page},
    },
    in_tx, on,
};

type Result<T> = std::result::Result<T, DbError>;

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    email: String,
    organization_id: Option<Uuid>,
    project_id: Option<Uuid>,
    role: String,
    invited_by: Uuid,
    created_at: Timestamp,
    expires_at: Timestamp,
}

impl From<Row> for Invitation {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            email: row.email,
            organization_id: row.organization_id,
            project_id: row.project_id,
            role: Role::parse(&row.role).unwrap_or(Role::Viewer),
            invited_by: row.invited_by,
            created_at: row.created_at,
            expires_at: row.expires_at,
        }
    }
}

const COLUMNS: &str = "SELECT id, email, organization_id, project_id, role, invited_by, \
     created_at, expires_at FROM invitations";

/// Adds an invitation and removes an earlier one for the same address and target.
pub(super) async fn add(tx: &mut Tx, invitation: &Invitation, email_key: &str) -> Result<()> {
    in_tx!(tx, conn => sqlx::query(
        "DELETE FROM invitations WHERE email_key = $1 AND (organization_id = $2 OR project_id = $3)")
        .bind(email_key)
        .bind(invitation.organization_id)
        .bind(invitation.project_id)
        .execute(conn)
        .await
        .map(drop))?;
    in_tx!(tx, conn => sqlx::query(
        "INSERT INTO invitations (id, email, email_key, organization_id, project_id, role, \
         invited_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)")
        .bind(invitation.id)
        .bind(&invitation.email)
        .bind(email_key)
        .bind(invitation.organization_id)
        .bind(invitation.project_id)
        .bind(invitation.role.as_str())
        .bind(invitation.invited_by)
        .bind(invitation.created_at)
        .bind(invitation.expires_at)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

pub(in crate::auth) async fn list(
    db: &Db,
    user: Uuid,
    of: Of,
    now: Timestamp,
    page: Page,
) -> Result<Listed<Invitation>> {
    let (column, id) = match of {
        Of::Caller => ("invited_by", user),
        Of::Organization(id) => ("organization_id", id),
        Of::Project(id) => ("project_id", id),
    };
    let scope = format!("WHERE {column} = $1 AND expires_at > $2");
    let count = format!("SELECT COUNT(*) FROM invitations {scope}");
    let total: i64 = on!(db, pool => sqlx::query_scalar(AssertSqlSafe(count))
        .bind(id)
        .bind(now)
        .fetch_one(pool)
        .await)?;
    let sql = format!("{COLUMNS} {scope} ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4");
    let rows: Vec<Row> = on!(db, pool => sqlx::query_as(AssertSqlSafe(sql))
        .bind(id)
        .bind(now)
        .bind(page.limit())
        .bind(page.offset())
        .fetch_all(pool)
        .await)?;
    Ok(Listed {
        items: rows.into_iter().map(Invitation::from).collect(),
        total: total.unsigned_abs(),
        page,
    })
}

pub(super) async fn lookup(db: &Db, id: Uuid) -> Result<Option<Invitation>> {
    let sql = format!("{COLUMNS} WHERE id = $1");
    let row: Option<Row> = on!(db, pool => sqlx::query_as(AssertSqlSafe(sql))
        .bind(id)
        .fetch_optional(pool)
        .await)?;
    Ok(row.map(Invitation::from))
}

/// Pending invitations to an address. A few are enough, because the caller needs one.
pub(in crate::auth) async fn waiting(
    db: &Db,
    email_key: &str,
    now: Timestamp,
) -> Result<Vec<Uuid>> {
    Ok(on!(db, pool => sqlx::query_scalar(
        "SELECT id FROM invitations WHERE email_key = $1 AND expires_at > $2 \
         ORDER BY created_at DESC LIMIT 20")
        .bind(email_key)
        .bind(now)
        .fetch_all(pool)
        .await)?)
}

/// Revokes all invitations of a user, which ends their links, and returns their addresses.
pub(in crate::auth) async fn remove_sent(tx: &mut Tx, user: Uuid) -> Result<Vec<String>> {
    Ok(in_tx!(tx, conn => sqlx::query_scalar(
        "DELETE FROM invitations WHERE invited_by = $1 RETURNING email")
        .bind(user)
        .fetch_all(conn)
        .await)?)
}

pub(super) async fn remove(tx: &mut Tx, id: Uuid) -> Result<()> {
    in_tx!(tx, conn => sqlx::query("DELETE FROM invitations WHERE id = $1")
        .bind(id)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

pub(in crate::auth) async fn forget_ended(db: &Db, now: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query("DELETE FROM invitations WHERE expires_at < $1")
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

/// Names of the target and of the sender.
pub(super) async fn names(db: &Db, target: Target, sender: Uuid) -> Result<(String, String)> {
    let (sql, id) = match target {
        Target::Organization(id) => ("SELECT name FROM organizations WHERE id = $1", id),
        // `->>` gives text on PostgreSQL; on SQLite it does for a string.
        Target::Project(id) => (
            "SELECT CAST(COALESCE(data ->> 'title', '') AS TEXT) FROM documents WHERE id = $1",
            id,
        ),
    };
    let name: Option<String> = on!(db, pool => sqlx::query_scalar(sql)
        .bind(id)
        .fetch_optional(pool)
        .await)?;
    let sender: Option<String> = on!(db, pool => sqlx::query_scalar(
        "SELECT display_name FROM users WHERE id = $1")
        .bind(sender)
        .fetch_optional(pool)
        .await)?;
    Ok((name.unwrap_or_default(), sender.unwrap_or_default()))
}

/// Makes the user a member, unless the user has an equal or stronger role.
pub(super) async fn join(
    tx: &mut Tx,
    target: Target,
    user: Uuid,
    role: Role,
    now: Timestamp,
) -> Result<()> {
    let (found, put, id) = match target {
        Target::Organization(id) => (
            "SELECT role FROM organization_members WHERE organization_id = $1 AND user_id = $2",
            "INSERT INTO organization_members (organization_id, user_id, role, created_at) \
             VALUES ($1, $2, $3, $4) \
             ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role",
            id,
        ),
        Target::Project(id) => (
            "SELECT role FROM members WHERE document_id = $1 AND user_id = $2",
            "INSERT INTO members (document_id, user_id, role, created_at) \
             VALUES ($1, $2, $3, $4) \
             ON CONFLICT (document_id, user_id) DO UPDATE SET role = excluded.role",
            id,
        ),
    };
    let present: Option<String> = in_tx!(&mut *tx, conn => sqlx::query_scalar(found)
        .bind(id)
        .bind(user)
        .fetch_optional(conn)
        .await)?;
    if present.and_then(|word| Role::parse(&word)) >= Some(role) {
        return Ok(());
    }
    in_tx!(tx, conn => sqlx::query(put)
        .bind(id)
        .bind(user)
        .bind(role.as_str())
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}
