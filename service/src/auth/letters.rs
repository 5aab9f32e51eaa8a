//! Texts of the letters about accounts. The secret of a link is made here, at the moment of sending.

use futures::future::BoxFuture;
use uuid::Uuid;

use super::{
    Auth, User, key,
    secrets::{
        self, CHANGE, INVITE, RESET, TAKEN, VERIFY,
        store::{self as secret_store, Secret},
    },
    store,
};
use crate::{
    error::{Error, Result},
    mail::{Composer, Letter, Message, Purpose, RESET_SECONDS, quoted},
};

/// Lifetime of a link that confirms a new address, and of the pending address with it.
pub(super) const CHANGE_SECONDS: i64 = 86_400;
/// Lifetime of a link that verifies an address.
const VERIFY_DAYS: i64 = 7;
/// Letters of one purpose that an account gets in an hour. More are dropped, so that nobody can fill a
/// stranger's mailbox. [`Auth::check_letters`] says so before, to somebody who asks about the own address.
const MOST_AN_HOUR: i64 = 4;

/// Letter that asks an account to verify its address.
pub(super) fn verify(user: Uuid, email: &str) -> Letter {
    Letter {
        purpose: Purpose::Verify,
        recipient: key(email),
        content: user.to_string(),
        sender: None,
    }
}

/// Letter that asks to confirm a new address. If another account has the address, its owner is told instead.
pub(super) fn change(user: Uuid, email: &str) -> Letter {
    Letter {
        purpose: Purpose::Change,
        recipient: key(email),
        content: user.to_string(),
        sender: None,
    }
}

/// Letter with a link for a new password, if an account has this address.
pub(super) fn reset(email: &str) -> Letter {
    Letter {
        purpose: Purpose::Reset,
        recipient: email.trim().to_owned(),
        content: String::new(),
        sender: None,
    }
}

impl Composer for Auth {
    /// Writes a letter about an account. Returns `None` if nobody should receive it.
    fn compose<'a>(
        &'a self,
        purpose: Purpose,
        recipient: &'a str,
        content: &'a str,
        is_again: bool,
    ) -> BoxFuture<'a, Result<Option<Message>>> {
        // A letter that the mail server did not take is still the same letter.
        let most = if is_again { i64::MAX } else { MOST_AN_HOUR };
        Box::pin(async move {
            match purpose {
                Purpose::Verify => self.verify_letter(recipient, content, most).await,
                Purpose::Change => self.change_letter(recipient, content, most).await,
                Purpose::Reset => self.reset_letter(recipient, most).await,
                Purpose::Invitation => self.invitation_letter(recipient, content, most).await,
                Purpose::Plain => Ok(None),
            }
        })
    }
}

impl Auth {
    /// Refuses one more letter of this purpose to an account that had as many as it gets.
    ///
    /// # Errors
    /// [`Error::TooMany`] until the first of them is an hour old.
    pub(super) async fn check_letters(&self, purpose: &str, account: Uuid) -> Result<()> {
        let now = self.clock.now();
        let since = now.plus_seconds(-secrets::COUNTED_SECONDS);
        let first =
            secret_store::nth_last(&self.db, account, purpose, (MOST_AN_HOUR, since)).await?;
        let Some(first) = first else { return Ok(()) };
        let left = first.plus_seconds(secrets::COUNTED_SECONDS).seconds() - now.seconds();
        Err(Error::TooMany {
            retry_after: left.max(1).unsigned_abs(),
        })
    }

    async fn verify_letter(
        &self,
        recipient: &str,
        content: &str,
        most: i64,
    ) -> Result<Option<Message>> {
        let user = self.account_in(content).await?;
        // The account's address may have changed since the letter was queued.
        let Some(user) =
            user.filter(|user| !user.email_verified && key(&user.email) == key(recipient))
        else {
            return Ok(None);
        };
        let ends = self.clock.now().plus_days(VERIFY_DAYS);
        let Some(secret) = self
            .mailed(VERIFY, user.id, (&user.email, ends), most)
            .await?
        else {
            return Ok(None);
        };
        let link = format!("{}/verify-email?token={secret}", self.base_url);
        Ok(Some(Message {
            to: user.email,
            subject: "Confirm your e-mail address".to_owned(),
            text: format!(
                "Hello {},\n\nplease confirm that this address is yours:\n\n{link}\n\n\
                 The link is good for {VERIFY_DAYS} days. If you did not sign up at {}, \
                 ignore this e-mail.\n",
                quoted(&user.display_name),
                self.base_url
            ),
            link: Some(link),
        }))
    }

    async fn account_in(&self, content: &str) -> Result<Option<User>> {
        let Ok(id) = Uuid::parse_str(content) else {
            return Ok(None);
        };
        Ok(store::lookup(&self.db, id, self.clock.now()).await?)
    }

    async fn change_letter(
        &self,
        recipient: &str,
        content: &str,
        most: i64,
    ) -> Result<Option<Message>> {
        let Some(user) = self.account_in(content).await? else {
            return Ok(None);
        };
        // The pending address may have changed since the letter was queued.
        let pending = user.pending_email.as_deref();
        let Some(email) = pending.filter(|email| key(email) == key(recipient)) else {
            return Ok(None);
        };
        let now = self.clock.now();
        let ends = now.plus_seconds(CHANGE_SECONDS);
        // Counts against the account that asks, even if the link is not sent.
        let Some(secret) = self.mailed(CHANGE, user.id, (email, ends), most).await? else {
            return Ok(None);
        };
        if let Some(owner) = store::account_of_email(&self.db, &key(email), now).await? {
            return self.taken_letter(owner, most).await;
        }
        let link = format!("{}/verify-email?token={secret}", self.base_url);
        Ok(Some(Message {
            to: email.to_owned(),
            subject: "Confirm your new e-mail address".to_owned(),
            // The account that asks has proved nothing about this mailbox. So the letter quotes nothing of it
            // but its username.
            text: format!(
                "Hello,\n\nsomebody asked that this be the address of the account {} at {}. If it \
                 was you, sign in to that account and confirm it:\n\n{link}\n\nThe link is good \
                 once, within 24 hours of the wish. If it was not you, ignore this e-mail: nothing changes.\n",
                quoted(&user.username),
                self.base_url
            ),
            link: Some(link),
        }))
    }

    /// Tells an account that another one wants its address, without saying which.
    async fn taken_letter(&self, owner: User, most: i64) -> Result<Option<Message>> {
        let ends = self.clock.now().plus_seconds(3_600);
        if self
            .mailed(TAKEN, owner.id, (&owner.email, ends), most)
            .await?
            .is_none()
        {
            return Ok(None);
        }
        Ok(Some(Message {
            // The account's stored address: the requested one may only look like it.
            to: owner.email,
            subject: "Somebody tried to use your e-mail address".to_owned(),
            text: format!(
                "Hello {},\n\nsomebody asked for this address for another account at {}. It is that \
                 of your account {}, so nothing has changed.\n\nIf it was you, sign in to this \
                 account; a new password for it comes here. If it was not you, ignore this e-mail.\n",
                quoted(&owner.display_name),
                self.base_url,
                quoted(&owner.username)
            ),
            link: None,
        }))
    }

    async fn reset_letter(&self, recipient: &str, most: i64) -> Result<Option<Message>> {
        let now = self.clock.now();
        let Some(user) = store::account_of_email(&self.db, &key(recipient), now).await? else {
            return Ok(None);
        };
        let ends = now.plus_seconds(RESET_SECONDS);
        let Some(secret) = self
            .mailed(RESET, user.id, (&user.email, ends), most)
            .await?
        else {
            return Ok(None);
        };
        let link = format!("{}/reset-password?token={secret}", self.base_url);
        Ok(Some(Message {
            // The account's stored address: the requested one may only look like it.
            to: user.email,
            subject: "Choose a new password".to_owned(),
            text: format!(
                "Hello {},\n\nsomebody asked for a new password for your account at {}. \
                 Choose it here:\n\n{link}\n\nThe link is good for one hour, once. If it was not \
                 you, ignore this e-mail: your password stays as it is.\n",
                quoted(&user.display_name),
                self.base_url
            ),
            link: Some(link),
        }))
    }

    async fn invitation_letter(
        &self,
        recipient: &str,
        content: &str,
        most: i64,
    ) -> Result<Option<Message>> {
        let Ok(id) = Uuid::parse_str(content) else {
            return Ok(None);
        };
        let Some(invited) = self.invited(id).await? else {
            return Ok(None);
        };
        let ends = invited.expires_at;
        let Some(secret) = self.mailed(INVITE, id, (recipient, ends), most).await? else {
            return Ok(None);
        };
        let link = format!("{}/invitation?token={secret}", self.base_url);
        let (sender, name) = (quoted(&invited.invited_by), quoted(&invited.name));
        let role = invited.role.as_str();
        Ok(Some(Message {
            to: invited.email,
            // Subjects quote no words of strangers, because lists and notifications show them.
            subject: "Somebody invites you to work together".to_owned(),
            text: format!(
                "{sender} invites you to {name} at {}, as {role}:\n\n{link}\n\n\
                 The link is good for {} days. You need an account with this address; the link \
                 leads to one. If you do not know {sender}, ignore this e-mail.\n",
                self.base_url,
                super::invitations::DAYS
            ),
            link: Some(link),
        }))
    }

    /// Makes the secret of a link about this subject for an address, good until a moment, unless the subject had `most`
    /// letters of this purpose in an hour.
    async fn mailed(
        &self,
        purpose: &'static str,
        subject: Uuid,
        (email, expires_at): (&str, crate::clock::Timestamp),
        most: i64,
    ) -> Result<Option<String>> {
        let now = self.clock.now();
        let secret = secrets::make();
        let kept = secret_store::add(
            &self.db,
            &Secret {
                hash: secrets::hash(&secret),
                purpose,
                subject,
                email_key: &key(email),
                created_at: now,
                expires_at,
            },
            most,
            now.plus_seconds(-secrets::COUNTED_SECONDS),
        )
        .await?;
        if !kept {
            tracing::warn!(%subject, purpose, "too many letters; this one is dropped");
            return Ok(None);
        }
        Ok(Some(secret))
    }
}
