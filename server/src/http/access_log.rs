//! The log line of each request, and the id that it shares with the answer.

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, Request, State},
    http::HeaderValue,
    middleware::Next,
    response::Response,
};
use tracing::Instrument;

use super::policy::Policies;
use crate::state::AppState;

/// The id of a request.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

/// Gives the request an id, a span and an access log line. The query is never logged: it may
/// hold an access token.
pub async fn assign(
    State((state, policies)): State<(AppState, Arc<Policies>)>,
    mut request: Request,
    next: Next,
) -> Response {
    let policy = policies.assign(&mut request);
    let id = state.ids.next().to_string();
    request.extensions_mut().insert(RequestId(id.clone()));
    let matched = request.extensions().get::<MatchedPath>();
    let template = matched.map(MatchedPath::as_str);
    let span = tracing::info_span!(
        "request",
        request.id = id,
        method = %request.method(),
        path = &*policy.logged(template, request.uri().path()),
    );
    async move {
        let started = state.placet.config.clock.now();
        let mut response = next.run(request).await;
        let duration = state.placet.config.clock.now().0 - started.0;
        tracing::debug!(
            status = response.status().as_u16(),
            duration_us = duration,
            "answered"
        );
        if let Ok(value) = HeaderValue::from_str(&id) {
            response.headers_mut().insert("x-request-id", value);
        }
        response
    }
    .instrument(span)
    .await
}
