//! Entries in the ledger for publications that have none.

use uuid::Uuid;

use super::{
    Publish,
    entries::{self, Key},
    evidence,
};
use crate::error::Result;

/// Publications, or lists of pictures, that get their entries in one transaction.
const AT_ONCE: usize = 20;

impl Publish {
    /// Gives entries to all publications, and lists of their pictures, that have none, and returns their number.
    pub(crate) async fn log_older(&self, told: &(dyn Fn(u64) + Send + Sync)) -> Result<u64> {
        let db = &self.db;
        let first: Key = (Uuid::nil(), Uuid::nil(), String::new());
        let publications = db
            .for_each_open(
                first.clone(),
                AT_ONCE,
                async |after| entries::keys_after(db, after).await,
                async |keys| entries::log_some(db, keys).await,
                told,
            )
            .await?;
        let pictures = db.for_each_open(
            first,
            AT_ONCE,
            async |after| evidence::store::lists_after(db, after).await,
            async |keys| evidence::store::log_some(db, keys).await,
            |done| told(publications + done),
        );
        Ok(publications + pictures.await?)
    }
}
