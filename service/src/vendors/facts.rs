//! The facts of the catalogue, as its file and the database hold them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A company as the file has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CompanyFacts {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_url: Option<String>,
    /// Source by field, with its licence once read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub from: BTreeMap<String, String>,
}

/// A service as the file has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ServiceFacts {
    pub name: String,
    pub title: String,
    pub company: String,
    pub categories: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_url: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domains: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cookies: Vec<CookieFacts>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcf_vendor_id: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deprecated: bool,
    /// Source by field, with its licence once read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub from: BTreeMap<String, String>,
}

impl TryFrom<String> for ServiceFacts {
    type Error = serde_json::Error;

    fn try_from(stored: String) -> Result<Self, Self::Error> {
        serde_json::from_str(&stored)
    }
}

impl TryFrom<String> for CompanyFacts {
    type Error = serde_json::Error;

    fn try_from(stored: String) -> Result<Self, Self::Error> {
        serde_json::from_str(&stored)
    }
}

/// A cookie as the file has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CookieFacts {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_age: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}
