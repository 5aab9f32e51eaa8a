//! What Placet does, without HTTP and HTML: one folder a sub-service.
#![warn(missing_docs)]

pub mod clock;
pub mod db;
pub mod ids;
mod random;
