//! Consents as callers send them and as the API gives them back (`decisions.md`, "Collection").

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The collections that visitors answer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum ConsentCollection {
    /// Cookie configurations.
    Cookies,
    /// Consent boxes.
    Processings,
    /// Contract boxes.
    Contracts,
}

impl ConsentCollection {
    /// The path segment, also used in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cookies => "cookies",
            Self::Processings => "processings",
            Self::Contracts => "contracts",
        }
    }

    /// Reads the path segment of [`ConsentCollection::as_str`].
    pub fn parse(segment: &str) -> Option<Self> {
        [Self::Cookies, Self::Processings, Self::Contracts]
            .into_iter()
            .find(|collection| collection.as_str() == segment)
    }
}

/// What the widget posts after a choice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ConsentIn {
    /// The answer; kept as sent.
    pub accept: bool,
    /// Names an end user of the project; 1 to 255 characters.
    #[cfg_attr(
        feature = "schema",
        schema(example = "5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")
    )]
    pub token: String,
    /// Choices and their context.
    #[serde(default)]
    pub preferences: Preferences,
    /// Value of the pressed button, at most 255 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// SHA-256 (hex) of what the visitor was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub publication: Option<String>,
    /// Milliseconds since the decision, by the client's clock; 0 to 30 days.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub age: Option<u64>,
    /// A UUID chosen by the client; a retry with the same one is one consent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(format = "uuid"))]
    pub consent_id: Option<String>,
}

/// The choices of a consent and their context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Preferences {
    /// Vendor names to choices.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vendors: BTreeMap<String, bool>,
    /// The configuration that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub config: Option<PreferencesConfig>,
    /// Google Consent Mode v2 signals that were sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub google_consent_mode: Option<Value>,
    /// IAB TC string.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tc_string: Option<String>,
}

/// The configuration that asked, as the widget knows it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PreferencesConfig {
    /// Id of the configuration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// ISO 639-1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
}
