//! `/v1/concerns`: states of a project that its people should look at.

use axum::{Json, extract::State};
use service::concerns::Concern;

use crate::{
    http::{
        actor::Caller,
        path::{Path, ProjectPath},
        problem::Problem,
    },
    state::AppState,
};

/// List the concerns of a project
///
/// `no_consents`: none has come for a day at least, although the week before had 50 on five days or more.
/// `snippet_gone`: the site had the snippet when somebody checked it, and two looks a day apart found it no more.
/// `publish_failed`: the last publish failed when its time had come, or after its content was ready.
/// `publish_waits`: a publish waits for the approval of a second person. `webhook_off`: a webhook was turned off
/// because it accepted nothing. People who can do something about it get one letter about each, unless they want none
/// (`concernLetters` of the account).
#[utoipa::path(get, path = "/v1/concerns/{projectId}", tag = "concerns", operation_id = "concerns.list",
    params(ProjectPath),
    responses((status = 200, description = "The concerns of now; an empty list is good news.", body = [Concern])))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Json<Vec<Concern>>, Problem> {
    let (actor, project) = (caller.actor(), path.project_id);
    Ok(Json(state.placet.watch.concerns(actor, project).await?))
}
