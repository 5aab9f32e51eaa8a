//! SQL of organizations and their members.

use domain::role::Role;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::Organization;
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError,
        page::{Listed, Page},
    },
    members::{self, Group, Member},
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
    tx.query(
        "INSERT INTO organizations (id, name, created_by, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $4)",
    )
    .bind(organization.id)
    .bind(&organization.name)
    .bind(owner)
    .bind(organization.created_at)
    .exec()
    .await?;
    let member = Member {
        user_id: owner,
        role: Role::Owner,
        created_at: organization.created_at,
    };
    members::put(&mut tx, Group::Organization(organization.id), &member).await?;
    tx.commit().await
}

pub(super) async fn list(db: &Db, user: Uuid, page: Page) -> Result<Listed<Organization>> {
    let order = format!("o.name{}, o.id", db.collate_bytes());
    let found = db
        .query(
            "FROM organizations o JOIN organization_members m ON m.organization_id = o.id \
             WHERE m.user_id = $1",
        )
        .bind(user)
        .page::<Row>(
            "o.id, o.name, m.role, o.created_at, o.updated_at",
            AssertSqlSafe(order),
            page,
        )
        .await?;
    Ok(found.map(|row| {
        let role = Role::parse(&row.role).unwrap_or(Role::Viewer);
        row.with(role)
    }))
}

pub(super) async fn lookup(db: &Db, id: Uuid, role: Role) -> Result<Option<Organization>> {
    let row: Option<Row> = db
        .query("SELECT id, name, created_at, updated_at FROM organizations WHERE id = $1")
        .bind(id)
        .optional()
        .await?;
    Ok(row.map(|row| row.with(role)))
}

pub(super) async fn rename(db: &Db, id: Uuid, name: &str, now: Timestamp) -> Result<()> {
    db.query("UPDATE organizations SET name = $2, updated_at = $3 WHERE id = $1")
        .bind(id)
        .bind(name)
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Removes an organization. Returns `false` if a document that is not deleted belongs to it.
pub(super) async fn remove_unless_used(db: &Db, id: Uuid) -> Result<bool> {
    let mut tx = db.begin().await?;
    let used: i64 = tx
        .query("SELECT COUNT(*) FROM documents WHERE organization_id = $1 AND deleted_at IS NULL")
        .bind(id)
        .one_value()
        .await?;
    if used > 0 {
        return Ok(false);
    }
    tx.query("DELETE FROM organizations WHERE id = $1")
        .bind(id)
        .exec()
        .await?;
    tx.commit().await?;
    Ok(true)
}
