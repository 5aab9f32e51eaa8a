//! The ways into an account that ask for neither its password nor its second factor: API keys and linked identities. A new
//! password ends them, and so does the first second factor: somebody else may have made them.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{api_keys, oidc};
use crate::{db::Tx, error::Result};

/// The ways in that the first second factor leaves.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
pub struct KeepWays {
    /// Keeps the account's API keys. Without it the first second factor revokes them, and another one none.
    #[serde(default, rename = "keepKeys")]
    #[schema(example = true)]
    pub keys: bool,
    /// Keeps linked identities. Without it the first second factor unlinks them, and another one none.
    #[serde(default, rename = "keepIdentities")]
    #[schema(example = true)]
    pub identities: bool,
}

/// The API keys and linked identities that ended.
pub(super) struct EndedWays {
    /// Names of API keys.
    pub keys: Vec<String>,
    /// Providers of identities.
    pub identities: Vec<String>,
}

/// Ends those that the owner of the account does not keep.
pub(super) async fn end(tx: &mut Tx, user: Uuid, keep: KeepWays) -> Result<EndedWays> {
    let keys = if keep.keys {
        Vec::new()
    } else {
        api_keys::store::remove_all(tx, user).await?
    };
    let identities = if keep.identities {
        Vec::new()
    } else {
        oidc::store::remove_all(tx, user).await?
    };
    Ok(EndedWays { keys, identities })
}
