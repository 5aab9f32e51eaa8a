//! Dossiers: all consents of a token in one file for an authority.

use axum::{
    body::Body,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use service::{clock::Timestamp, consents::Dossier};
use utoipa::ToSchema;
use uuid::Uuid;

use super::ledger::later;
use crate::{
    http::{
        actor::Caller,
        body::JsonBody,
        path::{Path, ProjectPath},
        problem::Problem,
    },
    state::AppState,
};

/// The token whose dossier is asked for.
#[derive(Deserialize, ToSchema)]
pub struct DossierIn {
    /// The token that the visitor answered with.
    #[schema(example = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")]
    token: String,
    /// Only consents that were decided before: `decidedAt` of the last one of an earlier dossier leads to those that
    /// it left out.
    #[schema(value_type = Option<String>, format = "date-time", example = "2026-11-21T09:30:00.000Z")]
    before: Option<Timestamp>,
}

/// Compile the dossier of a token
///
/// A ZIP file for an authority, with a folder for each consent of the token, the latest first: its proof bundle as
/// `app.prove` gives it, the consent as it is stored, and the manifest and the payload or box that the visitor was shown.
/// `index.html` lists the consents in plain English, `HOW-TO-CHECK.txt` says how to check them offline, with
/// `placet-verify` and without. It has at most 500 consents, and about 128 MB before compression; `index.html` says if
/// older ones are left out, and how many later ones no checkpoint covers yet. With the ledger turned off, consents have
/// no bundles. An account compiles one at a time, and takes it at 16 KB a second at least.
#[utoipa::path(post, path = "/v1/app/dossiers/{projectId}", tag = "app", operation_id = "app.dossier",
    params(ProjectPath),
    request_body = DossierIn,
    responses(
        (status = 200, description = "The file, with `Content-Disposition`. It is streamed.", content((Vec<u8> = "application/zip"))),
        (status = 202, description = "No checkpoint covers a consent yet: ask again after `Retry-After` seconds."),
        (status = 404, description = "No consent has this token."),
    ))]
pub async fn compile(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    JsonBody(body): JsonBody<DossierIn>,
) -> Result<Response, Problem> {
    let (project, actor) = (path.project_id, caller.actor());
    let consents = &state.placet.consents;
    let dossier = consents
        .dossier(actor, project, &body.token, body.before)
        .await?;
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
