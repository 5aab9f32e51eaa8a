//! The audit log of a project or an organization: who changed, published, read, exported or erased something, and
//! when.
//!
//! An entry of a change is written in the transaction of the change, so the two are stored together or not at all.
//! An entry of a reading is stored before anything is read, if the database takes writes. An entry names people,
//! programs and things by their ids, and holds neither tokens nor other data of visitors.
//!
//! To record a further action: a variant of [`Action`], and [`Audit::record`] in the use case.

mod export;
mod store;

use std::{
    collections::{BTreeSet, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use domain::{audit::Action, collection::Collection, documents};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    access::{self, Actor, Key, Need},
    answers::Answers,
    clock::{SharedClock, Timestamp},
    db::{
        Db, DbError, Tx,
        page::{Asked, Listed},
    },
    error::Result,
    ids::Ids,
    search,
};

/// Days that an entry is kept. Between six months and a year is what the CNIL recommends for logs (deliberation
/// 2021-122).
pub const KEPT_DAYS: i64 = 365;
/// Most entries that are kept of a project or an organization.
const MOST_KEPT: i64 = 100_000;
/// Repetitions within this time are one entry.
const SLOT_SECONDS: i64 = 3_600;
/// Most readings of the current hour that are remembered, so that they are not stored again.
const MOST_REMEMBERED: usize = 10_000;
/// Most entries of a person in an hour. Those that follow are one entry for each action, so that nobody buries what
/// was done before.
const MOST_OF_ONE: i64 = 500;
/// The same for actions that decide about people and about where data goes: many of the others hide none of these.
const MOST_GRAVE_OF_ONE: i64 = 2 * MOST_OF_ONE;
/// Most details that an entry collects.
const MOST_DETAILS: usize = 40;
/// Most characters of a title.
const MOST_TITLE: usize = 200;
/// Most characters of a detail.
const MOST_DETAIL: usize = 100;
/// The detail that stands for fields that Placet does not know, and for details beyond the most.
const OTHERS: &str = "…";

/// Writes the log and reads it.
pub struct Audit {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    answers: Answers,
    /// Readings that are stored already.
    remembered: Mutex<HashSet<store::Slot>>,
}

/// The thing that an action was done to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Subject {
    id: Uuid,
    collection: Option<Collection>,
    title: String,
    details: BTreeSet<String>,
}

impl Subject {
    /// Something with an id.
    pub fn new(id: Uuid) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }

    /// A document of the vault.
    pub fn document(id: Uuid, collection: Collection, data: &Value) -> Self {
        let title = documents::title(data).unwrap_or_default();
        Self {
            collection: Some(collection),
            ..Self::new(id).titled(&title)
        }
    }

    /// With a name for people.
    pub fn titled(mut self, title: &str) -> Self {
        self.title = title.chars().take(MOST_TITLE).collect();
        self
    }

    /// With a detail.
    pub fn with(mut self, detail: &str) -> Self {
        self.details
            .insert(detail.chars().take(MOST_DETAIL).collect());
        self
    }

    /// With the names of the fields that differ. Members choose the names of unknown fields, which may be long and
    /// many, so these are one detail.
    pub fn changed(mut self, before: &Value, after: &Value) -> Self {
        let known = self
            .collection
            .map_or(&[][..], |collection| documents::of(collection).fields);
        let names = |of: &Value| -> Vec<String> {
            let fields = of.as_object();
            fields.map_or_else(Vec::new, |fields| fields.keys().cloned().collect())
        };
        for name in names(before).into_iter().chain(names(after)) {
            if before.get(&name) != after.get(&name) {
                let is_known = known.iter().any(|field| field.key == name);
                self = self.with(if is_known { &name } else { OTHERS });
            }
        }
        self
    }
}

/// The author of an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct By {
    /// The account. Absent if Placet did it by itself, or the operator by the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<Uuid>,
    /// Its e-mail address. Absent once the account is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ada@shop.example")]
    pub email: Option<String>,
    /// The API key that the account used. Absent from an entry that stands for many.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_id: Option<Uuid>,
    /// Its name. Absent once the key is revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Nightly export")]
    pub key_name: Option<String>,
}

/// One thing that somebody did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its id.
    pub id: Uuid,
    /// When. Of an action that is repeated within an hour of the clock, the first time.
    pub at: Timestamp,
    /// Its author.
    pub by: By,
    /// The action.
    pub action: Action,
    /// The collection, if it was done to a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collection: Option<Collection>,
    /// The id of the document, publish, member, invitation, webhook or file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_id: Option<Uuid>,
    /// Its name at that time.
    #[schema(example = "Banner")]
    pub title: String,
    /// More about it, as the action tells.
    #[schema(example = json!(["colors", "title"]))]
    pub details: Vec<String>,
}

impl Audit {
    pub(crate) fn new(db: Db, clock: SharedClock, ids: Arc<Ids>, answers: Answers) -> Self {
        Self {
            db,
            clock,
            ids,
            answers,
            remembered: Mutex::default(),
        }
    }

    /// Records an action in the transaction of its change. `group` is the project or the organization.
    pub(crate) async fn record(
        &self,
        tx: &mut Tx,
        actor: Actor,
        group: Uuid,
        action: Action,
        subject: Subject,
    ) -> std::result::Result<(), DbError> {
        let (id, at) = (self.ids.next(), self.clock.now());
        let mut slot = slot(at, actor, group, action, subject.id);
        let most = if is_grave(action) {
            MOST_GRAVE_OF_ONE
        } else {
            MOST_OF_ONE
        };
        if store::of_this_hour(tx, &slot, most).await? >= most {
            // The keys of a person are one author here: many of them would make many entries.
            (slot.subject, slot.key) = (Uuid::nil(), Uuid::nil());
            return store::add(tx, id, at, &slot, Subject::default().with(OTHERS)).await;
        }
        if always_counts(action) {
            // The second half of an id is no number of hours: its first bit is set (RFC 9562, section 4.1).
            slot.number = id.as_u64_pair().1.cast_signed();
        }
        store::add(tx, id, at, &slot, subject).await
    }

    /// Refuses callers who may not read the consents of the project. Records that the others read them; while the
    /// database takes no writes, the server's log tells it instead.
    pub(crate) async fn reading(&self, actor: Actor, project: Uuid) -> Result<()> {
        access::project(&self.db, actor, project, Need::READ_CONSENTS).await?;
        if actor == Actor::System {
            return Ok(());
        }
        let action = Action::ConsentsRead;
        let slot = slot(self.clock.now(), actor, project, action, Uuid::nil());
        if self.is_remembered(&slot) {
            return Ok(());
        }
        match self.record_reading(actor, project).await {
            Ok(()) => self.remember(slot),
            // A full disk must not keep proofs from those who need them.
            Err(error) => tracing::warn!(
                %error, user.id = ?actor.responsible(), project.id = %project,
                "a reading of consents is not in the audit log"
            ),
        }
        Ok(())
    }

    async fn record_reading(
        &self,
        actor: Actor,
        project: Uuid,
    ) -> std::result::Result<(), DbError> {
        let mut tx = self.db.begin().await?;
        let action = Action::ConsentsRead;
        self.record(&mut tx, actor, project, action, Subject::default())
            .await?;
        tx.commit().await
    }

    /// Records an export, before anything of it is sent.
    pub(crate) async fn exporting(
        &self,
        actor: Actor,
        project: Uuid,
        details: String,
    ) -> Result<()> {
        access::project(&self.db, actor, project, Need::READ_CONSENTS).await?;
        let subject = Subject::default().with(&details);
        let mut tx = self.db.begin().await?;
        self.record(&mut tx, actor, project, Action::ConsentsExported, subject)
            .await?;
        Ok(tx.commit().await?)
    }

    /// Entries of a project, and those of its organization for those who have the role there, too. Words of a search are
    /// found in the names of the author, of the key and of the thing, and in the details.
    pub async fn list(
        &self,
        actor: Actor,
        project: Uuid,
        action: Option<Action>,
        asked: &Asked,
    ) -> Result<Listed<Entry>> {
        search::check(&asked.text, 0)?;
        let groups = self.groups(actor, project).await?;
        let _turn = self.answers.turn(actor).await?;
        Ok(store::list(&self.db, groups, action, asked).await?)
    }

    /// The groups whose entries the caller reads in a project.
    async fn groups(&self, actor: Actor, project: Uuid) -> Result<[Uuid; 2]> {
        access::project(&self.db, actor, project, Need::READ_AUDIT).await?;
        let mut organization = store::organization_of(&self.db, project).await?;
        if let Some(of) = organization {
            // An agency of one project has no business with the people of its organization.
            let role = access::organization_role(&self.db, actor, of).await?;
            organization = organization
                .filter(|_| role.is_some_and(|role| Need::READ_AUDIT.is_met_by_role(role)));
        }
        Ok([project, organization.unwrap_or(project)])
    }

    /// Removes entries that are over their time or their number.
    pub(crate) async fn forget_old(&self) -> Result<()> {
        let before = self.clock.now().plus_days(-KEPT_DAYS);
        Ok(store::forget(&self.db, before, MOST_KEPT).await?)
    }

    fn is_remembered(&self, slot: &store::Slot) -> bool {
        let remembered = self.remembered.lock();
        let remembered = remembered.unwrap_or_else(PoisonError::into_inner);
        remembered.contains(slot)
    }

    fn remember(&self, slot: store::Slot) {
        let remembered = self.remembered.lock();
        let mut remembered = remembered.unwrap_or_else(PoisonError::into_inner);
        if remembered.len() >= MOST_REMEMBERED {
            // The database knows them, too: they are only stored again in vain.
            remembered.clear();
        }
        remembered.insert(slot);
    }
}

fn slot(at: Timestamp, actor: Actor, group: Uuid, action: Action, subject: Uuid) -> store::Slot {
    let (user, key) = match actor {
        Actor::User(user) => (user, Uuid::nil()),
        Actor::Key(Key { id, user, .. }) => (user, id),
        Actor::System => (Uuid::nil(), Uuid::nil()),
    };
    store::Slot {
        group,
        number: at.millis() / 1_000 / SLOT_SECONDS,
        user,
        key,
        action,
        subject,
    }
}

/// True for actions of which each one is an entry.
fn always_counts(action: Action) -> bool {
    matches!(
        action,
        Action::MemberSet
            | Action::MemberRemoved
            | Action::Deleted
            | Action::Restored
            | Action::ConsentsExported
    )
}

/// True for actions that decide who has access, where consents go, what is live, and what is left of consents.
fn is_grave(action: Action) -> bool {
    !matches!(
        action,
        Action::Made
            | Action::Changed
            | Action::Deleted
            | Action::Restored
            | Action::PicturesAsked
            | Action::PicturesAdded
            | Action::ConsentsRead
            | Action::ConsentsExported
            | Action::VisitorsErased
            | Action::FileUploaded
            | Action::FileDeleted
    )
}
