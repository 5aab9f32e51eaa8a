//! Files of others: the Global Vendor List, its translations, Google's list of providers, and vendors' descriptions
//! of storage. A file is asked for when the time that its last answer gave is over, and never before: IAB Europe
//! blocks platforms that ask more often.

mod answer;
mod freshness;
mod store;

pub(super) use answer::{Answer, Content, ask};
pub(super) use freshness::weekly;
pub(super) use store::{all, one, wish};

use crate::{
    clock::Timestamp,
    db::{Db, DbError},
};

/// Shortest time between two calls for a file, whatever its answer says.
const LEAST_SECONDS: i64 = 3_600;
/// Longest pause after failures.
const MOST_PAUSE_SECONDS: i64 = 86_400;

domain::words! {
    /// The part of the frameworks that a file belongs to.
    pub enum Kind {
        /// The Global Vendor List.
        List = "list",
        /// Its texts in another language, which is the file's name.
        Texts = "texts",
        /// Google's list of providers.
        Providers = "providers",
        /// A vendor's description of its storage, which has the vendor's id for a name.
        Storage = "storage",
    }
}

/// A file of somebody else, and what is known of its last fetch.
#[derive(Clone, Debug, Default, PartialEq, Eq, sqlx::FromRow)]
pub struct File {
    /// Its name among those of its kind.
    pub name: String,
    /// Its address.
    pub url: String,
    /// SHA-256 of the content that was taken last.
    pub sha256: Option<String>,
    /// `ETag` of that content.
    pub etag: Option<String>,
    /// `Last-Modified` of that content.
    pub last_modified: Option<String>,
    /// The last try.
    pub tried_at: Option<Timestamp>,
    /// The last try that brought the content, or found it unchanged.
    pub fetched_at: Option<Timestamp>,
    /// The next try.
    pub due_at: i64,
    /// Tries since then that failed.
    pub failures: i64,
    /// The reason of the last failure.
    pub failure: Option<String>,
}

/// The end of a try.
pub(super) enum End {
    /// The content is taken, or is unchanged.
    Good {
        /// SHA-256 of the content.
        sha256: String,
    },
    /// There is no answer, or its content is not taken.
    Failed(String),
}

impl File {
    /// A file that nobody has asked for yet.
    pub(super) fn new(name: &str, url: String) -> Self {
        Self {
            name: name.to_owned(),
            url,
            ..Self::default()
        }
    }

    /// The same file at this address. Facts about another address say nothing about it.
    pub(super) fn at(self, url: String) -> Self {
        if self.url == url {
            return self;
        }
        Self::new(&self.name, url)
    }

    /// The time of the next try.
    pub fn due(&self) -> Timestamp {
        Timestamp(self.due_at)
    }

    /// True if it may be asked for.
    pub(super) fn is_due(&self, now: Timestamp) -> bool {
        self.due_at <= now.0
    }

    /// Records that a try begins.
    pub(super) async fn begin(
        &mut self,
        db: &Db,
        kind: Kind,
        now: Timestamp,
    ) -> Result<(), DbError> {
        self.due_at = now.plus_seconds(LEAST_SECONDS).0;
        store::put(db, kind, self).await
    }

    /// Records the end of a try that has begun. `otherwise` is the time of the next one where the answer does not say.
    pub(super) async fn settle(
        mut self,
        db: &Db,
        kind: Kind,
        (answer, end): (Answer, End),
        (now, otherwise): (Timestamp, Timestamp),
    ) -> Result<(), DbError> {
        let least = now.plus_seconds(LEAST_SECONDS);
        let fresh = answer.fresh_until.unwrap_or(otherwise).max(least);
        self.tried_at = Some(now);
        self.due_at = fresh.0;
        match end {
            End::Good { sha256 } => {
                self.sha256 = Some(sha256);
                // An answer without content may repeat them or not.
                self.etag = answer.etag.or(self.etag.filter(|_| answer.is_same));
                self.last_modified = answer
                    .last_modified
                    .or(self.last_modified.filter(|_| answer.is_same));
                self.fetched_at = Some(now);
                self.failures = 0;
                self.failure = None;
            }
            End::Failed(why) => {
                let doublings = u32::try_from(self.failures.clamp(0, 10)).unwrap_or_default();
                let pause = LEAST_SECONDS << doublings;
                let again = now.plus_seconds(pause.min(MOST_PAUSE_SECONDS));
                // A mistake may be said to hold for a year.
                let most = now.plus_seconds(MOST_PAUSE_SECONDS);
                let said = answer.retry_at.or(answer.fresh_until);
                self.due_at = said.map_or(again, |said| said.min(most).max(again)).0;
                self.failures += 1;
                self.failure = Some(told(&why));
            }
        }
        store::put(db, kind, &self).await
    }
}

/// Records that a try begins, if the file may be asked for at this address. `None` if it may not, because
/// somebody else has asked meanwhile.
pub(super) async fn claim(
    db: &Db,
    kind: Kind,
    name: &str,
    url: &str,
    now: Timestamp,
) -> Result<Option<File>, DbError> {
    let until = now.plus_seconds(LEAST_SECONDS);
    if store::claim(db, kind, name, url, (now, until)).await? {
        store::one(db, kind, name).await
    } else {
        Ok(None)
    }
}

/// Characters of a reason that are kept: it may quote a file of somebody else.
const MOST_TOLD: usize = 500;

/// A reason as it is stored and shown.
fn told(why: &str) -> String {
    let plain = why.chars().map(|c| if c.is_control() { ' ' } else { c });
    plain.take(MOST_TOLD).collect()
}
