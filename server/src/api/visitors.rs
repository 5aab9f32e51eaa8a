//! The routes by which visitors read and erase their own consents. Their secrets stand in bodies, so no log has them.

use axum::{
    Json,
    extract::{FromRequestParts, State},
    http::request::Parts,
    response::{IntoResponse, Response},
};
use domain::tcf::Answers;
use serde::Deserialize;
use service::{
    consents::{Erased, History, Secret},
    shares::{ClientShare, ClientShares},
};
use utoipa::ToSchema;

use super::ledger::answer;
use crate::{
    http::{
        NO_STORE,
        body::JsonBody,
        client::Client,
        path::{ConsentPath, Path, ProjectPath},
        problem::{Problem, Result},
    },
    state::AppState,
};

/// Own consents that a client reads, proves or erases at once.
const AT_ONCE: usize = 2;

/// The turns of clients.
pub struct Turns(ClientShares);

/// The turn of a client, until this is dropped.
pub struct Turn(#[expect(dead_code, reason = "held until it is dropped")] Option<ClientShare>);

impl Default for Turns {
    fn default() -> Self {
        Self(ClientShares::new(AT_ONCE))
    }
}

impl FromRequestParts<AppState> for Turn {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self> {
        let client = Client::of(state, &parts.extensions, &parts.headers).subscriber();
        let share = client.map(|client| state.http.visitors.0.take(client, 1));
        Ok(Self(share.transpose()?))
    }
}

/// A visitor's token.
#[derive(Deserialize, ToSchema)]
pub struct OwnToken {
    /// The token that the visitor answered with.
    #[schema(example = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")]
    pub token: String,
}

/// A visitor's token, or the salt of a receipt. One of them.
#[derive(Deserialize, ToSchema)]
pub struct OwnSecret {
    /// The token that the visitor answered with.
    #[schema(example = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")]
    token: Option<String>,
    /// `receipt.salt` of the answer to the consent: 64 lower-case hexadecimal digits.
    #[schema(example = "5b0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f5b0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")]
    salt: Option<String>,
}

impl OwnSecret {
    fn read(self) -> Result<Secret> {
        match (self.token, self.salt) {
            (Some(token), None) => Ok(Secret::Token(token)),
            (None, Some(salt)) => match proof::hash_from_hex(&salt) {
                Ok(salt) => Ok(Secret::Salt(salt)),
                Err(_) => Err(Problem::bad_request(
                    "`salt` is 64 lower-case hexadecimal digits.",
                )),
            },
            _ => Err(Problem::bad_request("Send either `token` or `salt`.")),
        }
    }
}

/// List the consents of a visitor
///
/// Public for everybody who has the token; cookies and `Authorization` are ignored. Only for tokens of the form that
/// the SDK makes (44 hexadecimal digits), and for tokens that the site signed. A token without consents gets an empty
/// list.
#[utoipa::path(post, path = "/v1/app/history/{projectId}", tag = "app", operation_id = "app.history", security(()),
    params(ProjectPath),
    request_body = OwnToken,
    responses(
        (status = 200, description = "The consents, and what was shown.", body = History),
        (status = 403, description = "`guessable_token`: the token is not of the form that the SDK makes, and the site did not sign it."),
    ))]
pub async fn history(
    State(state): State<AppState>,
    _turn: Turn,
    Path(path): Path<ProjectPath>,
    JsonBody(body): JsonBody<OwnToken>,
) -> Result<Response> {
    let consents = &state.placet.consents;
    let history = consents.history(path.project_id, &body.token).await?;
    Ok((NO_STORE, Json(history)).into_response())
}

/// Erase the consents of a visitor
///
/// For the same tokens as the list of them, where the project lets visitors erase (`retention.visitorErasure`); its
/// `mayErase` tells. A tombstone of each consent stays. Withdraw first, by a consent that allows nothing: a site that
/// keeps a choice in the browser follows it until then. Consents that come afterwards are new ones.
#[utoipa::path(post, path = "/v1/app/erasures/{projectId}", tag = "app", operation_id = "app.eraseOwn", security(()),
    params(ProjectPath),
    request_body = OwnToken,
    responses(
        (status = 200, description = "The number of erased consents, 0 for a token without consents.", body = Erased),
        (status = 403, description = "`erasure_not_offered`: the project does not let visitors erase. `guessable_token`: the token is not of the form that the SDK makes, and the site did not sign it."),
    ))]
pub async fn erase(
    State(state): State<AppState>,
    _turn: Turn,
    Path(path): Path<ProjectPath>,
    JsonBody(body): JsonBody<OwnToken>,
) -> Result<Response> {
    let consents = &state.placet.consents;
    let erased = consents.erase_own(path.project_id, &body.token).await?;
    Ok((NO_STORE, Json(erased)).into_response())
}

/// Read the answers in the TC string of an own consent
///
/// Purposes, special features, vendors and providers of Google's Additional Consent by the names that were shown, each with
/// its answer. For the same secrets as the proof of the consent.
#[utoipa::path(post, path = "/v1/app/answers/{projectId}/{consentId}", tag = "app", operation_id = "app.readOwnAnswers", security(()),
    params(ConsentPath),
    request_body = OwnSecret,
    responses(
        (status = 200, description = "The answers to all that was asked.", body = Answers),
        (status = 403, description = "`guessable_token`: the token is not of the form that the SDK makes, and the site did not sign it."),
        (status = 404, description = "`not_found`: the secret is wrong, or the consent has no TC string or names no publication that asked by TCF."),
    ))]
pub async fn read_answers(
    State(state): State<AppState>,
    _turn: Turn,
    Path(path): Path<ConsentPath>,
    JsonBody(body): JsonBody<OwnSecret>,
) -> Result<Response> {
    let (project, consent) = (path.project_id, path.consent_id);
    let consents = &state.placet.consents;
    let secret = body.read()?;
    let answers = consents.own_tcf_answers(project, consent, &secret);
    Ok((NO_STORE, Json(answers.await?)).into_response())
}

/// Download the proof of an own consent
///
/// The bundle that members download, for the visitor who gave the consent: by the token, or by the salt of its receipt.
/// After an erasure the salt still opens what remains. With a wrong secret nothing is there.
#[utoipa::path(post, path = "/v1/app/proofs/{projectId}/{consentId}", tag = "app", operation_id = "app.proveOwn", security(()),
    params(ConsentPath),
    request_body = OwnSecret,
    responses(
        (status = 200, description = "The bundle, `placet-proof/1`, with `Content-Disposition`.", content((serde_json::Value = "application/json", example = json!({"format": "placet-proof/1"})))),
        (status = 202, description = "The next checkpoint will cover the consent: ask again after `Retry-After` seconds."),
        (status = 403, description = "`guessable_token`: the token is not of the form that the SDK makes, and the site did not sign it."),
        (status = 409, description = "`not_in_ledger`: the consent was stored without an entry."),
        (status = 410, description = "`entry_removed`: the entry is older than the ledger is kept, or its file was lost."),
    ))]
pub async fn prove(
    State(state): State<AppState>,
    _turn: Turn,
    Path(path): Path<ConsentPath>,
    JsonBody(body): JsonBody<OwnSecret>,
) -> Result<Response> {
    let (project, consent) = (path.project_id, path.consent_id);
    let consents = &state.placet.consents;
    let proven = consents.prove_own(project, consent, &body.read()?).await?;
    Ok(answer(proven, consent))
}
