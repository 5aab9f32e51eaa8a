//! The documents that Chromium draws: one for each layer of a publication.

use std::{collections::BTreeSet, sync::OnceLock};

use bytes::Bytes;
use domain::{
    collection::Collection,
    documents::{Client, CookieConfiguration},
    fairness,
    payload::Payload,
    pictures::PictureFinding,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::Publication;
use crate::{
    random,
    render::{self, PreviewOptions},
};

/// Widths and heights of windows: a telephone, a tablet, a desk.
pub(super) const WINDOWS: [(u32, u32); 3] = [(360, 740), (768, 1_024), (1_280, 800)];
/// Most pictures of a publication.
const MOST_PICTURES: usize = 120;
/// Most findings about a publication that its list tells.
const MOST_FINDINGS: usize = 200;
/// Name of the only layer of a box.
const BOX: &str = "box";
/// Start of the addresses of pictures in a scene.
const FILES: &str = "/files/";

/// The document of a layer, for a browser.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DrawnScene {
    /// Name of the step, or `box`.
    #[schema(example = "welcome")]
    pub layer: String,
    /// True if it is a step of a widget, which the document shows first.
    pub is_step: bool,
    /// HTML with everything but its pictures, which are `files`.
    #[schema(example = "")]
    pub document: String,
    /// The nonce of its script.
    #[schema(example = "5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")]
    pub nonce: String,
}

/// The layers of a publication.
pub(super) struct Scenes {
    publication: Publication,
    pub language: String,
    /// Steps of a widget; none of a box.
    steps: Vec<String>,
    /// Names of the pictures that the layers show, below the prefix.
    pub files: BTreeSet<String>,
    /// The details of its services, once a layer is drawn.
    later: OnceLock<String>,
    /// The settings and texts of a widget that are not fair to visitors, as this version judges them. `None` for boxes.
    pub findings: Option<Vec<PictureFinding>>,
}

impl Scenes {
    /// `prefix` begins the addresses of the project's pictures. They get addresses in the scene instead.
    pub(super) fn of(mut publication: Publication, prefix: &str) -> Self {
        let mut files = BTreeSet::new();
        let is_widget = !publication.payload.is_empty();
        let findings = is_widget.then(|| findings(&publication.manifest));
        let (text, steps, language) = if publication.payload.is_empty() {
            let manifest: Value = serde_json::from_str(&publication.manifest).unwrap_or_default();
            let language = manifest
                .pointer("/document/language")
                .and_then(Value::as_str);
            let language = language.unwrap_or_default().to_owned();
            (&mut publication.manifest, Vec::new(), language)
        } else {
            let read = Payload::read(&publication.payload);
            let steps = read.iter().flat_map(|payload| payload.steps());
            let steps = steps.map(str::to_owned).collect();
            let language = read.map_or_else(String::new, |payload| payload.language().to_owned());
            (&mut publication.payload, steps, language)
        };
        *text = replaced(text, prefix, &mut files);
        Self {
            publication,
            language,
            steps,
            files,
            later: OnceLock::new(),
            findings,
        }
    }

    /// Names of the layers, and of those that are left out because there are too many.
    pub(super) fn layers(&self) -> (Vec<String>, Vec<String>) {
        let mut layers = if self.publication.payload.is_empty() {
            vec![BOX.to_owned()]
        } else {
            self.steps.clone()
        };
        let left_out = layers.split_off(layers.len().min(MOST_PICTURES / WINDOWS.len()));
        (layers, left_out)
    }

    /// The document that shows a layer. `None` if this version cannot draw it.
    pub(super) fn drawn(&self, layer: &str) -> Option<DrawnScene> {
        let mut nonce = [0; 16];
        random::fill(&mut nonce);
        let nonce = hex::encode(nonce);
        let is_step = !self.publication.payload.is_empty();
        let options = PreviewOptions {
            dark: false,
            step: is_step.then_some(layer),
            nonce: &nonce,
            returning: false,
        };
        let document = if is_step {
            // Pictures show the first layer alone.
            let later = || later_again(&self.publication, &[]);
            let later = self.later.get_or_init(later);
            render::telling_payload(&self.publication.payload, later, &options)
        } else {
            self.boxed(&options)
        };
        Some(DrawnScene {
            layer: layer.to_owned(),
            is_step,
            document: document?,
            nonce,
        })
    }

    fn boxed(&self, options: &PreviewOptions<'_>) -> Option<String> {
        #[derive(Deserialize)]
        struct Manifest {
            document: Value,
            client: Client,
        }
        let manifest: Manifest = serde_json::from_str(&self.publication.manifest).ok()?;
        let collection = Collection::parse(&self.publication.collection)?;
        render::telling_box(&manifest.client, collection, &manifest.document, options)
    }
}

/// The first findings about the configuration in a manifest.
fn findings(manifest: &str) -> Vec<PictureFinding> {
    #[derive(Deserialize)]
    struct Manifest {
        configuration: Value,
    }
    let manifest = serde_json::from_str(manifest);
    let found = manifest
        // The links of its project stand in what was published.
        .map(|Manifest { configuration }| fairness::findings(&configuration, &Value::Null))
        .unwrap_or_default();
    let found = found.into_iter().take(MOST_FINDINGS);
    found.map(PictureFinding::from).collect()
}

/// The details of services as they were published once. Payloads of before have them inside. None are shown of a
/// configuration that is larger than what is published now. `layers` are the files of the layers of TCF behind the first
/// one, with their keys; without them these do not open.
pub(in crate::publish) fn later_again(
    publication: &Publication,
    layers: &[(String, Bytes)],
) -> String {
    #[derive(Deserialize)]
    struct Manifest {
        configuration: CookieConfiguration,
    }
    let manifest = serde_json::from_str(&publication.manifest);
    let Ok(Manifest { configuration }) = manifest else {
        return String::new();
    };
    let later = if layers.is_empty() {
        render::later(&configuration)
    } else {
        let layers = layers.iter();
        let layers = layers.map(|(key, bytes)| (key.as_str(), bytes.as_ref()));
        render::later_with_layers(&configuration, layers)
    };
    later.unwrap_or_default()
}

/// Replaces the addresses of pictures, and collects their names.
fn replaced(text: &str, prefix: &str, files: &mut BTreeSet<String>) -> String {
    let mut parts = text.split(prefix);
    let mut made = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let is_name = |sign: char| sign.is_ascii_alphanumeric() || matches!(sign, '.' | '-' | '_');
        let end = part.find(|sign| !is_name(sign)).unwrap_or(part.len());
        files.extend(part.get(..end).map(str::to_owned));
        made += FILES;
        made += part;
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_pictures_lead_into_the_scene() {
        let mut files = BTreeSet::new();
        let text =
            "a src=\"https://c.example/p/image.1.webp\" b \"https://c.example/q/image.2.webp\"";
        let made = replaced(text, "https://c.example/p/", &mut files);
        assert_eq!(
            made,
            "a src=\"/files/image.1.webp\" b \"https://c.example/q/image.2.webp\""
        );
        assert_eq!(files, ["image.1.webp".to_owned()].into());
    }
}
