//! The job that takes the pictures of a publication.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use domain::pictures::{self, FORMAT, PictureList, TakenPicture};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;
use uuid::Uuid;

use super::{Key, scenes::Scenes, store};
use crate::{
    chromium::{Chromium, Fault, Scene},
    error::Error,
    jobs::{Claim, Ended, Job},
    objects::{content_type, sha256_hex},
    publish::{Publish, store::publication},
    random, render,
};

/// Widths and heights of windows: a telephone, a tablet, a desk.
const WINDOWS: [(u32, u32); 3] = [(360, 740), (768, 1_024), (1_280, 800)];
/// Most pictures of a publication.
const MOST_PICTURES: usize = 120;
/// Most bytes of all pictures of a publication. They are in memory until all are taken.
const MOST_BYTES: usize = 48 * 1024 * 1024;
/// Most time for all pictures of a publication.
const MOST_TIME: Duration = Duration::from_mins(20);
/// Most bytes of the texts in a list.
const MOST_TEXTS: usize = 1024 * 1024;
/// Most bytes of all pictures of a project, and of all that one account has asked for, after which no more are taken.
const MOST_OF_PROJECT: u64 = 500 * 1024 * 1024;
const MOST_OF_ACCOUNT: u64 = 2 * 1024 * 1024 * 1024;
/// Tries to make a picture a WebP while the queue of drawings is full, and the time between two.
const MOST_DRAWINGS: u32 = 5;
const DRAWING_PAUSE: Duration = Duration::from_secs(2);
/// Attempts before the reason is told to people, who can try again.
const MOST_ATTEMPTS: i64 = 2;

/// Takes the pictures of a publication. Its row in `publication_pictures` says whether they are still wanted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TakePictures {
    project: Uuid,
    configuration: Uuid,
    publication: String,
}

impl Job for TakePictures {
    const KIND: &'static str = "publish.evidence";
    /// A browser takes all of a processor.
    const AT_ONCE: usize = 1;
    const ASIDE: bool = true;
    type Worker = Publish;

    fn lane(&self, _: Uuid) -> String {
        format!("pictures:{}", self.project)
    }

    async fn run(self, publish: &Publish, claim: Claim) -> Ended {
        match publish.take_all(self.key()).await {
            Ok(()) => Ended::Done,
            Err(Stop::Later(cause)) => Ended::Retry(cause),
            // The next server goes on. The attempt that has begun counts all the same.
            Err(Stop::Stopping) => Ended::Later {
                seconds: 1,
                cause: "the server stops".to_owned(),
            },
            Err(Stop::Fault(fault)) if claim.attempts < MOST_ATTEMPTS => Ended::Retry(fault),
            Err(Stop::Fault(fault) | Stop::Full(fault)) => {
                publish.no_pictures(self.key(), &fault).await
            }
        }
    }

    async fn give_up(self, publish: &Publish, _: Claim, cause: &str) {
        publish.no_pictures(self.key(), cause).await;
    }
}

impl TakePictures {
    pub(in crate::publish) fn of(key: Key<'_>) -> Self {
        Self {
            project: key.project,
            configuration: key.configuration,
            publication: key.publication.to_owned(),
        }
    }

    fn key(&self) -> Key<'_> {
        Key {
            project: self.project,
            configuration: self.configuration,
            publication: &self.publication,
        }
    }
}

/// Why there are no pictures yet.
enum Stop {
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

impl Publish {
    async fn no_pictures(&self, key: Key<'_>, fault: &str) -> Ended {
        tracing::warn!(fault, project.id = %key.project, publication = key.publication, "no pictures of a publication");
        let recorded = store::failed(&self.db, key, fault, self.clock.now()).await;
        recorded.map_err(Error::from).into()
    }

    async fn take_all(&self, key: Key<'_>) -> std::result::Result<(), Stop> {
        let row = store::lookup(&self.db, key).await.map_err(Error::from)?;
        let Some(row) = row.filter(|row| row.state == store::ASKED) else {
            return Ok(());
        };
        let chromium = self.chromium.as_ref();
        let chromium = chromium.ok_or_else(|| Stop::Fault("Chromium is off".to_owned()))?;
        self.room(key, row.asked_by).await?;
        let found = publication(&self.db, key.project, key.configuration, key.publication).await;
        let Some(found) = found.map_err(Error::from)? else {
            return Err(Stop::Fault("the publication is gone".to_owned()));
        };
        let prefix = format!("{}/{}/", self.cdn_url, key.project);
        let scenes = Scenes::of(found, &prefix);
        let files = self.files_of(key, &scenes).await?;
        let taking = Taking {
            publish: self,
            chromium,
            key,
            files,
            begun: Instant::now(),
            bytes: 0,
            pictures: Vec::new(),
        };
        let (list, pictures) = taking.take(&scenes).await?;
        let text = serde_json::to_string(&list).map_err(Error::internal)?;
        self.objects
            .put_all(pictures)
            .await
            .map_err(|error| Stop::Later(format!("pictures cannot be stored: {error}")))?;
        let bytes = list
            .pictures
            .iter()
            .map(|picture| picture.bytes)
            .sum::<u64>();
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let hash = sha256_hex(text.as_bytes());
        let (logged, now) = (self.ledger.is_on(), self.clock.now());
        let kept = store::taken(&self.db, key, (&text, &hash), bytes, logged, now).await;
        kept.map_err(Error::from)?;
        tracing::info!(project.id = %key.project, publication = key.publication, pictures = list.pictures.len(), "pictures taken");
        Ok(())
    }

    /// Succeeds if the project and the account may have further pictures.
    async fn room(&self, key: Key<'_>, asked_by: Option<Uuid>) -> std::result::Result<(), Stop> {
        let kept = store::bytes_of_project(&self.db, key.project).await;
        if kept.map_err(Error::from)? >= MOST_OF_PROJECT {
            let most = MOST_OF_PROJECT / 1024 / 1024;
            return Err(Stop::Full(format!(
                "the pictures of this project have {most} MB already"
            )));
        }
        let Some(account) = asked_by else {
            return Ok(());
        };
        let kept = store::bytes_of_account(&self.db, account).await;
        if kept.map_err(Error::from)? >= MOST_OF_ACCOUNT {
            let most = MOST_OF_ACCOUNT / 1024 / 1024 / 1024;
            return Err(Stop::Full(format!(
                "the pictures that this person has asked for have {most} GB already"
            )));
        }
        Ok(())
    }

    /// A picture of Chromium as WebP. Other pictures may be in the way for some seconds.
    async fn packed(&self, project: Uuid, png: &[u8]) -> std::result::Result<Vec<u8>, Stop> {
        let mut tries = 1;
        loop {
            match self.assets.lossless(project, png).await {
                Err(Error::Busy) if tries < MOST_DRAWINGS => {
                    tries += 1;
                    tokio::time::sleep(DRAWING_PAUSE).await;
                }
                drawn => return drawn?.map_err(|why| Stop::Fault(why.to_owned())),
            }
        }
    }

    /// The pictures that the layers show. Those that the store has no more are missing in the layers, too.
    async fn files_of(
        &self,
        key: Key<'_>,
        scenes: &Scenes,
    ) -> std::result::Result<BTreeMap<String, (&'static str, Bytes)>, Stop> {
        let mut files = BTreeMap::new();
        for name in &scenes.files {
            let object = format!("{}/{name}", key.project);
            let media = content_type(&object);
            if !media.starts_with("image/") {
                continue;
            }
            let found = self.objects.get(&object).await;
            let found = found.map_err(|error| Stop::Later(format!("{object}: {error}")))?;
            files.extend(found.map(|bytes| (name.clone(), (media, bytes))));
        }
        Ok(files)
    }
}

struct Taking<'a> {
    publish: &'a Publish,
    chromium: &'a Chromium,
    key: Key<'a>,
    files: BTreeMap<String, (&'static str, Bytes)>,
    begun: Instant,
    bytes: usize,
    /// Keys in the object store, and bytes.
    pictures: Vec<(String, Bytes)>,
}

impl Taking<'_> {
    async fn take(
        mut self,
        scenes: &Scenes,
    ) -> std::result::Result<(PictureList, Vec<(String, Bytes)>), Stop> {
        let mut layers = scenes.layers();
        let left_out = layers.split_off(layers.len().min(MOST_PICTURES / WINDOWS.len()));
        if layers.is_empty() {
            return Err(Stop::Fault("the publication has no layer".to_owned()));
        }
        let mut list = PictureList {
            format: FORMAT.to_owned(),
            publication: self.key.publication.to_owned(),
            taken_at: self.publish.clock.now().to_string(),
            browser: self.chromium.version().await?,
            sdk: render::sdk_hash().unwrap_or_default().to_owned(),
            pictures: Vec::new(),
            texts: BTreeMap::new(),
            left_out,
        };
        for layer in &layers {
            for window in WINDOWS {
                // A server that stops waits for its jobs.
                if !self.publish.jobs.is_working() {
                    return Err(Stop::Stopping);
                }
                if self.begun.elapsed() > MOST_TIME {
                    let minutes = MOST_TIME.as_secs() / 60;
                    return Err(Stop::Fault(format!(
                        "they took more than {minutes} minutes"
                    )));
                }
                let (picture, text) = self.one(scenes, layer, window).await?;
                list.texts.insert(picture.text.clone(), text);
                list.pictures.push(picture);
            }
            if list.texts.values().map(String::len).sum::<usize>() > MOST_TEXTS {
                return Err(Stop::Fault("the texts are too long".to_owned()));
            }
        }
        Ok((list, self.pictures))
    }

    async fn one(
        &mut self,
        scenes: &Scenes,
        layer: &str,
        (width, height): (u32, u32),
    ) -> std::result::Result<(TakenPicture, String), Stop> {
        let mut nonce = [0; 16];
        random::fill(&mut nonce);
        let nonce = hex::encode(nonce);
        let document = scenes.document(layer, &nonce);
        let document = document
            .ok_or_else(|| Stop::Fault("this version cannot draw the publication".to_owned()))?;
        let scene = Scene {
            document: &document,
            nonce: &nonce,
            layer: scenes.step(layer),
            width,
            height,
            files: &self.files,
        };
        let taken = self.chromium.take(&scene).await;
        let taken = taken.map_err(|Fault(why)| {
            Stop::Fault(format!("{why} (layer {layer}, {width} pixels wide)"))
        })?;
        let webp = self.publish.packed(self.key.project, &taken.png).await?;
        self.bytes += webp.len();
        if self.bytes > MOST_BYTES {
            return Err(Stop::Fault("the pictures have too many bytes".to_owned()));
        }
        let sha256 = sha256_hex(&webp);
        let picture = TakenPicture {
            layer: layer.to_owned(),
            language: scenes.language.clone(),
            width,
            height,
            sha256: sha256.clone(),
            bytes: webp.len() as u64,
            text: sha256_hex(taken.text.as_bytes()),
        };
        let key = pictures::key(&self.key.project.to_string(), &sha256);
        if !self.pictures.iter().any(|(known, _)| *known == key) {
            self.pictures.push((key, webp.into()));
        }
        Ok((picture, taken.text))
    }
}
