//! Files that documents name: what is known of them, and what taking one answers.

use domain::{error_code::ErrorCode, field_error::FieldError};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// Largest file that is taken.
pub const MOST_BYTES: u64 = 10 * 1024 * 1024;

#[cfg(feature = "ssr")]
const _: () = assert!(MOST_BYTES == service::assets::MOST_BYTES as u64);

/// Path to which a chosen file is sent: the body is the file. This is no server function, because those
/// carry JSON.
pub const UPLOAD: &str = "/ui/assets/upload";

/// A file of a project, as the upload answers too.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredFile {
    pub id: String,
    pub original_name: String,
    /// Bytes.
    pub size: u64,
}

/// The reason for which a file was not taken.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Refusal {
    pub code: ErrorCode,
    #[serde(default)]
    pub errors: Vec<FieldError>,
}

/// Facts about a file.
#[server(prefix = "/ui", endpoint = "assets/read", input = Json)]
pub async fn read_asset(id: String) -> Result<StoredFile, UiError> {
    use super::server::{self, actor, placet, refuse};
    let id = server::id(&id)?;
    let asset = placet()?.assets.read(actor()?, id).await.map_err(refuse)?;
    Ok(StoredFile {
        id: asset.id.to_string(),
        original_name: asset.original_name,
        size: asset.size.unsigned_abs(),
    })
}
