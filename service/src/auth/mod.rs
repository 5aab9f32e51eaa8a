//! Accounts, access tokens, API keys, invitations and logins by providers.

mod account;
mod address;
mod api_keys;
pub(crate) mod checks;
mod door;
mod invitations;
mod keys;
mod letters;
mod oidc;
mod operator;
mod passwords;
mod recovery;
mod renewal;
mod second_factor;
mod secrets;
mod sessions;
mod settings;
mod store;
mod tokens;
mod tries;
mod ways;

use std::sync::Arc;

use domain::error_code::ErrorCode;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use account::{PasswordIn, ProfileIn};
pub use api_keys::{ApiKey, KeyIn, KeyMade};
pub use door::SignUp;
pub use invitations::{Invitation, InvitationIn, Invited, Of as InvitationsOf};
pub use keys::Older;
pub use oidc::{Begun, Finished, Identity, LOGIN_SECONDS, OidcProvider, ProviderOut, Returned};
pub(crate) use operator::{open_keys, reach_providers};
pub use recovery::{ForgotIn, Needs, Proof, ResetIn, ResetLink, VerifyIn};
pub use renewal::{Ended, Holdings, Keep};
pub use second_factor::{
    AppSecret, BeginIn, CodeIn, FirstCodeIn, Passkey, PasskeyAnswer, PasskeyIn, PasskeyMade,
    PasskeyOptions, RecoveryCodes, SecondFactor,
};
use sessions::store::Proven;
pub use sessions::{Device, SignedIn};
pub(crate) use settings::Settings;
pub use tokens::Jwks;
pub use ways::KeepWays;

use crate::{
    access::{Actor, Key},
    audit::Audit,
    clock::{SharedClock, Timestamp},
    context::Context,
    counts::Counts,
    db::{Db, DbError},
    error::{Error, Result},
    ids::Ids,
    mail::Mail,
    quota::Quota,
    secret::SecretKey,
};
use checks::{check_account, check_email, check_password, is_email, key};
use passwords::HashFor;
use tries::Asker;

/// Days that an access token is valid. The API promises this lifetime.
pub const TOKEN_DAYS: i64 = 15;

/// A new account.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignUpIn {
    /// Name shown to others; the username when absent.
    #[serde(default)]
    #[schema(example = "Ada Lovelace")]
    pub display_name: Option<String>,
    /// Unused name to sign in with.
    #[schema(example = "ada")]
    pub username: String,
    /// Unused e-mail address.
    #[schema(example = "ada@shop.example")]
    pub email: String,
    /// Any password; the service sets no rule but 1 to 1,000 characters.
    #[schema(example = "correct horse battery staple", format = Password)]
    pub password: String,
    /// Secret of an invitation's link. Required where sign-up is by invitation.
    #[serde(default)]
    #[schema(example = "b2ZmaWNl")]
    pub invitation: Option<String>,
}

/// Credentials.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SignInIn {
    /// Username or e-mail address.
    #[schema(example = "ada")]
    pub username: String,
    /// The password.
    #[schema(example = "correct horse battery staple", format = Password)]
    pub password: String,
    /// A code of the account's authenticator app, or a recovery code. Required if the account has a second
    /// factor and there is no `passkey`.
    #[serde(default)]
    #[schema(example = "492039")]
    pub code: Option<String>,
    /// The browser's answer to `POST /v1/auth/local/signin/passkey`.
    #[serde(default)]
    pub passkey: Option<PasskeyAnswer>,
}

/// A username or e-mail address, and a password.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CredentialsIn {
    /// Username or e-mail address.
    #[schema(example = "ada")]
    pub username: String,
    /// The password.
    #[schema(example = "correct horse battery staple", format = Password)]
    pub password: String,
}

/// An account as its owner sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Id.
    pub id: Uuid,
    /// Name shown to others.
    #[schema(example = "Ada Lovelace")]
    pub display_name: String,
    /// Name to sign in with.
    #[schema(example = "ada")]
    pub username: String,
    /// E-mail address.
    #[schema(example = "ada@shop.example")]
    pub email: String,
    /// True once the owner has used a link that was mailed to the address.
    pub email_verified: bool,
    /// The address that replaces `email` when its owner uses the link that was mailed to it, within 24 hours;
    /// null if none is pending. It does not tell whether another account has the address.
    #[schema(example = "ada@new.example")]
    pub pending_email: Option<String>,
    /// True if the account gets a letter about each concern of a project that it can do something about.
    pub concern_letters: bool,
    /// True if the account gets a letter about its projects on Mondays.
    pub digest_letters: bool,
}

/// An access token with its account.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// The access token (JWT), valid 15 days.
    #[schema(example = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl")]
    pub token: String,
    /// When it ends.
    pub expires_at: Timestamp,
    /// The account.
    pub user: User,
}

/// An access token or API key that was checked.
#[derive(Clone, Copy, Debug)]
pub struct Authenticated {
    /// Its account.
    pub user: Uuid,
    /// Its id, for revoking it.
    pub token_id: Uuid,
    /// When it ends.
    pub expires_at: Timestamp,
    /// That of the tokens of its account. Another one ends them all; keys have none.
    pub generation: Option<i64>,
    /// The key, if it is one.
    pub key: Option<Key>,
}

impl Authenticated {
    /// True if this is a session of that account and not an API key.
    pub(crate) fn is_session_of(&self, user: Uuid) -> bool {
        self.key.is_none() && self.user == user
    }

    /// The identity that permissions are checked for.
    pub fn actor(&self) -> Actor {
        self.key.map_or(Actor::User(self.user), Actor::Key)
    }
}

/// The sub-service `auth`.
pub struct Auth {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    audit: Arc<Audit>,
    quota: Arc<Quota>,
    mail: Arc<Mail>,
    base_url: String,
    passwords: passwords::Passwords,
    tokens: tokens::Tokens,
    tries: tries::Tries,
    /// New addresses that accounts have asked for today.
    changes: Counts<Uuid>,
    /// Letters of today to accounts about their ways to sign in.
    notices: Counts<Uuid>,
    providers: oidc::Providers,
    secret: SecretKey,
    sign_up: SignUp,
}

impl Auth {
    pub(crate) fn new(context: &Context, mail: Arc<Mail>, settings: Settings) -> Result<Self> {
        let Context {
            db,
            clock,
            ids,
            secret,
            audit,
            quota,
            ..
        } = context.clone();
        let Settings {
            base_url,
            providers,
            outbound_allow,
            sign_up,
            account_limits,
        } = settings;
        Ok(Self {
            passwords: passwords::Passwords::new(),
            tokens: tokens::Tokens::new(
                db.clone(),
                clock.clone(),
                secret.clone(),
                base_url.clone(),
            ),
            tries: tries::Tries::new(clock.clone(), account_limits),
            changes: Counts::default(),
            notices: Counts::default(),
            db,
            clock,
            ids,
            audit,
            quota,
            mail,
            providers: oidc::Providers::new(providers, base_url.clone(), outbound_allow)?,
            secret,
            sign_up,
            base_url,
        })
    }

    /// Loads or makes the signing keys. Refuses a secret key that did not seal them.
    pub(crate) async fn prepare(&self) -> Result<()> {
        self.tokens.prepare().await
    }

    /// Makes an account if the rule for sign-ups allows it. Username and e-mail must be unused.
    pub async fn sign_up(&self, input: SignUpIn, device: &Device) -> Result<Session> {
        // Somebody here knows the invited, and may know many at one place.
        let is_invited = self
            .let_in(&input.email, input.invitation.as_deref())
            .await?;
        let made = self.make(HashFor::Client(device.network()), input);
        let network = device.network();
        let user = self.quota.arrival(network, is_invited, made).await?;
        self.issue(user, 0, device, Proven::Nothing).await
    }

    /// Judges a password while somebody types it. Strangers may ask for that without end, and keep nobody from
    /// signing in.
    pub async fn while_typing<T: Send + 'static>(
        &self,
        device: &Device,
        judge: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let asker = HashFor::Client(device.network());
        self.passwords.judge(asker, judge).await
    }

    /// Does work of a client that takes about as long as a hash, in the queue of the hashes: before a hash, for
    /// requests that are counted as such.
    pub async fn beside_hashes<T: Send + 'static>(
        &self,
        device: &Device,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T> {
        let asker = HashFor::Client(device.network());
        self.passwords.bounded(asker, work).await
    }

    async fn make(&self, asker: HashFor, input: SignUpIn) -> Result<User> {
        let display_name = input.display_name.unwrap_or_else(|| input.username.clone());
        let user = User {
            id: self.ids.next(),
            display_name: display_name.trim().to_owned(),
            username: input.username.trim().to_owned(),
            email: input.email.trim().to_owned(),
            email_verified: false,
            pending_email: None,
            concern_letters: true,
            digest_letters: false,
        };
        let mut errors = check_account(&user);
        errors.extend(check_password("/password", &input.password));
        Error::unless_valid(errors)?;
        self.refuse_taken(&user).await?;
        let hash = self.passwords.hash(asker, input.password).await?;
        match self.add(&user, &hash).await {
            Ok(()) => {}
            // Two sign-ups ran at once. The unique index decides, and the second caller learns which field is
            // taken.
            Err(error @ DbError::Duplicate(_)) => {
                self.refuse_taken(&user).await?;
                return Err(error.into());
            }
            Err(error) => return Err(error.into()),
        }
        tracing::info!(user.id = %user.id, "account made");
        Ok(user)
    }

    async fn add(&self, user: &User, hash: &str) -> std::result::Result<(), DbError> {
        let mut tx = self.db.begin().await?;
        store::add(&mut tx, user, Some(hash), self.clock.now()).await?;
        let letter = letters::verify(user.id, &user.email);
        self.mail.post(&mut tx, &letter).await?;
        tx.commit().await?;
        self.mail.wake();
        Ok(())
    }

    /// Refuses a username or e-mail that is taken. A sign-up is the only answer that tells so.
    async fn refuse_taken(&self, user: &User) -> Result<()> {
        let found = store::find_by_username(&self.db, &key(&user.username)).await?;
        if found.is_some() {
            return Err(Error::conflict(
                Some("/username"),
                ErrorCode::Taken,
                "This username is taken.",
            ));
        }
        let found = store::find_by_email(&self.db, &key(&user.email)).await?;
        if found.is_some() {
            return Err(Error::conflict(
                Some("/email"),
                ErrorCode::Taken,
                "This e-mail address is taken.",
            ));
        }
        Ok(())
    }

    /// Gives a fresh token for a username or e-mail address and a password, and a second factor where the account
    /// has one. A wrong password and an unknown user get the same answer after the same time.
    pub async fn sign_in(&self, input: SignInIn, device: &Device) -> Result<Session> {
        let SignInIn {
            username,
            password,
            code,
            passkey,
        } = input;
        let (user, generation) = self.identify(&username, password, device).await?;
        let proven = if self.check_second_factor(&user, code, passkey).await? {
            Proven::Factor
        } else {
            Proven::Nothing
        };
        self.issue(user, generation, device, proven).await
    }

    /// Asks for a passkey of the account whose password this is.
    pub async fn begin_passkey_sign_in(
        &self,
        input: CredentialsIn,
        device: &Device,
    ) -> Result<PasskeyOptions> {
        let CredentialsIn { username, password } = input;
        let (user, _) = self.identify(&username, password, device).await?;
        self.ask_for_passkey(&user).await
    }

    /// The account with this name and password, and the generation of its tokens.
    async fn identify(
        &self,
        username: &str,
        password: String,
        device: &Device,
    ) -> Result<(User, i64)> {
        let name = key(username);
        // No account has such a name, and PostgreSQL refuses the character.
        let found = if name.contains('\0') {
            None
        } else {
            store::credentials(&self.db, &name).await?
        };
        let hash = found.as_ref().and_then(|found| found.password_hash.clone());
        let network = device.network();
        let (asker, hasher) = (Asker::Client(network), HashFor::Client(network));
        let matches = self
            .try_password((&name, asker), hasher, password, hash)
            .await?;
        match found {
            Some(found) if matches => {
                let generation = found.token_generation;
                Ok((found.user(self.clock.now()), generation))
            }
            _ => Err(Error::forbidden(
                ErrorCode::WrongCredentials,
                "Username or password is wrong.",
            )),
        }
    }

    /// True if the password is right. Refuses an asker who had too many wrong ones for this name.
    async fn try_password(
        &self,
        (name, asker): (&str, Asker),
        hasher: HashFor,
        password: String,
        hash: Option<String>,
    ) -> Result<bool> {
        self.tries.begin(name, asker)?;
        let matches = self.passwords.verify(hasher, password, hash).await;
        // A password that a busy server has not looked at is not wrong.
        if !matches!(matches, Ok(false)) {
            self.tries.right(name, asker);
        }
        matches
    }

    /// Begins a session.
    async fn issue(
        &self,
        user: User,
        generation: i64,
        device: &Device,
        proven: Proven<'_>,
    ) -> Result<Session> {
        let id = self.ids.next();
        let (token, expires_at) = self.tokens.issue(user.id, id, generation).await?;
        let now = self.clock.now();
        let session = sessions::store::Session {
            id,
            user: user.id,
            generation,
            proven,
            device: device.as_str(),
            created_at: now,
            expires_at,
        };
        if !sessions::store::add(&self.db, &session).await? {
            // The password changed, a second factor was turned on, or the identity unlinked, while this one was checked.
            return Err(Error::Unauthenticated);
        }
        for name in [&user.username, &user.email] {
            self.tries.signed_in(&key(name), device.network());
        }
        Ok(Session {
            token,
            expires_at,
            user,
        })
    }

    /// Checks an access token or an API key.
    pub async fn authenticate(&self, token: &str) -> Result<Authenticated> {
        if api_keys::is_key(token) {
            return self.authenticate_key(token).await;
        }
        let claims = self.tokens.verify(token).await?;
        let caller = Authenticated {
            user: claims.user,
            token_id: claims.token_id,
            expires_at: claims.expires_at,
            generation: Some(claims.generation),
            key: None,
        };
        let standing = self.standing(&caller).await?;
        self.note_session(claims.token_id, standing.last_used_at)
            .await;
        Ok(caller)
    }

    async fn standing(&self, session: &Authenticated) -> Result<store::Standing> {
        store::standing(&self.db, session.user, session.token_id)
            .await?
            .filter(|standing| Some(standing.token_generation) == session.generation)
            .ok_or(Error::Unauthenticated)
    }

    /// Refuses a caller whose token or key has ended since it was checked, for requests that take long.
    pub async fn recheck(&self, caller: &Authenticated) -> Result<()> {
        let now = self.clock.now();
        if caller.expires_at <= now {
            return Err(Error::Unauthenticated);
        }
        match caller.key {
            Some(key) => api_keys::store::is_there(&self.db, key.id)
                .await?
                .then_some(())
                .ok_or(Error::Unauthenticated),
            None => self.standing(caller).await.map(drop),
        }
    }

    /// Revokes the token.
    pub async fn sign_out(&self, token: &Authenticated) -> Result<()> {
        token.actor().user()?;
        store::revoke(&self.db, token.token_id, token.expires_at).await?;
        Ok(())
    }

    /// The public keys that tokens are checked with (RFC 7517).
    pub async fn jwks(&self) -> Result<Jwks> {
        self.tokens.jwks().await
    }

    /// Makes a new signing key. Every process follows within a minute.
    pub async fn rotate_keys(&self, older: Older) -> Result<()> {
        self.tokens.rotate(older).await.map(drop)
    }

    /// Deletes expired sessions, revoked tokens, invitations, logins and secrets of letters.
    pub(crate) async fn forget_ended(&self) -> Result<()> {
        store::forget_ended(&self.db, self.clock.now()).await?;
        sessions::store::forget_ended(&self.db, self.clock.now()).await?;
        invitations::store::forget_ended(&self.db, self.clock.now()).await?;
        oidc::store::forget_ended(&self.db, self.clock.now()).await?;
        secrets::store::forget_ended(&self.db, self.clock.now()).await?;
        address::store::forget_ended(&self.db, self.clock.now()).await?;
        second_factor::store::forget_ended(&self.db, self.clock.now()).await?;
        Ok(())
    }

    /// Accounts by id, for lists of members.
    pub async fn by_ids(&self, ids: &[Uuid]) -> Result<Vec<User>> {
        let mut users = Vec::with_capacity(ids.len());
        for id in ids {
            users.extend(store::lookup(&self.db, *id, self.clock.now()).await?);
        }
        Ok(users)
    }
}
