//! Deleted documents that can be restored.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;
use crate::fns::listing::Listing;

/// A deleted document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Deleted {
    pub id: String,
    pub collection: Collection,
    pub title: String,
    /// Milliseconds since 1970.
    pub deleted_at: i64,
    /// Milliseconds since 1970.
    pub restorable_until: i64,
    /// True if the person's role allows to restore it.
    pub can_restore: bool,
}

/// A page of the trash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrashPage {
    pub items: Vec<Deleted>,
    pub total: u64,
    pub per_page: u32,
}

/// Reads a page of a project's deleted documents, or of deleted projects.
#[server(prefix = "/ui", endpoint = "trash", input = Json)]
pub async fn trash(project: Option<String>, listing: Listing) -> Result<TrashPage, UiError> {
    use super::server::{self, actor, placet, refuse};
    use service::vault::RESTORE_DAYS;
    let project = project.as_deref().map(server::id).transpose()?;
    let asked = listing.asked(None);
    let found = placet()?
        .vault
        .trash(actor()?, project, &asked)
        .await
        .map_err(refuse)?;
    let items = found.items.into_iter().map(|trashed| Deleted {
        id: trashed.id.to_string(),
        collection: trashed.collection,
        title: trashed.title,
        deleted_at: trashed.deleted_at.millis(),
        restorable_until: trashed.deleted_at.plus_days(RESTORE_DAYS).millis(),
        can_restore: trashed.can_restore,
    });
    Ok(TrashPage {
        items: items.collect(),
        total: found.total,
        per_page: asked.page.size,
    })
}
