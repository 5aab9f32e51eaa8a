//! `/v1/auth`: accounts and access tokens.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use service::auth::{
    ForgotIn, Jwks, PasswordIn, ProfileIn, ResetIn, Session, SignInIn, SignUpIn, User, VerifyIn,
};

use crate::{
    http::{actor::Caller, body::JsonBody, problem::Problem},
    state::AppState,
};

type Result<T> = std::result::Result<T, Problem>;

fn no_store() -> HeaderMap {
    HeaderMap::from_iter([(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))])
}

/// Make an account
#[utoipa::path(post, path = "/v1/auth/local/signup", tag = "auth", operation_id = "auth.signUp",
    request_body = SignUpIn, security(()),
    responses(
        (status = 201, description = "The account and its first access token.", body = Session),
        (status = 409, description = "Username or e-mail is taken; `errors[0].pointer` says which.", body = Problem, content_type = "application/problem+json"),
    ))]
pub async fn sign_up(
    State(state): State<AppState>,
    JsonBody(input): JsonBody<SignUpIn>,
) -> Result<Response> {
    let session = state.placet.auth.sign_up(input).await?;
    Ok((StatusCode::CREATED, no_store(), Json(session)).into_response())
}

/// Get a fresh access token
#[utoipa::path(post, path = "/v1/auth/local/signin", tag = "auth", operation_id = "auth.signIn",
    request_body = SignInIn, security(()),
    responses((status = 200, description = "A fresh access token.", body = Session)))]
pub async fn sign_in(
    State(state): State<AppState>,
    JsonBody(input): JsonBody<SignInIn>,
) -> Result<Response> {
    let session = state.placet.auth.sign_in(input).await?;
    Ok((no_store(), Json(session)).into_response())
}

/// Revoke the access token of this request
#[utoipa::path(post, path = "/v1/auth/signout", tag = "auth", operation_id = "auth.signOut",
    responses((status = 204, description = "The token is revoked.")))]
pub async fn sign_out(State(state): State<AppState>, caller: Caller) -> Result<StatusCode> {
    state.placet.auth.sign_out(&caller.0).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Read the caller's account
#[utoipa::path(get, path = "/v1/auth/me", tag = "auth", operation_id = "auth.me",
    responses((status = 200, description = "The account.", body = User)))]
pub async fn me(State(state): State<AppState>, caller: Caller) -> Result<Response> {
    Ok((
        no_store(),
        Json(state.placet.auth.me(caller.actor()).await?),
    )
        .into_response())
}

/// Change the caller's account
#[utoipa::path(put, path = "/v1/auth/me", tag = "auth", operation_id = "auth.updateMe",
    request_body = ProfileIn,
    responses(
        (status = 200, description = "The account.", body = User),
        (status = 409, description = "Username or e-mail is taken.", body = Problem, content_type = "application/problem+json"),
    ))]
pub async fn update_me(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<ProfileIn>,
) -> Result<Response> {
    Ok((
        no_store(),
        Json(state.placet.auth.update_me(caller.actor(), input).await?),
    )
        .into_response())
}

/// Change the password, which revokes all of the caller's tokens
#[utoipa::path(post, path = "/v1/auth/local/password", tag = "auth", operation_id = "auth.changePassword",
    request_body = PasswordIn,
    responses((status = 200, description = "A fresh access token.", body = Session)))]
pub async fn change_password(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<PasswordIn>,
) -> Result<Response> {
    let session = state
        .placet
        .auth
        .change_password(caller.actor(), input)
        .await?;
    Ok((no_store(), Json(session)).into_response())
}

/// Ask for a new password by mail
#[utoipa::path(post, path = "/v1/auth/local/forgot", tag = "auth", operation_id = "auth.forgot",
    request_body = ForgotIn, security(()),
    responses((status = 202, description = "If this is the address of an account, a letter is on its way; whether it is one is not told.")))]
pub async fn forgot(
    State(state): State<AppState>,
    JsonBody(input): JsonBody<ForgotIn>,
) -> Result<StatusCode> {
    state.placet.auth.forgot(input).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Set a new password by a mailed link, which revokes all tokens of the account
#[utoipa::path(post, path = "/v1/auth/local/reset", tag = "auth", operation_id = "auth.reset",
    request_body = ResetIn, security(()),
    responses((status = 204, description = "The password is set; sign in with it.")))]
pub async fn reset(
    State(state): State<AppState>,
    JsonBody(input): JsonBody<ResetIn>,
) -> Result<StatusCode> {
    state.placet.auth.reset(input).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Prove an e-mail address by a mailed link
#[utoipa::path(post, path = "/v1/auth/local/verify", tag = "auth", operation_id = "auth.verifyEmail",
    request_body = VerifyIn, security(()),
    responses((status = 204, description = "The address is the account's own.")))]
pub async fn verify_email(
    State(state): State<AppState>,
    JsonBody(input): JsonBody<VerifyIn>,
) -> Result<StatusCode> {
    state.placet.auth.verify_email(input).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ask for another link that proves the caller's e-mail address
#[utoipa::path(post, path = "/v1/auth/me/verification", tag = "auth", operation_id = "auth.askVerification",
    responses((status = 202, description = "A letter is on its way, unless the address is proved already.")))]
pub async fn ask_verification(State(state): State<AppState>, caller: Caller) -> Result<StatusCode> {
    state.placet.auth.ask_verification(caller.actor()).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Public keys of access tokens (RFC 7517)
#[utoipa::path(get, path = "/.well-known/jwks.json", tag = "auth", operation_id = "auth.jwks", security(()),
    responses((status = 200, description = "The key set.", body = Jwks)))]
pub async fn jwks(State(state): State<AppState>) -> Result<Response> {
    let cache = [(header::CACHE_CONTROL, "public, max-age=300")];
    Ok((cache, Json(state.placet.auth.jwks().await?)).into_response())
}
