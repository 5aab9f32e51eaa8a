//! Pictures that are taken elsewhere, for a server without a browser: it gives the documents, and keeps the pictures.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use domain::{
    audit::Action,
    error_code::ErrorCode,
    pictures::{PictureFinding, PictureList},
};
use proof::{base64, from_base64, verify::is_picture_list};
use serde::{Deserialize, Serialize};

use super::{
    Pictures,
    scenes::{DrawnScene, Scenes, WINDOWS},
    store,
    taking::{MOST_BYTES, MOST_TEXTS, Stop},
};
use crate::{
    access::{self, Actor, Need},
    audit::Subject,
    clock::Timestamp,
    error::{Error, Result},
    objects::sha256_hex,
    publish::{PublicationKey, Publish, publications::store::publication},
    render,
};

/// Seconds by which clocks differ at most.
const SKEW: i64 = 600;
/// Most bytes of a list: three times its texts, which JSON escapes.
const MOST_LIST: usize = 3 * MOST_TEXTS;
/// Most bytes of the documents of a publication. Each has all texts of the widget.
const MOST_OF_DOCUMENTS: usize = 48 * 1024 * 1024;

/// Everything that a browser elsewhere needs for the pictures of a publication.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SceneSet {
    /// SHA-256 (hex) of the manifest.
    #[schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")]
    pub publication: String,
    /// SHA-256 (hex) of the SDK in the documents.
    #[schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")]
    pub sdk: String,
    /// The language of the texts (ISO 639-1); empty where the publication names none.
    #[schema(example = "en")]
    pub language: String,
    /// A document for each layer.
    pub scenes: Vec<DrawnScene>,
    /// Layers without one, because there are too many.
    #[schema(example = json!([]))]
    pub left_out: Vec<String>,
    /// Settings and texts that are not fair to visitors, for the list of pictures. Absent for boxes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub findings: Option<Vec<PictureFinding>>,
    /// The pictures in the documents.
    pub files: Vec<SceneFile>,
}

/// A picture in a document.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SceneFile {
    /// Its name, behind `/files/` in the documents.
    #[schema(example = "image.0199f3a5c0de.webp")]
    pub name: String,
    /// Its bytes, in base64.
    #[schema(example = "UklGRg==")]
    pub content: String,
}

/// Pictures that were taken elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TakenElsewhere {
    /// The text of their list (`placet-pictures/1`). It is kept byte for byte.
    #[schema(example = "{}")]
    pub pictures: String,
    /// The pictures of the list, each once.
    pub files: Vec<TakenFile>,
}

/// A picture that was taken elsewhere.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TakenFile {
    /// SHA-256 (hex) of its bytes.
    #[schema(example = "aa61d1f0f3a5e0d9c0b7a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f6")]
    pub sha256: String,
    /// Its bytes, in base64: WebP without loss.
    #[schema(example = "UklGRg==")]
    pub content: String,
}

impl Publish {
    /// Refuses callers who may not add pictures to a publication, before they send some.
    pub async fn may_add_pictures(&self, actor: Actor, key: PublicationKey<'_>) -> Result<()> {
        access::project(&self.db, actor, key.project, Need::PUBLISH).await?;
        if store::is_published(&self.db, key).await? {
            Ok(())
        } else {
            Err(Error::NotFound)
        }
    }

    /// The documents of a publication, for a browser elsewhere.
    pub async fn scenes(&self, actor: Actor, key: PublicationKey<'_>) -> Result<SceneSet> {
        self.may_add_pictures(actor, key).await?;
        let turn = self.answers.turn(actor).await?;
        let found = publication(&self.db, key).await?;
        let scenes = self.scenes_of(key, found.ok_or(Error::NotFound)?);
        let (layers, left_out) = scenes.layers();
        let work = move || {
            let drawn = documents(&scenes, &layers);
            (scenes, drawn)
        };
        let (_turn, (scenes, drawn)) = turn.compute(work).await?;
        let drawn = drawn?;
        let files = self.files_of(key, &scenes).await.map_err(|stop| {
            if let Stop::Later(cause) = stop {
                tracing::error!(cause, "pictures of a publication cannot be read");
            }
            Error::Unavailable
        })?;
        Ok(SceneSet {
            publication: key.publication.to_owned(),
            sdk: render::sdk_hash().unwrap_or_default().to_owned(),
            language: scenes.language.clone(),
            scenes: drawn,
            left_out,
            findings: scenes.findings.clone(),
            files: files
                .into_iter()
                .map(|(name, (_, bytes))| SceneFile {
                    name,
                    content: base64(&bytes),
                })
                .collect(),
        })
    }

    /// Keeps pictures that were taken elsewhere, and enters their list in the ledger. A publication has one list for ever:
    /// the same one again changes nothing.
    pub async fn add_pictures(
        &self,
        actor: Actor,
        key: PublicationKey<'_>,
        taken: TakenElsewhere,
    ) -> Result<Pictures> {
        self.may_add_pictures(actor, key).await?;
        self.quota.room()?;
        let _turn = self.answers.turn(actor).await?;
        let found = publication(&self.db, key).await?;
        let found = found.ok_or(Error::NotFound)?;
        let (now, published_at) = (self.clock.now(), found.published_at);
        let scenes = self.scenes_of(key, found);
        let TakenElsewhere {
            pictures: text,
            files: taken,
        } = taken;
        let list = read(&text, key.publication, &scenes, (published_at, now))?;
        let pictures = files(taken, &list)?;
        let kept = store::Kept::new(&text, &list);
        if let Some(row) = store::lookup(&self.db, key).await?
            && row.list.is_some()
        {
            return if kept.is_of(&row) {
                self.told(Some(row))
            } else {
                Err(there())
            };
        }
        let by = actor.responsible();
        self.room(key, by).await.map_err(|stop| match stop {
            Stop::Full(why) => Error::conflict(
                None,
                ErrorCode::PicturesFull,
                format!("No further pictures are kept: {why}."),
            ),
            Stop::Later(cause) | Stop::Fault(cause) => Error::internal(cause),
            Stop::Stopping => Error::Unavailable,
        })?;
        self.keep_files(key, pictures).await.map_err(|error| {
            tracing::error!(%error, "pictures of a publication cannot be stored");
            Error::Unavailable
        })?;
        let mut tx = self.db.begin().await?;
        // The role may have ended while this waited, and an entry of the ledger stays.
        if let Err(refused) = access::document_in(&mut tx, actor, key.project, Need::PUBLISH).await
        {
            drop(tx);
            let mut tx = self.db.begin().await?;
            store::unlisted(&mut tx, key, &kept, by, now).await?;
            tx.commit().await?;
            return Err(refused);
        }
        if !store::claim(&mut tx, key, by, now).await? {
            drop(tx);
            let row = store::lookup(&self.db, key).await?;
            if row.as_ref().is_some_and(|row| kept.is_of(row)) {
                return self.told(row);
            }
            let mut tx = self.db.begin().await?;
            store::unlisted(&mut tx, key, &kept, by, now).await?;
            tx.commit().await?;
            return Err(there());
        }
        store::record(&mut tx, key, &kept, self.ledger.is_on(), now).await?;
        let subject = Subject::new(key.configuration).with(key.publication);
        self.audit
            .record(&mut tx, actor, key.project, Action::PicturesAdded, subject)
            .await?;
        tx.commit().await?;
        self.told(store::lookup(&self.db, key).await?)
    }
}

/// The documents of these layers.
fn documents(scenes: &Scenes, layers: &[String]) -> Result<Vec<DrawnScene>> {
    const CANNOT: &str = "This version of Placet cannot draw the publication.";
    let refuse = |detail: &str| Error::conflict(None, ErrorCode::NotDrawn, detail);
    let (mut drawn, mut bytes) = (Vec::new(), 0);
    for layer in layers {
        let one = scenes.drawn(layer).ok_or_else(|| refuse(CANNOT))?;
        bytes += one.document.len();
        if bytes > MOST_OF_DOCUMENTS {
            return Err(refuse(
                "The layers of the publication are too large together.",
            ));
        }
        drawn.push(one);
    }
    if drawn.is_empty() {
        return Err(refuse(CANNOT));
    }
    Ok(drawn)
}

fn there() -> Error {
    Error::conflict(
        None,
        ErrorCode::PicturesThere,
        "This publication has other pictures already, and the ledger has their list.",
    )
}

/// The list, if it is one of this publication.
fn read(
    text: &str,
    publication: &str,
    scenes: &Scenes,
    (published_at, now): (Timestamp, Timestamp),
) -> Result<PictureList> {
    let refused = |why: &str| Error::field("/pictures", ErrorCode::InvalidValue, why);
    if text.len() > MOST_LIST {
        return Err(refused("The list is too long."));
    }
    // A list that verifiers refuse would stand in the ledger for ever.
    if !is_picture_list(text) {
        return Err(refused("This is no list of pictures that verifiers read."));
    }
    let list: PictureList = serde_json::from_str(text).map_err(Error::internal)?;
    if list.publication != publication {
        return Err(refused("The list is not one of this publication."));
    }
    let (layers, left_out) = scenes.layers();
    let expected: Vec<_> = layers
        .iter()
        .flat_map(|layer| WINDOWS.map(|window| (layer.as_str(), window)))
        .collect();
    let shown: Vec<_> = (list.pictures.iter())
        .map(|one| (one.layer.as_str(), (one.width, one.height)))
        .collect();
    if shown != expected {
        let why = "The list has not each layer of the publication in each width, in order.";
        return Err(refused(why));
    }
    if list
        .pictures
        .iter()
        .any(|one| one.language != scenes.language)
    {
        return Err(refused("A picture is of another language."));
    }
    let named: BTreeSet<_> = list.pictures.iter().map(|one| &one.text).collect();
    if !list.texts.keys().eq(named) {
        return Err(refused("The texts are not those of the pictures."));
    }
    if list.texts.values().map(String::len).sum::<usize>() > MOST_TEXTS {
        return Err(refused("The texts are too long."));
    }
    if list.browser.is_empty() {
        return Err(refused("The browser has no name."));
    }
    if list.left_out != left_out || list.findings != scenes.findings {
        let why = "The layers without pictures, or the findings, are not those of the scenes.";
        return Err(refused(why));
    }
    if render::sdk_hash() != Some(list.sdk.as_str()) {
        return Err(refused(
            "The pictures were drawn by another SDK than that of this server.",
        ));
    }
    // Within the time since the publication, as far as clocks agree.
    let at = Timestamp::parse(&list.taken_at);
    if at.is_none_or(|at| at < published_at.plus_seconds(-SKEW) || at > now.plus_seconds(SKEW)) {
        return Err(refused("The pictures cannot have been taken at this time."));
    }
    Ok(list)
}

/// The pictures by their hashes, if they are those of the list. Each text is dropped once it is read.
fn files(taken: Vec<TakenFile>, list: &PictureList) -> Result<Vec<(String, Bytes)>> {
    let refused = |why: &str| Error::field("/files", ErrorCode::InvalidValue, why);
    let listed: BTreeSet<_> = list.pictures.iter().map(|one| &one.sha256).collect();
    let mut files = BTreeMap::new();
    for TakenFile { sha256, content } in taken {
        if !listed.contains(&sha256) {
            return Err(refused("A picture is not in the list."));
        }
        let bytes = from_base64(&content)
            .map_err(|_| refused("The content of a picture is not base64."))?;
        if sha256_hex(&bytes) != sha256 {
            return Err(refused("A picture has not the bytes that its hash names."));
        }
        files.insert(sha256, Bytes::from(bytes));
    }
    for picture in &list.pictures {
        let bytes = files
            .get(&picture.sha256)
            .ok_or_else(|| refused("A picture of the list is missing."))?;
        let is_listed = bytes.len() as u64 == picture.bytes;
        if !is_listed || size(bytes) != Some((picture.width, picture.height)) {
            let why = "A picture is no WebP without loss of the size that the list names.";
            return Err(refused(why));
        }
    }
    let bytes: u64 = list.pictures.iter().map(|one| one.bytes).sum();
    if bytes > MOST_BYTES as u64 {
        return Err(refused("The pictures have too many bytes."));
    }
    Ok(files.into_iter().collect())
}

/// Width and height of a WebP without loss and without further parts. It is never decoded here.
fn size(bytes: &[u8]) -> Option<(u32, u32)> {
    let (head, rest) = bytes.split_at_checked(20)?;
    let (sign, rest) = rest.split_first()?;
    if !head.starts_with(b"RIFF") || head.get(8..16)? != b"WEBPVP8L" || *sign != 0x2f {
        return None;
    }
    let bits = u32::from_le_bytes(*rest.first_chunk()?);
    Some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_picture_is_read_from_its_head() {
        let image = webp::Encoder::from_rgba(&[0; 360 * 7 * 4], 360, 7).encode_lossless();
        assert_eq!(size(&image), Some((360, 7)));
        let lossy = webp::Encoder::from_rgba(&[0; 16 * 16 * 4], 16, 16).encode(80.0);
        assert_eq!(size(&lossy), None);
        assert_eq!(size(b"RIFF"), None);
        assert_eq!(size(&image[..22]), None);
    }
}
