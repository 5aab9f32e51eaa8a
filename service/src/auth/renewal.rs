//! Sets another password and ends everything that an intruder could have left in the account.
//!
//! The transaction that sets the password ends every way in: sessions and identities that they are linking,
//! mailed links, the pending address, API keys, linked identities, and invitations that the account sent. The
//! owner may keep those of the last three kinds. The second factor is no way in. It ends where somebody else may
//! have set it up: with the first proof of the address, and by the operator.

use domain::audit::Action;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    ApiKey, Auth, Identity, Invitation, InvitationsOf, address, api_keys, invitations, oidc,
    second_factor, secrets, sessions, store,
    ways::{self, KeepWays},
};
use crate::{
    access::Actor,
    audit::{Audit, Subject},
    clock::Timestamp,
    db::{Tx, page::Page},
    error::Result,
};

/// The things that a new password leaves working.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Keep {
    /// Keeps the account's API keys. Without it they are revoked.
    #[serde(default, rename = "keepKeys")]
    #[schema(example = true)]
    pub keys: bool,
    /// Keeps linked identities. Without it they are unlinked.
    #[serde(default, rename = "keepIdentities")]
    #[schema(example = true)]
    pub identities: bool,
    /// Keeps pending invitations that the account sent. Without it they are revoked.
    #[serde(default, rename = "keepInvitations")]
    #[schema(example = true)]
    pub invitations: bool,
    /// Keeps the second factor. The operator alone ends it: a mailbox alone opens no account.
    #[serde(skip, default = "stays")]
    pub second_factor: bool,
}

const fn stays() -> bool {
    true
}

impl Keep {
    pub(super) const NOTHING: Self = Self {
        keys: false,
        identities: false,
        invitations: false,
        second_factor: false,
    };
}

/// Everything that a new password can end or keep.
#[derive(Clone, Debug, Serialize)]
pub struct Holdings {
    /// API keys, the latest first.
    pub keys: Vec<ApiKey>,
    /// Linked identities.
    pub identities: Vec<Identity>,
    /// Pending invitations that the account sent, the newest first.
    pub invitations: Vec<Invitation>,
}

/// Everything that ended besides sessions.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// Names of API keys.
    pub keys: Vec<String>,
    /// Providers of identities.
    pub identities: Vec<String>,
    /// Addresses that were invited.
    pub invitations: Vec<String>,
    /// True if the account had a second factor.
    pub second_factor: bool,
}

/// Sets a password and ends everything that could undo it. Returns the account's new token generation.
pub(super) async fn renew(
    tx: &mut Tx,
    (audit, by): (&Audit, Actor),
    user: Uuid,
    hash: &str,
    keep: Keep,
    now: Timestamp,
) -> Result<(i64, Ended)> {
    // Comes first because it locks the account: transactions that lock it later see all of this.
    let generation = store::set_password(tx, user, hash, now).await?;
    sessions::store::forget_all(tx, user).await?;
    oidc::store::forget_links(tx, user).await?;
    secrets::store::end_all(tx, user, now).await?;
    address::store::forget(tx, user).await?;
    let kept = KeepWays {
        keys: keep.keys,
        identities: keep.identities,
    };
    let ways = ways::end(tx, user, kept).await?;
    let mut ended = Ended {
        keys: ways.keys,
        identities: ways.identities,
        ..Ended::default()
    };
    if !keep.invitations {
        for revoked in invitations::store::remove_sent(tx, user).await? {
            if let Some(target) = revoked.target() {
                let subject = Subject::new(revoked.id).titled(&revoked.email);
                audit
                    .record(tx, by, target.id(), Action::InvitationRevoked, subject)
                    .await?;
            }
            ended.invitations.push(revoked.email);
        }
    }
    if !keep.second_factor {
        ended.second_factor = second_factor::store::forget(tx, user).await?;
    }
    tracing::info!(
        user.id = %user,
        keys = ended.keys.len(),
        identities = ended.identities.len(),
        invitations = ended.invitations.len(),
        "password renewed"
    );
    Ok((generation, ended))
}

impl Auth {
    /// Lists everything that a new password of this account can end or keep.
    pub(super) async fn holdings_of(&self, user: Uuid) -> Result<Holdings> {
        let (db, now) = (&self.db, self.clock.now());
        let page = Page::new(None, Some(Page::MAX_SIZE));
        let mut identities = oidc::store::list(db, user).await?;
        // The list of identities also holds the password, under the id of its account.
        identities.retain(|identity| identity.id != user);
        let sent =
            invitations::store::list(db, user, InvitationsOf::Caller, now, &page.into()).await?;
        Ok(Holdings {
            keys: api_keys::store::list(db, user).await?,
            identities,
            invitations: sent.items,
        })
    }
}
