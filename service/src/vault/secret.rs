//! The secret of a project's tokens: written with the document, kept beside it, never given back.
//!
//! A reader of the project, such as a viewer or a key for reading, could otherwise sign tokens and
//! answer for anybody.

use domain::collection::Collection;
use serde_json::Value;
use uuid::Uuid;

use crate::secret::SecretKey;

/// The field by which writers name it.
pub(super) const FIELD: &str = "tokenSecret";

/// The change that a writer makes to the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Secret {
    /// No change. The secret stays, since nobody can read it to send it again.
    Keep,
    /// It goes.
    Remove,
    /// It is this one from now on.
    Set(String),
}

impl Secret {
    /// True if there is a secret afterwards.
    pub(super) fn is_there_after(&self, before: bool) -> bool {
        match self {
            Self::Keep => before,
            Self::Remove => false,
            Self::Set(_) => true,
        }
    }

    /// The same for the database: a text that only this installation's key opens.
    pub(super) fn sealed(self, key: &SecretKey, project: Uuid) -> Self {
        match self {
            Self::Set(text) => Self::Set(key.seal_text(project.as_bytes(), &text)),
            other => other,
        }
    }

    /// The text to store, if one is set.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Self::Set(text) => Some(text),
            Self::Keep | Self::Remove => None,
        }
    }
}

/// Takes the secret out of a project that was found right.
pub(super) fn take(collection: Collection, data: &mut Value) -> Secret {
    let field = match data.as_object_mut() {
        Some(fields) if collection == Collection::Projects => fields.shift_remove(FIELD),
        _ => None,
    };
    match field {
        None => Secret::Keep,
        Some(Value::String(text)) => Secret::Set(text),
        Some(_) => Secret::Remove,
    }
}

/// True if a merge patch, or a whole document, removes the secret. Merging would only leave the field out, which keeps
/// the secret.
pub(super) fn is_removed(patch: &Value) -> bool {
    patch.get(FIELD).is_some_and(Value::is_null)
}

/// Says in a document that the secret goes.
pub(super) fn remove(data: &mut Value) {
    if let Some(fields) = data.as_object_mut() {
        fields.insert(FIELD.to_owned(), Value::Null);
    }
}
