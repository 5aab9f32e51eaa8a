//! Members, roles and invitations of a project or an organization.

use domain::role::Role;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;
use crate::fns::listing::Listing;

/// A project or an organization with members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "id", rename_all = "lowercase")]
pub enum Circle {
    Project(String),
    Organization(String),
}

/// A member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    pub id: String,
    pub name: String,
    /// Absent for others while the person was added by the ID and has accepted no invitation.
    pub email: Option<String>,
    pub role: Role,
    pub since: i64,
    /// The person who looks.
    pub me: bool,
}

/// An invitation that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invited {
    pub id: String,
    pub email: String,
    pub role: Role,
    pub sent_at: i64,
    pub expires_at: i64,
}

/// Everybody, or those who fit a search, and what the person who looks may do about them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct People {
    pub circle: Circle,
    pub members: Vec<Member>,
    /// Members without the search.
    pub all: u64,
    /// True if the person decides about members.
    pub governs: bool,
    /// True if the person may read the audit log of the project.
    pub reads_audit: bool,
    /// True if this server sends e-mail.
    pub mail: bool,
    /// The organization that a project joined: its members take part too.
    pub organization: Option<(String, String)>,
}

/// A page of invitations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvitedPage {
    pub items: Vec<Invited>,
    pub total: u64,
    pub per_page: u32,
}

/// Orders of members besides the usual one, which is by role.
pub const BY_NAME: &str = "name";

/// Everybody who takes part. A search finds words of names and addresses.
#[server(prefix = "/ui", endpoint = "people", input = Json)]
pub async fn read_people(circle: Circle, listing: Listing) -> Result<People, UiError> {
    server::people(&circle, &listing).await
}

/// Invitations that wait for an answer; for owners.
#[server(prefix = "/ui", endpoint = "people/invitations", input = Json)]
pub async fn read_invitations(circle: Circle, listing: Listing) -> Result<InvitedPage, UiError> {
    server::invitations(&circle, listing).await
}

/// Mails an invitation.
#[server(prefix = "/ui", endpoint = "auth/invitations", input = Json)]
pub async fn invite(circle: Circle, email: String, role: Role) -> Result<(), UiError> {
    server::invite(&circle, email, role).await
}

/// Takes an invitation back.
#[server(prefix = "/ui", endpoint = "people/invitations/revoke", input = Json)]
pub async fn revoke_invitation(invitation: String) -> Result<(), UiError> {
    use super::server::{actor, id, placet, refuse};
    placet()?
        .auth
        .revoke_invitation(actor()?, id(&invitation)?)
        .await
        .map_err(refuse)
}

/// Adds a member by the account's id, or changes its role.
#[server(prefix = "/ui", endpoint = "people/set", input = Json)]
pub async fn set_member(circle: Circle, account: String, role: Role) -> Result<(), UiError> {
    server::set(&circle, &account, role).await
}

/// Removes a member; everybody may leave.
#[server(prefix = "/ui", endpoint = "people/remove", input = Json)]
pub async fn remove_member(circle: Circle, account: String) -> Result<(), UiError> {
    server::remove(&circle, &account).await
}

#[cfg(feature = "ssr")]
mod server {
    use std::cmp::Reverse;
    use std::collections::HashMap;

    use domain::collection::Collection;
    use domain::error_code::ErrorCode;
    use domain::role::Role;
    use service::Error;
    use service::access::{self, Need};
    use service::auth::{InvitationIn, InvitationsOf};
    use service::members::MemberIn;
    use uuid::Uuid;

    use super::super::server::{actor, id, placet, refuse, visitor};
    use super::{BY_NAME, Circle, Invited, InvitedPage, Listing, Member, People};
    use crate::error::UiError;

    pub async fn people(circle: &Circle, listing: &Listing) -> Result<People, UiError> {
        let (placet, actor) = (placet()?, actor()?);
        let (found, role, organization) = match circle {
            Circle::Project(project) => {
                let project = id(project)?;
                let role = access::project(&placet.db, actor, project, Need::READ)
                    .await
                    .map_err(refuse)?;
                let members = placet
                    .vault
                    .members(actor, Collection::Projects, project)
                    .await
                    .map_err(refuse)?;
                let document = placet
                    .vault
                    .read(actor, Collection::Projects, project)
                    .await
                    .map_err(refuse)?;
                let organization = match document.organization {
                    // Members of a project need not be members of its organization.
                    Some((id, _)) => match placet.organizations.read(actor, id).await {
                        Ok(organization) => Some((id.to_string(), organization.name)),
                        Err(Error::NotFound) => None,
                        Err(error) => return Err(refuse(error)),
                    },
                    None => None,
                };
                (members, role, organization)
            }
            Circle::Organization(organization) => {
                let organization = id(organization)?;
                let read = placet.organizations.read(actor, organization).await;
                let role = read.map_err(refuse)?.role;
                let members = placet
                    .organizations
                    .members(actor, organization)
                    .await
                    .map_err(refuse)?;
                (members, role, None)
            }
        };
        let me = actor.user().map_err(refuse)?;
        let ids: Vec<Uuid> = found.iter().map(|member| member.user_id).collect();
        let users = placet.auth.by_ids(&ids).await.map_err(refuse)?;
        let mut users: HashMap<Uuid, _> = users.into_iter().map(|user| (user.id, user)).collect();
        let mut members: Vec<Member> = found
            .into_iter()
            .filter_map(|member| {
                let user = users.remove(&member.user_id)?;
                let me = user.id == me;
                Some(Member {
                    id: user.id.to_string(),
                    name: user.display_name,
                    email: Some(user.email).filter(|_| me || !member.is_added),
                    role: member.role,
                    since: member.created_at.millis(),
                    me,
                })
            })
            .collect();
        let all = members.len() as u64;
        members.retain(|member| {
            let email = member.email.as_deref().unwrap_or_default();
            service::search::fits(&listing.text, [member.name.as_str(), email])
        });
        members.sort_by_cached_key(|member| service::search::fold(&member.name));
        match listing.sort.as_str() {
            BY_NAME => {}
            Listing::OLDEST => members.sort_by_key(|member| member.since),
            _ => members.sort_by_key(|member| Reverse(member.role)),
        }
        Ok(People {
            circle: circle.clone(),
            members,
            all,
            governs: Need::GOVERN.is_met_by_role(role),
            reads_audit: Need::READ_AUDIT.is_met_by_role(role),
            mail: placet.mail.is_on(),
            organization,
        })
    }

    pub async fn invitations(circle: &Circle, listing: Listing) -> Result<InvitedPage, UiError> {
        let of = match circle {
            Circle::Project(project) => InvitationsOf::Project(id(project)?),
            Circle::Organization(organization) => InvitationsOf::Organization(id(organization)?),
        };
        let asked = listing.asked(None);
        let found = placet()?
            .auth
            .invitations(actor()?, of, &asked)
            .await
            .map_err(refuse)?;
        let items = found.items.into_iter().map(|invitation| Invited {
            id: invitation.id.to_string(),
            email: invitation.email,
            role: invitation.role,
            sent_at: invitation.created_at.millis(),
            expires_at: invitation.expires_at.millis(),
        });
        Ok(InvitedPage {
            items: items.collect(),
            total: found.total,
            per_page: asked.page.size,
        })
    }

    pub async fn invite(circle: &Circle, email: String, role: Role) -> Result<(), UiError> {
        let (organization_id, project_id) = match circle {
            Circle::Project(project) => (None, Some(id(project)?)),
            Circle::Organization(organization) => (Some(id(organization)?), None),
        };
        let input = InvitationIn {
            email,
            organization_id,
            project_id,
            role: Some(role),
        };
        let invited = placet()?.auth.invite(&visitor()?, input).await;
        invited.map(drop).map_err(refuse)
    }

    pub async fn set(circle: &Circle, account: &str, role: Role) -> Result<(), UiError> {
        let Ok(user_id) = Uuid::parse_str(account.trim()) else {
            let (code, detail) = (ErrorCode::UnknownUser, "There is no such user.");
            return Err(refuse(Error::field("/userId", code, detail)));
        };
        let input = MemberIn {
            user_id,
            role: Some(role),
        };
        let (placet, actor) = (placet()?, actor()?);
        let set = match circle {
            Circle::Project(project) => {
                let project = id(project)?;
                placet
                    .vault
                    .add_member(actor, Collection::Projects, project, input)
                    .await
            }
            Circle::Organization(organization) => {
                let organization = id(organization)?;
                placet
                    .organizations
                    .add_member(actor, organization, input)
                    .await
            }
        };
        set.map(drop).map_err(refuse)
    }

    pub async fn remove(circle: &Circle, account: &str) -> Result<(), UiError> {
        let (placet, actor, account) = (placet()?, actor()?, id(account)?);
        match circle {
            Circle::Project(project) => {
                let project = id(project)?;
                placet
                    .vault
                    .remove_member(actor, Collection::Projects, project, account)
                    .await
            }
            Circle::Organization(organization) => {
                let organization = id(organization)?;
                placet
                    .organizations
                    .remove_member(actor, organization, account)
                    .await
            }
        }
        .map_err(refuse)
    }
}
