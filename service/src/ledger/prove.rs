//! Reads proofs from the published files.

use std::{collections::BTreeSet, io::ErrorKind, sync::PoisonError};

use domain::error_code::ErrorCode;

use proof::{
    Hash, base64,
    bundle::Stamp,
    inclusion,
    tile::{Tile, WIDTH},
    tree,
};

use super::{
    Ledger,
    retired::store as retired,
    store::{self, BatchRow},
    tiles::Files,
};
use crate::{
    clock::Timestamp,
    error::{Error, Result},
    objects::Objects,
};

/// Cosignatures that are read at a time.
const PAGE: i64 = 256;
/// Most pages until a proof goes without witnesses: three of them for a hundred days.
const MOST_PAGES: usize = 32;
/// Seconds for which sizes without enough cosignatures are remembered. The many proofs of a dossier read them once.
const REMEMBERED: i64 = 10;

/// Sizes above `after` up to `to`, of which none had enough cosignatures when they were read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unmet {
    after: i64,
    to: i64,
    read: Timestamp,
}

impl Unmet {
    fn is_fresh(&self, now: Timestamp) -> bool {
        self.read <= now && now < self.read.plus_seconds(REMEMBERED)
    }

    /// The size from which on a search above `after` has to read.
    fn passes(&self, after: i64) -> i64 {
        if (self.after..=self.to).contains(&after) {
            self.to
        } else {
            after
        }
    }

    /// Both if they meet, else the longer one.
    fn joined(self, other: Self) -> Self {
        if self.after <= other.to && other.after <= self.to {
            return Self {
                after: self.after.min(other.after),
                to: self.to.max(other.to),
                read: self.read.min(other.read),
            };
        }
        if self.to - self.after < other.to - other.after {
            other
        } else {
            self
        }
    }
}

/// The ledger that an entry stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The number of one that has ended; `None` for the present one.
    pub retired: Option<i64>,
    origin: String,
    /// Tiles of leaves below this index may be gone.
    pruned: u64,
    /// Its published leaves.
    size: u64,
}

impl Tree {
    fn files<'a>(&'a self, objects: &'a Objects) -> Files<'a> {
        Files::new(objects, &self.origin).or_larger_of(self.size)
    }

    /// True if a file below an index is missing because it is older than the ledger is kept, or lost with the end of a ledger.
    fn lacks(&self, error: &std::io::Error, index: u64) -> bool {
        error.kind() == ErrorKind::NotFound && (self.retired.is_some() || index < self.pruned)
    }
}

fn removed() -> Error {
    Error::Gone {
        code: ErrorCode::EntryRemoved,
        detail: "The entry was removed from the ledger of this server, because it is older than it is kept, or its file was \
                 lost. Proofs that were made before stay good."
            .to_owned(),
    }
}

/// A checkpoint that a proof is against.
struct Vouched {
    size: u64,
    /// With all signatures.
    note: String,
}

/// An entry in the ledger with its proof.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its ledger.
    pub tree: Tree,
    /// Its index.
    pub index: u64,
    /// The entry.
    pub entry: Vec<u8>,
    /// A tlog-proof text against the earliest checkpoint over it that enough witnesses signed, else against the
    /// earliest one. All signatures stand below it.
    pub proof: String,
}

/// A time stamp over an entry.
#[derive(Clone, Debug)]
pub struct Stamped {
    /// A tlog-proof text against the stamped checkpoint.
    pub proof: String,
    /// The stamp.
    pub stamp: Stamp,
}

impl Ledger {
    /// Those of these batches that published checkpoints cover.
    pub(crate) async fn covered(
        &self,
        batches: impl Iterator<Item = i64>,
    ) -> Result<BTreeSet<i64>> {
        let mut covered = BTreeSet::new();
        let Some(state) = store::state(&self.db).await? else {
            return Ok(covered);
        };
        for batch in batches.collect::<BTreeSet<_>>() {
            if let Some(row) = store::batch(&self.db, batch).await?
                && let Some(first) = row.first_index
                && (row.retired_in.is_some() || first + row.leaves <= state.integrated)
            {
                covered.insert(batch);
            }
        }
        Ok(covered)
    }

    /// The ledger that a batch stands in.
    async fn tree_of(&self, batch: &BatchRow) -> Result<Option<Tree>> {
        Ok(match batch.retired_in {
            None => store::state(&self.db).await?.map(|state| Tree {
                retired: None,
                origin: state.origin,
                pruned: state.pruned.unsigned_abs(),
                size: state.integrated.unsigned_abs(),
            }),
            Some(number) => retired::one(&self.db, number).await?.map(|row| Tree {
                retired: Some(row.number),
                origin: row.origin,
                pruned: row.pruned.unsigned_abs(),
                size: row.size.unsigned_abs(),
            }),
        })
    }

    /// The first entry of a batch that is sought; `None` until a checkpoint covers the batch. [`Error::Gone`] if it was
    /// removed because it is older than the ledger is kept.
    pub(crate) async fn prove(
        &self,
        batch: i64,
        sought: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<Leaf>> {
        let Some(batch) = store::batch(&self.db, batch).await? else {
            return Ok(None);
        };
        let (Some(first), Some(tree)) = (batch.first_index, self.tree_of(&batch).await?) else {
            return Ok(None);
        };
        let end = first + batch.leaves;
        let Some(vouched) = self.vouched_for(&tree, end).await? else {
            // One that has ended gets no more checkpoints.
            return tree.retired.map_or(Ok(None), |_| Err(removed()));
        };
        let files = tree.files(&self.objects);
        let (first, end) = (first.unsigned_abs(), end.unsigned_abs());
        let mut is_removed = false;
        for place in first / WIDTH..end.div_ceil(WIDTH) {
            let index = place * WIDTH;
            let node = tree::Node { height: 0, index };
            let entries = match files.entries(Tile::of(node, vouched.size)).await {
                Err(error) if tree.lacks(&error, index) => {
                    is_removed = true;
                    continue;
                }
                entries => entries.map_err(Error::internal)?,
            };
            let found = (index..)
                .zip(entries)
                .find(|(index, entry)| (first..end).contains(index) && sought(entry));
            if let Some((index, entry)) = found {
                let proof = self.path_text(&tree, index, vouched).await?;
                return Ok(Some(Leaf {
                    tree,
                    index,
                    entry,
                    proof,
                }));
            }
        }
        if is_removed {
            return Err(removed());
        }
        Err(Error::internal(
            "an entry is not where its batch stands in the ledger",
        ))
    }

    /// The proof of an index against a checkpoint. Against a later one if a tile at the right edge of that checkpoint is gone.
    async fn path_text(&self, tree: &Tree, index: u64, vouched: Vouched) -> Result<String> {
        let files = tree.files(&self.objects);
        let Vouched { size, note } = vouched;
        let (path, note) = match files.path(index, size).await {
            Err(error) if tree.lacks(&error, size) => {
                let least = tree.pruned.max(index + 1);
                let later = self.vouched_for(tree, least.cast_signed()).await?;
                let later = later.ok_or_else(removed)?;
                match files.path(index, later.size).await {
                    Err(error) if tree.lacks(&error, later.size) => return Err(removed()),
                    path => (path, later.note),
                }
            }
            path => (path, note),
        };
        let path: Vec<Hash> = path.map_err(Error::internal)?;
        Ok(inclusion::text(index, &path, &note))
    }

    /// The earliest checkpoint over so many leaves that enough witnesses signed: the tightest bound on their time. Else the
    /// earliest one.
    async fn vouched_for(&self, tree: &Tree, end: i64) -> Result<Option<Vouched>> {
        let Some(earliest) = store::checkpoint_over(&self.db, tree.retired, end).await? else {
            return Ok(None);
        };
        let found = match self.cosigned_by_enough(tree, end).await? {
            Some(size) => store::checkpoint_over(&self.db, tree.retired, size).await?,
            None => None,
        };
        let (size, note) = found.unwrap_or(earliest);
        let note = self.with_ml_dsa(tree, note).await?;
        let note = self.with_cosignatures(tree, size, note).await?;
        let size = size.unsigned_abs();
        Ok(Some(Vouched { size, note }))
    }

    /// The note of a checkpoint with the lines of the keys for ML-DSA-44. Those of a ledger that has ended are destroyed.
    async fn with_ml_dsa(&self, tree: &Tree, mut note: String) -> Result<String> {
        if tree.retired.is_none() {
            note.push_str(&self.ml_dsa_lines(&tree.origin, &note).await?);
        }
        Ok(note)
    }

    /// The note of a checkpoint with the signatures of witnesses below it.
    async fn with_cosignatures(&self, tree: &Tree, size: i64, mut note: String) -> Result<String> {
        for cosignature in store::cosignatures_of(&self.db, tree.retired, &[size]).await? {
            note.push_str(&cosignature.line);
        }
        Ok(note)
    }

    /// The earliest time stamp over a published entry whose proof can be made; `None` while there is none.
    pub(crate) async fn stamped(&self, leaf: &Leaf) -> Result<Option<Stamped>> {
        let (tree, index) = (&leaf.tree, leaf.index);
        let leaves = i64::try_from(index + 1).map_err(Error::internal)?;
        let files = tree.files(&self.objects);
        for leaves in [leaves, tree.pruned.cast_signed()] {
            let Some(row) = store::stamp_over(&self.db, tree.retired, leaves).await? else {
                return Ok(None);
            };
            let size = row.size.unsigned_abs();
            let path = match files.path(index, size).await {
                // A tile at the right edge of that checkpoint is gone.
                Err(error) if tree.lacks(&error, size) => continue,
                path => path.map_err(Error::internal)?,
            };
            let signed = self.with_ml_dsa(tree, row.note).await?;
            let note = self
                .with_cosignatures(tree, row.size, signed.clone())
                .await?;
            return Ok(Some(Stamped {
                proof: inclusion::text(index, &path, &note),
                stamp: Stamp {
                    url: row.url,
                    checkpoint: signed,
                    token: base64(&row.token),
                },
            }));
        }
        Ok(None)
    }

    /// The smallest size of at least `end` leaves that enough witnesses signed, among the next ones. A policy whose
    /// quorum is never met would make each proof read all of them, so they are remembered for a while.
    async fn cosigned_by_enough(&self, tree: &Tree, end: i64) -> Result<Option<i64>> {
        let Some(witnesses) = &self.settings.witnesses else {
            return Ok(None);
        };
        let names = witnesses.vkeys();
        let now = self.clock.now();
        let memory = self.memory();
        let known = *memory.unmet.lock().unwrap_or_else(PoisonError::into_inner);
        // Only of the present ledger.
        let known = known.filter(|known| known.is_fresh(now) && tree.retired.is_none());
        let mut after = end - 1;
        // The last checkpoint that anybody signed may be signed by others still.
        let mut settled = after;
        let mut found = None;
        'pages: for _ in 0..MOST_PAGES {
            after = known.map_or(after, |known| known.passes(after));
            let span = (after, PAGE);
            let page = store::cosignatures(&self.db, tree.retired, &names, span).await?;
            let is_last = (page.len() as i64) < PAGE;
            let mut groups: Vec<_> = page.chunk_by(|one, two| one.size == two.size).collect();
            // The page may end within a checkpoint.
            if !is_last && groups.len() > 1 {
                groups.pop();
            }
            for group in groups {
                if let Some(first) = group.first() {
                    if witnesses.met(group).is_some() {
                        found = Some(first.size);
                        settled = after;
                        break 'pages;
                    }
                    settled = after;
                    after = first.size;
                }
            }
            if is_last {
                break;
            }
        }
        if tree.retired.is_some() {
            return Ok(found);
        }
        let read = Unmet {
            after: end - 1,
            to: settled,
            read: now,
        };
        let unmet = known.map_or(read, |known| known.joined(read));
        *memory.unmet.lock().unwrap_or_else(PoisonError::into_inner) = Some(unmet);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_without_enough_cosignatures_are_read_once_for_a_while() {
        let unmet = |after, to, seconds: i64| Unmet {
            after,
            to,
            read: Timestamp(seconds * 1_000_000),
        };
        let known = unmet(10, 20, 100);
        let starts = [9, 10, 15, 20, 21].map(|after| known.passes(after));
        assert_eq!(starts, [9, 20, 20, 20, 21]);
        let fresh = [99, 100, 109, 110].map(|now| known.is_fresh(unmet(0, 0, now).read));
        assert_eq!(fresh, [false, true, true, false]);
        let joined = known.joined(unmet(5, 12, 104));
        assert_eq!((joined.after, joined.to), (5, 20));
        assert!(
            joined.is_fresh(Timestamp(109_000_000)) && !joined.is_fresh(Timestamp(110_000_000))
        );
        assert_eq!(known.joined(unmet(21, 30, 100)).to, 20);
        assert_eq!(known.joined(unmet(21, 40, 100)).after, 21);
    }
}
