//! Reads whole published trees, compares them with what was signed, and finds entries in them: the present ledger, and those
//! that have ended.

use std::{collections::VecDeque, io::ErrorKind};

use proof::{
    Hash,
    tile::{Tile, WIDTH},
    tree::{self, Node},
};

use super::{
    Ledger,
    keys::{KnownKey, read_checkpoint},
    retired::store as retired,
    store::{self, BatchRow},
    tiles::{Files, tile_at, whole},
};
use crate::error::{Error, Result};

/// Bundles of entries that stay in memory. Consents come about in the order of their entries.
const KEPT: usize = 64;
/// The type of entries that were removed because they are older than the ledger is kept, in [`Reading::kinds`].
pub(crate) const REMOVED: u8 = 0x7f;
/// The type of entries of a ledger that has ended whose files are lost, in [`Reading::kinds`].
pub(crate) const LOST: u8 = 0x7e;
/// Faults that are told; all are counted.
pub(crate) const MOST_FAULTS: usize = 100;

/// Told how many of how many entries were read.
pub(crate) type Progress<'a> = &'a (dyn Fn(u64, u64) + Send + Sync);

/// A published tree that was read whole.
pub(crate) struct Reading<'a> {
    ledger: &'a Ledger,
    number: store::Number,
    origin: String,
    /// Entries that its latest checkpoint covers.
    size: i64,
    /// The minimum index. Entries below it were not read.
    pruned: i64,
    /// The type of each entry; 0 where it cannot be read, [`REMOVED`] below the minimum index, and [`LOST`].
    pub kinds: Vec<u8>,
    /// The first things that are not as they were signed.
    pub faults: Vec<String>,
    /// Number of all of them.
    pub fault_count: u64,
    /// Missing files of a ledger that has ended. It may have ended because they were lost.
    pub lost_files: u64,
    kept: VecDeque<(u64, Vec<Vec<u8>>)>,
}

/// All published trees, the present one first.
pub(crate) struct Readings<'a> {
    ledger: &'a Ledger,
    pub all: Vec<Reading<'a>>,
}

/// The place of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// Its index.
    At(u64),
    /// No checkpoint covers its batch yet.
    Waits,
    /// It was removed, because it is older than the ledger is kept.
    Removed,
    /// The files that had it, of a ledger that has ended, are lost.
    Lost,
    /// It is not among the entries of its batch.
    Missing,
}

impl Ledger {
    /// Reads all entries and all tiles of the published trees. It computes each tree from the entries, and compares it
    /// with the tiles and with the latest checkpoint. Takes a byte of memory for each entry. `None` where no ledger was
    /// ever on.
    pub(crate) async fn read_all(&self, progress: Progress<'_>) -> Result<Option<Readings<'_>>> {
        let Some(state) = store::state(&self.db).await? else {
            return Ok(None);
        };
        let reading = |number, origin, size, pruned| Reading {
            ledger: self,
            number,
            origin,
            size,
            pruned,
            kinds: Vec::new(),
            faults: Vec::new(),
            fault_count: 0,
            lost_files: 0,
            kept: VecDeque::new(),
        };
        let mut present = reading(None, state.origin, state.integrated, state.pruned);
        present.read(progress).await?;
        if present.size > 0 {
            let keys = self.known_keys(&present.origin).await?;
            present.check_root(&keys, state.stopped).await?;
        }
        let mut all = vec![present];
        for row in retired::all(&self.db).await? {
            let mut ended = reading(Some(row.number), row.origin, row.size, row.pruned);
            ended.read(progress).await?;
            let keys = self.keys_of_ended(row.number, &ended.origin).await?;
            ended.check_root(&keys, None).await?;
            all.push(ended);
        }
        Ok(Some(Readings { ledger: self, all }))
    }
}

impl Readings<'_> {
    /// Finds the first entry of a batch that is sought, and the tree that has the batch: its place in [`Self::all`].
    pub async fn find(
        &mut self,
        batch: i64,
        sought: impl Fn(&[u8]) -> bool,
    ) -> Result<(usize, Found)> {
        let Some(row) = store::batch(&self.ledger.db, batch).await? else {
            return Ok((0, Found::Missing));
        };
        let mut trees = (0..).zip(&mut self.all);
        let tree = trees.find(|(_, tree)| tree.number == row.retired_in);
        match tree {
            Some((place, tree)) => Ok((place, tree.find(batch, row, sought).await?)),
            None => Ok((0, Found::Missing)),
        }
    }
}

impl Reading<'_> {
    /// The name of the ledger.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// The number of a ledger that has ended; `None` for the present one.
    pub fn number(&self) -> Option<i64> {
        self.number
    }

    /// The minimum index. Entries below it were not read.
    pub fn pruned_to(&self) -> u64 {
        self.pruned.unsigned_abs()
    }

    /// Entries that its latest checkpoint covers.
    pub fn size(&self) -> u64 {
        self.size.unsigned_abs()
    }

    fn files(&self) -> Files<'_> {
        Files::new(&self.ledger.objects, &self.origin)
    }

    async fn read(&mut self, progress: Progress<'_>) -> Result<()> {
        let size = self.size();
        let mut rows: Vec<Vec<Option<Hash>>> = vec![Vec::new(); 8];
        for index in 0..size.div_ceil(WIDTH) {
            progress(index * WIDTH, size);
            let node = Node {
                height: 0,
                index: index * WIDTH,
            };
            let tile = Tile::of(node, size);
            let end = node.index + WIDTH;
            let entries = if end <= self.pruned_to() {
                None
            } else {
                Some(self.files().entries(tile).await)
            };
            if matches!(&entries, Some(Err(error)) if error.kind() == ErrorKind::NotFound) {
                // A server that runs may have removed more meanwhile.
                let now = store::pruned(&self.ledger.db, self.number).await?;
                self.pruned = now.map_or(0, |(pruned, _)| pruned);
            }
            let Some(entries) = entries.filter(|_| end > self.pruned_to()) else {
                let above = Node { height: 8, index };
                let hash = self.files().hash(above, size).await;
                let hash = self.noted(hash, Tile::of(above, size).path())?;
                self.kinds.resize(end as usize, REMOVED);
                self.add(&mut rows, hash).await?;
                continue;
            };
            let is_there = !matches!(&entries, Err(error) if error.kind() == ErrorKind::NotFound);
            let hashes = if let Some(entries) = self.noted(entries, tile.entries_path())? {
                let kinds = entries.iter().map(|entry| entry.first().copied());
                self.kinds.extend(kinds.map(Option::unwrap_or_default));
                let leaves = entries.iter().map(|entry| Some(tree::leaf(entry)));
                let mut leaves: Vec<Option<Hash>> = leaves.collect();
                // A bundle may have lost some.
                leaves.resize(usize::from(tile.width), Some([0; 32]));
                self.compare(tile, &leaves).await?;
                leaves.into_iter().collect()
            } else {
                // The tiles above are compared with the hashes that are there.
                let hashes = self.files().hashes(tile).await;
                self.noted(hashes, tile.path())?
            };
            let read = (index * WIDTH + u64::from(tile.width)) as usize;
            let unread = if self.number.is_some() && !is_there {
                LOST
            } else {
                0
            };
            self.kinds.resize(read, unread);
            if u64::from(tile.width) == WIDTH {
                let all = hashes.filter(|hashes: &Vec<Hash>| hashes.len() as u64 == WIDTH);
                self.add(&mut rows, all.map(|hashes| whole(&hashes)))
                    .await?;
            }
        }
        for (level, row) in (0..).zip(&rows).skip(1) {
            if !row.is_empty() {
                let index = (size >> (8 * level)) / WIDTH;
                let tile = tile_at(level, index, row.len() as u64);
                self.compare(tile, row).await?;
            }
        }
        progress(size, size);
        Ok(())
    }

    /// Adds the hash of a full tile of leaves to the levels above; `None` where nothing tells it.
    async fn add(&mut self, rows: &mut [Vec<Option<Hash>>], mut hash: Option<Hash>) -> Result<()> {
        let leaves = self.kinds.len() as u64;
        for (level, row) in (0..).zip(rows).skip(1) {
            row.push(hash);
            if (row.len() as u64) < WIDTH {
                break;
            }
            let index = (leaves >> (8 * level)) / WIDTH - 1;
            self.compare(tile_at(level, index, WIDTH), row).await?;
            let known: Option<Vec<Hash>> = row.iter().copied().collect();
            hash = known.map(|hashes| whole(&hashes));
            row.clear();
        }
        Ok(())
    }

    /// Compares a tile with the hashes that it should have, as far as they are known.
    async fn compare(&mut self, tile: Tile, right: &[Option<Hash>]) -> Result<()> {
        let hashes = self.files().hashes(tile).await;
        let hashes = self.noted(hashes, tile.path())?;
        let is_right = |hashes: Vec<Hash>| {
            let mut both = hashes.iter().zip(right);
            hashes.len() == right.len()
                && both.all(|(hash, right)| right.is_none_or(|right| right == *hash))
        };
        if hashes.is_some_and(|hashes| !is_right(hashes)) {
            let path = tile.path();
            self.fault(format!(
                "{path} has other hashes than its entries, or the tiles below it, give"
            ));
        }
        Ok(())
    }

    async fn check_root(&mut self, keys: &[KnownKey], stopped: Option<String>) -> Result<()> {
        let size = self.size();
        let kept = store::checkpoint_over(&self.ledger.db, self.number, self.size).await?;
        let root = self.files().root(size).await;
        let root = self.noted(root, "a tile at the right edge".to_owned())?;
        let signed = kept
            .map(|(_, note)| read_checkpoint(&note, keys))
            .and_then(std::result::Result::ok);
        match signed {
            None => self.fault(format!(
                "the database has no checkpoint of {size} entries that a key of the ledger signed"
            )),
            Some(signed) if signed.size != size || root.is_some_and(|root| root != signed.root) => {
                let fault = "the tiles have another root than the signed checkpoint";
                self.fault(fault.to_owned());
            }
            Some(_) => {}
        }
        if let Some(why) = stopped {
            self.fault(format!("the ledger is stopped: {why}"));
        }
        let note = self.files().checkpoint().await;
        let Some(note) = self.noted(note, "checkpoint".to_owned())? else {
            return Ok(());
        };
        let published = note.map(|note| read_checkpoint(&note, keys));
        match published {
            // A server that runs may have published more meanwhile.
            Some(Ok(published))
                if published.size > size
                    || published.size == size && root.is_none_or(|root| root == published.root) => {
            }
            Some(Ok(published)) if published.size == size => {
                self.fault("the published checkpoint has another root than the tiles".to_owned());
            }
            // Older files took the place of those that were lost.
            Some(Ok(_)) | None if self.number.is_some() => self.lost_files += 1,
            Some(Ok(published)) => self.fault(format!(
                "the published checkpoint has {} entries, and the database {size}",
                published.size
            )),
            Some(Err(reason)) => self.fault(format!("the published checkpoint: {reason}")),
            None => self.fault("the published checkpoint is missing".to_owned()),
        }
        Ok(())
    }

    fn fault(&mut self, fault: String) {
        self.fault_count += 1;
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }

    /// Content of a file; `None`, and a fault, if it is missing or damaged. A missing one is none where the ledger has ended.
    fn noted<T>(&mut self, read: std::io::Result<T>, path: String) -> Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(error) if error.kind() == ErrorKind::NotFound && self.number.is_some() => {
                self.lost_files += 1;
                Ok(None)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                self.fault(format!("{path} is missing"));
                Ok(None)
            }
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                self.fault(format!("{path} is damaged: {error}"));
                Ok(None)
            }
            Err(error) => Err(Error::internal(error)),
        }
    }

    async fn find(
        &mut self,
        batch: i64,
        row: BatchRow,
        sought: impl Fn(&[u8]) -> bool,
    ) -> Result<Found> {
        let Some(first) = row.first_index.filter(|first| *first < self.size) else {
            if self.number.is_some() {
                return Ok(Found::Missing);
            }
            let waits = store::waits_in(&self.ledger.db, batch).await?;
            let waiting = proof::tile::entries(&waits).unwrap_or_default();
            if waiting.iter().any(|entry| sought(entry)) || self.is_covered_since(batch).await? {
                return Ok(Found::Waits);
            }
            return Ok(Found::Missing);
        };
        // Checkpoints never split a batch.
        let end = first.checked_add(row.leaves);
        let Some(end) = end.filter(|end| (first..=self.size).contains(end)) else {
            return Ok(Found::Missing);
        };
        let (first, end) = (first.unsigned_abs(), end.unsigned_abs());
        for place in first / WIDTH..end.div_ceil(WIDTH) {
            let entries = self.bundle(place).await?;
            let found = (place * WIDTH..)
                .zip(entries)
                .find(|(index, entry)| (first..end).contains(index) && sought(entry));
            if let Some((index, _)) = found {
                return Ok(Found::At(index));
            }
        }
        let of_batch = self.kinds.get(first as usize..end as usize);
        let is_lost = of_batch.is_some_and(|kinds| kinds.contains(&LOST));
        Ok(if first < self.pruned_to() {
            Found::Removed
        } else if is_lost {
            Found::Lost
        } else {
            Found::Missing
        })
    }

    /// Finds an entry among all those whose type [`Self::kinds`] has as this one.
    pub async fn find_by_bytes(&mut self, kind: u8, sought: &[u8]) -> Result<Option<u64>> {
        let of_kind = (0..).zip(&self.kinds).filter(|(_, one)| **one == kind);
        let indexes: Vec<u64> = of_kind.map(|(index, _)| index).collect();
        for index in indexes {
            let entries = self.bundle(index / WIDTH).await?;
            let there = entries.get((index % WIDTH) as usize);
            if there.is_some_and(|entry| entry == sought) {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// True if a checkpoint covers a batch that was not covered when the reading began: the next audit reads it.
    async fn is_covered_since(&self, batch: i64) -> Result<bool> {
        let db = &self.ledger.db;
        let Some(row) = store::batch(db, batch).await? else {
            return Ok(false);
        };
        let Some(first) = row.first_index else {
            return Ok(false);
        };
        let now = store::state(db).await?;
        let end = first.checked_add(row.leaves);
        Ok(first >= self.size && now.zip(end).is_some_and(|(now, end)| end <= now.integrated))
    }

    /// The entries of a bundle, none if it cannot be read: the fault was noted before.
    async fn bundle(&mut self, place: u64) -> Result<&[Vec<u8>]> {
        if let Some(at) = self.kept.iter().position(|(kept, _)| *kept == place) {
            if let Some(found) = self.kept.remove(at) {
                self.kept.push_front(found);
            }
        } else {
            let node = Node {
                height: 0,
                index: place * WIDTH,
            };
            let entries = self.files().entries(Tile::of(node, self.size())).await;
            let entries = match entries {
                Ok(entries) => entries,
                Err(error)
                    if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidData) =>
                {
                    Vec::new()
                }
                Err(error) => return Err(Error::internal(error)),
            };
            self.kept.truncate(KEPT - 1);
            self.kept.push_front((place, entries));
        }
        Ok(self.kept.front().map_or(&[], |(_, entries)| entries))
    }
}
