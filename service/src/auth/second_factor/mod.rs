//! The second factor of accounts with a password: codes of an authenticator app, and recovery codes for when
//! it is lost.
//!
//! A sign-in with a password takes a code as well. Logins by a provider take none: the provider asks for its
//! own. A mailed link for a new password does not end the second factor, so a mailbox alone opens no account.
//! The operator's replacement of a password ends it, and so does the first proof of an address: a stranger may
//! have made the account.

mod codes;
pub(super) mod store;

use domain::error_code::ErrorCode;
use serde::{Deserialize, Serialize};
use totp_rs::Totp;
use uuid::Uuid;

use super::{Auth, Authenticated, User, letters, tries::Asker};
use crate::{
    access::Actor,
    clock::Timestamp,
    db::Tx,
    error::{Error, Result},
    mail::Letter,
};

/// Names the secret that is sealed, besides its account.
const SEALED_AS: &str = "second factor";

/// The second factor of the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondFactor {
    /// Time since which a sign-in takes a code; null if it takes none.
    pub since: Option<Timestamp>,
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
        let found = store::find(&self.db, user).await?;
        Ok(SecondFactor {
            since: found.and_then(|found| found.confirmed_at),
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
        if !self
            .confirm_password(caller, &user, input.present_password)
            .await?
        {
            return Err(Error::conflict(
                None,
                ErrorCode::NoPassword,
                "Your account has no password. The provider that you sign in with asks for a second factor.",
            ));
        }
        let secret = codes::secret();
        let app = self.app(&user, &secret)?;
        let sealed = self.secret.seal(&sealed_as(user.id), &secret);
        let mut tx = self.db.begin().await?;
        self.hold(&mut tx, caller).await?;
        if !store::begin(&mut tx, user.id, &sealed, self.clock.now()).await? {
            return Err(Error::conflict(
                None,
                ErrorCode::SecondFactorOn,
                "Your account has a second factor already. End it first.",
            ));
        }
        tx.commit().await?;
        Ok(AppSecret {
            secret: app.secret().to_base32(),
            uri: app.to_url().map_err(Error::internal)?,
        })
    }

    /// Turns the caller's second factor on, by a code of the app that has the secret. Ends the caller's other
    /// sessions, which were begun without a code.
    pub async fn confirm_second_factor(
        &self,
        caller: &Authenticated,
        input: CodeIn,
    ) -> Result<RecoveryCodes> {
        let user = self.me(caller.actor()).await?;
        let found = store::find(&self.db, user.id).await?;
        let found = found.filter(|found| found.confirmed_at.is_none());
        let found = found.ok_or(Error::NotFound)?;
        self.check_codes(user.id)?;
        let app = self.app(&user, &self.opened(user.id, &found)?)?;
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        self.hold(&mut tx, caller).await?;
        let taken = match codes::time_step(&app, &input.code, now) {
            Some(step) => store::take_time_step(&mut tx, user.id, step).await?,
            None => false,
        };
        if !taken {
            self.wrong(user.id);
            return Err(wrong_code());
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

    /// Ends the caller's second factor.
    pub async fn end_second_factor(&self, caller: &Authenticated, input: CodeIn) -> Result<()> {
        let user = self.me(caller.actor()).await?;
        let mut tx = self.begin_with_code(caller, &user, &input).await?;
        store::forget(&mut tx, user.id).await?;
        self.tell(
            &mut tx,
            &user,
            "takes no second factor at a sign-in any more",
        )
        .await?;
        tx.commit().await?;
        self.mail.wake();
        tracing::info!(user.id = %user.id, "second factor off");
        Ok(())
    }

    /// Checks the code of a sign-in whose password was right. Accounts without a second factor need none.
    pub(super) async fn check_code(&self, user: &User, code: Option<&str>) -> Result<()> {
        let found = store::find(&self.db, user.id).await?;
        let Some(found) = found.filter(|found| found.confirmed_at.is_some()) else {
            return Ok(());
        };
        let code = code.map(str::trim).filter(|code| !code.is_empty());
        let Some(code) = code else {
            return Err(Error::forbidden(
                ErrorCode::SecondFactorRequired,
                "Send a code of your authenticator app, or a recovery code, along.",
            ));
        };
        self.check_codes(user.id)?;
        let mut tx = self.db.begin().await?;
        if !self.take(&mut tx, user, &found, code).await? {
            self.wrong(user.id);
            return Err(Error::forbidden(
                ErrorCode::WrongCode,
                "This code is wrong, or was used before.",
            ));
        }
        tx.commit().await?;
        Ok(())
    }

    /// Begins a transaction of the caller that takes a code.
    async fn begin_with_code(
        &self,
        caller: &Authenticated,
        user: &User,
        input: &CodeIn,
    ) -> Result<Tx> {
        let found = store::find(&self.db, user.id).await?;
        let found = found.filter(|found| found.confirmed_at.is_some());
        let found = found.ok_or(Error::NotFound)?;
        self.check_codes(user.id)?;
        let mut tx = self.db.begin().await?;
        self.hold(&mut tx, caller).await?;
        if self.take(&mut tx, user, &found, &input.code).await? {
            return Ok(tx);
        }
        self.wrong(user.id);
        Err(wrong_code())
    }

    /// Uses a code of the app, or a recovery code.
    async fn take(&self, tx: &mut Tx, user: &User, found: &store::Row, code: &str) -> Result<bool> {
        let app = self.app(user, &self.opened(user.id, found)?)?;
        Ok(match codes::time_step(&app, code, self.clock.now()) {
            Some(step) => store::take_time_step(tx, user.id, step).await?,
            None => store::take_recovery(tx, user.id, &codes::recovery_hash(code)).await?,
        })
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

    /// Refuses an account that had too many wrong codes. The sender of one knows the password or has a session,
    /// so they are counted together, wherever they come from.
    fn check_codes(&self, user: Uuid) -> Result<()> {
        self.tries.check(&counted(user), Asker::Session(user))
    }

    /// Counts a wrong code.
    fn wrong(&self, user: Uuid) {
        self.tries.failed(&counted(user), Asker::Session(user));
    }

    /// Tells the owner of the account that sign-ins have changed: it may have been somebody else. Only a verified
    /// address is the owner's.
    async fn tell(&self, tx: &mut Tx, user: &User, change: &str) -> Result<()> {
        if !user.email_verified {
            return Ok(());
        }
        let letter = Letter::plain(
            &user.email,
            "Signing in to your account has changed",
            &format!(
                "Hello {},\n\nyour account {} at {} {change}.\n\nIf it was not you, change your password, and \
                 tell whoever runs {} at once.\n",
                letters::plain(&user.display_name),
                letters::plain(&user.username),
                self.base_url,
                self.base_url
            ),
        );
        Ok(self.mail.post(tx, &letter).await?)
    }
}

fn sealed_as(user: Uuid) -> Vec<u8> {
    [SEALED_AS.as_bytes(), user.as_bytes()].concat()
}

/// The name under which wrong codes of an account are counted. No account has it.
fn counted(user: Uuid) -> String {
    format!("{SEALED_AS} {user}")
}
