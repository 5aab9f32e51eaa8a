//! The REST API, the host of the admin UI and the command line.

pub mod api;
pub mod assets;
pub mod cdn;
pub mod connections;
pub mod demo;
pub mod docs;
pub mod http;
pub mod me;
pub mod metrics;
pub mod openapi;
pub mod router;
pub mod serve;
pub mod state;
pub mod ui;
pub mod verifier;
pub mod witness;
