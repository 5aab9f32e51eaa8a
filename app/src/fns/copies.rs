//! Copies of configurations and boxes.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use super::projects::ProjectLink;
use crate::error::UiError;

/// A copy that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    pub id: String,
    /// Files and services that the copy does not name: they are gone, or the person may not see them.
    pub left_out: usize,
}

/// Projects that copies can go to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    pub projects: Vec<ProjectLink>,
    /// True if a search with more words may find others.
    pub has_more: bool,
}

/// Copies a document into its project or another, under a title of its own if one is given.
#[server(prefix = "/ui", endpoint = "documents/copy", input = Json)]
pub async fn copy_document(
    collection: Collection,
    id: String,
    project: Option<String>,
    title: Option<String>,
) -> Result<Copied, UiError> {
    use super::server::{self, actor, placet, refuse};
    let wish = service::vault::CopyIn {
        project: project.as_deref().map(server::id).transpose()?,
        title,
    };
    let placet = placet()?;
    let copied = placet
        .vault
        .copy(actor()?, collection, server::id(&id)?, wish);
    let copied = copied.await.map_err(refuse)?;
    Ok(Copied {
        id: copied.document.id.to_string(),
        left_out: copied.left_out,
    })
}

/// Those of the first projects whose title or site has these words that the person may edit, without one of them.
#[server(prefix = "/ui", endpoint = "documents/copy-places", input = Json)]
pub async fn copy_places(except: String, query: String) -> Result<Places, UiError> {
    use service::access::Need;
    let (found, total) = super::projects::find_projects(query).await?;
    let has_more = total > found.len() as u64;
    let mut projects = Vec::new();
    for project in found {
        let role = super::server::role(super::server::id(&project.id)?).await?;
        if project.id != except && Need::EDIT.is_met_by_role(role) {
            projects.push(project);
        }
    }
    Ok(Places { projects, has_more })
}
