//! The REST API: one file a sub-service, each handler at most extract → use case → answer.

pub mod assets;
pub mod auth;
pub mod billing;
pub mod client;
pub mod consents;
pub mod health;
pub mod identities;
pub mod invitations;
pub mod organizations;
pub mod publish;
pub mod vault;
pub mod vendors;
pub mod webhooks;

use uuid::Uuid;

use crate::http::problem::Problem;

/// An id in a path: hyphenated and in lower case, or nothing is there.
pub(crate) fn id(text: &str) -> Result<Uuid, Problem> {
    Uuid::parse_str(text)
        .ok()
        .filter(|id| id.to_string() == text)
        .ok_or_else(Problem::not_found)
}
