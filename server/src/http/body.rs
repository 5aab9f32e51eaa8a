//! JSON bodies: 415 for another type, 400 for malformed JSON, 422 for JSON of the wrong shape.

use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, Request},
    http::{StatusCode, header},
};
use bytes::BytesMut;
use futures::StreamExt;
use serde::de::DeserializeOwned;
use service::Error;

use super::problem::Problem;

/// Body limit of documents and accounts.
pub const DOCUMENT_LIMIT: usize = 1024 * 1024;

/// A body that is too large is read this many times its limit before it is refused, because a
/// client that is still sending would see a broken connection in place of the answer.
const DRAINED: usize = 8;

/// A JSON body of this shape.
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let media = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split(';').next())
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase();
        let is_json = media == "application/json"
            || (media.starts_with("application/") && media.ends_with("+json"));
        if !is_json {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "unsupported_media_type",
                "Send `Content-Type: application/json`.",
            ));
        }
        let bytes = read(request.into_body(), DOCUMENT_LIMIT).await?;
        parse(&bytes).map(Self)
    }
}

/// The whole body, at most `limit` bytes.
pub async fn read(body: Body, limit: usize) -> Result<Bytes, Problem> {
    let mut stream = body.into_data_stream();
    let mut bytes = BytesMut::new();
    let mut total = 0;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|_| Problem::bad_request("The body could not be read."))?;
        total += chunk.len();
        if total <= limit {
            bytes.extend_from_slice(&chunk);
        } else if total > limit.saturating_mul(DRAINED) {
            break;
        }
    }
    if total > limit {
        let detail = format!("The body is larger than {limit} bytes.");
        return Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            detail,
        ));
    }
    Ok(bytes.freeze())
}

/// Reads JSON text into a shape.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let malformed =
        |error: serde_json::Error| Problem::bad_request(format!("Malformed JSON: {error}."));
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    match serde_path_to_error::deserialize(&mut reader) {
        Ok(value) => {
            reader.end().map_err(malformed)?;
            Ok(value)
        }
        Err(error) if error.inner().is_data() => {
            let pointer: String = error.path().iter().map(segment).collect();
            let code = if error.inner().to_string().starts_with("missing field") {
                "required"
            } else {
                "invalid_type"
            };
            Err(Error::field(pointer, code, format!("{}.", error.inner())).into())
        }
        Err(error) => Err(malformed(error.into_inner())),
    }
}

fn segment(segment: &serde_path_to_error::Segment) -> String {
    use serde_path_to_error::Segment;
    match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    }
}
