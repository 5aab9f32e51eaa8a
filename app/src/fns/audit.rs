//! The audit log of a project.

use domain::{audit::Action, collection::Collection};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;
use crate::fns::listing::Listing;

/// Path to which a form sends `project`, `action` and `q` to get the log as a file.
pub const EXPORT: &str = "/ui/people/audit/export";

/// One thing that somebody did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Milliseconds since 1970.
    pub at: i64,
    pub by: By,
    /// The name of the API key that the person used; empty once it is revoked.
    pub key: Option<String>,
    pub action: Action,
    /// The collection of a document.
    pub collection: Option<Collection>,
    pub title: String,
    pub details: Vec<String>,
}

/// The author of an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum By {
    /// The e-mail address of an account.
    Account(String),
    /// An account that is gone.
    Gone,
    /// Placet itself.
    Placet,
}

/// A page of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditPage {
    pub items: Vec<Entry>,
    pub total: u64,
    pub per_page: u32,
}

/// True if the person may read the log of a project.
#[server(prefix = "/ui", endpoint = "audit/may-read", input = Json)]
pub async fn may_read_audit(project: String) -> Result<bool, UiError> {
    use super::server::{id, may};
    use service::access::Need;
    may(id(&project)?, Need::READ_AUDIT).await
}

/// Reads a page of a project's audit log, of one action or all.
#[server(prefix = "/ui", endpoint = "audit", input = Json)]
pub async fn audit(
    project: String,
    action: Option<Action>,
    listing: Listing,
) -> Result<AuditPage, UiError> {
    use super::server::{actor, id, placet, refuse};
    let asked = listing.asked(None);
    let found = placet()?
        .audit
        .list(actor()?, id(&project)?, action, &asked)
        .await
        .map_err(refuse)?;
    let items = found.items.into_iter().map(|entry| Entry {
        at: entry.at.millis(),
        by: match (entry.by.user_id, entry.by.email) {
            (_, Some(email)) => By::Account(email),
            (Some(_), None) => By::Gone,
            (None, None) => By::Placet,
        },
        key: entry
            .by
            .key_id
            .map(|_| entry.by.key_name.unwrap_or_default()),
        action: entry.action,
        collection: entry.collection,
        title: entry.title,
        details: entry.details,
    });
    Ok(AuditPage {
        items: items.collect(),
        total: found.total,
        per_page: asked.page.size,
    })
}
