//! Reads proofs from the published files.

use std::{collections::BTreeSet, sync::PoisonError};

use proof::{
    Hash, base64,
    bundle::Stamp,
    inclusion,
    tile::{Tile, WIDTH},
    tree,
};

use super::{
    Ledger, folder, stamps,
    store::{self, CheckpointRow},
    tiles::Files,
};
use crate::{
    clock::Timestamp,
    error::{Error, Result},
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

/// An entry in the ledger with its proof.
#[derive(Clone, Debug)]
pub struct Leaf {
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
            if let Some((Some(first), leaves)) = store::batch(&self.db, batch).await?
                && first + leaves <= state.integrated
            {
                covered.insert(batch);
            }
        }
        Ok(covered)
    }

    /// The first entry of a batch that is sought; `None` until a checkpoint covers the batch.
    pub(crate) async fn prove(
        &self,
        batch: i64,
        sought: impl Fn(&[u8]) -> bool,
    ) -> Result<Option<Leaf>> {
        let Some(state) = store::state(&self.db).await? else {
            return Ok(None);
        };
        let Some((Some(first), leaves)) = store::batch(&self.db, batch).await? else {
            return Ok(None);
        };
        let end = first + leaves;
        let Some((size, note)) = self.vouched_for(end).await? else {
            return Ok(None);
        };
        let files = Files {
            objects: &self.objects,
            folder: folder(&state.origin),
        };
        let (first, end) = (first.unsigned_abs(), end.unsigned_abs());
        for place in first / WIDTH..end.div_ceil(WIDTH) {
            let node = tree::Node {
                height: 0,
                index: place * WIDTH,
            };
            let entries = files.entries(Tile::of(node, size)).await;
            let entries = entries.map_err(Error::internal)?;
            let found = (place * WIDTH..)
                .zip(entries)
                .find(|(index, entry)| (first..end).contains(index) && sought(entry));
            if let Some((index, entry)) = found {
                let path: Vec<Hash> = files.path(index, size).await.map_err(Error::internal)?;
                return Ok(Some(Leaf {
                    index,
                    entry,
                    proof: inclusion::text(index, &path, &note),
                }));
            }
        }
        Err(Error::internal(
            "an entry is not where its batch stands in the ledger",
        ))
    }

    /// Size and note of the earliest checkpoint over so many leaves that enough witnesses signed: the tightest bound on
    /// their time. Else of the earliest one.
    async fn vouched_for(&self, end: i64) -> Result<Option<(u64, String)>> {
        let Some(earliest) = store::checkpoint_over(&self.db, end).await? else {
            return Ok(None);
        };
        let found = match self.cosigned_by_enough(end).await? {
            Some(size) => store::checkpoint_over(&self.db, size).await?,
            None => None,
        };
        let CheckpointRow { size, note, .. } = found.unwrap_or(earliest);
        let note = self.with_cosignatures(size, note).await?;
        Ok(Some((size.unsigned_abs(), note)))
    }

    /// The note of a checkpoint with all signatures below it.
    async fn with_cosignatures(&self, size: i64, mut note: String) -> Result<String> {
        for cosignature in store::cosignatures_of(&self.db, &[size]).await? {
            note.push_str(&cosignature.line);
        }
        Ok(note)
    }

    /// The earliest time stamp over a published entry; `None` while there is none.
    pub(crate) async fn stamped(&self, index: u64) -> Result<Option<Stamped>> {
        let leaves = i64::try_from(index + 1).map_err(Error::internal)?;
        let found = stamps::store::over(&self.db, leaves).await?;
        let (Some(row), Some(state)) = (found, store::state(&self.db).await?) else {
            return Ok(None);
        };
        let files = Files {
            objects: &self.objects,
            folder: folder(&state.origin),
        };
        let path = files.path(index, row.size.unsigned_abs()).await;
        let path: Vec<Hash> = path.map_err(Error::internal)?;
        let note = self.with_cosignatures(row.size, row.note.clone()).await?;
        Ok(Some(Stamped {
            proof: inclusion::text(index, &path, &note),
            stamp: Stamp {
                url: row.url,
                checkpoint: row.note,
                token: base64(&row.token),
            },
        }))
    }

    /// The smallest size of at least `end` leaves that enough witnesses signed, among the next ones. A policy whose
    /// quorum is never met would make each proof read all of them, so they are remembered for a while.
    async fn cosigned_by_enough(&self, end: i64) -> Result<Option<i64>> {
        let Some(witnesses) = &self.settings.witnesses else {
            return Ok(None);
        };
        let names = witnesses.vkeys();
        let now = self.clock.now();
        let known = *self.unmet.lock().unwrap_or_else(PoisonError::into_inner);
        let known = known.filter(|known| known.is_fresh(now));
        let mut after = end - 1;
        // The last checkpoint that anybody signed may be signed by others still.
        let mut settled = after;
        let mut found = None;
        'pages: for _ in 0..MOST_PAGES {
            after = known.map_or(after, |known| known.passes(after));
            let page = store::cosignatures(&self.db, &names, after, PAGE).await?;
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
        let read = Unmet {
            after: end - 1,
            to: settled,
            read: now,
        };
        let unmet = known.map_or(read, |known| known.joined(read));
        *self.unmet.lock().unwrap_or_else(PoisonError::into_inner) = Some(unmet);
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
