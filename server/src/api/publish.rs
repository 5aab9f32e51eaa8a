//! `/v1/publish`: publish jobs.

use axum::{
    Json,
    extract::{FromRequest, OriginalUri, Request, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    collection::Collection, consent::Shown, differences::FieldChange, field_error::FieldError,
    pictures::PictureList,
};
use serde::{Deserialize, Serialize};
use service::clock::Timestamp;
use service::publish::{
    Change, ListedPublication, PictureFile, Pictures, PublishJob, SceneSet, TakenElsewhere, Waiting,
};
use utoipa::ToSchema;
use uuid::Uuid;

use super::ledger::later;
use crate::{
    http::{
        NO_STORE,
        actor::Caller,
        body::{self, JsonBody},
        page,
        params::{PageParams, Params},
        path::{JobPath, Path, PicturePath, ProjectPath, PublicationPath},
        problem::Result,
    },
    state::AppState,
};

/// Most bytes of pictures that were taken elsewhere, as they are sent.
pub const EVIDENCE_LIMIT: usize = 24 * 1024 * 1024;

fn accepted(job: PublishJob) -> Response {
    (
        StatusCode::ACCEPTED,
        [(header::LOCATION, job.links.this.clone())],
        Json(job),
    )
        .into_response()
}

/// Remarks on a publish.
#[derive(Deserialize, ToSchema)]
pub struct PublishIn {
    /// A note about the publish, such as why it is made in spite of the job's `warnings`; at most 1,000
    /// characters. It is kept with the job.
    #[schema(example = "The footer of our site opens the widget.")]
    pub reason: Option<String>,
    /// Time at which the content of today goes live, at most 366 days ahead; at once when absent.
    pub at: Option<Timestamp>,
}

/// Remarks on a rollback.
#[derive(Deserialize, ToSchema)]
pub struct RollbackIn {
    /// A note about it; at most 1,000 characters. It is kept with the job.
    #[schema(example = "The new text named a service that is gone.")]
    pub reason: Option<String>,
}

/// Publish a project
///
/// The job lists `warnings` about settings and texts that are not fair to visitors. They stop nothing.
///
/// With `at`, or where the project asks for the approval of a second person (`approval`), the job makes its content at
/// once and then has the status `waiting`. A project has one such job at most, and another publish that goes live
/// meanwhile ends it (`overtaken`).
#[utoipa::path(post, path = "/v1/publish/jobs/{projectId}", tag = "publish", operation_id = "publish.start",
    params(ProjectPath), request_body = Option<PublishIn>,
    responses(
        (status = 202, description = "The job, with `Location`; poll `links.self`.", body = PublishJob),
        (status = 409, description = "`publish_waits`: a publish of the project waits already."),
        (status = 429, description = "Too many requests; `queue_full`: as many publishes of the project, or of the person, wait or run as may. See `Retry-After`."),
    ))]
pub async fn start(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    body: Option<JsonBody<PublishIn>>,
) -> Result<Response> {
    let (reason, at) = body.map_or((None, None), |JsonBody(body)| (body.reason, body.at));
    Ok(accepted(
        state
            .placet
            .publish
            .start(caller.actor(), path.project_id, reason.as_deref(), at)
            .await?,
    ))
}

/// List the publish jobs of a project
///
/// `after=<job id>` continues behind that job and costs the same at any distance. Its
/// `Link: rel="next"` names the next slice.
#[utoipa::path(get, path = "/v1/publish/jobs/{projectId}", tag = "publish", operation_id = "publish.list",
    params(
        ProjectPath,
        PageParams,
        ("after" = Option<Uuid>, Query, description = "Id of the job after which to go on, instead of `page`"),
        ("q" = Option<String>, Query, description = "Only jobs in which each word of this text occurs: in the note, the message or the name of the person; or the job with this id"),
        ("sort" = Option<String>, Query, description = "`-started` (default) or `started`"),
    ),
    responses((status = 200, description = "A slice of the jobs; the `X-` headers and `Link` say which. With `after` nothing is counted.", body = [PublishJob])))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let (project, asked) = (path.project_id, params.asked("started")?);
    let (publish, base) = (&state.placet.publish, &state.placet.config.base_url);
    let Some(after) = params.parsed("after", "the id of a job")? else {
        let list = publish.list(caller.actor(), project, &asked).await?;
        return Ok(page::answer(&uri, base, &list));
    };
    let slice = publish
        .list_after(caller.actor(), project, after, &asked)
        .await?;
    Ok(page::answer_slice(&uri, base, &slice, |last| {
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

/// A document that a publish, or putting an earlier file back, would change.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublishChange {
    /// Its collection; `projects` is the look of the project and what holds for all of it.
    #[schema(value_type = String, example = "cookies")]
    collection: Collection,
    /// Its id.
    id: Uuid,
    /// Its title.
    #[schema(example = "Banner")]
    title: String,
    /// The change.
    change: ChangeKind,
    /// The fields with other values, at most 100.
    fields: Vec<FieldChange>,
    /// Number of further fields.
    #[schema(example = 0)]
    omitted: usize,
    /// The fields that keep it from being published, at most 100.
    errors: Vec<FieldError>,
}

/// The change of a document.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It becomes live.
    New,
    /// It is live with other values.
    Changed,
    /// It is live and will not be.
    Removed,
    /// It cannot be published.
    Broken,
}

impl From<Waiting> for PublishChange {
    fn from(waiting: Waiting) -> Self {
        let (mut fields, mut omitted, mut errors) = (Vec::new(), 0, Vec::new());
        let change = match waiting.change {
            Change::New => ChangeKind::New,
            Change::Removed => ChangeKind::Removed,
            Change::Changed(differences) => {
                (fields, omitted) = (differences.fields, differences.omitted);
                ChangeKind::Changed
            }
            Change::Broken {
                errors: found,
                omitted: others,
                ..
            } => {
                (errors, omitted) = (found, others);
                ChangeKind::Broken
            }
        };
        Self {
            collection: waiting.collection,
            id: waiting.id,
            title: waiting.title,
            change,
            fields,
            omitted,
            errors,
        }
    }
}

/// List the changes that a publish would make live
///
/// Compares what is live with the drafts, field by field. Values of more than 300 characters are cut, and an answer
/// tells at most 1,000 fields: `omitted` counts the others of each document.
#[utoipa::path(get, path = "/v1/publish/changes/{projectId}", tag = "publish", operation_id = "publish.changes",
    params(
        ProjectPath,
        PageParams,
        ("job" = Option<Uuid>, Query, description = "Compare with the content of this job instead of the drafts: the changes that putting it back would make, or that it will make if it waits"),
    ),
    responses(
        (status = 200, description = "A page of the documents that would change; the `X-` headers and `Link` say which. An empty list if none would.", body = [PublishChange]),
        (status = 409, description = "`not_published`: that job did not complete, and does not wait."),
        (status = 422, description = "`build_failed`: the project has more texts and services than can be published."),
    ))]
pub async fn changes(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let (job, page) = (params.parsed("job", "the id of a job")?, params.page()?);
    let (publish, base) = (&state.placet.publish, &state.placet.config.base_url);
    let changes = publish
        .changes(caller.actor(), path.project_id, job, page)
        .await?;
    let changes = changes.map(PublishChange::from);
    Ok(page::answer(&uri, base, &changes))
}

/// List the publications of a project
///
/// A publication is what visitors saw of one configuration or box in one language, from its first publish on until
/// another one took its place. A publish that changes nothing makes none.
#[utoipa::path(get, path = "/v1/publish/publications/{projectId}", tag = "publish", operation_id = "publish.publications",
    params(
        ProjectPath,
        ("page" = Option<u32>, Query, description = "From 1", minimum = 1),
        ("perPage" = Option<u32>, Query, description = "At most 25; more is clamped", minimum = 1),
        ("q" = Option<String>, Query, description = "Only publications of documents in whose title or name of today each word of this text occurs, and those whose hash begins with it"),
        ("sort" = Option<String>, Query, description = "`-publishedAt` (default) or `publishedAt`"),
    ),
    responses((status = 200, description = "A page of the publications; the `X-` headers and `Link` say which.", body = [ListedPublication])))]
pub async fn publications(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let (publish, base) = (&state.placet.publish, &state.placet.config.base_url);
    let list = publish
        .publications(
            caller.actor(),
            path.project_id,
            &params.asked("publishedAt")?,
        )
        .await?;
    Ok(page::answer(&uri, base, &list))
}

/// Read a publication
///
/// Its manifest has every text and setting that visitors saw, and the hashes of the files that drew it.
#[utoipa::path(get, path = "/v1/publish/publications/{projectId}/{configurationId}/{publication}", tag = "publish", operation_id = "publish.publication",
    params(PublicationPath),
    responses((status = 200, description = "The publication.", body = Shown)))]
pub async fn publication(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<PublicationPath>,
) -> Result<Json<Shown>> {
    let publish = &state.placet.publish;
    Ok(Json(publish.shown_by(caller.actor(), path.key()).await?))
}

/// Download the proof of a publication
///
/// Its entry in the ledger, the path from it to a signed checkpoint, and its manifest, as `publication` of a consent's
/// bundle has them. It shows what was published by that time, without any consent.
#[utoipa::path(get, path = "/v1/publish/publications/{projectId}/{configurationId}/{publication}/proof", tag = "publish", operation_id = "publish.prove",
    params(PublicationPath),
    responses(
        (status = 200, description = "The proof; `docs/proof.md` of the source describes it.", content((serde_json::Value = "application/json", example = json!({"entry": "A3t9", "index": 3, "proof": "c2sp.org/tlog-proof@v1\nindex 3\n", "manifest": "{}"})))),
        (status = 202, description = "The next checkpoint will cover the publication: ask again after `Retry-After` seconds."),
        (status = 409, description = "`not_in_ledger`: it has no entry."),
        (status = 410, description = "`entry_removed`: the entry is older than the ledger is kept, or its file was lost."),
    ))]
pub async fn prove(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<PublicationPath>,
) -> Result<Response> {
    let publish = &state.placet.publish;
    let proof = publish
        .proof_of_publication(caller.actor(), path.key())
        .await?;
    Ok(proof.map_or_else(later, |proof| (NO_STORE, Json(proof)).into_response()))
}

/// Read the pictures of a publication
///
/// They show each step of a widget, or a box, as it was published, drawn by Chromium 360, 768 and 1,280 pixels
/// wide at `takenAt`, if the operator of the server has turned that on. Their list has its SHA-256 in the ledger.
#[utoipa::path(get, path = "/v1/publish/publications/{projectId}/{configurationId}/{publication}/pictures", tag = "publish", operation_id = "publish.pictures",
    params(PublicationPath),
    responses((status = 200, description = "Their state, and their list if they are there.", body = Pictures)))]
pub async fn pictures(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<PublicationPath>,
) -> Result<Json<Pictures>> {
    let publish = &state.placet.publish;
    Ok(Json(publish.pictures(caller.actor(), path.key()).await?))
}

/// Ask for the pictures of a publication
///
/// For a publication that has none, or whose pictures could not be taken. Otherwise nothing changes.
#[utoipa::path(post, path = "/v1/publish/publications/{projectId}/{configurationId}/{publication}/pictures", tag = "publish", operation_id = "publish.takePictures",
    params(PublicationPath),
    responses(
        (status = 202, description = "Their state; read it again until it is not `asked`.", body = Pictures),
        (status = 409, description = "`pictures_off`: this server takes no pictures."),
        (status = 429, description = "Too many requests; `queue_full`: the pictures of as many publications of the project wait as may. See `Retry-After`."),
    ))]
pub async fn take_pictures(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<PublicationPath>,
) -> Result<(StatusCode, Json<Pictures>)> {
    let publish = &state.placet.publish;
    let pictures = publish.take_pictures(caller.actor(), path.key()).await?;
    Ok((StatusCode::ACCEPTED, Json(pictures)))
}

/// Read a picture of a publication
///
/// Or the list of its pictures, by the SHA-256 that the ledger has. The bytes are those that the hash is of.
#[utoipa::path(get, path = "/v1/publish/publications/{projectId}/{configurationId}/{publication}/pictures/{sha256}", tag = "publish", operation_id = "publish.picture",
    params(PicturePath),
    responses((status = 200, description = "The file.", content((Vec<u8> = "image/webp"), (PictureList = "application/json")))))]
pub async fn picture(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<PicturePath>,
) -> Result<Response> {
    let publish = &state.placet.publish;
    let file = publish.picture(caller.actor(), path.key(), &path.sha256);
    Ok(picture_file(file.await?))
}

/// Read the scenes of a publication, for a browser elsewhere
///
/// A document for each layer, as Chromium draws it for the pictures of the publication. `placet evidence` takes them on a
/// machine that has Chromium, and sends the pictures.
#[utoipa::path(get, path = "/v1/publish/publications/{projectId}/{configurationId}/{publication}/evidence", tag = "publish", operation_id = "publish.scenes",
    params(PublicationPath),
    responses(
        (status = 200, description = "The scenes.", body = SceneSet),
        (status = 409, description = "`not_drawn`: this version cannot draw the publication."),
    ))]
pub async fn scenes(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<PublicationPath>,
) -> Result<Response> {
    let publish = &state.placet.publish;
    let scenes = publish.scenes(caller.actor(), path.key()).await?;
    Ok((NO_STORE, Json(scenes)).into_response())
}

/// Add pictures that were taken elsewhere
///
/// Of each layer in each of the three windows, drawn by the SDK of this server, and their list. Its SHA-256 becomes an entry
/// of the ledger. A publication has one list for ever: the same one again changes nothing.
#[utoipa::path(post, path = "/v1/publish/publications/{projectId}/{configurationId}/{publication}/evidence", tag = "publish", operation_id = "publish.addPictures",
    params(PublicationPath), request_body = TakenElsewhere,
    responses(
        (status = 200, description = "The pictures.", body = Pictures),
        (status = 409, description = "`pictures_there`: it has other pictures. `pictures_full`: the project or the account has as many as are kept."),
    ))]
pub async fn add_pictures(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<PublicationPath>,
    request: Request,
) -> Result<Json<Pictures>> {
    let (publish, actor) = (&state.placet.publish, caller.actor());
    publish.may_add_pictures(actor, path.key()).await?;
    let place = state.placet.assets.receive(actor)?;
    let way = place.way();
    let request = request.map(|body| body::counted(body, way.clone()));
    let body = JsonBody::<TakenElsewhere>::from_request(request, &state);
    let JsonBody(taken) = way.hold(body).await??;
    let pictures = publish.add_pictures(actor, path.key(), taken);
    Ok(Json(pictures.await?))
}

/// A picture, or the list of pictures, whose bytes never change.
pub fn picture_file(file: PictureFile) -> Response {
    let headers = [
        (header::CONTENT_TYPE, file.media),
        (
            header::CACHE_CONTROL,
            "private, max-age=31536000, immutable",
        ),
        (
            header::CONTENT_SECURITY_POLICY,
            "sandbox; default-src 'none'",
        ),
    ];
    (headers, file.bytes).into_response()
}

/// Approve the publish that somebody else has asked for
///
/// A signed-in person does; API keys cannot. It goes live at once, or at its time.
#[utoipa::path(post, path = "/v1/publish/jobs/{projectId}/{jobId}/approve", tag = "publish", operation_id = "publish.approve",
    params(JobPath),
    responses(
        (status = 202, description = "The job, with `Location`; poll `links.self`.", body = PublishJob),
        (status = 409, description = "`not_waiting`: it waits for no approval."),
    ))]
pub async fn approve(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<JobPath>,
) -> Result<Response> {
    let publish = &state.placet.publish;
    let job = publish.approve(caller.actor(), path.project_id, path.job_id);
    Ok(accepted(job.await?))
}

/// Cancel a publish that waits
///
/// It ends with the error `cancelled`, and nothing goes live.
#[utoipa::path(post, path = "/v1/publish/jobs/{projectId}/{jobId}/cancel", tag = "publish", operation_id = "publish.cancel",
    params(JobPath),
    responses(
        (status = 200, description = "The job, which has ended.", body = PublishJob),
        (status = 409, description = "`not_waiting`: it does not wait."),
    ))]
pub async fn cancel(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<JobPath>,
) -> Result<Json<PublishJob>> {
    let publish = &state.placet.publish;
    let job = publish.cancel(caller.actor(), path.project_id, path.job_id);
    Ok(Json(job.await?))
}

/// Put an earlier published file back
///
/// If a second person approves publishes here, it waits for that as they do, unless it puts back the version before the
/// present one, and nobody has undone that already.
#[utoipa::path(post, path = "/v1/publish/jobs/{projectId}/{jobId}/rollback", tag = "publish", operation_id = "publish.rollback",
    params(JobPath), request_body = Option<RollbackIn>,
    responses(
        (status = 202, description = "The new job, with `Location`; poll `links.self`.", body = PublishJob),
        (status = 409, description = "That job did not complete; `publish_waits`: it needs approval, and another publish waits."),
        (status = 429, description = "Too many requests; `queue_full`: as many publishes of the project, or of the person, wait or run as may. See `Retry-After`."),
    ))]
pub async fn rollback(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<JobPath>,
    body: Option<JsonBody<RollbackIn>>,
) -> Result<Response> {
    let reason = body.and_then(|JsonBody(body)| body.reason);
    let (project, job) = (path.project_id, path.job_id);
    let publish = &state.placet.publish;
    let started = publish.rollback(caller.actor(), project, job, reason.as_deref());
    Ok(accepted(started.await?))
}
