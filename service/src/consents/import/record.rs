//! The fields of a row as a file holds them. A line of NDJSON is read here, the cells of CSV by its `columns`.

use domain::consent::Preferences;
use serde::Deserialize;

/// A row as a file holds it: a consent as it is exported. Other fields say nothing that is kept.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Record {
    pub token: Option<String>,
    pub collection: Option<String>,
    pub identifier: Option<String>,
    pub accept: Option<bool>,
    pub created_at: Option<String>,
    pub decided_at: Option<String>,
    pub value: Option<String>,
    pub preferences: Option<Preferences>,
    pub publication: Option<String>,
    pub consent_id: Option<String>,
    pub page_host: Option<String>,
    pub ip: Option<String>,
    pub country: Option<String>,
    pub user_agent: Option<String>,
    pub erased_at: Option<String>,
    pub outcome: Option<String>,
}

impl Record {
    /// Reads a line of NDJSON, or tells what is wrong with it.
    pub(super) fn of_line(line: &[u8]) -> Result<Self, String> {
        // Of a list, its items would be taken for fields in their order.
        if !line.trim_ascii_start().starts_with(b"{") {
            return Err("Must be a JSON object.".to_owned());
        }
        let mut reader = serde_json::Deserializer::from_slice(line);
        let record = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
            let field = error.path().to_string();
            let cause = error.into_inner();
            if cause.is_data() && field != "." {
                format!("{field}: {cause}.")
            } else {
                format!("Must be a JSON object: {cause}.")
            }
        })?;
        match reader.end() {
            Ok(()) => Ok(record),
            Err(error) => Err(format!("One JSON object a line: {error}.")),
        }
    }
}
