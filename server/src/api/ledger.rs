//! Proofs of consents, and what verifiers may want to know of the ledger.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use proof::commitment::Group;
use service::{
    consents::{Extent, Proven},
    ledger::{About, ListedCheckpoint, Status},
};
use uuid::Uuid;

use crate::{
    http::{
        NO_STORE,
        actor::Caller,
        page,
        params::{PageParams, Params},
        path::{ConsentPath, Path},
        problem::{Problem, Result},
    },
    state::AppState,
};

/// Seconds after which a proof that is not there yet is asked for again.
const AGAIN: &str = "10";

/// Download the proof of a consent
///
/// A bundle that anybody can verify without this server, as `placet verify` does. It holds the consent, the path from it
/// to a signed checkpoint of the ledger, the publication that the visitor saw, and the list of its pictures once the
/// ledger has it. Groups of facts can be withheld; the proof binds them all the same.
#[utoipa::path(get, path = "/v1/app/consents/{projectId}/{consentId}/proof", tag = "app", operation_id = "app.prove",
    params(
        ConsentPath,
        ("withhold" = Option<String>, Query, description = "Groups that the bundle only binds, comma-separated: `choice`, `person`, `circumstances`", example = "person,circumstances"),
        ("files" = Option<String>, Query, description = "`pictures`: the bundle holds the pictures of the publication, too, in the order of their list, up to 8 MiB", example = "pictures"),
    ),
    responses(
        (status = 200, description = "The bundle, `placet-proof/1`, with `Content-Disposition`.", content((serde_json::Value = "application/json", example = json!({"format": "placet-proof/1"})))),
        (status = 202, description = "The next checkpoint will cover the consent: ask again after `Retry-After` seconds."),
        (status = 409, description = "`not_in_ledger`: the consent was stored without an entry."),
        (status = 410, description = "`entry_removed`: the entry is older than the ledger is kept, or its file was lost."),
    ))]
pub async fn prove(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ConsentPath>,
    params: Params,
) -> Result<Response> {
    params.only(&["withhold", "files"])?;
    let extent = Extent {
        withhold: withheld(params.get("withhold").unwrap_or_default())?,
        pictures: match params.get("files") {
            None => false,
            Some("pictures") => true,
            Some(_) => return Err(Problem::bad_request("`files` is `pictures`.")),
        },
    };
    let (project, consent) = (path.project_id, path.consent_id);
    let consents = &state.placet.consents;
    let proven = consents
        .prove(caller.actor(), project, consent, &extent)
        .await?;
    Ok(answer(proven, consent))
}

/// The bundle as a file, or when to ask again.
pub fn answer(proven: Proven, consent: Uuid) -> Response {
    let Proven::Bundle(bundle) = proven else {
        return later();
    };
    let disposition = format!("attachment; filename=\"{consent}.placet-proof.json\"");
    let mut answer = (NO_STORE, Json(bundle)).into_response();
    if let Ok(value) = HeaderValue::from_str(&disposition) {
        answer
            .headers_mut()
            .insert(header::CONTENT_DISPOSITION, value);
    }
    answer
}

/// When to ask again.
pub(super) fn later() -> Response {
    let headers = [
        (header::RETRY_AFTER, AGAIN),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (StatusCode::ACCEPTED, headers).into_response()
}

/// Groups that a proof leaves out, from their names with commas between them.
pub fn withheld(names: &str) -> Result<Vec<Group>> {
    let names = names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names
        .map(|name| {
            let group = Group::parse(name).filter(|group| *group != Group::Core);
            group.ok_or_else(|| {
                Problem::bad_request("`withhold` lists choice, person and circumstances.")
            })
        })
        .collect()
}

/// List the published checkpoints of the ledger, newest first
///
/// For whoever compares them with one that was noted in time, or asks which witnesses have signed. All of the last 7 days,
/// before that one a day and those that witnesses signed or an authority stamped.
#[utoipa::path(get, path = "/v1/ledger/checkpoints", tag = "ledger", operation_id = "ledger.checkpoints",
    params(PageParams),
    responses((status = 200, description = "A page of the checkpoints; the `X-` headers and `Link` say which.", body = [ListedCheckpoint])))]
pub async fn checkpoints(
    State(state): State<AppState>,
    _: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let (ledger, base) = (&state.placet.ledger, &state.placet.config.base_url);
    let list = ledger.checkpoints(params.page()?).await?;
    Ok(page::answer(&uri, base, &list))
}

/// Read the state of the ledger
///
/// Its name, its key, how many entries it has, how far the latest checkpoint is, and the state of each witness that is
/// asked to sign it, and of the authority that stamps its time. For accounts of the operator (`--operator`); no API key is one.
#[utoipa::path(get, path = "/v1/operator/ledger", tag = "operator", operation_id = "operator.ledger",
    responses(
        (status = 200, description = "The state.", body = Status),
        (status = 404, description = "No ledger was ever on."),
    ))]
pub async fn status(State(state): State<AppState>, caller: Caller) -> Result<Json<Status>> {
    let status = state.placet.ledger.operators_status(caller.actor()).await?;
    Ok(Json(status))
}

/// `/.well-known/placet-ledger.json`.
pub async fn about(State(state): State<AppState>) -> Result<Json<About>> {
    let about = state
        .placet
        .ledger
        .about(&state.placet.config.cdn_url)
        .await?;
    about.map(Json).ok_or_else(Problem::not_found)
}
