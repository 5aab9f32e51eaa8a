//! Renders: pictures as they are served, in few sizes and formats, each drawn once.

use std::sync::Arc;

use uuid::Uuid;

use super::{
    Assets, Files,
    drawing::{Drawn, Task},
    picture::{self, FileType, Fit, Format},
    refuse,
    store::{self, Row},
};
use crate::{
    db::Locked,
    error::{Error, Result},
    objects::{self, sha256_hex},
    turns::{self, Turn},
};

/// Allowed sides of renders: few, so that nobody can fill the disk with renders.
pub const SIDES: [u32; 7] = [64, 128, 256, 512, 768, 1_024, 2_048];
/// Most pixels of a render in AVIF. Larger ones take seconds to encode.
const AVIF_PIXELS: u32 = 1_024 * 1_024;

/// Formats that a caller accepts (`Accept`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Takes {
    /// `image/avif`.
    pub avif: bool,
    /// `image/webp`.
    pub webp: bool,
}

/// Description of a render.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenderQuery {
    /// Most pixels wide, one of [`SIDES`].
    pub width: Option<u32>,
    /// Most pixels high, one of [`SIDES`].
    pub height: Option<u32>,
    /// Fit of the picture in the box.
    pub fit: Fit,
    /// The format; when absent, `takes` decides.
    pub format: Option<Format>,
    /// Formats that the caller accepts besides those that every browser does.
    pub takes: Takes,
}

/// A file as it is served.
#[derive(Clone, Debug)]
pub struct Served {
    /// Bytes.
    pub bytes: bytes::Bytes,
    /// Media type.
    pub mime: &'static str,
    /// Strong entity tag, quoted.
    pub etag: String,
    /// True if the caller's `Accept` decided the format.
    pub negotiated: bool,
}

impl Assets {
    /// Serves a render of a picture, or a PDF. Everybody who knows the id may read it.
    pub async fn serve(&self, id: Uuid, query: RenderQuery) -> Result<Served> {
        let row = store::lookup(&self.files.db, id)
            .await?
            .ok_or(Error::NotFound)?;
        let file_type = FileType::of_mime(&row.mime_type).ok_or(Error::NotFound)?;
        let (Some(width), Some(height)) = (row.width, row.height) else {
            return self.serve_original(&row, file_type).await;
        };
        for side in [query.width, query.height].into_iter().flatten() {
            if !SIDES.contains(&side) {
                let sides: Vec<String> = SIDES.iter().map(ToString::to_string).collect();
                return Err(Error::BadRequest(format!(
                    "`w` and `h` are among {}.",
                    sides.join(", ")
                )));
            }
        }
        let size = (
            u32::try_from(width).unwrap_or(1),
            u32::try_from(height).unwrap_or(1),
        );
        let within = (query.width, query.height);
        let frame = picture::frame(size, within, query.fit);
        let small = frame.width.saturating_mul(frame.height) <= AVIF_PIXELS;
        if query.format == Some(Format::Avif) && !small {
            return Err(Error::BadRequest(format!(
                "`format=avif` is for at most {AVIF_PIXELS} pixels; ask for a smaller `w` or `h`."
            )));
        }
        let format = query.format.unwrap_or(match (query.takes, file_type) {
            // For PNG, GIF and SVG, WebP without loss is sharp and small.
            (Takes { avif: true, .. }, FileType::Jpeg | FileType::WebP | FileType::Avif)
                if small =>
            {
                Format::Avif
            }
            (Takes { webp: true, .. }, _) => Format::WebP,
            (_, FileType::Jpeg) => Format::Jpeg,
            _ => Format::Png,
        });
        let of = format!("{} {frame:?} {format:?}", row.object);
        let hash = sha256_hex(of.as_bytes());
        let object = format!(
            "assets/{}/{}x{}.{}.{}",
            row.id,
            frame.width,
            frame.height,
            hash.get(..16).unwrap_or_default(),
            format.file_type().extension()
        );
        let task = Task::Render {
            within,
            fit: query.fit,
            format,
        };
        let file = self.render(row, task, object).await?;
        Ok(served(&file, format.file_type(), query.format.is_none()))
    }

    async fn serve_original(&self, row: &Row, file_type: FileType) -> Result<Served> {
        let file = self.files.get(&row.object).await?.ok_or(Error::NotFound)?;
        Ok(served(&file, file_type, false))
    }

    async fn render(&self, row: Row, task: Task, object: String) -> Result<Arc<objects::Served>> {
        if let Some(file) = self.files.get(&object).await? {
            return Ok(file);
        }
        let owner = turns::of_strangers(row.uploaded_by);
        let turn = self.files.drawing.turn(owner).await?;
        // A render that has begun is stored even if its caller leaves. Otherwise repeated requests that hang
        // up would make the server draw it each time.
        let files = self.files.clone();
        let rendering = async move { files.render(turn, &row, task, &object).await };
        tokio::spawn(rendering).await.map_err(Error::internal)?
    }
}

impl Files {
    /// Draws a render and stores it, unless another caller has stored it meanwhile.
    async fn render(
        &self,
        turn: Turn,
        row: &Row,
        task: Task,
        object: &str,
    ) -> Result<Arc<objects::Served>> {
        if let Some(file) = self.get(object).await? {
            return Ok(file);
        }
        let original = self.get(&row.object).await?.ok_or(Error::NotFound)?;
        let drawn = self.drawing.draw(turn, task, &original.bytes).await?;
        let Drawn { bytes, .. } = drawn.map_err(refuse)?;
        // Recorded before the object is stored, so that deleting the picture finds every object.
        if self.may_keep(row, object, bytes.len()).await? {
            self.put(object, bytes.clone()).await?;
            // The picture may have been deleted meanwhile, and its objects with it.
            if store::lookup(&self.db, row.id).await?.is_none() {
                self.remove(&[object.to_owned()]).await?;
            }
        }
        Ok(Arc::new(objects::Served::of(bytes.into())))
    }

    /// Records a render. Returns false if it must not be kept; the next request draws it again.
    async fn may_keep(&self, row: &Row, object: &str, bytes: usize) -> Result<bool> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let mut tx = self.db.begin().await?;
        if !tx.lock(Locked::Asset(row.id)).await? {
            return Ok(false);
        }
        if !store::add_render(&mut tx, row.id, object, bytes).await? {
            return Ok(true);
        }
        let account = row.uploaded_by;
        let kept = self.quota.hold_for_others(&mut tx, account, bytes).await?;
        if kept {
            tx.commit().await?;
        }
        Ok(kept)
    }
}

fn served(file: &objects::Served, file_type: FileType, negotiated: bool) -> Served {
    Served {
        etag: file.etag.clone(),
        mime: file_type.mime(),
        bytes: file.bytes.clone(),
        negotiated,
    }
}
