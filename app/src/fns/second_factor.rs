//! The person's second factors: an authenticator app, passkeys, and recovery codes for the day when they are lost.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use super::holdings::Keep;
use crate::error::UiError;

/// The person's second factors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecondFactor {
    /// Since when a sign-in takes a code of an authenticator app; `None` if it takes none.
    pub since: Option<i64>,
    /// Oldest first.
    pub passkeys: Vec<Passkey>,
    /// Recovery codes that are left.
    pub recovery_codes: u64,
}

/// A passkey.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passkey {
    pub id: String,
    pub name: String,
    pub created_at: i64,
    pub used_at: Option<i64>,
}

/// A secret for an authenticator app.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppSecret {
    /// For typing.
    pub secret: String,
    /// Dark squares of the QR code, as a path of SVG whose unit is a square.
    pub squares: String,
    /// Squares of a side.
    pub side: usize,
}

/// The person's second factor; `None` for a person without a password, beside which it would be asked for.
#[server(prefix = "/ui", endpoint = "account/second-factor", input = Json)]
pub async fn read_second_factor() -> Result<Option<SecondFactor>, UiError> {
    use super::server::{actor, placet, refuse};
    if !super::account::list_ways().await?.has_password() {
        return Ok(None);
    }
    let found = placet()?.auth.second_factor(actor()?).await;
    let found = found.map_err(refuse)?;
    Ok(Some(SecondFactor {
        since: found.since.map(service::clock::Timestamp::millis),
        passkeys: found.passkeys.into_iter().map(Passkey::from).collect(),
        recovery_codes: found.recovery_codes,
    }))
}

/// Makes a secret for the person's app.
#[server(prefix = "/ui", endpoint = "account/second-factor/begin", input = Json)]
pub async fn begin_second_factor(password: String) -> Result<AppSecret, UiError> {
    use super::server::{placet, refuse, visitor};
    let input = service::auth::BeginIn {
        present_password: Some(password),
    };
    let made = placet()?.auth.begin_second_factor(&visitor()?, input).await;
    let made = made.map_err(refuse)?;
    let (squares, side) = server::squares(&made.uri)?;
    Ok(AppSecret {
        secret: made.secret,
        squares,
        side,
    })
}

/// Turns the second factor on by a code of the app. Returns recovery codes, which are shown this once. The first factor
/// ends what asks for none and is not kept.
#[server(prefix = "/ui", endpoint = "account/second-factor/confirm", input = Json)]
pub async fn confirm_second_factor(code: String, keep: Keep) -> Result<Vec<String>, UiError> {
    use super::server::{placet, refuse, visitor};
    let keep = keep.into();
    let code = service::auth::FirstCodeIn { code, keep };
    let made = placet()?
        .auth
        .confirm_second_factor(&visitor()?, code)
        .await;
    Ok(made.map_err(refuse)?.codes)
}

/// Makes other recovery codes.
#[server(prefix = "/ui", endpoint = "account/second-factor/recovery-codes", input = Json)]
pub async fn renew_recovery_codes(code: String) -> Result<Vec<String>, UiError> {
    use super::server::{placet, refuse, visitor};
    let code = service::auth::CodeIn { code };
    let made = placet()?.auth.renew_recovery_codes(&visitor()?, code).await;
    Ok(made.map_err(refuse)?.codes)
}

/// Options for a browser that shall make a passkey, as JSON.
#[server(prefix = "/ui", endpoint = "account/second-factor/passkeys/begin", input = Json)]
pub async fn begin_passkey(password: String) -> Result<String, UiError> {
    use super::server::{placet, refuse, visitor};
    let input = service::auth::BeginIn {
        present_password: Some(password),
    };
    let options = placet()?.auth.begin_passkey(&visitor()?, input).await;
    Ok(options.map_err(refuse)?.public_key.to_string())
}

/// Adds the passkey that the browser made. Returns recovery codes, which are shown this once, if it is the first
/// second factor. That ends what asks for none and is not kept.
#[server(prefix = "/ui", endpoint = "account/second-factor/passkeys/add", input = Json)]
pub async fn add_passkey(
    name: String,
    credential: String,
    keep: Keep,
) -> Result<Vec<String>, UiError> {
    use super::server::{placet, refuse, visitor};
    let credential = serde_json::from_str(&credential).map_err(|_| UiError::NoPasskey)?;
    let input = service::auth::PasskeyIn {
        name,
        credential,
        keep: keep.into(),
    };
    let made = placet()?.auth.add_passkey(&visitor()?, input).await;
    Ok(made.map_err(refuse)?.codes)
}

/// Removes a passkey.
#[server(prefix = "/ui", endpoint = "account/second-factor/passkeys/end", input = Json)]
pub async fn end_passkey(passkey: String, password: String) -> Result<(), UiError> {
    use super::server::{id, placet, refuse, visitor};
    let input = service::auth::BeginIn {
        present_password: Some(password),
    };
    let (visitor, passkey) = (visitor()?, id(&passkey)?);
    let ended = placet()?.auth.end_passkey(&visitor, passkey, input).await;
    ended.map_err(refuse)
}

/// Options for a browser that shall sign somebody in by a passkey, as JSON.
#[server(prefix = "/ui", endpoint = "sign-in/passkey", input = Json)]
pub async fn ask_for_passkey(username: String, password: String) -> Result<String, UiError> {
    use super::server::{device, placet, refuse};
    let input = service::auth::CredentialsIn { username, password };
    let options = placet()?.auth.begin_passkey_sign_in(input, &device()).await;
    Ok(options.map_err(refuse)?.public_key.to_string())
}

#[cfg(feature = "ssr")]
impl From<service::auth::Passkey> for Passkey {
    fn from(passkey: service::auth::Passkey) -> Self {
        Self {
            id: passkey.id.to_string(),
            name: passkey.name,
            created_at: passkey.created_at.millis(),
            used_at: passkey.used_at.map(service::clock::Timestamp::millis),
        }
    }
}

/// Ends the authenticator app.
#[server(prefix = "/ui", endpoint = "account/second-factor/end", input = Json)]
pub async fn end_second_factor(code: String) -> Result<(), UiError> {
    use super::server::{placet, refuse, visitor};
    let code = service::auth::CodeIn { code };
    let ended = placet()?.auth.end_second_factor(&visitor()?, code).await;
    ended.map_err(refuse)
}

#[cfg(feature = "ssr")]
mod server {
    use std::fmt::Write;

    use qrcode::{Color, QrCode};

    use crate::error::UiError;

    /// The dark squares of the QR code of a text, and the squares of its side.
    pub fn squares(text: &str) -> Result<(String, usize), UiError> {
        // An address of a secret is far shorter than the longest text.
        let code = QrCode::new(text).map_err(|_| UiError::Failed)?;
        let (side, mut path) = (code.width(), String::new());
        for (at, color) in code.to_colors().into_iter().enumerate() {
            if color == Color::Dark {
                let _ = write!(path, "M{} {}h1v1h-1z", at % side, at / side);
            }
        }
        Ok((path, side))
    }
}
