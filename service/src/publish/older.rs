//! Entries in the ledger for publications that have none.

use super::{Publish, evidence, store};
use crate::error::Result;

impl Publish {
    /// Gives entries to all publications, and lists of their pictures, that have none, and returns their number.
    pub(crate) async fn log_older(&self, told: &(dyn Fn(u64) + Send + Sync)) -> Result<u64> {
        let mut all = 0;
        loop {
            let publications = store::log_some(&self.db).await?;
            let pictures = evidence::store::log_some(&self.db).await?;
            if publications + pictures == 0 {
                return Ok(all);
            }
            all += publications + pictures;
            told(all);
        }
    }
}
