//! Pruning (c2sp.org/tlog-tiles): entries that are older than `--ledger-keep-years` go, and the hashes of their leaves with
//! them. The hashes above the leaves stay, so each root can still be computed, and proofs that were given out stay good.

use proof::tile::WIDTH;

use super::{BREATH, Ledger, MOST_ROUNDS, retired::store as retired, store, tiles::Files};
use crate::error::{Error, Result};

/// Days of a year, rather too many than too few.
const YEAR: i64 = 366;
/// Tiles of leaves that are removed between two pauses.
const STEP: u64 = 64;

impl Ledger {
    /// Removes some of what is older than `--ledger-keep-years`, also of ledgers that have ended. The minimum index is
    /// published before anything goes. A ledger that stands still loses nothing.
    pub async fn prune(&self) -> Result<()> {
        let (Some(years), true) = (self.settings.keep_years, self.settings.on) else {
            return Ok(());
        };
        let Some(state) = store::state(&self.db).await? else {
            return Ok(());
        };
        if state.stopped.is_some() {
            return Ok(());
        }
        let before = self.clock.now().plus_days(-YEAR * i64::from(years));
        let width = WIDTH as i64;
        retired::prune(&self.db, before, width).await?;
        if let Some(size) = store::swept_before(&self.db, before).await? {
            // A tile goes as a whole.
            let to = size - size % width;
            if store::prune(&self.db, to).await? {
                tracing::info!(
                    to,
                    "entries below this index are older than the ledger is kept"
                );
            }
        }
        self.remove_pruned(None, &state.origin, state.integrated)
            .await?;
        for row in retired::all(&self.db).await? {
            self.remove_pruned(Some(row.number), &row.origin, row.size)
                .await?;
        }
        Ok(())
    }

    /// Removes files below the minimum index: of the present ledger, or of that with a number.
    async fn remove_pruned(&self, number: store::Number, origin: &str, size: i64) -> Result<()> {
        let files = Files::new(&self.objects, origin);
        let size = size.unsigned_abs();
        for _ in 0..MOST_ROUNDS {
            let Some((pruned, removed)) = store::pruned(&self.db, number).await? else {
                break;
            };
            let (pruned, removed) = (pruned.unsigned_abs(), removed.unsigned_abs());
            if removed >= pruned {
                break;
            }
            let to = pruned.min(removed + STEP * WIDTH);
            for index in removed / WIDTH..to / WIDTH {
                files.prune(index, size).await.map_err(Error::internal)?;
            }
            store::removed(&self.db, number, to.cast_signed()).await?;
            tokio::time::sleep(BREATH).await;
        }
        Ok(())
    }
}
