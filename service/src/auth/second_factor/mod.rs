//! The second factor of accounts with a password: codes of an authenticator app, passkeys, and recovery codes for
//! when both are lost.
//!
//! A sign-in with a password takes one of them as well. Logins by a provider take none: the provider asks for its
//! own. A mailed link for a new password does not end the second factor, so a mailbox alone opens no account.
//! The operator's replacement of a password ends it, and so does the first proof of an address: a stranger may
//! have made the account.

mod codes;
mod passkeys;
pub(super) mod store;

use domain::error_code::ErrorCode;
pub use passkeys::{Passkey, PasskeyAnswer, PasskeyIn, PasskeyMade, PasskeyOptions};
use serde::{Deserialize, Serialize};
use totp_rs::Totp;
use uuid::Uuid;

use super::{
    Auth, Authenticated, User,
    store::has_factor,
    tries::Asker,
    ways::{self, KeepWays},
};
use crate::{
    access::{self, Actor},
    clock::Timestamp,
    db::{Target, Tx},
    error::{Error, Result},
    mail::{Letter, quoted},
};

/// Names the secret that is sealed, besides its account.
const SEALED_AS: &str = "second factor";
/// Letters about its ways to sign in that an account gets on a day (UTC).
const MOST_NOTICES: u32 = 20;

/// The second factor of the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondFactor {
    /// Time since which a sign-in takes a code of an authenticator app; null if it takes none.
    pub since: Option<Timestamp>,
    /// Passkeys, oldest first.
    pub passkeys: Vec<Passkey>,
    /// Number of recovery codes that are left.
    #[schema(example = 10)]
    pub recovery_codes: u64,
}

/// A secret for an authenticator app. It counts only once a code of it was sent.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct AppSecret {
    /// The secret in base32, for typing.
    #[schema(example = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")]
    pub secret: String,
    /// The same as an address that apps read from a QR code.
    #[schema(
        example = "otpauth://totp/Placet:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Placet"
    )]
    pub uri: String,
}

/// Codes that replace the app's once each.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct RecoveryCodes {
    /// The codes, shown this once.
    #[schema(example = json!(["mzxw-6ytb-oi4d-gnbv"]))]
    pub codes: Vec<String>,
}

/// Request for a secret.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BeginIn {
    /// The current password.
    #[serde(default)]
    #[schema(example = "correct horse battery", format = Password)]
    pub present_password: Option<String>,
}

/// A code of the authenticator app, or a recovery code where the app is lost.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CodeIn {
    /// The code.
    #[schema(example = "492039")]
    pub code: String,
}

/// The first code of an authenticator app.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FirstCodeIn {
    /// The code.
    #[schema(example = "492039")]
    pub code: String,
    /// The ways in that stay if the app is the first second factor.
    #[serde(flatten)]
    pub keep: KeepWays,
}

fn wrong_code() -> Error {
    Error::field(
        "/code",
        ErrorCode::WrongCode,
        "This code is wrong, or was used before.",
    )
}

impl Auth {
    /// The caller's second factor.
    pub async fn second_factor(&self, actor: Actor) -> Result<SecondFactor> {
        let user = actor.user()?;
        let found = store::find(Target::Db(&self.db), user).await?;
        Ok(SecondFactor {
            since: found.and_then(|found| found.confirmed_at),
            passkeys: passkeys::list(self, user).await?,
            recovery_codes: store::recovery_codes(&self.db, user).await?,
        })
    }

    /// Makes a secret for the caller's authenticator app, in place of an earlier one without a code.
    pub async fn begin_second_factor(
        &self,
        caller: &Authenticated,
        input: BeginIn,
    ) -> Result<AppSecret> {
        let user = self.me(caller.actor()).await?;
        self.need_password(caller, &user, input).await?;
        let secret = codes::secret();
        let app = self.app(&user, &secret)?;
        let sealed = self.secret.seal(&sealed_as(user.id), &secret);
        let mut tx = self.db.begin().await?;
        self.hold(&mut tx, caller).await?;
        if !store::begin(&mut tx, user.id, &sealed, self.clock.now()).await? {
            return Err(Error::conflict(
                None,
                ErrorCode::SecondFactorOn,
                "Your account has an authenticator app already. End it first.",
            ));
        }
        tx.commit().await?;
        Ok(AppSecret {
            secret: app.secret().to_base32(),
            uri: app.to_url().map_err(Error::internal)?,
        })
    }

    /// Refuses unless the account has a password and this is it.
    async fn need_password(
        &self,
        caller: &Authenticated,
        user: &User,
        input: BeginIn,
    ) -> Result<()> {
        let password = input.present_password;
        if self.confirm_password(caller, user, password).await? {
            return Ok(());
        }
        Err(Error::conflict(
            None,
            ErrorCode::NoPassword,
            "Your account has no password. Choose one first: a second factor is asked for beside it.",
        ))
    }

    /// True if a sign-in of the account asks for a second factor.
    pub(super) async fn has_second_factor(&self, user: Uuid) -> Result<bool> {
        Ok(has_factor(Target::Db(&self.db), user).await?)
    }

    /// Turns the caller's authenticator app on, by a code of the app that has the secret. Ends the caller's other
    /// sessions, which were begun without a code. The first second factor ends as well what asks for none, unless the
    /// caller keeps it.
    pub async fn confirm_second_factor(
        &self,
        caller: &Authenticated,
        input: FirstCodeIn,
    ) -> Result<RecoveryCodes> {
        let user = self.me(caller.actor()).await?;
        let waits = async |at: Target<'_>| {
            let found = store::find(at, user.id).await?;
            let found = found.filter(|found| found.confirmed_at.is_none());
            found.ok_or(Error::NotFound)
        };
        // Before the account is held, so that callers without an app, or without tries, wait for nothing.
        waits(Target::Db(&self.db)).await?;
        self.begin_code(user.id)?;
        let mut tx = self.db.begin().await?;
        self.hold(&mut tx, caller).await?;
        // Again while the account is held: another app that begins meanwhile has another secret.
        let found = waits(Target::Tx(&mut tx)).await?;
        let app = self.app(&user, &self.opened(user.id, &found)?)?;
        let now = self.clock.now();
        let taken = match codes::time_step(&app, &input.code, now) {
            Some(step) => store::take_time_step(&mut tx, user.id, step).await?,
            None => false,
        };
        if !taken {
            return Err(wrong_code());
        }
        self.right(user.id);
        if !has_factor(Target::Tx(&mut tx), user.id).await? {
            ways::end(&mut tx, user.id, input.keep).await?;
        }
        store::confirm(&mut tx, user.id, now).await?;
        let made = self.new_recovery_codes(&mut tx, user.id).await?;
        super::sessions::end_others(&mut tx, user.id, caller.token_id).await?;
        self.tell(
            &mut tx,
            &user,
            "takes a code of an authenticator app at each sign-in",
        )
        .await?;
        tx.commit().await?;
        self.mail.wake();
        tracing::info!(user.id = %user.id, "second factor on");
        Ok(made)
    }

    /// Makes other recovery codes for the caller. Those of before end.
    pub async fn renew_recovery_codes(
        &self,
        caller: &Authenticated,
        input: CodeIn,
    ) -> Result<RecoveryCodes> {
        let user = self.me(caller.actor()).await?;
        let mut tx = self.begin_with_code(caller, &user, &input).await?;
        let made = self.new_recovery_codes(&mut tx, user.id).await?;
        tx.commit().await?;
        Ok(made)
    }

    /// Ends the caller's authenticator app.
    pub async fn end_second_factor(&self, caller: &Authenticated, input: CodeIn) -> Result<()> {
        let user = self.me(caller.actor()).await?;
        let mut tx = self.begin_with_code(caller, &user, &input).await?;
        if !store::forget_app(&mut tx, user.id).await? {
            return Err(Error::NotFound);
        }
        end_with_last(&mut tx, user.id).await?;
        self.tell(
            &mut tx,
            &user,
            "takes no codes of an authenticator app any more",
        )
        .await?;
        tx.commit().await?;
        self.mail.wake();
        tracing::info!(user.id = %user.id, "second factor off");
        Ok(())
    }

    /// Checks the second factor of a sign-in whose password was right. Accounts without one need none: then `false`.
    pub(super) async fn check_second_factor(
        &self,
        user: &User,
        code: Option<String>,
        passkey: Option<PasskeyAnswer>,
    ) -> Result<bool> {
        if !self.has_second_factor(user.id).await? {
            return Ok(false);
        }
        let code = code.filter(|code| !code.trim().is_empty());
        let mut tx = self.db.begin().await?;
        let (taken, is_passkey) = match (passkey, code) {
            (Some(answer), _) => {
                // Nobody guesses a passkey: it uses up none of the codes of the day.
                self.tries
                    .begin(&counted(user.id), Asker::Session(user.id))?;
                (self.takes_passkey(&mut tx, user, answer).await?, true)
            }
            (None, Some(code)) => {
                self.begin_code(user.id)?;
                (self.take(&mut tx, user, &code).await?, false)
            }
            (None, None) => return Err(self.required(user.id).await?),
        };
        if !taken {
            // The question was asked; another answer needs another one.
            tx.commit().await?;
            if is_passkey {
                let detail = "This passkey is none of the account's, or came too late.";
                return Err(Error::forbidden(ErrorCode::WrongPasskey, detail));
            }
            self.tell_of_guesses(user).await?;
            let detail = "This code is wrong, or was used before.";
            return Err(Error::forbidden(ErrorCode::WrongCode, detail));
        }
        if is_passkey {
            self.tries.right(&counted(user.id), Asker::Session(user.id));
        } else {
            self.right(user.id);
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Says which second factor a sign-in takes.
    async fn required(&self, user: Uuid) -> Result<Error> {
        Ok(if store::passkeys(&self.db, user).await?.is_empty() {
            Error::forbidden(
                ErrorCode::SecondFactorRequired,
                "Send a code of your authenticator app, or a recovery code, with the request.",
            )
        } else {
            Error::forbidden(
                ErrorCode::PasskeyRequired,
                "Ask for a passkey (`POST /v1/auth/local/signin/passkey`), or send a code with the request.",
            )
        })
    }

    /// Begins a transaction of the caller that takes a code.
    async fn begin_with_code(
        &self,
        caller: &Authenticated,
        user: &User,
        input: &CodeIn,
    ) -> Result<Tx> {
        if !self.has_second_factor(user.id).await? {
            return Err(Error::NotFound);
        }
        self.begin_code(user.id)?;
        let mut tx = self.db.begin().await?;
        self.hold(&mut tx, caller).await?;
        if self.take(&mut tx, user, &input.code).await? {
            self.right(user.id);
            return Ok(tx);
        }
        drop(tx);
        self.tell_of_guesses(user).await?;
        Err(wrong_code())
    }

    /// Uses a code of the app, or a recovery code.
    async fn take(&self, tx: &mut Tx, user: &User, code: &str) -> Result<bool> {
        let app = store::find(Target::Tx(tx), user.id).await?;
        if let Some(found) = app.filter(|found| found.confirmed_at.is_some()) {
            let app = self.app(user, &self.opened(user.id, &found)?)?;
            if let Some(step) = codes::time_step(&app, code, self.clock.now()) {
                return Ok(store::take_time_step(tx, user.id, step).await?);
            }
        }
        Ok(store::take_recovery(tx, user.id, &codes::recovery_hash(code)).await?)
    }

    async fn new_recovery_codes(&self, tx: &mut Tx, user: Uuid) -> Result<RecoveryCodes> {
        let made = codes::recovery();
        let hashes = made.iter().map(|code| codes::recovery_hash(code));
        store::set_recovery(tx, user, &hashes.collect::<Vec<_>>()).await?;
        Ok(RecoveryCodes { codes: made })
    }

    fn app(&self, user: &User, secret: &[u8]) -> Result<Totp> {
        let url = url::Url::parse(&self.base_url).map_err(Error::internal)?;
        let host = url.host_str().unwrap_or_default();
        codes::app(secret, &format!("{} ({host})", user.username), "Placet")
    }

    fn opened(&self, user: Uuid, found: &store::Row) -> Result<Vec<u8>> {
        let opened = self.secret.open(&sealed_as(user), &found.secret);
        opened.ok_or_else(|| Error::internal("another secret key sealed a second factor"))
    }

    /// Refuses an account that had too many wrong codes, and counts this one as wrong until it is known to be right.
    fn begin_code(&self, user: Uuid) -> Result<()> {
        self.tries.begin_code(&counted(user), user)
    }

    /// Takes back a code that was right.
    fn right(&self, user: Uuid) {
        self.tries.right_code(&counted(user), user);
    }

    /// Tells the owner of the account, once a day, that somebody who knows the password guesses codes. Only a verified
    /// address is the owner's.
    async fn tell_of_guesses(&self, user: &User) -> Result<()> {
        if !user.email_verified || !self.tries.guesses_are_news(user.id) {
            return Ok(());
        }
        let letter = Letter::plain(
            &user.email,
            "Somebody guesses the codes of your account",
            &format!(
                "Hello {},\n\nsomebody has sent many wrong codes for your account {} at {}. To get as far as that \
                 takes its password, or a session of it.\n\nIf it was not you, choose another password and end the \
                 other sessions, and tell whoever runs {} at once.\n",
                quoted(&user.display_name),
                quoted(&user.username),
                self.base_url,
                self.base_url
            ),
        );
        self.post(&letter).await
    }

    /// Tells the owner of the account that sign-ins have changed: it may have been somebody else. Only a verified
    /// address is the owner's.
    async fn tell(&self, tx: &mut Tx, user: &User, change: &str) -> Result<()> {
        if !user.email_verified {
            return Ok(());
        }
        // The first ones warn as well as any number of them.
        if !self
            .notices
            .add(user.id, self.clock.now().day(), MOST_NOTICES)
        {
            tracing::warn!(user.id = %user.id, "an account had too many letters about sign-ins; one is dropped");
            return Ok(());
        }
        let letter = Letter::plain(
            &user.email,
            "Signing in to your account has changed",
            &format!(
                "Hello {},\n\nyour account {} at {} {change}.\n\nIf it was not you, change your password, and \
                 tell whoever runs {} at once.\n",
                quoted(&user.display_name),
                quoted(&user.username),
                self.base_url,
                self.base_url
            ),
        );
        Ok(self.mail.post(tx, &letter).await?)
    }
}

/// Ends the recovery codes with the last second factor, and refuses that where an organization requires one.
async fn end_with_last(tx: &mut Tx, user: Uuid) -> Result<()> {
    store::forget_recovery_without_factor(tx, user).await?;
    match access::shut_out_of(tx, user).await? {
        None => Ok(()),
        Some(organization) => Err(Error::conflict(
            None,
            ErrorCode::SecondFactorMissing,
            format!("{organization} requires a second factor of its members. Leave it first."),
        )),
    }
}

fn sealed_as(user: Uuid) -> Vec<u8> {
    [SEALED_AS.as_bytes(), user.as_bytes()].concat()
}

/// The name under which wrong codes of an account are counted. No account has it.
fn counted(user: Uuid) -> String {
    format!("{SEALED_AS} {user}")
}
