//! The switch of the files that sites know: from the previous publish to the new one, and back if
//! that fails. Both directions are safe to repeat, and write only the files that must change.

use std::io;

use uuid::Uuid;

use super::{
    Publish,
    files::{File, Files},
    stop::Stop,
    store,
};
use crate::{cdn::Switched, db::DbError, objects, render};

/// Attempts for one call of the object store. The store's client repeats short failures itself.
const TRIES: u32 = 3;

/// The files that one job switches.
pub(super) struct Switch<'a> {
    publish: &'a Publish,
    project: Uuid,
    job: Uuid,
    made: &'a Files,
    /// The mutable files of the previous publish. They are live until the job ends.
    before: Vec<File>,
}

impl<'a> Switch<'a> {
    pub async fn open(
        publish: &'a Publish,
        project: Uuid,
        job: Uuid,
        made: &'a Files,
    ) -> Result<Self, DbError> {
        let before = store::live(&publish.db, project).await?;
        Ok(Self {
            publish,
            project,
            job,
            made,
            before: before.map(|row| row.files()).unwrap_or_default(),
        })
    }

    /// Makes the files of the job live, the pointer last.
    pub async fn forth(&self) -> Result<(), Stop> {
        for file in &self.made.mutable {
            let bytes = self.made.immutable.get(&file.immutable);
            let bytes = bytes.map(Vec::as_slice).unwrap_or_default();
            put(self.publish, &file.key, bytes).await?;
        }
        for gone in only_in(&self.before, &self.made.mutable) {
            retire(self.publish, gone).await?;
        }
        Ok(())
    }

    /// Makes the previous files live again. Restores every file that it can and reports the others.
    /// A repetition restores the rest.
    pub async fn back(&self) -> Result<(), String> {
        let mut left = Ok(());
        for file in only_in(&self.made.mutable, &self.before) {
            if let Err(stop) = retire(self.publish, file).await {
                left = Err(stop.cause());
            }
        }
        let objects = &self.publish.objects;
        for file in &self.before {
            if let Err(error) = tried(|| objects.copy(&file.immutable, &file.key)).await {
                left = Err(format!("{} could not be put back: {error}.", file.key));
            }
        }
        let reference = format!("{}-back", self.job);
        // Not worth another attempt: caches ask again by themselves after a minute.
        if let Err(cause) = self.clear(&reference).await {
            tracing::error!(cause, project.id = %self.project, "what was put back is not seen yet");
        }
        left
    }

    /// Makes caches forget the switched files, in both directions. Returns the number of addresses.
    pub async fn clear(&self, reference: &str) -> Result<usize, String> {
        let files = self.made.mutable.iter().chain(&self.before);
        let mut keys: Vec<String> = files.map(|file| file.key.clone()).collect();
        keys.sort();
        keys.dedup();
        let switched = Switched {
            project: self.project,
            keys: &keys,
            reference,
        };
        self.publish.delivery.clear(&switched).await?;
        Ok(keys.len())
    }
}

/// The files of `these` that sites do not know from `those`.
fn only_in<'f>(these: &'f [File], those: &'f [File]) -> impl Iterator<Item = &'f File> {
    let known = |file: &File| those.iter().any(|other| other.key == file.key);
    these.iter().filter(move |file| !known(file))
}

/// Stores an object.
pub(super) async fn put(publish: &Publish, key: &str, bytes: &[u8]) -> Result<(), Stop> {
    tried(|| publish.objects.put(key, bytes.to_vec()))
        .await
        .map_err(|error| Stop::unstored(format!("{key} could not be stored: {error}.")))
}

/// True if the store has the object.
pub(super) async fn holds(publish: &Publish, key: &str) -> Result<bool, Stop> {
    tried(|| publish.objects.holds(key))
        .await
        .map_err(|error| Stop::unstored(format!("{key} could not be looked for: {error}.")))
}

/// A file that is no longer published: scripts are made inert, since sites still load them.
pub(super) async fn retire(publish: &Publish, file: &File) -> Result<(), Stop> {
    if objects::content_type(&file.key).starts_with("text/javascript") {
        return put(publish, &file.key, render::inert_script().as_bytes()).await;
    }
    tried(|| publish.objects.delete(&file.key))
        .await
        .map_err(|error| Stop::unstored(format!("{} could not be removed: {error}.", file.key)))
}

async fn tried<T, F>(call: impl Fn() -> F) -> io::Result<T>
where
    F: Future<Output = io::Result<T>>,
{
    let mut tries = 1;
    loop {
        match call().await {
            Err(_) if tries < TRIES => tries += 1,
            ended => return ended,
        }
    }
}
