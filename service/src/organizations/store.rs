//! SQL of organizations and their members.

use domain::role::Role;
use uuid::Uuid;

use super::Organization;
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, Tx,
        page::{Listed, Page},
    },
    in_tx, on,
    vault::Member,
};

type Result<T> = std::result::Result<T, DbError>;

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    name: String,
    #[sqlx(default)]
    role: String,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl Row {
    fn with(self, role: Role) -> Organization {
        Organization {
            id: self.id,
            name: self.name,
            role,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

pub(super) async fn add(db: &Db, organization: &Organization, owner: Uuid) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "INSERT INTO organizations (id, name, created_by, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $4)")
        .bind(organization.id)
        .bind(&organization.name)
        .bind(owner)
        .bind(organization.created_at)
        .execute(conn)
        .await
        .map(drop))?;
    let member = Member {
        user_id: owner,
        role: Role::Owner,
        created_at: organization.created_at,
    };
    put_member(&mut tx, organization.id, &member).await?;
    tx.commit().await
}

pub(super) async fn list(db: &Db, user: Uuid, page: Page) -> Result<Listed<Organization>> {
    let total: i64 = on!(db, pool => sqlx::query_scalar(
        "SELECT COUNT(*) FROM organization_members WHERE user_id = $1")
        .bind(user)
        .fetch_one(pool)
        .await)?;
    let sql = format!(
        "SELECT o.id, o.name, m.role, o.created_at, o.updated_at FROM organizations o \
         JOIN organization_members m ON m.organization_id = o.id WHERE m.user_id = $1 \
         ORDER BY o.name{}, o.id LIMIT $2 OFFSET $3",
        db.collate_bytes()
    );
    let rows: Vec<Row> = on!(db, pool => sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(user)
        .bind(page.limit())
        .bind(page.offset())
        .fetch_all(pool)
        .await)?;
    Ok(Listed {
        items: rows
            .into_iter()
            .map(|row| {
                let role = Role::parse(&row.role).unwrap_or(Role::Viewer);
                row.with(role)
            })
            .collect(),
        total: total.unsigned_abs(),
        page,
    })
}

pub(super) async fn lookup(db: &Db, id: Uuid, role: Role) -> Result<Option<Organization>> {
    let row: Option<Row> = on!(db, pool => sqlx::query_as(
        "SELECT id, name, created_at, updated_at FROM organizations WHERE id = $1")
        .bind(id)
        .fetch_optional(pool)
        .await)?;
    Ok(row.map(|row| row.with(role)))
}

pub(super) async fn rename(db: &Db, id: Uuid, name: &str, now: Timestamp) -> Result<()> {
    let mut tx = db.begin().await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "UPDATE organizations SET name = $2, updated_at = $3 WHERE id = $1")
        .bind(id)
        .bind(name)
        .bind(now)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await
}

/// Removes an organization. Returns `false` if a document that is not deleted belongs to it.
pub(super) async fn remove_unless_used(db: &Db, id: Uuid) -> Result<bool> {
    let mut tx = db.begin().await?;
    let used: i64 = in_tx!(&mut tx, conn => sqlx::query_scalar(
        "SELECT COUNT(*) FROM documents WHERE organization_id = $1 AND deleted_at IS NULL")
        .bind(id)
        .fetch_one(conn)
        .await)?;
    if used > 0 {
        return Ok(false);
    }
    in_tx!(&mut tx, conn => sqlx::query("DELETE FROM organizations WHERE id = $1")
        .bind(id)
        .execute(conn)
        .await
        .map(drop))?;
    tx.commit().await?;
    Ok(true)
}

#[derive(sqlx::FromRow)]
struct MemberRow {
    user_id: Uuid,
    role: String,
    created_at: Timestamp,
}

pub(super) async fn members(db: &Db, id: Uuid) -> Result<Vec<Member>> {
    let rows: Vec<MemberRow> = on!(db, pool => sqlx::query_as(
        "SELECT user_id, role, created_at FROM organization_members \
         WHERE organization_id = $1 ORDER BY created_at, user_id")
        .bind(id)
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

async fn put_member(tx: &mut Tx, id: Uuid, member: &Member) -> Result<()> {
    in_tx!(tx, conn => sqlx::query(
        "INSERT INTO organization_members (organization_id, user_id, role, created_at) \
         VALUES ($1, $2, $3, $4) \
         ON CONFLICT (organization_id, user_id) DO UPDATE SET role = excluded.role")
        .bind(id)
        .bind(member.user_id)
        .bind(member.role.as_str())
        .bind(member.created_at)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

/// Sets a member's role. Returns `false` if no owner would be left.
pub(super) async fn set_member(db: &Db, id: Uuid, member: &Member) -> Result<bool> {
    let mut tx = db.begin().await?;
    lock(&mut tx, id).await?;
    put_member(&mut tx, id, member).await?;
    commit_if_owned(tx, id).await
}

/// Removes a member. Returns `false` if no owner would be left.
pub(super) async fn remove_member(db: &Db, id: Uuid, user: Uuid) -> Result<bool> {
    let mut tx = db.begin().await?;
    lock(&mut tx, id).await?;
    in_tx!(&mut tx, conn => sqlx::query(
        "DELETE FROM organization_members WHERE organization_id = $1 AND user_id = $2")
        .bind(id)
        .bind(user)
        .execute(conn)
        .await
        .map(drop))?;
    commit_if_owned(tx, id).await
}

/// Locks the organization on PostgreSQL by an update without effect, so that two owners cannot remove each
/// other at the same moment.
async fn lock(tx: &mut Tx, id: Uuid) -> Result<()> {
    in_tx!(tx, conn => sqlx::query("UPDATE organizations SET name = name WHERE id = $1")
        .bind(id)
        .execute(conn)
        .await
        .map(drop))?;
    Ok(())
}

async fn commit_if_owned(mut tx: Tx, id: Uuid) -> Result<bool> {
    let owners: i64 = in_tx!(&mut tx, conn => sqlx::query_scalar(
        "SELECT COUNT(*) FROM organization_members WHERE organization_id = $1 AND role = 'owner'")
        .bind(id)
        .fetch_one(conn)
        .await)?;
    if owners == 0 {
        return Ok(false);
    }
    tx.commit().await?;
    Ok(true)
}
