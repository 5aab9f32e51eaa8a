//! The ends of a step that did not succeed.

use super::remarks::{DocumentError, Remarks};
use crate::{billing::Limit, db::DbError, error::Error};
use domain::error_code::ErrorCode;

/// The reason for which a step did not succeed.
pub(super) enum Stop {
    /// The job ends in `error`.
    Fail { code: ErrorCode, message: String },
    /// The job ends in `error`: these fields of documents keep them from being published.
    Refused {
        message: String,
        errors: Remarks<DocumentError>,
    },
    /// Something passing: the job is tried again.
    Later(String),
}

/// The result of work on a publish job.
pub(super) type Done<T = ()> = Result<T, Stop>;

impl Stop {
    /// The object store failed, and enough attempts were made.
    pub fn unstored(message: String) -> Self {
        Self::Fail {
            code: ErrorCode::UploadFailed,
            message,
        }
    }

    /// The cause in a sentence.
    pub fn cause(self) -> String {
        match self {
            Self::Fail { message, .. } | Self::Refused { message, .. } | Self::Later(message) => {
                message
            }
        }
    }
}

impl From<DbError> for Stop {
    fn from(error: DbError) -> Self {
        Self::Later(error.to_string())
    }
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Self::Fail {
            code: limit.code,
            message: limit.message,
        }
    }
}

/// Errors that the owner can mend end the job. All other errors may pass.
impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        let (code, message) = match error {
            Error::Invalid(errors) if !errors.is_empty() => {
                let details = errors.into_iter().map(|error| error.detail);
                (ErrorCode::BuildFailed, details.take(1).collect())
            }
            Error::Conflict { code, detail, .. } => (code, detail),
            Error::DiskLow => (ErrorCode::DiskLow, error.to_string()),
            error => return Self::Later(error.to_string()),
        };
        Self::Fail { code, message }
    }
}
