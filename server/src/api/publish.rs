//! `/v1/publish`: publish jobs.

use axum::{
    Json,
    extract::{OriginalUri, Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use service::publish::PublishJob;

use super::id;
use crate::{
    http::{actor::Caller, page, params::Params, problem::Problem},
    state::AppState,
};

type Result<T> = std::result::Result<T, Problem>;

fn accepted(job: PublishJob) -> Response {
    (
        StatusCode::ACCEPTED,
        [(header::LOCATION, job.links.this.clone())],
        Json(job),
    )
        .into_response()
}

/// Publish a project
#[utoipa::path(post, path = "/v1/publish/jobs/{project_id}", tag = "publish", operation_id = "publish.start",
    params(("project_id" = Uuid, Path, description = "Project")),
    responses((status = 202, description = "The job, with `Location`; poll `links.self`.", body = PublishJob)))]
pub async fn start(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
) -> Result<Response> {
    Ok(accepted(
        state
            .placet
            .publish
            .start(caller.actor(), id(&project)?)
            .await?,
    ))
}

/// List the publish jobs of a project, newest first
///
/// `after=<job id>` goes on behind that job and costs the same however far that is; its `Link:
/// rel="next"` names the part that follows.
#[utoipa::path(get, path = "/v1/publish/jobs/{project_id}", tag = "publish", operation_id = "publish.list",
    params(
        ("project_id" = Uuid, Path, description = "Project"),
        ("page" = Option<u32>, Query, description = "From 1", minimum = 1),
        ("perPage" = Option<u32>, Query, description = "At most 100; more is clamped", minimum = 1),
        ("after" = Option<Uuid>, Query, description = "Id of the job after which to go on, instead of `page`"),
    ),
    responses((status = 200, description = "A part of the jobs; the `X-` headers and `Link` say which. With `after` nothing is counted.", body = [PublishJob])))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(project): Path<String>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let (project, page) = (id(&project)?, params.page()?);
    let (publish, base) = (&state.placet.publish, &state.placet.config.base_url);
    let Some(after) = params.parsed("after", "the id of a job")? else {
        let list = publish.list(caller.actor(), project, page).await?;
        return Ok(page::answer(&uri, base, &list));
    };
    let part = publish
        .list_after(caller.actor(), project, after, page.size)
        .await?;
    Ok(page::answer_part(&uri, base, &part, |last| {
        last.id.to_string()
    }))
}

/// Poll a publish job
#[utoipa::path(get, path = "/v1/publish/jobs/{project_id}/{job_id}", tag = "publish", operation_id = "publish.read",
    params(("project_id" = Uuid, Path, description = "Project"), ("job_id" = Uuid, Path, description = "Job")),
    responses((status = 200, description = "The job as it stands.", body = PublishJob)))]
pub async fn read(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, job)): Path<(String, String)>,
) -> Result<Json<PublishJob>> {
    Ok(Json(
        state
            .placet
            .publish
            .read(caller.actor(), id(&project)?, id(&job)?)
            .await?,
    ))
}

/// Put an earlier published file back
#[utoipa::path(post, path = "/v1/publish/jobs/{project_id}/{job_id}/rollback", tag = "publish", operation_id = "publish.rollback",
    params(("project_id" = Uuid, Path, description = "Project"), ("job_id" = Uuid, Path, description = "The job whose content is put back")),
    responses(
        (status = 202, description = "The new job, with `Location`; poll `links.self`.", body = PublishJob),
        (status = 409, description = "That job did not complete.", body = Problem, content_type = "application/problem+json"),
    ))]
pub async fn rollback(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, job)): Path<(String, String)>,
) -> Result<Response> {
    Ok(accepted(
        state
            .placet
            .publish
            .rollback(caller.actor(), id(&project)?, id(&job)?)
            .await?,
    ))
}
