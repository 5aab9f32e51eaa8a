//! Consents that go: erased because a person asks for it, or because the visitor does where the project lets
//! visitors, or removed because their time is over (`retention`).
//!
//! Erasure removes everything that leads to the person: token, value, choices, page, IP address,
//! country, browser, the fingerprint of the sent body, and the answers of webhook endpoints. A
//! tombstone stays. It tells that a consent with this id was given to this configuration, when, if
//! it accepted, which publication was shown, and when it was erased. The tombstone keeps the id, so
//! neither a browser that still retries nor the import of an old NDJSON export brings the consent
//! back. An export in CSV has no ids. Those of rows that came from CSV are made by a secret key.

mod retention;
mod store;

use domain::{audit::Action, consent::may_be_token, error_code::ErrorCode};
use serde::Serialize;
use uuid::Uuid;

pub(crate) use retention::Retention;
pub(super) use store::project_of;

use super::{Consents, writing};
use crate::{
    access::{self, Actor, Need},
    audit::{Audit, Subject},
    clock::Timestamp,
    db::Tx,
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

/// The entry of the audit log for an erasure.
pub(super) struct By {
    actor: Actor,
    action: Action,
    subject: Subject,
}

impl By {
    /// Writes the entry beside what is erased.
    pub(super) async fn record(&self, audit: &Audit, tx: &mut Tx, project: Uuid) -> Result<()> {
        let subject = self.subject.clone();
        Ok(audit
            .record(tx, self.actor, project, self.action, subject)
            .await?)
    }
}

impl Consents {
    /// Erases the personal data of a token. Consents that come afterwards are new ones.
    pub async fn erase(&self, actor: Actor, project: Uuid, token: &str) -> Result<Erased> {
        access::project(&self.db, actor, project, Need::ERASE_CONSENTS).await?;
        // One entry of the audit log, however many batches.
        let one = Subject::new(self.ids.next());
        let by = By {
            actor,
            action: Action::ConsentsErased,
            subject: one,
        };
        let erased = self.erase_token(project, token, by).await?;
        if erased.erased == 0 {
            return Err(Error::NotFound);
        }
        Ok(erased)
    }

    /// Erases the consents of a token, for those who have it, where the project lets visitors erase.
    pub async fn erase_own(&self, project: Uuid, token: &str) -> Result<Erased> {
        let _reading = self.reading.take(project)?;
        self.may_be_own(project, Some(token)).await?;
        let own = store::project_of(&self.db, project).await?;
        if !own.is_some_and(|own| own.retention.visitor_erasure) {
            return Err(Error::forbidden(
                ErrorCode::ErasureNotOffered,
                "This site erases consents only when it is asked to.",
            ));
        }
        // All visitors of an hour are one entry: strangers must not fill the log.
        let by = By {
            actor: Actor::System,
            action: Action::VisitorsErased,
            subject: Subject::default(),
        };
        self.erase_token(project, token, by).await
    }

    async fn erase_token(&self, project: Uuid, token: &str, by: By) -> Result<Erased> {
        // First: rows that are moved meanwhile are consents when the rest begins.
        let mut erased = if may_be_token(token) {
            self.drop_waiting(project, token, &by).await?
        } else {
            0
        };
        let mut erased_at = Timestamp::from_millis(self.clock.now().millis());
        // Each batch is a short transaction: a token that a site gives to everybody may have any
        // number of consents.
        let mut is_over = !may_be_token(token);
        while !is_over {
            let mut tx = self.db.begin().await?;
            let batch = writing::erase_some(&mut tx, project, token, erased_at).await?;
            is_over = batch.is_last;
            if batch.erased == 0 {
                continue;
            }
            by.record(&self.audit, &mut tx, project).await?;
            tx.commit().await?;
            self.db.scrub();
            erased += batch.erased;
            erased_at = batch.erased_at;
        }
        if erased > 0 {
            tracing::info!(project.id = %project, erased, "consents of a token were erased");
        }
        Ok(Erased { erased, erased_at })
    }
}
