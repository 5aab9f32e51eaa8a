//! The rule that a second person approves what is published. Editors, whom it binds, cannot lift it.

use domain::{collection::Collection, documents, error_code::ErrorCode, field_error::FieldError};
use serde_json::Value;

use super::{Document, Vault};
use crate::{
    access::{self, Actor, Need},
    error::{Error, Result},
};

/// True if two versions of a project have another rule.
pub(super) fn differs(one: &Value, other: &Value) -> bool {
    let asks = |data: &Value| documents::read::<documents::Project>(data).approval;
    asks(one) != asks(other)
}

impl Vault {
    /// Lets owners alone change the rule of a project, and never by an API key.
    pub(super) async fn check_approval(
        &self,
        actor: Actor,
        data: &Value,
        before: &Document,
        errors: &mut Vec<FieldError>,
    ) -> Result<()> {
        if !differs(data, &before.data) {
            return Ok(());
        }
        match access::document(
            &self.db,
            actor,
            Collection::Projects,
            before.id,
            Need::GOVERN,
        )
        .await
        {
            Ok(_) => Ok(()),
            Err(Error::Forbidden { .. }) => {
                let detail = "Only an owner decides whether a second person must approve.";
                let error = FieldError::new("/approval", ErrorCode::OwnerNeeded, detail);
                errors.push(error);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}
