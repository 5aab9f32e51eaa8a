//! Consents that go: erased because a person asks for it, or removed because their time is over
//! (`retention`).
//!
//! Erasure takes away everything that leads to the person: token, value, choices, page, address,
//! country, browser, the fingerprint of what was sent, and what endpoints of webhooks answered. A
//! tombstone stays: that a consent with this id was given to this configuration, when, whether it
//! accepted, which publication was shown, and when it was erased. With its id taken, neither a
//! browser that still retries nor the import of an old NDJSON export brings the consent back; CSV has
//! no ids, and nothing is kept by which its row could be told.

mod retention;
mod store;

use serde::Serialize;
use uuid::Uuid;

pub(crate) use retention::Retention;

use super::{Consents, collect::MOST_CHARS};
use crate::{
    access::Actor,
    clock::Timestamp,
    error::{Error, Result},
};

/// What was erased.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Erased {
    /// Consents of the token, now tombstones.
    #[schema(example = 3)]
    pub erased: u64,
    /// When.
    pub erased_at: Timestamp,
}

impl Consents {
    /// Erases what is known of a token. Consents that come afterwards are new ones.
    pub async fn erase(&self, actor: Actor, project: Uuid, token: &str) -> Result<Erased> {
        self.may_change(actor, project).await?;
        // No token looks like this, and PostgreSQL cannot hold U+0000.
        if token.is_empty() || token.contains('\0') || token.chars().count() > MOST_CHARS {
            return Err(Error::NotFound);
        }
        let now = Timestamp::from_millis(self.clock.now().millis());
        let mut erased = 0;
        // Each batch is a short transaction: a token that a site gives to everybody may have any
        // number of consents.
        loop {
            let batch = store::erase_some(&self.db, project, token, now).await?;
            if batch == 0 {
                break;
            }
            erased += batch;
        }
        if erased == 0 {
            return Err(Error::NotFound);
        }
        tracing::info!(project.id = %project, erased, "consents of a token were erased");
        Ok(Erased {
            erased,
            erased_at: now,
        })
    }
}
