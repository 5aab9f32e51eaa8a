//! Labels and hints of fields.

use domain::documents::field::Object;

use crate::i18n::labels;

/// The texts of the banner, by their keys.
pub fn words() -> impl Iterator<Item = (&'static str, &'static str)> {
    labels::all(TEXTS)
}

/// Stands in the table of labels for the texts of the banner.
pub(super) const TEXTS: &str = "Strings";
/// Stands there for the published file.
pub(super) const FILE: &str = "Pointer";

/// The label of a field of an object. Fields without one have their name in the API.
pub fn label(object: &'static Object, key: &'static str) -> &'static str {
    debug_assert!(object.field(key).is_some(), "{}.{key}", object.name);
    labels::label(object.name, key).unwrap_or(key)
}

/// The label of the field at a pointer of a document, if publishing needs the field.
pub fn needed(document: &'static Object, pointer: &str) -> Option<&'static str> {
    let (object, field) = document.at(pointer)?;
    field.rule.to_publish?;
    labels::label(object.name, field.key)
}

/// The hint below a field of an object.
pub fn hint(object: &'static Object, key: &str) -> Option<&'static str> {
    labels::hint(object.name, key)
}
