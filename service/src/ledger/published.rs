//! Compares the database with the published files, before anything gets an index and before anything is signed. A backup
//! of either may have been restored, or a file damaged, and what was signed once must not be signed otherwise.

use std::io::ErrorKind;

use proof::{
    Hash,
    checkpoint::Checkpoint,
    note::{Note, Signed},
    tile::Tile,
    tree,
};

use super::{
    Ledger,
    keys::{KnownKey, read_checkpoint},
    sequencer::{Halt, two_trees},
    store::{self, CheckpointRow, State},
    tiles::Files,
};
use crate::{
    clock::Timestamp,
    error::{Error, Result},
};

const OTHER: &str = "the published ledger does not begin as this database's does";
const OLD_OR_OTHER: &str = "its files are older than its database, or of another history; it goes on when newer ones are back";

/// The end of an attempt to follow published files that are newer than the database.
pub(super) enum Followed {
    /// The database has their tree now.
    Yes,
    /// Another process has changed the database meanwhile.
    Changed,
    /// They are not the files of this database, for this reason.
    Not(&'static str),
}

impl Ledger {
    /// True if the published checkpoint is the latest of this database, so that its tree may grow. False if the database
    /// follows a larger one, which the next round reads.
    pub(super) async fn is_published(
        &self,
        files: &Files<'_>,
        state: &State,
        keys: &[KnownKey],
        now: Timestamp,
    ) -> std::result::Result<bool, Halt> {
        let contradicts = |why: &str| Err(Halt::Contradiction(why.to_owned()));
        let note = files.checkpoint().await.map_err(Error::internal)?;
        let Some(note) = note else {
            if state.integrated == 0 {
                return Ok(true);
            }
            return contradicts("its files are missing; it goes on when they are back");
        };
        let published = read_checkpoint(&note, keys).map_err(|reason| {
            Halt::Contradiction(format!("the published checkpoint is not its own: {reason}"))
        })?;
        let size = i64::try_from(published.size).map_err(Error::internal)?;
        // The database has a checkpoint before it is published, so it is read after the note.
        let kept = store::checkpoint(&self.db, size).await?;
        if kept
            .as_ref()
            .is_some_and(|kept| kept.root != published.root)
        {
            return Err(two_trees(size));
        }
        if size < state.integrated {
            let Some(latest) = self.latest(files, state).await? else {
                return contradicts(match kept {
                    Some(_) => {
                        "its files are older than its database; it goes on when newer ones are back"
                    }
                    None => OLD_OR_OTHER,
                });
            };
            // The database forgets most old checkpoints.
            let (to, of) = (published.size, state.integrated.unsigned_abs());
            if kept.is_none() && there(files.root_of_first(to, of).await)? != Some(published.root) {
                return contradicts(OTHER);
            }
            // A late write of another process has replaced the note alone.
            files.publish(&latest.note).await.map_err(Error::internal)?;
            return Ok(true);
        }
        if kept.is_some() {
            return Ok(true);
        }
        match self
            .follow(files, state, (&published, &note), keys, now)
            .await?
        {
            Followed::Yes | Followed::Changed => Ok(false),
            Followed::Not(why) => contradicts(why),
        }
    }

    /// Makes the database follow a published tree that it does not know: it was restored, and is older than the files.
    pub(super) async fn follow(
        &self,
        files: &Files<'_>,
        state: &State,
        (published, note): (&Checkpoint, &str),
        keys: &[KnownKey],
        now: Timestamp,
    ) -> Result<Followed> {
        if let Some(why) = other_keys(note, &state.origin, keys)? {
            return Ok(Followed::Not(why));
        }
        let to = i64::try_from(published.size).map_err(Error::internal)?;
        let root = async |leaves: i64| {
            let root = files.root_of_first(leaves.unsigned_abs(), published.size);
            there(root.await)
        };
        if let Some(newest) = store::newest_checkpoint(&self.db).await?
            && (newest.size > to
                || root(newest.size)
                    .await?
                    .is_none_or(|root| *newest.root != root))
        {
            return Ok(Followed::Not(OTHER));
        }
        if root(to).await? != Some(published.root) {
            return Ok(Followed::Not(
                "the published tiles are not those of the published checkpoint",
            ));
        }
        if Published::new(files, published.size).has_ended().await? {
            return Ok(Followed::Not(
                "the published ledger has ended, which this older database does not know",
            ));
        }
        let displaced = self.displaced(files, state.integrated, published.size);
        let displaced = displaced.await?;
        let span = (state.size, to);
        let kept = (&published.root[..], note);
        if !store::adopt(&self.db, self.me, span, kept, &displaced, now).await? {
            return Ok(Followed::Changed);
        }
        tracing::warn!(
            from = state.size,
            to,
            displaced = displaced.len(),
            "the published ledger is larger than the database's, which was restored; it follows"
        );
        Ok(Followed::Yes)
    }

    /// First indexes of the batches that got theirs in this database, while the published tree has other entries there.
    async fn displaced(&self, files: &Files<'_>, integrated: i64, size: u64) -> Result<Vec<i64>> {
        let mut displaced = Vec::new();
        let mut next = integrated;
        let mut published = Published::new(files, size);
        loop {
            let batches = store::batches(&self.db, next).await?;
            if batches.is_empty() {
                return Ok(displaced);
            }
            for (first, leaves, bytes) in batches {
                next = first + leaves.max(1);
                let bytes = bytes.unwrap_or_default();
                let entries = proof::tile::entries(&bytes).map_err(Error::internal)?;
                let mut is_there = true;
                for (index, entry) in (first.unsigned_abs()..).zip(entries) {
                    is_there = is_there && published.has(index, entry).await?;
                }
                if !is_there {
                    displaced.push(first);
                }
            }
        }
    }

    /// Compares the right edge of the published tiles with the latest checkpoint.
    pub(super) async fn check_edge(
        &self,
        files: &Files<'_>,
        state: &State,
    ) -> std::result::Result<(), Halt> {
        if state.integrated == 0 || self.latest(files, state).await?.is_some() {
            return Ok(());
        }
        let why = "a file at the end of its tree is damaged or missing; it goes on when the right one is back";
        Err(Halt::Contradiction(why.to_owned()))
    }

    /// The latest checkpoint, if the files have its tree.
    async fn latest(&self, files: &Files<'_>, state: &State) -> Result<Option<CheckpointRow>> {
        let kept = store::checkpoint(&self.db, state.integrated).await?;
        let root = there(files.edge(state.integrated.unsigned_abs()).await)?;
        Ok(kept.filter(|kept| root.is_some_and(|root| *kept.root == root)))
    }
}

/// The reason for which a larger checkpoint cannot be followed, if it was signed by other keys than those that sign here. A
/// database from before the end of a key must not let that key sign again.
fn other_keys(note: &str, origin: &str, keys: &[KnownKey]) -> Result<Option<&'static str>> {
    const ENDED: &str = "a key that signs here did not sign the published checkpoint: it was ended after this database was saved; `placet ledger rotate --finish` ends it here";
    let note = Note::parse(note).map_err(Error::internal)?;
    for key in keys.iter().filter(|key| key.retired.is_none()) {
        if key.verifier.signed(&note).map_err(Error::internal)? != Signed::Yes {
            return Ok(Some(ENDED));
        }
    }
    if note.is_signed_by_another(origin, keys.iter().map(|key| &key.verifier)) {
        tracing::warn!(
            "the published ledger has a newer key, which this database lacks: it is lost"
        );
    }
    Ok(None)
}

/// Entries of a published tree, read tile by tile.
struct Published<'a> {
    files: &'a Files<'a>,
    size: u64,
    tile: Option<(Tile, Vec<Hash>, Vec<Vec<u8>>)>,
}

impl<'a> Published<'a> {
    fn new(files: &'a Files<'a>, size: u64) -> Self {
        Self {
            files,
            size,
            tile: None,
        }
    }

    /// True if an entry is at this index, in the tiles and in the bundles.
    async fn has(&mut self, index: u64, entry: &[u8]) -> Result<bool> {
        if index >= self.size {
            return Ok(false);
        }
        self.turn_to(index).await?;
        let place = (index % proof::tile::WIDTH) as usize;
        Ok(self.tile.as_ref().is_some_and(|(_, hashes, entries)| {
            hashes.get(place) == Some(&tree::leaf(entry))
                && entries.get(place).is_some_and(|there| there == entry)
        }))
    }

    /// True if its last entry says that it has ended.
    async fn has_ended(&mut self) -> Result<bool> {
        let Some(index) = self.size.checked_sub(1) else {
            return Ok(false);
        };
        self.turn_to(index).await?;
        let place = (index % proof::tile::WIDTH) as usize;
        Ok(self.tile.as_ref().is_some_and(|(_, _, entries)| {
            let last = entries.get(place);
            last.is_some_and(|last| proof::commitment::is_closed_entry(last))
        }))
    }

    /// Reads the tile and the bundle of an entry.
    async fn turn_to(&mut self, index: u64) -> Result<()> {
        let wanted = Tile::of(tree::Node { height: 0, index }, self.size);
        if self.tile.as_ref().is_none_or(|(tile, ..)| *tile != wanted) {
            let hashes = there(self.files.hashes(wanted).await)?.unwrap_or_default();
            let entries = there(self.files.entries(wanted).await)?.unwrap_or_default();
            self.tile = Some((wanted, hashes, entries));
        }
        Ok(())
    }
}

/// Content of a file; `None` if the file is missing or damaged, and not if it cannot be read now.
fn there<T>(read: std::io::Result<T>) -> Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidData) => {
            Ok(None)
        }
        Err(error) => Err(Error::internal(error)),
    }
}
