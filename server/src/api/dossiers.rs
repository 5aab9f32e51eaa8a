//! Dossiers: all consents of a token in one file for an authority.

use axum::{
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use service::consents::Dossier;
use uuid::Uuid;

use super::{ledger::later, visitors::OwnToken};
use crate::{
    http::{
        actor::Caller,
        body::JsonBody,
        path::{Path, ProjectPath},
        problem::Problem,
    },
    state::AppState,
};

/// Compile the dossier of a token
///
/// A ZIP file for an authority, with a folder for each consent of the token, the latest first: its proof bundle as
/// `app.prove` gives it, the consent as it is stored, and the manifest and the payload or box that the visitor was shown.
/// `index.html` lists the consents in plain English, `HOW-TO-CHECK.txt` says how to check them offline, with `placet-verify` and
/// without. It has at most 500 consents, and about 128 MB before compression; `index.html` says if older ones are left
/// out. With the ledger turned off, consents have no bundles. An account compiles one at a time.
#[utoipa::path(post, path = "/v1/app/dossiers/{projectId}", tag = "app", operation_id = "app.dossier",
    params(ProjectPath),
    request_body = OwnToken,
    responses(
        (status = 200, description = "The file, with `Content-Disposition`. It is streamed.", content((Vec<u8> = "application/zip"))),
        (status = 202, description = "The next checkpoint will cover the consents: ask again after `Retry-After` seconds."),
        (status = 404, description = "No consent has this token.", body = Problem, content_type = "application/problem+json"),
    ))]
pub async fn compile(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    JsonBody(body): JsonBody<OwnToken>,
) -> Result<Response, Problem> {
    let (project, actor) = (path.project_id, caller.actor());
    let consents = &state.placet.consents;
    let dossier = consents.dossier(actor, project, &body.token).await?;
    Ok(answer(dossier, project))
}

/// The dossier as a file, or when to ask again.
pub fn answer(dossier: Dossier, project: Uuid) -> Response {
    let Dossier::File(pieces) = dossier else {
        return later();
    };
    let disposition = format!("attachment; filename=\"dossier-{project}.zip\"");
    let headers = [
        (header::CONTENT_TYPE, "application/zip".to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, Body::from_stream(pieces)).into_response()
}
