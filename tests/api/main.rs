//! The REST API from outside, each case on both engines.

mod assets;
mod auth;
mod billing;
mod client;
mod connections;
mod consents;
mod guide;
mod http;
mod imports;
mod jobs;
mod keys;
mod limits;
mod oidc;
mod openapi;
mod organizations;
mod publish;
mod recovery;
mod removal;
mod republish;
mod roles;
mod schema;
mod storage;
mod vault;
mod vendors;
mod webhooks;
