//! Reads proofs from the published files.

use std::collections::BTreeSet;

use proof::{
    Hash, inclusion,
    tile::{Tile, WIDTH},
    tree,
};

use super::{Ledger, folder, store, tiles::Files};
use crate::error::{Error, Result};

/// An entry in the ledger with its proof.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// Its index.
    pub index: u64,
    /// The entry.
    pub entry: Vec<u8>,
    /// A tlog-proof text against the earliest checkpoint over it.
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
        let Some(checkpoint) = store::checkpoint_over(&self.db, end).await? else {
            return Ok(None);
        };
        let files = Files {
            objects: &self.objects,
            folder: folder(&state.origin),
        };
        let size = checkpoint.size.unsigned_abs();
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
                    proof: inclusion::text(index, &path, &checkpoint.note),
                }));
            }
        }
        Err(Error::internal(
            "an entry is not where its batch stands in the ledger",
        ))
    }
}
