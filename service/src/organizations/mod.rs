//! Organizations: people who share projects.
//!
//! A member's role counts on every project and custom vendor of the organization (`organizationId`).
//! [`crate::access`] decides how.

mod store;

use std::sync::Arc;

use domain::{audit::Action, error_code::ErrorCode, role::Role};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    access::{self, Actor, Need, Scope},
    answers::Answers,
    audit::{Audit, Subject},
    auth::checks,
    billing::Billing,
    clock::{SharedClock, Timestamp},
    context::Context,
    db::{
        Db, Tx,
        page::{Listed, Page},
    },
    error::{Error, Result},
    ids::Ids,
    mail::Mail,
    members::{self, Group, Member, MemberIn},
    search,
};

/// An organization to make, or changes of one.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationIn {
    /// Name for people.
    #[schema(example = "Shop Ltd")]
    pub name: String,
    /// True if members without a second factor have no role. Unchanged when absent, false in a new organization.
    #[serde(default)]
    pub requires_second_factor: Option<bool>,
}

/// An organization as one of its members sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    /// Id.
    pub id: Uuid,
    /// Name for people.
    #[schema(example = "Example Ltd")]
    pub name: String,
    /// The caller's role.
    pub role: Role,
    /// True if members without a second factor have no role.
    pub requires_second_factor: bool,
    /// True if the caller has none, so that the caller's role does not count.
    pub awaits_second_factor: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// Time of the last change of its name or its requirement.
    pub updated_at: Timestamp,
}

/// The sub-service `organizations`.
pub struct Organizations {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    answers: Answers,
    audit: Arc<Audit>,
    billing: Arc<Billing>,
    mail: Arc<Mail>,
}

impl Organizations {
    pub(crate) fn new(context: &Context, billing: Arc<Billing>, mail: Arc<Mail>) -> Self {
        let Context {
            db,
            clock,
            ids,
            answers,
            audit,
            ..
        } = context.clone();
        Self {
            db,
            clock,
            ids,
            answers,
            audit,
            billing,
            mail,
        }
    }

    /// Makes an organization with the caller as its owner.
    pub async fn create(&self, actor: Actor, input: OrganizationIn) -> Result<Organization> {
        let user = actor.user()?;
        let now = self.clock.now();
        let organization = Organization {
            id: self.ids.next(),
            name: checked(&input)?,
            role: Role::Owner,
            requires_second_factor: input.requires_second_factor == Some(true),
            awaits_second_factor: false,
            created_at: now,
            updated_at: now,
        };
        let mut tx = self.db.begin().await?;
        store::add(&mut tx, &organization, user).await?;
        self.commit_with_role(tx, organization.id, user).await?;
        Ok(organization)
    }

    /// The caller's organizations by name, with the words of a search in it.
    pub async fn list(&self, actor: Actor, text: &str, page: Page) -> Result<Listed<Organization>> {
        search::check(text, 0)?;
        let holder = actor.holder(Scope::Read)?;
        if holder.limited_by.is_some() {
            return Ok(Listed {
                items: Vec::new(),
                total: 0,
                page,
            });
        }
        let _turn = self.answers.turn(actor).await?;
        Ok(store::list(&self.db, holder.user, text, page).await?)
    }

    /// Reads an organization.
    pub async fn read(&self, actor: Actor, id: Uuid) -> Result<Organization> {
        let role = access::organization(&self.db, actor, id, Need::READ).await?;
        store::lookup(&self.db, id, role)
            .await?
            .ok_or(Error::NotFound)
    }

    /// Renames an organization, or changes what it requires; for its owners.
    pub async fn update(
        &self,
        actor: Actor,
        id: Uuid,
        input: OrganizationIn,
    ) -> Result<Organization> {
        access::organization(&self.db, actor, id, Need::GOVERN).await?;
        let (user, name) = (actor.user()?, checked(&input)?);
        let before = self.read(actor, id).await?;
        let mut tx = self.db.begin().await?;
        members::must_own(&mut tx, Group::Organization(id), actor).await?;
        let requires = input.requires_second_factor;
        store::change(&mut tx, id, &name, requires, self.clock.now()).await?;
        let mut subject = Subject::new(id).titled(&name);
        if before.name != name {
            subject = subject.with("name");
        }
        if requires.is_some_and(|requires| requires != before.requires_second_factor) {
            subject = subject.with("requiresSecondFactor");
        }
        self.audit
            .record(&mut tx, actor, id, Action::OrganizationChanged, subject)
            .await?;
        self.commit_with_role(tx, id, user).await?;
        self.read(actor, id).await
    }

    /// Commits a change of what an organization requires, unless it would take the caller's own role.
    async fn commit_with_role(&self, mut tx: Tx, id: Uuid, user: Uuid) -> Result<()> {
        if !access::has_role_in(&mut tx, id, user).await? {
            return Err(Error::field(
                "/requiresSecondFactor",
                ErrorCode::SecondFactorMissing,
                "Turn on your own second factor first, or you would lose your role.",
            ));
        }
        Ok(tx.commit().await?)
    }

    /// Deletes an organization that has no projects, no custom vendors and no running subscription.
    pub async fn delete(&self, actor: Actor, id: Uuid) -> Result<()> {
        access::organization(&self.db, actor, id, Need::GOVERN).await?;
        // Asked before the provider, whose answers are few.
        if store::is_used(&self.db, id).await? {
            return Err(in_use());
        }
        if self.billing.goes_on(actor, id).await? {
            return Err(Error::conflict(
                None,
                ErrorCode::OrganizationSubscribed,
                "It has a subscription, which would go on; cancel that first.",
            ));
        }
        let mut tx = self.db.begin().await?;
        members::must_own(&mut tx, Group::Organization(id), actor).await?;
        if !store::remove_unless_used(&mut tx, id).await? {
            return Err(in_use());
        }
        Ok(tx.commit().await?)
    }

    /// Members of an organization.
    pub async fn members(&self, actor: Actor, id: Uuid) -> Result<Vec<Member>> {
        access::organization(&self.db, actor, id, Need::READ).await?;
        Ok(members::list(&self.db, Group::Organization(id)).await?)
    }

    /// Adds a member or changes its role; for owners. A server that sends letters tells a new member whom somebody else
    /// adds.
    pub async fn add_member(&self, actor: Actor, id: Uuid, input: MemberIn) -> Result<Member> {
        access::organization(&self.db, actor, id, Need::GOVERN).await?;
        let organization = self.read(actor, id).await?;
        let (of, now) = (
            (Group::Organization(id), &*organization.name),
            self.clock.now(),
        );
        let mut tx = self.db.begin().await?;
        let member = members::set(&mut tx, &self.mail, of, actor, input, now).await?;
        let subject = Subject::new(member.user_id).with(member.role.as_str());
        self.audit
            .record(&mut tx, actor, id, Action::MemberSet, subject)
            .await?;
        tx.commit().await?;
        self.mail.wake();
        Ok(member)
    }

    /// Removes a member. Owners remove anyone, and every member may leave. The last owner cannot leave.
    pub async fn remove_member(&self, actor: Actor, id: Uuid, user: Uuid) -> Result<()> {
        if actor == Actor::User(user) {
            // Also without the second factor that the organization requires.
            let role = access::membership(&self.db, actor, id).await?;
            role.ok_or(Error::NotFound)?;
        } else {
            access::organization(&self.db, actor, id, Need::GOVERN).await?;
        }
        let mut tx = self.db.begin().await?;
        let subject = Subject::new(user);
        self.audit
            .record(&mut tx, actor, id, Action::MemberRemoved, subject)
            .await?;
        members::remove(&mut tx, Group::Organization(id), actor, user).await?;
        Ok(tx.commit().await?)
    }
}

/// Characters of a name.
const MOST_NAME: usize = 200;

fn checked(input: &OrganizationIn) -> Result<String> {
    match checks::name(&input.name, MOST_NAME) {
        Ok(name) => Ok(name.to_owned()),
        Err(error) => Err(Error::Invalid(vec![error])),
    }
}

fn in_use() -> Error {
    Error::conflict(
        None,
        ErrorCode::OrganizationInUse,
        "Projects or vendors belong to it; move or delete them first.",
    )
}
