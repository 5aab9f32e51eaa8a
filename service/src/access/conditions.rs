//! Permissions as parts of SQL, for lists and for letters.

use domain::role::Role;
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::db::{DbError, Tx};

/// The roles that a question is about.
#[derive(Clone, Copy)]
pub(super) enum Members {
    /// Those that count.
    Effective,
    /// Also those of people who lack a second factor that the organization requires.
    All,
}

impl Members {
    /// Members of documents: the view or the table.
    pub(super) fn documents(self) -> &'static str {
        match self {
            Self::Effective => "effective_members",
            Self::All => "members",
        }
    }

    /// Members of organizations: the view or the table.
    pub(super) fn organizations(self) -> &'static str {
        match self {
            Self::Effective => "effective_organization_members",
            Self::All => "organization_members",
        }
    }
}

/// SQL condition for documents `d` on which the user has any role, within the projects of the key. `user` and
/// `key` are placeholders. `key` is null for a key without a limit. A condition on `d.deleted_at` beside it
/// needs a `+` before the column. Otherwise SQLite takes the index of that column and reads everybody's documents.
pub(crate) fn visible(user: &str, key: &str) -> String {
    // Starts at the user's memberships, so the cost depends on them and not on the number of documents.
    format!(
        "d.id IN (SELECT m.document_id FROM effective_members m WHERE m.user_id = {user} \
         UNION SELECT c.id FROM effective_members m \
         JOIN documents p ON p.id = m.document_id AND p.deleted_at IS NULL \
         JOIN documents c ON c.project_id = p.id WHERE m.user_id = {user} \
         UNION SELECT c.id FROM effective_organization_members o \
         JOIN documents p ON p.organization_id = o.organization_id AND p.deleted_at IS NULL \
         JOIN documents c ON c.project_id = p.id WHERE o.user_id = {user} \
         UNION SELECT c.id FROM effective_organization_members o \
         JOIN documents c ON c.organization_id = o.organization_id \
         AND (c.project_id IS NULL OR c.project_id = c.id) WHERE o.user_id = {user}) \
         AND ({key} IS NULL OR d.project_id IN \
         (SELECT k.project_id FROM api_key_projects k WHERE k.key_id = {key}))"
    )
}

/// SQL condition for a project `d` to which a user came by an own act: made it or its organization, or accepted an
/// invitation. `user` is a placeholder or a column. Others may add anybody to any number of projects.
pub(crate) fn came_freely(user: &str) -> String {
    format!(
        "(EXISTS (SELECT 1 FROM members m WHERE m.document_id = d.id AND m.user_id = {user} AND NOT m.is_added) \
         OR EXISTS (SELECT 1 FROM organization_members o WHERE o.organization_id = d.organization_id \
         AND o.user_id = {user} AND NOT o.is_added))"
    )
}

/// SQL condition for custom vendors `d` that the project may use: those of the project or its organization, and those
/// of a member of either that are in no project. `project` is a placeholder. It does not ask who calls: a use case
/// that takes ids from its caller asks `vault::known_to` as well.
pub(crate) fn serves(project: &str) -> String {
    format!(
        "(d.project_id = {project} OR (d.project_id IS NULL AND (EXISTS (SELECT 1 FROM members m \
         WHERE m.document_id = {project} AND m.user_id = d.created_by) \
         OR EXISTS (SELECT 1 FROM documents p WHERE p.id = {project} \
         AND p.organization_id = d.organization_id) \
         OR EXISTS (SELECT 1 FROM documents p JOIN organization_members o \
         ON o.organization_id = p.organization_id AND o.user_id = d.created_by \
         WHERE p.id = {project}))))"
    )
}

/// SQL condition for users `u` who have this role on the project or a stronger one, directly or through its
/// organization. `project` is a placeholder.
fn holds(project: &str, role: Role, of: Members) -> String {
    let strong = Role::ALL.iter().filter(|one| **one >= role);
    let words: Vec<String> = strong.map(|one| format!("'{}'", one.as_str())).collect();
    let words = words.join(", ");
    format!(
        "u.id IN (SELECT m.user_id FROM {members} m \
         WHERE m.document_id = {project} AND m.role IN ({words}) \
         UNION SELECT o.user_id FROM documents p \
         JOIN {of_organization} o ON o.organization_id = p.organization_id \
         AND o.role IN ({words}) AND p.organization_role IN ({words}) WHERE p.id = {project})",
        members = of.documents(),
        of_organization = of.organizations(),
    )
}

/// Verified addresses of a project's owners, including those through its organization, except `but`.
pub(crate) async fn owners(
    tx: &mut Tx,
    project: Uuid,
    but: Option<Uuid>,
) -> std::result::Result<Vec<String>, DbError> {
    let sql = format!(
        "SELECT u.email FROM users u WHERE u.email_verified_at IS NOT NULL AND ($2 IS NULL OR u.id <> $2) \
         AND {} ORDER BY u.id",
        holds("$1", Role::Owner, Members::All)
    );
    tx.query(AssertSqlSafe(sql))
        .bind(project)
        .bind(but)
        .all_values()
        .await
}

/// Verified addresses of those who have this role on a project, or a stronger one, and want letters about its
/// concerns, except `but`.
pub(crate) async fn readers(
    tx: &mut Tx,
    project: Uuid,
    role: Role,
    but: Option<Uuid>,
    most: i64,
) -> std::result::Result<Vec<String>, DbError> {
    let sql = format!(
        "SELECT u.email FROM users u WHERE u.email_verified_at IS NOT NULL AND u.concern_letters \
         AND ($2 IS NULL OR u.id <> $2) AND {} ORDER BY u.id LIMIT $3",
        holds("$1", role, Members::Effective)
    );
    tx.query(AssertSqlSafe(sql))
        .bind(project)
        .bind(but)
        .bind(most)
        .all_values()
        .await
}
