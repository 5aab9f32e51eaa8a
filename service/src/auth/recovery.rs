//! Ways back into an account, and the proof of its address: each by a link in a mail.

use serde::{Deserialize, Serialize};

use super::{
    Auth, address, api_keys, check_email, check_password, letters, oidc,
    secrets::{self, RESET, VERIFY, store as secret_store},
    sessions, store,
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
pub struct ResetIn {
    /// From the mailed link; good for one hour, once.
    #[schema(example = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6")]
    pub token: String,
    /// The new password.
    #[schema(format = Password, example = "correct horse battery")]
    pub password: String,
}

/// The token of a mailed link.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct VerifyIn {
    /// From the mailed link.
    #[schema(example = "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6")]
    pub token: String,
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

    /// Sets a new password by a mailed link and revokes all tokens. The link proves the address;
    /// where that was not known before, whoever made the account may have been somebody else, whose
    /// keys and identities end too.
    pub async fn reset(&self, input: ResetIn) -> Result<()> {
        let errors = check_password("/password", &input.password);
        if !errors.is_empty() {
            return Err(Error::Invalid(errors));
        }
        let token = secrets::hash(&input.token);
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
        store::set_password(&mut tx, shown.subject, &hash, now).await?;
        sessions::store::forget_all(&mut tx, shown.subject).await?;
        address::store::forget(&mut tx, shown.subject).await?;
        if !verified {
            api_keys::store::remove_all(&mut tx, shown.subject).await?;
            oidc::store::remove_all(&mut tx, shown.subject).await?;
        }
        secret_store::forget_of(&mut tx, shown.subject, RESET).await?;
        tx.commit().await?;
        tracing::info!(user.id = %shown.subject, "password reset by mail");
        Ok(())
    }

    /// The address that a link for a new password was sent to; `None` when the link is good no longer.
    pub async fn reset_address(&self, token: &str) -> Result<Option<String>> {
        self.mailed_to(RESET, token).await
    }

    /// The address that a link proves; `None` when the link is good no longer.
    pub async fn verify_address(&self, token: &str) -> Result<Option<String>> {
        match self.mailed_to(VERIFY, token).await? {
            Some(address) => Ok(Some(address)),
            None => self.change_address(&secrets::hash(token)).await,
        }
    }

    async fn mailed_to(&self, purpose: &str, token: &str) -> Result<Option<String>> {
        let now = self.clock.now();
        let shown = secret_store::show(&self.db, &secrets::hash(token), purpose, now).await?;
        Ok(shown.map(|shown| shown.email_key))
    }

    /// Takes the proof that an address is the account's own; the one that waits becomes it by that.
    pub async fn verify_email(&self, input: VerifyIn) -> Result<()> {
        let token = secrets::hash(&input.token);
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let Some(shown) = secret_store::take(&mut tx, &token, VERIFY, now).await? else {
            drop(tx);
            let changed = self.change_email(&token).await?;
            return changed.then_some(()).ok_or_else(invalid_token);
        };
        store::verify_email(&mut tx, shown.subject, &shown.email_key, now)
            .await?
            .ok_or_else(invalid_token)?;
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
