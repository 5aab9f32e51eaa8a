//! The REST API from outside, each case on both engines.

mod auth;
mod publish;
mod vault;
