//! `/v1/publish`: publish jobs.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use service::publish::PublishJob;

use crate::{
    http::{
        actor::Caller,
        body::JsonBody,
        page,
        params::Params,
        path::{JobPath, Path, ProjectPath},
        problem::Problem,
    },
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

/// Remarks on a publish.
#[derive(Deserialize, utoipa::ToSchema)]
pub struct PublishIn {
    /// Why to publish in spite of the job's `warnings`; at most 1,000 characters. It is kept with the
    /// job.
    #[schema(example = "The footer of our site opens the widget.")]
    pub reason: Option<String>,
}

/// Publish a project
///
/// The job lists `warnings` about settings and texts that are not fair to visitors. They stop nothing.
#[utoipa::path(post, path = "/v1/publish/jobs/{projectId}", tag = "publish", operation_id = "publish.start",
    params(ProjectPath), request_body = Option<PublishIn>,
    responses((status = 202, description = "The job, with `Location`; poll `links.self`.", body = PublishJob)))]
pub async fn start(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    body: Option<JsonBody<PublishIn>>,
) -> Result<Response> {
    let reason = body.and_then(|JsonBody(body)| body.reason);
    Ok(accepted(
        state
            .placet
            .publish
            .start(caller.actor(), path.project_id, reason.as_deref())
            .await?,
    ))
}

/// List the publish jobs of a project, newest first
///
/// `after=<job id>` continues behind that job and costs the same at any distance. Its
/// `Link: rel="next"` names the next slice.
#[utoipa::path(get, path = "/v1/publish/jobs/{projectId}", tag = "publish", operation_id = "publish.list",
    params(
        ProjectPath,
        ("page" = Option<u32>, Query, description = "From 1", minimum = 1),
        ("perPage" = Option<u32>, Query, description = "At most 100; more is clamped", minimum = 1),
        ("after" = Option<Uuid>, Query, description = "Id of the job after which to go on, instead of `page`"),
    ),
    responses((status = 200, description = "A part of the jobs; the `X-` headers and `Link` say which. With `after` nothing is counted.", body = [PublishJob])))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let (project, page) = (path.project_id, params.page()?);
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
#[utoipa::path(get, path = "/v1/publish/jobs/{projectId}/{jobId}", tag = "publish", operation_id = "publish.read",
    params(JobPath),
    responses((status = 200, description = "The job as it stands.", body = PublishJob)))]
pub async fn read(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<JobPath>,
) -> Result<Json<PublishJob>> {
    Ok(Json(
        state
            .placet
            .publish
            .read(caller.actor(), path.project_id, path.job_id)
            .await?,
    ))
}

/// Put an earlier published file back
#[utoipa::path(post, path = "/v1/publish/jobs/{projectId}/{jobId}/rollback", tag = "publish", operation_id = "publish.rollback",
    params(JobPath),
    responses(
        (status = 202, description = "The new job, with `Location`; poll `links.self`.", body = PublishJob),
        (status = 409, description = "That job did not complete.", body = Problem, content_type = "application/problem+json"),
    ))]
pub async fn rollback(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<JobPath>,
) -> Result<Response> {
    Ok(accepted(
        state
            .placet
            .publish
            .rollback(caller.actor(), path.project_id, path.job_id)
            .await?,
    ))
}
