//! Every answer carries the id that its log lines have.

use std::{array, borrow::Cow};

use axum::{
    extract::{Request, State},
    http::HeaderValue,
    middleware::Next,
    response::Response,
};
use tracing::Instrument;

use crate::state::AppState;

/// The id of a request.
#[derive(Clone, Debug)]
pub struct RequestId(pub String);

/// A path as it may stand in a log: without the token of an invitation's link, which opens
/// something, and without those of visitors, who are persons.
fn logged(path: &str) -> Cow<'_, str> {
    let mut parts = path.split('/');
    let parts: [&str; 7] = array::from_fn(|_| parts.next().unwrap_or_default());
    let token = match parts {
        ["", "v1", "auth", "invitations", token, ..]
        | ["", "v1", "client", _, "consents", token, _]
        | ["", "v1", "app", "consents", _, "tokens", token] => token,
        _ => "",
    };
    if token.is_empty() {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(path.replace(token, "…"))
    }
}

/// Gives the request an id, a span and an access log line. The query is never logged: it may
/// hold an access token.
pub async fn assign(State(state): State<AppState>, mut request: Request, next: Next) -> Response {
    let id = state.ids.next().to_string();
    request.extensions_mut().insert(RequestId(id.clone()));
    let span = tracing::info_span!(
        "request",
        request.id = id,
        method = %request.method(),
        path = &*logged(request.uri().path()),
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
