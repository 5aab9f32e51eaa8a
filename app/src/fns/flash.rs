//! The message of a form without script, for the page that it leads back to.

use std::collections::BTreeMap;

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// The message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flash {
    /// Name of the form.
    pub form: String,
    /// The typed values, without passwords.
    pub values: BTreeMap<String, String>,
    /// The reason for which it was refused.
    pub error: UiError,
}

/// Takes the message that a form without script left.
#[server(prefix = "/ui", endpoint = "flash", input = Json)]
pub async fn take_flash() -> Result<Option<Flash>, UiError> {
    let found = use_context::<http::request::Parts>()
        .and_then(|parts| crate::cookies::read(&parts.headers, crate::cookies::FLASH))
        .and_then(|json| serde_json::from_str(&json).ok());
    if found.is_some() {
        crate::cookies::flash("");
    }
    Ok(found)
}
