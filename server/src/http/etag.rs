//! Entity tags of documents: their version.

use axum::http::{HeaderMap, HeaderValue, header};

use super::problem::Problem;

/// The strong entity tag of a version.
pub fn of(version: i64) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{version}\"")).unwrap_or(HeaderValue::from_static("\"0\""))
}

/// The version that `If-Match` asks for; `None` without the header or for `*`.
pub fn expected(headers: &HeaderMap) -> Result<Option<i64>, Problem> {
    let Some(value) = headers.get(header::IF_MATCH) else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default().trim();
    if text == "*" {
        return Ok(None);
    }
    let inner = text
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'));
    match inner {
        // A tag that was never ours matches no version.
        Some(tag) => Ok(Some(tag.parse().unwrap_or(-1))),
        None => Err(Problem::bad_request(
            "`If-Match` must be a quoted entity tag.",
        )),
    }
}
