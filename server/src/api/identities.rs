//! `/v1/auth/oidc` and `/v1/auth/identities`: logins by OpenID Connect providers.
//!
//! These routes are visited by browsers: they answer with redirects, and keep the state of a login
//! in a cookie of its own, which authenticates nothing.

use app::{
    address::{PROVIDER_AWAY, address, is_local_path},
    cookies,
    map::Page,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::error_code::ErrorCode;
use serde::{Deserialize, Serialize};
use service::auth::{
    Begun, Finished, Identity, LOGIN_SECONDS, ProviderOut, Returned, Session, TOKEN_DAYS,
};

use super::auth::device;
use crate::{
    http::{
        NO_STORE,
        actor::Caller,
        body::JsonBody,
        client::Client,
        headers,
        params::Params,
        path::{IdentityPath, Path, ProviderPath},
        problem::Result,
    },
    state::AppState,
    ui,
};

/// An identity to link.
#[derive(Deserialize, utoipa::ToSchema)]
pub struct LinkIn {
    /// Name of the provider.
    #[schema(example = "company")]
    provider: String,
    /// Path on this server to lead to afterwards.
    #[serde(default)]
    #[schema(example = "/account")]
    next: Option<String>,
    /// The current password of an account that has one.
    #[serde(default, rename = "presentPassword")]
    #[schema(example = "correct horse battery", format = Password)]
    present_password: Option<String>,
}

/// The removal of a way to sign in.
#[derive(Default, Deserialize, utoipa::ToSchema)]
pub struct UnlinkIn {
    /// The current password, to remove it.
    #[serde(default, rename = "presentPassword")]
    #[schema(example = "correct horse battery", format = Password)]
    present_password: Option<String>,
}

/// The address that the browser opens to link an identity.
#[derive(Serialize, utoipa::ToSchema)]
pub struct LinkOut {
    /// Address at the provider.
    #[schema(example = "https://accounts.example/authorize?client_id=placet&state=Zm9v")]
    url: String,
}

fn is_secure(state: &AppState) -> bool {
    state.http.origin.starts_with("https:")
}

fn state_cookie(secure: bool) -> &'static str {
    cookies::login_name(cookies::Secure(secure))
}

/// Binds a login to the browser that begins it.
pub(crate) fn login_cookie(state: &AppState, begun: &Begun) -> Result<HeaderValue> {
    let secure = is_secure(state);
    cookie(state_cookie(secure), &begun.state, LOGIN_SECONDS, secure)
}

/// The code of a failed login for pages. `None` for errors that pages have no texts for.
fn login_code(error: &service::Error) -> Option<&'static str> {
    match error {
        service::Error::Forbidden { code, .. } | service::Error::Conflict { code, .. } => {
            Some(code.as_str())
        }
        service::Error::Invalid(_) => Some(ErrorCode::LoginFailed.as_str()),
        service::Error::Unavailable => Some(PROVIDER_AWAY),
        service::Error::Busy => Some(ErrorCode::Unavailable.as_str()),
        _ => None,
    }
}

fn cookie(name: &str, value: &str, seconds: i64, secure: bool) -> Result<HeaderValue> {
    let header = cookies::header(name, value, seconds, cookies::Secure(secure));
    header.map_err(|error| service::Error::internal(error).into())
}

fn see_other(target: &str, cookies: Vec<HeaderValue>) -> Result<Response> {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    let target = HeaderValue::from_str(target).map_err(service::Error::internal)?;
    headers.insert(header::LOCATION, target);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let silent = HeaderValue::from_static("no-referrer");
    headers.insert(header::REFERRER_POLICY, silent);
    for cookie in cookies {
        headers.append(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

fn local(next: Option<&str>) -> &str {
    next.filter(|next| is_local_path(next) && next.len() <= 2_000)
        .unwrap_or("/")
}

/// List the providers that sign in here
#[utoipa::path(get, path = "/v1/auth/oidc", tag = "auth", operation_id = "auth.providers", security(()),
    responses((status = 200, description = "The configured OpenID Connect providers.", body = [ProviderOut])))]
pub async fn providers(State(state): State<AppState>) -> Json<Vec<ProviderOut>> {
    Json(state.placet.auth.oidc_providers())
}

/// Sign in by a provider
#[utoipa::path(get, path = "/v1/auth/oidc/{provider}", tag = "auth", operation_id = "auth.beginLogin", security(()),
    params(
        ProviderPath,
        ("next" = Option<String>, Query, description = "Path on this server to lead to afterwards"),
    ),
    responses((status = 303, description = "To the provider by `Location`, with a cookie that binds the login to this browser; browsers go to the sign-in page when the provider is away.")))]
pub async fn begin(
    State(state): State<AppState>,
    Path(path): Path<ProviderPath>,
    headers: HeaderMap,
    params: Params,
) -> Result<Response> {
    let provider = path.provider;
    let next = local(params.get("next"));
    let begun = match state.placet.auth.begin_login(&provider, None, next).await {
        Ok(begun) => begun,
        Err(error) => {
            let code = login_code(&error).filter(|_| headers::is_of_browser(&headers));
            let Some(code) = code else {
                return Err(error.into());
            };
            let back = address(Page::SignIn.path(), &[("login", code), ("next", next)]);
            return see_other(&back, vec![]);
        }
    };
    see_other(&begun.url, vec![login_cookie(&state, &begun)?])
}

/// Come back from a provider
#[utoipa::path(get, path = "/v1/auth/oidc/{provider}/callback", tag = "auth", operation_id = "auth.finishLogin", security(()),
    params(
        ProviderPath,
        ("code" = Option<String>, Query, description = "From the provider"),
        ("state" = Option<String>, Query, description = "As it was sent to the provider; must be that of the cookie"),
        ("iss" = Option<String>, Query, description = "The provider's issuer (RFC 9207)"),
        ("error" = Option<String>, Query, description = "The provider's refusal"),
    ),
    responses(
        (status = 303, description = "For browsers, by `Location`: to `next`, signed in by the session cookie, or with the identity linked; else to a page that says why not."),
        (status = 200, description = "For programs (no `text/html` in `Accept`): an access token; when an identity was linked, that.", body = Session),
        (status = 403, description = "The login failed, or the provider tells no address (`email_missing`) or none that it has verified (`email_unverified`), whether there is an account with it or not."),
        (status = 409, description = "There is an account with this address, which the provider has verified, and the account has not or has a second factor (`account_exists`); or the identity is linked to another account."),
    ))]
pub async fn finish(
    State(state): State<AppState>,
    Path(path): Path<ProviderPath>,
    client: Client,
    headers: HeaderMap,
    params: Params,
) -> Result<Response> {
    let provider = path.provider;
    let secure = is_secure(&state);
    let text = |name| params.get(name).map(str::to_owned);
    let returned = Returned {
        code: text("code"),
        state: text("state"),
        issuer: text("iss"),
        error: text("error"),
        kept: cookies::read(&headers, state_cookie(secure)),
        // It opens nothing here: a link that another session began is refused by it.
        session: ui::session(&state, &headers)
            .await?
            .map(|session| session.token_id),
    };
    let signed_in = returned.session.is_some();
    let auth = &state.placet.auth;
    let browser = headers::is_of_browser(&headers);
    let finished = match auth
        .finish_login(&provider, returned, &device(&client, &headers))
        .await
    {
        Ok(finished) => finished,
        Err(error) => {
            let Some(code) = login_code(&error).filter(|_| browser) else {
                return Err(error.into());
            };
            // The cookie stays: somebody else's failed attempt must not end a login of this
            // browser.
            let page = if signed_in {
                Page::Account
            } else {
                Page::SignIn
            };
            return see_other(&address(page.path(), &[("login", code)]), vec![]);
        }
    };
    let mut set = vec![cookie(state_cookie(secure), "", 0, secure)?];
    match finished {
        Finished::SignedIn { session, next } if browser => {
            let name = cookies::session_name(cookies::Secure(secure));
            let seconds = TOKEN_DAYS * 86_400;
            set.push(cookie(name, &session.token, seconds, secure)?);
            see_other(&next, set)
        }
        Finished::Linked { next, .. } if browser => see_other(&next, set),
        Finished::SignedIn { session, .. } => Ok((NO_STORE, Json(session)).into_response()),
        Finished::Linked { identity, .. } => Ok((NO_STORE, Json(identity)).into_response()),
    }
}

/// List the caller's ways to sign in
#[utoipa::path(get, path = "/v1/auth/identities", tag = "auth", operation_id = "auth.identities",
    responses((status = 200, description = "The password (`local`), if there is one, and linked identities.", body = [Identity])))]
pub async fn list(State(state): State<AppState>, caller: Caller) -> Result<Response> {
    let found = state.placet.auth.identities(caller.actor()).await?;
    Ok((NO_STORE, Json(found)).into_response())
}

/// Link an identity of a provider to the caller's account
#[utoipa::path(post, path = "/v1/auth/identities", tag = "auth", operation_id = "auth.linkIdentity",
    request_body = LinkIn,
    responses((status = 200, description = "Where the browser that sent this goes; a cookie binds the login to it. The link is made only while the session of this request lives, and by no browser that has another one by then.", body = LinkOut)))]
pub async fn link(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<LinkIn>,
) -> Result<Response> {
    let next = local(input.next.as_deref());
    let auth = &state.placet.auth;
    let begun = auth
        .begin_link(&input.provider, &caller.0, input.present_password, next)
        .await
        .map_err(|error| match error {
            service::Error::NotFound => service::Error::field(
                "/provider",
                ErrorCode::UnknownProvider,
                "There is no such provider.",
            ),
            error => error,
        })?;
    let kept = login_cookie(&state, &begun)?;
    let body = Json(LinkOut { url: begun.url });
    Ok((NO_STORE, [(header::SET_COOKIE, kept)], body).into_response())
}

/// Remove one of the caller's ways to sign in
#[utoipa::path(delete, path = "/v1/auth/identities/{identityId}", tag = "auth", operation_id = "auth.unlinkIdentity",
    params(IdentityPath),
    request_body = Option<UnlinkIn>,
    responses(
        (status = 204, description = "Unlinked; the caller's other sessions have ended, as it may have opened them."),
        (status = 409, description = "It is the last one."),
        (status = 422, description = "The password is removed by itself (`/presentPassword`)."),
    ))]
pub async fn unlink(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<IdentityPath>,
    body: Option<JsonBody<UnlinkIn>>,
) -> Result<StatusCode> {
    let identity = path.identity_id;
    let password = body.and_then(|JsonBody(input)| input.present_password);
    let auth = &state.placet.auth;
    auth.unlink(&caller.0, identity, password).await?;
    Ok(StatusCode::NO_CONTENT)
}
