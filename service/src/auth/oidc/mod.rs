//! Logins by OpenID Connect providers of the operator's choice: code flow with PKCE, state and
//! nonce (OpenID Connect Core 1.0; RFC 7636; RFC 9207).
//!
//! A login belongs to the browser that began it: its state comes back in the address and in a cookie. The
//! linking of an identity also belongs to the session that began it, and ends with it.
//!
//! An identity joins an account by itself only if provider and account have both verified the same address.
//! Otherwise the owner signs in first and links it, so nobody takes over an account by a sign-up with
//! another's address. If the provider has not verified the address, the login neither finds nor makes an
//! account, so nobody learns whether one exists.

mod provider;
pub(super) mod store;

use domain::{error_code::ErrorCode, format::is_hidden};
use serde::Serialize;
use uuid::Uuid;

pub use provider::OidcProvider;
pub(super) use provider::Providers;

use super::{
    Auth, Authenticated, Device, Session, User, check_account, is_email, key, secrets, sessions,
    sessions::store::Proven,
};
use crate::{
    access::Actor,
    clock::Timestamp,
    db::{Locked, Target, Tx},
    error::{Error, Result},
    random,
};
use provider::Claims;

/// Longest time that a login may stay at the provider.
pub const LOGIN_SECONDS: i64 = 600;

/// A provider that signs in here.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ProviderOut {
    /// Name that stands in addresses.
    #[schema(example = "company")]
    pub name: String,
    /// Title for people.
    #[schema(example = "Company login")]
    pub title: String,
}

/// A login whose browser goes to the provider.
pub struct Begun {
    /// Address to send the browser to.
    pub url: String,
    /// State that the browser keeps in a cookie.
    pub state: String,
}

/// Parameters that the browser brings back from a provider.
#[derive(Clone, Debug, Default)]
pub struct Returned {
    /// `code`.
    pub code: Option<String>,
    /// `state`.
    pub state: Option<String>,
    /// `iss` (RFC 9207).
    pub issuer: Option<String>,
    /// `error`: the provider or the user refused.
    pub error: Option<String>,
    /// The state that the browser kept in its cookie.
    pub kept: Option<String>,
    /// The session that the browser has now.
    pub session: Option<Uuid>,
}

/// Outcome of a login.
pub enum Finished {
    /// Signed in.
    SignedIn {
        /// The session.
        session: Box<Session>,
        /// Path to go to.
        next: String,
    },
    /// An identity was linked to the account of the caller.
    Linked {
        /// The identity.
        identity: Identity,
        /// Path to go to.
        next: String,
    },
}

/// A way to sign in.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct Identity {
    /// Id; for the password the id of the account.
    pub id: Uuid,
    /// Name of the provider; `local` for the password.
    #[schema(example = "company")]
    pub provider: String,
    /// Address that the provider knows; null if it tells none.
    #[schema(example = "ada@shop.example")]
    pub email: Option<String>,
    /// Time of linking.
    pub created_at: Timestamp,
    /// Last used to sign in; null for the password.
    pub last_used_at: Option<Timestamp>,
}

fn failed() -> Error {
    Error::forbidden(
        ErrorCode::LoginFailed,
        "This login cannot be finished: it is too old, was finished already, began in another \
         browser, or the provider's answer is not to be trusted. Begin again.",
    )
}

impl Auth {
    /// The configured providers.
    pub fn oidc_providers(&self) -> Vec<ProviderOut> {
        self.providers.list()
    }

    /// Begins the linking of an identity to the caller's account, by its password where it has one: the identity opens the
    /// account from then on, and a session that somebody left open must not be enough for that.
    ///
    /// # Errors
    /// [`Error::NotFound`] if there is no such provider; a field error at `/presentPassword`.
    pub async fn begin_link(
        &self,
        provider: &str,
        caller: &Authenticated,
        present_password: Option<String>,
        next: &str,
    ) -> Result<Begun> {
        self.providers.get(provider).ok_or(Error::NotFound)?;
        let user = self.me(caller.actor()).await?;
        self.confirm_password(caller, &user, present_password)
            .await?;
        self.begin_login(provider, Some(caller), next).await
    }

    /// Begins a login. With `caller` it begins the linking of an identity to that account, which ends with
    /// the caller's session.
    pub async fn begin_login(
        &self,
        provider: &str,
        caller: Option<&Authenticated>,
        next: &str,
    ) -> Result<Begun> {
        let user = caller.map(|caller| caller.actor().user()).transpose()?;
        let provider = self.providers.get(provider).ok_or(Error::NotFound)?;
        let state = secrets::make();
        let nonce = secrets::make();
        let (url, verifier) = self
            .providers
            .authorize(provider, &state, &nonce, self.clock.now())
            .await?;
        let state_hash = secrets::hash(&state);
        let login = store::Login {
            provider: provider.name.clone(),
            nonce,
            verifier: self.secret.seal(&state_hash, verifier.as_bytes()),
            user_id: user,
            session_id: caller.map(|caller| caller.token_id),
            next: next.to_owned(),
        };
        let ends = self.clock.now().plus_seconds(LOGIN_SECONDS);
        let mut tx = self.db.begin().await?;
        if let Some(caller) = caller {
            self.hold(&mut tx, caller).await?;
        }
        store::begin(&mut tx, &state_hash, &login, ends).await?;
        tx.commit().await?;
        Ok(Begun { url, state })
    }

    /// Finishes a login that [`Auth::begin_login`] began.
    pub async fn finish_login(
        &self,
        provider: &str,
        returned: Returned,
        device: &Device,
    ) -> Result<Finished> {
        let provider = self.providers.get(provider).ok_or(Error::NotFound)?;
        let (Some(state), Some(kept)) = (&returned.state, &returned.kept) else {
            return Err(failed());
        };
        let state_hash = secrets::hash(state);
        // Compares hashes, so the time of the comparison tells nothing.
        if state_hash != secrets::hash(kept) {
            return Err(failed());
        }
        let now = self.clock.now();
        let login = store::take(&self.db, &state_hash, now)
            .await?
            .filter(|login| login.provider == provider.name)
            .ok_or_else(failed)?;
        // A linking belongs to one session. A program may begin it and send a browser without a session, but
        // a browser with another session is refused.
        let links = match (login.user_id, login.session_id) {
            (None, _) => None,
            (Some(user), Some(session)) if returned.session.is_none_or(|has| has == session) => {
                Some((user, session))
            }
            (Some(_), _) => return Err(failed()),
        };
        if returned
            .issuer
            .as_ref()
            .is_some_and(|issuer| *issuer != provider.issuer)
        {
            return Err(failed());
        }
        if returned.error.is_some() {
            return Err(Error::forbidden(
                ErrorCode::LoginRefused,
                "The provider did not sign you in.",
            ));
        }
        let code = returned.code.ok_or_else(failed)?;
        let verifier = self
            .secret
            .open(&state_hash, &login.verifier)
            .and_then(|bytes| String::from_utf8(bytes).ok())
            .ok_or_else(failed)?;
        let claims = self
            .providers
            .claims(provider, code, verifier, &login.nonce, now)
            .await?
            .ok_or_else(failed)?;
        let next = login.next;
        if let Some((user, session)) = links {
            let mut tx = self.db.begin().await?;
            if !sessions::store::hold(&mut tx, user, session).await? {
                return Err(failed());
            }
            let identity = self.link(&mut tx, provider, user, &claims).await?;
            tx.commit().await?;
            return Ok(Finished::Linked { identity, next });
        }
        let (user, generation) = self.account_of(provider, &claims, device).await?;
        // The provider asks for its own second factor.
        let proven = Proven::Identity {
            issuer: &provider.issuer,
            subject: &claims.subject,
        };
        let session = Box::new(self.issue(user, generation, device, proven).await?);
        Ok(Finished::SignedIn { session, next })
    }

    fn identity(&self, provider: &OidcProvider, claims: &Claims) -> Identity {
        let now = self.clock.now();
        Identity {
            id: self.ids.next(),
            provider: provider.name.clone(),
            email: claims.email.clone(),
            created_at: now,
            last_used_at: Some(now),
        }
    }

    async fn link(
        &self,
        tx: &mut Tx,
        provider: &OidcProvider,
        user: Uuid,
        claims: &Claims,
    ) -> Result<Identity> {
        let identity = self.identity(provider, claims);
        let linked = store::add(tx, &identity, user, &provider.issuer, &claims.subject).await?;
        if linked {
            Ok(identity)
        } else {
            Err(Error::conflict(
                None,
                ErrorCode::IdentityTaken,
                "This identity is linked to an account already.",
            ))
        }
    }

    /// The account that an identity signs in. If it is not linked yet, this is the account that has verified
    /// the same address as the provider, or a new one.
    async fn account_of(
        &self,
        provider: &OidcProvider,
        claims: &Claims,
        device: &Device,
    ) -> Result<(User, i64)> {
        let now = self.clock.now();
        let known = store::used(&self.db, &provider.issuer, &claims.subject, now).await?;
        if let Some((user, generation)) = known {
            let (user, _) = self.account(user).await?;
            return Ok((user, generation));
        }
        let email = claims
            .email
            .as_deref()
            .map(str::trim)
            .filter(|email| is_email(email))
            .ok_or_else(|| {
                Error::forbidden(
                    ErrorCode::EmailMissing,
                    "The provider tells no e-mail address, which an account needs.",
                )
            })?;
        // Comes before any lookup: a claim to an address must tell nothing about it.
        if !claims.email_verified {
            return Err(Error::forbidden(
                ErrorCode::EmailUnverified,
                "The provider has not verified your e-mail address, which an account needs. \
                 Verify it there, or sign up with a password and link the provider.",
            ));
        }
        if let Some(user) = super::store::account_of_email(&self.db, &key(email), now).await? {
            let mut tx = self.db.begin().await?;
            tx.lock(Locked::Account(user.id)).await?;
            // The provider has verified that the visitor reads this mailbox, so the answer may tell of the
            // account.
            // A mailbox alone opens no account with a second factor, and whoever reads it may have verified it there.
            let factor = super::store::has_factor(Target::Tx(&mut tx), user.id);
            if !user.email_verified || factor.await? {
                return Err(Error::conflict(
                    Some("/email"),
                    ErrorCode::AccountExists,
                    "There is an account with this address. Sign in to it and link the identity there.",
                ));
            }
            self.link(&mut tx, provider, user.id, claims).await?;
            tx.commit().await?;
            return self.account(user.id).await;
        }
        let is_invited = self.let_in_by_provider(email).await?;
        let made = self.new_account(provider, claims, email);
        self.quota.arrival(device.network(), is_invited, made).await
    }

    async fn account(&self, user: Uuid) -> Result<(User, i64)> {
        super::store::account(&self.db, user, self.clock.now())
            .await?
            .ok_or(Error::Unauthenticated)
    }

    async fn new_account(
        &self,
        provider: &OidcProvider,
        claims: &Claims,
        email: &str,
    ) -> Result<(User, i64)> {
        let wish = username_from(claims.username.as_deref().unwrap_or(email));
        let name = claims.name.as_deref().unwrap_or(&wish);
        let mut username = wish.clone();
        if super::store::find_by_username(&self.db, &key(&username))
            .await?
            .is_some()
        {
            let mut bytes = [0_u8; 4];
            random::fill(&mut bytes);
            username = format!("{wish}-{:08x}", u32::from_be_bytes(bytes));
        }
        let user = User {
            id: self.ids.next(),
            display_name: name.chars().filter(|c| !is_hidden(*c)).take(200).collect(),
            username,
            email: email.to_owned(),
            email_verified: true,
            pending_email: None,
            concern_letters: true,
            digest_letters: false,
        };
        Error::unless_valid(check_account(&user))?;
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        super::store::add(&mut tx, &user, None, now).await?;
        super::store::verify_email(&mut tx, user.id, &key(email), now).await?;
        let identity = self.identity(provider, claims);
        if !store::add(
            &mut tx,
            &identity,
            user.id,
            &provider.issuer,
            &claims.subject,
        )
        .await?
        {
            return Err(failed());
        }
        tx.commit().await?;
        tracing::info!(user.id = %user.id, provider = provider.name, "account made by a provider");
        Ok((user, 0))
    }

    /// Lists the caller's ways to sign in, the password among them.
    pub async fn identities(&self, actor: Actor) -> Result<Vec<Identity>> {
        Ok(store::list(&self.db, actor.user()?).await?)
    }

    /// Removes a way to sign in, but never the last one. The caller's other sessions end too, because any of
    /// them may have been opened by it. The password is removed by itself: without one a session is enough for what asks
    /// for it.
    ///
    /// # Errors
    /// A field error at `/presentPassword`; [`Error::Conflict`] for the last way.
    pub async fn unlink(
        &self,
        caller: &Authenticated,
        id: Uuid,
        present_password: Option<String>,
    ) -> Result<()> {
        let account = self.me(caller.actor()).await?;
        if id == account.id {
            self.confirm_password(caller, &account, present_password)
                .await?;
        }
        let mut tx = self.db.begin().await?;
        let user = self.hold(&mut tx, caller).await?;
        match store::remove(&mut tx, user, id).await? {
            store::Removed::Yes => {
                sessions::end_others(&mut tx, user, caller.token_id).await?;
                tx.commit().await?;
                Ok(())
            }
            store::Removed::Unknown => Err(Error::NotFound),
            store::Removed::Last => Err(Error::conflict(
                None,
                ErrorCode::LastIdentity,
                "This is the last way to sign in; link another, or set a password, first.",
            )),
        }
    }
}

/// Makes a username from a name or address that the provider tells.
fn username_from(text: &str) -> String {
    let name: String = text
        .split('@')
        .next()
        .unwrap_or_default()
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
        .take(40)
        .collect();
    if name.is_empty() {
        "user".to_owned()
    } else {
        name.to_ascii_lowercase()
    }
}
