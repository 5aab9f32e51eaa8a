//! The published file: what publishing writes, sites read and the widget is rendered from.
//!
//! Entries are the documents' own fields, flat, plus
//! `identifier`; vendors are inlined in the configuration's language; HTML is sanitised; absent
//! fields are omitted. `Pointer` is the whole file `<cdn>/<projectId>.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::documents::{Client, CookieConfiguration, Party};

/// The published file of a project, `<cdn>/<projectId>.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Pointer {
    /// The project's id.
    pub project_id: String,
    /// The project's title.
    pub project_name: String,
    /// RFC 3339, UTC, milliseconds.
    pub published_at: String,
    /// The publish job that made this file.
    pub job_id: String,
    /// Publication id (SHA-256, hex) of each configuration, keyed by its identifier; in another language by
    /// identifier, a dot and the language.
    pub publications: BTreeMap<String, String>,
    /// False where the demo banner is shown.
    pub active: bool,
    /// The project's look.
    pub client: Client,
    /// Data protection officer, as the project has it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub dpo: Option<Party>,
    /// Cookie configurations.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cookies: Vec<CookieConfiguration>,
    /// The same in their other languages, with the same identifiers.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub translated: Vec<CookieConfiguration>,
    /// Consent boxes, flat documents plus `identifier`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub processings: Vec<serde_json::Value>,
    /// Contract boxes, flat documents plus `identifier`.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub contracts: Vec<serde_json::Value>,
}
