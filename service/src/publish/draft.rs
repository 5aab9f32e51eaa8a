//! A project's content as a publish would make it now, and the documents that keep it from being published.

use domain::{collection::Collection, error_code::ErrorCode, field_error::FieldError};
use uuid::Uuid;

use super::{
    content::Content,
    remarks::{DocumentError, Remarks, title_of},
    stop::{Done, Stop},
};
use crate::{
    error::Error,
    vault::{Document, MOST_OF_A_PROJECT},
};

/// Most bytes of a project's content. No more of it is made, so that a comparison with what is live holds little more.
pub(super) const MOST: usize = 8_000_000;

/// Most widgets of a project: its configurations, each in all of its languages. The files of each take a twentieth of a
/// second.
const MOST_WIDGETS: usize = 1_000;

/// Most services of all widgets of a project together. Three thousand of a project's own fit in all languages.
const MOST_SERVICES: usize = 100_000;

/// Most boxes of a project. Each has a publication of its own, with the look of the project.
const MOST_BOXES: usize = 1_000;

/// Refuses to make content, for a fault that its owner can mend.
pub(super) fn refuse(what: impl Into<String>) -> Error {
    Error::field("", ErrorCode::BuildFailed, what)
}

/// Refuses a project whose documents are too large to be read together.
pub(super) fn too_large_to_read() -> Error {
    refuse(format!(
        "The documents of the project and the custom vendors that they name have more than {} MB, with the fields that \
         are not published, or too many values.",
        MOST_OF_A_PROJECT / 1_000_000
    ))
}

/// Refuses a project with more content than is published.
pub(super) fn too_large() -> Error {
    refuse(format!(
        "The project has too many texts and services; at most {} KB are published.",
        MOST / 1_000
    ))
}

/// Refuses a project with too many widgets, with too many services in all of them, or with too many boxes.
pub(super) fn may_have(widgets: usize, services: usize, boxes: usize) -> crate::error::Result<()> {
    if boxes > MOST_BOXES {
        return Err(refuse(format!(
            "The project has {boxes} boxes. At most {MOST_BOXES} are published."
        )));
    }
    if widgets > MOST_WIDGETS {
        return Err(refuse(format!(
            "The project has {widgets} widgets: each configuration counts once in each of its languages. At most \
             {MOST_WIDGETS} are published."
        )));
    }
    if services > MOST_SERVICES {
        return Err(refuse(format!(
            "The project has {services} services: each counts once in each language of each configuration that names \
             it. At most {MOST_SERVICES} are published."
        )));
    }
    Ok(())
}

/// A project's content as a publish would make it now.
pub(super) struct Draft {
    /// The content without the broken documents.
    pub content: Content,
    /// The address of the project's site.
    pub site: Option<String>,
    /// Documents that cannot be published.
    pub broken: Vec<Broken>,
}

/// A document that cannot be published.
pub(super) struct Broken {
    pub collection: Collection,
    pub id: Uuid,
    pub title: String,
    /// The fields that keep it from being published; the pointer of the whole is empty.
    pub errors: Vec<FieldError>,
}

impl Broken {
    pub fn new(document: &Document, errors: Vec<FieldError>) -> Self {
        Self {
            collection: document.collection,
            id: document.id,
            title: title_of(&document.data, document.id),
            errors,
        }
    }

    /// One for each field.
    fn into_errors(self) -> impl Iterator<Item = DocumentError> {
        let Self {
            collection,
            id,
            title,
            errors,
        } = self;
        errors.into_iter().map(move |error| DocumentError {
            collection,
            id,
            title: title.clone(),
            error,
        })
    }

    /// A sentence for each error. Errors of the whole document name it themselves.
    fn sentences(&self) -> impl Iterator<Item = String> {
        self.errors.iter().map(|error| {
            if error.pointer.is_empty() {
                error.detail.clone()
            } else {
                format!("“{}”, {}: {}", self.title, error.pointer, error.detail)
            }
        })
    }
}

impl Draft {
    /// The content, if all of it can be published.
    pub(super) fn whole(self) -> Done<Content> {
        if !self.broken.is_empty() {
            let sentences: Remarks<_> = self.broken.iter().flat_map(Broken::sentences).collect();
            let errors = self.broken.into_iter().flat_map(Broken::into_errors);
            return Err(Stop::Refused {
                message: sentences.in_words(),
                errors: errors.collect(),
            });
        }
        let bytes = self.content.canonical().len();
        if bytes > MOST {
            return Err(refuse(format!(
                "The project has {} KB of texts and services; at most {} KB are published.",
                bytes / 1_000,
                MOST / 1_000
            ))
            .into());
        }
        Ok(self.content)
    }
}
