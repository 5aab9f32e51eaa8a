//! The document store: projects, cookie configurations, custom vendors, consent boxes and contract
//! boxes.
//!
//! A document is kept as it was sent. `domain::documents` describes the fields that the service
//! knows. This module has the rules that need the database: projects and vendors exist, and the
//! writer may use them. To add a rule about one document alone, go to `domain::documents`.

mod patch;
mod query;
mod secret;
mod store;

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    collection::Collection,
    documents::{self, field::FileUse},
    error_code::ErrorCode,
    field_error::FieldError,
    role::Role,
};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

pub use query::{Filter, ListQuery, Sort, SortKey, is_field};
pub(crate) use store::Row;

use crate::{
    access::{self, Actor, Need, Scope},
    assets,
    clock::{SharedClock, Timestamp},
    context::Context,
    db::{
        Db, DbError,
        page::{Listed, Page},
    },
    error::{Error, Result},
    events::{Event, Events, ProjectDeleted},
    ids::Ids,
    jobs::Jobs,
    mail::Mail,
    members::{self, Group, Member, MemberIn},
    search,
    secret::SecretKey,
    vendors::Vendors,
};
use secret::Secret;

/// Days that a deleted document can be restored.
pub const RESTORE_DAYS: i64 = 30;

/// A document of the vault.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Id.
    pub id: Uuid,
    /// Its collection.
    pub collection: Collection,
    /// The project it follows; its own id for a project.
    pub project_id: Option<Uuid>,
    /// The organization that it joined, with the strongest role that it gives there.
    pub organization: Option<(Uuid, Role)>,
    /// The document as it was sent.
    pub data: Value,
    /// When, by whom and how often it was written.
    pub metadata: Metadata,
}

/// When, by whom and how often a document was written.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// First written.
    pub created_at: Timestamp,
    /// Last written.
    pub updated_at: Timestamp,
    /// The user who made it.
    pub created_by: Uuid,
    /// 1, and one more with every write.
    #[schema(example = 3)]
    pub version: i64,
    /// Last time it was part of a successful publish.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_published_at: Option<Timestamp>,
    /// When it was deleted. Present in lists of deleted documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// True for a project with a `tokenSecret`, which nothing gives back: it takes consents of
    /// signed tokens alone. Absent otherwise.
    #[serde(skip_serializing_if = "is_false")]
    #[schema(required = false)]
    pub tokens_signed: bool,
}

/// A deleted document that can be restored.
#[derive(Clone, Debug, PartialEq)]
pub struct Trashed {
    /// The document, with the time of its deletion.
    pub document: Document,
    /// True if the caller's role allows to restore it.
    pub can_restore: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// The project that a document follows, and the organization that it joins.
type Follows = (Option<Uuid>, Option<(Uuid, Role)>);

/// Facts about a write that change who has access to the document.
#[derive(Clone, Copy)]
struct Change {
    /// The account that writes.
    by: Option<Uuid>,
    /// True if the document begins to follow a project. Members of its own then lose their roles:
    /// the roles of the project alone count.
    follows: bool,
    /// True if it joins an organization, or leaves one.
    moves: bool,
}

/// The sub-service `vault`.
pub struct Vault {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    vendors: Arc<Vendors>,
    jobs: Arc<Jobs>,
    events: Arc<Events>,
    secret: SecretKey,
    mail: Arc<Mail>,
}

impl Vault {
    pub(crate) fn new(context: &Context, vendors: Arc<Vendors>, mail: Arc<Mail>) -> Self {
        let Context {
            db,
            clock,
            ids,
            jobs,
            events,
            secret,
        } = context.clone();
        Self {
            db,
            clock,
            ids,
            vendors,
            jobs,
            events,
            secret,
            mail,
        }
    }

    /// Seals the secrets of tokens that an earlier version stored in plain.
    pub(crate) async fn seal_secrets(&self) -> Result<()> {
        for (project, plain) in store::plain_secrets(&self.db).await? {
            let sealed = self.secret.seal_text(project.as_bytes(), &plain);
            store::seal_secret(&self.db, project, &plain, &sealed).await?;
        }
        Ok(())
    }

    /// Makes a document; its creator owns it, unless it follows a project.
    pub async fn create(
        &self,
        actor: Actor,
        collection: Collection,
        data: Value,
    ) -> Result<Document> {
        let holder = actor.holder(Scope::Write)?;
        let user = holder.user;
        let mut data = without_billing(collection, data);
        let (project, organization) = self.check(actor, collection, &data, None).await?;
        let id = self.ids.next();
        let secret = secret::take(collection, &mut data).sealed(&self.secret, id);
        if holder.limited_by.is_some() && project.is_none() {
            return Err(Error::forbidden(
                ErrorCode::KeyTooNarrow,
                "This key reaches some projects alone; it makes documents only there.",
            ));
        }
        let now = self.clock.now();
        let document = Document {
            id,
            collection,
            project_id: if collection == Collection::Projects {
                Some(id)
            } else {
                project
            },
            organization,
            data,
            metadata: Metadata {
                created_at: now,
                updated_at: now,
                created_by: user,
                version: 1,
                deleted_at: None,
                last_published_at: None,
                tokens_signed: secret.is_there_after(false),
            },
        };
        let owned = collection == Collection::Projects || project.is_none();
        named(store::add(&self.db, &document, owned.then_some(user), &secret).await)?;
        Ok(document)
    }

    /// Reads a document.
    pub async fn read(&self, actor: Actor, collection: Collection, id: Uuid) -> Result<Document> {
        access::document(&self.db, actor, collection, id, Role::Viewer).await?;
        store::lookup(&self.db, collection, id)
            .await?
            .ok_or(Error::NotFound)
    }

    /// Replaces a document; the secret of a project's tokens stays unless it is named. With
    /// `expected`, only that version.
    pub async fn update(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
        data: Value,
        expected: Option<i64>,
    ) -> Result<Document> {
        access::document(&self.db, actor, collection, id, Role::Editor).await?;
        let before = self.expect(collection, id, expected).await?;
        self.replace(actor, before, data).await
    }

    /// Changes a document by JSON Merge Patch (RFC 7396). With `expected`, only that version.
    pub async fn patch(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
        patch: Value,
        expected: Option<i64>,
    ) -> Result<Document> {
        access::document(&self.db, actor, collection, id, Role::Editor).await?;
        let before = self.expect(collection, id, expected).await?;
        let mut data = before.data.clone();
        let removes = secret::is_removed(&patch);
        patch::merge(&mut data, patch);
        if removes {
            secret::remove(&mut data);
        }
        self.replace(actor, before, data).await
    }

    async fn expect(
        &self,
        collection: Collection,
        id: Uuid,
        expected: Option<i64>,
    ) -> Result<Document> {
        let document = store::lookup(&self.db, collection, id)
            .await?
            .ok_or(Error::NotFound)?;
        if expected.is_some_and(|expected| expected != document.metadata.version) {
            return Err(Error::PreconditionFailed);
        }
        Ok(document)
    }

    async fn replace(&self, actor: Actor, before: Document, data: Value) -> Result<Document> {
        let mut data = without_billing(before.collection, data);
        let (project, organization) = self
            .check(actor, before.collection, &data, Some(&before))
            .await?;
        let secret = secret::take(before.collection, &mut data).sealed(&self.secret, before.id);
        let own = before.collection == Collection::Projects;
        let change = Change {
            by: actor.responsible(),
            follows: !own && before.project_id.is_none() && project.is_some(),
            moves: organization.map(|(id, _)| id) != before.organization.map(|(id, _)| id),
        };
        let mut after = Document { data, ..before };
        after.project_id = if own { Some(after.id) } else { project };
        after.organization = organization;
        after.metadata.updated_at = self.clock.now();
        after.metadata.version += 1;
        after.metadata.tokens_signed = secret.is_there_after(after.metadata.tokens_signed);
        if named(store::replace(&self.db, &self.mail, &after, &secret, change).await)? {
            self.mail.wake();
            if secret != Secret::Keep {
                self.events.tell(Event::ProjectChanged(after.id));
            }
            Ok(after)
        } else {
            Err(edited_meanwhile())
        }
    }

    /// Deletes a document; it can be restored for [`RESTORE_DAYS`] days.
    pub async fn delete(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
        expected: Option<i64>,
    ) -> Result<()> {
        access::document(&self.db, actor, collection, id, restorer(collection)).await?;
        let version = self
            .expect(collection, id, expected)
            .await?
            .metadata
            .version;
        let mut tx = self.db.begin().await?;
        if !store::delete(&mut tx, id, version, self.clock.now()).await? {
            return Err(edited_meanwhile());
        }
        if collection == Collection::Projects {
            let deleted = ProjectDeleted(id);
            self.jobs
                .enqueue(&mut tx, self.ids.next(), &deleted)
                .await?;
        }
        tx.commit().await?;
        self.jobs.wake();
        Ok(())
    }

    /// Brings a deleted document back.
    pub async fn restore(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
    ) -> Result<Document> {
        access::deleted_document(&self.db, actor, collection, id, restorer(collection)).await?;
        let since = self.restorable_since();
        if !named(store::restore(&self.db, id, since, self.clock.now()).await)? {
            return Err(Error::NotFound);
        }
        store::lookup(&self.db, collection, id)
            .await?
            .ok_or(Error::NotFound)
    }

    /// Removes documents that can no longer be restored.
    pub(crate) async fn forget_deleted(&self) -> Result<()> {
        Ok(store::forget_deleted(&self.db, self.restorable_since()).await?)
    }

    /// The caller's documents of a collection.
    pub async fn list(
        &self,
        actor: Actor,
        collection: Collection,
        query: ListQuery,
    ) -> Result<Listed<Document>> {
        let holder = actor.holder(Scope::Read)?;
        let text = query.text.as_deref().unwrap_or_default();
        search::check(text, query.filters.len())?;
        let since = query.deleted.then(|| self.restorable_since());
        Ok(store::list(&self.db, holder, collection, &query, since).await?)
    }

    /// Deleted documents that the caller sees, those that were deleted last first: projects and other documents
    /// without a project, or those of one project.
    pub async fn trash(
        &self,
        actor: Actor,
        project: Option<Uuid>,
        page: Page,
    ) -> Result<Listed<Trashed>> {
        let holder = actor.holder(Scope::Read)?;
        if let Some(project) = project {
            access::project(&self.db, actor, project, Role::Viewer).await?;
        }
        let since = self.restorable_since();
        let found = store::trash(&self.db, holder, project, since, page).await?;
        let mut items = Vec::with_capacity(found.items.len());
        for document in found.items {
            let need = restorer(document.collection);
            let may =
                access::deleted_document(&self.db, actor, document.collection, document.id, need);
            items.push(Trashed {
                can_restore: may.await.is_ok(),
                document,
            });
        }
        Ok(Listed {
            items,
            total: found.total,
            page,
        })
    }

    fn restorable_since(&self) -> Timestamp {
        self.clock.now().plus_days(-RESTORE_DAYS)
    }

    /// Members of a document.
    pub async fn members(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
    ) -> Result<Vec<Member>> {
        access::document(&self.db, actor, collection, id, Role::Viewer).await?;
        Ok(members::list(&self.db, Group::Document(id)).await?)
    }

    /// Adds a member to a document, or changes its role. Only owners do.
    pub async fn add_member(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
        input: MemberIn,
    ) -> Result<Member> {
        access::document(&self.db, actor, collection, id, Need::person(Role::Owner)).await?;
        members::set(&self.db, Group::Document(id), input, self.clock.now()).await
    }

    /// Removes a member. Owners remove anyone, everybody may leave; the last owner stays.
    pub async fn remove_member(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
        user: Uuid,
    ) -> Result<()> {
        let need = if actor == Actor::User(user) {
            Role::Viewer
        } else {
            Role::Owner
        };
        access::document(&self.db, actor, collection, id, Need::person(need)).await?;
        members::remove(&self.db, Group::Document(id), user).await
    }

    /// Everything that is wrong with the document, or the project that it follows.
    async fn check(
        &self,
        actor: Actor,
        collection: Collection,
        data: &Value,
        before: Option<&Document>,
    ) -> Result<Follows> {
        let mut errors = documents::validate(collection, data);
        let project = self
            .check_project(actor, collection, data, before, &mut errors)
            .await?;
        let organization = match collection {
            Collection::Projects | Collection::Vendors => {
                self.check_organization(actor, data, before, &mut errors)
                    .await?
            }
            _ => None,
        };
        if let Some(before) = before.filter(|_| collection == Collection::Vendors)
            && project.is_none()
            && organization.is_none()
        {
            self.check_home(before, &mut errors).await?;
        }
        if collection == Collection::Cookies {
            self.check_vendors(actor, data, &mut errors).await?;
            errors.extend(check_repeated(data, before));
        }
        self.check_files(collection, data, project, before, &mut errors)
            .await?;
        if errors.is_empty() {
            Ok((project, organization))
        } else {
            Err(Error::Invalid(errors))
        }
    }

    /// An organization gives its members roles. So a document that is there already joins one by a
    /// person who owns both, and leaves it by an owner of either; never by an API key. A new one is its
    /// maker's to give to an organization that the maker edits.
    async fn check_organization(
        &self,
        actor: Actor,
        data: &Value,
        before: Option<&Document>,
        errors: &mut Vec<FieldError>,
    ) -> Result<Option<(Uuid, Role)>> {
        let named = documents::organization_id(data).and_then(|id| Uuid::parse_str(id).ok());
        let joined = before.and_then(|before| before.organization);
        if named == joined.map(|(id, _)| id) {
            return Ok(joined);
        }
        let (own, need) = match before {
            Some(before) => {
                let role = access::document_role(&self.db, actor, before.collection, before.id);
                (role.await?, Role::Owner)
            }
            None => (Some(Role::Owner), Role::Editor),
        };
        let owns = own >= Some(Role::Owner);
        let there = async |id| access::organization_role(&self.db, actor, id).await;
        if let Some((left, _)) = joined
            && !owns
            && there(left).await? < Some(Role::Owner)
        {
            errors.push(FieldError::new(
                "/organizationId",
                ErrorCode::NotYoursToMove,
                "Leaving an organization needs an owner here or there.",
            ));
        }
        if let Some(id) = named {
            let role = there(id).await?;
            if role < Some(Role::Editor) {
                errors.push(FieldError::new(
                    "/organizationId",
                    ErrorCode::UnknownOrganization,
                    "There is no such organization, or it is not yours to write to.",
                ));
            } else if !owns || role < Some(need) {
                errors.push(FieldError::new(
                    "/organizationId",
                    ErrorCode::NotYoursToMove,
                    "Joining an organization needs an owner here and there.",
                ));
            }
        }
        if before.is_some() && errors.is_empty() {
            actor.user()?;
        }
        Ok(named.map(|id| (id, Role::Owner)))
    }

    async fn check_project(
        &self,
        actor: Actor,
        collection: Collection,
        data: &Value,
        before: Option<&Document>,
        errors: &mut Vec<FieldError>,
    ) -> Result<Option<Uuid>> {
        if collection == Collection::Projects {
            return Ok(None);
        }
        let named = documents::project_id(data).and_then(|id| Uuid::parse_str(id).ok());
        let followed = before.and_then(|before| before.project_id);
        if named == followed {
            return Ok(named);
        }
        if let Some(left) = followed
            && access::project_role(&self.db, actor, left).await? < Some(Role::Editor)
        {
            errors.push(FieldError::new(
                "/projectId",
                ErrorCode::NotYoursToMove,
                "Leaving a project needs an editor of it.",
            ));
        }
        let Some(project) = named else {
            return Ok(None);
        };
        match access::project_role(&self.db, actor, project).await? {
            Some(role) if role >= Role::Editor => {}
            // On create the caller sees the project and may learn that the role is too weak.
            Some(_) if before.is_none() => {
                access::project(&self.db, actor, project, Role::Editor).await?;
            }
            _ => errors.push(FieldError::new(
                "/projectId",
                ErrorCode::UnknownProject,
                "There is no such project, or it is not yours to write to.",
            )),
        }
        Ok(Some(project))
    }

    /// A custom vendor that leaves its project or organization must still be somebody's: otherwise
    /// nobody would ever find it again.
    async fn check_home(&self, before: &Document, errors: &mut Vec<FieldError>) -> Result<()> {
        let pointer = if before.project_id.is_some() {
            "/projectId"
        } else if before.organization.is_some() {
            "/organizationId"
        } else {
            return Ok(());
        };
        let named = errors.iter().any(|error| error.pointer == pointer);
        if !named && !members::is_owned(&self.db, Group::Document(before.id)).await? {
            errors.push(FieldError::new(
                pointer,
                ErrorCode::Required,
                "It is nobody's own: let it follow a project, or join an organization.",
            ));
        }
        Ok(())
    }

    /// A named file must be one of the project and of the right type. A file that the document names already
    /// may be gone, and the document stays editable.
    async fn check_files(
        &self,
        collection: Collection,
        data: &Value,
        project: Option<Uuid>,
        before: Option<&Document>,
        errors: &mut Vec<FieldError>,
    ) -> Result<()> {
        let stored = before.filter(|before| before.project_id == project);
        let stored = stored.map(|before| documents::files_named(collection, &before.data));
        let stored: BTreeSet<&str> = stored.iter().flatten().map(|(_, id, _)| *id).collect();
        for (pointer, id, used) in documents::files_named(collection, data) {
            if stored.contains(id) {
                continue;
            }
            let found = match Uuid::parse_str(id) {
                Ok(id) => assets::store::lookup(&self.db, id).await?,
                Err(_) => None,
            };
            match found.filter(|row| Some(row.project_id) == project) {
                None => errors.push(FieldError::new(
                    pointer,
                    ErrorCode::UnknownAsset,
                    "The project has no such file.",
                )),
                Some(row) if row.is_pdf() != (used == FileUse::Document) => {
                    let what = match used {
                        FileUse::Picture => "a picture",
                        FileUse::Document => "a PDF",
                    };
                    let detail = format!("The file must be {what}.");
                    errors.push(FieldError::new(pointer, ErrorCode::UnsupportedType, detail));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Every vendor must be in the catalogue, or a custom vendor that the writer may read.
    async fn check_vendors(
        &self,
        actor: Actor,
        data: &Value,
        errors: &mut Vec<FieldError>,
    ) -> Result<()> {
        let named = documents::vendors_named(data);
        let ids: BTreeSet<Uuid> = named
            .iter()
            .filter_map(|(_, id)| Uuid::parse_str(id).ok())
            .collect();
        let ids: Vec<Uuid> = ids.into_iter().collect();
        let mut known = self.vendors.known(&ids).await?;
        for id in ids
            .into_iter()
            .filter(|id| !known.contains(id))
            .collect::<Vec<_>>()
        {
            if access::document_role(&self.db, actor, Collection::Vendors, id)
                .await?
                .is_some()
            {
                known.insert(id);
            }
        }
        for (pointer, id) in named {
            if !Uuid::parse_str(id).is_ok_and(|id| known.contains(&id)) {
                errors.push(FieldError::new(
                    pointer,
                    ErrorCode::UnknownVendor,
                    "Neither in the catalogue nor a custom vendor of yours.",
                ));
            }
        }
        Ok(())
    }
}

/// A configuration names each vendor once. What is stored already stays editable.
fn check_repeated(data: &Value, before: Option<&Document>) -> Vec<FieldError> {
    let stored = before.map(|before| documents::vendors_repeated(&before.data));
    let stored: BTreeSet<&str> = stored.iter().flatten().map(|(_, id)| *id).collect();
    let mut repeated = documents::vendors_repeated(data);
    repeated.retain(|(_, id)| !stored.contains(id));
    repeated
        .into_iter()
        .map(|(pointer, _)| {
            let detail = "This configuration names the vendor before.";
            FieldError::new(pointer, ErrorCode::RepeatedVendor, detail)
        })
        .collect()
}

/// Drops the fields of billing: they belong to the billing provider.
fn without_billing(collection: Collection, mut data: Value) -> Value {
    if collection == Collection::Projects
        && let Some(fields) = data.as_object_mut()
    {
        for key in ["billing", "subscription", "paymentSource"] {
            fields.shift_remove(key);
        }
    }
    data
}

/// The role that may delete and restore.
fn restorer(collection: Collection) -> Role {
    match collection {
        Collection::Projects => Role::Owner,
        _ => Role::Editor,
    }
}

fn edited_meanwhile() -> Error {
    Error::conflict(
        None,
        ErrorCode::EditedMeanwhile,
        "Somebody else changed this document just now.",
    )
}

/// A second configuration of the same name is the writer's mistake.
fn named<T>(result: std::result::Result<T, DbError>) -> Result<T> {
    result.map_err(|error| match error {
        DbError::Duplicate(_) => Error::field(
            "/name",
            ErrorCode::NameTaken,
            "Another configuration of this project has this name (case does not count).",
        ),
        error => error.into(),
    })
}
