//! SQL of invitations.

use domain::role::Role;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use super::{Invitation, Of};
use crate::{
    clock::Timestamp,
    db::{
        Db, DbError, Tx,
        page::{Asked, Listed},
    },
    members::Group,
    search::lower_words,
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

const COLUMNS: &str = "id, email, organization_id, project_id, role, invited_by, \
     created_at, expires_at";

/// Adds an invitation, and removes and returns those before it for the same address and target.
pub(super) async fn add(
    tx: &mut Tx,
    invitation: &Invitation,
    email_key: &str,
) -> Result<Vec<Invitation>> {
    let sql = format!(
        "DELETE FROM invitations \
         WHERE email_key = $1 AND (organization_id = $2 OR project_id = $3) RETURNING {COLUMNS}"
    );
    let replaced: Vec<Row> = tx
        .query(AssertSqlSafe(sql))
        .bind(email_key)
        .bind(invitation.organization_id)
        .bind(invitation.project_id)
        .all()
        .await?;
    tx.query(
        "INSERT INTO invitations (id, email, email_key, organization_id, project_id, role, \
         invited_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(invitation.id)
    .bind(&invitation.email)
    .bind(email_key)
    .bind(invitation.organization_id)
    .bind(invitation.project_id)
    .bind(invitation.role.as_str())
    .bind(invitation.invited_by)
    .bind(invitation.created_at)
    .bind(invitation.expires_at)
    .exec()
    .await?;
    Ok(replaced.into_iter().map(Invitation::from).collect())
}

pub(in crate::auth) async fn list(
    db: &Db,
    user: Uuid,
    of: Of,
    now: Timestamp,
    asked: &Asked,
) -> Result<Listed<Invitation>> {
    let (column, id) = match of {
        Of::Caller => ("invited_by", user),
        Of::Organization(id) => ("organization_id", id),
        Of::Project(id) => ("project_id", id),
    };
    let scope = format!("FROM invitations WHERE {column} = $1 AND expires_at > $2");
    let mut scope = db.query(AssertSqlSafe(scope)).bind(id).bind(now);
    scope.holds(&db.ascii_lower("email"), lower_words(&asked.text));
    let order = asked.order("created_at DESC, id DESC", "created_at, id");
    let found = scope.page::<Row>(COLUMNS, order, asked.page).await?;
    Ok(found.map(Invitation::from))
}

pub(super) async fn lookup(db: &Db, id: Uuid) -> Result<Option<Invitation>> {
    let sql = format!("SELECT {COLUMNS} FROM invitations WHERE id = $1");
    let row: Option<Row> = db.query(AssertSqlSafe(sql)).bind(id).optional().await?;
    Ok(row.map(Invitation::from))
}

/// The sender of an invitation. `None` if it is gone.
pub(super) async fn sender(tx: &mut Tx, id: Uuid) -> Result<Option<Uuid>> {
    tx.query("SELECT invited_by FROM invitations WHERE id = $1")
        .bind(id)
        .optional_value()
        .await
}

/// Pending invitations to an address. A few are enough, because the caller needs one.
pub(in crate::auth) async fn waiting(
    db: &Db,
    email_key: &str,
    now: Timestamp,
) -> Result<Vec<Uuid>> {
    db.query(
        "SELECT id FROM invitations WHERE email_key = $1 AND expires_at > $2 \
         ORDER BY created_at DESC LIMIT 20",
    )
    .bind(email_key)
    .bind(now)
    .all_values()
    .await
}

/// Revokes all invitations of a user, which ends their links, and returns them.
pub(in crate::auth) async fn remove_sent(tx: &mut Tx, user: Uuid) -> Result<Vec<Invitation>> {
    let sql = format!("DELETE FROM invitations WHERE invited_by = $1 RETURNING {COLUMNS}");
    let rows: Vec<Row> = tx.query(AssertSqlSafe(sql)).bind(user).all().await?;
    Ok(rows.into_iter().map(Invitation::from).collect())
}

/// Removes an invitation. False if it is gone already.
pub(super) async fn remove(tx: &mut Tx, id: Uuid) -> Result<bool> {
    let removed = tx
        .query("DELETE FROM invitations WHERE id = $1")
        .bind(id)
        .exec()
        .await?;
    Ok(removed > 0)
}

pub(in crate::auth) async fn forget_ended(db: &Db, now: Timestamp) -> Result<()> {
    db.query("DELETE FROM invitations WHERE expires_at < $1")
        .bind(now)
        .exec()
        .await?;
    Ok(())
}

/// Names of the target and of the sender.
pub(super) async fn names(db: &Db, target: Group, sender: Uuid) -> Result<(String, String)> {
    let (sql, id) = match target {
        Group::Organization(id) => ("SELECT name FROM organizations WHERE id = $1", id),
        // `->>` gives text on PostgreSQL; on SQLite it does for a string.
        Group::Document(id) => (
            "SELECT CAST(COALESCE(data ->> 'title', '') AS TEXT) FROM documents WHERE id = $1",
            id,
        ),
    };
    let name: Option<String> = db.query(sql).bind(id).optional_value().await?;
    let sender: Option<String> = db
        .query("SELECT display_name FROM users WHERE id = $1")
        .bind(sender)
        .optional_value()
        .await?;
    Ok((name.unwrap_or_default(), sender.unwrap_or_default()))
}
