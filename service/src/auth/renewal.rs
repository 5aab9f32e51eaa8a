//! Another password for an account, and all that ends with it.
//!
//! Somebody else may have had the account until now, and have left ways back into it. So every way in
//! ends in the transaction that sets the password: sessions and the links that they began, mailed
//! links, an address that waits, API keys, linked identities, and invitations that speak for the
//! account. Of the last three an owner may keep what is known to be good.

use serde::Serialize;
use uuid::Uuid;

use super::{
    ApiKey, Auth, Identity, Invitation, InvitationsOf, address, api_keys, invitations, oidc,
    secrets, sessions, store,
};
use crate::{
    clock::Timestamp,
    db::{Tx, page::Page},
    error::Result,
};

/// What goes on working behind another password.
#[derive(Clone, Copy, Debug, Default)]
pub struct Keep {
    /// API keys.
    pub keys: bool,
    /// Linked identities.
    pub identities: bool,
    /// Invitations that wait for an answer.
    pub invitations: bool,
}

impl Keep {
    pub(super) const NOTHING: Self = Self {
        keys: false,
        identities: false,
        invitations: false,
    };
}

/// What another password may end or keep.
#[derive(Clone, Debug, Serialize)]
pub struct Holdings {
    /// API keys, the latest first.
    pub keys: Vec<ApiKey>,
    /// Linked identities.
    pub identities: Vec<Identity>,
    /// Invitations that the account sent and that wait for an answer, the latest first.
    pub invitations: Vec<Invitation>,
}

/// What has ended besides sessions.
#[derive(Clone, Debug, Default)]
pub struct Ended {
    /// Names of API keys.
    pub keys: Vec<String>,
    /// Providers of identities.
    pub identities: Vec<String>,
    /// Addresses that were invited.
    pub invitations: Vec<String>,
}

/// Sets a password and ends what could undo it. Answers with the account's new token generation.
pub(super) async fn renew(
    tx: &mut Tx,
    user: Uuid,
    hash: &str,
    keep: Keep,
    now: Timestamp,
) -> Result<(i64, Ended)> {
    // First, as it locks the account: what is written behind a lock of its own sees all of this.
    let generation = store::set_password(tx, user, hash, now).await?;
    sessions::store::forget_all(tx, user).await?;
    oidc::store::forget_links(tx, user).await?;
    secrets::store::end_all(tx, user, now).await?;
    address::store::forget(tx, user).await?;
    let mut ended = Ended::default();
    if !keep.keys {
        ended.keys = api_keys::store::remove_all(tx, user).await?;
    }
    if !keep.identities {
        ended.identities = oidc::store::remove_all(tx, user).await?;
    }
    if !keep.invitations {
        ended.invitations = invitations::store::remove_sent(tx, user).await?;
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
    /// What another password of this account may end or keep.
    pub(super) async fn holdings_of(&self, user: Uuid) -> Result<Holdings> {
        let (db, now) = (&self.db, self.clock.now());
        let page = Page::new(None, Some(Page::MAX_SIZE));
        let mut identities = oidc::store::list(db, user).await?;
        // The password itself stands among the ways to sign in, by the id of its account.
        identities.retain(|identity| identity.id != user);
        let sent = invitations::store::list(db, user, InvitationsOf::Caller, now, page).await?;
        Ok(Holdings {
            keys: api_keys::store::list(db, user).await?,
            identities,
            invitations: sent.items,
        })
    }
}
