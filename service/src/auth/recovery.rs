//! Ways back into an account, and the proof of its address: each by a link in a mail.

use serde::{Deserialize, Serialize};

use super::{
    Auth, Authenticated, Holdings, Keep, check_email, check_password, letters, renewal,
    secrets::{self, RESET, VERIFY, store as secret_store},
    store,
};
use crate::{
    access::Actor,
    error::{Error, Result},
};

/// Whose password is lost.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ForgotIn {
    /// E-mail address of the account.
    #[schema(example = "ada@shop.example")]
    pub email: String,
}

/// A new password, and the token of the mailed link.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResetIn {
    /// From the mailed link; good for one hour, once.
    #[schema(example = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6")]
    pub token: String,
    /// The new password.
    #[schema(format = Password, example = "correct horse battery")]
    pub password: String,
    /// Whether the account's API keys go on working. They end when this is absent, and where the
    /// link proves an address that was not proved before.
    #[serde(default)]
    #[schema(example = true)]
    pub keep_keys: bool,
    /// Whether linked identities go on signing in; as `keepKeys`.
    #[serde(default)]
    #[schema(example = true)]
    pub keep_identities: bool,
    /// Whether invitations that the account sent go on waiting for an answer; as `keepKeys`.
    #[serde(default)]
    #[schema(example = true)]
    pub keep_invitations: bool,
}

/// The token of a mailed link.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct VerifyIn {
    /// From the mailed link.
    #[schema(example = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6")]
    pub token: String,
    /// A new password for the account; needed without a session of it, ignored with one.
    #[serde(default)]
    #[schema(format = Password, example = "correct horse battery")]
    pub password: Option<String>,
}

/// What somebody who shows a link for a new password may know.
#[derive(Clone, Debug)]
pub struct ResetLink {
    /// The address that it was sent to.
    pub email: String,
    /// Whether the account has proved it before. Where not, nothing can be kept.
    pub email_verified: bool,
    /// What the new password ends or keeps.
    pub holdings: Holdings,
}

/// What a link proves, and what that takes.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The address.
    pub email: String,
    /// What has to come with it.
    pub needs: Needs,
}

/// What the proof of an address needs besides its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: this is a session of the account, or the address is proved already.
    Nothing,
    /// A session of the account; or a new password, with which all ends that was made before.
    SessionOrPassword,
    /// A session of the account.
    Session,
}

fn invalid_token() -> Error {
    Error::field(
        "/token",
        "invalid_token",
        "This link was used already, has ended, or never was.",
    )
}

impl Auth {
    /// Mails a link for a new password, if the address is an account's. Whether it is one is found
    /// out later, by the job that sends it, so neither answer nor time tells.
    pub async fn forgot(&self, input: ForgotIn) -> Result<()> {
        let errors = check_email(input.email.trim());
        if !errors.is_empty() {
            return Err(Error::Invalid(errors));
        }
        if !self.mail.is_on() {
            tracing::warn!("a password reset was asked for, but no mail server is configured");
            return Ok(());
        }
        let mut tx = self.db.begin().await?;
        self.mail
            .post(&mut tx, &letters::reset(&input.email))
            .await?;
        tx.commit().await?;
        self.mail.wake();
        Ok(())
    }

    /// Sets a new password by a mailed link, which ends what [`renewal`] says. The link proves the
    /// address; where that was not known before, somebody else may have made the account: nothing of
    /// it is kept.
    pub async fn reset(&self, input: ResetIn) -> Result<()> {
        let errors = check_password("/password", &input.password);
        if !errors.is_empty() {
            return Err(Error::Invalid(errors));
        }
        let token = secrets::hash(&input.token);
        let keep = Keep {
            keys: input.keep_keys,
            identities: input.keep_identities,
            invitations: input.keep_invitations,
        };
        let now = self.clock.now();
        // Only whoever has a link makes the server hash.
        secret_store::show(&self.db, &token, RESET, now)
            .await?
            .ok_or_else(invalid_token)?;
        let hash = self.passwords.hash(input.password).await?;
        let mut tx = self.db.begin().await?;
        let shown = secret_store::take(&mut tx, &token, RESET, now)
            .await?
            .ok_or_else(invalid_token)?;
        let verified = store::verify_email(&mut tx, shown.subject, &shown.email_key, now)
            .await?
            .ok_or_else(invalid_token)?;
        let keep = if verified { keep } else { Keep::NOTHING };
        renewal::renew(&mut tx, shown.subject, &hash, keep, now).await?;
        tx.commit().await?;
        tracing::info!(user.id = %shown.subject, "password reset by mail");
        Ok(())
    }

    /// What a link for a new password is about; `None` when it is good no longer.
    pub async fn reset_link(&self, token: &str) -> Result<Option<ResetLink>> {
        let now = self.clock.now();
        let token = secrets::hash(token);
        let Some(shown) = secret_store::show(&self.db, &token, RESET, now).await? else {
            return Ok(None);
        };
        let Some(user) = store::lookup(&self.db, shown.subject, now).await? else {
            return Ok(None);
        };
        Ok(Some(ResetLink {
            email: shown.email_key,
            email_verified: user.email_verified,
            holdings: self.holdings_of(user.id).await?,
        }))
    }

    /// What a link proves for this caller; `None` when it is good no longer.
    pub async fn proof(
        &self,
        token: &str,
        caller: Option<&Authenticated>,
    ) -> Result<Option<Proof>> {
        let now = self.clock.now();
        let token = secrets::hash(token);
        let own = |subject| caller.is_some_and(|caller| caller.is_session_of(subject));
        let Some(shown) = secret_store::show(&self.db, &token, VERIFY, now).await? else {
            let waits = self.change_link(&token).await?;
            return Ok(waits.map(|(subject, email)| Proof {
                email,
                needs: if own(subject) {
                    Needs::Nothing
                } else {
                    Needs::Session
                },
            }));
        };
        let Some(user) = store::lookup(&self.db, shown.subject, now).await? else {
            return Ok(None);
        };
        let needs = if user.email_verified || own(user.id) {
            Needs::Nothing
        } else {
            Needs::SessionOrPassword
        };
        Ok(Some(Proof {
            email: shown.email_key,
            needs,
        }))
    }

    /// Takes the proof that an address is the account's own; the one that waits becomes it by that.
    ///
    /// A session of the account may send it, and nothing ends. Anybody else who reads the mailbox may
    /// not be the one who made the account: an address of sign-up is proved with a new password, and
    /// all ends that was made before; an address that waits is refused, as it would give the
    /// mailbox's owner an account of somebody else.
    pub async fn verify_email(
        &self,
        caller: Option<&Authenticated>,
        input: VerifyIn,
    ) -> Result<()> {
        if let Some(caller) = caller {
            caller.actor().user()?;
        }
        let proof = self.proof(&input.token, caller).await?;
        let token = secrets::hash(&input.token);
        let renewed = match proof.ok_or_else(invalid_token)?.needs {
            Needs::Nothing => None,
            Needs::Session => {
                return Err(Error::forbidden(
                    "sign_in_first",
                    "Sign in to the account that asked for this address, and confirm it there.",
                ));
            }
            Needs::SessionOrPassword => {
                let password = input.password.ok_or_else(|| {
                    Error::field(
                        "/password",
                        "required",
                        "Without a session of the account, a new password for it: what was made \
                         before ends. Or sign in, and send the token of that session along.",
                    )
                })?;
                let errors = check_password("/password", &password);
                if !errors.is_empty() {
                    return Err(Error::Invalid(errors));
                }
                Some(self.passwords.hash(password).await?)
            }
        };
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let Some(shown) = secret_store::take(&mut tx, &token, VERIFY, now).await? else {
            drop(tx);
            // Only a session of the account comes here.
            let caller = caller.ok_or_else(invalid_token)?;
            let changed = self.change_email(caller, &token).await?;
            return changed.then_some(()).ok_or_else(invalid_token);
        };
        let verified = store::verify_email(&mut tx, shown.subject, &shown.email_key, now)
            .await?
            .ok_or_else(invalid_token)?;
        match (caller, renewed) {
            // Proved in another window meanwhile, and no password of this one was set.
            (_, Some(_)) if verified => return Err(invalid_token()),
            _ if verified => {}
            (_, Some(hash)) => {
                renewal::renew(&mut tx, shown.subject, &hash, Keep::NOTHING, now).await?;
            }
            (Some(caller), None) if caller.is_session_of(shown.subject) => {
                self.hold(&mut tx, caller).await?;
            }
            (_, None) => return Err(invalid_token()),
        }
        secret_store::forget_of(&mut tx, shown.subject, VERIFY).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Mails the caller another link that proves the address: the one that waits, else the present.
    pub async fn ask_verification(&self, actor: Actor) -> Result<()> {
        let user = self.me(actor).await?;
        if let Some(email) = &user.pending_email {
            return self.ask_change_again(&user, email).await;
        }
        if user.email_verified {
            return Ok(());
        }
        let mut tx = self.db.begin().await?;
        let letter = letters::verify(user.id, &user.email);
        self.mail.post(&mut tx, &letter).await?;
        tx.commit().await?;
        self.mail.wake();
        Ok(())
    }
}
