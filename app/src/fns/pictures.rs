//! Pictures of a publication, as Chromium drew it.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// A picture, by its publication and its hash.
#[cfg(feature = "ssr")]
pub const PICTURE: &str =
    "/ui/publications/pictures/{projectId}/{configurationId}/{publication}/{sha256}";

/// The state of the pictures of a publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    Absent,
    Asked,
    Taken,
    Failed,
}

/// The pictures of a publication.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pictures {
    pub state: State,
    /// True if the server takes pictures.
    pub is_on: bool,
    /// True if this person may ask for them.
    pub may_ask: bool,
    pub fault: String,
    pub browser: String,
    pub taken_at: i64,
    /// SHA-256 of the list.
    pub hash: String,
    /// The address of the list.
    pub list: String,
    pub layers: Vec<Layer>,
    /// Layers without pictures.
    pub left_out: Vec<String>,
    /// Number of the findings in the list. `None` where nobody looked.
    pub findings: Option<usize>,
}

/// A layer, in each width.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    pub name: String,
    /// The text of its first picture.
    pub text: String,
    pub pictures: Vec<Picture>,
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub address: String,
}

/// The pictures of a publication.
#[server(prefix = "/ui", endpoint = "publications/pictures", input = Json)]
pub async fn read_pictures(
    project: String,
    configuration: String,
    publication: String,
) -> Result<Pictures, UiError> {
    server::read(&project, &configuration, &publication).await
}

/// Asks for the pictures of a publication.
#[server(prefix = "/ui", endpoint = "publications/pictures/ask", input = Json)]
pub async fn ask_for_pictures(
    project: String,
    configuration: String,
    publication: String,
) -> Result<(), UiError> {
    server::ask(&project, &configuration, &publication).await
}

#[cfg(feature = "ssr")]
mod server {
    use service::access::Need;
    use service::publish::PicturesState;

    use super::{Layer, PICTURE, Picture, Pictures, State};
    use crate::error::UiError;
    use crate::fns::proofs::server::millis;
    use crate::fns::publications::server::key;
    use crate::fns::server::{actor, may, placet, refuse};

    pub async fn read(
        project: &str,
        configuration: &str,
        publication: &str,
    ) -> Result<Pictures, UiError> {
        let (pictures, _) = PICTURE.split_once("/{").unwrap_or_default();
        let base = format!("{pictures}/{project}/{configuration}/{publication}");
        let key = key(project, configuration, publication)?;
        let may_ask = may(key.project, Need::PUBLISH).await?;
        let publish = &placet()?.publish;
        let told = publish.pictures(actor()?, key);
        let told = told.await.map_err(refuse)?;
        let mut pictures = Pictures {
            state: match told.state {
                PicturesState::Absent => State::Absent,
                PicturesState::Asked => State::Asked,
                PicturesState::Taken => State::Taken,
                PicturesState::Failed => State::Failed,
            },
            is_on: told.is_on,
            may_ask,
            fault: told.fault.unwrap_or_default(),
            browser: String::new(),
            taken_at: 0,
            list: format!("{base}/{}", told.sha256.as_deref().unwrap_or_default()),
            hash: told.sha256.unwrap_or_default(),
            layers: Vec::new(),
            left_out: Vec::new(),
            findings: None,
        };
        let Some(list) = told.list else {
            return Ok(pictures);
        };
        pictures.taken_at = millis(&list.taken_at);
        pictures.browser = list.browser;
        pictures.left_out = list.left_out;
        pictures.findings = list.findings.map(|findings| findings.len());
        let layers = list.pictures.chunk_by(|one, two| one.layer == two.layer);
        pictures.layers = layers
            .filter_map(|layer| {
                let first = layer.first()?;
                let pictures = layer.iter().map(|picture| Picture {
                    width: picture.width,
                    height: picture.height,
                    address: format!("{base}/{}", picture.sha256),
                });
                Some(Layer {
                    name: first.layer.clone(),
                    text: list.texts.get(&first.text).cloned().unwrap_or_default(),
                    pictures: pictures.collect(),
                })
            })
            .collect();
        Ok(pictures)
    }

    pub async fn ask(project: &str, configuration: &str, publication: &str) -> Result<(), UiError> {
        let key = key(project, configuration, publication)?;
        let publish = &placet()?.publish;
        let asked = publish.take_pictures(actor()?, key);
        asked.await.map_err(refuse)?;
        Ok(())
    }
}
