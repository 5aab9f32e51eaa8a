//! Reads proofs from the published files.

use std::collections::BTreeSet;

use proof::{
    Hash, inclusion,
    tile::{Tile, WIDTH},
    tree,
};

use super::{
    Ledger, folder,
    store::{self, CheckpointRow},
    tiles::Files,
};
use crate::error::{Error, Result};

/// Cosignatures that are read at a time.
const PAGE: i64 = 256;
/// Most pages until a proof goes without witnesses: three of them for a hundred days.
const MOST_PAGES: usize = 32;

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
        let CheckpointRow { size, mut note, .. } = found.unwrap_or(earliest);
        for cosignature in store::cosignatures_of(&self.db, size).await? {
            note.push_str(&cosignature.line);
        }
        Ok(Some((size.unsigned_abs(), note)))
    }

    async fn cosigned_by_enough(&self, end: i64) -> Result<Option<i64>> {
        let Some(witnesses) = &self.settings.witnesses else {
            return Ok(None);
        };
        let mut after = end - 1;
        for _ in 0..MOST_PAGES {
            let page = store::cosignatures(&self.db, after, PAGE).await?;
            let is_last = (page.len() as i64) < PAGE;
            let mut groups: Vec<_> = page.chunk_by(|one, two| one.size == two.size).collect();
            // The page may end within a checkpoint.
            if !is_last && groups.len() > 1 {
                groups.pop();
            }
            for group in groups {
                if let Some(first) = group.first() {
                    after = first.size;
                    if witnesses.met(group).is_some() {
                        return Ok(Some(after));
                    }
                }
            }
            if is_last {
                break;
            }
        }
        Ok(None)
    }
}
