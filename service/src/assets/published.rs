//! Files as they are published with a project: pictures of widgets, documents of boxes, pictures of publications.

use std::path::PathBuf;

use uuid::Uuid;

use super::{
    Assets,
    bounds::Refusal,
    drawing::{Drawing, Task},
    picture::{FileType, Fit, Format},
};
use crate::{error::Result, objects::sha256_hex, turns::Owner};

/// Longest side of a picture in a widget: twice the side that the page shows, for dense screens.
const WIDGET_SIDE: u32 = 768;

const NO_FILE: &str = "is no file of this project";

/// A file, or a sentence for the owner, who can correct it.
type OrReason<T> = Result<std::result::Result<T, &'static str>>;

/// A file that is published with a project.
pub(crate) struct Published {
    /// Key in the object store, made of the content.
    pub key: String,
    pub bytes: Vec<u8>,
}

impl Assets {
    /// Draws a picture of the project for a widget.
    pub(crate) async fn for_widget(&self, project: Uuid, id: Uuid) -> OrReason<Published> {
        let Some(row) = self.files.of_project(project, id).await? else {
            return Ok(Err(NO_FILE));
        };
        let bytes = self.files.original(&row).await?;
        self.drawn_for_widget(row.uploaded_by, project, &bytes)
            .await
    }

    /// Draws a picture from another host for a widget.
    pub(crate) async fn bytes_for_widget(
        &self,
        project: Uuid,
        bytes: Vec<u8>,
    ) -> OrReason<Published> {
        self.drawn_for_widget(project, project, &bytes).await
    }

    async fn drawn_for_widget(
        &self,
        owner: Owner,
        project: Uuid,
        bytes: &[u8],
    ) -> OrReason<Published> {
        if FileType::sniff(bytes).is_none_or(|file_type| file_type == FileType::Pdf) {
            return Ok(Err("is not a PNG, JPEG, GIF, WebP or AVIF picture"));
        }
        let task = Task::Render {
            within: (Some(WIDGET_SIDE), Some(WIDGET_SIDE)),
            fit: Fit::Contain,
            format: Format::WebP,
        };
        let turn = self.files.drawing.turn(owner).await?;
        let drawn = self.files.drawing.draw(turn, task, bytes).await?;
        Ok(match drawn {
            Ok(drawn) => Ok(published(project, "image", drawn.file_type, drawn.bytes)),
            Err(Refusal::TooLarge) => Err("has too many pixels"),
            Err(Refusal::TooMuchWork) => Err("takes too much work to draw"),
            Err(Refusal::Broken | Refusal::LargeSvg | Refusal::NotDrawn(_)) => {
                Err("cannot be read")
            }
        })
    }

    /// A picture as WebP without loss.
    pub(crate) async fn lossless(&self, owner: Owner, picture: &[u8]) -> OrReason<Vec<u8>> {
        lossless(&self.files.drawing, owner, picture).await
    }

    /// Reads a PDF of the project for publishing.
    pub(crate) async fn document(&self, project: Uuid, id: Uuid) -> OrReason<Published> {
        let Some(row) = self.files.of_project(project, id).await? else {
            return Ok(Err(NO_FILE));
        };
        if !row.is_pdf() {
            return Ok(Err("is not a PDF"));
        }
        let bytes = self.files.original(&row).await?.to_vec();
        Ok(Ok(published(project, "document", FileType::Pdf, bytes)))
    }
}

fn published(project: Uuid, name: &str, file_type: FileType, bytes: Vec<u8>) -> Published {
    let hash = sha256_hex(&bytes);
    let hash = hash.get(..16).unwrap_or_default();
    Published {
        key: format!("{project}/{name}.{hash}.{}", file_type.extension()),
        bytes,
    }
}

/// A picture as WebP without loss, for a command beside no server. `program` is the path of `placet` itself.
pub(crate) async fn lossless_by(program: PathBuf, picture: &[u8]) -> OrReason<Vec<u8>> {
    lossless(&Drawing::new(program), Uuid::nil(), picture).await
}

async fn lossless(drawing: &Drawing, owner: Owner, picture: &[u8]) -> OrReason<Vec<u8>> {
    let turn = drawing.turn(owner).await?;
    let drawn = drawing.draw(turn, Task::Lossless, picture).await?;
    Ok(drawn
        .map(|drawn| drawn.bytes)
        .map_err(|_| "the picture of Chromium cannot be read"))
}
