//! Pictures of publications: each layer as Chromium draws it at three widths, once a publication has gone live.
//!
//! A job takes them ([`job`]) of documents that [`scenes`] makes. Their list ([`domain::pictures`]) names them by their
//! hashes, and its own hash is an entry of the ledger. The pictures are kept in the object store. For a server
//! without a browser, one elsewhere takes them ([`visiting`]) of the same documents, and the server checks them
//! ([`elsewhere`]).

mod elsewhere;
mod job;
mod scenes;
pub(super) mod store;
mod taking;
mod visiting;

use bytes::Bytes;
use domain::{
    audit::Action,
    error_code::ErrorCode,
    pictures::{self, PictureList},
};
use serde::Serialize;
use uuid::Uuid;

pub use elsewhere::{SceneFile, SceneSet, TakenElsewhere, TakenFile};
pub(crate) use job::TakePictures;
pub use scenes::DrawnScene;
pub(super) use scenes::later_again;
pub use visiting::take as take_elsewhere;

use super::{PublicationKey, Publish};
use crate::{
    access::{self, Actor, Need},
    audit::Subject,
    clock::Timestamp,
    db::{DbError, Tx},
    error::{Error, Result},
};

/// Seconds after which pictures may be asked for again, when those of many publications wait.
const RETRY_SECONDS: u64 = 60;

/// The state of the pictures of a publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PicturesState {
    /// There are none, and nobody has asked for them.
    Absent,
    /// They are being taken, or wait for it.
    Asked,
    /// They are there.
    Taken,
    /// They could not be taken.
    Failed,
}

/// The pictures of a publication.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Pictures {
    /// Their state.
    pub state: PicturesState,
    /// True if this server takes pictures (`--chromium`).
    pub is_on: bool,
    /// Time of the state. Absent if nobody has asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The reason for which they could not be taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Chromium took more than 30 seconds")]
    pub fault: Option<String>,
    /// SHA-256 (hex) of the list's text, which is a file beside the pictures. An entry of the ledger has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")]
    pub sha256: Option<String>,
    /// The list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<PictureList>,
}

/// A picture, or the list of pictures.
pub struct PictureFile {
    /// Media type.
    pub media: &'static str,
    /// The bytes.
    pub bytes: Bytes,
}

impl Publish {
    /// True if this server has a browser that takes pictures.
    pub(crate) fn takes_pictures(&self) -> bool {
        self.chromium.is_some()
    }

    /// Removes what browsers of earlier servers have left behind on this machine.
    pub(crate) async fn sweep_pictures(&self) {
        if let Some(chromium) = &self.chromium {
            chromium.sweep().await;
        }
    }

    /// The pictures of a publication.
    pub async fn pictures(&self, actor: Actor, key: PublicationKey<'_>) -> Result<Pictures> {
        access::project(&self.db, actor, key.project, Need::READ).await?;
        let row = store::lookup(&self.db, key).await?;
        if row.is_none() && !store::is_published(&self.db, key).await? {
            return Err(Error::NotFound);
        }
        self.told(row)
    }

    fn told(&self, row: Option<store::Row>) -> Result<Pictures> {
        let is_on = self.chromium.is_some();
        let Some(row) = row else {
            return Ok(Pictures {
                state: PicturesState::Absent,
                is_on,
                at: None,
                fault: None,
                sha256: None,
                list: None,
            });
        };
        let list = row.list.as_deref().map(serde_json::from_str).transpose();
        let is_asked = row.state == store::ASKED;
        let is_lost = is_asked && row.at <= store::lost_since(self.clock.now());
        let lost = || is_lost.then(|| "no server has taken them within two days".to_owned());
        Ok(Pictures {
            state: match row.state.as_str() {
                store::TAKEN => PicturesState::Taken,
                store::ASKED if !is_lost => PicturesState::Asked,
                _ => PicturesState::Failed,
            },
            is_on,
            at: Some(row.at),
            fault: row.fault.or_else(lost),
            sha256: row.list_hash,
            list: list.map_err(Error::internal)?,
        })
    }

    /// A picture of a publication, or the list of them, by its hash.
    pub async fn picture(
        &self,
        actor: Actor,
        key: PublicationKey<'_>,
        hash: &str,
    ) -> Result<PictureFile> {
        access::project(&self.db, actor, key.project, Need::READ).await?;
        let row = store::lookup(&self.db, key).await?;
        let text = row.as_ref().and_then(|row| row.list.as_deref());
        let (Some(row), Some(text)) = (&row, text) else {
            return Err(Error::NotFound);
        };
        if row.list_hash.as_deref() == Some(hash) {
            return Ok(PictureFile {
                media: "application/json",
                bytes: text.to_owned().into(),
            });
        }
        let list: PictureList = serde_json::from_str(text).map_err(Error::internal)?;
        if !list.pictures.iter().any(|picture| picture.sha256 == hash) {
            return Err(Error::NotFound);
        }
        let found = self
            .objects
            .get(&pictures::key(&key.project.to_string(), hash))
            .await;
        let found = found.map_err(|error| {
            tracing::error!(%error, "a picture of a publication cannot be read");
            Error::Unavailable
        })?;
        Ok(PictureFile {
            media: "image/webp",
            bytes: found.ok_or(Error::NotFound)?,
        })
    }

    /// Asks for the pictures of a publication that has none. Those that are there, or are being taken, stay.
    pub async fn take_pictures(&self, actor: Actor, key: PublicationKey<'_>) -> Result<Pictures> {
        access::project(&self.db, actor, key.project, Need::PUBLISH).await?;
        if !store::is_published(&self.db, key).await? {
            return Err(Error::NotFound);
        }
        if self.chromium.is_none() {
            return Err(Error::conflict(
                None,
                ErrorCode::PicturesOff,
                "This server takes no pictures: its operator has not turned on --chromium.",
            ));
        }
        self.quota.room()?;
        let mut tx = self.db.begin().await?;
        access::document_in(&mut tx, actor, key.project, Need::PUBLISH).await?;
        let by = actor.responsible();
        if self.ask_for(&mut tx, key, by, self.clock.now()).await? {
            let subject = Subject::new(key.configuration).with(key.publication);
            self.audit
                .record(&mut tx, actor, key.project, Action::PicturesAsked, subject)
                .await?;
        }
        tx.commit().await?;
        self.jobs.wake();
        match store::lookup(&self.db, key).await? {
            None => Err(Error::QueueFull {
                retry_after: RETRY_SECONDS,
            }),
            row => self.told(row),
        }
    }

    /// Writes the job that takes the pictures of a publication; false if they are there or asked for, or many wait.
    pub(super) async fn ask_for(
        &self,
        tx: &mut Tx,
        key: PublicationKey<'_>,
        by: Option<Uuid>,
        now: Timestamp,
    ) -> std::result::Result<bool, DbError> {
        let is_new = store::ask(tx, key, by, now).await?;
        if is_new {
            let (id, job) = (self.ids.next(), TakePictures::of(key));
            self.jobs.enqueue_for(tx, id, by, &job).await?;
        }
        Ok(is_new)
    }

    /// Removes pictures of projects that are gone.
    pub(crate) async fn forget_pictures(&self) -> Result<()> {
        let mut done = Ok(());
        let mut after = None;
        loop {
            let rows = store::orphans(&self.db, after.as_ref()).await?;
            for row in &rows {
                // Pictures that the store keeps for now hold up no others.
                if let Err(error) = self.forget_orphan(row).await {
                    done = Err(error);
                }
            }
            let Some(last) = rows.into_iter().next_back() else {
                return done;
            };
            after = Some(last);
        }
    }

    async fn forget_orphan(&self, row: &store::Orphan) -> Result<()> {
        // The row goes last: it alone knows the pictures. A list that this version cannot read names none.
        let list = row.list.as_deref().map(serde_json::from_str::<PictureList>);
        let list = list.transpose().unwrap_or_else(|error| {
            tracing::error!(%error, project.id = %row.project_id, "pictures of a deleted project are left behind");
            None
        });
        for picture in list.into_iter().flat_map(|list| list.pictures) {
            let object = pictures::key(&row.project_id.to_string(), &picture.sha256);
            self.objects.delete(&object).await.map_err(|error| {
                tracing::warn!(%error, object, "a picture of a deleted project is left behind for now");
                Error::Unavailable
            })?;
        }
        let key = PublicationKey {
            project: row.project_id,
            configuration: row.configuration_id,
            publication: &row.publication,
        };
        store::forget(&self.db, key).await?;
        Ok(())
    }
}
