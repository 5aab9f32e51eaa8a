//! The facts that consents are checked against, in memory: nothing is read per consent.
//!
//! A view is loaded when the first consent of a project comes, compared with the database when it
//! is older than [`FRESH`] (other processes publish too), and forgotten when this process
//! publishes. A consent that a view would refuse is checked again against one that knows all that
//! was published [`RECENT`] ago. Projects that do not exist are remembered too; all of it is bounded.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, AtomicI64, Ordering},
    },
    time::Duration,
};

use domain::{consent::ConsentCollection, documents::IpMode};
use serde::Deserialize;
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::{row::Row, store, tokens::Tokens};
use crate::{
    clock::{SharedClock, Timestamp},
    db::Db,
    error::{Error, Result},
    secret::{SEALED, SecretKey},
};

/// Bytes of a key that hides visitors' addresses.
pub(crate) const KEY_BYTES: usize = 32;
const OTHER_KEY: &str = "a project's secrets were sealed with another key";
/// Milliseconds that a view is used without a look at the database.
pub(super) const FRESH: i64 = 1_500;
/// Milliseconds that a view is believed when it refuses.
const RECENT: i64 = 250;
/// Milliseconds that a view is used while the database is away or slow.
const STALE: i64 = 60_000;
/// Visitors do not wait longer than this for a view.
const PATIENCE: Duration = Duration::from_secs(2);
/// Projects kept.
const MOST_PROJECTS: usize = 10_000;
/// Bytes of the names in a view above which it gives way when all views together have too many. Lighter ones are bounded
/// by [`MOST_PROJECTS`].
const HEAVY: usize = 20_000;
/// Bytes of the names in all heavy views.
const MOST_BYTES: usize = 256_000_000;
/// Bytes that a name takes beside its text.
const OF_A_NAME: usize = 64;
/// Views loaded at once, so that unknown ids cannot take all connections.
const MOST_LOADS: usize = 4;
/// Latest publications kept of a project; older ones are looked up.
pub(super) const MOST_PUBLICATIONS: i64 = 2_000;

/// The facts that consents of a project are checked against.
pub(super) struct Project {
    /// Hosts from which consents are taken; any, when empty.
    pub domains: Vec<String>,
    /// The form in which IP addresses are kept.
    pub ip_mode: IpMode,
    /// Key for hashed addresses.
    pub ip_key: Vec<u8>,
    /// Key of ids that are made of facts.
    pub id_key: [u8; 32],
    /// Which tokens it takes.
    pub tokens: Tokens,
    /// The secret of tokens as the database has it, to see that it is another one.
    pub sealed_secret: Option<String>,
    /// Everything that was ever published.
    pub configurations: HashMap<Uuid, Configuration>,
    /// True if every publication is in `configurations`.
    pub complete: bool,
    /// Number of publications before they were read. A publish only adds some.
    known: u64,
    /// Bytes of the names.
    weight: usize,
    /// True if webhooks listen to the project's consents. Without any, no work is done for
    /// webhooks.
    pub hooked: AtomicBool,
}

/// A cookie configuration, consent box or contract box that was published.
pub(super) struct Configuration {
    pub collection: ConsentCollection,
    /// Vendors that were ever in it.
    pub vendors: HashSet<String>,
    /// Its publications.
    pub publications: HashSet<String>,
}

impl Project {
    /// True if consents are taken from pages of this host.
    pub(super) fn takes_from(&self, host: Option<&str>) -> bool {
        host.is_some_and(|host| {
            self.domains
                .iter()
                .any(|domain| domain.eq_ignore_ascii_case(host))
        })
    }
}

/// The used fields of the canonical content of a live project.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Live {
    #[serde(default)]
    domains: Vec<String>,
    #[serde(default)]
    ip_mode: IpMode,
}

/// A project as it was seen.
struct View {
    /// The publish that was live; `None` where nothing is.
    job: Option<Uuid>,
    /// When it last had every publication.
    complete_at: AtomicI64,
    /// When the database last had the same publish.
    checked_at: AtomicI64,
    project: Option<Arc<Project>>,
}

impl View {
    fn weight(&self) -> usize {
        self.project.as_ref().map_or(0, |project| project.weight)
    }
}

#[derive(Default)]
struct Slot {
    view: RwLock<Option<Arc<View>>>,
    loading: tokio::sync::Mutex<()>,
}

impl Slot {
    fn view(&self) -> Option<Arc<View>> {
        self.view
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn set(&self, view: Arc<View>) {
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = Some(view);
    }
}

/// The views.
pub(super) struct Projects {
    db: Db,
    clock: SharedClock,
    secret: SecretKey,
    slots: Mutex<HashMap<Uuid, Arc<Slot>>>,
    loads: Semaphore,
}

impl Projects {
    pub(super) fn new(db: Db, clock: SharedClock, secret: SecretKey) -> Self {
        Self {
            db,
            clock,
            secret,
            slots: Mutex::default(),
            loads: Semaphore::new(MOST_LOADS),
        }
    }

    /// The next consent sees the project anew.
    pub(super) fn forget(&self, project: Uuid) {
        self.slots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&project);
    }

    /// A view that was read at most [`RECENT`] milliseconds ago and knows every publication of then.
    pub(super) async fn latest(&self, project: Uuid) -> Result<Option<Arc<Project>>> {
        self.view(project, RECENT).await
    }

    /// A view that is at most so many milliseconds old; `None` for a project of which nothing is
    /// live.
    pub(super) async fn view(
        &self,
        project: Uuid,
        most_millis: i64,
    ) -> Result<Option<Arc<Project>>> {
        let slot = self.slot(project);
        let seen = slot.view();
        if let Some(view) = seen
            .as_ref()
            .filter(|view| self.is_young(view, most_millis))
        {
            return Ok(view.project.clone());
        }
        let usable = seen.filter(|view| most_millis >= FRESH && self.age(view) <= STALE);
        let _loading = match (slot.loading.try_lock(), &usable) {
            (Ok(guard), _) => guard,
            // Another request loads it already. The known view serves meanwhile.
            (Err(_), Some(view)) => return Ok(view.project.clone()),
            (Err(_), None) => slot.loading.lock().await,
        };
        let before = slot.view();
        if let Some(view) = before
            .as_ref()
            .filter(|view| self.is_young(view, most_millis))
        {
            return Ok(view.project.clone());
        }
        let load = self.load(project, before, most_millis < FRESH);
        let loaded = tokio::time::timeout(PATIENCE, load).await;
        match loaded.unwrap_or(Err(Error::Unavailable)) {
            Ok(view) => {
                let found = view.project.clone();
                let is_heavy = view.weight() > HEAVY;
                slot.set(view);
                if is_heavy {
                    self.make_room();
                }
                Ok(found)
            }
            Err(error) => usable.map(|view| view.project.clone()).ok_or(error),
        }
    }

    fn slot(&self, project: Uuid) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(&project) {
            return slot.clone();
        }
        if slots.len() >= MOST_PROJECTS {
            slots.retain(|_, slot| slot.view().is_some_and(|view| self.age(&view) <= FRESH));
            if slots.len() >= MOST_PROJECTS {
                slots.clear();
            }
        }
        slots.entry(project).or_default().clone()
    }

    /// Forgets heavy views if they have too many bytes together.
    fn make_room(&self) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let heavy = slots.iter().filter_map(|(project, slot)| {
            let view = slot.view().filter(|view| view.weight() > HEAVY)?;
            let checked_at = view.checked_at.load(Ordering::Relaxed);
            Some((checked_at, *project, view.weight()))
        });
        for project in in_the_way(heavy.collect()) {
            slots.remove(&project);
        }
    }

    /// Milliseconds since the view was compared with the database.
    fn age(&self, view: &View) -> i64 {
        self.since(Timestamp(view.checked_at.load(Ordering::Relaxed)))
    }

    /// True if the view serves callers who ask for one of at most so many milliseconds.
    fn is_young(&self, view: &View, most_millis: i64) -> bool {
        // A publish stores its publications a moment before it goes live. A comparison of the live publish does not notice
        // them.
        let age = if most_millis < FRESH {
            self.since(Timestamp(view.complete_at.load(Ordering::Relaxed)))
        } else {
            self.age(view)
        };
        age <= most_millis
    }

    fn since(&self, moment: Timestamp) -> i64 {
        // A clock that steps back makes views old, not young for ever.
        (self.clock.now().millis() - moment.millis()).abs()
    }

    /// The view of before if it is right, else another one. With `is_complete` it knows every publication, also those
    /// that are not live yet.
    async fn load(
        &self,
        project: Uuid,
        before: Option<Arc<View>>,
        is_complete: bool,
    ) -> Result<Arc<View>> {
        let _permit = self.loads.acquire().await.map_err(Error::internal)?;
        let now = self.clock.now();
        if let Some(view) = before {
            let seen = store::seen(&self.db, project).await?;
            let same = match (&seen, &view.project) {
                (None, None) => true,
                (Some(seen), Some(known)) => {
                    known.hooked.store(seen.hooked, Ordering::Relaxed);
                    Some(seen.job_id) == view.job
                        && known.sealed_secret == seen.token_secret
                        && (!is_complete
                            || known.known == store::count_publications(&self.db, project).await?)
                }
                _ => false,
            };
            if same {
                view.checked_at.store(now.0, Ordering::Relaxed);
                if is_complete {
                    view.complete_at.store(now.0, Ordering::Relaxed);
                }
                return Ok(view);
            }
        }
        let live = store::live(&self.db, project).await?;
        let job = live.as_ref().map(|live| live.job_id);
        let found = match live {
            None => None,
            Some(live) => Some(Arc::new(self.project(project, live).await?)),
        };
        Ok(Arc::new(View {
            job,
            complete_at: AtomicI64::new(now.0),
            checked_at: AtomicI64::new(now.0),
            project: found,
        }))
    }

    async fn project(&self, id: Uuid, live: store::LiveRow) -> Result<Project> {
        let content: Live = serde_json::from_str(&live.content).map_err(Error::internal)?;
        let sealed = live.token_secret.as_deref();
        let token_secret = sealed.map(|sealed| self.opened_text(id, sealed));
        let token_secret = token_secret.transpose()?;
        let mut configurations: HashMap<Uuid, Configuration> = HashMap::new();
        let (known, mut weight) = (store::count_publications(&self.db, id).await?, 0);
        for (configuration, collection) in store::published(&self.db, id).await? {
            if let Some(collection) = ConsentCollection::parse(&collection) {
                configurations.insert(
                    configuration,
                    Configuration {
                        collection,
                        vendors: HashSet::new(),
                        publications: HashSet::new(),
                    },
                );
            }
        }
        let publications = store::publications(&self.db, id, MOST_PUBLICATIONS).await?;
        let complete = (publications.len() as i64) < MOST_PUBLICATIONS;
        for (configuration, publication) in publications {
            if let Some(configuration) = configurations.get_mut(&configuration) {
                weight += publication.len() + OF_A_NAME;
                configuration.publications.insert(publication);
            }
        }
        for (configuration, name) in store::published_vendors(&self.db, id).await? {
            if let Some(configuration) = configurations.get_mut(&configuration) {
                weight += name.len() + OF_A_NAME;
                configuration.vendors.insert(name);
            }
        }
        Ok(Project {
            domains: content.domains,
            ip_mode: content.ip_mode,
            ip_key: self.opened(id, &live.ip_key)?,
            id_key: self.id_key(id),
            tokens: Tokens::new(token_secret),
            sealed_secret: live.token_secret,
            configurations,
            complete,
            known,
            weight,
            hooked: AtomicBool::new(live.hooked),
        })
    }

    /// Key of ids of a project's consents that are made of facts.
    pub fn id_key(&self, project: Uuid) -> [u8; 32] {
        self.secret
            .derived(&[b"ids of consents\0", project.as_bytes().as_slice()].concat())
    }

    /// Opens a sealed value. A process of an earlier version beside this one stores values in plain.
    fn opened(&self, project: Uuid, stored: &[u8]) -> Result<Vec<u8>> {
        if stored.len() == KEY_BYTES {
            return Ok(stored.to_vec());
        }
        let opened = self.secret.open(project.as_bytes(), stored);
        opened.ok_or_else(|| Error::internal(OTHER_KEY))
    }

    /// The same for a text.
    fn opened_text(&self, project: Uuid, stored: &str) -> Result<String> {
        if !stored.starts_with(SEALED) {
            return Ok(stored.to_owned());
        }
        let opened = self.secret.open_text(project.as_bytes(), stored);
        opened.ok_or_else(|| Error::internal(OTHER_KEY))
    }

    /// Notes the publication that a visitor saw, if it is too old to be in memory and the database has it.
    pub(super) async fn verify_old(
        &self,
        row: &mut Row,
        project: Option<&Project>,
        publication: Option<&str>,
    ) -> Result<()> {
        let Some(publication) = publication else {
            return Ok(());
        };
        if row.publication.is_some() || project.is_none_or(|project| project.complete) {
            return Ok(());
        }
        let _permit = self.loads.acquire().await.map_err(Error::internal)?;
        if store::may_be_publication(publication)
            && store::is_publication(&self.db, row.project_id, row.identifier, publication).await?
        {
            row.publication = Some(publication.to_owned());
        }
        Ok(())
    }
}

/// Projects whose views give way, of those with the time of their last comparison and their bytes. Those that were asked
/// for last stay.
fn in_the_way(mut heavy: Vec<(i64, Uuid, usize)>) -> Vec<Uuid> {
    let mut bytes: usize = heavy.iter().map(|(_, _, weight)| weight).sum();
    if bytes <= MOST_BYTES {
        return Vec::new();
    }
    heavy.sort_unstable();
    let leaving = heavy.into_iter().take_while(|(_, _, weight)| {
        let leaves = bytes > MOST_BYTES / 2;
        bytes -= weight;
        leaves
    });
    leaving.map(|(_, project, _)| project).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_that_nobody_asks_for_give_way() {
        let of = |count: u128, weight| -> Vec<(i64, Uuid, usize)> {
            let one = |index: u128| (100 - index as i64, Uuid::from_u128(index), weight);
            (0..count).map(one).collect()
        };
        assert_eq!(in_the_way(of(10, MOST_BYTES / 10)), Vec::<Uuid>::new());
        // The latest are 0, 1, …
        let gone = in_the_way(of(11, MOST_BYTES / 10));
        assert_eq!(gone, [10, 9, 8, 7, 6, 5].map(Uuid::from_u128));
    }
}
