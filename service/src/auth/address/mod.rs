//! Another e-mail address for an account: it waits until the link that was mailed to it is used.
//!
//! Whether somebody else has the address is looked up by the job that writes the letter, and decided
//! when the link is used, so neither the answer nor its time tells whether there is such an account.
//! Whatever makes a stranger's token worthless ends a change that waits, too: the stranger may have
//! asked for it.

pub(super) mod store;

use uuid::Uuid;

use super::{
    Auth, Authenticated, User, key, letters,
    secrets::{CHANGE, RESET, VERIFY, store as secret_store},
};
use crate::{
    access::Actor,
    clock::Timestamp,
    db::{DbError, Tx},
    error::Result,
    mail::Letter,
};

/// An address waits this long for its proof.
pub(super) const CHANGE_SECONDS: i64 = 86_400;

impl Auth {
    /// Asks for another address by a letter to it. Asked for already, it goes on waiting.
    pub(super) async fn ask_change(&self, tx: &mut Tx, user: &User, email: &str) -> Result<()> {
        if user.pending_email.as_deref() == Some(email) {
            return Ok(());
        }
        let until = self.clock.now().plus_seconds(CHANGE_SECONDS);
        store::wait(tx, user.id, email, until).await?;
        self.mail.post(tx, &letters::change(user.id, email)).await?;
        Ok(())
    }

    /// Sends the letter to the address that waits once more, which then may wait anew.
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

    /// Keeps the caller's present address.
    pub async fn keep_email(&self, actor: Actor) -> Result<()> {
        let user = actor.user()?;
        let mut tx = self.db.begin().await?;
        store::forget(&mut tx, user).await?;
        tx.commit().await?;
        Ok(())
    }

    /// The account and address that a link of a change is about, while it may still be used.
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

    /// Gives the caller's account the address that waits, by the link that was mailed there; `false`
    /// when the link is worth nothing. Who was first among several has the address.
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
            // The link is used up, and what it was for cannot happen.
            store::forget(&mut tx, shown.subject).await?;
            tx.commit().await?;
            return Ok(false);
        }
        match self
            .replace(&mut tx, shown.subject, &before, &email, Some(now))
            .await
        {
            Ok(()) => {}
            // Somebody took the address since it was looked up.
            Err(DbError::Duplicate(_)) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        tx.commit().await?;
        self.mail.wake();
        tracing::info!(user.id = %shown.subject, "e-mail address changed");
        Ok(true)
    }

    /// Gives an account another address, and tells the one of before.
    pub(super) async fn replace(
        &self,
        tx: &mut Tx,
        user: Uuid,
        before: &store::Addresses,
        email: &str,
        verified_at: Option<Timestamp>,
    ) -> std::result::Result<(), DbError> {
        store::replace(tx, user, email, verified_at, self.clock.now()).await?;
        // Their links were sent to the address of before.
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
                before.display_name, before.username, self.base_url, self.base_url
            ),
        );
        self.mail.post(tx, &letter).await
    }
}
