//! Which pages of other origins may read what (`decisions.md`, "HTTP in general").

use axum::{
    extract::{Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use domain::consent::ConsentCollection;

use crate::state::AppState;

const EXPOSED: &str = "X-Page, X-Per-Page, X-Last-Page, X-Total-Count, Link, ETag, Location, Retry-After, X-Request-Id";

/// Paths that every page may use, without credentials.
fn is_open(path: &str) -> bool {
    is_for_visitors(path)
        || ["/cdn/", "/sdk/"].iter().any(|open| path.starts_with(open))
        || ["/sdk.js", "/.well-known/jwks.json", "/v1/openapi.json"].contains(&path)
}

/// Where visitors' browsers send and look up consents. What members read of them, and what erases
/// them, begins alike and is not.
pub(super) fn is_for_visitors(path: &str) -> bool {
    let Some(rest) = path.strip_prefix("/v1/app/consents/") else {
        return path.starts_with("/v1/app/consent/");
    };
    let mut parts = rest.split('/').skip(1);
    let of = parts.next().and_then(ConsentCollection::parse);
    of.is_some() && parts.next().is_some() && parts.next().is_none()
}

/// Answers preflights and marks answers.
pub async fn apply(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let open = is_open(request.uri().path());
    let origin = request.headers().get(header::ORIGIN).cloned();
    let preflight = request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = if preflight {
        StatusCode::NO_CONTENT.into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    if open {
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("*"),
        );
        headers.insert(
            "cross-origin-resource-policy",
            HeaderValue::from_static("cross-origin"),
        );
    } else {
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        let Some(origin) = origin.filter(|origin| state.http.allows_origin(origin)) else {
            return response;
        };
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static(EXPOSED),
        );
    }
    if preflight {
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_METHODS,
            HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE"),
        );
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            HeaderValue::from_static(
                "Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key",
            ),
        );
        headers.insert(
            header::ACCESS_CONTROL_MAX_AGE,
            HeaderValue::from_static("86400"),
        );
    }
    response
}
