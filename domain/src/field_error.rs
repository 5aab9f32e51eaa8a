//! One broken field of an input, as errors report it.

use serde::{Deserialize, Serialize};

use crate::error_code::ErrorCode;

/// Most broken fields that an answer names.
pub const MOST_ERRORS: usize = 100;

/// One broken field: where, which rule, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct FieldError {
    /// JSON Pointer (RFC 6901) to the field in the body.
    #[cfg_attr(feature = "schema", schema(example = "/steps/0/layout"))]
    pub pointer: String,
    /// The rule.
    pub code: ErrorCode,
    /// The rule in plain English.
    #[cfg_attr(
        feature = "schema",
        schema(example = "must be an address that begins with https:// or http://")
    )]
    pub detail: String,
}

impl FieldError {
    /// Makes one from its three parts.
    pub fn new(pointer: impl Into<String>, code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            pointer: pointer.into(),
            code,
            detail: detail.into(),
        }
    }
}
