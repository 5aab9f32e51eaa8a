//! Bounds of the bytes that accounts make the server keep, and of the disk.
//!
//! Documents and files can be deleted, so the sum of an account's is bounded. Publishes and imported consents are
//! kept as proofs, so their bytes are bounded by the day. New accounts may do a tenth of both, because a stranger can
//! make many. Consents of visitors are counted by neither: when the disk is nearly full, what is left is for them.

mod store;

use std::{collections::BTreeMap, path::PathBuf};

use domain::error_code::ErrorCode;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    clock::{SharedClock, Timestamp},
    counts::Counts,
    db::{Db, Tx},
    error::{Error, Result},
    prefix::{Prefix, Subscriber},
};
pub use store::Usage;

/// Days for which an account is new.
const NEW_DAYS: i64 = 7;
/// A new account may do this part of the limits.
const NEW_PART: u64 = 10;
/// A network makes so many times more accounts for people who are invited.
const INVITED_TIMES: u32 = 5;
/// Bytes that a row takes beside its content.
pub(crate) const OF_A_ROW: u64 = 1_000;
/// Imports of an account that may fail on a day (UTC) without a price. They write to the disk like others.
const FREE_FAILURES: u32 = 5;
/// Days for which the written bytes of accounts are remembered, for the operator.
const REMEMBERED_DAYS: i64 = 30;

/// Limits of an account.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of the documents that it made and the files that it uploaded, those in the trash too.
    pub held: u64,
    /// Bytes that its publishes and imports write on a day (UTC).
    pub written: u64,
    /// Accounts that a network makes on a day (UTC).
    pub accounts: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            held: 2_000_000_000,
            written: 1_000_000_000,
            accounts: 20,
        }
    }
}

/// Settings of the bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Limits of each account; `None` if nothing is limited.
    pub limits: Option<Limits>,
    /// Bytes of the disk that stay free for the consents of visitors.
    pub keep_free: u64,
}

/// The purpose of written bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum For {
    /// Anything new.
    New,
    /// An earlier publish goes live again. It may take as much once more, also from a disk that is nearly full: a mistake must
    /// be undone at once.
    PutBack,
}

impl For {
    /// The purpose of a publish.
    pub(crate) fn of(puts_back: bool) -> Self {
        if puts_back { Self::PutBack } else { Self::New }
    }
}

/// The bounds.
pub(crate) struct Quota {
    settings: Settings,
    /// A folder of the disk that is watched.
    folder: PathBuf,
    clock: SharedClock,
    /// Accounts that each network made on a day (UTC), so that nobody gets many quotas by many accounts.
    arrivals: Counts<Prefix>,
    /// The same for people who were invited.
    invited: Counts<Prefix>,
    /// Imports that each account was given its bytes back for on a day (UTC).
    failures: Counts<Uuid>,
}

impl Quota {
    pub(crate) fn new(settings: Settings, folder: PathBuf, clock: SharedClock) -> Self {
        Self {
            settings,
            folder,
            clock,
            arrivals: Counts::default(),
            invited: Counts::default(),
            failures: Counts::default(),
        }
    }

    /// Refuses new bytes while the disk is nearly full.
    pub(crate) fn room(&self) -> Result<()> {
        match free(&self.folder) {
            Some(free) if free < self.settings.keep_free => Err(Error::DiskLow),
            // A disk that tells nothing refuses writes itself when it is full.
            _ => Ok(()),
        }
    }

    /// Counts bytes of documents and files that an account holds from now on, or no longer. Refuses more than it may hold.
    pub(crate) async fn hold(&self, tx: &mut Tx, account: Uuid, bytes: i64) -> Result<()> {
        let held = store::hold(tx, account, bytes).await?;
        if bytes <= 0 {
            return Ok(());
        }
        self.room()?;
        let Some(limits) = self.settings.limits else {
            return Ok(());
        };
        let most = self.most(limits.held, held.since);
        if u64::try_from(held.bytes).unwrap_or(0) <= most {
            return Ok(());
        }
        let detail = format!(
            "This account would hold more than {} of documents and files, as much as an account{} may. \
             Delete some; those in the trash count until they are gone.",
            megabytes(most),
            self.of_new(held.since),
        );
        Err(Error::conflict(None, ErrorCode::AccountFull, detail))
    }

    /// Counts bytes that other people make an account hold, such as renders that visitors ask for. Returns false if the
    /// bytes must not be kept. They are kept while the account holds at most half of its limit. The other half stays free
    /// for its own uploads.
    pub(crate) async fn hold_for_others(
        &self,
        tx: &mut Tx,
        account: Uuid,
        bytes: i64,
    ) -> Result<bool> {
        if self.room().is_err() {
            return Ok(false);
        }
        let held = store::hold(tx, account, bytes).await?;
        Ok(self.settings.limits.is_none_or(|limits| {
            u64::try_from(held.bytes).unwrap_or(0) <= self.most(limits.held, held.since) / 2
        }))
    }

    /// Counts bytes that an account writes and that stay, and refuses more than those of a day. Returns the day (UTC)
    /// that they count for.
    pub(crate) async fn spend(
        &self,
        tx: &mut Tx,
        account: Uuid,
        bytes: u64,
        purpose: For,
    ) -> Result<i64> {
        let times = match purpose {
            For::New => {
                self.room()?;
                1
            }
            For::PutBack => 2,
        };
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let day = self.clock.now().day();
        let spent = store::spend(tx, account, day, bytes).await?;
        let Some(limits) = self.settings.limits else {
            return Ok(day);
        };
        let most = self.most(limits.written, spent.since);
        if u64::try_from(spent.bytes).unwrap_or(0) <= most.saturating_mul(times) {
            return Ok(day);
        }
        let detail = format!(
            "This account would publish and import more than {} on a day (UTC), as much as an account{} may. \
             Go on tomorrow.",
            megabytes(most),
            self.of_new(spent.since),
        );
        Err(Error::conflict(None, ErrorCode::DayFull, detail))
    }

    /// Makes an account for a client of a network, unless that has made too many. Invited people have a bound of their
    /// own: many may come from one place, and every account may invite.
    pub(crate) async fn arrival<T>(
        &self,
        network: Option<Subscriber>,
        is_invited: bool,
        make: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        self.room()?;
        let limits = self.settings.limits;
        let Some((network, limits)) = network.zip(limits) else {
            return make.await;
        };
        let day = self.clock.now().day();
        let (arrivals, most, way_out) = if is_invited {
            let most = limits.accounts.saturating_mul(INVITED_TIMES);
            (&self.invited, most, "")
        } else {
            (
                &self.arrivals,
                limits.accounts,
                ", or ask for an invitation",
            )
        };
        if let Err(most) = arrivals.add_of(network, day, most) {
            let detail = format!(
                "Your network has made {most} accounts today (UTC), as many as it may. Go on tomorrow{way_out}."
            );
            return Err(Error::forbidden(ErrorCode::TooManyAccounts, detail));
        }
        let made = make.await;
        if made.is_err() {
            arrivals.take_back_of(network, day);
        }
        made
    }

    fn is_new(&self, since: Option<Timestamp>) -> bool {
        since.is_some_and(|since| since > self.clock.now().plus_days(-NEW_DAYS))
    }

    fn most(&self, limit: u64, since: Option<Timestamp>) -> u64 {
        if self.is_new(since) {
            limit / NEW_PART
        } else {
            limit
        }
    }

    fn of_new(&self, since: Option<Timestamp>) -> String {
        if self.is_new(since) {
            format!(" in its first {NEW_DAYS} days")
        } else {
            String::new()
        }
    }

    /// The accounts that hold and write most, the largest first.
    pub(crate) async fn largest(&self, db: &Db, most: u32) -> Result<Vec<Usage>> {
        let since = self.clock.now().day() - REMEMBERED_DAYS;
        Ok(store::largest(db, since, most).await?)
    }

    /// Takes bytes back that an account did not write, from the day that they were counted for.
    pub(crate) async fn refund(
        &self,
        tx: &mut Tx,
        (account, day): (Uuid, i64),
        bytes: u64,
    ) -> Result<()> {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        Ok(store::refund(tx, account, day, bytes).await?)
    }

    /// Takes the bytes of an import back that failed, by the days that they were counted for, if it is one of the first
    /// few of today.
    pub(crate) async fn refund_failed(
        &self,
        db: &Db,
        account: Uuid,
        spent: &BTreeMap<i64, u64>,
    ) -> Result<()> {
        let today = self.clock.now().day();
        if !self.failures.add(account, today, FREE_FAILURES) {
            return Ok(());
        }
        let mut tx = db.begin().await?;
        for (day, bytes) in spent {
            self.refund(&mut tx, (account, *day), *bytes).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Counts again what accounts hold: trash that is gone, and documents of a process of the release before.
    pub(crate) async fn recount(&self, db: &Db) -> Result<()> {
        store::weigh(db, OF_A_ROW.cast_signed()).await?;
        let (sums, counts) = store::sums(db).await?;
        for (account, count) in counts {
            let sum = sums.get(&account).copied().unwrap_or(0);
            if sum != count {
                store::correct(db, account, count, sum).await?;
            }
        }
        Ok(())
    }

    /// Forgets the counts of days that nobody asks for any more.
    pub(crate) async fn forget_old(&self, db: &Db) -> Result<()> {
        let before = self.clock.now().day() - REMEMBERED_DAYS;
        Ok(store::forget(db, before).await?)
    }
}

/// Bytes that a document takes.
pub(crate) fn weight(data: &Value) -> i64 {
    let bytes = serde_json::to_vec(data).map_or(0, |json| json.len() as u64);
    i64::try_from(OF_A_ROW + bytes).unwrap_or(i64::MAX)
}

/// Free bytes of the disk with this folder, as far as it tells.
pub fn free(folder: &std::path::Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// A number of bytes for people.
pub fn megabytes(bytes: u64) -> String {
    let digits = bytes.div_ceil(1_000_000).to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + " MB"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_in_megabytes() {
        assert_eq!(megabytes(0), "0 MB");
        assert_eq!(megabytes(1), "1 MB");
        assert_eq!(megabytes(200_000_000), "200 MB");
        assert_eq!(megabytes(2_000_000_000), "2,000 MB");
        assert_eq!(megabytes(1_234_567_000_000), "1,234,567 MB");
    }
}
