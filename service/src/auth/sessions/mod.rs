//! Where a user is signed in: each access token by the device that got it.

pub(super) mod store;

use serde::Serialize;
use uuid::Uuid;

use super::{Auth, Authenticated, address};
use crate::{
    clock::Timestamp,
    db::{DbError, Tx},
    error::{Error, Result},
};

/// A token's use is written down at most this often.
const NOTED_SECONDS: i64 = 600;
/// Most of a device's name that is kept.
const LONGEST_DEVICE: usize = 200;

/// What signs in: the words that a browser or program says of itself (`User-Agent`).
#[derive(Clone, Debug, Default)]
pub struct Device(String);

impl Device {
    /// From `User-Agent`, shortened, without control characters.
    pub fn new(words: &str) -> Self {
        Self(
            words
                .chars()
                .filter(|c| !c.is_control())
                .take(LONGEST_DEVICE)
                .collect(),
        )
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// A place where the caller is signed in.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// Id; the `jti` of its token.
    pub id: Uuid,
    /// What the device said of itself (`User-Agent`); may be empty.
    #[schema(example = "Mozilla/5.0 (X11; Linux x86_64) Firefox/145.0")]
    pub device: String,
    /// Signed in.
    pub created_at: Timestamp,
    /// Last used, to within ten minutes.
    pub last_used_at: Timestamp,
    /// When the token ends by itself.
    pub expires_at: Timestamp,
    /// Whether it is the one of this request.
    #[sqlx(skip)]
    pub current: bool,
}

/// Ends all sessions of a user but one, and a change of the address that waits: one of them may have
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
    /// Where the caller is signed in, the latest first.
    pub async fn sessions(&self, caller: &Authenticated) -> Result<Vec<SignedIn>> {
        let user = caller.actor().user()?;
        let mut found = store::list(&self.db, user, self.clock.now()).await?;
        for session in &mut found {
            session.current = session.id == caller.token_id;
        }
        Ok(found)
    }

    /// Ends one of the caller's sessions, and with another than this one a change of the address
    /// that waits: that session may have asked for it.
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

    /// Ends all of the caller's sessions but this one, and a change of the address that waits.
    pub async fn end_other_sessions(&self, caller: &Authenticated) -> Result<()> {
        let user = caller.actor().user()?;
        let mut tx = self.db.begin().await?;
        end_others(&mut tx, user, caller.token_id).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Holds the caller's account for this transaction; refuses a session that has ended since the
    /// request was let in.
    pub(super) async fn hold(&self, tx: &mut Tx, caller: &Authenticated) -> Result<Uuid> {
        let user = caller.actor().user()?;
        if store::hold(tx, user, caller.token_id).await? {
            Ok(user)
        } else {
            Err(Error::Unauthenticated)
        }
    }

    /// Notes that a session was used; not more often than anybody looks, and never in the way.
    pub(super) async fn note_session(&self, id: Uuid, last_used_at: Option<Timestamp>) {
        let now = self.clock.now();
        if last_used_at.is_some_and(|last| last < now.plus_seconds(-NOTED_SECONDS))
            && let Err(error) = store::note(&self.db, id, now).await
        {
            tracing::debug!(%error, "the use of a session was not noted");
        }
    }
}
