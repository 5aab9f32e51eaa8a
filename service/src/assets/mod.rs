//! Uploaded files of customers: pictures, served as optimised renders, and PDFs of contract boxes.
//!
//! The content of a file decides its type ([`picture`]). Browsers get renders of a picture and never the
//! original: they are drawn from its pixels in few sizes and stored in the object store beside it. Each
//! picture is drawn in a process of its own ([`drawing`]). To add a type, add a `FileType` and decode it in
//! `picture::decode`.

mod avif;
mod bounds;
pub mod drawing;
mod gone;
mod picture;
mod published;
mod render;
pub(crate) mod store;
mod vector;

use std::{path::PathBuf, sync::Arc};

use domain::{audit::Action, error_code::ErrorCode, format::is_hidden};
use serde::Serialize;
use uuid::Uuid;

pub(crate) use gone::RemoveObjects;
pub use picture::{Fit, Format};
pub(crate) use published::{Published, lossless_by};
pub use render::{RenderQuery, SIDES, Served, Takes};

use crate::{
    access::{self, Actor, Need},
    audit::{Audit, Subject},
    clock::{SharedClock, Timestamp},
    context::Context,
    db::{
        Db, Tx,
        page::{Listed, Page},
    },
    error::{Error, Result},
    ids::Ids,
    jobs::Jobs,
    objects::{self, Encoding, Objects, sha256_hex},
    places::{Place, Places},
    quota::Quota,
    turns::Owner,
};
use bounds::{MOST_PIXELS, MOST_SIDE, MOST_SVG_BYTES, MOST_SVG_NODES, Refusal};
use drawing::{Drawing, Task};
use picture::FileType;
use store::{Held, Row};

/// Largest file.
pub const MOST_BYTES: usize = 10 * 1024 * 1024;
/// The first bytes of a PDF.
pub const PDF: &[u8] = b"%PDF-";
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

/// Facts about a file that was checked.
struct Checked {
    name: String,
    file_type: FileType,
    width: Option<i64>,
    height: Option<i64>,
}

/// The sub-service `assets`.
pub struct Assets {
    clock: SharedClock,
    ids: Arc<Ids>,
    audit: Arc<Audit>,
    jobs: Arc<Jobs>,
    base_url: String,
    files: Arc<Files>,
    receiving: Arc<Places>,
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
            jobs,
            quota,
            ..
        } = context.clone();
        Self {
            clock,
            ids,
            audit,
            jobs,
            base_url,
            files: Arc::new(Files {
                db,
                objects,
                drawing: Drawing::new(program),
                quota,
            }),
            receiving: Places::new(RECEIVED_AT_ONCE, RECEIVED_OF_ONE),
        }
    }

    /// Reserves a place for a file that will be received, until the file is stored. The receipt waits for its
    /// client by the way of the place, so that a slow one makes room for others.
    pub fn receive(&self, actor: Actor) -> Result<Place> {
        self.receiving.take(actor.account()?)
    }

    /// Stores a file. The place of its receipt stays taken until the file is stored, even if the caller hangs up.
    pub async fn upload(
        self: &Arc<Self>,
        actor: Actor,
        upload: Upload,
        place: Place,
    ) -> Result<Asset> {
        access::project(&self.files.db, actor, upload.project, Need::EDIT).await?;
        let uploaded_by = actor.account()?;
        self.files.quota.room()?;
        let Upload {
            project,
            name,
            bytes,
        } = upload;
        let (file_type, bytes, size) = self.checked(uploaded_by, bytes).await?;
        let (width, height) = size.unzip();
        let file = Checked {
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
        access::project(&self.files.db, actor, from, Need::READ).await?;
        access::project(&self.files.db, actor, to, Need::EDIT).await?;
        self.files.quota.room()?;
        let Some(row) = self.files.of_project(from, id).await? else {
            return Ok(None);
        };
        let file_type = FileType::of_mime(&row.mime_type).ok_or(Error::NotFound)?;
        let _place = self.receive(actor)?;
        let bytes = self.files.original(&row).await?.to_vec();
        let file = Checked {
            name: row.original_name,
            file_type,
            width: row.width,
            height: row.height,
        };
        self.keep(actor, to, file, bytes).await.map(Some)
    }

    /// Keeps the bytes of a file that was checked.
    async fn keep(
        &self,
        actor: Actor,
        project: Uuid,
        file: Checked,
        bytes: Vec<u8>,
    ) -> Result<Asset> {
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
            uploaded_by: actor.account()?,
            uploaded_at: self.clock.now(),
        };
        self.files.put(&row.object, bytes).await?;
        let added = self.add(actor, &row).await;
        // A database that breaks off may have kept the row, which then needs its object.
        let is_kept = match &added {
            Ok(added) => *added,
            Err(_) => !matches!(store::lookup(&self.files.db, id).await, Ok(None)),
        };
        if !is_kept {
            let _ = self.files.objects.delete(&row.object).await;
        }
        if added? {
            Ok(self.shown(row))
        } else {
            Err(Error::conflict(
                None,
                ErrorCode::TooManyAssets,
                format!(
                    "A project keeps at most {} files of {} MB in all; delete some.",
                    MOST_HELD.assets,
                    MOST_HELD.bytes >> 20
                ),
            ))
        }
    }

    /// Stores the row of a file; false when the project has too many.
    async fn add(&self, actor: Actor, row: &Row) -> Result<bool> {
        let mut tx = self.files.db.begin().await?;
        if !store::add(&mut tx, row, &MOST_HELD).await? {
            return Ok(false);
        }
        access::document_in(&mut tx, actor, row.project_id, Need::EDIT).await?;
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
        access::project(&self.files.db, actor, project, Need::READ).await?;
        let rows = store::list(&self.files.db, project, page).await?;
        Ok(rows.map(|row| self.shown(row)))
    }

    /// Describes a file.
    pub async fn read(&self, actor: Actor, id: Uuid) -> Result<Asset> {
        let row = store::lookup(&self.files.db, id)
            .await?
            .ok_or(Error::NotFound)?;
        access::project(&self.files.db, actor, row.project_id, Need::READ).await?;
        Ok(self.shown(row))
    }

    /// Deletes a file and its renders. Published copies of it stay.
    pub async fn delete(&self, actor: Actor, id: Uuid) -> Result<()> {
        let row = store::lookup(&self.files.db, id)
            .await?
            .ok_or(Error::NotFound)?;
        access::project(&self.files.db, actor, row.project_id, Need::EDIT).await?;
        let mut tx = self.files.db.begin().await?;
        let freed = store::bytes(&mut tx, id).await?;
        let freed = freed.ok_or(Error::NotFound)?;
        access::document_in(&mut tx, actor, row.project_id, Need::EDIT).await?;
        self.remove(&mut tx, id).await?;
        let quota = &self.files.quota;
        quota.hold(&mut tx, row.uploaded_by, -freed).await?;
        let subject = Subject::new(id).titled(&row.original_name);
        self.audit
            .record(&mut tx, actor, row.project_id, Action::FileDeleted, subject)
            .await?;
        tx.commit().await?;
        self.jobs.wake();
        Ok(())
    }

    /// Public address of a file.
    pub(crate) fn url(&self, id: Uuid) -> String {
        format!("{}/v1/assets/{id}", self.base_url)
    }

    /// Deletes files of deleted projects.
    pub(crate) async fn forget_orphans(&self) -> Result<()> {
        for id in store::orphans(&self.files.db).await? {
            let mut tx = self.files.db.begin().await?;
            self.remove(&mut tx, id).await?;
            tx.commit().await?;
            self.jobs.wake();
        }
        Ok(())
    }

    /// Removes the rows of a file. Its objects go after the commit.
    async fn remove(&self, tx: &mut Tx, id: Uuid) -> Result<()> {
        let objects = store::remove(tx, id).await?;
        let job = RemoveObjects(objects);
        Ok(self.jobs.enqueue(tx, self.ids.next(), &job).await?)
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
    async fn put(&self, object: &str, bytes: Vec<u8>) -> Result<()> {
        self.objects.put(object, bytes).await.map_err(|error| {
            tracing::error!(%error, object, "a file cannot be stored");
            Error::Unavailable
        })
    }

    /// A file, with the tag of its bytes.
    async fn get(&self, object: &str) -> Result<Option<Arc<objects::Served>>> {
        let found = self.objects.served(object, Encoding::Identity).await;
        found.map_err(|error| {
            tracing::error!(%error, object, "a file cannot be read");
            Error::Unavailable
        })
    }

    async fn remove(&self, objects: &[String]) -> Result<()> {
        for object in objects {
            self.objects.delete(object).await.map_err(|error| {
                tracing::warn!(%error, object, "a file cannot be removed");
                Error::Unavailable
            })?;
        }
        Ok(())
    }

    async fn of_project(&self, project: Uuid, id: Uuid) -> Result<Option<Row>> {
        let row = store::lookup(&self.db, id).await?;
        Ok(row.filter(|row| row.project_id == project))
    }

    /// The bytes of a file as it was uploaded.
    async fn original(&self, row: &Row) -> Result<bytes::Bytes> {
        let file = self.get(&row.object).await?.ok_or(Error::Unavailable)?;
        Ok(file.bytes.clone())
    }
}

fn refuse(refusal: Refusal) -> Error {
    match refusal {
        Refusal::TooLarge => Error::field(
            "/file",
            ErrorCode::TooManyPixels,
            format!(
                "A picture has at most {MOST_SIDE} pixels a side and {} million in all.",
                MOST_PIXELS / 1_000_000
            ),
        ),
        Refusal::LargeSvg => Error::field(
            "/file",
            ErrorCode::SvgTooLarge,
            format!(
                "An SVG has at most {} MB and {MOST_SVG_NODES} elements and texts between them.",
                MOST_SVG_BYTES / 1024 / 1024
            ),
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
