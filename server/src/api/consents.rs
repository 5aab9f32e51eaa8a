//! `/v1/app`: consents, collected from the public, read and exported by members.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use axum::{
    Json,
    body::{Body, BodyDataStream, Bytes, to_bytes},
    extract::{OriginalUri, State},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    choices::Outcome,
    consent::{Consent, ConsentCollection, ConsentIn, ConsentOverview, ConsentProof},
    error_code::ErrorCode,
};
use futures::{StreamExt, stream, stream::BoxStream};
use service::Actor;
use service::consents::{
    Collect, Collected, Erased, Format, Import, Imported, Latest, ListQuery, Listing, Report,
    RowError, Span,
};
use tokio::time::Instant;
use utoipa::{OpenApi, ToSchema};
use uuid::Uuid;

use crate::{
    http::{
        NO_STORE,
        actor::Caller,
        body,
        client::Client,
        page,
        params::{PageParams, Params},
        path::{CollectPath, ConsentPath, Path, ProjectPath, TokenPath, id},
        policy::Policy,
        problem::{Problem, Result},
    },
    state::{AppState, HttpConfig},
};

/// Largest consent.
pub const CONSENT_LIMIT: usize = 100 * 1024;
/// Bytes that are read of a file that is too large, before it is refused. A client that is still
/// sending would otherwise see a broken connection in place of the answer.
const DRAINED: u64 = 64 * 1024 * 1024;
/// Time in which a file may come as slowly as it likes.
const AT_LEISURE: Duration = Duration::from_mins(1);
/// Longest `Idempotency-Key`.
const KEY_LIMIT: usize = 255;

/// Store a consent
///
/// Public: cookies and `Authorization` are ignored. The answer comes when the consent is on disk.
/// A retry with the same `consentId` (or `Idempotency-Key`) is one consent.
#[utoipa::path(post, path = "/v1/app/consents/{projectId}/{collection}/{configurationId}", tag = "app",
    operation_id = "app.collect", security(()),
    params(
        CollectPath,
        ("Idempotency-Key" = Option<String>, Header, description = "Makes retries one consent, as `consentId` does; at most 255 characters"),
    ),
    request_body(content(
        (ConsentIn = "application/json", example = json!({
            "accept": false, "token": "5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f",
            "preferences": {"vendors": {"google_analytics": true, "facebook_pixel": false},
                "config": {"identifier": "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70", "name": "en", "language": "en"}},
            "consentId": "019aa3f3-0d4e-7a51-8c3b-5f6a7b8c9d0e", "age": 1200})),
        (String = "text/plain", example = "{\"accept\": true, \"token\": \"5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f\"}"),
    ), description = "At most 100 KB. `text/plain` holds the same JSON, so that `sendBeacon` needs no preflight."),
    responses(
        (status = 201, description = "Stored; a retry gets the answer of the first try, without `receipt` if the token may be guessed.", body = Collected),
        (status = 403, description = "`foreign_origin`: the project takes consents from pages of its own hosts only. `unsigned_token`: it has a `tokenSecret`, and the token carries no right signature."),
        (status = 404, description = "The configuration was never published, or is of another project."),
        (status = 409, description = "`idempotency_conflict`: another consent has this id or key."),
    ))]
pub async fn collect(
    State(state): State<AppState>,
    Path(path): Path<CollectPath>,
    client: Client,
    policy: Policy,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<Collected>)> {
    let text = |name: HeaderName| {
        let value = headers.get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let project = path.project_id;
    let now = state.placet.config.clock.now();
    state.http.limiter.project(project, now)?;
    let bytes = json_or_text(&headers, body, policy).await?;
    let limiter = &state.http.limiter;
    limiter.bytes(project, client.address, bytes.len(), now)?;
    let input = Collect {
        project,
        collection: path.collection,
        identifier: path.configuration_id,
        body: body::parse(&bytes)?,
        idempotency_key: idempotency_key(&headers)?,
        from_own_page: headers
            .get(header::ORIGIN)
            .is_some_and(|origin| origin == state.http.origin.as_str()),
        origin: text(header::ORIGIN),
        referer: text(header::REFERER),
        address: client.address,
        country: client.country,
        user_agent: text(header::USER_AGENT),
    };
    let collected = state.placet.consents.collect(input).await?;
    Ok((StatusCode::CREATED, Json(collected)))
}

/// The media type of a body, without parameters.
fn media(headers: &HeaderMap) -> String {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .map(|media| media.trim().to_ascii_lowercase())
        .unwrap_or_default()
}

/// The bytes of JSON under its own type, or of the text that beacons send.
async fn json_or_text(headers: &HeaderMap, body: Body, policy: Policy) -> Result<Bytes> {
    let media = media(headers);
    if !["", "application/json", "text/plain"].contains(&media.as_str()) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorCode::UnsupportedMediaType,
            "Send `application/json`, or the same JSON as `text/plain`.",
        ));
    }
    limited(headers, body, policy.body).await
}

async fn limited(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes> {
    let too_large = || {
        Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            ErrorCode::BodyTooLarge,
            "A consent is at most 100 KB.",
        )
    };
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    to_bytes(body, limit).await.map_err(|error| {
        let source = std::error::Error::source(&error);
        if source.is_some_and(|source| source.to_string().contains("length limit")) {
            too_large()
        } else {
            Problem::bad_request("The body could not be read.")
        }
    })
}

fn idempotency_key(headers: &HeaderMap) -> Result<Option<String>> {
    let Some(value) = headers.get("idempotency-key") else {
        return Ok(None);
    };
    value
        .to_str()
        .ok()
        .filter(|key| (1..=KEY_LIMIT).contains(&key.len()))
        .map(|key| Some(key.to_owned()))
        .ok_or_else(|| {
            Problem::bad_request("`Idempotency-Key` must have 1 to 255 visible characters.")
        })
}

/// Look up the latest consent of a token
///
/// Public for everybody who knows the token: cookies and `Authorization` are ignored.
#[utoipa::path(get, path = "/v1/app/consent/{projectId}", tag = "app", operation_id = "app.lookup", security(()),
    params(
        ProjectPath,
        ("token" = String, Query, description = "Token of the end user"),
        ("service" = ConsentCollection, Query, description = "What was answered to"),
        ("identifier" = Uuid, Query, description = "Which of them"),
    ),
    responses(
        (status = 200, description = "The latest consent, or `{\"accept\": false}`.", body = Latest),
        (status = 403, description = "`unsigned_token`: the project has a `tokenSecret`, and the token carries no right signature."),
    ))]
pub async fn lookup(
    State(state): State<AppState>,
    Path(path): Path<ProjectPath>,
    params: Params,
) -> Result<Response> {
    let project = path.project_id;
    let required = |name: &str| {
        params
            .get(name)
            .ok_or_else(|| Problem::bad_request(format!("`{name}` is required.")))
    };
    let token = required("token")?;
    let service = ConsentCollection::parse(required("service")?).ok_or_else(|| {
        let choices = ConsentCollection::choices();
        Problem::bad_request(format!("`service` must be {choices}."))
    })?;
    let identifier = Uuid::try_parse(required("identifier")?)
        .map_err(|_| Problem::bad_request("`identifier` must be an id."))?;
    let latest = state
        .placet
        .consents
        .latest(project, token, service, identifier)
        .await?;
    Ok((NO_STORE, Json(latest)).into_response())
}

/// A time by the moment of decision; a date as `end` includes that day.
fn span(params: &Params) -> Result<Span> {
    let is_date = params.get("end").is_some_and(|end| end.trim().len() == 10);
    Ok(Span {
        start: params.time("start")?,
        end: params
            .time("end")?
            .map(|end| if is_date { end.plus_days(1) } else { end }),
    })
}

fn query(params: &Params) -> Result<ListQuery> {
    let word = |name: &str, words: &str| Problem::bad_request(format!("`{name}` must be {words}."));
    let ascending = match params.get("sort") {
        None | Some("-decidedAt" | "-createdAt") => false,
        Some("decidedAt" | "createdAt") => true,
        Some(_) => return Err(word("sort", "decidedAt or -decidedAt")),
    };
    let collection = params.get("collection").map(|text| {
        ConsentCollection::parse(text)
            .ok_or_else(|| word("collection", &ConsentCollection::choices()))
    });
    let outcome = params.get("outcome").map(|text| {
        Outcome::parse(text).ok_or_else(|| word("outcome", "accepted, refused or partial"))
    });
    Ok(ListQuery {
        page: params.page()?,
        after: params.parsed("after", "the id of a consent")?,
        span: span(params)?,
        token: params.get("token").map(str::to_owned),
        collection: collection.transpose()?,
        identifier: params.parsed("identifier", "an id")?,
        outcome: outcome.transpose()?,
        ascending,
    })
}

/// List consents
///
/// Newest decision first. `after=<consentId>` continues behind that consent and costs the same at
/// any distance. Its `Link: rel="next"` names the next slice.
#[utoipa::path(get, path = "/v1/app/consents/{projectId}", tag = "app", operation_id = "app.list",
    params(
        ProjectPath,
        PageParams,
        ("after" = Option<Uuid>, Query, description = "Id of the consent after which to go on, instead of `page`"),
        ("start" = Option<String>, Query, description = "Decided at this time or later", example = "2026-11-01"),
        ("end" = Option<String>, Query, description = "Decided before this time; a date includes its day", example = "2026-11-30"),
        ("token" = Option<String>, Query, description = "Only this token"),
        ("collection" = Option<ConsentCollection>, Query, description = "Only this collection"),
        ("identifier" = Option<Uuid>, Query, description = "Only this configuration or box"),
        ("outcome" = Option<Outcome>, Query, description = "Only this outcome"),
        ("sort" = Option<String>, Query, description = "`-decidedAt` (default) or `decidedAt`"),
    ),
    responses((status = 200, description = "A part of the list; the `X-` headers and `Link` say which. With `after` nothing is counted.", body = [Consent])))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let project = path.project_id;
    let listing = state
        .placet
        .consents
        .list(caller.actor(), project, query(&params)?)
        .await?;
    let base = &state.placet.config.base_url;
    Ok(match &listing {
        Listing::Page(list) => page::answer(&uri, base, list),
        Listing::After(slice) => {
            page::answer_slice(&uri, base, slice, |last| last.consent_id.clone())
        }
    })
}

/// Read one consent with everything that is proven
#[utoipa::path(get, path = "/v1/app/consents/{projectId}/{consentId}", tag = "app", operation_id = "app.read",
    params(ConsentPath),
    responses((status = 200, description = "The consent and what the visitor was shown.", body = ConsentProof)))]
pub async fn read(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ConsentPath>,
) -> Result<Json<ConsentProof>> {
    let (project, consent) = (path.project_id, path.consent_id);
    let proof = state
        .placet
        .consents
        .read(caller.actor(), project, consent)
        .await?;
    Ok(Json(proof))
}

/// Erase the personal data of a token
///
/// Removes the token from all its consents, and with it value, choices, page, IP address, country
/// and browser, and the answers of webhook endpoints to them. A tombstone stays of each: id,
/// configuration, time, decision, publication and `erasedAt`. Tombstones are in lists and in
/// NDJSON, not in CSV. An import of an old NDJSON file does not bring the consent back. An import
/// of an old CSV file does, because CSV has no ids. It cannot be undone. A key needs the scopes
/// `consents` and `write`.
#[utoipa::path(delete, path = "/v1/app/consents/{projectId}/tokens/{token}", tag = "app", operation_id = "app.erase",
    params(TokenPath),
    responses((status = 200, description = "What was erased.", body = Erased)))]
pub async fn erase(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<TokenPath>,
) -> Result<Json<Erased>> {
    let token = path.token;
    let project = path.project_id;
    let erased = state
        .placet
        .consents
        .erase(caller.actor(), project, &token)
        .await?;
    Ok(Json(erased))
}

/// Count consents by day and outcome
#[utoipa::path(get, path = "/v1/app/overviews/{projectId}", tag = "app", operation_id = "app.overview",
    params(
        ProjectPath,
        ("days" = Option<u32>, Query, description = "Days up to today; 30 unless given, at most 400", minimum = 1),
    ),
    responses((status = 200, description = "Counts of each day, of all time, and the accept rate of 7 days.", body = ConsentOverview)))]
pub async fn overview(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    params: Params,
) -> Result<Json<ConsentOverview>> {
    let project = path.project_id;
    let days = params
        .parsed("days", "a whole number from 1")?
        .unwrap_or(30);
    let overview = state
        .placet
        .consents
        .overview(caller.actor(), project, days)
        .await?;
    Ok(Json(overview))
}

/// Report the consents of a period
///
/// Counts the consents that are kept, by day, configuration, country and language, and says how far the ledger is that proves
/// them. The page "Report" of the admin UI prints it. An account makes two at a time.
#[utoipa::path(get, path = "/v1/app/reports/{projectId}", tag = "app", operation_id = "app.report",
    params(
        ProjectPath,
        ("start" = Option<String>, Query, description = "First moment or day, by the time of decision; 30 days before the end unless given", example = "2026-11-01"),
        ("end" = Option<String>, Query, description = "First moment after the period, or its last day; today unless given", example = "2026-11-30"),
    ),
    responses((status = 200, description = "The report.", body = Report)))]
pub async fn report(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    params: Params,
) -> Result<Json<Report>> {
    let span = span(&params)?;
    let consents = &state.placet.consents;
    let report = consents
        .report(caller.actor(), path.project_id, span)
        .await?;
    Ok(Json(report))
}

/// Export consents as a file
///
/// Any size: the file is streamed, oldest decision first. CSV has the columns
/// `token;collection;identifier;accept;date;value;preferences`. A `'` stands before each character
/// that would make a spreadsheet run a cell; an import removes it. NDJSON has a consent a line, with all fields, and those that were erased.
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
    let pieces = state
        .placet
        .consents
        .export(caller.actor(), project, format, span(&params)?)
        .await?;
    Ok(file_of(project, format, pieces))
}

/// Media type of CSV files with a row of names.
pub const CSV: &str = "text/csv; charset=utf-8; header=present";

/// Consents as a file.
pub fn file_of(
    project: Uuid,
    format: Format,
    pieces: BoxStream<'static, service::Result<Bytes>>,
) -> Response {
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
    (headers, Body::from_stream(pieces)).into_response()
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
        (String = "application/x-ndjson", example = "{\"token\":\"5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f\",\"collection\":\"cookies\",\"identifier\":\"019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70\",\"accept\":true,\"createdAt\":\"2026-11-21T09:30:00.000Z\"}\n"),
        (String = "text/csv", example = "token;collection;identifier;accept;date;value;preferences\r\n5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f;cookies;019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70;1;2026-11-21T09:30:00.000Z;;\r\n"),
    ), description = "Of any size up to the operator's limit (2 GB by default), UTF-8; a row has at most 256 KB."),
    responses(
        (status = 200, description = "What was stored.", body = Imported),
        (status = 408, description = "No further byte came for a minute."),
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
    let (project, actor) = (path.project_id, caller.actor());
    state.placet.consents.may_import(actor, project).await?;
    let import = Import {
        project,
        format: format(&headers)?,
        partial: params.flag("partial")?.unwrap_or(false),
    };
    take_in(&state, actor, import, &headers, body)
        .await
        .map(Json)
}

/// Takes a file of consents in.
pub async fn take_in(
    state: &AppState,
    actor: Actor,
    import: Import,
    headers: &HeaderMap,
    body: Body,
) -> Result<Imported> {
    let consents = &state.placet.consents;
    let broken = Arc::default();
    let file = file(headers, body, &state.http, &broken)?;
    let imported = consents.import(actor, import, file, Box::new(|_| {})).await;
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
    match media(headers).as_str() {
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
    let announced = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
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
                return Err(stop(too_slow("It came at less than 16 KB a second.")));
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

/// True if a file keeps its place longer than its size needs: less than 16 KB a second, after a
/// minute.
fn is_too_slow(bytes: u64, waited: Duration) -> bool {
    waited > AT_LEISURE && bytes < waited.as_secs() * 16_000
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
        assert!(after(15_999 * 600, 600));
        assert!(!after(16_000 * 600, 600));
    }
}
