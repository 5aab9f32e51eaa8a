//! Entries in the ledger for consents that have none.

use uuid::Uuid;

use super::{Consents, writing};
use crate::error::Result;

impl Consents {
    /// Gives entries to all consents that were stored without one, and returns their number. They prove that the consents
    /// existed from now on. Publications that they name need their entries first. A second run goes on where the first
    /// one ended, whatever ended it.
    pub(crate) async fn log_older(&self, told: &(dyn Fn(u64) + Send + Sync)) -> Result<u64> {
        let (mut after, mut all) = ((Uuid::nil(), Uuid::nil()), 0);
        while let Some((last, count)) = writing::bind_some(&self.db, after).await? {
            (after, all) = (last, all + count);
            told(all);
        }
        Ok(all)
    }
}
