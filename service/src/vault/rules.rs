//! Fields and deletions that decide about consents which are there. An API key that only writes documents, or only
//! publishes, must not remove consents by them.

use domain::{collection::Collection, documents, error_code::ErrorCode};
use serde_json::Value;
use uuid::Uuid;

use super::{Document, Vault, secret};
use crate::{
    access::{self, Actor, Need},
    db::Db,
    error::{Error, Result},
};

impl Vault {
    /// Refuses an API key without the rights to change consents, if a change of the document decides about them.
    pub(super) async fn check_rules(
        &self,
        actor: Actor,
        data: &Value,
        before: &Document,
    ) -> Result<()> {
        let (collection, id) = (before.collection, before.id);
        let removes_secret = before.metadata.tokens_signed && secret::is_removed(data);
        if removes_secret || !documents::rule_alike(collection, &before.data, data) {
            may_rule(&self.db, actor, collection, id, Need::EDIT).await?;
        }
        Ok(())
    }
}

/// Refuses unless the actor meets the need on the document, and an API key the rights to change consents: for an action
/// that decides about consents which are there.
pub(crate) async fn may_rule(
    db: &Db,
    actor: Actor,
    collection: Collection,
    id: Uuid,
    need: Need,
) -> Result<()> {
    match access::document(db, actor, collection, id, need.ruling_consents()).await {
        Ok(_) => Ok(()),
        Err(Error::Forbidden {
            code: ErrorCode::ScopeMissing,
            ..
        }) => Err(Error::forbidden(
            ErrorCode::ScopeMissing,
            "This decides about consents that are there. It needs a key with the scopes consents and write.",
        )),
        Err(error) => Err(error),
    }
}
