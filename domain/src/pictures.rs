//! Pictures of publications, as Chromium drew them: their list, whose text is hashed as it is stored.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::fairness::Finding;

/// Name of the format of a list.
pub const FORMAT: &str = "placet-pictures/1";

/// The key of a picture of a project in the object store.
pub fn key(project: &str, sha256: &str) -> String {
    format!("pictures/{project}/{sha256}.webp")
}

/// The list of the pictures of a publication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PictureList {
    /// `placet-pictures/1`.
    #[cfg_attr(feature = "schema", schema(example = "placet-pictures/1"))]
    pub format: String,
    /// SHA-256 (hex) of the publication's manifest.
    #[cfg_attr(
        feature = "schema",
        schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")
    )]
    pub publication: String,
    /// Time at which the first of them was taken.
    #[cfg_attr(
        feature = "schema",
        schema(format = "date-time", example = "2026-11-21T09:30:00.000Z")
    )]
    pub taken_at: String,
    /// The browser that drew them.
    #[cfg_attr(
        feature = "schema",
        schema(example = "Chromium 148.0.7778.167 built on Debian GNU/Linux 12 (bookworm)")
    )]
    pub browser: String,
    /// SHA-256 of the SDK that drew them. That of the publication is another one if they were taken after an update.
    #[cfg_attr(
        feature = "schema",
        schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")
    )]
    pub sdk: String,
    /// The pictures, layer by layer.
    pub pictures: Vec<TakenPicture>,
    /// The texts of the layers by their SHA-256 (hex): the visible text and labels, a block a line.
    #[cfg_attr(feature = "schema", schema(example = json!({"aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6": "We use cookies"})))]
    pub texts: BTreeMap<String, String>,
    /// Layers without pictures, because there are too many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schema(example = json!(["partners"])))]
    pub left_out: Vec<String>,
    /// Settings and texts of the publication that are not fair to visitors, as the version that made the list judged
    /// them. Absent for boxes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<Vec<PictureFinding>>,
}

/// Something in a pictured publication that is not fair to visitors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct PictureFinding {
    /// The word of the concern. Other versions know others.
    #[cfg_attr(feature = "schema", schema(example = "no_way_back"))]
    pub concern: String,
    /// JSON Pointer of the field in `configuration` of the manifest.
    #[cfg_attr(feature = "schema", schema(example = "/settings/reopenButton"))]
    pub pointer: String,
    /// The concern in plain English.
    #[cfg_attr(
        feature = "schema",
        schema(example = "Visitors find no button to change their mind.")
    )]
    pub detail: String,
}

impl From<Finding> for PictureFinding {
    fn from(finding: Finding) -> Self {
        Self {
            concern: finding.concern.as_str().to_owned(),
            pointer: finding.pointer,
            detail: finding.concern.sentence().to_owned(),
        }
    }
}

/// A picture in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct TakenPicture {
    /// Name of the step, or `box`.
    #[cfg_attr(feature = "schema", schema(example = "welcome"))]
    pub layer: String,
    /// The language of its texts (ISO 639-1); empty where the publication names none.
    #[cfg_attr(feature = "schema", schema(example = "en"))]
    pub language: String,
    /// Size of the window in pixels.
    #[cfg_attr(feature = "schema", schema(example = 360))]
    pub width: u32,
    /// Height of the window.
    #[cfg_attr(feature = "schema", schema(example = 740))]
    pub height: u32,
    /// SHA-256 (hex) of the picture, a WebP without loss.
    #[cfg_attr(
        feature = "schema",
        schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")
    )]
    pub sha256: String,
    /// Its bytes.
    #[cfg_attr(feature = "schema", schema(example = 18_240))]
    pub bytes: u64,
    /// SHA-256 (hex) of its text.
    #[cfg_attr(
        feature = "schema",
        schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")
    )]
    pub text: String,
}
