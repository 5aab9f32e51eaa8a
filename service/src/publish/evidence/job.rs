//! The job that takes the pictures of a publication.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use domain::pictures;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    scenes::{DrawnScene, Scenes},
    store,
    taking::{Host, Stop, Taken, Taking},
};
use crate::{
    error::Error,
    jobs::{Claim, Ended, Job},
    objects::content_type,
    publish::{Publication, PublicationKey, Publish, publications::store::publication},
    render,
};

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
    pub(in crate::publish) fn of(key: PublicationKey<'_>) -> Self {
        Self {
            project: key.project,
            configuration: key.configuration,
            publication: key.publication.to_owned(),
        }
    }

    fn key(&self) -> PublicationKey<'_> {
        PublicationKey {
            project: self.project,
            configuration: self.configuration,
            publication: &self.publication,
        }
    }
}

impl Publish {
    async fn no_pictures(&self, key: PublicationKey<'_>, fault: &str) -> Ended {
        tracing::warn!(fault, project.id = %key.project, publication = key.publication, "no pictures of a publication");
        let recorded = store::failed(&self.db, key, fault, self.clock.now()).await;
        recorded.map_err(Error::from).into()
    }

    async fn take_all(&self, key: PublicationKey<'_>) -> std::result::Result<(), Stop> {
        let row = store::lookup(&self.db, key).await.map_err(Error::from)?;
        let Some(row) = row.filter(|row| row.state == store::ASKED) else {
            return Ok(());
        };
        let chromium = self.chromium.as_ref();
        let chromium = chromium.ok_or_else(|| Stop::Fault("Chromium is off".to_owned()))?;
        let by = row.asked_by;
        self.room(key, by).await?;
        let found = publication(&self.db, key).await;
        let Some(found) = found.map_err(Error::from)? else {
            return Err(Stop::Fault("the publication is gone".to_owned()));
        };
        let scenes = self.scenes_of(key, found);
        let (layers, left_out) = scenes.layers();
        let files = self.files_of(key, &scenes).await?;
        let host = Server {
            publish: self,
            project: key.project,
            scenes: &scenes,
        };
        let taking = Taking::new(&host, chromium, &files);
        let taken_at = self.clock.now().to_string();
        let sdk = render::sdk_hash().unwrap_or_default();
        let mut taken = taking
            .take(&layers, (key.publication, &scenes.language, sdk), taken_at)
            .await?;
        taken.list.left_out = left_out;
        taken.list.findings.clone_from(&scenes.findings);
        let Taken { list, pictures } = taken;
        let text = serde_json::to_string(&list).map_err(Error::internal)?;
        if !proof::verify::is_picture_list(&text) {
            return Err(Stop::Fault("verifiers would refuse their list".to_owned()));
        }
        self.keep_files(key, pictures)
            .await
            .map_err(|error| Stop::Later(format!("pictures cannot be stored: {error}")))?;
        let kept = store::Kept::new(&text, &list);
        let (logged, now) = (self.ledger.is_on(), self.clock.now());
        let recorded = store::taken(&self.db, key, &kept, by, logged, now).await;
        recorded.map_err(Error::from)?;
        tracing::info!(project.id = %key.project, publication = key.publication, pictures = list.pictures.len(), "pictures taken");
        Ok(())
    }

    /// The scenes of a publication.
    pub(super) fn scenes_of(&self, key: PublicationKey<'_>, found: Publication) -> Scenes {
        Scenes::of(found, &format!("{}/{}/", self.cdn_url, key.project))
    }

    /// Stores pictures by their hashes.
    pub(super) async fn keep_files(
        &self,
        key: PublicationKey<'_>,
        pictures: Vec<(String, Bytes)>,
    ) -> std::io::Result<()> {
        let project = key.project.to_string();
        let named = pictures
            .into_iter()
            .map(|(sha256, bytes)| (pictures::key(&project, &sha256), bytes));
        self.objects.put_all(named.collect()).await
    }

    /// Succeeds if the project and the account may have further pictures.
    pub(super) async fn room(
        &self,
        key: PublicationKey<'_>,
        asked_by: Option<Uuid>,
    ) -> std::result::Result<(), Stop> {
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
    pub(super) async fn files_of(
        &self,
        key: PublicationKey<'_>,
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

/// A server that takes pictures of a publication of its own.
struct Server<'a> {
    publish: &'a Publish,
    project: Uuid,
    scenes: &'a Scenes,
}

impl Host for Server<'_> {
    fn drawn(&self, layer: &str) -> Option<DrawnScene> {
        self.scenes.drawn(layer)
    }

    fn is_working(&self) -> bool {
        self.publish.jobs.is_working()
    }

    async fn packed(&self, png: &[u8]) -> std::result::Result<Vec<u8>, Stop> {
        self.publish.packed(self.project, png).await
    }
}
