//! Code that every route shares: credentials, bodies, paging, errors, limits.

pub mod access_log;
pub mod actor;
pub mod body;
pub mod client;
pub mod cors;
pub mod etag;
pub mod form;
pub mod headers;
pub mod limits;
pub mod memory;
pub mod page;
pub mod params;
pub mod path;
pub mod policy;
pub mod problem;
mod shape;

use axum::http::{HeaderName, HeaderValue, header};

/// The header of answers that nobody keeps, because they hold secrets or tell of persons (RFC 9111, section
/// 5.2.2.5).
pub const NO_STORE: [(HeaderName, HeaderValue); 1] =
    [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))];
