//! Organizations: people who share projects.

use domain::role::Role;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;
use crate::fns::listing::Listing;

/// An organization as one of its members sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Organization {
    pub id: String,
    pub name: String,
    pub role: Role,
    /// True if the person decides about it and what joins it.
    pub governs: bool,
    pub requires_second_factor: bool,
    /// True if the person's role does not count until they turn a second factor on.
    pub awaits_second_factor: bool,
}

/// A page of the person's organizations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OrganizationPage {
    pub items: Vec<Organization>,
    pub total: u64,
    pub per_page: u32,
}

/// A page of the person's organizations, by name.
#[server(prefix = "/ui", endpoint = "organizations", input = Json)]
pub async fn organizations(listing: Listing) -> Result<OrganizationPage, UiError> {
    use super::server::{actor, placet, refuse};
    let asked = listing.asked(None);
    let found = placet()?
        .organizations
        .list(actor()?, &asked.text, asked.page)
        .await
        .map_err(refuse)?;
    Ok(OrganizationPage {
        items: found.items.into_iter().map(Organization::from).collect(),
        total: found.total,
        per_page: asked.page.size,
    })
}

/// The person's organizations, which projects can join; the first hundred.
#[server(prefix = "/ui", endpoint = "organizations/choices", input = Json)]
pub async fn organization_choices() -> Result<Vec<Organization>, UiError> {
    use super::server::{actor, placet, refuse};
    let page = service::db::page::Page::new(Some(1), Some(100));
    let found = placet()?
        .organizations
        .list(actor()?, "", page)
        .await
        .map_err(refuse)?;
    Ok(found.items.into_iter().map(Organization::from).collect())
}

/// Names of organizations that wait for the person's second factor; the first of them.
#[server(prefix = "/ui", endpoint = "organizations/waiting", input = Json)]
pub async fn organizations_waiting() -> Result<Vec<String>, UiError> {
    let found = organization_choices().await?;
    let waiting = found.into_iter().filter(|found| found.awaits_second_factor);
    Ok(waiting.map(|found| found.name).collect())
}

/// One organization.
#[server(prefix = "/ui", endpoint = "organizations/read", input = Json)]
pub async fn read_organization(organization: String) -> Result<Organization, UiError> {
    use super::server::{actor, id, placet, refuse};
    let read = placet()?
        .organizations
        .read(actor()?, id(&organization)?)
        .await;
    read.map(Organization::from).map_err(refuse)
}

/// Makes an organization, which the person owns.
#[server(prefix = "/ui", endpoint = "organizations/create", input = Json)]
pub async fn create_organization(name: String) -> Result<Organization, UiError> {
    use super::server::{actor, placet, refuse};
    let input = service::organizations::OrganizationIn {
        name,
        requires_second_factor: None,
    };
    let made = placet()?.organizations.create(actor()?, input).await;
    made.map(Organization::from).map_err(refuse)
}

/// Changes its name and what it requires.
#[server(prefix = "/ui", endpoint = "organizations/update", input = Json)]
pub async fn update_organization(
    organization: String,
    name: String,
    requires_second_factor: bool,
) -> Result<Organization, UiError> {
    use super::server::{actor, id, placet, refuse};
    let input = service::organizations::OrganizationIn {
        name,
        requires_second_factor: Some(requires_second_factor),
    };
    let changed = placet()?
        .organizations
        .update(actor()?, id(&organization)?, input)
        .await;
    changed.map(Organization::from).map_err(refuse)
}

/// Deletes one that nothing belongs to any longer.
#[server(prefix = "/ui", endpoint = "organizations/delete", input = Json)]
pub async fn delete_organization(organization: String) -> Result<(), UiError> {
    use super::server::{actor, id, placet, refuse};
    placet()?
        .organizations
        .delete(actor()?, id(&organization)?)
        .await
        .map_err(refuse)
}

#[cfg(feature = "ssr")]
impl From<service::organizations::Organization> for Organization {
    fn from(organization: service::organizations::Organization) -> Self {
        Self {
            id: organization.id.to_string(),
            name: organization.name,
            role: organization.role,
            governs: service::access::Need::GOVERN.is_met_by_role(organization.role),
            requires_second_factor: organization.requires_second_factor,
            awaits_second_factor: organization.awaits_second_factor,
        }
    }
}
