//! Sessions of a user: each access token with the device that received it.

pub(super) mod store;

use domain::format::is_hidden;
use serde::Serialize;
use uuid::Uuid;

use super::{Auth, Authenticated, address};
use crate::{
    clock::Timestamp,
    db::{DbError, Tx},
    error::{Error, Result},
    prefix::Subscriber,
};

/// Shortest time between two updates of a session's last use.
const NOTED_SECONDS: i64 = 600;
/// Longest name of a device that is stored.
const LONGEST_DEVICE: usize = 200;

/// The browser or program that signs in.
#[derive(Clone, Debug, Default)]
pub struct Device {
    name: String,
    network: Option<Subscriber>,
}

impl Device {
    /// Takes a `User-Agent`, shortens it and removes hidden characters; and the network that counts as one
    /// client, if it is known.
    pub fn new(words: &str, network: Option<Subscriber>) -> Self {
        let name = words.chars().filter(|c| !is_hidden(*c));
        Self {
            name: name.take(LONGEST_DEVICE).collect(),
            network,
        }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.name
    }

    pub(super) fn network(&self) -> Option<Subscriber> {
        self.network
    }
}

/// A session of the caller.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// Id; the `jti` of its token.
    pub id: Uuid,
    /// The device's `User-Agent`; may be empty.
    #[schema(example = "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0")]
    pub device: String,
    /// Time of sign-in.
    pub created_at: Timestamp,
    /// Last used, to within ten minutes.
    pub last_used_at: Timestamp,
    /// When the token ends by itself.
    pub expires_at: Timestamp,
    /// True for the session of this request.
    #[sqlx(skip)]
    pub current: bool,
}

/// Ends all sessions of a user but one. Drops the pending address too, because an ended session may have
/// asked for it.
pub(super) async fn end_others(
    tx: &mut Tx,
    user: Uuid,
    but: Uuid,
) -> std::result::Result<(), DbError> {
    store::end(tx, user, None, Some(but)).await?;
    address::store::forget(tx, user).await
}

impl Auth {
    /// Lists the caller's sessions, the newest first.
    pub async fn sessions(&self, caller: &Authenticated) -> Result<Vec<SignedIn>> {
        let user = caller.actor().user()?;
        let mut found = store::list(&self.db, user, self.clock.now()).await?;
        for session in &mut found {
            session.current = session.id == caller.token_id;
        }
        Ok(found)
    }

    /// Ends one of the caller's sessions. If it is another than this one, it may have asked for the pending
    /// address, which is dropped too.
    pub async fn end_session(&self, caller: &Authenticated, id: Uuid) -> Result<()> {
        let user = caller.actor().user()?;
        let mut tx = self.db.begin().await?;
        if store::end(&mut tx, user, Some(id), None).await? == 0 {
            return Err(Error::NotFound);
        }
        if id != caller.token_id {
            address::store::forget(&mut tx, user).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Ends all of the caller's sessions but this one and drops the pending address.
    pub async fn end_other_sessions(&self, caller: &Authenticated) -> Result<()> {
        let user = caller.actor().user()?;
        let mut tx = self.db.begin().await?;
        end_others(&mut tx, user, caller.token_id).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Locks the caller's account for this transaction. Refuses a session that has ended since the request
    /// began.
    pub(super) async fn hold(&self, tx: &mut Tx, caller: &Authenticated) -> Result<Uuid> {
        let user = caller.actor().user()?;
        if store::hold(tx, user, caller.token_id).await? {
            Ok(user)
        } else {
            Err(Error::Unauthenticated)
        }
    }

    /// Notes the use of a session, at most every ten minutes. A failure does not stop the request.
    pub(super) async fn note_session(&self, id: Uuid, last_used_at: Option<Timestamp>) {
        let now = self.clock.now();
        if last_used_at.is_some_and(|last| last < now.plus_seconds(-NOTED_SECONDS))
            && let Err(error) = store::note(&self.db, id, now).await
        {
            tracing::debug!(%error, "the use of a session was not noted");
        }
    }
}
