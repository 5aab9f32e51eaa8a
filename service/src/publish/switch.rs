//! The switch of the files that sites know: from the previous publish to the new one, and back if
//! that fails. Both directions are safe to repeat, and write only the files that must change.

use std::collections::BTreeSet;

use uuid::Uuid;

use super::{
    Publish,
    files::{File, Files, LiveObjects},
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
    /// The files of the previous publish, if there is one. They are live until the job ends.
    live: Option<LiveObjects>,
}

impl<'a> Switch<'a> {
    pub async fn open(
        publish: &'a Publish,
        project: Uuid,
        job: Uuid,
        made: &'a Files,
    ) -> Result<Self, DbError> {
        let live = store::live_objects(&publish.db, project).await?;
        Ok(Self {
            publish,
            project,
            job,
            made,
            live: live.as_deref().and_then(LiveObjects::parse),
        })
    }

    /// The mutable files of the previous publish.
    fn before(&self) -> &[File] {
        self.live.as_ref().map_or(&[], |live| live.files.as_slice())
    }

    /// Keys of files that publishes which failed have left behind.
    fn left(&self) -> &[String] {
        self.live.as_ref().map_or(&[], |live| live.left.as_slice())
    }

    /// Makes the files of the job live, the pointer last.
    pub async fn forth(&self) -> Done {
        for file in &self.made.mutable {
            let made = self.made.immutable.get(&file.immutable);
            let made = made.ok_or_else(|| Stop::Later(format!("{} was not made", file.key)))?;
            put_packed(self.publish, &file.key, made).await?;
        }
        for gone in self.only_in(self.before(), &self.made.mutable) {
            retire(self.publish, gone).await?;
        }
        Ok(())
    }

    /// Makes the previous files live again. Restores every file that it can and reports the others.
    /// A repetition restores the rest. Files that are too much and stay are left to the next publish.
    pub async fn back(&self) -> Result<(), String> {
        let (mut done, mut left) = (Ok(()), Vec::new());
        for key in self.only_in(&self.made.mutable, self.before()) {
            if let Err(stop) = retire(self.publish, key).await {
                done = Err(stop.cause());
                left.push(key.to_owned());
            }
        }
        for file in self.before() {
            if let Err(stop) = put_back(self.publish, &file.immutable, &file.key).await {
                done = Err(stop.cause());
            }
        }
        if left != self.left()
            && let Err(error) = self.leave(&left).await
        {
            done = Err(error.to_string());
        }
        let reference = format!("{}-back", self.job);
        // Not worth another attempt: caches ask again by themselves after a minute.
        if let Err(cause) = self.clear(&reference).await {
            tracing::error!(cause, project.id = %self.project, "what was put back is not seen yet");
        }
        done
    }

    /// Lets the next publish know of files that stay. Before its first publish a project has no row for them.
    async fn leave(&self, left: &[String]) -> Result<(), DbError> {
        let Some(mut live) = self.live.clone() else {
            return Ok(());
        };
        left.clone_into(&mut live.left);
        let objects = store::json(&live);
        store::set_live_objects(&self.publish.db, self.project, &objects).await
    }

    /// Makes caches forget the switched files, in both directions. Returns the number of addresses.
    pub async fn clear(&self, reference: &str) -> Result<usize, String> {
        let files = self.made.mutable.iter().chain(self.before());
        let keys = files.map(|file| &file.key).chain(self.left());
        let keys: BTreeSet<String> = keys.cloned().collect();
        let keys: Vec<String> = keys.into_iter().collect();
        let switched = Switched {
            project: self.project,
            keys: &keys,
            reference,
        };
        self.publish.delivery.clear(&switched).await?;
        Ok(keys.len())
    }

    /// The keys of files of `these`, and of those that were left behind, that are none of `those`.
    fn only_in<'f>(&'f self, these: &'f [File], those: &'f [File]) -> Vec<&'f str> {
        let these = these.iter().map(|file| &file.key).chain(self.left());
        let those: BTreeSet<_> = those.iter().map(|file| file.key.as_str()).collect();
        let these: BTreeSet<_> = these.map(String::as_str).collect();
        these.difference(&those).copied().collect()
    }
}
