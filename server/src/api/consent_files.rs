//! `/v1/app`: files of consents, exported and imported by members.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use axum::{
    Json,
    body::{Body, BodyDataStream, Bytes},
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::error_code::ErrorCode;
use futures::{StreamExt, stream, stream::BoxStream};
use service::places::{LEAST_RATE, LEISURE};
use service::{
    auth::Authenticated,
    consents::{Format, Import, Imported, RowError},
    sending::Outgoing,
};
use tokio::time::Instant;
use utoipa::{OpenApi, ToSchema};
use uuid::Uuid;

use super::consents::span;
use crate::{
    http::{
        actor::Caller,
        body, headers,
        params::Params,
        path::{Path, ProjectPath, id},
        problem::{Problem, Result},
    },
    state::{AppState, HttpConfig},
};

/// Bytes that are read of a file that is too large, before it is refused. A client that is still
/// sending would otherwise see a broken connection in place of the answer.
const DRAINED: u64 = 64 * 1024 * 1024;
/// Export consents as a file
///
/// Any size: the file is streamed, oldest decision first. CSV has the columns
/// `token;collection;identifier;accept;date;value;preferences`. A `'` stands before each character
/// that would make a spreadsheet run a cell; an import removes it. NDJSON has a consent a line, with
/// all fields, and those that were erased.
#[utoipa::path(get, path = "/v1/app/exports/{projectId}.{format}", tag = "app", operation_id = "app.export",
    params(
        ("projectId" = Uuid, Path, description = "Project"),
        ("format" = String, Path, description = "`csv` or `ndjson`", example = "csv"),
        ("start" = Option<String>, Query, description = "Decided at this time or later", example = "2026-11-01"),
        ("end" = Option<String>, Query, description = "Decided before this time; a date includes its day", example = "2026-11-30"),
    ),
    responses((status = 200, description = "The file, with `Content-Disposition`.", content(
        (String = "text/csv", example = "token;collection;identifier;accept;date;value;preferences\r\n"),
        (String = "application/x-ndjson"),
    ))))]
pub async fn export(
    State(state): State<AppState>,
    caller: Caller,
    Path(file): Path<String>,
    params: Params,
) -> Result<Response> {
    let (project, suffix) = file.split_once('.').ok_or_else(Problem::not_found)?;
    let project = id(project)?;
    let format = Format::parse(suffix).ok_or_else(Problem::not_found)?;
    params.only(&["start", "end"])?;
    let file = state
        .placet
        .consents
        .export(caller.actor(), project, format, span(&params)?)
        .await?;
    Ok(file_of(project, format, file))
}

/// Media type of CSV files with a row of names.
pub const CSV: &str = "text/csv; charset=utf-8; header=present";

/// Consents as a file.
pub fn file_of(project: Uuid, format: Format, file: Outgoing) -> Response {
    let (suffix, media) = match format {
        Format::Csv => ("csv", CSV),
        Format::Ndjson => ("ndjson", "application/x-ndjson"),
    };
    let disposition = format!("attachment; filename=\"consents-{project}.{suffix}\"");
    let headers = [
        (header::CONTENT_TYPE, media.to_owned()),
        (header::CONTENT_DISPOSITION, disposition),
        (header::CACHE_CONTROL, "no-store".to_owned()),
    ];
    (headers, Body::from_stream(file.at_pace())).into_response()
}

/// A file that was not imported: a problem that names its broken rows.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "described only: `Problem` writes it")]
struct ImportProblem {
    /// Names the kind of problem.
    #[schema(
        rename = "type",
        example = "https://placet.invalid/problems/rows_invalid"
    )]
    kind: String,
    /// The status in words.
    #[schema(example = "Unprocessable Content")]
    title: String,
    /// HTTP status.
    #[schema(example = 422)]
    status: u16,
    /// The cause, and how to mend it.
    #[schema(example = "Some rows cannot be imported.")]
    detail: String,
    /// Path of the request.
    #[schema(example = "/v1/app/imports/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70")]
    instance: String,
    /// For programs: `rows_invalid`.
    code: ErrorCode,
    /// Id of the request in our log.
    #[schema(example = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f71")]
    request_id: Option<String>,
    /// Nothing.
    #[schema(example = 0)]
    imported: u64,
    /// Nothing.
    #[schema(example = 0)]
    skipped: u64,
    /// Nothing.
    #[schema(example = 0)]
    erased: u64,
    /// Rows that break a rule.
    #[schema(example = 1)]
    error_count: u64,
    /// The first 100 of them.
    errors: Vec<RowError>,
}

/// Import consents from a file
///
/// NDJSON: a consent a line, as exports have them; `token`, `collection`, `identifier` and `accept`
/// are needed. CSV: a header and the columns `token;collection;identifier;accept;date;value;preferences`
/// in any order, of which the first four are needed, and `consentId` if there are ids. `createdAt` (or
/// `date`) is kept as the time of decision, so an import never undoes a newer one; without it the
/// time of the import counts. A consent that is stored already is skipped. Either all rows are
/// stored or none; with `partial=true`, those that break no rule. The file is streamed. Webhooks are
/// not told. A key needs the scopes `consents` and `write`.
#[utoipa::path(post, path = "/v1/app/imports/{projectId}", tag = "app", operation_id = "app.import",
    params(
        ProjectPath,
        ("partial" = Option<bool>, Query, description = "Whether good rows are stored although others break a rule"),
    ),
    request_body(content(
        (String = "application/x-ndjson", example = "{\"token\":\"0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f\",\"collection\":\"cookies\",\"identifier\":\"019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70\",\"accept\":true,\"createdAt\":\"2026-11-21T09:30:00.000Z\"}\n"),
        (String = "text/csv", example = "token;collection;identifier;accept;date;value;preferences\r\n0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f;cookies;019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70;1;2026-11-21T09:30:00.000Z;;\r\n"),
    ), description = "Of any size up to the operator's limit (2 GB by default), UTF-8; a row has at most 256 KB."),
    responses(
        (status = 200, description = "What was stored.", body = Imported),
        (status = 408, description = "No further byte came for a minute, or after the first minute the file came at less than 16 KB a second."),
        (status = 422, description = "`rows_invalid`: rows break a rule, so nothing was stored.", body = ImportProblem, content_type = "application/problem+json"),
    ))]
pub async fn import(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    params: Params,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Imported>> {
    let project = path.project_id;
    let consents = &state.placet.consents;
    consents.may_import(caller.actor(), project).await?;
    let import = Import {
        project,
        format: format(&headers)?,
        partial: params.flag("partial")?.unwrap_or(false),
    };
    take_in(&state, caller.0, import, &headers, body)
        .await
        .map(Json)
}

/// Takes a file of consents in. The use case asks for the role again; session or key are checked again here.
pub async fn take_in(
    state: &AppState,
    caller: Authenticated,
    import: Import,
    headers: &HeaderMap,
    body: Body,
) -> Result<Imported> {
    let consents = &state.placet.consents;
    let broken = Arc::default();
    let file = file(headers, body, &state.http, &broken)?;
    let file = while_signed_in(file, state.clone(), caller);
    let imported = consents.import(caller.actor(), import, file, Box::new(|_| {}));
    let imported = imported.await;
    if let Some(problem) = broken.get() {
        return Err(problem.clone());
    }
    let imported = imported?;
    if import.partial || imported.error_count == 0 {
        return Ok(imported);
    }
    Err(refused(&imported))
}

fn refused(imported: &Imported) -> Problem {
    let detail = format!(
        "Nothing was imported: {} rows break a rule; see `errors`. With `partial=true` the others are taken.",
        imported.error_count
    );
    let problem = Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::RowsInvalid,
        detail,
    );
    match serde_json::to_value(imported) {
        Ok(serde_json::Value::Object(members)) => problem.with(members),
        _ => problem,
    }
}

fn format(headers: &HeaderMap) -> Result<Format> {
    match body::media(headers).as_str() {
        "text/csv" => Ok(Format::Csv),
        "application/x-ndjson" | "application/ndjson" | "application/jsonl" => Ok(Format::Ndjson),
        _ => Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorCode::UnsupportedMediaType,
            "Send `text/csv` or `application/x-ndjson`.",
        )),
    }
}

/// The bytes of a file as they come, at most as many as the operator permits and without long waits. `broken`
/// receives the problem that ends the file early.
fn file(
    headers: &HeaderMap,
    body: Body,
    http: &HttpConfig,
    broken: &Arc<OnceLock<Problem>>,
) -> Result<BoxStream<'static, service::Result<Bytes>>> {
    let (limit, idle) = (http.import_bytes, http.connections.idle);
    let too_large = move || {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            ErrorCode::BodyTooLarge,
            format!("A file of consents has at most {limit} bytes here."),
        )
    };
    let announced = headers::text(headers, header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit.saturating_add(DRAINED)) {
        return Err(too_large());
    }
    let broken = broken.clone();
    let state = (body.into_data_stream(), 0_u64, Duration::ZERO);
    let pieces = stream::try_unfold(state, move |(mut body, read, mut waited)| {
        let broken = broken.clone();
        async move {
            let stop = |problem: Problem| {
                let _ = broken.set(problem);
                service::Error::BadRequest("the file broke off".to_owned())
            };
            let asked = Instant::now();
            let Some(piece) = next_piece(&mut body, idle).await.map_err(stop)? else {
                return Ok(None);
            };
            // The server's own time does not count.
            waited += asked.elapsed();
            let mut read = read + piece.len() as u64;
            if is_too_slow(read, waited) {
                let kilobytes = LEAST_RATE / 1024;
                let detail = format!("It came at less than {kilobytes} KB a second.");
                return Err(stop(too_slow(&detail)));
            }
            if read <= limit {
                return Ok(Some((piece, (body, read, waited))));
            }
            while read < limit.saturating_add(DRAINED)
                && let Ok(Some(rest)) = next_piece(&mut body, idle).await
            {
                read += rest.len() as u64;
            }
            Err(stop(too_large()))
        }
    });
    Ok(pieces.boxed())
}

/// The pieces of a file, until its sender's session or key ends. A file may take a day.
fn while_signed_in(
    file: BoxStream<'static, service::Result<Bytes>>,
    state: AppState,
    caller: Authenticated,
) -> BoxStream<'static, service::Result<Bytes>> {
    let begun = (file, Instant::now());
    let pieces = stream::try_unfold(begun, move |(mut file, checked)| {
        let state = state.clone();
        async move {
            let Some(piece) = file.next().await.transpose()? else {
                return Ok(None);
            };
            let checked = if checked.elapsed() < state.http.connections.recheck {
                checked
            } else {
                state.placet.auth.recheck(&caller).await?;
                Instant::now()
            };
            Ok(Some((piece, (file, checked))))
        }
    });
    pieces.boxed()
}

async fn next_piece(body: &mut BodyDataStream, idle: Duration) -> Result<Option<Bytes>> {
    let next = tokio::time::timeout(idle, body.next())
        .await
        .map_err(|_| too_slow("No further byte came for a minute."))?;
    next.transpose()
        .map_err(|_| Problem::bad_request("The body could not be read."))
}

fn too_slow(detail: &str) -> Problem {
    Problem::new(StatusCode::REQUEST_TIMEOUT, ErrorCode::Timeout, detail)
}

/// True if a file keeps its place longer than its size needs.
fn is_too_slow(bytes: u64, waited: Duration) -> bool {
    waited > LEISURE && bytes < waited.as_secs() * LEAST_RATE
}

/// Routes whose path axum cannot say: their part of the OpenAPI document.
#[derive(OpenApi)]
#[openapi(paths(export))]
pub struct Suffixed;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_trickles_is_too_slow_and_a_small_one_is_not() {
        let after = |bytes, seconds| is_too_slow(bytes, Duration::from_secs(seconds));
        assert!(!after(1, 60), "a minute is anybody's");
        assert!(after(1_000, 61));
        assert!(after(LEAST_RATE * 600 - 1, 600));
        assert!(!after(LEAST_RATE * 600, 600));
    }
}
