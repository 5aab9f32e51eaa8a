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
    use std::collections::HashSet;

    use domain::collection::Collection;
    use serde_json::Value;
    use service::Error;
    use service::db::page::{Listed, Page};
    use service::vault::{Document, ListQuery};
    use uuid::Uuid;

    use crate::error::UiError;
    use crate::fns::server::{actor, placet, refuse};

    /// Documents asked for at once.
    const PIECE: u32 = 100;

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

    /// A project's document, by the address that names both, and the project.
    pub async fn document_and_project(
        project: Uuid,
        collection: Collection,
        document: Uuid,
    ) -> Result<(Document, Document), UiError> {
        let vault = &placet()?.vault;
        let document = vault.read(actor()?, collection, document);
        let document = document.await.map_err(refuse)?;
        // One of another project is not under this one.
        if document.project_id != Some(project) {
            return Err(refuse(Error::NotFound));
        }
        let own = vault.read(actor()?, Collection::Projects, project);
        Ok((document, own.await.map_err(refuse)?))
    }

    /// A page of a project's documents of a collection, filtered and in the order that `asked` names.
    pub async fn document_page(
        project: Uuid,
        collection: Collection,
        asked: ListQuery,
    ) -> Result<Listed<Document>, UiError> {
        let query = ListQuery {
            project_id: Some(project),
            ..asked
        };
        placet()?
            .vault
            .list(actor()?, collection, query)
            .await
            .map_err(refuse)
    }

    /// All of a project's documents of a collection, oldest first.
    pub async fn documents(
        project: Uuid,
        collection: Collection,
    ) -> Result<Vec<Document>, UiError> {
        let mut all = Vec::new();
        for number in 1.. {
            let asked = ListQuery {
                page: Page::new(Some(number), Some(PIECE)),
                ..ListQuery::default()
            };
            let listed = document_page(project, collection, asked).await?;
            let last = listed.items.len() < PIECE as usize;
            all.extend(listed.items);
            if last {
                break;
            }
        }
        Ok(all)
    }
}
