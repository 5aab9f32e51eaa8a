//! Consents that go: erased because a person asks for it, or removed because their time is over
//! (`retention`).
//!
//! Erasure removes everything that leads to the person: token, value, choices, page, IP address,
//! country, browser, the fingerprint of the sent body, and the answers of webhook endpoints. A
//! tombstone stays. It tells that a consent with this id was given to this configuration, when, if
//! it accepted, which publication was shown, and when it was erased. The tombstone keeps the id, so
//! neither a browser that still retries nor the import of an old NDJSON export brings the consent
//! back. CSV has no ids, and nothing is kept that identifies its rows.

mod retention;
mod store;

use domain::{audit::Action, role::Role};
use serde::Serialize;
use uuid::Uuid;

pub(crate) use retention::Retention;

use super::{Consents, collect::may_be_token, writing};
use crate::{
    access::{self, Actor, Need},
    audit::Subject,
    clock::Timestamp,
    error::{Error, Result},
};

/// The result of an erasure.
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
    /// Erases the personal data of a token. Consents that come afterwards are new ones.
    pub async fn erase(&self, actor: Actor, project: Uuid, token: &str) -> Result<Erased> {
        let need = Need::changing_consents(Role::Dpo);
        access::project(&self.db, actor, project, need).await?;
        if !may_be_token(token) {
            return Err(Error::NotFound);
        }
        let now = Timestamp::from_millis(self.clock.now().millis());
        let mut erased = 0;
        // One entry of the audit log, however many batches.
        let one = Subject::new(self.ids.next());
        // Each batch is a short transaction: a token that a site gives to everybody may have any
        // number of consents.
        loop {
            let mut tx = self.db.begin().await?;
            let batch = writing::erase_some(&self.db, &mut tx, project, token, now).await?;
            if batch == 0 {
                break;
            }
            self.audit
                .record(&mut tx, actor, project, Action::ConsentsErased, one.clone())
                .await?;
            tx.commit().await?;
            erased += batch;
        }
        if erased == 0 {
            return Err(Error::NotFound);
        }
        self.db.scrub();
        tracing::info!(project.id = %project, erased, "consents of a token were erased");
        Ok(Erased {
            erased,
            erased_at: now,
        })
    }
}
