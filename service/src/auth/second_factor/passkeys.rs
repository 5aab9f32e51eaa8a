//! Passkeys as a second factor (W3C Web Authentication, level 3): the browser proves that it has a private key
//! whose public half the account knows, and that its person was verified. `webauthn-rs` reads and checks.

use domain::error_code::ErrorCode;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use url::{Host, Url};
use uuid::Uuid;
use webauthn_rs::{
    Webauthn, WebauthnBuilder,
    prelude::{
        CredentialID, Passkey as Credential, PasskeyAuthentication, PasskeyRegistration,
        PublicKeyCredential, RegisterPublicKeyCredential,
    },
};

use super::{
    BeginIn,
    store::{self, PasskeyRow, Purpose},
};
use crate::{
    auth::{
        Auth, Authenticated, User, checks,
        store::has_factor,
        ways::{self, KeepWays},
    },
    clock::Timestamp,
    db::{DbError, Target, Tx},
    error::{Error, Result},
    mail::quoted,
};

/// Time between a question and the browser's answer.
const ANSWER_SECONDS: i64 = 300;
/// Passkeys of an account.
const MOST: usize = 20;
/// Characters of a name.
const MOST_NAME: usize = 100;

/// A passkey of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Passkey {
    /// Id.
    pub id: Uuid,
    /// Name for people.
    #[schema(example = "Ada's phone")]
    pub name: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// When somebody signed in with it last.
    pub used_at: Option<Timestamp>,
}

impl From<PasskeyRow> for Passkey {
    fn from(row: PasskeyRow) -> Self {
        Self {
            id: row.id,
            name: row.name,
            created_at: row.created_at,
            used_at: row.used_at,
        }
    }
}

/// Options for the browser's `navigator.credentials`, as `PublicKeyCredential.parse…OptionsFromJSON` reads them.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyOptions {
    /// The options (Web Authentication, sections 5.4 and 5.5).
    #[schema(value_type = Object, example = json!({"challenge": "c2VjcmV0", "rpId": "consent.example"}))]
    pub public_key: Value,
}

/// The browser's answer to a question for a passkey: `credential.toJSON()` (Web Authentication, section 5.1).
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object, example = json!({"id": "YWRh", "type": "public-key", "response": {}}))]
pub struct PasskeyAnswer(Map<String, Value>);

impl PasskeyAnswer {
    /// Reads it as the library's type.
    fn read<T: DeserializeOwned>(self) -> Option<T> {
        serde_json::from_value(self.0.into()).ok()
    }
}

/// A passkey to add.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PasskeyIn {
    /// Name for people.
    #[schema(example = "Ada's phone")]
    pub name: String,
    /// The browser's answer.
    pub credential: PasskeyAnswer,
    /// The ways in that stay if it is the first second factor.
    #[serde(flatten)]
    pub keep: KeepWays,
}

/// A passkey that was added.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PasskeyMade {
    /// The passkey.
    pub passkey: Passkey,
    /// Recovery codes, shown this once; none if the account has some.
    #[schema(example = json!(["mzxw-6ytb-oi4d-gnbv"]))]
    pub codes: Vec<String>,
}

impl Auth {
    /// Begins to add a passkey to the caller's account.
    pub async fn begin_passkey(
        &self,
        caller: &Authenticated,
        input: BeginIn,
    ) -> Result<PasskeyOptions> {
        let user = self.me(caller.actor()).await?;
        self.need_password(caller, &user, input).await?;
        let present = store::passkeys(&self.db, user.id).await?;
        if present.len() >= MOST {
            return Err(too_many());
        }
        let present = present
            .iter()
            .map(|row| Ok(credential(row)?.cred_id().clone()))
            .collect::<Result<Vec<CredentialID>>>()?;
        let (options, state) = self
            .authority()?
            .start_passkey_registration(user.id, &user.username, &user.display_name, Some(present))
            .map_err(Error::internal)?;
        self.ask(user.id, Purpose::Add, &state).await?;
        options_of(&options)
    }

    /// Adds a passkey to the caller's account. The first second factor brings recovery codes, and ends the
    /// caller's other sessions, which were begun without one, and what asks for none, unless the caller keeps it.
    pub async fn add_passkey(
        &self,
        caller: &Authenticated,
        input: PasskeyIn,
    ) -> Result<PasskeyMade> {
        let name =
            checks::name(&input.name, MOST_NAME).map_err(|error| Error::Invalid(vec![error]))?;
        let user = self.me(caller.actor()).await?;
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        self.hold(&mut tx, caller).await?;
        let first = !has_factor(Target::Tx(&mut tx), user.id).await?;
        let state: PasskeyRegistration = answered(&mut tx, user.id, Purpose::Add, now).await?;
        let answer: RegisterPublicKeyCredential =
            input.credential.read().ok_or_else(wrong_passkey)?;
        let checked = self
            .authority()?
            .finish_passkey_registration(&answer, &state)
            .map_err(|error| {
                tracing::info!(%error, "a passkey is refused");
                wrong_passkey()
            })?;
        let row = PasskeyRow {
            id: self.ids.next(),
            name: name.to_owned(),
            credential: serde_json::to_string(&checked).map_err(Error::internal)?,
            created_at: now,
            used_at: None,
        };
        match store::add_passkey(&mut tx, user.id, &row, checked.cred_id()).await {
            Ok(()) => {}
            // The authenticator has it for another account.
            Err(DbError::Duplicate(_)) => return Err(wrong_passkey()),
            Err(error) => return Err(error.into()),
        }
        if store::count_passkeys(&mut tx, user.id).await? > MOST as u64 {
            return Err(too_many());
        }
        let codes = if first {
            ways::end(&mut tx, user.id, input.keep).await?;
            super::super::sessions::end_others(&mut tx, user.id, caller.token_id).await?;
            self.new_recovery_codes(&mut tx, user.id).await?.codes
        } else {
            Vec::new()
        };
        self.tell(
            &mut tx,
            &user,
            &format!("has another passkey, “{}”", quoted(name)),
        )
        .await?;
        tx.commit().await?;
        self.mail.wake();
        tracing::info!(user.id = %user.id, "passkey added");
        Ok(PasskeyMade {
            passkey: row.into(),
            codes,
        })
    }

    /// Removes a passkey of the caller. With the last second factor its recovery codes end.
    pub async fn end_passkey(
        &self,
        caller: &Authenticated,
        id: Uuid,
        input: BeginIn,
    ) -> Result<()> {
        let user = self.me(caller.actor()).await?;
        self.need_password(caller, &user, input).await?;
        let mut tx = self.db.begin().await?;
        self.hold(&mut tx, caller).await?;
        let name = store::remove_passkey(&mut tx, user.id, id).await?;
        let name = name.ok_or(Error::NotFound)?;
        super::end_with_last(&mut tx, user.id).await?;
        self.tell(
            &mut tx,
            &user,
            &format!("has lost its passkey “{}”", quoted(&name)),
        )
        .await?;
        tx.commit().await?;
        self.mail.wake();
        tracing::info!(user.id = %user.id, "passkey removed");
        Ok(())
    }

    /// Asks the browser of somebody whose password was right for a passkey.
    pub(in crate::auth) async fn ask_for_passkey(&self, user: &User) -> Result<PasskeyOptions> {
        let present = store::passkeys(&self.db, user.id).await?;
        if present.is_empty() {
            return Err(Error::conflict(
                None,
                ErrorCode::NoPasskey,
                "This account has no passkey.",
            ));
        }
        let credentials = present.iter().map(credential).collect::<Result<Vec<_>>>()?;
        let (options, state) = self
            .authority()?
            .start_passkey_authentication(&credentials)
            .map_err(Error::internal)?;
        self.ask(user.id, Purpose::SignIn, &state).await?;
        options_of(&options)
    }

    /// True if the answer to [`Auth::ask_for_passkey`] is right. Each question is good for one answer.
    pub(super) async fn takes_passkey(
        &self,
        tx: &mut Tx,
        user: &User,
        answer: PasskeyAnswer,
    ) -> Result<bool> {
        let now = self.clock.now();
        let Ok(state) = answered::<PasskeyAuthentication>(tx, user.id, Purpose::SignIn, now).await
        else {
            return Ok(false);
        };
        let Some(answer) = answer.read::<PublicKeyCredential>() else {
            return Ok(false);
        };
        let checked = match self
            .authority()?
            .finish_passkey_authentication(&answer, &state)
        {
            Ok(checked) => checked,
            Err(error) => {
                tracing::info!(%error, "a passkey is refused");
                return Ok(false);
            }
        };
        // It may have been removed since the question.
        let Some(row) = store::passkey_by_credential(tx, user.id, checked.cred_id()).await? else {
            return Ok(false);
        };
        let mut known = credential(&row)?;
        known.update_credential(&checked);
        let known = serde_json::to_string(&known).map_err(Error::internal)?;
        store::use_passkey(tx, row.id, &known, now).await?;
        Ok(true)
    }

    async fn ask(&self, user: Uuid, purpose: Purpose, state: &impl Serialize) -> Result<()> {
        let state = serde_json::to_string(state).map_err(Error::internal)?;
        let until = self.clock.now().plus_seconds(ANSWER_SECONDS);
        Ok(store::ask(&self.db, user, purpose, &state, until).await?)
    }

    /// The relying party: this server under its base URL. Passkeys belong to a domain name.
    fn authority(&self) -> Result<Webauthn> {
        let url = Url::parse(&self.base_url).map_err(Error::internal)?;
        let Some(Host::Domain(name)) = url.host() else {
            return Err(Error::conflict(
                None,
                ErrorCode::NoPasskeys,
                "Passkeys belong to a domain name. The base URL of this server has an IP address.",
            ));
        };
        WebauthnBuilder::new(name, &url)
            .and_then(|builder| builder.rp_name("Placet").build())
            .map_err(Error::internal)
    }
}

/// Takes the state of a question that waits for its answer.
async fn answered<T: DeserializeOwned>(
    tx: &mut Tx,
    user: Uuid,
    purpose: Purpose,
    now: Timestamp,
) -> Result<T> {
    let state = store::take_question(tx, user, purpose, now).await?;
    let state = state.and_then(|state| serde_json::from_str(&state).ok());
    state.ok_or_else(wrong_passkey)
}

fn credential(row: &PasskeyRow) -> Result<Credential> {
    serde_json::from_str(&row.credential).map_err(Error::internal)
}

/// The part of the library's options that the browser's parser takes.
fn options_of(options: &impl Serialize) -> Result<PasskeyOptions> {
    let mut options = serde_json::to_value(options).map_err(Error::internal)?;
    let public_key = options.get_mut("publicKey").map(Value::take);
    Ok(PasskeyOptions {
        public_key: public_key.unwrap_or_default(),
    })
}

fn wrong_passkey() -> Error {
    Error::field(
        "/credential",
        ErrorCode::WrongPasskey,
        "This is no answer to the last question, or it came too late.",
    )
}

fn too_many() -> Error {
    Error::conflict(
        None,
        ErrorCode::TooManyPasskeys,
        format!("An account has at most {MOST} passkeys."),
    )
}

/// The caller's passkeys, oldest first.
pub(super) async fn list(auth: &Auth, user: Uuid) -> Result<Vec<Passkey>> {
    let rows = store::passkeys(&auth.db, user).await?;
    Ok(rows.into_iter().map(Passkey::from).collect())
}
