//! The Global Vendor List of IAB Europe, and what is published by it.
//!
//! Lists come from an operator's import. The table keeps facts about each; their bodies are objects that are never
//! removed, because a publication that used one can be shown again. The latest list is in use: it is looked up at
//! each publish, so one that another process imports is used by the next publish.

mod bodies;
mod import;
mod sources;
mod store;

use std::sync::{Arc, Mutex};

pub use import::{ImportFault, Imported};
pub(crate) use sources::{Decided, Sources, Unready};

use domain::tcf::{List, Texts};

use crate::{
    clock::{SharedClock, Timestamp},
    context::Context,
    db::Db,
    error::Result,
    objects::Objects,
};

/// Most bytes of a list or a translation. The list of 2026 has about 1.5 MB.
pub const MOST_BYTES: usize = 8_000_000;
/// Days after which a list that is in use is old: a new one comes each week.
const OLD_DAYS: i64 = 30;

/// The consent management platform that configurations are published by.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Its number at IAB Europe; without one no configuration with the layout `iab` is published.
    pub cmp_id: Option<u16>,
    /// True if the number is for tests: what is published shows the demo banner.
    pub is_test: bool,
}

/// Facts about a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListFacts {
    /// Version.
    pub version: u16,
    /// Version of the policies.
    pub policy: u8,
    /// The time that the list names.
    pub updated_at: Timestamp,
    /// The time at which this server got it.
    pub fetched_at: Timestamp,
    /// Its origin.
    pub source: String,
    /// SHA-256 of its bytes, in hexadecimal. The list is not signed.
    pub sha256: String,
}

impl ListFacts {
    /// True if visitors should be shown a later one.
    pub fn is_old(&self, now: Timestamp) -> bool {
        self.updated_at < now.plus_days(-OLD_DAYS)
    }
}

/// The list that is in use, and its translations.
#[derive(Clone, Debug)]
pub struct Status {
    /// The list; `None` if none was imported.
    pub list: Option<ListFacts>,
    /// Languages of the translations.
    pub languages: Vec<String>,
}

/// The sub-service `tcf`.
pub struct Tcf {
    db: Db,
    clock: SharedClock,
    objects: Arc<Objects>,
    settings: Settings,
    /// The bodies that were read last, by hash: each publish needs the same few.
    lists: Mutex<Vec<(String, Arc<List>)>>,
    texts: Mutex<Vec<(String, Arc<Texts>)>>,
}

impl Tcf {
    pub(crate) fn new(context: &Context, objects: Arc<Objects>, settings: Settings) -> Self {
        Self {
            db: context.db.clone(),
            clock: context.clock.clone(),
            objects,
            settings,
            lists: Mutex::default(),
            texts: Mutex::default(),
        }
    }

    /// The list in use, for `placet gvl status`.
    pub async fn status(&self) -> Result<Status> {
        Ok(Status {
            list: store::current(&self.db).await?,
            languages: store::languages(&self.db).await?,
        })
    }
}

/// The list in use, for the doctor.
pub(crate) async fn current(db: &Db) -> Result<Option<ListFacts>> {
    Ok(store::current(db).await?)
}
