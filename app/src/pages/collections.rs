//! Collections of the vault as people meet them: the kind of a document in words, and the page that edits it.

use domain::collection::Collection;

use super::boxes::{Kind, editor_path};
use crate::i18n::Texts;
use crate::map::Page;

/// The kind of a collection's documents.
pub fn kind(t: &'static Texts, collection: Collection) -> &'static str {
    match collection {
        Collection::Projects => t.project,
        Collection::Cookies => t.kind_configuration,
        Collection::Vendors => t.own_service,
        Collection::Processings => t.kind_box,
        Collection::Contracts => t.kind_contract,
    }
}

/// The address of the page that edits a document of a project.
pub fn page_of(collection: Collection, project: &str, id: &str) -> String {
    match collection {
        Collection::Projects => Page::Settings.at(&[&project]),
        Collection::Cookies => Page::Configuration.at(&[&project, &id]),
        Collection::Vendors => format!("{}?service={id}", Page::Vendors.at(&[&project])),
        Collection::Processings => editor_path(project, Kind::Consent, id),
        Collection::Contracts => editor_path(project, Kind::Contract, id),
    }
}
