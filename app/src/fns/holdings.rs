//! Access that a new password ends unless its owner keeps it: API keys, linked identities, invitations.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// An API key as its owner recognises it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldKey {
    pub name: String,
    /// First characters of the key.
    pub prefix: String,
    pub created_at: i64,
    pub last_used_at: Option<i64>,
}

/// A linked identity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldIdentity {
    /// The provider's title.
    pub provider: String,
    /// Address that the provider knows.
    pub email: Option<String>,
    pub created_at: i64,
    pub last_used_at: Option<i64>,
}

/// An invitation that waits for an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldInvitation {
    pub email: String,
    pub created_at: i64,
}

/// Access that a new password ends or keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holdings {
    pub keys: Vec<HeldKey>,
    pub identities: Vec<HeldIdentity>,
    pub invitations: Vec<HeldInvitation>,
}

impl Holdings {
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.identities.is_empty() && self.invitations.is_empty()
    }
}

/// Access that stays after a new password.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keep {
    pub keys: bool,
    pub identities: bool,
    pub invitations: bool,
}

#[cfg(feature = "ssr")]
impl From<Keep> for service::auth::KeepWays {
    fn from(keep: Keep) -> Self {
        Self {
            keys: keep.keys,
            identities: keep.identities,
        }
    }
}

#[cfg(feature = "ssr")]
impl From<Keep> for service::auth::Keep {
    fn from(keep: Keep) -> Self {
        let Keep {
            keys,
            identities,
            invitations,
        } = keep;
        Self {
            keys,
            identities,
            invitations,
            second_factor: true,
        }
    }
}

/// Access of the person that a new password ends or keeps.
#[server(prefix = "/ui", endpoint = "account/holdings", input = Json)]
pub async fn list_holdings() -> Result<Holdings, UiError> {
    use super::server::{actor, placet, refuse};
    let placet = placet()?;
    let found = placet.auth.holdings(actor()?).await.map_err(refuse)?;
    Ok(server::holdings(&placet, found))
}

#[cfg(feature = "ssr")]
pub(super) mod server {
    use service::Placet;
    use service::clock::Timestamp;

    use super::super::providers::server::{providers, title};
    use super::{HeldIdentity, HeldInvitation, HeldKey, Holdings};

    pub fn holdings(placet: &Placet, found: service::auth::Holdings) -> Holdings {
        let providers = providers(placet);
        let keys = found.keys.into_iter().map(|key| HeldKey {
            name: key.name,
            prefix: key.prefix,
            created_at: key.created_at.millis(),
            last_used_at: key.last_used_at.map(Timestamp::millis),
        });
        let identities = found.identities.into_iter().map(|identity| HeldIdentity {
            provider: title(&providers, &identity.provider),
            email: identity.email,
            created_at: identity.created_at.millis(),
            last_used_at: identity.last_used_at.map(Timestamp::millis),
        });
        let invitations = found.invitations.into_iter();
        let invitations = invitations.map(|invitation| HeldInvitation {
            email: invitation.email,
            created_at: invitation.created_at.millis(),
        });
        Holdings {
            keys: keys.collect(),
            identities: identities.collect(),
            invitations: invitations.collect(),
        }
    }
}
