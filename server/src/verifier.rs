//! `/verify`: the page that verifies proofs of consent in a browser (`verifier/`), one file for everybody.

use axum::{
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};

use crate::{
    assets,
    http::policy::{Policy, Routes},
};

/// The page below `target/web`, as `xtask/src/verifier.rs` names it.
const PAGE: &str = "verify/placet-verify.html";

/// The page.
pub fn routes() -> Routes {
    Routes::new().plain(Policy::API, "/verify", &[Method::GET], get(page))
}

/// The page with its own policy as a header, and with a rule that no page can name for itself.
async fn page(headers: HeaderMap) -> Response {
    let Some(page) = assets::lookup(PAGE) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let policy = format!(
        "{}; frame-ancestors 'none'",
        page.policy.unwrap_or("default-src 'none'")
    );
    let mut response = page.respond(&headers).into_response();
    if let Ok(policy) = HeaderValue::try_from(policy) {
        response
            .headers_mut()
            .insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}
