//! The pages, one file or folder per area of the address map.

pub mod account;
pub mod audit;
pub mod boxes;
mod collections;
mod conflict;
pub mod consent_files;
mod copying;
pub mod design;
mod fields;
pub mod gate;
pub mod install;
pub mod missing;
pub mod organizations;
pub mod overview;
pub mod people;
pub mod projects;
pub mod proofs;
pub mod publications;
pub mod publish;
pub mod report;
pub mod settings;
pub mod trash;
pub mod vendors;
pub mod webhooks;
pub mod widget;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

/// The project of this page's address.
fn project_id() -> Memo<String> {
    let params = use_params_map();
    Memo::new(move |_| params.with(|params| params.get("project").unwrap_or_default()))
}
