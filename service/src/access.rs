//! Who may do what: decided here and nowhere else.
//!
//! A role is held on a document (`members`). Documents with a project follow the project: the
//! stronger of the two roles counts. Whoever has no role is told that nothing is there.

use domain::{collection::Collection, role::Role};
use uuid::Uuid;

use crate::{
    db::{Db, DbError},
    error::{Error, Result},
    on,
};

/// Who calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A signed-in user.
    User(Uuid),
    /// The product itself: jobs, the command line.
    System,
}

impl Actor {
    /// The user, for what only a person can do.
    pub fn user(self) -> Result<Uuid> {
        match self {
            Self::User(id) => Ok(id),
            Self::System => Err(Error::forbidden("not_a_user", "Only a user can do this.")),
        }
    }
}

/// Refuses unless the actor holds at least `need` on the project.
pub async fn project(db: &Db, actor: Actor, project: Uuid, need: Role) -> Result<Role> {
    document(db, actor, Collection::Projects, project, need).await
}

/// Refuses unless the actor holds at least `need` on the document (which is not deleted).
pub async fn document(
    db: &Db,
    actor: Actor,
    collection: Collection,
    id: Uuid,
    need: Role,
) -> Result<Role> {
    decide(role(db, actor, collection, id, false).await?, need)
}

/// As [`document`], for a document that is deleted and not yet gone.
pub async fn deleted_document(
    db: &Db,
    actor: Actor,
    collection: Collection,
    id: Uuid,
    need: Role,
) -> Result<Role> {
    decide(role(db, actor, collection, id, true).await?, need)
}

/// The actor's role on a project; `None` when it has none or the project is not there.
pub async fn project_role(db: &Db, actor: Actor, project: Uuid) -> Result<Option<Role>> {
    Ok(role(db, actor, Collection::Projects, project, false).await?)
}

fn decide(role: Option<Role>, need: Role) -> Result<Role> {
    match role {
        None => Err(Error::NotFound),
        Some(role) if role < need => Err(Error::forbidden(
            "role_too_weak",
            format!(
                "This needs the role {}; yours is {}.",
                need.as_str(),
                role.as_str()
            ),
        )),
        Some(role) => Ok(role),
    }
}

async fn role(
    db: &Db,
    actor: Actor,
    collection: Collection,
    id: Uuid,
    deleted: bool,
) -> std::result::Result<Option<Role>, DbError> {
    // A role on a project reaches its documents only while the project itself is there.
    const SQL: &str = "SELECT m.role FROM documents d \
         LEFT JOIN documents p ON p.id = d.project_id AND (p.deleted_at IS NULL OR p.id = d.id) \
         JOIN members m ON m.user_id = $3 AND (m.document_id = d.id OR m.document_id = p.id) \
         WHERE d.id = $1 AND d.collection = $2 AND (d.deleted_at IS NOT NULL) = $4";
    const EXISTS: &str = "SELECT 'owner' FROM documents d \
         WHERE d.id = $1 AND d.collection = $2 AND (d.deleted_at IS NOT NULL) = $3";
    let words: Vec<String> = match actor {
        Actor::User(user) => on!(db, pool => sqlx::query_scalar(SQL)
            .bind(id)
            .bind(collection.as_str())
            .bind(user)
            .bind(deleted)
            .fetch_all(pool)
            .await)?,
        Actor::System => on!(db, pool => sqlx::query_scalar(EXISTS)
            .bind(id)
            .bind(collection.as_str())
            .bind(deleted)
            .fetch_all(pool)
            .await)?,
    };
    Ok(words.iter().filter_map(|word| Role::parse(word)).max())
}
