//! Moves of documents: the project that a document follows and the organization that it joins decide who has
//! access to it.

use domain::{
    collection::Collection, documents, error_code::ErrorCode, field_error::FieldError, role::Role,
};
use serde_json::Value;
use uuid::Uuid;

use super::{Document, Vault};
use crate::{
    access::{self, Actor, Need},
    db::Target,
    error::Result,
    members::{self, Group},
};

/// The project that a document follows, and the organization that it joins.
pub(super) type Follows = (Option<Uuid>, Option<(Uuid, Role)>);

/// Facts about a write that change who has access to the document.
#[derive(Clone, Copy)]
pub(super) struct Change {
    /// The account that writes.
    pub by: Option<Uuid>,
    /// True if the document begins to follow a project. Members of its own then lose their roles:
    /// the roles of the project alone count.
    pub follows: bool,
    /// True if it joins an organization, or leaves one.
    pub moves: bool,
}

pub(super) fn unknown_organization() -> FieldError {
    FieldError::new(
        "/organizationId",
        ErrorCode::UnknownOrganization,
        "There is no such organization, or it is not yours to write to.",
    )
}

/// The reasons for which the actor may not give a document, or a new one, to the organization `named`, or take it out of
/// its own for `None`.
pub(super) async fn refuse_move(
    at: &mut Target<'_>,
    actor: Actor,
    named: Option<Uuid>,
    before: Option<&Document>,
) -> Result<Vec<FieldError>> {
    let mut errors = Vec::new();
    let (own, need) = match before {
        Some(before) => {
            let role = access::document_role_at(at, actor, before.collection, before.id);
            (role.await?, Role::Owner)
        }
        None => (Some(Role::Owner), Role::Editor),
    };
    let owns = own >= Some(Role::Owner);
    let left = before.and_then(|before| before.organization);
    if let Some((left, _)) = left
        && !owns
        && access::organization_role_at(at, actor, left).await? < Some(Role::Owner)
    {
        errors.push(FieldError::new(
            "/organizationId",
            ErrorCode::NotYoursToMove,
            "Leaving an organization needs an owner here or there.",
        ));
    }
    if let Some(id) = named {
        let role = access::organization_role_at(at, actor, id).await?;
        if role < Some(Role::Editor) {
            errors.push(unknown_organization());
        } else if !owns || role < Some(need) {
            errors.push(FieldError::new(
                "/organizationId",
                ErrorCode::NotYoursToMove,
                "Joining an organization needs an owner here and there.",
            ));
        }
    }
    Ok(errors)
}

/// The reasons for which the actor may not let a document, or a new one, follow the project `named`, or none, in place of
/// its own.
pub(super) async fn refuse_follow(
    at: &mut Target<'_>,
    actor: Actor,
    named: Option<Uuid>,
    before: Option<&Document>,
) -> Result<Vec<FieldError>> {
    let mut errors = Vec::new();
    let may_leave = match before.map(|before| (before, before.project_id)) {
        Some((_, Some(left))) => edits(at, actor, left).await?,
        // Its own members lose their roles. An organization's document is for `refuse_move` to say.
        Some((before, None)) if before.organization.is_none() => {
            let role = access::document_role_at(at, actor, before.collection, before.id);
            role.await? >= Some(Role::Owner)
        }
        _ => true,
    };
    if !may_leave {
        errors.push(FieldError::new(
            "/projectId",
            ErrorCode::NotYoursToMove,
            "Leaving a project needs an editor of it, and leaving people's own an owner.",
        ));
    }
    if let Some(project) = named
        && !edits(at, actor, project).await?
    {
        errors.push(FieldError::new(
            "/projectId",
            ErrorCode::UnknownProject,
            "There is no such project, or it is not yours to write to.",
        ));
    }
    Ok(errors)
}

/// True if the actor's role on a project is that of an editor.
async fn edits(at: &mut Target<'_>, actor: Actor, project: Uuid) -> Result<bool> {
    let role = access::document_role_at(at, actor, Collection::Projects, project).await?;
    Ok(role.is_some_and(|role| Need::EDIT.is_met_by_role(role)))
}

impl Vault {
    /// An organization gives its members roles. So a document that is there already joins one by a
    /// person who owns both, and leaves it by an owner of either; never by an API key. A new one is its
    /// maker's to give to an organization that the maker edits.
    pub(super) async fn check_organization(
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
        errors.extend(refuse_move(&mut Target::Db(&self.db), actor, named, before).await?);
        if before.is_some() && errors.is_empty() {
            actor.user()?;
        }
        Ok(named.map(|id| (id, Role::Owner)))
    }

    pub(super) async fn check_project(
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
        if let (None, Some(project)) = (before, named)
            && access::project_role(&self.db, actor, project)
                .await?
                .is_some()
        {
            // The caller sees the project and may learn that the role is too weak.
            access::project(&self.db, actor, project, Need::EDIT).await?;
        }
        errors.extend(refuse_follow(&mut Target::Db(&self.db), actor, named, before).await?);
        Ok(named)
    }

    /// A custom vendor that leaves its project or organization must still be somebody's: otherwise
    /// nobody would ever find it again.
    pub(super) async fn check_home(
        &self,
        before: &Document,
        errors: &mut Vec<FieldError>,
    ) -> Result<()> {
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
}
