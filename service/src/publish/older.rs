//! Entries in the ledger for publications that have none.

use uuid::Uuid;

use super::{Publish, evidence, store};
use crate::error::Result;

/// Publications, or lists of pictures, that get their entries in one transaction.
const AT_ONCE: usize = 20;

impl Publish {
    /// Gives entries to all publications, and lists of their pictures, that have none, and returns their number.
    pub(crate) async fn log_older(&self, told: &(dyn Fn(u64) + Send + Sync)) -> Result<u64> {
        let mut all = 0;
        let mut after = (Uuid::nil(), Uuid::nil(), String::new());
        loop {
            let page = store::keys_after(&self.db, &after).await?;
            let Some((project, configuration, id, _)) = page.last() else {
                break;
            };
            after = (*project, *configuration, id.clone());
            let open = page.into_iter().filter(|(_, _, _, is_open)| *is_open);
            let open: Vec<store::Key> = open.map(|(one, two, id, _)| (one, two, id)).collect();
            for keys in open.chunks(AT_ONCE) {
                let begun = tokio::time::Instant::now();
                all += store::log_some(&self.db, keys).await?;
                told(all);
                self.db.leave_to_others(begun.elapsed()).await;
            }
        }
        after = (Uuid::nil(), Uuid::nil(), String::new());
        loop {
            let open = evidence::store::open_after(&self.db, &after).await?;
            let Some(last) = open.last() else {
                return Ok(all);
            };
            after = last.clone();
            for keys in open.chunks(AT_ONCE) {
                let begun = tokio::time::Instant::now();
                all += evidence::store::log_some(&self.db, keys).await?;
                told(all);
                self.db.leave_to_others(begun.elapsed()).await;
            }
        }
    }
}
