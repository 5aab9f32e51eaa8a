//! The switch of the files that sites know: from the previous publish to the new one, and back if
//! that fails. Both directions are safe to repeat, and write only the files that must change.

use uuid::Uuid;

use super::{
    Publish,
    files::{File, Files},
    stop::{Done, Stop},
    store,
    upload::{put_back, put_packed, retire},
};
use crate::{db::DbError, network::Switched};

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
    pub async fn forth(&self) -> Done {
        for file in &self.made.mutable {
            let made = self.made.immutable.get(&file.immutable);
            let made = made.ok_or_else(|| Stop::Later(format!("{} was not made", file.key)))?;
            put_packed(self.publish, &file.key, made).await?;
        }
        for gone in only_in(&self.before, &self.made.mutable) {
            retire(self.publish, &gone.key).await?;
        }
        Ok(())
    }

    /// Makes the previous files live again. Restores every file that it can and reports the others.
    /// A repetition restores the rest.
    pub async fn back(&self) -> Result<(), String> {
        let mut left = Ok(());
        for file in only_in(&self.made.mutable, &self.before) {
            if let Err(stop) = retire(self.publish, &file.key).await {
                left = Err(stop.cause());
            }
        }
        for file in &self.before {
            if let Err(stop) = put_back(self.publish, &file.immutable, &file.key).await {
                left = Err(stop.cause());
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
