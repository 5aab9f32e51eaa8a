//! JSON bodies: 415 for another type, 400 for malformed JSON, 422 for JSON of the wrong shape.

use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, OptionalFromRequest, Request},
    http::{HeaderMap, StatusCode, header},
};
use bytes::BytesMut;
use domain::{
    documents::below,
    error_code::ErrorCode,
    field_error::{FieldError, MOST_ERRORS},
    json::{self, Fault, MOST_VALUES},
};
use futures::{StreamExt, TryStreamExt};
use serde::de::DeserializeOwned;
use service::{Error, places::Way};
use utoipa::ToSchema;

use super::{headers, policy::Policy, problem::Problem, shape::Shape};

/// Body limit of documents and accounts.
pub const DOCUMENT_LIMIT: usize = 1024 * 1024;

/// A body that is too large is read this many times its limit before it is refused, because a
/// client that is still sending would see a broken connection in place of the answer.
const DRAINED: usize = 8;

/// A JSON body of this shape.
pub struct JsonBody<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned + ToSchema> FromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        json_only(&request)?;
        let limit = Policy::of(&request).body;
        Self::of(&read(request.into_body(), limit).await?)
    }
}

/// No body is no value, whatever type it is said to have.
impl<S: Send + Sync, T: DeserializeOwned + ToSchema> OptionalFromRequest<S> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Option<Self>, Problem> {
        let is_json = json_only(&request);
        let limit = Policy::of(&request).body;
        let bytes = read(request.into_body(), limit).await?;
        if bytes.is_empty() {
            return Ok(None);
        }
        is_json?;
        Self::of(&bytes).map(Some)
    }
}

impl<T: DeserializeOwned + ToSchema> JsonBody<T> {
    fn of(bytes: &[u8]) -> Result<Self, Problem> {
        let value = parse(bytes)?;
        refuse_nul::<T>(bytes)?;
        Ok(Self(value))
    }
}

/// Refuses a body of another type.
fn json_only(request: &Request) -> Result<(), Problem> {
    let media = media(request.headers());
    let is_json = media == "application/json"
        || (media.starts_with("application/") && media.ends_with("+json"));
    if is_json {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorCode::UnsupportedMediaType,
        "Send `Content-Type: application/json`.",
    ))
}

/// The media type of a body in lower case, without parameters; empty if none is told.
pub fn media(headers: &HeaderMap) -> String {
    headers::text(headers, header::CONTENT_TYPE)
        .and_then(|value| value.split(';').next())
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase()
}

/// A body whose bytes count on the way of a file as they come.
pub fn counted(body: Body, way: Way) -> Body {
    let pieces = body.into_data_stream();
    Body::from_stream(pieces.inspect_ok(move |piece| way.add(piece.len())))
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
            ErrorCode::BodyTooLarge,
            detail,
        ));
    }
    Ok(bytes.freeze())
}

/// Reads JSON text of at most [`MOST_VALUES`] values into a type. If the text does not fit its [`Shape`], names every
/// wrong field.
pub fn parse<T: DeserializeOwned + ToSchema>(bytes: &[u8]) -> Result<T, Problem> {
    // Serde reads objects from arrays, too. A short text without arrays needs no further check.
    if !json::may_exceed(bytes, MOST_VALUES)
        && !bytes.contains(&b'[')
        && let Ok(value) = serde_json::from_slice(bytes)
    {
        return Ok(value);
    }
    let errors = differences::<T>(bytes)?;
    if errors.iter().any(|error| !is_about_text(error.code)) {
        return Err(Error::Invalid(errors).into());
    }
    serde_json::from_slice(bytes).or_else(|_| {
        if !errors.is_empty() {
            return Err(Error::Invalid(errors).into());
        }
        // Again, to say where it is broken.
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let pointer: String = error.path().iter().map(segment).collect();
            let detail = "This value cannot be used; an object may hold each field once.";
            Error::field(pointer, ErrorCode::InvalidValue, detail).into()
        })
    })
}

/// True if the error is about the text of a field that has the right type. If serde reads the text
/// all the same, the use case reports the error together with all others.
fn is_about_text(code: ErrorCode) -> bool {
    use ErrorCode::{InvalidCharacter, InvalidId, InvalidTime};
    matches!(code, InvalidCharacter | InvalidId | InvalidTime)
}

/// Every field of a text that is not as its type asks for.
fn differences<T: ToSchema>(bytes: &[u8]) -> Result<Vec<FieldError>, Problem> {
    let outline = json::outline(bytes, MOST_VALUES).map_err(|fault| match fault {
        Fault::Malformed(error) => malformed(&error),
        Fault::TooMany(most) => {
            let detail = format!("A body has at most {most} values.");
            Error::field("", ErrorCode::TooLong, detail).into()
        }
    })?;
    Ok(Shape::of::<T>().check(&outline))
}

/// Refuses U+0000, which no database keeps, in the texts of a body.
fn refuse_nul<T: ToSchema>(bytes: &[u8]) -> Result<(), Problem> {
    if !bytes.windows(5).any(|part| part == b"u0000") {
        return Ok(());
    }
    let mut errors = differences::<T>(bytes)?;
    // Behind as many as an answer names there may be one of these.
    if errors.len() < MOST_ERRORS {
        errors.retain(|error| error.code == ErrorCode::InvalidCharacter);
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Error::Invalid(errors).into())
    }
}

fn malformed(error: &serde_json::Error) -> Problem {
    let (line, column) = (error.line(), error.column());
    Problem::bad_request(format!("Malformed JSON at line {line}, column {column}."))
}

fn segment(segment: &serde_path_to_error::Segment) -> String {
    use serde_path_to_error::Segment;
    match segment {
        Segment::Seq { index } => format!("/{index}"),
        Segment::Map { key } => below("", key),
        Segment::Enum { .. } | Segment::Unknown => String::new(),
    }
}
