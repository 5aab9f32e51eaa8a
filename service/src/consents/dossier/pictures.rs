//! The folder with the pictures of a publication. Consents that name the same publication share it.

use bytes::Bytes;
use domain::pictures::{PictureList, key};
use proof::base64;
use uuid::Uuid;

use super::{File, shown::Publication};
use crate::{
    consents::{Consents, store},
    error::{Error, Result},
};

/// The list of the pictures.
pub(super) const LIST: &str = "pictures.json";
/// The entry of the list in the ledger, and its proof.
pub(super) const ENTRY: &str = "pictures.ledger.json";
/// Hexadecimal digits of a publication in the name of its folder.
const DIGITS: usize = 16;

/// The pictures of a publication, without their bytes.
pub(super) struct Gallery {
    pub folder: String,
    /// In the order of the list.
    pub pictures: Vec<Shown>,
    /// Time of the first one, as the list states it.
    pub taken_at: String,
    /// Name and version of the browser.
    pub browser: String,
    /// True if they were drawn by an SDK that is not the published one.
    pub is_other_sdk: bool,
    /// True if the folder proves that the list is in the ledger.
    pub is_proven: bool,
    list: String,
    entry: Option<String>,
}

/// A picture on the page.
pub(super) struct Shown {
    pub file: String,
    pub layer: String,
    pub width: u32,
    sha256: String,
}

impl Gallery {
    /// The pictures of a publication. `None` if none were taken.
    pub(super) async fn read(
        consents: &Consents,
        project: Uuid,
        publication: &Publication,
    ) -> Result<Option<Self>> {
        let id = &publication.id;
        let found = store::pictures(&consents.db, project, publication.identifier, id).await?;
        let Some((text, batch)) = found else {
            return Ok(None);
        };
        let list: PictureList = serde_json::from_str(&text).map_err(Error::internal)?;
        let entry = consents.entry_of_pictures(batch, &text).await?;
        let entry = entry.map(|leaf| {
            let entry = serde_json::json!({
                "entry": base64(&leaf.entry), "index": leaf.index, "proof": leaf.proof,
            });
            entry.to_string()
        });
        let pictures = list.pictures.into_iter().map(|picture| Shown {
            file: format!("{}.webp", picture.sha256),
            layer: picture.layer,
            width: picture.width,
            sha256: picture.sha256,
        });
        Ok(Some(Self {
            folder: format!("pictures-{}", id.get(..DIGITS).unwrap_or(id)),
            pictures: pictures.collect(),
            taken_at: list.taken_at,
            browser: list.browser,
            is_other_sdk: publication.sdk.as_ref().is_some_and(|sdk| *sdk != list.sdk),
            is_proven: entry.is_some(),
            list: text,
            entry,
        }))
    }

    /// The files of the folder. `None` if the store lacks one of them, or is away.
    pub(super) async fn files(&self, consents: &Consents, project: Uuid) -> Option<Vec<File>> {
        let mut files: Vec<(&str, Bytes)> = vec![(LIST, self.list.clone().into())];
        files.extend(self.entry.clone().map(|entry| (ENTRY, entry.into())));
        for picture in &self.pictures {
            // Several pictures may be one file.
            if files.iter().any(|(known, _)| *known == picture.file) {
                continue;
            }
            let key = key(&project.to_string(), &picture.sha256);
            let found = consents.objects.get(&key).await;
            let found = found.inspect_err(|error| {
                tracing::warn!(%error, key, "a picture is missing in a dossier");
            });
            let bytes = found.ok().flatten()?;
            files.push((&picture.file, bytes));
        }
        files.sort_unstable_by_key(|(name, _)| *name);
        let named = files.into_iter().map(|(name, bytes)| {
            let name = format!("{}/{name}", self.folder);
            File::new(name, bytes)
        });
        Some(named.collect())
    }
}
