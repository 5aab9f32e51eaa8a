//! The Global Vendor List of IAB Europe, and what is published by it.
//!
//! Lists come from an operator's import, or from the job that fetches them. The table keeps facts about each; their
//! bodies are objects that are never removed, because a publication that used one can be shown again. The latest list
//! is in use: it is looked up at each publish, so one that another process imports is used by the next publish.

mod bodies;
mod fetch;
mod files;
mod import;
mod layers;
mod providers;
mod read;
mod sources;
mod storage;
mod store;

use std::sync::Arc;

pub(crate) use fetch::{FetchList, last_fetch};
pub use files::{File, Kind};
pub use import::{ImportFault, Imported, ListFiles};
pub(crate) use layers::Layers;
pub use providers::{ListedProvider, ProviderQuery};
pub use read::{
    ImportedList, ListEntry, ListFetch, ListStack, ListTexts, ListVendor, OperatorsList,
    VendorQuery,
};
pub(crate) use sources::{Decided, Needs, Remark, Sources, Unready};
pub use storage::{MOST_STORAGE_BYTES, Storage};

use domain::tcf::{List, Provider, Texts};
use serde::Serialize;
use utoipa::ToSchema;

use self::bodies::Kept;
use crate::{
    access::{self, Actor, Operators},
    clock::{SharedClock, Timestamp},
    context::Context,
    db::Db,
    error::Result,
    jobs::Jobs,
    objects::Objects,
    outbound::Outbound,
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

/// The servers of others that files come from.
#[derive(Clone, Debug, Default)]
pub struct Origins {
    /// The folder of the Global Vendor List, with a slash at its end; `None` if this server fetches no list.
    pub list: Option<String>,
    /// Google's list of providers; `None` if this server does not fetch it.
    pub providers: Option<String>,
}

/// The consent management platform of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// None: nothing is published with the layout `iab`.
    Absent,
    /// The operator's, with a number for tests.
    Test(u16),
    /// The operator's.
    Registered(u16),
    /// The project's own.
    Own(u16),
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

/// Facts about a list of Google's providers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = OperatorProviderList)]
pub struct ProviderList {
    /// Providers in it.
    #[schema(example = 618)]
    pub providers: u32,
    /// The time at which this server got it.
    #[schema(value_type = String, format = "date-time", example = "2026-11-20T09:12:00.000Z")]
    pub imported_at: Timestamp,
    /// Its origin: the name of a file, or an address.
    #[schema(example = "additional-consent-providers.csv")]
    pub source: String,
    /// SHA-256 of its bytes. The list is not signed.
    #[schema(example = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae")]
    pub sha256: String,
}

/// The state that live configurations follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edition {
    /// SHA-256 of the list in use.
    pub list: String,
    /// Number of orders to ask visitors again.
    pub orders: u32,
    /// SHA-256 of the list of providers, where there is one that is followed.
    pub providers: Option<String>,
}

impl Edition {
    /// True if content that follows `other` would be the same by this one. Content without providers depends on no
    /// list of them.
    pub(crate) fn is_same_for(&self, other: &Self) -> bool {
        let same_providers = other.providers.is_none() || self.providers == other.providers;
        self.list == other.list && self.orders == other.orders && same_providers
    }
}

/// The list that is in use, and its translations.
#[derive(Clone, Debug)]
pub struct Status {
    /// The list; `None` if none was imported.
    pub list: Option<ListFacts>,
    /// Languages of the translations.
    pub languages: Vec<String>,
    /// Google's providers; `None` if no list of them was imported.
    pub providers: Option<ProviderList>,
    /// The files that a server has asked for: the list, translations by language, and the list of providers.
    pub fetches: Vec<File>,
    /// Number of orders to ask visitors again.
    pub orders: u32,
}

/// The sub-service `tcf`.
pub struct Tcf {
    db: Db,
    clock: SharedClock,
    jobs: Arc<Jobs>,
    objects: Arc<Objects>,
    outbound: Outbound,
    settings: Settings,
    origins: Origins,
    operators: Operators,
    /// The bodies that were read last, by hash: each publish needs the same few.
    lists: Kept<List>,
    texts: Kept<Texts>,
    provided: Kept<Vec<Provider>>,
    /// Calls for descriptions of storage.
    calls: storage::Calls,
}

impl Tcf {
    pub(crate) fn new(
        context: &Context,
        objects: Arc<Objects>,
        outbound: Outbound,
        settings: Settings,
        origins: Origins,
        operators: Operators,
    ) -> Self {
        Self {
            db: context.db.clone(),
            clock: context.clock.clone(),
            jobs: context.jobs.clone(),
            objects,
            outbound,
            settings,
            origins,
            operators,
            lists: Kept::default(),
            texts: Kept::default(),
            provided: Kept::default(),
            calls: storage::Calls::default(),
        }
    }

    /// True if the actor is an account of the operator, who may import lists.
    pub async fn is_kept_by(&self, actor: Actor) -> Result<bool> {
        match actor {
            Actor::User(user) => Ok(access::is_operator(&self.db, user, &self.operators).await?),
            Actor::Key(_) | Actor::System => Ok(false),
        }
    }

    /// The platform that a project's configurations are published by. `own` is the project's own number.
    pub fn platform(&self, own: Option<u16>) -> Platform {
        let Settings { cmp_id, is_test } = self.settings;
        match (own, cmp_id) {
            (Some(own), _) => Platform::Own(own),
            (None, Some(id)) if is_test => Platform::Test(id),
            (None, Some(id)) => Platform::Registered(id),
            (None, None) => Platform::Absent,
        }
    }

    /// The day, in days since 1970.
    fn today(&self) -> u32 {
        u32::try_from(self.clock.now().day()).unwrap_or_default()
    }

    /// The list in use, for `placet gvl status`.
    pub async fn status(&self) -> Result<Status> {
        let mut fetches = files::all(&self.db, Kind::List).await?;
        fetches.extend(files::all(&self.db, Kind::Texts).await?);
        fetches.extend(files::all(&self.db, Kind::Providers).await?);
        Ok(Status {
            list: store::current(&self.db).await?,
            languages: store::languages(&self.db).await?,
            providers: store::providers(&self.db).await?,
            fetches,
            orders: store::orders(&self.db).await?,
        })
    }

    /// Obeys an order of the Managing Organisation to ask every visitor again: the round of each live configuration
    /// rises when it is rendered again. Returns the number of orders.
    pub async fn ask_again(&self) -> Result<u32> {
        Ok(store::add_order(&self.db).await?)
    }

    /// The state that live configurations follow. `None` without a list.
    pub(crate) async fn edition(&self) -> Result<Option<Edition>> {
        let Some(list) = store::current(&self.db).await? else {
            return Ok(None);
        };
        let providers = store::providers(&self.db).await?;
        Ok(Some(Edition {
            list: list.sha256,
            orders: store::orders(&self.db).await?,
            providers: providers.map(|list| list.sha256),
        }))
    }
}

/// The list in use, for the doctor.
pub(crate) async fn current(db: &Db) -> Result<Option<ListFacts>> {
    Ok(store::current(db).await?)
}
