//! Remarks about documents: the errors that keep them from being published, and the warnings that do not.

use domain::{collection::Collection, fairness::Concern, field_error::FieldError};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A field of a document that keeps it from being published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DocumentError {
    /// The collection of the document.
    pub collection: Collection,
    /// Id of the document.
    pub id: Uuid,
    /// Title of the document.
    #[schema(example = "Newsletter")]
    pub title: String,
    /// The field, its rule and the rule in plain English. The pointer of the whole document is empty.
    #[serde(flatten)]
    pub error: FieldError,
}

/// A setting or text that is not fair to visitors, or keeps the widget from them. Nothing refuses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DocumentWarning {
    /// The collection of the document.
    pub collection: Collection,
    /// Id of the document.
    pub id: Uuid,
    /// Title of the document.
    #[schema(example = "Shop")]
    pub title: String,
    /// JSON Pointer of the field.
    #[schema(example = "/settings/reopenButton")]
    pub pointer: String,
    /// The concern.
    pub concern: Concern,
    /// The concern in plain English.
    #[schema(example = "Visitors find no button to change their mind.")]
    pub detail: String,
}
