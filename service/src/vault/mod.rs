//! The document store: projects, cookie configurations, custom vendors, consent boxes and contract
//! boxes.
//!
//! A document is kept as it was sent. `domain::documents` describes the fields that the service knows. To add a rule
//! about one document alone, go to `domain::documents`. The rules that need the database are here: `moves` has those
//! about projects and organizations, `references` those about files and vendors, and `rules` those about what decides
//! about consents. `copies` makes copies, `lists` reads many at once, and `vendors` lists those that a project uses.
//! Deleted documents are in the `trash`.

mod approval;
mod copies;
mod lists;
mod moves;
mod patch;
mod query;
mod references;
mod rules;
mod secret;
mod store;
mod trash;
mod vendors;

use std::{collections::BTreeSet, sync::Arc};

use domain::{
    audit::Action, collection::Collection, documents, error_code::ErrorCode,
    field_error::FieldError, role::Role,
};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

pub use copies::{Copied, CopyIn};
pub use query::{Filter, ListQuery, MOST_CHOSEN, Only, Sort, SortKey, VendorQuery, is_field};
pub(crate) use rules::may_rule;
pub(crate) use store::{MOST_OF_A_PROJECT, Row, custom_vendors};
pub use trash::RESTORE_DAYS;
pub(crate) use vendors::known_to;
pub use vendors::{Facts, NamedBy, Naming, VendorDetails, VendorInUse};

use crate::{
    access::{self, Actor, Need, Scope},
    answers::Answers,
    assets::Assets,
    audit::{Audit, Subject},
    clock::{SharedClock, Timestamp},
    context::Context,
    db::{Db, DbError, Target, Tx},
    error::{Error, Result},
    events::{Event, Events, ProjectMoved},
    ids::Ids,
    jobs::Jobs,
    mail::Mail,
    members::{self, Group, Member, MemberIn},
    quota::{self, Quota},
    secret::SecretKey,
    vendors::Vendors,
};
use moves::{Change, Follows, unknown_organization};
use references::check_repeated;
use secret::Secret;

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

/// A deleted document that can be restored.
#[derive(Clone, Debug, PartialEq)]
pub struct Trashed {
    /// Id.
    pub id: Uuid,
    /// Its collection.
    pub collection: Collection,
    /// Its title for people.
    pub title: String,
    /// Time of its deletion.
    pub deleted_at: Timestamp,
    /// True if the caller's role allows to restore it.
    pub can_restore: bool,
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

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A document that is to be stored.
struct New {
    document: Document,
    secret: Secret,
    /// Its owner, unless it follows a project.
    owner: Option<Uuid>,
}

/// The sub-service `vault`.
pub struct Vault {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    vendors: Arc<Vendors>,
    assets: Arc<Assets>,
    jobs: Arc<Jobs>,
    events: Arc<Events>,
    secret: SecretKey,
    answers: Answers,
    audit: Arc<Audit>,
    quota: Arc<Quota>,
    mail: Arc<Mail>,
}

impl Vault {
    pub(crate) fn new(
        context: &Context,
        vendors: Arc<Vendors>,
        assets: Arc<Assets>,
        mail: Arc<Mail>,
    ) -> Self {
        let Context {
            db,
            clock,
            ids,
            jobs,
            events,
            secret,
            answers,
            audit,
            quota,
        } = context.clone();
        Self {
            db,
            clock,
            ids,
            vendors,
            assets,
            jobs,
            events,
            secret,
            answers,
            audit,
            quota,
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
        let new = self.new_document(actor, collection, data).await?;
        let mut tx = self.db.begin().await?;
        self.add(&mut tx, actor, &new).await?;
        tx.commit().await?;
        Ok(new.document)
    }

    /// A document that keeps all rules, before it is stored.
    async fn new_document(&self, actor: Actor, collection: Collection, data: Value) -> Result<New> {
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
        let is_owned = collection == Collection::Projects || project.is_none();
        Ok(New {
            document,
            secret,
            owner: is_owned.then_some(user),
        })
    }

    /// Stores a new document, and counts its bytes for the account that makes it.
    async fn add(&self, tx: &mut Tx, actor: Actor, new: &New) -> Result<()> {
        let New {
            document,
            secret,
            owner,
        } = new;
        if !store::hold_organization(tx, document).await? {
            return Err(Error::Invalid(vec![unknown_organization()]));
        }
        // Somebody may have taken the roles there while this waited.
        if let Some(project) = document.project_id.filter(|id| *id != document.id) {
            access::document_in(tx, actor, project, Need::EDIT).await?;
        }
        let named_organization = document.organization.map(|(id, _)| id);
        let at = &mut Target::Tx(tx);
        let refused = moves::refuse_move(at, actor, named_organization, None).await?;
        Error::unless_valid(refused)?;
        named(store::add(tx, document, *owner, secret).await)?;
        let (user, bytes) = (document.metadata.created_by, quota::weight(&document.data));
        self.quota.hold(tx, user, bytes).await?;
        self.record(tx, actor, Action::Made, document).await
    }

    /// Reads a document.
    pub async fn read(&self, actor: Actor, collection: Collection, id: Uuid) -> Result<Document> {
        access::document(&self.db, actor, collection, id, Need::READ).await?;
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
        access::document(&self.db, actor, collection, id, Need::EDIT).await?;
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
        access::document(&self.db, actor, collection, id, Need::EDIT).await?;
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
            follows: !own && project.is_some() && project != before.project_id,
            moves: organization.map(|(id, _)| id) != before.organization.map(|(id, _)| id),
        };
        let mut after = Document {
            data,
            ..before.clone()
        };
        after.project_id = if own { Some(after.id) } else { project };
        after.organization = organization;
        after.metadata.updated_at = self.clock.now();
        after.metadata.version += 1;
        after.metadata.tokens_signed = secret.is_there_after(after.metadata.tokens_signed);
        let mut tx = self.db.begin().await?;
        let Some(held) = store::held(&mut tx, after.id).await? else {
            return Err(Error::edited_meanwhile());
        };
        // Under the lock of the document: somebody may have taken the role while this waited.
        let need = if approval::differs(&before.data, &after.data) {
            Need::GOVERN
        } else {
            Need::EDIT
        };
        access::document_in(&mut tx, actor, after.id, need).await?;
        if !own && project != before.project_id {
            let at = &mut Target::Tx(&mut tx);
            let refused = moves::refuse_follow(at, actor, project, Some(&before)).await?;
            Error::unless_valid(refused)?;
        }
        if change.moves {
            if !store::hold_organization(&mut tx, &after).await? {
                return Err(Error::Invalid(vec![unknown_organization()]));
            }
            let named = organization.map(|(id, _)| id);
            let at = &mut Target::Tx(&mut tx);
            let refused = moves::refuse_move(at, actor, named, Some(&before)).await?;
            Error::unless_valid(refused)?;
        }
        let held_by = self.weigh(&mut tx, actor, held, &after).await?;
        if named(store::replace(&mut tx, &self.mail, &after, (&secret, held_by), change).await)? {
            let kept = secret == Secret::Keep;
            self.record_change(&mut tx, actor, &after, &before, kept)
                .await?;
            if own && change.moves {
                let moved = ProjectMoved(after.id);
                self.jobs.enqueue(&mut tx, self.ids.next(), &moved).await?;
            }
            tx.commit().await?;
            self.jobs.wake();
            if !kept {
                self.events.tell(Event::ProjectChanged(after.id));
            }
            Ok(after)
        } else {
            Err(Error::edited_meanwhile())
        }
    }

    /// Counts the bytes of a changed document. An account that makes it grow holds it from then on: nobody fills the
    /// quota of somebody else.
    async fn weigh(
        &self,
        tx: &mut Tx,
        actor: Actor,
        (holder, before): (Uuid, i64),
        document: &Document,
    ) -> Result<Uuid> {
        let after = quota::weight(&document.data);
        let writer = actor.responsible().unwrap_or(holder);
        if after <= before || writer == holder {
            self.quota.hold(tx, holder, after - before).await?;
            return Ok(holder);
        }
        // In one order, so that two people who take over from each other never wait for each other.
        let mut changes = [(holder, -before), (writer, after)];
        changes.sort_unstable();
        for (account, bytes) in changes {
            self.quota.hold(tx, account, bytes).await?;
        }
        Ok(writer)
    }

    /// Members of a document.
    pub async fn members(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
    ) -> Result<Vec<Member>> {
        access::document(&self.db, actor, collection, id, Need::READ).await?;
        Ok(members::list(&self.db, Group::Document(id)).await?)
    }

    /// Adds a member to a document, or changes its role; for owners. A server that sends letters tells a new member whom
    /// somebody else adds.
    pub async fn add_member(
        &self,
        actor: Actor,
        collection: Collection,
        id: Uuid,
        input: MemberIn,
    ) -> Result<Member> {
        access::document(&self.db, actor, collection, id, Need::GOVERN).await?;
        let document = self.expect(collection, id, None).await?;
        let title = documents::title(&document.data).unwrap_or_else(|| id.to_string());
        let (of, now) = ((Group::Document(id), &*title), self.clock.now());
        let mut tx = self.db.begin().await?;
        let member = members::set(&mut tx, &self.mail, of, actor, input, now).await?;
        let subject = Subject::new(member.user_id).with(member.role.as_str());
        self.audit
            .record(&mut tx, actor, group(&document), Action::MemberSet, subject)
            .await?;
        tx.commit().await?;
        self.mail.wake();
        Ok(member)
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
            Need::LEAVE
        } else {
            Need::GOVERN
        };
        access::document(&self.db, actor, collection, id, need).await?;
        let document = self.expect(collection, id, None).await?;
        let mut tx = self.db.begin().await?;
        let (group, subject) = (group(&document), Subject::new(user));
        self.audit
            .record(&mut tx, actor, group, Action::MemberRemoved, subject)
            .await?;
        members::remove(&mut tx, Group::Document(id), actor, user).await?;
        Ok(tx.commit().await?)
    }

    /// Records what was done to a document.
    async fn record(
        &self,
        tx: &mut Tx,
        actor: Actor,
        action: Action,
        document: &Document,
    ) -> Result<()> {
        let subject = Subject::document(document.id, document.collection, &document.data);
        let group = group(document);
        Ok(self.audit.record(tx, actor, group, action, subject).await?)
    }

    /// Records a change with its fields, in the logs of both projects if the document leaves one. The secret of
    /// tokens stands beside the fields.
    async fn record_change(
        &self,
        tx: &mut Tx,
        actor: Actor,
        after: &Document,
        before: &Document,
        keeps_secret: bool,
    ) -> Result<()> {
        let subject = Subject::document(after.id, after.collection, &after.data);
        let mut subject = subject.changed(&before.data, &after.data);
        if !keeps_secret {
            subject = subject.with(secret::FIELD);
        }
        for group in BTreeSet::from([before, after].map(group)) {
            self.audit
                .record(tx, actor, group, Action::Changed, subject.clone())
                .await?;
        }
        Ok(())
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
        errors.retain(|error| !is_stored(error, data, before));
        // The fields of a document that is refused as a whole are not worth a question.
        if errors.iter().any(|error| error.pointer.is_empty()) {
            return Err(Error::Invalid(errors));
        }
        let project = self
            .check_project(actor, collection, data, before, &mut errors)
            .await?;
        if let Some(before) = before {
            self.check_rules(actor, data, before).await?;
        }
        if let Some(before) = before.filter(|_| collection == Collection::Projects) {
            self.check_approval(actor, data, before, &mut errors)
                .await?;
        }
        let organization = match collection {
            Collection::Projects | Collection::Vendors => {
                self.check_organization(actor, data, before, &mut errors)
                    .await?
            }
            _ => None,
        };
        if collection == Collection::Vendors && project.is_some() && organization.is_some() {
            errors.push(FieldError::new(
                "/organizationId",
                ErrorCode::NotAllowed,
                "A vendor of a project follows the project: `projectId` or `organizationId`.",
            ));
        }
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
        // The files of a project are its own.
        let holder = match collection {
            Collection::Projects => before.map(|before| before.id),
            _ => project,
        };
        self.check_files(collection, data, holder, before, &mut errors)
            .await?;
        Error::unless_valid(errors)?;
        Ok((project, organization))
    }
}

/// True of a text that is longer, or has more tags, than is allowed since it was stored: its document stays editable.
fn is_stored(error: &FieldError, data: &Value, before: Option<&Document>) -> bool {
    let stored = before.and_then(|before| before.data.pointer(&error.pointer));
    matches!(error.code, ErrorCode::TooLong | ErrorCode::TooManyTags)
        && stored.is_some_and(|stored| {
            stored.is_string() && data.pointer(&error.pointer) == Some(stored)
        })
}

/// The project whose log tells of a document; else its organization; else, where nobody reads it, itself.
fn group(document: &Document) -> Uuid {
    let organization = document.organization.map(|(id, _)| id);
    document.project_id.or(organization).unwrap_or(document.id)
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
