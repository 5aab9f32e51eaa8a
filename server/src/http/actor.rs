//! The caller, by the bearer token in the header or in `access_token=`.

use axum::{
    extract::{FromRef, FromRequestParts, OptionalFromRequestParts},
    http::{HeaderValue, Method, header, request::Parts},
};
use service::{Error, access::Actor, auth::Authenticated};

use super::{
    headers,
    params::Params,
    policy::{Known, Policy},
    problem::Problem,
};
use crate::state::AppState;

const BEARER: &str = "bearer";

/// A caller with a valid token.
#[derive(Clone, Copy, Debug)]
pub struct Caller(pub Authenticated);

impl Caller {
    /// As who it acts.
    pub fn actor(&self) -> Actor {
        self.0.actor()
    }
}

impl<S> FromRequestParts<S> for Caller
where
    AppState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let token = bearer(parts).ok_or(Error::Unauthenticated)?;
        let state = AppState::from_ref(state);
        let caller = state.placet.auth.authenticate(&token).await?;
        let policy: Option<&Policy> = parts.extensions.get();
        if policy.is_none_or(|policy| policy.counted.is_some()) {
            let now = state.placet.config.clock.now();
            state.http.limiter.account(caller.user, now)?;
        }
        if parts.method == Method::GET
            && let Some(known) = parts.extensions.get::<Known>()
        {
            known.check(&Params::parse(parts.uri.query().unwrap_or_default()))?;
        }
        Ok(Self(caller))
    }
}

/// For routes that serve strangers, too. A token that is sent must be valid all the same.
impl<S> OptionalFromRequestParts<S> for Caller
where
    AppState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Option<Self>, Problem> {
        if bearer(parts).is_none()
            && !parts
                .headers
                .get(header::AUTHORIZATION)
                .is_some_and(is_ours)
        {
            return Ok(None);
        }
        <Self as FromRequestParts<S>>::from_request_parts(parts, state)
            .await
            .map(Some)
    }
}

/// True unless the header is that of another scheme, with which a proxy may ask for a password of its own. A token
/// without any scheme is a mistake of the caller, who should hear of it.
fn is_ours(header: &HeaderValue) -> bool {
    let text = header.to_str().unwrap_or_default();
    let scheme = text.split_once(' ').map(|(scheme, _)| scheme);
    scheme.is_none_or(|scheme| scheme.eq_ignore_ascii_case(BEARER))
}

fn bearer(parts: &Parts) -> Option<String> {
    let header = headers::text(&parts.headers, header::AUTHORIZATION);
    let header = header.and_then(|value| value.split_once(' '));
    if let Some((_, token)) = header.filter(|(scheme, _)| scheme.eq_ignore_ascii_case(BEARER)) {
        return Some(token.trim().to_owned());
    }
    let query = Params::parse(parts.uri.query()?);
    query.get("access_token").map(str::to_owned)
}
