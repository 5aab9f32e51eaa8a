//! Organizations: people who share projects.
//!
//! A member's role counts on every project and custom vendor of the organization (`organizationId`).
//! [`crate::access`] decides how.

mod store;

use std::sync::Arc;

use domain::error_code::ErrorCode;
use domain::{field_error::FieldError, format::is_name, role::Role};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    access::{self, Actor, Need, Scope},
    billing::Billing,
    clock::{SharedClock, Timestamp},
    context::Context,
    db::{
        Db,
        page::{Listed, Page},
    },
    error::{Error, Result},
    ids::Ids,
    members::{self, Group, Member, MemberIn},
};

/// An organization to make, or the new name of one.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OrganizationIn {
    /// Name for people.
    #[schema(example = "Shop Ltd")]
    pub name: String,
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
    /// When it was made.
    pub created_at: Timestamp,
    /// Time of the last change of its name.
    pub updated_at: Timestamp,
}

/// The sub-service `organizations`.
pub struct Organizations {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    billing: Arc<Billing>,
}

impl Organizations {
    pub(crate) fn new(context: &Context, billing: Arc<Billing>) -> Self {
        let Context { db, clock, ids, .. } = context.clone();
        Self {
            db,
            clock,
            ids,
            billing,
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
            created_at: now,
            updated_at: now,
        };
        store::add(&self.db, &organization, user).await?;
        Ok(organization)
    }

    /// The caller's organizations, by name.
    pub async fn list(&self, actor: Actor, page: Page) -> Result<Listed<Organization>> {
        let holder = actor.holder(Scope::Read)?;
        if holder.limited_by.is_some() {
            return Ok(Listed {
                items: Vec::new(),
                total: 0,
                page,
            });
        }
        Ok(store::list(&self.db, holder.user, page).await?)
    }

    /// Reads an organization.
    pub async fn read(&self, actor: Actor, id: Uuid) -> Result<Organization> {
        let role = access::organization(&self.db, actor, id, Role::Viewer).await?;
        store::lookup(&self.db, id, role)
            .await?
            .ok_or(Error::NotFound)
    }

    /// Renames an organization; for its owners.
    pub async fn update(
        &self,
        actor: Actor,
        id: Uuid,
        input: OrganizationIn,
    ) -> Result<Organization> {
        access::organization(&self.db, actor, id, Need::person(Role::Owner)).await?;
        let name = checked(&input)?;
        store::rename(&self.db, id, &name, self.clock.now()).await?;
        self.read(actor, id).await
    }

    /// Deletes an organization that has no projects, no custom vendors and no running subscription.
    pub async fn delete(&self, actor: Actor, id: Uuid) -> Result<()> {
        access::organization(&self.db, actor, id, Need::person(Role::Owner)).await?;
        if self.billing.goes_on(id).await? {
            return Err(Error::conflict(
                None,
                ErrorCode::OrganizationSubscribed,
                "It has a subscription, which would go on; cancel that first.",
            ));
        }
        if store::remove_unless_used(&self.db, id).await? {
            Ok(())
        } else {
            Err(Error::conflict(
                None,
                ErrorCode::OrganizationInUse,
                "Projects or vendors belong to it; move or delete them first.",
            ))
        }
    }

    /// Members of an organization.
    pub async fn members(&self, actor: Actor, id: Uuid) -> Result<Vec<Member>> {
        access::organization(&self.db, actor, id, Role::Viewer).await?;
        Ok(members::list(&self.db, Group::Organization(id)).await?)
    }

    /// Adds a member or changes its role; for owners.
    pub async fn add_member(&self, actor: Actor, id: Uuid, input: MemberIn) -> Result<Member> {
        access::organization(&self.db, actor, id, Need::person(Role::Owner)).await?;
        members::set(&self.db, Group::Organization(id), input, self.clock.now()).await
    }

    /// Removes a member. Owners remove anyone, and every member may leave. The last owner cannot leave.
    pub async fn remove_member(&self, actor: Actor, id: Uuid, user: Uuid) -> Result<()> {
        let need = if actor == Actor::User(user) {
            Role::Viewer
        } else {
            Role::Owner
        };
        access::organization(&self.db, actor, id, Need::person(need)).await?;
        members::remove(&self.db, Group::Organization(id), user).await
    }
}

fn checked(input: &OrganizationIn) -> Result<String> {
    let name = input.name.trim();
    if name.is_empty() || name.chars().count() > 200 || !is_name(name) {
        return Err(Error::Invalid(vec![FieldError::new(
            "/name",
            ErrorCode::InvalidValue,
            "1 to 200 characters, none of them hidden.",
        )]));
    }
    Ok(name.to_owned())
}
