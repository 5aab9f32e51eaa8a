//! The REST API: one file a sub-service, each handler at most extract → use case → answer.

pub mod assets;
pub mod audit;
pub mod auth;
pub mod billing;
pub mod client;
pub mod concerns;
pub mod consent_files;
pub mod consents;
pub mod dossiers;
pub mod health;
pub mod identities;
pub mod invitations;
pub mod ledger;
pub mod organizations;
pub mod publish;
pub mod tcf;
pub mod vault;
pub mod vendor_list;
pub mod vendors;
pub mod visitors;
pub mod webhooks;
