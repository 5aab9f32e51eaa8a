//! Commands of the operator on the machine itself. They need no account: access to the database and the
//! secret key is proof enough.

use super::{
    Auth, Ended, Keep, Settings, SignUpIn, User, address, check_email, check_password, key,
    letters, oidc, passwords::HashFor, renewal, secrets, store, tokens,
};
use crate::{
    access::Actor,
    clock::{SharedClock, Timestamp},
    db::{Db, DbError},
    error::{Error, Result},
    secret::SecretKey,
};
use domain::error_code::ErrorCode;

/// Result of a check that the operator runs, with a name for it.
pub(crate) type Tried = (String, Result<()>);

impl Auth {
    /// Makes an account. With `verified`, the operator vouches for its address.
    pub async fn make_account(&self, input: SignUpIn, verified: bool) -> Result<User> {
        let mut user = self.make(HashFor::Client(None), input).await?;
        if verified {
            let mut tx = self.db.begin().await?;
            let now = self.clock.now();
            store::verify_email(&mut tx, user.id, &key(&user.email), now).await?;
            secrets::store::forget_of(&mut tx, user.id, secrets::VERIFY).await?;
            tx.commit().await?;
            user.email_verified = true;
        }
        Ok(user)
    }

    /// Sets the password of an account, by its username or address, and ends everything that could undo it:
    /// an intruder may have had the account.
    pub async fn replace_password(
        &self,
        name: &str,
        password: String,
        keep: Keep,
    ) -> Result<(User, Ended)> {
        Error::unless_valid(check_password("/password", &password))?;
        let user = self.named(name).await?;
        let hash = self
            .passwords
            .hash(HashFor::Account(user.id), password)
            .await?;
        let mut tx = self.db.begin().await?;
        let now = self.clock.now();
        let by = (&*self.audit, Actor::System);
        let (_, ended) = renewal::renew(&mut tx, by, user.id, &hash, keep, now).await?;
        tx.commit().await?;
        tracing::info!(user.id = %user.id, "password replaced by the operator");
        Ok((user, ended))
    }

    /// Replaces the address of an account, which is found by its username or address, and tells the previous
    /// address. With `verified` the operator vouches for the new one; otherwise its owner is asked to verify
    /// it.
    pub async fn replace_email(&self, name: &str, email: &str, verified: bool) -> Result<User> {
        let email = email.trim();
        Error::unless_valid(check_email(email))?;
        let id = self.named(name).await?.id;
        let taken = || {
            Error::conflict(
                Some("/email"),
                ErrorCode::Taken,
                "This e-mail address is taken.",
            )
        };
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        let before = address::store::find(&mut tx, id).await?;
        let before = before.ok_or(Error::NotFound)?;
        if address::store::is_anothers(&mut tx, id, &key(email)).await? {
            return Err(taken());
        }
        match self
            .replace(&mut tx, id, &before, email, verified.then_some(now))
            .await
        {
            Ok(()) => {}
            Err(DbError::Duplicate(_)) => return Err(taken()),
            Err(error) => return Err(error.into()),
        }
        if !verified {
            // The job that writes the letter checks whether the address is verified already.
            self.mail.post(&mut tx, &letters::verify(id, email)).await?;
        }
        tx.commit().await?;
        self.mail.wake();
        tracing::info!(user.id = %id, "e-mail address replaced by the operator");
        store::lookup(&self.db, id, now)
            .await?
            .ok_or(Error::NotFound)
    }

    async fn named(&self, name: &str) -> Result<User> {
        let found = store::credentials(&self.db, &key(name)).await?;
        let now = self.clock.now();
        Ok(found.ok_or(Error::NotFound)?.user(now))
    }
}

/// Number of signing keys that this secret opens. Fails if it does not open one of them.
pub(crate) async fn open_keys(
    db: &Db,
    clock: SharedClock,
    secret: SecretKey,
    settings: Settings,
) -> Result<usize> {
    tokens::Tokens::new(db.clone(), clock, secret, settings.base_url)
        .count()
        .await
}

/// Asks each OpenID Connect provider for its metadata.
pub(crate) async fn reach_providers(settings: Settings, now: Timestamp) -> Result<Vec<Tried>> {
    let providers = oidc::Providers::new(
        settings.providers,
        settings.base_url,
        settings.outbound_allow,
    )?;
    Ok(providers.reach_each(now).await)
}
