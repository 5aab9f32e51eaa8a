//! Errors of use cases, without HTTP.
//!
//! One enum for all sub-services: every one of them has the same few outcomes, and
//! `server/src/http/problem.rs` maps them to status codes in one place. `code` is for programs,
//! `detail` a sentence for people.

use domain::{
    error_code::ErrorCode,
    field_error::{FieldError, MOST_ERRORS},
};

use crate::db::DbError;

/// The reason for which a use case did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No credentials, or none that are valid.
    #[error("authentication is required")]
    Unauthenticated,
    /// The caller is known, its role is too weak.
    #[error("{detail}")]
    Forbidden {
        /// For programs.
        code: ErrorCode,
        /// Sentence.
        detail: String,
    },
    /// Unknown, or not the caller's: never told apart.
    #[error("not found")]
    NotFound,
    /// A malformed query.
    #[error("{0}")]
    BadRequest(String),
    /// Fields that break a rule, all of them.
    #[error("the input breaks a rule")]
    Invalid(Vec<FieldError>),
    /// The input collides with what is there.
    #[error("{detail}")]
    Conflict {
        /// Field that collides, if it is one.
        pointer: Option<&'static str>,
        /// For programs.
        code: ErrorCode,
        /// Sentence.
        detail: String,
    },
    /// Something that was here, and was removed for good.
    #[error("{detail}")]
    Gone {
        /// For programs.
        code: ErrorCode,
        /// Sentence.
        detail: String,
    },
    /// `If-Match` named another version than the present one.
    #[error("the document has another version")]
    PreconditionFailed,
    /// Too much work is waiting; try again later.
    #[error("the server is busy")]
    Busy,
    /// Too many tries about one account.
    #[error("too many tries")]
    TooMany {
        /// Seconds until the next one counts.
        retry_after: u64,
    },
    /// As many of the same wait or run as may, for a project or a person.
    #[error("too many of the same wait")]
    QueueFull {
        /// Seconds after which one of them may be done.
        retry_after: u64,
    },
    /// The disk is nearly full, and what is left of it is for the consents of visitors.
    #[error("the disk is nearly full")]
    DiskLow,
    /// A part that is needed is away; who noticed has logged it.
    #[error("a needed part is away")]
    Unavailable,
    /// The database.
    #[error(transparent)]
    Db(#[from] DbError),
    /// A fault of ours; the cause goes to the log only.
    #[error("an internal fault: {0}")]
    Internal(String),
}

impl Error {
    /// One broken field.
    pub fn field(pointer: impl Into<String>, code: ErrorCode, detail: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(pointer, code, detail)])
    }

    /// Refuses if a field breaks a rule. An answer names [`MOST_ERRORS`] of them.
    pub fn unless_valid(mut broken: Vec<FieldError>) -> Result<()> {
        if broken.is_empty() {
            return Ok(());
        }
        broken.truncate(MOST_ERRORS);
        Err(Self::Invalid(broken))
    }

    /// A role that is too weak.
    pub fn forbidden(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self::Forbidden {
            code,
            detail: detail.into(),
        }
    }

    /// Somebody else changed it since it was read.
    pub fn edited_meanwhile() -> Self {
        Self::conflict(
            None,
            ErrorCode::EditedMeanwhile,
            "Somebody else changed it just now.",
        )
    }

    /// A collision.
    pub fn conflict(
        pointer: Option<&'static str>,
        code: ErrorCode,
        detail: impl Into<String>,
    ) -> Self {
        Self::Conflict {
            pointer,
            code,
            detail: detail.into(),
        }
    }

    /// The error as a caller is told it. The database's part, and a fault of ours, go to the log here, once.
    #[must_use]
    pub fn told(self) -> Self {
        let error = match self {
            Self::Db(error) => error,
            Self::Internal(cause) => {
                tracing::error!(cause, "internal fault");
                return Self::Internal(cause);
            }
            other => return other,
        };
        let cause = std::error::Error::source(&error).map(ToString::to_string);
        tracing::error!(%error, cause, "the database failed");
        match error {
            DbError::Duplicate(_) => Self::edited_meanwhile(),
            DbError::Fault(_) => Self::internal("the database failed"),
            DbError::Unavailable(_) | DbError::Migrate(_) | DbError::Address(_) => {
                Self::Unavailable
            }
        }
    }

    /// A fault of ours.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        Self::Internal(cause.to_string())
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::Db(error.into())
    }
}

/// Result of a use case.
pub type Result<T> = std::result::Result<T, Error>;

/// An error with its causes.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let words = source.to_string();
        // Some errors repeat the text of their cause.
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = source.source();
    }
    text
}
