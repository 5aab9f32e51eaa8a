//! Invitations by mail to an organization or a project.
//!
//! The mailed link proves access to the invited mailbox, and the account must have that address. Accepting
//! checks again that the sender may grant the role.

pub(super) mod store;

use domain::{audit::Action, error_code::ErrorCode, field_error::FieldError, role::Role};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    Auth, Authenticated, is_email, key,
    secrets::{self, INVITE, VERIFY, store as secret_store},
};
use crate::{
    access::{self, Actor, Need},
    audit::Subject,
    clock::Timestamp,
    db::{
        Tx,
        page::{Asked, Listed},
    },
    error::{Error, Result},
    mail::{Letter, Purpose},
    members::{self, Group, Member},
    search,
};

/// Days until an invitation expires.
pub(super) const DAYS: i64 = 7;
/// Invitations that a user may send in a day, in all and to one address. Revoked invitations count too,
/// because their letters were sent.
const MOST_A_DAY: i64 = 100;
const MOST_TO_ONE: i64 = 3;

/// An invitation to send: to an organization or to a project.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct InvitationIn {
    /// Address that the link is sent to.
    #[schema(example = "grace@shop.example")]
    pub email: String,
    /// The organization; or `projectId`.
    #[serde(default)]
    pub organization_id: Option<Uuid>,
    /// The project; or `organizationId`.
    #[serde(default)]
    pub project_id: Option<Uuid>,
    /// The role; `editor` when absent.
    #[serde(default)]
    pub role: Option<Role>,
}

/// An invitation as its sender and the owners see it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    /// Id.
    pub id: Uuid,
    /// Address that the link was sent to.
    #[schema(example = "ada@shop.example")]
    pub email: String,
    /// The organization, if it is to one.
    pub organization_id: Option<Uuid>,
    /// The project, if it is to one.
    pub project_id: Option<Uuid>,
    /// The role.
    pub role: Role,
    /// Account that sent it.
    pub invited_by: Uuid,
    /// Time of sending.
    pub created_at: Timestamp,
    /// Time of expiry.
    pub expires_at: Timestamp,
}

/// An invitation as the invited person sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Invited {
    /// Address that it was sent to: the account must have it.
    #[schema(example = "ada@shop.example")]
    pub email: String,
    /// The organization, if it is to one.
    pub organization_id: Option<Uuid>,
    /// The project, if it is to one.
    pub project_id: Option<Uuid>,
    /// Name of the organization or project.
    #[schema(example = "Shop")]
    pub name: String,
    /// The role.
    pub role: Role,
    /// Name of the sender.
    #[schema(example = "Grace Hopper")]
    pub invited_by: String,
    /// Time of expiry.
    pub expires_at: Timestamp,
}

/// The invitations to list.
#[derive(Clone, Copy, Debug)]
pub enum Of {
    /// Invitations that the caller sent.
    Caller,
    /// Invitations to an organization; for its owners.
    Organization(Uuid),
    /// Invitations to a project; for its owners.
    Project(Uuid),
}

impl Invitation {
    pub(super) fn target(&self) -> Option<Group> {
        match (self.organization_id, self.project_id) {
            (Some(id), None) => Some(Group::Organization(id)),
            (None, Some(id)) => Some(Group::Document(id)),
            _ => None,
        }
    }
}

impl Auth {
    /// Refuses everybody but owners who are signed in: only they change members.
    async fn may_invite(&self, actor: Actor, target: Group) -> Result<Role> {
        let need = Need::GOVERN;
        match target {
            Group::Organization(id) => access::organization(&self.db, actor, id, need).await,
            Group::Document(id) => access::project(&self.db, actor, id, need).await,
        }
    }

    /// The group of an invitation that breaks no rule.
    async fn target(&self, actor: Actor, input: &InvitationIn) -> Result<Group> {
        let mut errors = Vec::new();
        if !is_email(input.email.trim()) {
            errors.push(FieldError::new(
                "/email",
                ErrorCode::InvalidEmail,
                "An address such as ada@shop.example.",
            ));
        }
        let target = match (input.organization_id, input.project_id) {
            (Some(id), None) => Some(Group::Organization(id)),
            (None, Some(id)) => Some(Group::Document(id)),
            _ => {
                errors.push(FieldError::new(
                    "/organizationId",
                    ErrorCode::Required,
                    "Either organizationId or projectId.",
                ));
                None
            }
        };
        if let Some(target) = target {
            match self.may_invite(actor, target).await {
                Ok(_) => {}
                Err(Error::NotFound) => errors.push(match target {
                    Group::Organization(_) => FieldError::new(
                        "/organizationId",
                        ErrorCode::UnknownOrganization,
                        "There is no such organization, or it is not yours.",
                    ),
                    Group::Document(_) => FieldError::new(
                        "/projectId",
                        ErrorCode::UnknownProject,
                        "There is no such project, or it is not yours.",
                    ),
                }),
                Err(error) => return Err(error),
            }
        }
        if errors.is_empty() && !self.mail.is_on() {
            errors.push(FieldError::new(
                "/email",
                ErrorCode::MailOff,
                "This server sends no mail; add the user by its id instead.",
            ));
        }
        Error::unless_valid(errors)?;
        target.ok_or_else(|| Error::internal("an invitation without a group has an error"))
    }

    /// Records an invitation, and the end of those that it replaces.
    async fn record_invitation(
        &self,
        tx: &mut Tx,
        actor: Actor,
        (target, invitation): (Group, &Invitation),
        replaced: &[Invitation],
    ) -> Result<()> {
        // The others have ended by themselves.
        let ended = replaced
            .iter()
            .filter(|one| one.expires_at > invitation.created_at);
        for before in ended {
            let subject = Subject::new(before.id).titled(&before.email);
            let action = Action::InvitationRevoked;
            self.audit
                .record(tx, actor, target.id(), action, subject)
                .await?;
        }
        let subject = Subject::new(invitation.id)
            .titled(&invitation.email)
            .with(invitation.role.as_str());
        self.audit
            .record(tx, actor, target.id(), Action::Invited, subject)
            .await?;
        Ok(())
    }

    /// Mails an invitation.
    ///
    /// # Errors
    /// An address of the caller that is not verified; [`Error::TooMany`] after as many invitations as a person sends,
    /// or an address gets, in a day.
    pub async fn invite(&self, caller: &Authenticated, input: InvitationIn) -> Result<Invitation> {
        let actor = caller.actor();
        let user = actor.user()?;
        let email = input.email.trim();
        let target = self.target(actor, &input).await?;
        // The letter is ours, and somebody must answer for it.
        if !self.me(actor).await?.email_verified {
            return Err(Error::forbidden(
                ErrorCode::AddressUnverified,
                "Verify the e-mail address of your account first, by the link that was mailed to it.",
            ));
        }
        let recipient = key(email);
        self.mail
            .check_recipient(Purpose::Invitation, &recipient, Some(user))
            .await?;
        let now = self.clock.now();
        let invitation = Invitation {
            id: self.ids.next(),
            email: email.to_owned(),
            organization_id: input.organization_id,
            project_id: input.project_id,
            role: input.role.unwrap_or(Role::Editor),
            invited_by: user,
            created_at: now,
            expires_at: now.plus_days(DAYS),
        };
        let mut tx = self.db.begin().await?;
        self.hold(&mut tx, caller).await?;
        let day = now.plus_days(-1);
        let (all, to_one) = self.mail.sent(&mut tx, user, &recipient, day).await?;
        if all >= MOST_A_DAY || to_one >= MOST_TO_ONE {
            return Err(Error::TooMany { retry_after: 3_600 });
        }
        let replaced = store::add(&mut tx, &invitation, &recipient).await?;
        let letter = Letter {
            purpose: Purpose::Invitation,
            recipient,
            content: invitation.id.to_string(),
            sender: Some(user),
        };
        self.mail.post(&mut tx, &letter).await?;
        let of = (target, &invitation);
        self.record_invitation(&mut tx, actor, of, &replaced)
            .await?;
        tx.commit().await?;
        self.mail.wake();
        Ok(invitation)
    }

    /// Lists pending invitations. Words of a search are found in the address.
    pub async fn invitations(
        &self,
        actor: Actor,
        of: Of,
        asked: &Asked,
    ) -> Result<Listed<Invitation>> {
        search::check(&asked.text, 0)?;
        let user = actor.user()?;
        match of {
            Of::Caller => {}
            Of::Organization(id) => {
                self.may_invite(actor, Group::Organization(id)).await?;
            }
            Of::Project(id) => {
                self.may_invite(actor, Group::Document(id)).await?;
            }
        }
        Ok(store::list(&self.db, user, of, self.clock.now(), asked).await?)
    }

    /// Revokes an invitation. Its sender may, and everybody who may invite to the same organization or
    /// project.
    pub async fn revoke_invitation(&self, actor: Actor, id: Uuid) -> Result<()> {
        let user = actor.user()?;
        let found = store::lookup(&self.db, id).await?.ok_or(Error::NotFound)?;
        let target = found.target().ok_or(Error::NotFound)?;
        if found.invited_by != user {
            self.may_invite(actor, target).await?;
        }
        let mut tx = self.db.begin().await?;
        secret_store::forget_of(&mut tx, id, INVITE).await?;
        if !store::remove(&mut tx, id).await? {
            // It was accepted or revoked meanwhile.
            return Err(Error::NotFound);
        }
        let subject = Subject::new(id).titled(&found.email);
        let action = Action::InvitationRevoked;
        self.audit
            .record(&mut tx, actor, target.id(), action, subject)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Reads the invitation of a mailed link.
    pub async fn read_invitation(&self, token: &str) -> Result<Invited> {
        let now = self.clock.now();
        let shown = secret_store::show(&self.db, &secrets::hash(token), INVITE, now)
            .await?
            .ok_or(Error::NotFound)?;
        self.invited(shown.subject).await?.ok_or(Error::NotFound)
    }

    /// Reads an invitation with its names. Returns `None` if it is no longer valid.
    pub(super) async fn invited(&self, id: Uuid) -> Result<Option<Invited>> {
        let Some(found) = store::lookup(&self.db, id).await? else {
            return Ok(None);
        };
        let Some(target) = found.target() else {
            return Ok(None);
        };
        // An invitation loses its validity when its sender may no longer invite.
        let sender = Actor::User(found.invited_by);
        if !access::allowed(self.may_invite(sender, target).await)? {
            return Ok(None);
        }
        if found.expires_at <= self.clock.now() {
            return Ok(None);
        }
        let (name, invited_by) = store::names(&self.db, target, found.invited_by).await?;
        Ok(Some(Invited {
            email: found.email,
            organization_id: found.organization_id,
            project_id: found.project_id,
            name,
            role: found.role,
            invited_by,
            expires_at: found.expires_at,
        }))
    }

    /// Accepts an invitation by its mailed link. A stronger role that the user has already stays.
    pub async fn accept_invitation(&self, actor: Actor, token: &str) -> Result<Invited> {
        let user = self.me(actor).await?;
        let invited = self.read_invitation(token).await?;
        if key(&invited.email) != key(&user.email) {
            return Err(Error::forbidden(
                ErrorCode::OtherAddress,
                "This invitation was sent to another address than that of your account.",
            ));
        }
        let target = match (invited.organization_id, invited.project_id) {
            (Some(id), None) => Group::Organization(id),
            (None, Some(id)) => Group::Document(id),
            _ => return Err(Error::NotFound),
        };
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let shown = secret_store::take(&mut tx, &secrets::hash(token), INVITE, now)
            .await?
            .ok_or(Error::NotFound)?;
        // The link came by mail, so it proves the address as well.
        super::store::verify_email(&mut tx, user.id, &shown.email_key, now)
            .await?
            .ok_or(Error::NotFound)?;
        secret_store::forget_of(&mut tx, user.id, VERIFY).await?;
        let member = Member {
            user_id: user.id,
            role: invited.role,
            created_at: now,
            is_added: false,
        };
        let sender = store::sender(&mut tx, shown.subject).await?;
        let sender = sender.ok_or(Error::NotFound)?;
        if members::join(&mut tx, target, sender, &member).await? {
            let subject = Subject::new(user.id).with(member.role.as_str());
            self.audit
                .record(&mut tx, actor, target.id(), Action::Joined, subject)
                .await?;
        }
        secret_store::forget_of(&mut tx, shown.subject, INVITE).await?;
        if !store::remove(&mut tx, shown.subject).await? {
            // It was revoked meanwhile.
            return Err(Error::NotFound);
        }
        tx.commit().await?;
        Ok(invited)
    }
}
