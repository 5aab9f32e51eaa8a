//! Entries in the ledger for consents that have none.

use uuid::Uuid;

use super::{
    Consents,
    writing::{self, MOST_BOUND, Place},
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
        let (mut after, mut all) = ((Uuid::nil(), Uuid::nil()), 0);
        loop {
            let page = writing::places_after(&self.db, after).await?;
            let Some((project, consent, _)) = page.last() else {
                return Ok(all);
            };
            after = (*project, *consent);
            let open = page.into_iter().filter(|(_, _, is_open)| *is_open);
            let open: Vec<Place> = open
                .map(|(project, consent, _)| (project, consent))
                .collect();
            for places in open.chunks(MOST_BOUND) {
                let begun = tokio::time::Instant::now();
                all += writing::bind_some(&self.db, places, before).await?;
                told(all);
                self.db.leave_to_others(begun.elapsed()).await;
            }
        }
    }
}
