//! Permissions. No other module decides them.
//!
//! A user has a role on a document (`members`), or on an organization, which gives it on the organization's
//! projects and custom vendors. A document with a project follows the project. Of several roles the strongest
//! counts. Without a role the answer is "not found". An API key may do what its user may, within its scopes
//! and projects. An organization may require a second factor: without one no role on it and on its projects
//! counts (the views `effective_…`).

use std::collections::BTreeSet;

pub use domain::scope::Scope;

use domain::error_code::ErrorCode;
use domain::{collection::Collection, role::Role};
use sqlx::AssertSqlSafe;
use uuid::Uuid;

use crate::{
    db::{Db, DbError, MOST_IDS, Target, Tx},
    error::{Error, Result},
};

/// The caller of a use case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    /// A signed-in user.
    User(Uuid),
    /// A program with a key of a user.
    Key(Key),
    /// The product itself: jobs, the command line.
    System,
}

/// The properties of an API key that permissions depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its id.
    pub id: Uuid,
    /// The user whose roles it has.
    pub user: Uuid,
    /// Its scopes.
    pub scopes: Scopes,
    /// True if it reaches only its listed projects.
    pub limited: bool,
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(u8);

impl Scopes {
    /// True if the set contains the scope.
    pub fn has(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    /// Its scopes, in order.
    pub fn list(self) -> Vec<Scope> {
        let scopes = Scope::ALL.iter().copied();
        scopes.filter(|scope| self.has(*scope)).collect()
    }

    /// Reads a list separated by commas. Unknown words are ignored.
    pub(crate) fn parse(words: &str) -> Self {
        let named = |scope: &Scope| words.split(',').any(|word| word == scope.as_str());
        Scope::ALL.iter().copied().filter(named).collect()
    }

    /// The words that [`Scopes::parse`] reads.
    pub(crate) fn words(self) -> String {
        let words: Vec<&str> = self.list().into_iter().map(Scope::as_str).collect();
        words.join(",")
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(
            scopes
                .into_iter()
                .fold(0, |bits, scope| bits | (1 << scope as u8)),
        )
    }
}

/// Requirement of a use case: a role, and for API keys scopes.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    role: Role,
    /// An API key needs all of them; `None` refuses every API key.
    scopes: Option<Scopes>,
}

impl Need {
    /// A role on the project, and for API keys the scope `consents`.
    pub fn consents(role: Role) -> Self {
        Self::scopes(role, [Scope::Consents])
    }

    /// A role on the project, and for API keys the scopes `consents` and `write`. A key that only reads
    /// proofs must not remove or add any.
    pub fn changing_consents(role: Role) -> Self {
        Self::scopes(role, [Scope::Consents, Scope::Write])
    }

    /// A role on the project, and for API keys the scope `publish`.
    pub fn publish(role: Role) -> Self {
        Self::scopes(role, [Scope::Publish])
    }

    /// A role of a signed-in user; API keys are refused.
    pub fn person(role: Role) -> Self {
        Self { role, scopes: None }
    }

    fn scopes(role: Role, scopes: impl IntoIterator<Item = Scope>) -> Self {
        Self {
            role,
            scopes: Some(scopes.into_iter().collect()),
        }
    }
}

impl From<Role> for Need {
    /// An API key needs `read` where the role changes no document, else `write`.
    fn from(role: Role) -> Self {
        let scope = match role {
            Role::Viewer | Role::Dpo => Scope::Read,
            Role::Editor | Role::Owner => Scope::Write,
        };
        Self::scopes(role, [scope])
    }
}

/// Tells whether an action is allowed. A fault is no answer.
pub(crate) fn allowed<T>(result: Result<T>) -> Result<bool> {
    match result {
        Ok(_) => Ok(true),
        Err(Error::Forbidden { .. } | Error::NotFound) => Ok(false),
        Err(error) => Err(error),
    }
}

/// The accounts of the operator of this server, by their verified e-mail addresses.
#[derive(Clone, Debug, Default)]
pub struct Operators(Vec<String>);

impl FromIterator<String> for Operators {
    fn from_iter<I: IntoIterator<Item = String>>(addresses: I) -> Self {
        let keys = addresses
            .into_iter()
            .map(|address| address.trim().to_lowercase());
        Self(keys.collect())
    }
}

/// The user whose roles count, and the API key that limits them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Holder {
    pub user: Uuid,
    /// The API key, if it is limited to listed projects.
    pub limited_by: Option<Uuid>,
}

impl Actor {
    /// The user, for actions that only a signed-in user may take.
    pub fn user(self) -> Result<Uuid> {
        match self {
            Self::User(id) => Ok(id),
            Self::Key(_) | Self::System => Err(not_a_user()),
        }
    }

    /// The account that answers for an action, for actions that somebody must answer for.
    pub(crate) fn account(self) -> Result<Uuid> {
        self.responsible().ok_or_else(not_a_user)
    }

    /// The account that actions are recorded for.
    pub fn responsible(self) -> Option<Uuid> {
        match self {
            Self::User(user) | Self::Key(Key { user, .. }) => Some(user),
            Self::System => None,
        }
    }

    /// The user whose roles count, for requests that concern more than one document.
    pub(crate) fn holder(self, scope: Scope) -> Result<Holder> {
        self.need_scopes(Some([scope].into_iter().collect()))?;
        match self {
            Self::User(user) => Ok(Holder {
                user,
                limited_by: None,
            }),
            Self::Key(key) => Ok(Holder {
                user: key.user,
                limited_by: key.limited.then_some(key.id),
            }),
            Self::System => Err(Error::forbidden(
                ErrorCode::NotAUser,
                "Only a user can do this.",
            )),
        }
    }

    /// Refuses an API key that lacks one of these scopes; with `None`, every key.
    fn need_scopes(self, scopes: Option<Scopes>) -> Result<()> {
        let Self::Key(key) = self else {
            return Ok(());
        };
        let scopes = scopes.ok_or_else(not_a_user)?;
        let missing = scopes
            .list()
            .into_iter()
            .find(|scope| !key.scopes.has(*scope));
        match missing {
            None => Ok(()),
            Some(scope) => Err(Error::forbidden(
                ErrorCode::ScopeMissing,
                format!("This needs a key with the scope {}.", scope.as_str()),
            )),
        }
    }
}

fn not_a_user() -> Error {
    Error::forbidden(ErrorCode::NotAUser, "Only a user can do this.")
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
    if operators.0.is_empty() {
        return Ok(false);
    }
    let address: Option<String> = db
        .query("SELECT email_key FROM users WHERE id = $1 AND email_verified_at IS NOT NULL")
        .bind(user)
        .optional_value()
        .await?;
    Ok(address.is_some_and(|address| operators.0.contains(&address)))
}

/// Refuses unless the actor has at least the role `need` on the project.
pub async fn project(db: &Db, actor: Actor, project: Uuid, need: impl Into<Need>) -> Result<Role> {
    document(db, actor, Collection::Projects, project, need).await
}

/// Refuses unless the actor has at least the role `need` on the document. A deleted document is not found.
pub async fn document(
    db: &Db,
    actor: Actor,
    collection: Collection,
    id: Uuid,
    need: impl Into<Need>,
) -> Result<Role> {
    let at = Target::Db(db);
    of_document(at, actor, collection, id, false, need.into()).await
}

/// Like [`document`], in a transaction, for a document of any collection.
pub(crate) async fn document_in(
    tx: &mut Tx,
    actor: Actor,
    id: Uuid,
    need: impl Into<Need>,
) -> Result<Role> {
    let word: Option<String> = tx
        .query("SELECT collection FROM documents WHERE id = $1")
        .bind(id)
        .optional_value()
        .await?;
    let collection = word.and_then(|word| Collection::parse(&word));
    let collection = collection.ok_or(Error::NotFound)?;
    of_document(Target::Tx(tx), actor, collection, id, false, need.into()).await
}

/// Like [`document`], for a document that is deleted and can still be restored.
pub async fn deleted_document(
    db: &Db,
    actor: Actor,
    collection: Collection,
    id: Uuid,
    need: impl Into<Need>,
) -> Result<Role> {
    let at = Target::Db(db);
    of_document(at, actor, collection, id, true, need.into()).await
}

async fn of_document(
    mut at: Target<'_>,
    actor: Actor,
    collection: Collection,
    id: Uuid,
    deleted: bool,
    need: Need,
) -> Result<Role> {
    actor.need_scopes(need.scopes)?;
    let document = (collection, id, deleted);
    let counts = role(&mut at, actor, document, Members::Effective).await?;
    if counts.is_none()
        && role(&mut at, actor, document, Members::All)
            .await?
            .is_some()
    {
        return Err(needs_second_factor());
    }
    decide(counts, need.role)
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
    let document = (collection, id, false);
    Ok(role(&mut Target::Db(db), actor, document, Members::Effective).await?)
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

/// Refuses unless the actor has at least the role `need` on the organization.
pub async fn organization(
    db: &Db,
    actor: Actor,
    organization: Uuid,
    need: impl Into<Need>,
) -> Result<Role> {
    of_organization(Target::Db(db), actor, organization, need.into()).await
}

/// Like [`organization`], in a transaction.
pub(crate) async fn organization_in(
    tx: &mut Tx,
    actor: Actor,
    organization: Uuid,
    need: impl Into<Need>,
) -> Result<Role> {
    of_organization(Target::Tx(tx), actor, organization, need.into()).await
}

async fn of_organization(
    mut at: Target<'_>,
    actor: Actor,
    organization: Uuid,
    need: Need,
) -> Result<Role> {
    actor.need_scopes(need.scopes)?;
    let counts = role_in(&mut at, actor, organization, Members::Effective).await?;
    if counts.is_none()
        && role_in(&mut at, actor, organization, Members::All)
            .await?
            .is_some()
    {
        return Err(needs_second_factor());
    }
    decide(counts, need.role)
}

/// The actor's role on an organization, whatever the scopes of a key. `None` without a role or without the
/// organization. An API key that is limited to projects reaches no organization.
pub async fn organization_role(db: &Db, actor: Actor, organization: Uuid) -> Result<Option<Role>> {
    role_in(&mut Target::Db(db), actor, organization, Members::Effective).await
}

/// Like [`organization_role`], also where the role does not count because the organization requires a second
/// factor that the user lacks. It is enough for leaving.
pub(crate) async fn membership(db: &Db, actor: Actor, organization: Uuid) -> Result<Option<Role>> {
    role_in(&mut Target::Db(db), actor, organization, Members::All).await
}

/// The name of an organization in which the user's role does not count, because it requires a second factor.
pub(crate) async fn shut_out_of(
    tx: &mut Tx,
    user: Uuid,
) -> std::result::Result<Option<String>, DbError> {
    tx.query(
        "SELECT o.name FROM organization_members m JOIN organizations o ON o.id = m.organization_id \
         WHERE m.user_id = $1 AND NOT EXISTS (SELECT 1 FROM effective_organization_members e \
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

/// The roles that a question is about.
#[derive(Clone, Copy)]
enum Members {
    /// Those that count.
    Effective,
    /// Also those of people who lack a second factor that the organization requires.
    All,
}

impl Members {
    /// Members of documents: the view or the table.
    fn documents(self) -> &'static str {
        match self {
            Self::Effective => "effective_members",
            Self::All => "members",
        }
    }

    /// Members of organizations: the view or the table.
    fn organizations(self) -> &'static str {
        match self {
            Self::Effective => "effective_organization_members",
            Self::All => "organization_members",
        }
    }
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
         JOIN documents c ON c.organization_id = o.organization_id WHERE o.user_id = {user}) \
         AND ({key} IS NULL OR d.project_id IN \
         (SELECT k.project_id FROM api_key_projects k WHERE k.key_id = {key}))"
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
         AND {} ORDER BY u.email",
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

fn decide(role: Option<Role>, need: Role) -> Result<Role> {
    match role {
        None => Err(Error::NotFound),
        Some(role) if role < need => Err(Error::forbidden(
            ErrorCode::RoleTooWeak,
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
    at: &mut Target<'_>,
    actor: Actor,
    (collection, id, deleted): (Collection, Uuid, bool),
    members: Members,
) -> std::result::Result<Option<Role>, DbError> {
    let held = roles(at, actor, (collection, &[id], deleted), members).await?;
    Ok(held.into_iter().map(|(_, role)| role).max())
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
    // A role on a project reaches its documents only while the project is not deleted. An organization gives no more than
    // the role that the person who joined the project to it had.
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
                 COALESCE(p.organization_role, d.organization_role) AS most \
                 FROM documents d {project} JOIN {} o ON o.user_id = $3 \
                 AND o.organization_id = COALESCE(p.organization_id, d.organization_id) \
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
