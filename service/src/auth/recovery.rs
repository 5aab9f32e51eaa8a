//! Password resets and the verification of addresses. Both use a link that is mailed.

use domain::error_code::ErrorCode;
use serde::{Deserialize, Serialize};

use super::{
    Auth, Authenticated, Holdings, Keep, check_email, check_password, key, letters,
    passwords::HashFor,
    renewal,
    secrets::{self, CHANGE, RESET, VERIFY, store as secret_store},
    store,
};
use crate::{
    access::Actor,
    error::{Error, Result},
    mail::{Letter, Purpose},
};

/// Request for a link that resets a password.
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
    /// From the mailed link; good for one hour, once. If the link is the first proof of the address, nothing is kept.
    #[schema(example = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6")]
    pub token: String,
    /// The new password.
    #[schema(format = Password, example = "correct horse battery")]
    pub password: String,
    /// Access that stays.
    #[serde(flatten)]
    pub keep: Keep,
}

/// The token of a mailed link.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct VerifyIn {
    /// From the mailed link.
    #[schema(example = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6")]
    pub token: String,
    /// A new password for the account. Required without a session of the account, ignored with one.
    #[serde(default)]
    #[schema(format = Password, example = "correct horse battery")]
    pub password: Option<String>,
}

/// Facts that the holder of a link for a new password may see.
#[derive(Clone, Debug)]
pub struct ResetLink {
    /// The address that it was sent to.
    pub email: String,
    /// True if the account had verified the address before. Otherwise nothing can be kept.
    pub email_verified: bool,
    /// Everything that the new password can end or keep.
    pub holdings: Holdings,
}

/// An address that a link verifies, and the further requirement.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The address.
    pub email: String,
    /// The further requirement.
    pub needs: Needs,
}

/// Requirement for verifying an address, besides the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: the caller has a session of the account, or the address is verified already.
    Nothing,
    /// A session of the account, or a new password, which ends everything that was made before.
    SessionOrPassword,
    /// A session of the account.
    Session,
}

fn invalid_token() -> Error {
    Error::field(
        "/token",
        ErrorCode::InvalidToken,
        "This link was used already, has ended, or never was.",
    )
}

impl Auth {
    /// Mails a link for a new password if an account has the address. The job that sends the letter looks the
    /// account up, so neither the answer nor its duration tells whether it exists.
    pub async fn forgot(&self, input: ForgotIn) -> Result<()> {
        Error::unless_valid(check_email(input.email.trim()))?;
        if !self.mail.is_on() {
            tracing::warn!("a password reset was asked for, but no mail server is configured");
            return Ok(());
        }
        self.post(&letters::reset(&input.email)).await
    }

    /// Queues a letter that stands for itself.
    pub(super) async fn post(&self, letter: &Letter) -> Result<()> {
        let mut tx = self.db.begin().await?;
        self.mail.post(&mut tx, letter).await?;
        tx.commit().await?;
        self.mail.wake();
        Ok(())
    }

    /// Sets a new password by a mailed link and ends everything that [`renewal`] names. The link verifies the
    /// address. If it was not verified before, a stranger may have made the account, so nothing is kept.
    pub async fn reset(&self, input: ResetIn) -> Result<()> {
        Error::unless_valid(check_password("/password", &input.password))?;
        let token = secrets::hash(&input.token);
        let now = self.clock.now();
        // Only the holder of a valid link makes the server hash a password.
        let shown = secret_store::show(&self.db, &token, RESET, now).await?;
        let hasher = HashFor::Account(shown.ok_or_else(invalid_token)?.subject);
        let hash = self.passwords.hash(hasher, input.password).await?;
        let mut tx = self.db.begin().await?;
        let shown = secret_store::take(&mut tx, &token, RESET, now)
            .await?
            .ok_or_else(invalid_token)?;
        let verified = store::verify_email(&mut tx, shown.subject, &shown.email_key, now)
            .await?
            .ok_or_else(invalid_token)?;
        let keep = if verified { input.keep } else { Keep::NOTHING };
        let by = (&*self.audit, Actor::User(shown.subject));
        renewal::renew(&mut tx, by, shown.subject, &hash, keep, now).await?;
        tx.commit().await?;
        tracing::info!(user.id = %shown.subject, "password reset by mail");
        Ok(())
    }

    /// Reads a link for a new password. Returns `None` if it is no longer valid.
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

    /// Reads a link that verifies an address, for this caller. Returns `None` if it is no longer valid.
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

    /// Verifies an address of an account. A pending address becomes the current one.
    ///
    /// With a session of the account nothing else changes. Without one, the caller may not be the person who
    /// made the account. Then the address of a sign-up takes a new password, which ends everything that was
    /// made before. A pending address is refused, because it would give the owner of the mailbox a stranger's
    /// account.
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
        let now = self.clock.now();
        let renewed = match proof.ok_or_else(invalid_token)?.needs {
            Needs::Nothing => None,
            Needs::Session => {
                return Err(Error::forbidden(
                    ErrorCode::SignInFirst,
                    "Sign in to the account that asked for this address, and confirm it there.",
                ));
            }
            Needs::SessionOrPassword => {
                let password = input.password.ok_or_else(|| {
                    Error::field(
                        "/password",
                        ErrorCode::Required,
                        "Without a session of the account, a new password for it: what was made \
                         before ends. Or sign in, and send the token of that session along.",
                    )
                })?;
                Error::unless_valid(check_password("/password", &password))?;
                let shown = secret_store::show(&self.db, &token, VERIFY, now).await?;
                let hasher = HashFor::Account(shown.ok_or_else(invalid_token)?.subject);
                Some(self.passwords.hash(hasher, password).await?)
            }
        };
        let mut tx = self.db.begin().await?;
        let Some(shown) = secret_store::take(&mut tx, &token, VERIFY, now).await? else {
            drop(tx);
            // A pending address requires a session of the account (checked above).
            let caller = caller.ok_or_else(invalid_token)?;
            let changed = self.change_email(caller, &token).await?;
            return changed.then_some(()).ok_or_else(invalid_token);
        };
        let verified = store::verify_email(&mut tx, shown.subject, &shown.email_key, now)
            .await?
            .ok_or_else(invalid_token)?;
        match (caller, renewed) {
            // Another window verified the address meanwhile, so the password of this one was not set.
            (_, Some(_)) if verified => return Err(invalid_token()),
            _ if verified => {}
            (_, Some(hash)) => {
                let by = (&*self.audit, Actor::User(shown.subject));
                renewal::renew(&mut tx, by, shown.subject, &hash, Keep::NOTHING, now).await?;
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

    /// Resends the verification mail, to the pending address if there is one, else to the current one. An address
    /// gets few letters a day about changes to it, whoever asks. The answer does not tell if this one is left out: it
    /// would tell that others ask for the address, or that an account has it.
    ///
    /// # Errors
    /// [`Error::TooMany`] after as many such letters as an account gets in an hour, or its own address in a day.
    pub async fn ask_verification(&self, actor: Actor) -> Result<()> {
        let user = self.me(actor).await?;
        if let Some(email) = &user.pending_email {
            self.check_letters(CHANGE, user.id).await?;
            return self.ask_change_again(&user, email).await;
        }
        if user.email_verified {
            return Ok(());
        }
        self.check_letters(VERIFY, user.id).await?;
        let recipient = key(&user.email);
        self.mail
            .check_recipient(Purpose::Verify, &recipient, None)
            .await?;
        self.post(&letters::verify(user.id, &user.email)).await
    }
}
