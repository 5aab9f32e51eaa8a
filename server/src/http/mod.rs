//! Code that every route shares: credentials, bodies, paging, errors, limits.

pub mod actor;
pub mod body;
pub mod client;
pub mod cors;
pub mod etag;
pub mod limits;
pub mod page;
pub mod params;
pub mod path;
pub mod policy;
pub mod problem;
pub mod request_id;
pub mod shape;
