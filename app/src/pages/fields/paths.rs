//! Paths in documents, as editors name their fields.

use domain::documents::field::{Kind, Object};
use domain::documents::{PROJECT, TRANSLATION, VENDOR};
use domain::language;

use super::names::{FILE, TEXTS};
use crate::i18n::labels;

/// The meaning of the next name in a path.
#[derive(Clone, Copy)]
enum Next {
    /// A field of a document, or of the published file.
    First(&'static Object),
    /// A field of an object.
    Field(&'static Object),
    /// An entry of a list, which is such an object.
    Entry(&'static Object),
    /// A language, in which the object speaks.
    Language(&'static Object),
    /// A text of the banner.
    Text,
    /// Nothing that is described.
    Unknown,
}

/// A path in a document as editors name its fields. Entries of lists keep their names, and fields that no editor has those
/// of the API.
pub fn in_labels(document: &'static Object, path: &[String]) -> Vec<String> {
    let mut next = Next::First(document);
    let labels = path.iter().map(|name| {
        let (label, then) = next.step(name);
        next = then;
        label.unwrap_or(name).to_owned()
    });
    labels.collect()
}

impl Next {
    /// The label of a name, and the meaning of the one after it.
    fn step(self, name: &str) -> (Option<&'static str>, Self) {
        match self {
            Self::First(document) if document.field(name).is_none() => {
                (labels::label(FILE, name), Self::within_file(document, name))
            }
            Self::First(object) | Self::Field(object) => match object.field(name) {
                Some(field) => (
                    labels::label(object.name, field.key),
                    Self::within(field.rule.kind),
                ),
                None => (None, Self::Unknown),
            },
            Self::Entry(part) => (None, Self::Field(part)),
            Self::Language(part) => (language::name(name), Self::Field(part)),
            Self::Text => (labels::label(TEXTS, name), Self::Unknown),
            Self::Unknown => (None, Self::Unknown),
        }
    }

    /// The meaning of a name in a value of a kind.
    fn within(kind: Kind) -> Self {
        match kind {
            Kind::Named(part) if std::ptr::eq(part, &raw const TRANSLATION) => Self::Language(part),
            Kind::Object(part) | Kind::FlagOr(part) => Self::Field(part),
            Kind::Objects(part, _) | Kind::Named(part) => Self::Entry(part),
            Kind::Vendors => Self::Entry(&VENDOR),
            Kind::Texts => Self::Text,
            _ => Self::Unknown,
        }
    }

    /// The meaning of a name below a field of the published file.
    fn within_file(document: &'static Object, name: &str) -> Self {
        match name {
            "client" => Self::Field(&PROJECT),
            "translated" => Self::Language(document),
            _ => Self::Unknown,
        }
    }
}
