//! Errors as RFC 9457 problem details: the only place with status codes.

use axum::{
    Json,
    extract::Request,
    http::{HeaderName, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::{error_code::ErrorCode, field_error::FieldError};
use serde::Serialize;
use serde_json::{Map, Value};
use service::{Error, db::DbError};
use utoipa::openapi::{RefOr, schema::Schema};

use super::{access_log::RequestId, policy::Policy};

/// Seconds after which a caller may try again when a part of the service is away.
const RETRY_AFTER_SECONDS: u64 = 2;

/// The answer of a handler, or a problem.
pub type Result<T> = std::result::Result<T, Problem>;

/// A problem, before it knows its request.
#[derive(Clone, Debug)]
pub struct Problem {
    status: StatusCode,
    code: ErrorCode,
    detail: Box<str>,
    errors: Vec<FieldError>,
    retry_after: Option<u64>,
    /// Requests a minute, if a limit of them refused the request.
    limit: Option<u64>,
    bearer: bool,
    /// Further members of the body.
    members: Option<Box<Map<String, Value>>>,
}

/// A problem as it is sent (RFC 9457).
#[derive(Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct Body<'a> {
    /// Names the kind of problem.
    #[serde(rename = "type")]
    #[schema(example = "https://placet.invalid/problems/not_found")]
    kind: String,
    /// The status in words.
    #[schema(example = "Not Found")]
    title: &'a str,
    /// HTTP status.
    #[schema(example = 404)]
    status: u16,
    /// The cause, and how to mend it.
    #[schema(example = "Nothing is here, or it is not yours.")]
    detail: &'a str,
    /// Path of the request.
    #[schema(example = "/v1/vault/projects/0190")]
    instance: &'a str,
    /// For programs.
    code: ErrorCode,
    /// Every broken field.
    #[serde(skip_serializing_if = "<[FieldError]>::is_empty")]
    errors: &'a [FieldError],
    /// Id of the request in our log.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f71")]
    request_id: Option<&'a str>,
}

impl utoipa::PartialSchema for Problem {
    fn schema() -> RefOr<Schema> {
        Body::schema()
    }
}

impl utoipa::ToSchema for Problem {
    fn name() -> std::borrow::Cow<'static, str> {
        "Problem".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Body::schemas(schemas);
    }
}

impl Problem {
    /// A problem with this status, code and sentence.
    pub fn new(status: StatusCode, code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            code,
            detail: detail.into().into_boxed_str(),
            errors: Vec::new(),
            retry_after: None,
            limit: None,
            bearer: false,
            members: None,
        }
    }

    /// The same with further members, which replace those of the same name.
    #[must_use]
    pub fn with(mut self, members: Map<String, Value>) -> Self {
        self.members = Some(Box::new(members));
        self
    }

    /// Malformed JSON, query or header.
    pub fn bad_request(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorCode::BadRequest, detail)
    }

    /// Unknown, or not the caller's.
    pub fn not_found() -> Self {
        Self::new(
            StatusCode::NOT_FOUND,
            ErrorCode::NotFound,
            "Nothing is here, or it is not yours.",
        )
    }

    /// Too many requests; again after so many seconds.
    pub fn too_many(retry_after: u64) -> Self {
        let detail = format!("Too many requests. Try again in {retry_after} seconds.");
        let mut problem = Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            ErrorCode::TooManyRequests,
            detail,
        );
        problem.retry_after = Some(retry_after);
        problem
    }

    /// As many of the same wait as may; again after so many seconds.
    fn queue_full(retry_after: u64) -> Self {
        let mut problem = Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            ErrorCode::QueueFull,
            "As many of these wait or run as may. Try again when one of them is done.",
        );
        problem.retry_after = Some(retry_after);
        problem
    }

    /// Too many requests for a limit, which starts anew after so many seconds.
    pub fn over_limit(limit: u64, reset_seconds: u64) -> Self {
        let mut problem = Self::too_many(reset_seconds);
        problem.limit = Some(limit);
        problem
    }

    /// Something that is not there yet; another try after so many seconds may find it.
    pub fn not_yet(detail: &str, seconds: u64) -> Self {
        let mut problem = Self::unavailable(detail);
        problem.retry_after = Some(seconds);
        problem
    }

    fn unavailable(detail: &str) -> Self {
        let mut problem = Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            ErrorCode::Unavailable,
            detail,
        );
        problem.retry_after = Some(RETRY_AFTER_SECONDS);
        problem
    }

    fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            ErrorCode::Internal,
            "A fault of ours. Tell the operator the request id.",
        )
    }
}

/// The status of a use case's error, as it is [told](Error::told). The API and the pages both take it from here.
pub fn status(error: &Error) -> StatusCode {
    match error {
        Error::Unauthenticated | Error::Forbidden { .. } => StatusCode::FORBIDDEN,
        Error::NotFound => StatusCode::NOT_FOUND,
        Error::Gone { .. } => StatusCode::GONE,
        Error::BadRequest(_) => StatusCode::BAD_REQUEST,
        Error::Invalid(_) => StatusCode::UNPROCESSABLE_ENTITY,
        Error::Conflict { .. } => StatusCode::CONFLICT,
        Error::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
        Error::TooMany { .. } | Error::QueueFull { .. } => StatusCode::TOO_MANY_REQUESTS,
        Error::DiskLow => StatusCode::INSUFFICIENT_STORAGE,
        Error::Busy | Error::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Error::Db(_) | Error::Internal(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let error = error.told();
        let status = status(&error);
        match error {
            Error::Unauthenticated => {
                let mut problem = Self::new(
                    status,
                    ErrorCode::Unauthenticated,
                    "A valid access token is needed: `Authorization: Bearer <token>` or `access_token=<token>`.",
                );
                problem.bearer = true;
                problem
            }
            Error::Forbidden { code, detail } | Error::Gone { code, detail } => {
                Self::new(status, code, detail)
            }
            Error::NotFound => Self::not_found(),
            Error::BadRequest(detail) => Self::bad_request(detail),
            Error::Invalid(errors) => {
                let detail = match errors.as_slice() {
                    [one] => format!("{}: {}", one.pointer, one.detail),
                    many => format!("{} fields break a rule; see `errors`.", many.len()),
                };
                let mut problem = Self::new(status, ErrorCode::Invalid, detail);
                problem.errors = errors;
                problem
            }
            Error::Conflict {
                pointer,
                code,
                detail,
            } => {
                let mut problem = Self::new(status, code, detail.clone());
                problem.errors = pointer
                    .map(|pointer| FieldError::new(pointer, code, detail))
                    .into_iter()
                    .collect();
                problem
            }
            Error::PreconditionFailed => Self::new(
                status,
                ErrorCode::VersionMismatch,
                "The document was changed meanwhile; read it again.",
            ),
            Error::TooMany { retry_after } => Self::too_many(retry_after),
            Error::QueueFull { retry_after } => Self::queue_full(retry_after),
            Error::Busy => Self::unavailable("Too much work is waiting; try again."),
            Error::DiskLow => Self::new(
                status,
                ErrorCode::DiskLow,
                "The disk of this server is nearly full. It keeps what is left for the consents of visitors until its \
                 operator makes room.",
            ),
            Error::Unavailable => Self::unavailable("A part of the service is away; try again."),
            Error::Db(_) | Error::Internal(_) => Self::internal(),
        }
    }
}

impl From<DbError> for Problem {
    fn from(error: DbError) -> Self {
        Error::from(error).into()
    }
}

impl IntoResponse for Problem {
    /// The body is written by [`finish`], which knows the request.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes every error of the API as a problem: ours, and those that axum or a layer made (404,
/// 405, 413, 415, 408, panics).
pub async fn finish(request: Request, next: Next) -> Response {
    let is_of_pages = Policy::of(&request).is_of_pages;
    let instance = request.uri().path().to_owned();
    let request_id = request
        .extensions()
        .get::<RequestId>()
        .map(|id| id.0.clone());
    let response = next.run(request).await;
    let status = response.status();
    if !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let ours = response.extensions().get::<Problem>().cloned();
    // Pages of the admin UI show their own errors.
    let is_page = response
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"text/html"));
    if ours.is_none() && (is_page || is_of_pages) {
        return response;
    }
    let problem = ours.unwrap_or_else(|| foreign(status));
    let body = Body {
        kind: format!("https://placet.invalid/problems/{}", problem.code),
        title: status.canonical_reason().unwrap_or("Error"),
        status: status.as_u16(),
        detail: &problem.detail,
        instance: &instance,
        code: problem.code,
        errors: &problem.errors,
        request_id: request_id.as_deref(),
    };
    let mut finished = match problem.members {
        None => (status, Json(&body)).into_response(),
        Some(members) => (status, Json(extended(&body, *members))).into_response(),
    };
    let headers = finished.headers_mut();
    // Headers that a layer has added (Allow, CORS, limits) stay.
    for (name, value) in response.headers() {
        if name != header::CONTENT_TYPE && name != header::CONTENT_LENGTH {
            headers.append(name, value.clone());
        }
    }
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/problem+json"),
    );
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = problem.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let (Some(limit), Some(seconds)) = (problem.limit, problem.retry_after) {
        headers.insert("x-ratelimit-limit", HeaderValue::from(limit));
        headers.insert("x-ratelimit-remaining", HeaderValue::from(0));
        headers.insert("x-ratelimit-reset", HeaderValue::from(seconds));
    }
    if problem.bearer {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    headers.insert(
        HeaderName::from_static("x-content-type-options"),
        HeaderValue::from_static("nosniff"),
    );
    finished
}

fn extended(body: &Body<'_>, members: Map<String, Value>) -> Value {
    let mut body = serde_json::to_value(body).unwrap_or_default();
    if let Some(object) = body.as_object_mut() {
        object.extend(members);
    }
    body
}

/// A problem for a status that axum or a layer chose.
fn foreign(status: StatusCode) -> Problem {
    match status {
        StatusCode::NOT_FOUND => Problem::not_found(),
        StatusCode::METHOD_NOT_ALLOWED => Problem::new(
            status,
            ErrorCode::MethodNotAllowed,
            "This method does not exist here; see `Allow`.",
        ),
        StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::new(status, ErrorCode::BodyTooLarge, "The body is too large.")
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Problem::new(
            status,
            ErrorCode::UnsupportedMediaType,
            "Send application/json.",
        ),
        StatusCode::REQUEST_TIMEOUT => {
            Problem::new(status, ErrorCode::Timeout, "The request took too long.")
        }
        status if status.is_client_error() => Problem::new(
            status,
            ErrorCode::BadRequest,
            "The request cannot be understood.",
        ),
        status => {
            let mut problem = Problem::internal();
            problem.status = status;
            problem
        }
    }
}
