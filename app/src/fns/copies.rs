//! Copies of configurations and boxes.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

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

/// A document that is to be copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Original {
    pub collection: Collection,
    pub id: String,
    pub title: String,
}

/// A project that begins like another one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Begun {
    pub id: String,
    /// Files that it does not name: they are gone, or the person may not see them.
    pub left_out: usize,
    /// The configurations and boxes of the other one, in the order in which they are to be copied.
    pub content: Vec<Original>,
    /// Number of others, for which the list has no room.
    pub beyond: u64,
}

/// Makes a project like another one, with its look, its parties and its rules. What it contains is to be copied then.
#[server(prefix = "/ui", endpoint = "projects/begin-like", input = Json)]
pub async fn begin_like(from: String, data: Value) -> Result<Begun, UiError> {
    server::begin_like(&from, data).await
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

#[cfg(feature = "ssr")]
mod server {
    use domain::consent::ConsentCollection;
    use domain::documents::CookieConfiguration;
    use serde_json::Value;
    use uuid::Uuid;

    use super::{Begun, Collection, Original};
    use crate::error::UiError;
    use crate::fns::documents::server::{MOST_CHOICES, document_page, title_of};
    use crate::fns::server::{actor, id, placet, refuse};
    use service::db::page::Page;
    use service::vault::{Document, ListQuery};

    pub async fn begin_like(from: &str, data: Value) -> Result<Begun, UiError> {
        let from = id(from)?;
        let (mut content, mut beyond) = (Vec::new(), 0);
        for collection in ConsentCollection::ALL {
            let (some, others) = originals(from, collection.into()).await?;
            content.extend(some);
            beyond += others;
        }
        let begun = placet()?.vault.begin_like(actor()?, from, data).await;
        let begun = begun.map_err(refuse)?;
        Ok(Begun {
            id: begun.document.id.to_string(),
            left_out: begun.left_out,
            content,
            beyond,
        })
    }

    /// The documents of a collection, oldest first, and the number of those behind a page. A copy is no default: of a
    /// project without one the first is, so the copy of the default comes first.
    async fn originals(
        project: Uuid,
        collection: Collection,
    ) -> Result<(Vec<Original>, u64), UiError> {
        let asked = ListQuery {
            page: Page::first(MOST_CHOICES),
            ..ListQuery::default()
        };
        let fields = ["title", "name", "isDefault"];
        let mut listed = document_page(project, collection, asked, &fields).await?;
        let is_default = |document: &Document| {
            let read: CookieConfiguration = domain::documents::read(&document.data);
            read.is_default
        };
        listed.items.sort_by_key(|document| !is_default(document));
        let beyond = listed.total.saturating_sub(listed.items.len() as u64);
        let originals = listed.items.iter().map(|document| Original {
            collection,
            id: document.id.to_string(),
            title: title_of(document),
        });
        Ok((originals.collect(), beyond))
    }
}
