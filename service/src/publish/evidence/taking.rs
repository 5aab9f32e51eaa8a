//! The pictures of all layers of a publication, and their list. A server takes them of its own publications, and a command
//! of those of a server elsewhere.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use domain::pictures::{FORMAT, PictureList, TakenPicture};
use tokio::time::Instant;

use super::scenes::{DrawnScene, WINDOWS};
use crate::{
    chromium::{Chromium, Fault, Scene},
    error::Error,
    objects::sha256_hex,
};

/// Most bytes of all pictures of a publication. They are in memory until all are taken.
pub(super) const MOST_BYTES: usize = 48 * 1024 * 1024;
/// Most time for all pictures of a publication.
const MOST_TIME: Duration = Duration::from_mins(20);
/// Most bytes of the texts in a list.
pub(super) const MOST_TEXTS: usize = 1024 * 1024;

/// The files that documents show, by their names, with their media types.
pub(super) type Files = BTreeMap<String, (&'static str, Bytes)>;

/// The reason for which there are no pictures yet.
pub(super) enum Stop {
    /// Something of ours is away.
    Later(String),
    /// This server stops.
    Stopping,
    /// They cannot be taken.
    Fault(String),
    /// They would take too much of the disk. Another attempt would find the same.
    Full(String),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Later(error.to_string())
    }
}

impl From<Fault> for Stop {
    fn from(Fault(reason): Fault) -> Self {
        Self::Fault(reason)
    }
}

/// The program that has pictures taken.
pub(super) trait Host: Sync {
    /// The document of a layer. `None` if this version cannot draw it.
    fn drawn(&self, layer: &str) -> Option<DrawnScene>;

    /// False once the program stops.
    fn is_working(&self) -> bool;

    /// A picture of Chromium as WebP without loss.
    fn packed(&self, png: &[u8])
    -> impl Future<Output = std::result::Result<Vec<u8>, Stop>> + Send;
}

/// The list of pictures, and the bytes of each by its SHA-256.
pub(super) struct Taken {
    pub list: PictureList,
    pub pictures: Vec<(String, Bytes)>,
}

/// The taking of the pictures of a publication.
pub(super) struct Taking<'a, H> {
    host: &'a H,
    chromium: &'a Chromium,
    files: &'a Files,
    begun: Instant,
    bytes: usize,
    pictures: Vec<(String, Bytes)>,
}

impl<'a, H: Host> Taking<'a, H> {
    pub(super) fn new(host: &'a H, chromium: &'a Chromium, files: &'a Files) -> Self {
        Self {
            host,
            chromium,
            files,
            begun: Instant::now(),
            bytes: 0,
            pictures: Vec::new(),
        }
    }

    /// Takes the pictures of these layers.
    pub(super) async fn take(
        mut self,
        layers: &[String],
        (publication, language, sdk): (&str, &str, &str),
        taken_at: String,
    ) -> std::result::Result<Taken, Stop> {
        if layers.is_empty() {
            return Err(Stop::Fault("the publication has no layer".to_owned()));
        }
        let mut list = PictureList {
            format: FORMAT.to_owned(),
            publication: publication.to_owned(),
            taken_at,
            browser: self.chromium.version().await?,
            sdk: sdk.to_owned(),
            pictures: Vec::new(),
            texts: BTreeMap::new(),
            left_out: Vec::new(),
            findings: None,
        };
        for layer in layers {
            for window in WINDOWS {
                // A server that stops waits for its jobs.
                if !self.host.is_working() {
                    return Err(Stop::Stopping);
                }
                if self.begun.elapsed() > MOST_TIME {
                    let minutes = MOST_TIME.as_secs() / 60;
                    return Err(Stop::Fault(format!(
                        "they took more than {minutes} minutes"
                    )));
                }
                let (picture, text) = self.one(layer, language, window).await?;
                list.texts.insert(picture.text.clone(), text);
                list.pictures.push(picture);
            }
            if list.texts.values().map(String::len).sum::<usize>() > MOST_TEXTS {
                return Err(Stop::Fault("the texts are too long".to_owned()));
            }
        }
        Ok(Taken {
            list,
            pictures: self.pictures,
        })
    }

    async fn one(
        &mut self,
        layer: &str,
        language: &str,
        (width, height): (u32, u32),
    ) -> std::result::Result<(TakenPicture, String), Stop> {
        let drawn = self.host.drawn(layer);
        let drawn = drawn
            .ok_or_else(|| Stop::Fault("this version cannot draw the publication".to_owned()))?;
        let scene = Scene {
            document: &drawn.document,
            nonce: &drawn.nonce,
            layer: drawn.is_step.then_some(layer),
            width,
            height,
            files: self.files,
        };
        let taken = self.chromium.take(&scene).await;
        let taken = taken.map_err(|Fault(why)| {
            Stop::Fault(format!("{why} (layer {layer}, {width} pixels wide)"))
        })?;
        let webp = self.host.packed(&taken.png).await?;
        self.bytes += webp.len();
        if self.bytes > MOST_BYTES {
            return Err(Stop::Fault("the pictures have too many bytes".to_owned()));
        }
        let sha256 = sha256_hex(&webp);
        let picture = TakenPicture {
            layer: layer.to_owned(),
            language: language.to_owned(),
            width,
            height,
            sha256: sha256.clone(),
            bytes: webp.len() as u64,
            text: sha256_hex(taken.text.as_bytes()),
        };
        if !self.pictures.iter().any(|(known, _)| *known == sha256) {
            self.pictures.push((sha256, webp.into()));
        }
        Ok((picture, taken.text))
    }
}
