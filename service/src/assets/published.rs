//! Files as they are published with a project: pictures of widgets, documents of boxes, pictures of publications.

use std::path::PathBuf;

use uuid::Uuid;

use super::{
    Assets,
    bounds::Refusal,
    drawing::{Drawing, Task},
    picture::{FileType, Fit, Format},
    store,
};
use crate::{
    error::{Error, Result},
    objects::sha256_hex,
    turns::Owner,
};

/// Longest side of a picture in a widget: twice the side that the page shows, for dense screens.
const WIDGET_SIDE: u32 = 768;

/// A file that is published with a project.
pub(crate) struct Published {
    /// Key in the object store, made of the content.
    pub key: String,
    pub bytes: Vec<u8>,
}

impl Assets {
    /// Draws a picture of the project for a widget. The inner error is for the owner to correct.
    pub(crate) async fn for_widget(
        &self,
        project: Uuid,
        id: Uuid,
    ) -> Result<std::result::Result<Published, &'static str>> {
        let row = store::lookup(&self.files.db, id).await?;
        let Some(row) = row.filter(|row| row.project_id == project) else {
            return Ok(Err("is no file of this project"));
        };
        let bytes = self.files.get(&row.object).await?;
        let bytes = bytes.ok_or(Error::Unavailable)?;
        self.drawn_for_widget(row.uploaded_by, project, &bytes)
            .await
    }

    /// Draws a picture from another host for a widget.
    pub(crate) async fn bytes_for_widget(
        &self,
        project: Uuid,
        bytes: Vec<u8>,
    ) -> Result<std::result::Result<Published, &'static str>> {
        self.drawn_for_widget(project, project, &bytes).await
    }

    async fn drawn_for_widget(
        &self,
        owner: Owner,
        project: Uuid,
        bytes: &[u8],
    ) -> Result<std::result::Result<Published, &'static str>> {
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
            Err(Refusal::Broken | Refusal::NotDrawn(_)) => Err("cannot be read"),
        })
    }

    /// A picture as WebP without loss. The inner error says what is wrong with it.
    pub(crate) async fn lossless(
        &self,
        owner: Owner,
        picture: &[u8],
    ) -> Result<std::result::Result<Vec<u8>, &'static str>> {
        lossless(&self.files.drawing, owner, picture).await
    }

    /// Reads a PDF of the project for publishing.
    pub(crate) async fn document(
        &self,
        project: Uuid,
        id: Uuid,
    ) -> Result<std::result::Result<Published, &'static str>> {
        let row = store::lookup(&self.files.db, id).await?;
        let Some(row) = row.filter(|row| row.project_id == project) else {
            return Ok(Err("is no file of this project"));
        };
        if !row.is_pdf() {
            return Ok(Err("is not a PDF"));
        }
        let bytes = self
            .files
            .get(&row.object)
            .await?
            .ok_or(Error::Unavailable)?;
        Ok(Ok(published(
            project,
            "document",
            FileType::Pdf,
            bytes.to_vec(),
        )))
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
pub(crate) async fn lossless_by(
    program: PathBuf,
    picture: &[u8],
) -> Result<std::result::Result<Vec<u8>, &'static str>> {
    lossless(&Drawing::new(program), Uuid::nil(), picture).await
}

async fn lossless(
    drawing: &Drawing,
    owner: Owner,
    picture: &[u8],
) -> Result<std::result::Result<Vec<u8>, &'static str>> {
    let turn = drawing.turn(owner).await?;
    let drawn = drawing.draw(turn, Task::Lossless, picture).await?;
    Ok(drawn
        .map(|drawn| drawn.bytes)
        .map_err(|_| "the picture of Chromium cannot be read"))
}
