//! The person's ways to sign in, and where they are signed in.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use super::providers::Provider;
use crate::error::UiError;

/// Form that leads to a provider, to link an identity there.
pub const LINK: &str = "/ui/account/ways/link";

/// A way to sign in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Way {
    pub id: String,
    /// The provider's title; `None` for the password.
    pub provider: Option<String>,
    /// Address that the provider knows.
    pub email: Option<String>,
    pub created_at: i64,
    pub last_used_at: Option<i64>,
}

/// The person's ways to sign in, and those that could be added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ways {
    pub ways: Vec<Way>,
    pub providers: Vec<Provider>,
    /// True if this server sends e-mail.
    pub mail: bool,
}

impl Ways {
    pub fn has_password(&self) -> bool {
        self.ways.iter().any(|way| way.provider.is_none())
    }
}

/// A place where the person is signed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRow {
    pub id: String,
    /// The device's own description.
    pub device: String,
    pub created_at: i64,
    pub last_used_at: i64,
    /// The session of this page.
    pub current: bool,
}

/// The person's ways to sign in.
#[server(prefix = "/ui", endpoint = "account/ways", input = Json)]
pub async fn list_ways() -> Result<Ways, UiError> {
    use super::server::{actor, placet, refuse};
    let placet = placet()?;
    let providers = super::providers::server::providers(&placet);
    let title = |name: &str| super::providers::server::title(&providers, name);
    let found = placet.auth.identities(actor()?).await.map_err(refuse)?;
    let ways = found
        .into_iter()
        .map(|identity| Way {
            id: identity.id.to_string(),
            provider: (identity.provider != "local").then(|| title(&identity.provider)),
            email: identity.email,
            created_at: identity.created_at.millis(),
            last_used_at: identity.last_used_at.map(service::clock::Timestamp::millis),
        })
        .collect();
    Ok(Ways {
        ways,
        providers,
        mail: placet.mail.is_on(),
    })
}

/// Takes a way to sign in away, the password by itself.
#[server(prefix = "/ui", endpoint = "account/ways/remove", input = Json)]
pub async fn remove_way(way: String, password: Option<String>) -> Result<(), UiError> {
    use super::server::{id, placet, refuse, visitor};
    placet()?
        .auth
        .unlink(&visitor()?, id(&way)?, password)
        .await
        .map_err(refuse)
}

/// Sessions of the signed-in person, the latest first.
#[server(prefix = "/ui", endpoint = "account/sessions", input = Json)]
pub async fn list_sessions() -> Result<Vec<SessionRow>, UiError> {
    use super::server::{placet, refuse, visitor};
    let found = placet()?.auth.sessions(&visitor()?).await.map_err(refuse)?;
    Ok(found
        .into_iter()
        .map(|session| SessionRow {
            id: session.id.to_string(),
            device: session.device,
            created_at: session.created_at.millis(),
            last_used_at: session.last_used_at.millis(),
            current: session.current,
        })
        .collect())
}

/// Ends a session.
#[server(prefix = "/ui", endpoint = "account/sessions/end", input = Json)]
pub async fn end_session(session: String) -> Result<(), UiError> {
    use super::server::{id, placet, refuse, visitor};
    placet()?
        .auth
        .end_session(&visitor()?, id(&session)?)
        .await
        .map_err(refuse)
}

/// Ends every session but this one.
#[server(prefix = "/ui", endpoint = "account/sessions/end-others", input = Json)]
pub async fn end_other_sessions() -> Result<(), UiError> {
    use super::server::{placet, refuse, visitor};
    placet()?
        .auth
        .end_other_sessions(&visitor()?)
        .await
        .map_err(refuse)
}
