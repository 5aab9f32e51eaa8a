//! Changes of an account's e-mail address. The pending address replaces the current one when the owner uses
//! the link that is mailed to it.
//!
//! The job that writes the letter looks up whether another account has the address, and the use of the link
//! decides. So neither the answer nor its duration tells whether such an account exists. Every action that
//! revokes a stranger's tokens also drops the pending address, because the stranger may have asked for it.

pub(super) mod store;

use uuid::Uuid;

use super::{
    Auth, Authenticated, User, key,
    letters::{self, CHANGE_SECONDS},
    secrets::{CHANGE, RESET, VERIFY, store as secret_store},
};
use crate::{
    access::Actor,
    clock::Timestamp,
    db::{DbError, Tx},
    error::{Error, Result},
    mail::{Letter, quoted},
};

/// New addresses that an account asks for on a day (UTC).
const MOST_ADDRESSES: u32 = 5;

impl Auth {
    /// Makes `email` the pending address and mails the link to it. Does nothing if it is pending already.
    ///
    /// # Errors
    /// [`Error::TooMany`] after so many addresses on a day.
    pub(super) async fn ask_change(&self, tx: &mut Tx, user: &User, email: &str) -> Result<()> {
        if user.pending_email.as_deref() == Some(email) {
            return Ok(());
        }
        let now = self.clock.now();
        // Each letter goes to somebody who may be a stranger.
        if !self.changes.add(user.id, now.day(), MOST_ADDRESSES) {
            return Err(Error::TooMany {
                retry_after: now.left_of_day(),
            });
        }
        let until = now.plus_seconds(CHANGE_SECONDS);
        store::wait(tx, user.id, email, until).await?;
        self.mail.post(tx, &letters::change(user.id, email)).await?;
        Ok(())
    }

    /// Mails the link to the pending address again and extends its deadline.
    pub(super) async fn ask_change_again(&self, user: &User, email: &str) -> Result<()> {
        let until = self.clock.now().plus_seconds(CHANGE_SECONDS);
        let mut tx = self.db.begin().await?;
        if store::wait_on(&mut tx, user.id, email, until).await? {
            self.mail
                .post(&mut tx, &letters::change(user.id, email))
                .await?;
        }
        tx.commit().await?;
        self.mail.wake();
        Ok(())
    }

    /// Drops the caller's pending address.
    pub async fn keep_email(&self, actor: Actor) -> Result<()> {
        let user = actor.user()?;
        let mut tx = self.db.begin().await?;
        store::forget(&mut tx, user).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Account and address of a link that confirms a change, if the link is still valid.
    pub(super) async fn change_link(&self, token: &[u8]) -> Result<Option<(Uuid, String)>> {
        let now = self.clock.now();
        let Some(shown) = secret_store::show(&self.db, token, CHANGE, now).await? else {
            return Ok(None);
        };
        let user = super::store::lookup(&self.db, shown.subject, now).await?;
        let waits = user.and_then(|user| user.pending_email);
        Ok(waits
            .filter(|email| key(email) == shown.email_key)
            .map(|email| (shown.subject, email)))
    }

    /// Makes the caller's pending address the current one, by the link that was mailed to it. Returns `false`
    /// if the link is not valid. If several accounts want the address, the first use of a link wins.
    pub(super) async fn change_email(&self, caller: &Authenticated, token: &[u8]) -> Result<bool> {
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let user = self.hold(&mut tx, caller).await?;
        let shown = secret_store::take(&mut tx, token, CHANGE, now).await?;
        let Some(shown) = shown.filter(|shown| shown.subject == user) else {
            return Ok(false);
        };
        let Some(before) = store::find(&mut tx, shown.subject).await? else {
            return Ok(false);
        };
        let Some(email) = before
            .waits(now)
            .filter(|email| key(email) == shown.email_key)
            .map(str::to_owned)
        else {
            return Ok(false);
        };
        if store::is_anothers(&mut tx, shown.subject, &shown.email_key).await? {
            // Use up the link, because the address belongs to another account.
            store::forget(&mut tx, shown.subject).await?;
            tx.commit().await?;
            return Ok(false);
        }
        match self
            .replace(&mut tx, shown.subject, &before, &email, Some(now))
            .await
        {
            Ok(()) => {}
            // Another account took the address after the check above.
            Err(DbError::Duplicate(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        tx.commit().await?;
        self.mail.wake();
        tracing::info!(user.id = %shown.subject, "e-mail address changed");
        Ok(true)
    }

    /// Replaces an account's address and tells the previous address about it.
    pub(super) async fn replace(
        &self,
        tx: &mut Tx,
        user: Uuid,
        before: &store::Addresses,
        email: &str,
        verified_at: Option<Timestamp>,
    ) -> std::result::Result<(), DbError> {
        store::replace(tx, user, email, verified_at, self.clock.now()).await?;
        // These links were mailed to the previous address.
        secret_store::forget_of(tx, user, VERIFY).await?;
        secret_store::forget_of(tx, user, RESET).await?;
        if key(&before.email) == key(email) {
            return Ok(());
        }
        let letter = Letter::plain(
            &before.email,
            "Your account has another e-mail address",
            &format!(
                "Hello {},\n\nyour account {} at {} has another e-mail address from now on; letters \
                 about it come here no longer.\n\nIf it was not you, tell whoever runs {} at once.\n",
                quoted(&before.display_name),
                quoted(&before.username),
                self.base_url,
                self.base_url
            ),
        );
        self.mail.post(tx, &letter).await
    }
}
