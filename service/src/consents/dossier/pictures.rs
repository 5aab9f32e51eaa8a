//! The folder with the pictures of a publication. Consents that name the same publication share it.

use bytes::Bytes;
use domain::pictures::{PictureList, key};
use proof::{base64, commitment::PICTURES};
use uuid::Uuid;

use super::File;
use crate::{
    consents::{Consents, store},
    error::{Error, Result},
    objects::sha256_hex,
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
    /// The picture at this position is the first one, and so on.
    pub pictures: Vec<Shown>,
    /// True if the folder proves that the list is in the ledger.
    pub is_proven: bool,
}

/// A picture on the page.
pub(super) struct Shown {
    pub file: String,
    pub layer: String,
    pub width: u32,
}

impl Gallery {
    /// The pictures of a publication, and the files of their folder. `None` if none were taken.
    pub(super) async fn read(
        consents: &Consents,
        project: Uuid,
        configuration: Uuid,
        publication: &str,
    ) -> Result<Option<(Self, Vec<File>)>> {
        let found = store::pictures(&consents.db, project, configuration, publication).await?;
        let Some((text, batch)) = found else {
            return Ok(None);
        };
        let list: PictureList = serde_json::from_str(&text).map_err(Error::internal)?;
        let folder = publication.get(..DIGITS).unwrap_or(publication);
        let mut gallery = Self {
            folder: format!("pictures-{folder}"),
            pictures: Vec::new(),
            is_proven: false,
        };
        let mut files: Vec<(String, Bytes)> = Vec::new();
        for picture in list.pictures {
            let name = format!("{}.webp", picture.sha256);
            // Several pictures may be one file.
            if !files.iter().any(|(known, _)| *known == name) {
                let key = key(&project.to_string(), &picture.sha256);
                let bytes = consents.objects.get(&key).await.map_err(Error::internal)?;
                // A picture that the store has no more, or has otherwise, is left out, which `check.py` tells.
                let bytes = bytes.filter(|bytes| sha256_hex(bytes) == picture.sha256);
                let Some(bytes) = bytes else { continue };
                files.push((name.clone(), bytes));
            }
            gallery.pictures.push(Shown {
                file: name,
                layer: picture.layer,
                width: picture.width,
            });
        }
        if let Some(entry) = entry(consents, batch, &sha256_hex(text.as_bytes())).await? {
            gallery.is_proven = true;
            files.push((ENTRY.to_owned(), entry.into()));
        }
        files.push((LIST.to_owned(), text.into()));
        files.sort_unstable_by(|(one, _), (two, _)| one.cmp(two));
        let named = files.into_iter().map(|(name, bytes)| {
            let name = format!("{}/{name}", gallery.folder);
            File::new(name, bytes)
        });
        let named = named.collect();
        Ok(Some((gallery, named)))
    }
}

/// The entry of a list in the ledger, once a checkpoint covers it.
async fn entry(consents: &Consents, batch: Option<i64>, hash: &str) -> Result<Option<String>> {
    let Some(batch) = batch else {
        return Ok(None);
    };
    let is_it = |entry: &[u8]| {
        let Some((&PICTURES, json)) = entry.split_first() else {
            return false;
        };
        let entry = serde_json::from_slice::<serde_json::Value>(json);
        entry.is_ok_and(|entry| entry.get("pictures").is_some_and(|found| found == hash))
    };
    let leaf = consents.ledger.prove(batch, is_it).await?;
    Ok(leaf.map(|leaf| {
        let entry = serde_json::json!({
            "entry": base64(&leaf.entry), "index": leaf.index, "proof": leaf.proof,
        });
        entry.to_string()
    }))
}
