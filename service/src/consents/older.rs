//! Entries in the ledger for consents that have none.

use uuid::Uuid;

use super::{
    Consents,
    writing::{self, MOST_BOUND},
};
use crate::{clock::Timestamp, error::Result};

impl Consents {
    /// Gives entries to all consents that were received before a time and stored without one, and returns their number. They
    /// prove that the consents existed from now on. A second run goes on where the first one ended, whatever ended it.
    pub(crate) async fn log_older(
        &self,
        before: Timestamp,
        told: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<u64> {
        let db = &self.db;
        let bound = db.for_each_open(
            (Uuid::nil(), Uuid::nil()),
            MOST_BOUND,
            async |after| writing::places_after(db, after).await,
            async |places| writing::bind_some(db, places, before).await,
            told,
        );
        Ok(bound.await?)
    }
}
