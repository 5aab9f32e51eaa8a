//! The requirements of use cases. The API and the pages of the admin UI ask them alike.

use domain::{role::Role, scope::Scope};

use super::actor::Scopes;

/// Requirement of a use case: a role on a project, document or organization, and for API keys scopes.
#[derive(Clone, Copy, Debug)]
pub struct Need {
    pub(super) role: Role,
    /// An API key needs all of them; `None` refuses every API key.
    pub(super) scopes: Option<Scopes>,
}

impl Need {
    /// Looking at documents, publishes, files and everything else that is no consent.
    pub const READ: Self = Self::with(Role::Viewer, &[Scope::Read]);
    /// Changing documents, files and webhooks.
    pub const EDIT: Self = Self::with(Role::Editor, &[Scope::Write]);
    /// Deleting a project, and putting it back.
    pub const OWN: Self = Self::with(Role::Owner, &[Scope::Write]);
    /// Publishing.
    pub const PUBLISH: Self = Self::with(Role::Editor, &[Scope::Publish]);
    /// Looking at the audit log.
    pub const READ_AUDIT: Self = Self::with(Role::Dpo, &[Scope::Read]);
    /// Looking at consents and their proofs.
    pub const READ_CONSENTS: Self = Self::with(Role::Viewer, &[Scope::Consents]);
    /// Adding consents. A key that only reads proofs must neither add nor remove any.
    pub const IMPORT_CONSENTS: Self = Self::with(Role::Editor, &[Scope::Consents, Scope::Write]);
    /// Erasing consents.
    pub const ERASE_CONSENTS: Self = Self::with(Role::Dpo, &[Scope::Consents, Scope::Write]);
    /// Having events sent that hold consents.
    pub const HEAR_CONSENTS: Self = Self::with(Role::Editor, &[Scope::Consents]);
    /// Approving what others publish, which no program does.
    pub const APPROVE: Self = Self::in_person(Role::Editor);
    /// Deciding about members and payments, which no program does.
    pub const GOVERN: Self = Self::in_person(Role::Owner);
    /// Leaving a document or an organization, which no program does.
    pub const LEAVE: Self = Self::in_person(Role::Viewer);

    /// The requirement for an action that decides about consents which are there: an API key needs the scopes for changing
    /// them, too.
    #[must_use]
    pub fn ruling_consents(self) -> Self {
        let scopes = self
            .scopes
            .map(|own| own.and(Self::ERASE_CONSENTS.scopes.unwrap_or_default()));
        Self { scopes, ..self }
    }

    /// True if a person with this role meets it. Says nothing of the scopes of API keys.
    pub fn is_met_by_role(self, role: Role) -> bool {
        role >= self.role
    }

    const fn with(role: Role, scopes: &[Scope]) -> Self {
        Self {
            role,
            scopes: Some(Scopes::of(scopes)),
        }
    }

    const fn in_person(role: Role) -> Self {
        Self { role, scopes: None }
    }
}
