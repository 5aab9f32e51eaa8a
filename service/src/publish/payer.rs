//! The account that a publish is counted for, and the bytes that it has paid for.

use std::collections::BTreeMap;

use uuid::Uuid;

use super::{
    OF_A_JOB, Publish,
    stop::{Done, Stop},
    store,
};
use crate::quota::For;

/// The files of the publish and the rows of its publications, beside the keys of copies.
pub(super) const FILES: &str = "files";

/// The warnings of the publish.
pub(super) const WARNINGS: &str = "warnings";
/// The reasons for which it failed.
pub(super) const FAILURE: &str = "failure";

/// The account that a publish is counted for; none for one of the product.
pub(super) struct Payer<'a> {
    pub publish: &'a Publish,
    pub job: Uuid,
    pub person: Option<Uuid>,
    pub purpose: For,
}

impl Payer<'_> {
    /// Counts bytes that the publish is about to store. An attempt pays nothing for a thing that an attempt before it has
    /// paid for: that one may have died before it stored the thing.
    pub async fn pay(&self, thing: &str, bytes: usize) -> Done {
        let Some(person) = self.person else {
            return Ok(());
        };
        let Publish { db, quota, .. } = self.publish;
        let mut tx = db.begin().await?;
        let paid = store::paid(&mut tx, self.job).await?;
        let mut paid: BTreeMap<String, u64> = paid
            .and_then(|paid| serde_json::from_str(&paid).ok())
            .unwrap_or_default();
        let bytes = bytes as u64;
        let before = paid.insert(thing.to_owned(), bytes).unwrap_or_default();
        if bytes <= before {
            return Ok(());
        }
        let owed = bytes - before;
        quota.spend(&mut tx, person, owed, self.purpose).await?;
        let paid = serde_json::to_string(&paid);
        let paid = paid.map_err(|error| Stop::Later(error.to_string()))?;
        store::set_paid(&mut tx, self.job, &paid).await?;
        tx.commit().await?;
        self.publish.crash_point("paid");
        Ok(())
    }

    /// Counts the bytes of words about documents that the job is about to keep, as far as the price of the job does not
    /// cover them.
    pub async fn pay_for_words(&self, thing: &str, bytes: usize) -> Done {
        let covered = usize::try_from(OF_A_JOB).unwrap_or(usize::MAX);
        match bytes.saturating_sub(covered) {
            0 => Ok(()),
            more => self.pay(thing, more).await,
        }
    }
}
