//! Uploaded files of customers: pictures, served as optimised renders, and PDFs of contract boxes.
//!
//! The content of a file decides its type ([`picture`]). Browsers get renders of a picture and never the
//! original: they are drawn from its pixels in few sizes and stored in the object store beside it. Each
//! picture is drawn in a process of its own ([`drawing`]). To add a type, add a `FileType` and decode it in
//! `picture::decode`.

mod avif;
mod bounds;
pub mod drawing;
mod picture;
pub(crate) mod store;
mod vector;

use std::{path::PathBuf, sync::Arc};

use domain::{audit::Action, error_code::ErrorCode, format::is_hidden, role::Role};
use serde::Serialize;
use uuid::Uuid;

pub use picture::{Fit, Format};

use crate::{
    access::{self, Actor},
    audit::{Audit, Subject},
    clock::{SharedClock, Timestamp},
    context::Context,
    db::{
        Db,
        page::{Listed, Page},
    },
    error::{Error, Result},
    ids::Ids,
    objects::{Objects, sha256_hex},
    quota::Quota,
    shares::{Share, Shares},
    turns::{Owner, Turn},
};
use bounds::Refusal;
use drawing::{Drawing, Drawn, Task};
use picture::FileType;
use store::{Held, Row};

/// Largest file.
pub const MOST_BYTES: usize = 10 * 1024 * 1024;
/// The first bytes of a PDF.
pub const PDF: &[u8] = b"%PDF-";
/// Allowed sides of renders: few, so that nobody can fill the disk with renders.
pub const SIDES: [u32; 7] = [64, 128, 256, 512, 768, 1_024, 2_048];
/// Longest name of a file.
const MOST_NAME: usize = 255;
/// Files of a project and their bytes.
const MOST_HELD: Held = Held {
    assets: 500,
    bytes: 200 * 1024 * 1024,
};
/// Files that are received at one time, each with its bytes in memory: for all accounts, and for one.
const RECEIVED_AT_ONCE: usize = 32;
const RECEIVED_OF_ONE: usize = 4;
/// Most pixels of a render in AVIF. Larger ones take seconds to encode.
const AVIF_PIXELS: u32 = 1_024 * 1_024;
/// Longest side of a picture in a widget: twice the side that the page shows, for dense screens.
const WIDGET_SIDE: u32 = 768;

/// A file.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Asset {
    /// Id.
    pub id: Uuid,
    /// The project.
    pub project_id: Uuid,
    /// Name of the uploaded file.
    #[schema(example = "logo.png")]
    pub original_name: String,
    /// Time of the upload.
    pub uploaded_at: Timestamp,
    /// Bytes.
    #[schema(example = 18_240)]
    pub size: i64,
    /// Media type, determined by its content.
    #[schema(example = "image/png")]
    pub mime_type: String,
    /// Width in pixels of the upright picture; null for a PDF.
    #[schema(example = 640)]
    pub width: Option<i64>,
    /// Height in pixels; null for a PDF.
    #[schema(example = 320)]
    pub height: Option<i64>,
    /// Public address: a render of the picture, or the PDF.
    #[schema(example = "https://consent.example/v1/assets/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70")]
    pub url: String,
}

/// A file to store.
#[derive(Clone, Debug)]
pub struct Upload {
    /// The project.
    pub project: Uuid,
    /// Its name, as the caller sent it.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

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

/// Facts about a file that was checked.
struct File {
    name: String,
    file_type: FileType,
    width: Option<i64>,
    height: Option<i64>,
}

/// A file that is published with a project.
pub(crate) struct Published {
    /// Key in the object store, made of the content.
    pub key: String,
    pub bytes: Vec<u8>,
}

/// The sub-service `assets`.
pub struct Assets {
    clock: SharedClock,
    ids: Arc<Ids>,
    audit: Arc<Audit>,
    base_url: String,
    files: Arc<Files>,
    receiving: Arc<Shares<Uuid>>,
}

/// Storage and drawing of files. It is shared with tasks that go on after their caller has left.
struct Files {
    db: Db,
    objects: Arc<Objects>,
    drawing: Drawing,
    quota: Arc<Quota>,
}

impl Assets {
    pub(crate) fn new(
        context: &Context,
        objects: Arc<Objects>,
        base_url: String,
        program: PathBuf,
    ) -> Self {
        let Context {
            db,
            clock,
            ids,
            audit,
            quota,
            ..
        } = context.clone();
        Self {
            clock,
            ids,
            audit,
            base_url,
            files: Arc::new(Files {
                db,
                objects,
                drawing: Drawing::new(program),
                quota,
            }),
            receiving: Shares::new(RECEIVED_AT_ONCE, RECEIVED_OF_ONE),
        }
    }

    /// Reserves a place for a file that will be received, until the file is stored.
    pub fn receive(&self, actor: Actor) -> Result<Share<Uuid>> {
        self.receiving.take(responsible(actor)?)
    }

    /// Stores a file. The place of its receipt stays taken until the file is stored, even if the caller hangs up.
    pub async fn upload(
        self: &Arc<Self>,
        actor: Actor,
        upload: Upload,
        place: Share<Uuid>,
    ) -> Result<Asset> {
        access::project(&self.files.db, actor, upload.project, Role::Editor).await?;
        let uploaded_by = responsible(actor)?;
        self.files.quota.room()?;
        let Upload {
            project,
            name,
            bytes,
        } = upload;
        let (file_type, bytes, size) = self.checked(uploaded_by, bytes).await?;
        let (width, height) = size.unzip();
        let file = File {
            name: file_name(&name),
            file_type,
            width: width.map(i64::from),
            height: height.map(i64::from),
        };
        let assets = self.clone();
        // A caller that leaves meanwhile must not leave an object without a row, which nobody would find.
        let keeping = async move {
            let kept = assets.keep(actor, project, file, bytes).await;
            drop(place);
            kept
        };
        tokio::spawn(keeping).await.map_err(Error::internal)?
    }

    /// Copies a file of a project into another. `None` if the project has no such file. A caller must see it through,
    /// as [`Self::upload`] does.
    pub(crate) async fn copy(
        &self,
        actor: Actor,
        id: Uuid,
        (from, to): (Uuid, Uuid),
    ) -> Result<Option<Asset>> {
        access::project(&self.files.db, actor, from, Role::Viewer).await?;
        access::project(&self.files.db, actor, to, Role::Editor).await?;
        self.files.quota.room()?;
        let row = store::lookup(&self.files.db, id).await?;
        let Some(row) = row.filter(|row| row.project_id == from) else {
            return Ok(None);
        };
        let file_type = FileType::of_mime(&row.mime_type).ok_or(Error::NotFound)?;
        let _place = self.receive(actor)?;
        let bytes = self.files.get(&row.object).await?;
        let bytes = bytes.ok_or(Error::Unavailable)?.to_vec();
        let file = File {
            name: row.original_name,
            file_type,
            width: row.width,
            height: row.height,
        };
        self.keep(actor, to, file, bytes).await.map(Some)
    }

    /// Keeps the bytes of a file that was checked.
    async fn keep(&self, actor: Actor, project: Uuid, file: File, bytes: Vec<u8>) -> Result<Asset> {
        let id = self.ids.next();
        let hash = sha256_hex(&bytes);
        let hash = hash.get(..16).unwrap_or_default();
        let row = Row {
            id,
            project_id: project,
            original_name: file.name,
            mime_type: file.file_type.mime().to_owned(),
            size: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
            width: file.width,
            height: file.height,
            object: format!("assets/{id}/original.{hash}.{}", file.file_type.extension()),
            uploaded_by: responsible(actor)?,
            uploaded_at: self.clock.now(),
        };
        self.files.put(&row.object, bytes).await?;
        let added = self.add(actor, &row).await;
        if !matches!(added, Ok(true)) {
            let _ = self.files.objects.delete(&row.object).await;
        }
        if added? {
            Ok(self.shown(row))
        } else {
            Err(Error::conflict(
                None,
                ErrorCode::TooManyAssets,
                "A project keeps at most 500 files of 200 MB in all; delete some.",
            ))
        }
    }

    /// Stores the row of a file; false when the project has too many.
    async fn add(&self, actor: Actor, row: &Row) -> Result<bool> {
        let mut tx = self.files.db.begin().await?;
        if !store::add(&mut tx, row, &MOST_HELD).await? {
            return Ok(false);
        }
        let quota = &self.files.quota;
        quota.hold(&mut tx, row.uploaded_by, row.size).await?;
        let subject = Subject::new(row.id).titled(&row.original_name);
        self.audit
            .record(
                &mut tx,
                actor,
                row.project_id,
                Action::FileUploaded,
                subject,
            )
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// The files of a project, newest first.
    pub async fn list(&self, actor: Actor, project: Uuid, page: Page) -> Result<Listed<Asset>> {
        access::project(&self.files.db, actor, project, Role::Viewer).await?;
        let rows = store::list(&self.files.db, project, page).await?;
        Ok(rows.map(|row| self.shown(row)))
    }

    /// Describes a file.
    pub async fn read(&self, actor: Actor, id: Uuid) -> Result<Asset> {
        let row = store::lookup(&self.files.db, id)
            .await?
            .ok_or(Error::NotFound)?;
        access::project(&self.files.db, actor, row.project_id, Role::Viewer).await?;
        Ok(self.shown(row))
    }

    /// Deletes a file and its renders. Published copies of it stay.
    pub async fn delete(&self, actor: Actor, id: Uuid) -> Result<()> {
        let row = store::lookup(&self.files.db, id)
            .await?
            .ok_or(Error::NotFound)?;
        access::project(&self.files.db, actor, row.project_id, Role::Editor).await?;
        let mut tx = self.files.db.begin().await?;
        let freed = store::bytes(&mut tx, id).await?;
        let freed = freed.ok_or(Error::NotFound)?;
        let objects = store::remove(&mut tx, id).await?;
        let quota = &self.files.quota;
        quota.hold(&mut tx, row.uploaded_by, -freed).await?;
        let subject = Subject::new(id).titled(&row.original_name);
        self.audit
            .record(&mut tx, actor, row.project_id, Action::FileDeleted, subject)
            .await?;
        tx.commit().await?;
        self.forget(&objects).await;
        Ok(())
    }

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
            (Takes { avif: true, .. }, FileType::Jpeg | FileType::WebP | FileType::Avif) if small => {
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
        let bytes = self.render(row, task, object).await?;
        Ok(served(bytes, format.file_type(), query.format.is_none()))
    }

    async fn serve_original(&self, row: &Row, file_type: FileType) -> Result<Served> {
        let bytes = self.files.get(&row.object).await?.ok_or(Error::NotFound)?;
        Ok(served(bytes, file_type, false))
    }

    async fn render(&self, row: Row, task: Task, object: String) -> Result<bytes::Bytes> {
        if let Some(bytes) = self.files.get(&object).await? {
            return Ok(bytes);
        }
        let turn = self.files.drawing.turn(row.uploaded_by).await?;
        // A render that has begun is stored even if its caller leaves. Otherwise repeated requests that hang
        // up would make the server draw it each time.
        let files = self.files.clone();
        let rendering = async move { files.render(turn, &row, task, &object).await };
        tokio::spawn(rendering).await.map_err(Error::internal)?
    }

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

    /// Public address of a file.
    pub(crate) fn url(&self, id: Uuid) -> String {
        format!("{}/v1/assets/{id}", self.base_url)
    }

    /// Deletes files of deleted projects.
    pub(crate) async fn forget_orphans(&self) -> Result<()> {
        for id in store::orphans(&self.files.db).await? {
            let mut tx = self.files.db.begin().await?;
            let objects = store::remove(&mut tx, id).await?;
            tx.commit().await?;
            self.forget(&objects).await;
        }
        Ok(())
    }

    async fn forget(&self, objects: &[String]) {
        for object in objects {
            if let Err(error) = self.files.objects.delete(object).await {
                tracing::warn!(%error, object, "a file of a deleted asset is left behind");
            }
        }
    }

    /// Checks a file. Returns its type, its bytes and the size of a picture. A vector picture is replaced by
    /// its drawing.
    async fn checked(
        &self,
        owner: Owner,
        bytes: Vec<u8>,
    ) -> Result<(FileType, Vec<u8>, Option<(u32, u32)>)> {
        match FileType::sniff(&bytes) {
            Some(FileType::Pdf) => return Ok((FileType::Pdf, bytes, None)),
            None if !vector::is_svg(&bytes) => {
                return Err(Error::field(
                    "/file",
                    ErrorCode::UnsupportedType,
                    "By its content this is neither a PNG, JPEG, GIF, WebP, AVIF or SVG picture nor a PDF.",
                ));
            }
            _ => {}
        }
        let turn = self.files.drawing.turn(owner).await?;
        let drawn = self.files.drawing.draw(turn, Task::Check, &bytes).await?;
        let drawn = drawn.map_err(refuse)?;
        let size = Some((drawn.width, drawn.height));
        let kept = if drawn.bytes.is_empty() {
            bytes
        } else {
            drawn.bytes
        };
        Ok((drawn.file_type, kept, size))
    }

    fn shown(&self, row: Row) -> Asset {
        Asset {
            url: self.url(row.id),
            id: row.id,
            project_id: row.project_id,
            original_name: row.original_name,
            uploaded_at: row.uploaded_at,
            size: row.size,
            mime_type: row.mime_type,
            width: row.width,
            height: row.height,
        }
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
    ) -> Result<bytes::Bytes> {
        if let Some(bytes) = self.get(object).await? {
            return Ok(bytes);
        }
        let original = self.get(&row.object).await?.ok_or(Error::NotFound)?;
        let drawn = self.drawing.draw(turn, task, &original).await?;
        let Drawn { bytes, .. } = drawn.map_err(refuse)?;
        // Recorded before the object is stored, so that deleting the picture finds every object.
        if self.may_keep(row, object, bytes.len()).await? {
            self.put(object, bytes.clone()).await?;
        }
        Ok(bytes.into())
    }

    /// Records a render. Returns false if it must not be kept; the next request draws it again.
    async fn may_keep(&self, row: &Row, object: &str, bytes: usize) -> Result<bool> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let mut tx = self.db.begin().await?;
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

    async fn put(&self, object: &str, bytes: Vec<u8>) -> Result<()> {
        self.objects.put(object, bytes).await.map_err(|error| {
            tracing::error!(%error, object, "a file cannot be stored");
            Error::Unavailable
        })
    }

    async fn get(&self, object: &str) -> Result<Option<bytes::Bytes>> {
        let found = self.objects.get(object).await.map_err(|error| {
            tracing::error!(%error, object, "a file cannot be read");
            Error::Unavailable
        })?;
        Ok(found)
    }
}

fn responsible(actor: Actor) -> Result<Uuid> {
    let user = actor.responsible();
    user.ok_or_else(|| Error::forbidden(ErrorCode::NotAUser, "Only a user can do this."))
}

fn published(project: Uuid, name: &str, file_type: FileType, bytes: Vec<u8>) -> Published {
    let hash = sha256_hex(&bytes);
    let hash = hash.get(..16).unwrap_or_default();
    Published {
        key: format!("{project}/{name}.{hash}.{}", file_type.extension()),
        bytes,
    }
}

fn served(bytes: bytes::Bytes, file_type: FileType, negotiated: bool) -> Served {
    let hash = sha256_hex(&bytes);
    Served {
        etag: format!("\"{}\"", hash.get(..32).unwrap_or_default()),
        mime: file_type.mime(),
        bytes,
        negotiated,
    }
}

fn refuse(refusal: Refusal) -> Error {
    match refusal {
        Refusal::TooLarge => Error::field(
            "/file",
            ErrorCode::TooManyPixels,
            "A picture has at most 12000 pixels a side and 40 million in all.",
        ),
        Refusal::Broken => Error::field(
            "/file",
            ErrorCode::BrokenFile,
            "This picture cannot be read.",
        ),
        Refusal::NotDrawn(why) => {
            Error::field("/file", ErrorCode::NotDrawn, format!("This picture {why}."))
        }
        Refusal::TooMuchWork => Error::field(
            "/file",
            ErrorCode::TooMuchWork,
            "This picture takes too much processor time or memory to draw.",
        ),
    }
}

/// The last part of a path as a file name, without hidden characters.
fn file_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last
        .chars()
        .filter(|c| !is_hidden(*c))
        .take(MOST_NAME)
        .collect();
    let clean = clean.trim();
    if clean.is_empty() {
        "file".to_owned()
    } else {
        clean.to_owned()
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
