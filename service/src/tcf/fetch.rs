//! The job that fetches the Global Vendor List, and the translations and the list of providers that are in use.

use std::collections::BTreeSet;

use domain::language::LANGUAGES;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    ImportFault, ListFiles, MOST_BYTES, Tcf,
    files::{self, Content, End, File, Kind},
    store,
};
use crate::{
    clock::Timestamp,
    error::{Error, Result, chain},
    ids,
    jobs::{Claim, Ended, Job},
    random,
};

/// Name of the list among its kind.
const LIST: &str = "vendor-list";
/// Name of the list of providers among its kind.
const PROVIDERS: &str = "providers";

/// Fetches the files that are due.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct FetchList;

impl Job for FetchList {
    const KIND: &'static str = "gvl";
    const AT_ONCE: usize = 1;
    type Worker = Tcf;

    fn lane(&self, _: Uuid) -> String {
        Self::KIND.to_owned()
    }

    async fn run(self, tcf: &Tcf, _: Claim) -> Ended {
        tcf.fetch_due().await.into()
    }
}

impl Tcf {
    /// Queues the fetch of files that are due, if this server fetches.
    pub async fn schedule_fetches(&self) -> Result<()> {
        let now = self.clock.now();
        let wanted = self.wanted().await?;
        if wanted.iter().any(|(_, file)| file.is_due(now)) {
            self.queue_fetch(*b"gvl fetch!").await?;
        }
        Ok(())
    }

    /// Adds at most one job a minute for each cause. Jobs run one after the other, and each looks again at what is
    /// due, so no file is asked for twice, however many processes there are.
    async fn queue_fetch(&self, cause: [u8; 10]) -> Result<()> {
        let minute = self.clock.now().seconds().div_euclid(60) * 60;
        let id = ids::at(Timestamp(0).plus_seconds(minute), &cause);
        self.jobs.enqueue_once(id, &FetchList).await?;
        Ok(())
    }

    /// Asks for the translation of a language with the next fetch. Strangers choose languages, so only those of
    /// the widget are asked for. Returns the state of the wish in a sentence.
    pub(super) async fn wish(&self, language: &str) -> Result<Option<&'static str>> {
        let Some(base) = &self.origins.list else {
            return Ok(None);
        };
        if LANGUAGES.iter().all(|shipped| shipped.code != language) {
            return Ok(None);
        }
        let url = translation(base, language);
        self.wish_for(Kind::Texts, language, &url).await.map(Some)
    }

    /// The same for the list of providers.
    pub(super) async fn wish_for_providers(&self) -> Result<Option<&'static str>> {
        let Some(url) = &self.origins.providers else {
            return Ok(None);
        };
        let state = self.wish_for(Kind::Providers, PROVIDERS, url).await?;
        Ok(Some(state))
    }

    async fn wish_for(&self, kind: Kind, name: &str, url: &str) -> Result<&'static str> {
        let known = files::one(&self.db, kind, name).await?;
        if known.is_none() && files::wish(&self.db, kind, name, url).await? {
            let mut cause = *b"gvl wish  ";
            let code = name.bytes();
            cause
                .iter_mut()
                .skip(8)
                .zip(code)
                .for_each(|(to, from)| *to = from);
            self.queue_fetch(cause).await?;
        }
        // The reason may name hosts of the operator's network, and whoever asks is a stranger.
        let failed = known.is_some_and(|file| file.failure.is_some());
        Ok(if failed {
            "this server could not fetch it, and `placet gvl status` tells its operator why"
        } else {
            "this server fetches it now, so publish again in a minute"
        })
    }

    /// The files that this server fetches: the list, and the translations and the list of providers that it has or
    /// that a publish missed.
    pub(super) async fn wanted(&self) -> Result<Vec<(Kind, File)>> {
        let mut wanted = Vec::new();
        if let Some(base) = &self.origins.list {
            let url = format!("{base}vendor-list.json");
            let list = files::one(&self.db, Kind::List, LIST).await?;
            let list = list.unwrap_or_else(|| File::new(LIST, url.clone())).at(url);
            wanted.push((Kind::List, list));
        }
        // The other files are of no use without a list.
        if store::current(&self.db).await?.is_none() {
            return Ok(wanted);
        }
        if let Some(base) = &self.origins.list {
            self.add_translations(base, &mut wanted).await?;
        }
        if let Some(url) = &self.origins.providers {
            let known = files::one(&self.db, Kind::Providers, PROVIDERS).await?;
            if known.is_some() || store::providers(&self.db).await?.is_some() {
                let file = known.unwrap_or_else(|| File::new(PROVIDERS, url.clone()));
                wanted.push((Kind::Providers, file.at(url.clone())));
            }
        }
        Ok(wanted)
    }

    async fn add_translations(&self, base: &str, wanted: &mut Vec<(Kind, File)>) -> Result<()> {
        let known = files::all(&self.db, Kind::Texts).await?;
        let mut languages: BTreeSet<_> = store::languages(&self.db).await?.into_iter().collect();
        languages.extend(known.iter().map(|file| file.name.clone()));
        for language in languages {
            let url = translation(base, &language);
            let file = known.iter().find(|file| file.name == language).cloned();
            let file = file.unwrap_or_else(|| File::new(&language, url.clone()));
            wanted.push((Kind::Texts, file.at(url)));
        }
        Ok(())
    }

    async fn fetch_due(&self) -> Result<()> {
        let had_list = store::current(&self.db).await?.is_some();
        self.fetch_wanted().await?;
        // The first list makes its translations useful.
        if !had_list && store::current(&self.db).await?.is_some() {
            self.fetch_wanted().await?;
        }
        Ok(())
    }

    async fn fetch_wanted(&self) -> Result<()> {
        for (kind, file) in self.wanted().await? {
            if file.is_due(self.clock.now()) {
                self.fetch(kind, file).await?;
            }
        }
        Ok(())
    }

    async fn fetch(&self, kind: Kind, mut file: File) -> Result<()> {
        let now = self.clock.now();
        // Also after a crash nobody asks again at once.
        file.begin(&self.db, kind, now).await?;
        let (answer, content) = files::ask(&self.outbound, &file, MOST_BYTES, now).await;
        let url = file.url.clone();
        let end = match content {
            Content::Same(sha256) => End::Good { sha256 },
            Content::Bytes(bytes) => {
                let sha256 = crate::objects::sha256_hex(&bytes);
                // To import it again would undo another import.
                if file.sha256.as_ref() == Some(&sha256) {
                    End::Good { sha256 }
                } else {
                    self.take(kind, &url, bytes, sha256).await
                }
            }
            Content::Refused(why) => End::Failed(why),
        };
        if let End::Failed(why) = &end {
            tracing::warn!(url, why, "a file for the layout iab was not taken");
        }
        let mut jitter = [0; 2];
        random::fill(&mut jitter);
        let otherwise = files::weekly(now, u16::from_le_bytes(jitter));
        file.settle(&self.db, kind, (answer, end), (now, otherwise))
            .await?;
        Ok(())
    }

    /// Imports a file by the rules of `placet gvl import`.
    async fn take(&self, kind: Kind, url: &str, bytes: Vec<u8>, sha256: String) -> End {
        let name = url.to_owned();
        let read = match kind {
            Kind::Providers => ListFiles::read_providers(name, bytes),
            // Megabytes of JSON.
            _ => tokio::task::spawn_blocking(move || ListFiles::read(vec![(name, bytes)]))
                .await
                .unwrap_or_else(|error| Err(Error::internal(error).into())),
        };
        let imported = match read {
            Ok(files) => self.import_read(files, false).await,
            Err(fault) => Err(fault),
        };
        match imported {
            Ok(imported) => {
                if imported.is_new {
                    let version = imported.list.version;
                    tracing::info!(url, version, "a new Global Vendor List is in use");
                }
                End::Good { sha256 }
            }
            Err(ImportFault::Service(error)) => {
                let error = chain(&error);
                tracing::error!(url, error, "a file for the layout iab was not kept");
                End::Failed("this server could not keep it; its log says why".to_owned())
            }
            Err(fault) => End::Failed(fault.to_string()),
        }
    }
}

/// The address of a translation. IAB Europe has no plain Portuguese, and that of Portugal is the older name of it.
fn translation(base: &str, language: &str) -> String {
    let tag = match language {
        "pt" => "pt-pt",
        other => other,
    };
    format!("{base}purposes-{tag}.json")
}

/// The list's last fetch, for the doctor.
pub(crate) async fn last_fetch(db: &crate::db::Db) -> Result<Option<File>> {
    files::one(db, Kind::List, LIST).await.map_err(Error::from)
}
