//! The caller's own account: its names, its address and its password.

use domain::{error_code::ErrorCode, field_error::FieldError};
use serde::{Deserialize, Serialize};

use super::{
    Auth, Authenticated, Device, Holdings, Keep, Session, User, address,
    checks::{check_display_name, check_email, check_password, key},
    passwords::HashFor,
    renewal,
    sessions::store::Proven,
    store,
    tries::Asker,
};
use crate::{
    access::Actor,
    error::{Error, Result},
};

/// Changes of an account.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileIn {
    /// Name shown to others.
    #[schema(example = "Ada Lovelace")]
    pub display_name: String,
    /// Name to sign in with. It cannot change: send the current one, in any case of its letters, or nothing.
    #[serde(default)]
    #[schema(example = "ada")]
    pub username: Option<String>,
    /// E-mail address. A new one takes effect when its owner uses the link that is mailed to it; the current
    /// one drops a pending change; absent, nothing changes.
    #[serde(default)]
    #[schema(example = "ada@new.example")]
    pub email: Option<String>,
    /// The current password. Required to ask for another e-mail address if the account has a password.
    #[serde(default)]
    #[schema(example = "correct horse battery", format = Password)]
    pub present_password: Option<String>,
    /// True asks for a letter about each concern of a project. Absent, the choice stays.
    #[serde(default)]
    pub concern_letters: Option<bool>,
    /// True asks for a letter about all projects on Mondays. Absent, the choice stays.
    #[serde(default)]
    pub digest_letters: Option<bool>,
}

/// A change of the password.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasswordIn {
    /// The current password.
    #[schema(example = "correct horse battery")]
    pub password: String,
    /// The new password.
    #[schema(example = "staple correct horse battery")]
    pub new_password: String,
    /// Access that stays.
    #[serde(flatten)]
    pub keep: Keep,
}

impl Auth {
    /// The caller's account.
    pub async fn me(&self, actor: Actor) -> Result<User> {
        store::lookup(&self.db, actor.user()?, self.clock.now())
            .await?
            .ok_or(Error::Unauthenticated)
    }

    /// Changes the caller's account. A new address becomes pending, even if another account has it. The
    /// username stays.
    pub async fn update_me(&self, caller: &Authenticated, input: ProfileIn) -> Result<User> {
        let actor = caller.actor();
        let before = self.me(actor).await?;
        let trimmed = |text: String| text.trim().to_owned();
        let username = input.username.map(trimmed);
        let username = username.unwrap_or_else(|| before.username.clone());
        let email = input.email.map(trimmed);
        let asked = email
            .as_ref()
            .filter(|email| key(email) != key(&before.email));
        let mut errors = Vec::new();
        if key(&username) != key(&before.username) {
            errors.push(FieldError::new(
                "/username",
                ErrorCode::ReadOnly,
                "A username stays as it is.",
            ));
        }
        if let Some(email) = asked {
            let mut wrong = check_email(email);
            if wrong.is_empty() && !self.mail.is_on() {
                wrong.push(FieldError::new(
                    "/email",
                    ErrorCode::MailOff,
                    "This server sends no mail, so it cannot ask a new address for a proof; \
                     whoever runs it can change yours.",
                ));
            }
            errors.extend(wrong);
        }
        errors.extend(check_display_name(&input.display_name));
        Error::unless_valid(errors)?;
        // Letters that reset the password go to the new address. So an abandoned session must not be enough.
        if asked.is_some() && before.pending_email != email {
            self.confirm_password(caller, &before, input.present_password)
                .await?;
        }
        let mut tx = self.db.begin().await?;
        self.hold(&mut tx, caller).await?;
        let user = User {
            display_name: trimmed(input.display_name),
            username,
            // The current address may be spelled anew.
            email: email
                .clone()
                .filter(|_| asked.is_none())
                .unwrap_or_else(|| before.email.clone()),
            concern_letters: input.concern_letters.unwrap_or(before.concern_letters),
            digest_letters: input.digest_letters.unwrap_or(before.digest_letters),
            ..before
        };
        store::update(&mut tx, &user, self.clock.now()).await?;
        match asked {
            Some(email) => self.ask_change(&mut tx, &user, email).await?,
            None if email.is_some() => address::store::forget(&mut tx, user.id).await?,
            None => {}
        }
        tx.commit().await?;
        self.mail.wake();
        self.me(actor).await
    }

    /// Refuses unless this is the account's password. Returns `false` if the account has none.
    pub(super) async fn confirm_password(
        &self,
        caller: &Authenticated,
        user: &User,
        password: Option<String>,
    ) -> Result<bool> {
        const FIELD: &str = "/presentPassword";
        let Some(hash) = self.password_hash(user).await? else {
            return Ok(false);
        };
        let Some(password) = password else {
            return Err(Error::field(
                FIELD,
                ErrorCode::Required,
                "Required: the current password.",
            ));
        };
        self.try_own_password(caller, user, (FIELD, password), Some(hash))
            .await?;
        Ok(true)
    }

    async fn password_hash(&self, user: &User) -> Result<Option<String>> {
        let found = store::credentials(&self.db, &key(&user.username)).await?;
        Ok(found.and_then(|found| found.password_hash))
    }

    /// Refuses the text of a field unless it is the caller's password.
    async fn try_own_password(
        &self,
        caller: &Authenticated,
        user: &User,
        (field, password): (&str, String),
        hash: Option<String>,
    ) -> Result<()> {
        let (name, asker) = (key(&user.username), Asker::Session(caller.token_id));
        let hasher = HashFor::Account(user.id);
        if self
            .try_password((&name, asker), hasher, password, hash)
            .await?
        {
            return Ok(());
        }
        Err(Error::field(
            field,
            ErrorCode::WrongPassword,
            "This is not your password.",
        ))
    }

    /// Lists everything that a new password of the caller can end or keep.
    pub async fn holdings(&self, actor: Actor) -> Result<Holdings> {
        self.holdings_of(actor.user()?).await
    }

    /// Changes the caller's password, revokes all of the caller's tokens, ends everything that [`renewal`]
    /// names, and gives a fresh token.
    pub async fn change_password(
        &self,
        caller: &Authenticated,
        input: PasswordIn,
        device: &Device,
    ) -> Result<Session> {
        Error::unless_valid(check_password("/newPassword", &input.new_password))?;
        let user = self.me(caller.actor()).await?;
        let hash = self.password_hash(&user).await?;
        self.try_own_password(caller, &user, ("/password", input.password), hash)
            .await?;
        let hasher = HashFor::Account(user.id);
        let hash = self.passwords.hash(hasher, input.new_password).await?;
        let mut tx = self.db.begin().await?;
        // The password may have changed since it was checked.
        self.hold(&mut tx, caller).await?;
        let now = self.clock.now();
        let by = (&*self.audit, caller.actor());
        let (generation, _) = renewal::renew(&mut tx, by, user.id, &hash, input.keep, now).await?;
        tx.commit().await?;
        let user = User {
            pending_email: None,
            ..user
        };
        // The session that asked had begun with what the account asks for, or has ended.
        self.issue(user, generation, device, Proven::Factor).await
    }
}
