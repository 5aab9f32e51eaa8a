//! The files that people give and take on pages: pictures, those of publications, vendor lists, consents, proofs,
//! dossiers, the audit log.
//!
//! Server functions carry values. These routes carry files, which browsers send and keep as they are.

use axum::{
    Form, Json,
    body::Body,
    extract::{Multipart, Request, State, multipart::MultipartRejection},
    http::{HeaderMap, Method, StatusCode, header},
    middleware::map_response,
    response::{IntoResponse, Response},
    routing::{MethodRouter, get, post},
};
use domain::audit::Action;
use domain::error_code::ErrorCode;
use serde::Deserialize;
use service::{
    Error,
    assets::{Asset, MOST_BYTES, PDF, Upload},
    clock::Timestamp,
    consents::{Extent, Format, Import, Imported, Span},
    tcf::OperatorsList,
};
use uuid::Uuid;

use super::{Person, private};
use crate::{
    api::{consent_files, dossiers, ledger, publish, vendor_list},
    http::{
        body,
        params::Params,
        path::{Path, PicturePath},
        policy::{Policy, Routes},
        problem::Problem,
    },
    state::AppState,
};

/// Largest form.
const FORM_LIMIT: usize = 4_096;

/// Every route of a file.
pub fn routes() -> Routes {
    let form = Policy::API.of_pages().body(FORM_LIMIT);
    let pictures = Policy::FILES.of_pages().body(MOST_BYTES);
    let lists = Policy::FILES.of_pages().body(vendor_list::IMPORT_LIMIT);
    let unhurried = Policy::API.of_pages().unhurried();
    let write = [Method::POST];
    Routes::new()
        .plain(
            pictures,
            app::fns::assets::UPLOAD,
            &write,
            ours(post(upload)),
        )
        .plain(
            lists,
            app::fns::tcf::IMPORT,
            &write,
            ours(post(import_list)),
        )
        .plain(form, app::fns::proofs::DOSSIER, &write, ours(post(dossier)))
        .plain(form, app::fns::proofs::BUNDLE, &write, ours(post(bundle)))
        .plain(form, app::fns::proofs::EXPORT, &write, ours(post(export)))
        .plain(
            Policy::API.of_pages(),
            app::fns::pictures::PICTURE,
            &[Method::GET],
            ours(get(picture)),
        )
        .plain(form, app::fns::audit::EXPORT, &write, ours(post(audit)))
        .plain(
            unhurried,
            app::fns::proofs::IMPORT,
            &write,
            ours(post(import)),
        )
}

/// Marks every answer, refusals too, as one for a single person.
fn ours(handlers: MethodRouter<AppState>) -> MethodRouter<AppState> {
    handlers.layer(map_response(async |answer: Response| private(answer)))
}

/// Keeps a file that somebody has chosen on a page. The body is the file; the query says its
/// `project`, its `name` and what it is `for`: a `picture` or a `document`.
async fn upload(
    State(state): State<AppState>,
    person: Person,
    params: Params,
    request: Request,
) -> Result<(StatusCode, Json<Asset>), Problem> {
    let project: Option<Uuid> = params.parsed("project", "an id")?;
    let project = project.ok_or_else(|| Problem::bad_request("`project` names the project."))?;
    let place = state.placet.assets.receive(person.actor())?;
    let most = Policy::of(&request).body;
    let body = body::counted(request.into_body(), place.way());
    let body = body::read(body, most);
    let bytes = place.way().hold(body).await??;
    let pdf = bytes.starts_with(PDF);
    if pdf != (params.get("for") == Some("document")) {
        let what = if pdf { "a picture" } else { "a PDF" };
        let detail = format!("By its content this is not {what}.");
        return Err(Error::field("/file", ErrorCode::UnsupportedType, detail).into());
    }
    let upload = Upload {
        project,
        name: params.get("name").unwrap_or_default().to_owned(),
        bytes: bytes.to_vec(),
    };
    let asset = state
        .placet
        .assets
        .upload(person.actor(), upload, place)
        .await?;
    Ok((StatusCode::CREATED, Json(asset)))
}

/// Imports the Global Vendor List that the operator has chosen on a page.
async fn import_list(
    State(state): State<AppState>,
    person: Person,
    form: Result<Multipart, MultipartRejection>,
) -> Result<Json<OperatorsList>, Problem> {
    Ok(Json(vendor_list::take(&state, person.actor(), form).await?))
}

/// A picture of a publication, or the list of them, for its page.
async fn picture(
    State(state): State<AppState>,
    person: Person,
    Path(path): Path<PicturePath>,
) -> Result<Response, Problem> {
    let publish = &state.placet.publish;
    let file = publish.picture(person.actor(), path.key(), &path.sha256);
    Ok(publish::picture_file(file.await?))
}

/// The token whose dossier is asked for.
#[derive(Deserialize)]
struct OfToken {
    project: Uuid,
    token: String,
}

/// Compiles the dossier that somebody asks for on a page.
async fn dossier(
    State(state): State<AppState>,
    person: Person,
    Json(of): Json<OfToken>,
) -> Result<Response, Problem> {
    let consents = &state.placet.consents;
    let dossier = consents
        .dossier(person.actor(), of.project, &of.token, None)
        .await?;
    Ok(dossiers::answer(dossier, of.project))
}

/// The consent whose proof is asked for.
#[derive(Deserialize)]
struct OfConsent {
    project: Uuid,
    consent: Uuid,
    /// Groups to leave out, as the API names them.
    #[serde(default)]
    withhold: String,
    /// True for the pictures of the publication, too.
    #[serde(default)]
    pictures: bool,
}

/// Makes the proof that somebody asks for on a page.
async fn bundle(
    State(state): State<AppState>,
    person: Person,
    Json(of): Json<OfConsent>,
) -> Result<Response, Problem> {
    let extent = Extent {
        withhold: ledger::withheld(&of.withhold)?,
        pictures: of.pictures,
    };
    let consents = &state.placet.consents;
    let proven = consents.prove(person.actor(), of.project, of.consent, &extent);
    let proven = proven.await?;
    Ok(ledger::answer(proven, of.consent))
}

/// The file of consents that somebody asks for on a page.
#[derive(Deserialize)]
struct ExportForm {
    project: Uuid,
    format: String,
    #[serde(default)]
    start: String,
    #[serde(default)]
    end: String,
}

/// The day of a field, unless the field is empty.
fn day(
    field: &str,
    text: &str,
    parse: fn(&str) -> Option<Timestamp>,
) -> Result<Option<Timestamp>, Problem> {
    if text.is_empty() {
        return Ok(None);
    }
    let day = parse(text).ok_or_else(|| Problem::bad_request(format!("`{field}` is a day.")))?;
    Ok(Some(day))
}

/// Exports consents for a page.
async fn export(
    State(state): State<AppState>,
    person: Person,
    Form(form): Form<ExportForm>,
) -> Result<Response, Problem> {
    let format = Format::parse(&form.format).ok_or_else(Problem::not_found)?;
    let span = Span {
        start: day("start", &form.start, Timestamp::parse)?,
        end: day("end", &form.end, Timestamp::parse_end)?,
    };
    let consents = &state.placet.consents;
    let file = consents
        .export(person.actor(), form.project, format, span)
        .await?;
    Ok(consent_files::file_of(form.project, format, file))
}

/// The entries of the audit log that somebody asks for on a page.
#[derive(Deserialize)]
struct AuditForm {
    project: Uuid,
    #[serde(default)]
    action: String,
    #[serde(default)]
    q: String,
}

/// Exports the audit log for a page.
async fn audit(
    State(state): State<AppState>,
    person: Person,
    Form(form): Form<AuditForm>,
) -> Result<Response, Problem> {
    let project = form.project;
    let known = Action::parse(&form.action);
    let action = match form.action.as_str() {
        "" => None,
        _ => Some(known.ok_or_else(|| Problem::bad_request("`action` is an action."))?),
    };
    let file = state
        .placet
        .audit
        .export(person.actor(), project, action, form.q)
        .await?;
    let disposition = format!("attachment; filename=\"audit-{project}.csv\"");
    let headers = [
        (header::CONTENT_TYPE, consent_files::CSV.to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
    ];
    Ok((headers, Body::from_stream(file.at_pace())).into_response())
}

/// Imports the file of consents that somebody has chosen on a page.
async fn import(
    State(state): State<AppState>,
    person: Person,
    headers: HeaderMap,
    params: Params,
    body: Body,
) -> Result<Json<Imported>, Problem> {
    let project: Option<Uuid> = params.parsed("project", "an id")?;
    let format = params.get("format").and_then(Format::parse);
    let import = Import {
        project: project.ok_or_else(|| Problem::bad_request("`project` names the project."))?,
        format: format.ok_or_else(|| Problem::bad_request("`format` is csv or ndjson."))?,
        partial: params.flag("partial")?.unwrap_or(false),
    };
    let imported = consent_files::take_in(&state, person.0, import, &headers, body).await?;
    Ok(Json(imported))
}
