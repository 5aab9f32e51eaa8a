//! Entity tags of documents: their version.

use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, header, request::Parts},
};
use utoipa::IntoParams;

use super::problem::Problem;

/// The strong entity tag of a version.
pub fn of(version: i64) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{version}\"")).unwrap_or(HeaderValue::from_static("\"0\""))
}

/// The version that a change expects.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct IfMatch {
    /// Only this version
    #[param(rename = "If-Match", value_type = Option<String>)]
    pub version: Option<i64>,
}

/// No header, and `*`, expect no version.
impl<S: Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let value = parts.headers.get(header::IF_MATCH);
        let text = value.map(|value| value.to_str().unwrap_or_default().trim());
        let Some(text) = text.filter(|text| *text != "*") else {
            return Ok(Self { version: None });
        };
        let inner = text
            .strip_prefix('"')
            .and_then(|text| text.strip_suffix('"'));
        let tag =
            inner.ok_or_else(|| Problem::bad_request("`If-Match` must be a quoted entity tag."))?;
        // A tag that was never ours matches no version.
        let version = Some(tag.parse().unwrap_or(-1));
        Ok(Self { version })
    }
}
