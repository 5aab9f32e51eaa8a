//! `/v1/app`: consents, collected from the public and read by members.

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{OriginalUri, State},
    http::{HeaderMap, HeaderName, StatusCode, header},
    response::{IntoResponse, Response},
};
use domain::{
    choices::Outcome,
    consent::{Consent, ConsentCollection, ConsentIn, ConsentOverview, ConsentProof},
    error_code::ErrorCode,
};
use serde::Deserialize;
use service::consents::{Collect, Collected, Erased, Latest, ListQuery, Listing, Report, Span};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    http::{
        NO_STORE,
        actor::Caller,
        body,
        client::Client,
        page,
        params::{PageParams, Params},
        path::{CollectPath, ConsentPath, Path, ProjectPath, TokenPath},
        policy::Policy,
        problem::{Problem, Result},
    },
    state::AppState,
};

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
            "accept": false, "token": "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f",
            "preferences": {"vendors": {"google_analytics": true, "facebook_pixel": false},
                "config": {"identifier": "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70", "name": "en", "language": "en"}},
            "consentId": "019aa3f3-0d4e-7a51-8c3b-5f6a7b8c9d0e", "age": 1200})),
        (String = "text/plain", example = "{\"accept\": true, \"token\": \"0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f\"}"),
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
    let limiter = &state.http.limiter;
    limiter.may_store(project, now)?;
    let bytes = json_or_text(&headers, body, policy).await?;
    limiter.bytes(client.subscriber(), bytes.len(), now)?;
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
    let storing = limiter.storing(project, bytes.len(), now);
    match state.placet.consents.collect(input).await {
        Ok(collected) => Ok((StatusCode::CREATED, Json(collected))),
        Err(error) => {
            storing.refused();
            Err(error.into())
        }
    }
}

/// The bytes of JSON under its own type, or of the text that beacons send.
async fn json_or_text(headers: &HeaderMap, body: Body, policy: Policy) -> Result<Bytes> {
    let media = body::media(headers);
    if !["", "application/json", "text/plain"].contains(&media.as_str()) {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorCode::UnsupportedMediaType,
            "Send `application/json`, or the same JSON as `text/plain`.",
        ));
    }
    body::read(body, policy.body).await
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
            Problem::bad_request(format!(
                "`Idempotency-Key` must have 1 to {KEY_LIMIT} visible characters."
            ))
        })
}

/// Look up the latest consent of a token
///
/// Public for everybody who knows the token: cookies and `Authorization` are ignored. Proxies and servers in between may keep
/// the token in their logs: prefer the `POST`, which has it in its body.
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
    let required = |name: &str| {
        params
            .get(name)
            .ok_or_else(|| Problem::bad_request(format!("`{name}` is required.")))
    };
    let token = required("token")?.to_owned();
    let service = ConsentCollection::parse(required("service")?).ok_or_else(|| {
        let choices = ConsentCollection::choices();
        Problem::bad_request(format!("`service` must be {choices}."))
    })?;
    let identifier = Uuid::try_parse(required("identifier")?)
        .map_err(|_| Problem::bad_request("`identifier` must be an id."))?;
    let asked = LookupIn {
        token,
        service,
        identifier,
    };
    latest(&state, path.project_id, &asked).await
}

async fn latest(state: &AppState, project: Uuid, asked: &LookupIn) -> Result<Response> {
    let consents = &state.placet.consents;
    let latest = consents.latest(project, &asked.token, asked.service, asked.identifier);
    Ok((NO_STORE, Json(latest.await?)).into_response())
}

/// A token, and what it answered to.
#[derive(Deserialize, ToSchema)]
pub struct LookupIn {
    /// Token of the end user.
    #[schema(example = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")]
    token: String,
    /// The collection that was answered to.
    service: ConsentCollection,
    /// Id of the configuration or box.
    identifier: Uuid,
}

/// Look up the latest consent of a token, which no log has
///
/// Public for everybody who knows the token: cookies and `Authorization` are ignored.
#[utoipa::path(post, path = "/v1/app/consent/{projectId}", tag = "app", operation_id = "app.ask", security(()),
    params(ProjectPath),
    request_body(content(
        (LookupIn = "application/json"),
        (String = "text/plain", example = "{\"token\": \"0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f\", \"service\": \"cookies\", \"identifier\": \"019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70\"}"),
    ), description = "`text/plain` holds the same JSON, so that pages need no preflight."),
    responses(
        (status = 200, description = "The latest consent, or `{\"accept\": false}`.", body = Latest),
        (status = 403, description = "`unsigned_token`: the project has a `tokenSecret`, and the token carries no right signature."),
    ))]
pub async fn ask(
    State(state): State<AppState>,
    Path(path): Path<ProjectPath>,
    policy: Policy,
    headers: HeaderMap,
    body: Body,
) -> Result<Response> {
    let asked = body::parse(&json_or_text(&headers, body, policy).await?)?;
    latest(&state, path.project_id, &asked).await
}

/// A span of decision times. A date as `end` includes that day.
pub fn span(params: &Params) -> Result<Span> {
    Ok(Span {
        start: params.time("start")?,
        end: params.end("end")?,
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
    responses((status = 200, description = "A slice of the list; the `X-` headers and `Link` say which. With `after` nothing is counted.", body = [Consent])))]
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
/// of an old export in CSV does, because CSV has no ids. It cannot be undone. A key needs the scopes
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
