//! Cross-origin access: the pages of other origins that may read answers.
//!
//! `tower_http::cors` would treat all routes alike and vary every answer by its origin, so caches would keep an open
//! file once for each site.

use axum::{
    extract::{Request, State},
    http::{HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};

use super::policy::Policy;
use crate::state::AppState;

const EXPOSED: &str = "X-Page, X-Per-Page, X-Last-Page, X-Total-Count, Link, ETag, Location, Retry-After, X-Request-Id";

/// Answers preflights and marks answers.
pub async fn apply(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let open = Policy::of(&request).is_open;
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
