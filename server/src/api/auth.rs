//! `/v1/auth`: accounts and access tokens.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use service::{
    Error,
    auth::{
        ApiKey, AppSecret, BeginIn, CodeIn, CredentialsIn, Device, FirstCodeIn, ForgotIn, Jwks,
        KeyIn, KeyMade, PasskeyIn, PasskeyMade, PasskeyOptions, PasswordIn, ProfileIn,
        RecoveryCodes, ResetIn, SecondFactor, Session, SignInIn, SignUpIn, SignedIn, User,
        VerifyIn,
    },
};

use crate::{
    http::{
        NO_STORE,
        actor::Caller,
        body::JsonBody,
        client::Client,
        headers,
        path::{KeyPath, PasskeyPath, Path, SessionPath},
        problem::Result,
    },
    state::AppState,
};

pub(super) fn device(client: &Client, headers: &HeaderMap) -> Device {
    let words = headers::text(headers, header::USER_AGENT);
    Device::new(words.unwrap_or_default(), client.subscriber())
}

/// Make an account
#[utoipa::path(post, path = "/v1/auth/local/signup", tag = "auth", operation_id = "auth.signUp",
    request_body = SignUpIn, security(()),
    responses(
        (status = 201, description = "The account and its first access token.", body = Session),
        (status = 403, description = "This server gives no account to whom nobody has invited (`not_invited`), or to nobody (`sign_up_off`); or the network has made as many accounts today as it may (`too_many_accounts`)."),
        (status = 409, description = "Username or e-mail is taken; `errors[0].pointer` says which."),
        (status = 507, description = "`disk_low`: the disk of the server is nearly full."),
    ))]
pub async fn sign_up(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    JsonBody(input): JsonBody<SignUpIn>,
) -> Result<Response> {
    let session = state
        .placet
        .auth
        .sign_up(input, &device(&client, &headers))
        .await?;
    Ok((StatusCode::CREATED, NO_STORE, Json(session)).into_response())
}

/// Get a fresh access token
///
/// An account with a second factor takes a `code` of its authenticator app, a recovery code, or a `passkey`
/// (`POST /v1/auth/local/signin/passkey`). Each is good once.
#[utoipa::path(post, path = "/v1/auth/local/signin", tag = "auth", operation_id = "auth.signIn",
    request_body = SignInIn, security(()),
    responses(
        (status = 200, description = "A fresh access token.", body = Session),
        (status = 403, description = "`wrong_credentials`: username or password is wrong. `second_factor_required`, `wrong_code`: they are right, and the account takes a `code`. `passkey_required`, `wrong_passkey`: it takes a `passkey` or a `code`."),
    ))]
pub async fn sign_in(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    JsonBody(input): JsonBody<SignInIn>,
) -> Result<Response> {
    let session = state
        .placet
        .auth
        .sign_in(input, &device(&client, &headers))
        .await?;
    Ok((NO_STORE, Json(session)).into_response())
}

/// Ask for a passkey of an account, to sign in
///
/// The browser answers with `navigator.credentials.get`. Its answer goes into `passkey` of
/// `POST /v1/auth/local/signin` within five minutes.
#[utoipa::path(post, path = "/v1/auth/local/signin/passkey", tag = "auth", operation_id = "auth.beginPasskeySignIn",
    request_body = CredentialsIn, security(()),
    responses(
        (status = 200, description = "Options for the browser.", body = PasskeyOptions),
        (status = 403, description = "`wrong_credentials`: username or password is wrong."),
        (status = 409, description = "`no_passkey`: the account has none. `no_passkeys`: the base URL of this server is no domain name."),
    ))]
pub async fn begin_passkey_sign_in(
    State(state): State<AppState>,
    client: Client,
    headers: HeaderMap,
    JsonBody(input): JsonBody<CredentialsIn>,
) -> Result<Response> {
    let auth = &state.placet.auth;
    let options = auth
        .begin_passkey_sign_in(input, &device(&client, &headers))
        .await?;
    Ok((NO_STORE, Json(options)).into_response())
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
    Ok((NO_STORE, Json(state.placet.auth.me(caller.actor()).await?)).into_response())
}

/// Change the caller's account
///
/// A new `email` is pending as `pendingEmail` until the link that is mailed to it is used, within
/// 24 hours. `POST /v1/auth/local/verify` takes the link's token. The answer does not tell if
/// another account has the address: its owner gets a letter instead. The current `email` ends a
/// pending change. A server without mail refuses a new address (`mail_off`). The username stays
/// (`read_only`).
#[utoipa::path(put, path = "/v1/auth/me", tag = "auth", operation_id = "auth.updateMe",
    request_body = ProfileIn,
    responses((status = 200, description = "The account.", body = User)))]
pub async fn update_me(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<ProfileIn>,
) -> Result<Response> {
    Ok((
        NO_STORE,
        Json(state.placet.auth.update_me(&caller.0, input).await?),
    )
        .into_response())
}

/// Change the password, which revokes all of the caller's tokens
///
/// Also ends everything that somebody else may have left in the account: links of letters, a
/// pending address, and identities that are being linked. API keys, linked identities and pending
/// invitations end as well, but for those that the body keeps.
#[utoipa::path(post, path = "/v1/auth/local/password", tag = "auth", operation_id = "auth.changePassword",
    request_body = PasswordIn,
    responses((status = 200, description = "A fresh access token.", body = Session)))]
pub async fn change_password(
    State(state): State<AppState>,
    caller: Caller,
    client: Client,
    headers: HeaderMap,
    JsonBody(input): JsonBody<PasswordIn>,
) -> Result<Response> {
    let session = state
        .placet
        .auth
        .change_password(&caller.0, input, &device(&client, &headers))
        .await?;
    Ok((NO_STORE, Json(session)).into_response())
}

/// Ask for a new password by mail
#[utoipa::path(post, path = "/v1/auth/local/forgot", tag = "auth", operation_id = "auth.forgot",
    request_body = ForgotIn, security(()),
    responses((status = 202, description = "If this is the address of an account, a letter is on its way; whether it is one is not told.")))]
pub async fn forgot(
    State(state): State<AppState>,
    JsonBody(input): JsonBody<ForgotIn>,
) -> Result<StatusCode> {
    match state.placet.auth.forgot(input).await {
        // A text that is no address belongs to nobody.
        Ok(()) | Err(Error::Invalid(_)) => Ok(StatusCode::ACCEPTED),
        Err(error) => Err(error.into()),
    }
}

/// Set a new password by a mailed link, which revokes all tokens of the account
///
/// Ends everything else that was left in the account, like a change of the password. If the link
/// verifies an address for the first time, nothing is kept: somebody else may have made the
/// account.
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

/// Verify an e-mail address by a mailed link
///
/// With a token of the account itself nothing ends. Without one, only a new `password` verifies the
/// address of sign-up, and everything that was made before ends: sessions, API keys, identities,
/// invitations and the second factor. This locks out a person who made the account with somebody else's address.
///
/// A pending address (`pendingEmail`) becomes the account's only with a token of that account. The
/// previous address gets a letter.
#[utoipa::path(post, path = "/v1/auth/local/verify", tag = "auth", operation_id = "auth.verifyEmail",
    request_body = VerifyIn, security((), ("bearer" = [])),
    responses(
        (status = 204, description = "The address is the account's own."),
        (status = 403, description = "The address waits, and this is no session of the account that asked for it (`sign_in_first`)."),
    ))]
pub async fn verify_email(
    State(state): State<AppState>,
    caller: Option<Caller>,
    JsonBody(input): JsonBody<VerifyIn>,
) -> Result<StatusCode> {
    let caller = caller.as_ref().map(|caller| &caller.0);
    state.placet.auth.verify_email(caller, input).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ask for another link that verifies the caller's e-mail address
///
/// The link goes to the pending address (`pendingEmail`), or else to the current one. An address gets 5 such letters
/// a day, whoever asks; the answer does not tell whether a pending one has had them.
#[utoipa::path(post, path = "/v1/auth/me/verification", tag = "auth", operation_id = "auth.askVerification",
    responses((status = 202, description = "A letter is on its way, unless no address is pending and the current one is verified.")))]
pub async fn ask_verification(State(state): State<AppState>, caller: Caller) -> Result<StatusCode> {
    state.placet.auth.ask_verification(caller.actor()).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Read the caller's second factors
#[utoipa::path(get, path = "/v1/auth/me/second-factor", tag = "auth", operation_id = "auth.secondFactor",
    responses((status = 200, description = "Since when a sign-in takes a code, the passkeys, and how many recovery codes are left.", body = SecondFactor)))]
pub async fn second_factor(State(state): State<AppState>, caller: Caller) -> Result<Response> {
    let factor = state.placet.auth.second_factor(caller.actor()).await?;
    Ok((NO_STORE, Json(factor)).into_response())
}

/// Make a secret for the caller's authenticator app
///
/// The secret replaces an earlier one that waits for its first code. It counts once a code of it was sent
/// (`POST /v1/auth/me/second-factor/confirm`).
#[utoipa::path(post, path = "/v1/auth/me/second-factor", tag = "auth", operation_id = "auth.beginSecondFactor",
    request_body = BeginIn,
    responses(
        (status = 201, description = "The secret, shown this once.", body = AppSecret),
        (status = 409, description = "`second_factor_on`: the account has an app already. `no_password`: the account has none, beside which a second factor is asked for."),
    ))]
pub async fn begin_second_factor(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<BeginIn>,
) -> Result<Response> {
    let auth = &state.placet.auth;
    let secret = auth.begin_second_factor(&caller.0, input).await?;
    Ok((StatusCode::CREATED, NO_STORE, Json(secret)).into_response())
}

/// Turn the caller's authenticator app on by a code of it
///
/// From now on a sign-in with the password takes a `code`. Ends the caller's other sessions. The first second factor ends
/// linked identities and API keys as well, unless the body keeps them.
#[utoipa::path(post, path = "/v1/auth/me/second-factor/confirm", tag = "auth", operation_id = "auth.confirmSecondFactor",
    request_body = FirstCodeIn,
    responses(
        (status = 200, description = "Recovery codes for the day when the app is lost, shown this once.", body = RecoveryCodes),
        (status = 404, description = "No secret waits for its first code."),
    ))]
pub async fn confirm_second_factor(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<FirstCodeIn>,
) -> Result<Response> {
    let auth = &state.placet.auth;
    let codes = auth.confirm_second_factor(&caller.0, input).await?;
    Ok((NO_STORE, Json(codes)).into_response())
}

/// Make other recovery codes for the caller
#[utoipa::path(post, path = "/v1/auth/me/second-factor/recovery-codes", tag = "auth", operation_id = "auth.renewRecoveryCodes",
    request_body = CodeIn,
    responses(
        (status = 200, description = "The codes, shown this once. Those of before end.", body = RecoveryCodes),
        (status = 404, description = "The account has no second factor."),
    ))]
pub async fn renew_recovery_codes(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<CodeIn>,
) -> Result<Response> {
    let auth = &state.placet.auth;
    let codes = auth.renew_recovery_codes(&caller.0, input).await?;
    Ok((NO_STORE, Json(codes)).into_response())
}

/// End the caller's authenticator app
#[utoipa::path(post, path = "/v1/auth/me/second-factor/end", tag = "auth", operation_id = "auth.endSecondFactor",
    request_body = CodeIn,
    responses(
        (status = 204, description = "A sign-in takes its codes no more; without passkeys, the password alone."),
        (status = 404, description = "The account has no authenticator app."),
        (status = 409, description = "`second_factor_missing`: an organization of the caller requires one."),
    ))]
pub async fn end_second_factor(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<CodeIn>,
) -> Result<StatusCode> {
    let auth = &state.placet.auth;
    auth.end_second_factor(&caller.0, input).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Begin to add a passkey to the caller's account
///
/// The browser answers with `navigator.credentials.create`. Its answer goes to
/// `POST /v1/auth/me/second-factor/passkeys` within five minutes.
#[utoipa::path(post, path = "/v1/auth/me/second-factor/passkeys/begin", tag = "auth", operation_id = "auth.beginPasskey",
    request_body = BeginIn,
    responses(
        (status = 200, description = "Options for the browser.", body = PasskeyOptions),
        (status = 409, description = "`no_passkeys`: the base URL of this server is no domain name. `no_password`: the account has none, beside which a second factor is asked for. `too_many_passkeys`: the account has as many as it may."),
    ))]
pub async fn begin_passkey(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<BeginIn>,
) -> Result<Response> {
    let options = state.placet.auth.begin_passkey(&caller.0, input).await?;
    Ok((NO_STORE, Json(options)).into_response())
}

/// Add a passkey to the caller's account
///
/// From now on a sign-in with the password takes a `passkey` or a `code`. The first second factor ends the caller's
/// other sessions, and linked identities and API keys unless the body keeps them.
#[utoipa::path(post, path = "/v1/auth/me/second-factor/passkeys", tag = "auth", operation_id = "auth.addPasskey",
    request_body = PasskeyIn,
    responses(
        (status = 201, description = "The passkey, and recovery codes if it is the first second factor.", body = PasskeyMade),
        (status = 409, description = "`too_many_passkeys`: the account has as many as it may."),
    ))]
pub async fn add_passkey(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<PasskeyIn>,
) -> Result<Response> {
    let made = state.placet.auth.add_passkey(&caller.0, input).await?;
    Ok((StatusCode::CREATED, NO_STORE, Json(made)).into_response())
}

/// Remove a passkey from the caller's account
#[utoipa::path(post, path = "/v1/auth/me/second-factor/passkeys/{passkeyId}/end", tag = "auth", operation_id = "auth.endPasskey",
    params(PasskeyPath),
    request_body = BeginIn,
    responses(
        (status = 204, description = "Removed. With the last second factor the recovery codes end."),
        (status = 409, description = "`second_factor_missing`: it is the last second factor, and an organization of the caller requires one."),
    ))]
pub async fn end_passkey(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<PasskeyPath>,
    JsonBody(input): JsonBody<BeginIn>,
) -> Result<StatusCode> {
    let auth = &state.placet.auth;
    auth.end_passkey(&caller.0, path.passkey_id, input).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List where the caller is signed in
#[utoipa::path(get, path = "/v1/auth/sessions", tag = "auth", operation_id = "auth.sessions",
    responses((status = 200, description = "Sessions that have not ended, the latest first; `current` marks the one of this request.", body = [SignedIn])))]
pub async fn sessions(State(state): State<AppState>, caller: Caller) -> Result<Response> {
    let sessions = state.placet.auth.sessions(&caller.0).await?;
    Ok((NO_STORE, Json(sessions)).into_response())
}

/// End all sessions of the caller but this one
#[utoipa::path(delete, path = "/v1/auth/sessions", tag = "auth", operation_id = "auth.endOtherSessions",
    responses((status = 204, description = "Their tokens are revoked.")))]
pub async fn end_other_sessions(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<StatusCode> {
    state.placet.auth.end_other_sessions(&caller.0).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// End a session of the caller
#[utoipa::path(delete, path = "/v1/auth/sessions/{sessionId}", tag = "auth", operation_id = "auth.endSession",
    params(SessionPath),
    responses((status = 204, description = "Its token is revoked.")))]
pub async fn end_session(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<SessionPath>,
) -> Result<StatusCode> {
    let session = path.session_id;
    state.placet.auth.end_session(&caller.0, session).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Make an API key for a program
#[utoipa::path(post, path = "/v1/auth/keys", tag = "auth", operation_id = "auth.makeKey",
    request_body = KeyIn,
    responses(
        (status = 201, description = "The key. `secret` is a bearer token, shown this once. A key does what its user may, as far as its scopes and projects go; it cannot manage accounts, members or keys.", body = KeyMade),
        (status = 409, description = "The caller has too many keys."),
    ))]
pub async fn make_key(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<KeyIn>,
) -> Result<Response> {
    let made = state.placet.auth.make_key(&caller.0, input).await?;
    Ok((StatusCode::CREATED, NO_STORE, Json(made)).into_response())
}

/// List the caller's API keys
#[utoipa::path(get, path = "/v1/auth/keys", tag = "auth", operation_id = "auth.keys",
    responses((status = 200, description = "The keys without their secrets, the latest first.", body = [ApiKey])))]
pub async fn keys(State(state): State<AppState>, caller: Caller) -> Result<Response> {
    let keys = state.placet.auth.keys(caller.actor()).await?;
    Ok((NO_STORE, Json(keys)).into_response())
}

/// Revoke an API key of the caller
#[utoipa::path(delete, path = "/v1/auth/keys/{keyId}", tag = "auth", operation_id = "auth.revokeKey",
    params(KeyPath),
    responses((status = 204, description = "The key works no longer.")))]
pub async fn revoke_key(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<KeyPath>,
) -> Result<StatusCode> {
    let key = path.key_id;
    state.placet.auth.revoke_key(caller.actor(), key).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Public keys of access tokens (RFC 7517)
#[utoipa::path(get, path = "/.well-known/jwks.json", tag = "auth", operation_id = "auth.jwks", security(()),
    responses((status = 200, description = "The key set.", body = Jwks)))]
pub async fn jwks(State(state): State<AppState>) -> Result<Response> {
    let cache = [(header::CACHE_CONTROL, "public, max-age=300")];
    Ok((cache, Json(state.placet.auth.jwks().await?)).into_response())
}
