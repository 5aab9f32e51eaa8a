//! Error of a server function that cannot do its work. It crosses the wire, so it
//! says only what the person may know.

use std::fmt;

use domain::{error_code::ErrorCode, field_error::FieldError};
use leptos::server_fn::codec::JsonEncoding;
use leptos::server_fn::error::{FromServerFnError, ServerFnErrorErr};
use leptos::server_fn::{Bytes, Decodes};
use serde::{Deserialize, Serialize};

/// Seconds after which the limiter before the server functions counts anew, at the latest.
const LIMITED_SECONDS: u64 = 60;

/// The ways in which a server function fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum UiError {
    /// No session, or one that has ended.
    SignedOut,
    /// The person's role does not allow it.
    Forbidden,
    /// Unknown, or not theirs.
    NotFound,
    /// Input that breaks a rule; `fields` names every broken one.
    Invalid {
        /// Broken fields, by JSON Pointer.
        fields: Vec<FieldError>,
    },
    /// The document was changed by someone else since it was read.
    Conflict,
    /// Refused for a reason that has a stable code.
    Refused {
        /// Of the answer, or of the page that tells it.
        status: u16,
        /// For programs.
        code: ErrorCode,
        /// The reason in plain English.
        detail: String,
    },
    /// The server has too much to do, or a needed part is away: worth another try.
    Busy,
    /// The same was tried too often.
    TooMany {
        /// Seconds until another try counts.
        seconds: u64,
    },
    /// As many of the same wait or run as may.
    QueueFull {
        /// Seconds after which one of them may be done.
        seconds: u64,
    },
    /// A fault of ours; the log has the cause under the request's id.
    Failed,
    /// The answer never arrived, or could not be read.
    Unreachable,
    /// The browser gave no passkey.
    NoPasskey,
}

impl UiError {
    /// The broken fields, if that is what it is about.
    pub fn fields(&self) -> &[FieldError] {
        match self {
            Self::Invalid { fields } => fields,
            _ => &[],
        }
    }

    /// True if the same request may succeed later.
    pub fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::Busy
                | Self::TooMany { .. }
                | Self::QueueFull { .. }
                | Self::Failed
                | Self::Unreachable
        )
    }

    /// The code of a refusal.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Refused { code, .. } => Some(*code),
            _ => None,
        }
    }
}

impl fmt::Display for UiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { detail, .. } => f.write_str(detail),
            other => write!(f, "{other:?}"),
        }
    }
}

impl std::error::Error for UiError {}

impl FromServerFnError for UiError {
    type Encoder = JsonEncoding;

    fn de(data: Bytes) -> Self {
        JsonEncoding::decode(data.clone()).unwrap_or_else(|_| {
            // The limiter before the server functions speaks as the API does.
            let problem = serde_json::from_slice::<serde_json::Value>(&data).ok();
            let code = problem
                .as_ref()
                .and_then(|problem| problem.get("code")?.as_str());
            match code.map(ErrorCode::parse) {
                Some(Some(ErrorCode::TooManyRequests)) => Self::TooMany {
                    seconds: LIMITED_SECONDS,
                },
                Some(_) => Self::Busy,
                None => Self::Unreachable,
            }
        })
    }

    fn from_server_fn_error(error: ServerFnErrorErr) -> Self {
        match error {
            ServerFnErrorErr::Request(_)
            | ServerFnErrorErr::Response(_)
            | ServerFnErrorErr::Deserialization(_) => Self::Unreachable,
            ServerFnErrorErr::Args(_) | ServerFnErrorErr::MissingArg(_) => Self::Refused {
                status: 400,
                code: ErrorCode::BadRequest,
                detail: error.to_string(),
            },
            _ => Self::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limiter_is_told_from_a_busy_server() {
        let read = |text: &'static str| UiError::de(Bytes::from_static(text.as_bytes()));
        for (text, error) in [
            (
                r#"{"kind":"too_many","seconds":9}"#,
                UiError::TooMany { seconds: 9 },
            ),
            (
                r#"{"status":429,"code":"too_many_requests"}"#,
                UiError::TooMany { seconds: 60 },
            ),
            (r#"{"status":503,"code":"unavailable"}"#, UiError::Busy),
            ("<html>", UiError::Unreachable),
        ] {
            assert_eq!(read(text), error, "{text}");
        }
    }
}
