//! `/v1/audit`: who did what in a project.

use axum::{
    extract::{OriginalUri, State},
    response::Response,
};
use domain::audit::Action;
use service::audit::Entry;

use crate::{
    http::{
        actor::Caller,
        page,
        params::{PageParams, Params},
        path::{Path, ProjectPath},
        problem::Problem,
    },
    state::AppState,
};

/// List what people and programs did in a project
///
/// Changes of documents, publishes, readings, exports, imports and erasures of consents, members, invitations, webhooks
/// and files, also those in the project's organization. The same action of one person on one thing within an hour of
/// the clock is one entry. Entries are kept for a year, and 100,000 of a project. They hold no data of visitors.
/// Needs the role `dpo`.
#[utoipa::path(get, path = "/v1/audit/{projectId}", tag = "audit", operation_id = "audit.list",
    params(
        ProjectPath,
        ("action" = Option<Action>, Query, description = "Only this action"),
        PageParams,
        ("q" = Option<String>, Query, description = "Only entries in which each word of this text occurs: in the address of the person, in the name of the key or the thing, or in the details"),
        ("sort" = Option<String>, Query, description = "`-at` (default) or `at`"),
    ),
    responses((status = 200, description = "A page of entries.", body = [Entry])))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response, Problem> {
    let action = params
        .get("action")
        .map(|word| {
            let known = Action::parse(word);
            known.ok_or_else(|| Problem::bad_request("`action` must be an action.".to_owned()))
        })
        .transpose()?;
    let list = state
        .placet
        .audit
        .list(
            caller.actor(),
            path.project_id,
            action,
            &params.asked("at")?,
        )
        .await?;
    Ok(page::answer(&uri, &state.placet.config.base_url, &list))
}
