//! Permissions. No other module decides them.
//!
//! A user has a role on a document (`members`), or on an organization, which gives it on the organization's
//! projects and custom vendors. A document with a project follows the project. Of several roles the strongest
//! counts. Without a role the answer is "not found". An API key may do what its user may, within its scopes
//! and projects. An organization may require a second factor: without one no role on it and on its projects
//! counts (the views `effective_…`).

mod actor;
mod conditions;
mod need;

use std::collections::BTreeSet;

use domain::{collection::Collection, error_code::ErrorCode, role::Role};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    db::{Db, DbError, MOST_IDS, Target, Tx},
    error::{Error, Result},
};
pub(crate) use actor::Holder;
pub use actor::{Actor, Key, Operators, Scopes};
use conditions::Members;
pub(crate) use conditions::{came_freely, owners, readers, serves, visible};
pub use domain::scope::Scope;
pub use need::Need;

/// Tells whether an action is allowed. A fault is no answer.
pub(crate) fn allowed<T>(result: Result<T>) -> Result<bool> {
    match result {
        Ok(_) => Ok(true),
        Err(Error::Forbidden { .. } | Error::NotFound) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Refuses unless the actor is a signed-in user whose account is the operator's. No API key is.
pub(crate) async fn operator(db: &Db, actor: Actor, operators: &Operators) -> Result<()> {
    if is_operator(db, actor.user()?, operators).await? {
        return Ok(());
    }
    Err(Error::forbidden(
        ErrorCode::NotOperator,
        "This needs an account of the operator of this server (--operator).",
    ))
}

/// True if the user's account is the operator's. An address that nobody has verified is a stranger's claim.
pub(crate) async fn is_operator(
    db: &Db,
    user: Uuid,
    operators: &Operators,
) -> std::result::Result<bool, DbError> {
    if operators.are_none() {
        return Ok(false);
    }
    let address: Option<String> = db
        .query("SELECT email_key FROM users WHERE id = $1 AND email_verified_at IS NOT NULL")
        .bind(user)
        .optional_value()
        .await?;
    Ok(address.is_some_and(|address| operators.has(&address)))
}

/// Refuses unless the actor meets `need` on the project.
pub async fn project(db: &Db, actor: Actor, project: Uuid, need: Need) -> Result<Role> {
    document(db, actor, Collection::Projects, project, need).await
}

/// Refuses unless the actor meets `need` on the document. A deleted document is not found.
pub async fn document(
    db: &Db,
    actor: Actor,
    collection: Collection,
    id: Uuid,
    need: Need,
) -> Result<Role> {
    decide(Target::Db(db), actor, present(collection, id), need).await
}

/// Like [`document`], in a transaction, for a document of any collection.
pub(crate) async fn document_in(tx: &mut Tx, actor: Actor, id: Uuid, need: Need) -> Result<Role> {
    let word: Option<String> = tx
        .query("SELECT collection FROM documents WHERE id = $1")
        .bind(id)
        .optional_value()
        .await?;
    let collection = word.and_then(|word| Collection::parse(&word));
    let collection = collection.ok_or(Error::NotFound)?;
    decide(Target::Tx(tx), actor, present(collection, id), need).await
}

/// Like [`document`], for a document that is deleted and can still be restored.
pub async fn deleted_document(
    db: &Db,
    actor: Actor,
    collection: Collection,
    id: Uuid,
    need: Need,
) -> Result<Role> {
    let deleted = Thing::Document {
        collection,
        id,
        deleted: true,
    };
    decide(Target::Db(db), actor, deleted, need).await
}

/// A thing that people have roles on.
#[derive(Clone, Copy)]
enum Thing {
    Document {
        collection: Collection,
        id: Uuid,
        deleted: bool,
    },
    Organization(Uuid),
}

async fn decide(mut at: Target<'_>, actor: Actor, thing: Thing, need: Need) -> Result<Role> {
    actor.need_scopes(need.scopes)?;
    let Some(role) = role(&mut at, actor, thing, Members::Effective).await? else {
        let without = role(&mut at, actor, thing, Members::All).await?;
        return Err(without.map_or(Error::NotFound, |_| needs_second_factor()));
    };
    if !need.is_met_by_role(role) {
        return Err(Error::forbidden(
            ErrorCode::RoleTooWeak,
            format!(
                "This needs the role {}; yours is {}.",
                need.role.as_str(),
                role.as_str()
            ),
        ));
    }
    Ok(role)
}

/// The actor's role on a project, whatever the scopes of a key. `None` without a role or without the project.
pub async fn project_role(db: &Db, actor: Actor, project: Uuid) -> Result<Option<Role>> {
    document_role(db, actor, Collection::Projects, project).await
}

/// The actor's role on a document, whatever the scopes of a key. `None` without a role or without the
/// document.
pub async fn document_role(
    db: &Db,
    actor: Actor,
    collection: Collection,
    id: Uuid,
) -> Result<Option<Role>> {
    document_role_at(&mut Target::Db(db), actor, collection, id).await
}

/// Like [`document_role`], also in a transaction.
pub(crate) async fn document_role_at(
    at: &mut Target<'_>,
    actor: Actor,
    collection: Collection,
    id: Uuid,
) -> Result<Option<Role>> {
    role(at, actor, present(collection, id), Members::Effective).await
}

/// Those of these documents on which the actor has a role, whatever the scopes of a key.
pub(crate) async fn reached(
    db: &Db,
    actor: Actor,
    collection: Collection,
    ids: &[Uuid],
) -> Result<BTreeSet<Uuid>> {
    let mut reached = BTreeSet::new();
    for ids in ids.chunks(MOST_IDS) {
        let documents = (collection, ids, false);
        let held = roles(&mut Target::Db(db), actor, documents, Members::Effective).await?;
        reached.extend(held.into_iter().map(|(id, _)| id));
    }
    Ok(reached)
}

/// As [`reached`]. Refuses where a role on another of them would count with a second factor.
pub(crate) async fn readable(
    db: &Db,
    actor: Actor,
    collection: Collection,
    ids: &[Uuid],
) -> Result<BTreeSet<Uuid>> {
    let found = reached(db, actor, collection, ids).await?;
    let others: Vec<Uuid> = ids
        .iter()
        .copied()
        .filter(|id| !found.contains(id))
        .collect();
    for ids in others.chunks(MOST_IDS) {
        let documents = (collection, ids, false);
        let held = roles(&mut Target::Db(db), actor, documents, Members::All).await?;
        if !held.is_empty() {
            return Err(needs_second_factor());
        }
    }
    Ok(found)
}

/// Refuses unless the actor meets `need` on the organization.
pub async fn organization(db: &Db, actor: Actor, organization: Uuid, need: Need) -> Result<Role> {
    decide(
        Target::Db(db),
        actor,
        Thing::Organization(organization),
        need,
    )
    .await
}

/// Like [`organization`], in a transaction.
pub(crate) async fn organization_in(
    tx: &mut Tx,
    actor: Actor,
    organization: Uuid,
    need: Need,
) -> Result<Role> {
    decide(
        Target::Tx(tx),
        actor,
        Thing::Organization(organization),
        need,
    )
    .await
}

/// The actor's role on an organization, whatever the scopes of a key. `None` without a role or without the
/// organization. An API key that is limited to projects reaches no organization.
pub async fn organization_role(db: &Db, actor: Actor, organization: Uuid) -> Result<Option<Role>> {
    organization_role_at(&mut Target::Db(db), actor, organization).await
}

/// Like [`organization_role`], also in a transaction.
pub(crate) async fn organization_role_at(
    at: &mut Target<'_>,
    actor: Actor,
    organization: Uuid,
) -> Result<Option<Role>> {
    let organization = Thing::Organization(organization);
    role(at, actor, organization, Members::Effective).await
}

/// Like [`organization_role`], also where the role does not count because the organization requires a second
/// factor that the user lacks. It is enough for leaving.
pub(crate) async fn membership(db: &Db, actor: Actor, organization: Uuid) -> Result<Option<Role>> {
    let organization = Thing::Organization(organization);
    role(&mut Target::Db(db), actor, organization, Members::All).await
}

/// The name of an organization in which the user's role does not count, because it requires a second factor. One to which
/// the user was only added counts for nothing: a stranger's organization must not rule an account.
pub(crate) async fn shut_out_of(
    tx: &mut Tx,
    user: Uuid,
) -> std::result::Result<Option<String>, DbError> {
    tx.query(
        "SELECT o.name FROM organization_members m JOIN organizations o ON o.id = m.organization_id \
         WHERE m.user_id = $1 AND NOT m.is_added AND NOT EXISTS (SELECT 1 FROM effective_organization_members e \
         WHERE e.organization_id = m.organization_id AND e.user_id = m.user_id) ORDER BY o.id LIMIT 1",
    )
    .bind(user)
    .optional_value()
    .await
}

/// True if the user has a role on the organization that counts.
pub(crate) async fn has_role_in(
    tx: &mut Tx,
    organization: Uuid,
    user: Uuid,
) -> std::result::Result<bool, DbError> {
    let count = tx
        .query("SELECT COUNT(*) FROM effective_organization_members WHERE organization_id = $1 AND user_id = $2")
        .bind(organization)
        .bind(user)
        .count()
        .await?;
    Ok(count > 0)
}

async fn role_in(
    at: &mut Target<'_>,
    actor: Actor,
    organization: Uuid,
    members: Members,
) -> Result<Option<Role>> {
    let user = match actor {
        Actor::User(user) => user,
        Actor::Key(key) if !key.limited => key.user,
        Actor::Key(_) | Actor::System => return Ok(None),
    };
    let table = members.organizations();
    let sql = format!("SELECT role FROM {table} WHERE organization_id = $1 AND user_id = $2");
    let word: Option<String> = at
        .query(AssertSqlSafe(sql))
        .bind(organization)
        .bind(user)
        .optional_value()
        .await?;
    Ok(word.and_then(|word| Role::parse(&word)))
}

fn needs_second_factor() -> Error {
    Error::forbidden(
        ErrorCode::SecondFactorMissing,
        "The organization requires a second factor of its members. Turn yours on.",
    )
}

fn present(collection: Collection, id: Uuid) -> Thing {
    Thing::Document {
        collection,
        id,
        deleted: false,
    }
}

async fn role(
    at: &mut Target<'_>,
    actor: Actor,
    thing: Thing,
    members: Members,
) -> Result<Option<Role>> {
    match thing {
        Thing::Document {
            collection,
            id,
            deleted,
        } => {
            let held = roles(at, actor, (collection, &[id], deleted), members).await?;
            Ok(held.into_iter().map(|(_, role)| role).max())
        }
        Thing::Organization(id) => role_in(at, actor, id, members).await,
    }
}

/// The actor's roles on some of at most [`MOST_IDS`] documents. There may be several on one.
async fn roles(
    at: &mut Target<'_>,
    actor: Actor,
    (collection, ids, deleted): (Collection, &[Uuid], bool),
    members: Members,
) -> std::result::Result<Vec<(Uuid, Role)>, DbError> {
    const THESE: &str = "d.collection = $1 AND (d.deleted_at IS NOT NULL) = $2 AND d.id IN (";
    const OF_KEY: &str = "($4 IS NULL OR d.project_id IN \
         (SELECT k.project_id FROM api_key_projects k WHERE k.key_id = $4))";
    let (user, limited_by) = match actor {
        Actor::User(user) => (Some(user), None),
        Actor::Key(key) => (Some(key.user), key.limited.then_some(key.id)),
        Actor::System => (None, None),
    };
    // A role on a project reaches its documents only while the project is not deleted. A document of a project follows the
    // project's organization alone. An organization gives no more than the role that the person who joined the project to
    // it had.
    let mut query = if let Some(user) = user {
        let project = "LEFT JOIN documents p ON p.id = d.project_id \
                 AND (p.deleted_at IS NULL OR p.id = d.id)";
        let own = format!(
            "SELECT d.id, m.role, 'owner' AS most FROM documents d {project} \
                 JOIN {} m ON m.user_id = $3 AND (m.document_id = d.id OR m.document_id = p.id) \
                 WHERE {OF_KEY} AND {THESE}",
            members.documents()
        );
        let of_organization = format!(
            ") UNION ALL SELECT d.id, o.role, \
                 CASE WHEN d.project_id IS NULL THEN d.organization_role ELSE p.organization_role END AS most \
                 FROM documents d {project} JOIN {} o ON o.user_id = $3 AND o.organization_id = \
                 CASE WHEN d.project_id IS NULL THEN d.organization_id ELSE p.organization_id END \
                 WHERE {OF_KEY} AND {THESE}",
            members.organizations()
        );
        let mut query = at.query(AssertSqlSafe(own));
        query = query.bind(collection.as_str()).bind(deleted);
        query = query.bind(user).bind(limited_by);
        query.values(ids.iter().copied());
        query.push(AssertSqlSafe(of_organization));
        query
    } else {
        let all = format!("SELECT d.id, 'owner', 'owner' FROM documents d WHERE {THESE}");
        let query = at.query(AssertSqlSafe(all));
        query.bind(collection.as_str()).bind(deleted)
    };
    query.values(ids.iter().copied()).push(")");
    let held: Vec<(Uuid, String, String)> = query.all().await?;
    Ok(held
        .iter()
        .filter_map(|(id, role, most)| Some((*id, Role::parse(role)?.min(Role::parse(most)?))))
        .collect())
}
