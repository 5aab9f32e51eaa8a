//! Gives entries their indexes, makes the tree's files, and publishes checkpoints: one process at a time.
//!
//! The lease is a courtesy that saves work. Two processes are kept apart because `size` and `integrated`
//! change only from the values that a step began with. Files follow from the database alone, so each step may be repeated.

use std::{panic::AssertUnwindSafe, sync::atomic::Ordering, time::Duration};

use futures::FutureExt;
use proof::{Hash, checkpoint::Checkpoint, note};
use tokio_util::sync::CancellationToken;

use super::{
    ENDING, Ledger, outsiders,
    store::{self, State},
    tiles::{Files, Grown},
};
use crate::{
    clock::Timestamp,
    db::Lease,
    error::{Error, Result},
};

/// Between two rounds.
const ROUND: Duration = Duration::from_secs(1);
/// Between two rounds while more waits than one checkpoint holds: twice what consents come at, and time for them.
const BREATH: Duration = Duration::from_millis(250);
/// Partial files stay for readers who hold an older checkpoint.
const PARTIAL_SECONDS: i64 = 24 * 3_600;
/// Leaves of one checkpoint above the one before.
pub(super) const MOST_LEAVES: usize = 32_768;

/// The result of a round without a fault.
enum Found {
    /// Database and files agree, and no witness contradicts them.
    AtOne {
        /// True if the checkpoint is full, so that more entries may wait.
        full: bool,
    },
    /// There was no reason to look, or another round has to.
    NotLooked,
}

/// The reason for which a round ends early.
pub(super) enum Halt {
    /// Database and files contradict each other. Noted for operators until a round finds them at one.
    Contradiction(String),
    Failure(Error),
}

impl<E: Into<Error>> From<E> for Halt {
    fn from(error: E) -> Self {
        Self::Failure(error.into())
    }
}

/// One key must not sign both.
pub(super) fn two_trees(size: i64) -> Halt {
    Halt::Contradiction(format!("two trees of {size} leaves have different roots"))
}

impl Ledger {
    /// Works until `stop`, if the ledger is on.
    pub async fn work(&self, stop: CancellationToken) {
        if !self.settings.on {
            return;
        }
        tokio::join!(
            self.sequence(&stop),
            self.keep_asking(&stop),
            // Its request would make this future large.
            Box::pin(self.keep_stamping(&stop)),
        );
        if let Err(error) = store::let_go(&self.db, self.me).await {
            tracing::warn!(%error, "the ledger's lease runs out by itself");
        }
    }

    async fn sequence(&self, stop: &CancellationToken) {
        let mut failed = false;
        loop {
            // A ledger that stands still must not take the process with it.
            let round = AssertUnwindSafe(self.round()).catch_unwind().await;
            let pause = match round
                .unwrap_or_else(|_| Err(Error::internal("a round of the ledger panicked")))
            {
                Ok(full) => {
                    failed = false;
                    // Under full load more waits than one checkpoint holds.
                    if full { BREATH } else { ROUND }
                }
                Err(error) => {
                    if !failed {
                        tracing::error!(%error, "the ledger stands still; entries wait for it");
                    }
                    failed = true;
                    ROUND
                }
            };
            tokio::select! {
                () = stop.cancelled() => break,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// One round: indexes for what waits, and a checkpoint if it is time for one. True if the checkpoint is full, so that
    /// more entries may wait.
    pub async fn round(&self) -> Result<bool> {
        let now = self.clock.now();
        self.prepare().await?;
        let Some(state) = self.hold(now).await? else {
            return Ok(false);
        };
        if (self.memory().name.get()).is_some_and(|name| *name != state.origin) {
            // It was ended a moment ago; the next round follows.
            return Ok(false);
        }
        if state.stopped_by.is_some() {
            self.follow_restored_files(&state, now).await?;
            return Ok(false);
        }
        match self.go_on(&state, now).await {
            Ok(Found::AtOne { full }) => {
                if state.stopped.is_some() && store::goes_on(&self.db, self.me).await? {
                    tracing::warn!("the ledger goes on");
                }
                Ok(full)
            }
            Ok(Found::NotLooked) => Ok(false),
            Err(Halt::Contradiction(why)) => {
                if store::stop(&self.db, self.me, &why).await? {
                    // Files may come from a backup, and their witnesses know more than they.
                    self.memory().all_asked.store(false, Ordering::Release);
                    tracing::error!(why, "the ledger is stopped; entries wait for it");
                }
                Ok(false)
            }
            Err(Halt::Failure(error)) => Err(error),
        }
    }

    async fn go_on(&self, state: &State, now: Timestamp) -> std::result::Result<Found, Halt> {
        if state.next_public_key.is_some() {
            return Err(Halt::Failure(Error::internal(ENDING)));
        }
        let mut waits = store::waits(&self.db).await?;
        // An entry of a key makes no checkpoint of its own in a ledger that is empty: witnesses would be asked about nothing.
        if waits || state.size > 0 {
            waits |= self.tell_of_ml_dsa(&state.origin).await?;
        }
        let is_due = self.is_due(now).await?;
        let integrated = state.integrated;
        let is_stopped = state.stopped.is_some();
        // More than one checkpoint holds does not wait for its time, so that the ledger catches up.
        let is_ahead =
            |size: i64| size > integrated && (is_due || size - integrated >= MOST_LEAVES as i64);
        if !(waits || is_ahead(state.size) || is_stopped) {
            return Ok(Found::NotLooked);
        }
        let keys = self.known_keys(&state.origin).await?;
        let files = Files::new(&self.objects, &state.origin);
        // Before anything gets an index: the indexes of a restored database may be taken.
        if !self.is_published(&files, state, &keys, now).await? {
            return Ok(Found::NotLooked);
        }
        if self.memory().edge.load(Ordering::Acquire) != integrated || is_stopped {
            self.check_edge(&files, state).await?;
            self.memory().edge.store(integrated, Ordering::Release);
        }
        if is_stopped {
            self.next_tree(&files, state).await?;
        }
        if !self.ask_at_start().await? {
            return Ok(Found::NotLooked);
        }
        if is_stopped {
            return Ok(Found::AtOne { full: false });
        }
        let mut size = state.size;
        while size - integrated < MOST_LEAVES as i64 {
            match store::assign(&self.db, self.me, size).await? {
                Some(new) if new > size => size = new,
                Some(_) => break,
                None => return Ok(Found::NotLooked),
            }
        }
        if size > state.size {
            self.crash_point("ledger-assign");
        }
        if is_ahead(size) {
            let is_published = self.publish(&files, state, now).await?;
            let full = is_published && size - integrated >= MOST_LEAVES as i64;
            return Ok(Found::AtOne { full });
        }
        Ok(Found::AtOne { full: false })
    }

    /// Takes or renews the lease. `None` if another process has it.
    pub(super) async fn hold(&self, now: Timestamp) -> Result<Option<State>> {
        let lease = Lease::new(self.me, now, self.lease);
        Ok(store::hold(&self.db, lease, self.db.is_alone()).await?)
    }

    async fn is_due(&self, now: Timestamp) -> Result<bool> {
        let every = outsiders::millis(self.settings.every);
        let newest = store::newest_checkpoint(&self.db).await?;
        Ok(newest.is_none_or(|newest| newest.created_at.is_over(every, now)))
    }

    /// Publishes the next checkpoint. False if another process has.
    pub(super) async fn publish(
        &self,
        files: &Files<'_>,
        state: &State,
        now: Timestamp,
    ) -> std::result::Result<bool, Halt> {
        let grown = self.next_tree(files, state).await?;
        self.crash_point("ledger-integrate");
        let (size, root) = (grown.size, grown.root);
        files.write(grown).await.map_err(Error::internal)?;
        self.crash_point("ledger-put");
        self.sign(files, state, (size, root), now).await
    }

    /// The tree of the next checkpoint, which nothing is written of.
    async fn next_tree(
        &self,
        files: &Files<'_>,
        state: &State,
    ) -> std::result::Result<Grown, Halt> {
        let batches = self.waiting_batches(state.integrated).await?;
        let mut entries = Vec::new();
        for bytes in &batches {
            entries.extend(proof::tile::entries(bytes).map_err(Error::internal)?);
        }
        // A tree that grows from a damaged tile would contradict the checkpoints that are signed.
        self.check_edge(files, state).await?;
        let old = state.integrated.unsigned_abs();
        let grown = files.grow(old, &entries).await.map_err(Error::internal)?;
        let kept = store::checkpoint(&self.db, grown.size.cast_signed()).await?;
        match kept {
            Some(kept) if kept.root != grown.root => Err(two_trees(kept.size)),
            _ => Ok(grown),
        }
    }

    /// The entries of the next checkpoint, by batch.
    async fn waiting_batches(&self, integrated: i64) -> std::result::Result<Vec<Vec<u8>>, Halt> {
        let mut waiting = Vec::new();
        let (mut next, mut count) = (integrated, 0);
        loop {
            let batches = store::batches(&self.db, next).await?;
            if batches.is_empty() {
                return Ok(waiting);
            }
            for (first, leaves, bytes) in batches {
                let bytes = bytes.unwrap_or_default();
                let of_batch = proof::tile::entries(&bytes).map_err(Error::internal)?.len();
                if first != next || leaves < 1 || of_batch as i64 != leaves {
                    let why = format!("the entries from index {next} on are missing");
                    return Err(Halt::Contradiction(why));
                }
                if count > 0 && count + of_batch > MOST_LEAVES {
                    return Ok(waiting);
                }
                next += leaves;
                count += of_batch;
                waiting.push(bytes);
            }
        }
    }

    /// Signs a tree whose files are stored, and makes it the latest. False if another process has.
    async fn sign(
        &self,
        files: &Files<'_>,
        state: &State,
        (size, root): (u64, Hash),
        now: Timestamp,
    ) -> std::result::Result<bool, Halt> {
        let checkpoint = Checkpoint {
            origin: state.origin.clone(),
            size,
            root,
        };
        let size = i64::try_from(size).map_err(Error::internal)?;
        // Nobody else signs while this process holds the ledger, and nothing is signed that a witness contradicts.
        let held = self.hold(self.clock.now()).await?;
        if held.is_none_or(|held| held.integrated != state.integrated || held.stopped.is_some()) {
            return Ok(false);
        }
        let keys = self.signers(&state.origin).await?;
        let note = note::sign(&checkpoint.text(), &keys.signers);
        let signed = (size, root.as_slice(), note.as_str());
        let Some(kept) = store::add_checkpoint(&self.db, signed, &keys.public, now).await? else {
            return Ok(false);
        };
        self.crash_point("ledger-sign");
        if kept.root != root {
            return Err(two_trees(size));
        }
        files.publish(&kept.note).await.map_err(Error::internal)?;
        self.crash_point("ledger-publish");
        let is_mine = store::integrated(&self.db, self.me, state.integrated, size).await?;
        self.crash_point("ledger-forget");
        self.sweep(files, size, now).await?;
        Ok(is_mine)
    }

    /// Removes partial files that have been full for a day.
    async fn sweep(&self, files: &Files<'_>, size: i64, now: Timestamp) -> Result<()> {
        let before = now.plus_seconds(-PARTIAL_SECONDS);
        let mut swept = store::last_swept(&self.db).await?;
        for old in store::unswept(&self.db, before).await? {
            let [last, old_size, now_size] = [swept, old, size].map(i64::unsigned_abs);
            let is_swept = files.sweep(last, old_size, now_size).await;
            if !is_swept.map_err(Error::internal)? {
                break;
            }
            store::swept(&self.db, old).await?;
            swept = old;
        }
        Ok(())
    }

    /// Dies here when a fault test asks for it; release builds cannot be asked.
    pub(super) fn crash_point(&self, point: &str) {
        if cfg!(debug_assertions) && self.crash_at.as_deref() == Some(point) {
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, sync::Arc};

    use super::*;
    use crate::{
        access::Operators,
        clock::{SharedClock, SystemClock},
        context::Context,
        db::{Db, testing},
        ledger::{Dependencies, Settings},
        objects::{Location, Objects},
        outbound::Outbound,
        quota::{self, Quota},
        secret::SecretKey,
    };

    fn ledger_of(db: &Db, folder: &Path) -> Ledger {
        let clock: SharedClock = Arc::new(SystemClock);
        let minute = Duration::from_mins(1);
        let secret = SecretKey::load_or_make(&folder.join("secret")).unwrap();
        let settings = quota::Settings {
            limits: None,
            keep_free: 0,
        };
        let quota = Quota::new(settings, folder.to_owned(), clock.clone());
        let context = Context::new(db.clone(), clock.clone(), secret, minute, quota);
        let objects = Objects::new(Location::Folder(folder.join("cdn")), clock).unwrap();
        let dependencies = Dependencies {
            objects: Arc::new(objects),
            outbound: Outbound::new(Vec::new()).unwrap(),
            settings: Settings {
                on: true,
                every: minute,
                witnesses: None,
                authority: None,
                keep_years: None,
            },
            base_url: "https://consent.example".to_owned(),
            operators: Operators::default(),
            lease: minute,
            crash_at: None,
        };
        Ledger::new(&context, dependencies)
    }

    #[tokio::test]
    async fn a_tree_is_not_published_beside_another_that_was_signed_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let db = testing::new_in(folder.path()).await;
        let ledger = ledger_of(&db, folder.path());
        let now = ledger.clock.now();
        ledger.prepare().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        let entry = proof::commitment::consent_entry(&[7; 32]);
        let added = store::add(&mut tx, store::Kind::Consents, &[entry]).await;
        added.unwrap();
        tx.commit().await.unwrap();
        ledger.hold(now).await.unwrap().unwrap();
        let size = store::assign(&db, ledger.me, 0).await.unwrap().unwrap();
        let state = ledger.hold(now).await.unwrap().unwrap();
        let files = Files::new(&ledger.objects, &state.origin);
        let Ok(grown) = ledger.next_tree(&files, &state).await else {
            panic!("the tree grows");
        };

        let keys = ledger.signers(&state.origin).await.unwrap();
        let other = (size, [9; 32].as_slice(), "of another process");
        let kept = store::add_checkpoint(&db, other, &keys.public, now).await;
        kept.unwrap().unwrap();
        let tree = (grown.size, grown.root);
        match ledger.sign(&files, &state, tree, now).await {
            Err(Halt::Contradiction(why)) => {
                assert_eq!(
                    why,
                    format!("two trees of {size} leaves have different roots")
                );
            }
            _ => panic!("both are signed"),
        }
        assert_eq!(files.checkpoint().await.unwrap(), None);
        let state = store::state(&db).await.unwrap().unwrap();
        assert_eq!(state.integrated, 0);
    }
}
