//! Documents of the vault, whatever their collection: read, made, changed, deleted, restored.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::UiError;

/// A document and the version that it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Document {
    pub id: String,
    pub version: i64,
    pub data: Value,
    /// Milliseconds since 1970.
    pub updated_at: i64,
    /// True if a project accepts consents of signed tokens only.
    pub tokens_signed: bool,
}

impl Document {
    /// A text of `data`, empty where there is none.
    pub fn text(&self, key: &str) -> String {
        self.data
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    }
}

/// The relation of a draft to what is live.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    NotLive,
    /// Another version of it is live.
    Changed,
    Live,
}

/// Reads a document.
#[server(prefix = "/ui", endpoint = "documents/read", input = Json)]
pub async fn read_document(collection: Collection, id: String) -> Result<Document, UiError> {
    use super::server::{self, actor, placet, refuse};
    let id = server::id(&id)?;
    placet()?
        .vault
        .read(actor()?, collection, id)
        .await
        .map(Document::from)
        .map_err(refuse)
}

/// Makes a document.
#[server(prefix = "/ui", endpoint = "documents/create", input = Json)]
pub async fn create_document(collection: Collection, data: Value) -> Result<Document, UiError> {
    use super::server::{actor, placet, refuse};
    placet()?
        .vault
        .create(actor()?, collection, data)
        .await
        .map(Document::from)
        .map_err(refuse)
}

/// Replaces a document if it still is the version that was read.
#[server(prefix = "/ui", endpoint = "documents/save", input = Json)]
pub async fn save_document(
    collection: Collection,
    id: String,
    version: i64,
    data: Value,
) -> Result<Document, UiError> {
    use super::server::{self, actor, placet, refuse};
    let id = server::id(&id)?;
    placet()?
        .vault
        .update(actor()?, collection, id, data, Some(version))
        .await
        .map(Document::from)
        .map_err(refuse)
}

/// Deletes a document; it can be restored for 30 days.
#[server(prefix = "/ui", endpoint = "documents/delete", input = Json)]
pub async fn delete_document(collection: Collection, id: String) -> Result<(), UiError> {
    use super::server::{self, actor, placet, refuse};
    let id = server::id(&id)?;
    placet()?
        .vault
        .delete(actor()?, collection, id, None)
        .await
        .map_err(refuse)
}

/// Takes a deletion back.
#[server(prefix = "/ui", endpoint = "documents/restore", input = Json)]
pub async fn restore_document(collection: Collection, id: String) -> Result<Document, UiError> {
    use super::server::{self, actor, placet, refuse};
    let id = server::id(&id)?;
    placet()?
        .vault
        .restore(actor()?, collection, id)
        .await
        .map(Document::from)
        .map_err(refuse)
}

#[cfg(feature = "ssr")]
impl From<service::vault::Document> for Document {
    fn from(document: service::vault::Document) -> Self {
        Self {
            id: document.id.to_string(),
            version: document.metadata.version,
            data: document.data,
            updated_at: document.metadata.updated_at.millis(),
            tokens_signed: document.metadata.tokens_signed,
        }
    }
}

/// Helpers for documents that several areas share.
#[cfg(feature = "ssr")]
pub(super) mod server {
    use std::collections::{BTreeSet, HashMap, HashSet};

    use domain::collection::Collection;
    use domain::documents::title;
    use serde_json::Value;
    use service::Error;
    use service::db::page::{Listed, Page};
    use service::vault::{Document, ListQuery, MOST_CHOSEN};
    use uuid::Uuid;

    use crate::error::UiError;
    use crate::fns::server::{actor, placet, refuse};

    /// Most documents of a collection that a page lists to choose from, the oldest ones.
    pub const MOST_CHOICES: u32 = 1_000;

    pub fn text(document: &Document, key: &str) -> String {
        document
            .data
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    }

    /// The ids that a configuration's steps name, each once, in their order.
    pub fn vendor_ids(configuration: &Value) -> Vec<String> {
        let mut seen = HashSet::new();
        let named = domain::documents::vendors_named(configuration).into_iter();
        named
            .filter(|(_, id)| seen.insert(*id))
            .map(|(_, id)| id.to_owned())
            .collect()
    }

    /// A project's document, by the address that names both.
    pub async fn document_of(
        project: Uuid,
        collection: Collection,
        document: Uuid,
    ) -> Result<Document, UiError> {
        let vault = &placet()?.vault;
        let document = vault.read(actor()?, collection, document);
        let document = document.await.map_err(refuse)?;
        // One of another project is not under this one.
        if document.project_id != Some(project) {
            return Err(refuse(Error::NotFound));
        }
        Ok(document)
    }

    /// The same and the project.
    pub async fn document_and_project(
        project: Uuid,
        collection: Collection,
        document: Uuid,
    ) -> Result<(Document, Document), UiError> {
        let document = document_of(project, collection, document).await?;
        let vault = &placet()?.vault;
        let own = vault.read(actor()?, Collection::Projects, project);
        Ok((document, own.await.map_err(refuse)?))
    }

    /// A page of a project's documents of a collection, filtered and in the order that `asked` names, with these of
    /// their fields alone: documents may be large.
    pub async fn document_page(
        project: Uuid,
        collection: Collection,
        asked: ListQuery,
        fields: &[&'static str],
    ) -> Result<Listed<Document>, UiError> {
        let query = ListQuery {
            project_id: Some(project),
            ..asked
        };
        placet()?
            .vault
            .list_fields(actor()?, collection, query, fields)
            .await
            .map_err(refuse)
    }

    /// A project's documents of a collection to choose from, oldest first, with these of their fields alone.
    pub async fn choices(
        project: Uuid,
        collection: Collection,
        fields: &[&'static str],
    ) -> Result<Vec<Document>, UiError> {
        let asked = ListQuery {
            page: Page::first(MOST_CHOICES),
            ..ListQuery::default()
        };
        let listed = document_page(project, collection, asked, fields).await?;
        Ok(listed.items)
    }

    /// The id of a project's oldest document of a collection, and how many there are.
    pub async fn first_of(
        project: Uuid,
        collection: Collection,
    ) -> Result<(Option<Uuid>, u64), UiError> {
        let asked = ListQuery {
            page: Page::first(1),
            ..ListQuery::default()
        };
        let listed = document_page(project, collection, asked, &[]).await?;
        Ok((listed.items.first().map(|first| first.id), listed.total))
    }

    /// The titles of those of these documents that the person sees, by their ids.
    pub async fn titles(
        collection: Collection,
        ids: BTreeSet<Uuid>,
    ) -> Result<HashMap<Uuid, String>, UiError> {
        let ids: Vec<Uuid> = ids.into_iter().collect();
        let (placet, actor) = (placet()?, actor()?);
        let mut titles = HashMap::new();
        for some in ids.chunks(MOST_CHOSEN) {
            let query = ListQuery {
                page: Page::first(MOST_CHOSEN as u32),
                ids: Some(some.to_vec()),
                ..ListQuery::default()
            };
            let found = placet.vault.list_fields(actor, collection, query, &TITLE);
            let found = found.await.map_err(refuse)?.items.into_iter();
            titles.extend(found.map(|document| (document.id, title_of(&document))));
        }
        Ok(titles)
    }

    /// The fields that [`title_of`] reads.
    pub const TITLE: [&str; 2] = ["title", "name"];

    /// The title of a document for people: its name where it has none, else its id.
    pub fn title_of(document: &Document) -> String {
        title(&document.data).unwrap_or_else(|| document.id.to_string())
    }
}
