//! SQL of organizations and their members.

use domain::role::Role;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::Organization;
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, Locked, Tx,
        page::{Listed, Page},
    },
    members::{self, Group, Member},
    search::lower_words,
};

type Result<T> = std::result::Result<T, DbError>;

#[derive(sqlx::FromRow)]
struct Row {
    id: Uuid,
    name: String,
    #[sqlx(default)]
    role: String,
    requires_second_factor: bool,
    #[sqlx(default)]
    awaits_second_factor: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
}

impl Row {
    fn with(self, role: Role) -> Organization {
        Organization {
            id: self.id,
            name: self.name,
            role,
            requires_second_factor: self.requires_second_factor,
            awaits_second_factor: self.awaits_second_factor,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

pub(super) async fn add(tx: &mut Tx, organization: &Organization, owner: Uuid) -> Result<()> {
    tx.query(
        "INSERT INTO organizations \
         (id, name, created_by, created_at, updated_at, requires_second_factor) \
         VALUES ($1, $2, $3, $4, $4, $5)",
    )
    .bind(organization.id)
    .bind(&organization.name)
    .bind(owner)
    .bind(organization.created_at)
    .bind(organization.requires_second_factor)
    .exec()
    .await?;
    let member = Member {
        user_id: owner,
        role: Role::Owner,
        created_at: organization.created_at,
        is_added: false,
    };
    members::put(tx, Group::Organization(organization.id), &member).await
}

/// Organizations of a user by name, with the words of a search in it.
pub(super) async fn list(
    db: &Db,
    user: Uuid,
    text: &str,
    page: Page,
) -> Result<Listed<Organization>> {
    let order = format!("o.name{}, o.id", db.collate_bytes());
    let mut scope = db
        .query(
            "FROM organizations o JOIN organization_members m ON m.organization_id = o.id \
             LEFT JOIN effective_organization_members e ON e.organization_id = o.id AND e.user_id = m.user_id \
             WHERE m.user_id = $1",
        )
        .bind(user);
    scope.holds(&db.ascii_lower("o.name"), lower_words(text));
    let found = scope
        .page::<Row>(
            "o.id, o.name, m.role, o.requires_second_factor, \
             e.user_id IS NULL AS awaits_second_factor, o.created_at, o.updated_at",
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
        .query("SELECT id, name, requires_second_factor, created_at, updated_at FROM organizations WHERE id = $1")
        .bind(id)
        .optional()
        .await?;
    Ok(row.map(|row| row.with(role)))
}

/// Changes the name, and what it requires unless that is `None`.
pub(super) async fn change(
    tx: &mut Tx,
    id: Uuid,
    name: &str,
    requires_second_factor: Option<bool>,
    now: Timestamp,
) -> Result<()> {
    tx.query(
        "UPDATE organizations SET name = $2, updated_at = $3, \
         requires_second_factor = COALESCE($4, requires_second_factor) WHERE id = $1",
    )
    .bind(id)
    .bind(name)
    .bind(now)
    .bind(requires_second_factor)
    .exec()
    .await?;
    Ok(())
}

const COUNT_USES: &str =
    "SELECT COUNT(*) FROM documents WHERE organization_id = $1 AND deleted_at IS NULL";

/// True if projects or custom vendors belong to an organization.
pub(super) async fn is_used(db: &Db, id: Uuid) -> Result<bool> {
    let used: i64 = db.query(COUNT_USES).bind(id).one_value().await?;
    Ok(used > 0)
}

/// Removes an organization. Returns `false` if a document that is not deleted belongs to it.
pub(super) async fn remove_unless_used(tx: &mut Tx, id: Uuid) -> Result<bool> {
    tx.lock(Locked::Organization(id)).await?;
    let used: i64 = tx.query(COUNT_USES).bind(id).one_value().await?;
    if used > 0 {
        return Ok(false);
    }
    tx.query("DELETE FROM organizations WHERE id = $1")
        .bind(id)
        .exec()
        .await?;
    Ok(true)
}
