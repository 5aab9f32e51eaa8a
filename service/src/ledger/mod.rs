//! The ledger: one append-only Merkle tree of all consents, erasures and publications of an installation.
//!
//! A transaction that stores consents adds their entries as one row (`add`), and knows nothing else of the ledger.
//! One process at a time gives entries their indexes, makes the files of the tree and publishes a signed checkpoint
//! (`sequencer`). Each step repeats safely after a crash, and a ledger that stands still stops no consent: entries
//! wait. `promises` vouches for entries that wait, `prove` reads proofs from the files, `witnesses` asks others to sign
//! checkpoints, and `stamps` an authority to stamp their time. `prune` removes old entries, and `retired` ends a ledger and
//! begins the next one. `docs/proof.md` describes the format.

mod checkpoints;
mod keys;
mod memory;
mod mldsa;
mod outsiders;
mod promises;
mod prove;
mod prune;
mod published;
mod reading;
mod retired;
mod rotation;
mod sequencer;
mod stamps;
mod store;
mod tiles;
mod witnesses;

use std::{
    sync::{Arc, RwLock},
    time::Duration,
};

use proof::{
    note::{Note, Verifier},
    policy::Policy,
};
use serde::Serialize;
use uuid::Uuid;

pub use checkpoints::{CheckpointWitness, ListedCheckpoint};
pub(crate) use promises::{Promised, Together};
pub use prove::{Leaf, Stamped, Tree};
pub(crate) use reading::{Found, LOST, MOST_FAULTS, Progress, REMOVED, Reading, Readings};
pub use retired::{EndedLedger, Predecessor, Retirement, Successor};
pub use rotation::Rotation;
pub(crate) use rotation::ToldChange;
pub use stamps::{Authority, AuthorityStatus};
pub(crate) use store::{Kind, add, bundle, fill, reserve};
pub use witnesses::{WitnessStatus, Witnesses};

use self::{keys::LogKey, memory::Memory};
use crate::{
    access::{self, Actor, Operators},
    clock::{SharedClock, Timestamp},
    context::Context,
    db::Db,
    error::{Error, Result},
    objects::Objects,
    outbound::Outbound,
    secret::SecretKey,
};

/// Leaves that may wait while checkpoints go on. With more the ledger has fallen behind.
const MOST_BEHIND: i64 = 4 * sequencer::MOST_LEAVES as i64;

/// Said of a ledger whose last entry names the next one.
const ENDING: &str =
    "its end has begun: stop all servers, and run `placet ledger retire --yes` again";

/// Days for which all checkpoints are kept. Older ones are kept once a day, and where others have signed them.
const WHOLE_DAYS: i64 = 7;
/// Between two removals of checkpoints.
const BREATH: Duration = Duration::from_millis(50);
/// Removals of an hour. A stop waits for the last one.
const MOST_ROUNDS: u32 = 100;

/// Settings of the ledger.
#[derive(Clone, Debug)]
pub struct Settings {
    /// True if consents get entries and this process publishes checkpoints.
    pub on: bool,
    /// Time between two checkpoints.
    pub every: Duration,
    /// Others who sign them.
    pub witnesses: Option<Witnesses>,
    /// An authority that stamps their time.
    pub authority: Option<Authority>,
    /// Years for which entries are kept; for ever without.
    pub keep_years: Option<u32>,
}

/// The sub-service.
pub struct Ledger {
    db: Db,
    clock: SharedClock,
    secret: SecretKey,
    objects: Arc<Objects>,
    outbound: Outbound,
    settings: Settings,
    base_url: String,
    /// This process, for the lease.
    me: Uuid,
    operators: Operators,
    /// A process that dies leaves the ledger to another one after this time.
    lease: Duration,
    crash_at: Option<String>,
    /// The memory about the present ledger.
    memory: RwLock<Arc<Memory>>,
    /// Held by the task that asks witnesses.
    asking: tokio::sync::Mutex<()>,
    /// Held by the task that asks the authority.
    stamping: tokio::sync::Mutex<()>,
}

/// The arguments of [`Ledger::new`] besides the context.
pub(crate) struct Dependencies {
    pub objects: Arc<Objects>,
    pub outbound: Outbound,
    pub settings: Settings,
    pub base_url: String,
    pub operators: Operators,
    pub lease: Duration,
    pub crash_at: Option<String>,
}

/// The state, for operators.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Status {
    /// Its name.
    #[schema(example = "consent.example/ledger/5f0c9d2e8b7a")]
    pub origin: String,
    /// Its public key, as verifiers want it.
    #[schema(example = "consent.example/ledger/5f0c9d2e8b7a+3d8e5f0c+AQ==")]
    pub vkey: String,
    /// The public key before, while both sign. Absent otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "consent.example/ledger/5f0c9d2e8b7a+9a1b2c3d+AQ==")]
    pub older_vkey: Option<String>,
    /// The public key for ML-DSA-44, which signs proofs too. Absent in a ledger that is older than such keys, until a
    /// server works on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "consent.example/ledger/5f0c9d2e8b7a+7c41d09e+Bg==")]
    pub ml_dsa_vkey: Option<String>,
    /// Leaves with an index.
    #[schema(example = 120_940)]
    pub size: u64,
    /// Leaves in the latest checkpoint.
    #[schema(example = 120_937)]
    pub published: u64,
    /// Leaves without an index.
    #[schema(example = 0)]
    pub waiting: u64,
    /// The time of the latest checkpoint. Absent before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_at: Option<Timestamp>,
    /// 0 if no leaf waits for a checkpoint, else the age of the latest one in seconds. Absent if there is none yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 2)]
    pub lag_seconds: Option<u64>,
    /// Entries below this index are older than the ledger is kept (`--ledger-keep-years`). Absent while it has all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 41_216)]
    pub pruned_to: Option<u64>,
    /// Ledgers of this installation that have ended, the oldest first.
    pub predecessors: Vec<EndedLedger>,
    /// The reason for which it stands still. Absent while it goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "two trees of 120937 leaves have different roots")]
    pub stopped: Option<String>,
    /// The state of each witness that is asked (`--witness-policy`).
    pub witnesses: Vec<WitnessStatus>,
    /// The state of the authority that stamps checkpoints (`--tsa-url`). Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authority: Option<AuthorityStatus>,
}

impl Status {
    /// Leaves that no checkpoint covers.
    pub fn to_publish(&self) -> u64 {
        self.size.saturating_sub(self.published) + self.waiting
    }
}

/// A key, as `/.well-known/placet-ledger.json` lists it.
#[derive(Clone, Debug, Serialize)]
pub struct PublicKey {
    /// `name+id+key`.
    pub vkey: String,
    /// The first index that its checkpoints added.
    pub from: u64,
    /// The index from which on it signs no more.
    pub retired: Option<u64>,
}

/// The content of `/.well-known/placet-ledger.json`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// Its name.
    pub origin: String,
    /// The address of its files.
    pub prefix: String,
    /// Its keys: those for Ed25519, then those for ML-DSA-44, the oldest first.
    pub keys: Vec<PublicKey>,
    /// The key that signs its promises. Absent until somebody asks for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise_key: Option<String>,
    /// A policy that believes its keys and names its witnesses, if it has any.
    pub policy: String,
    /// Entries below this index are no longer served.
    pub pruned_to: u64,
    /// Years for which entries are served; absent if it is for ever.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_years: Option<u32>,
    /// Ledgers of this installation that have ended. Absent if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub predecessors: Vec<Predecessor>,
}

impl Ledger {
    pub(crate) fn new(context: &Context, dependencies: Dependencies) -> Self {
        Self {
            db: context.db.clone(),
            clock: context.clock.clone(),
            secret: context.secret.clone(),
            me: context.ids.next(),
            objects: dependencies.objects,
            outbound: dependencies.outbound,
            settings: dependencies.settings,
            base_url: dependencies.base_url,
            operators: dependencies.operators,
            lease: dependencies.lease,
            crash_at: dependencies.crash_at,
            memory: RwLock::default(),
            asking: tokio::sync::Mutex::new(()),
            stamping: tokio::sync::Mutex::new(()),
        }
    }

    /// True if consents get entries.
    pub fn is_on(&self) -> bool {
        self.settings.on
    }

    /// The name. `None` while the database does not tell it.
    pub(crate) async fn origin(&self) -> Option<String> {
        if let Some(name) = self.memory().name.get() {
            return Some(name.clone());
        }
        self.prepare().await.ok()?;
        self.memory().name.get().cloned()
    }

    /// Makes the name and the keys of a ledger that has none, and remembers the name. It has the address of the installation,
    /// so this is done where the ledger is worked on, and not by a command that knows no address.
    async fn prepare(&self) -> Result<()> {
        let mut state = store::state(&self.db).await?;
        if state.is_none() {
            let key = LogKey::generate(&self.secret);
            let origin = keys::origin(&keys::authority(&self.base_url)?, &key.public_key);
            store::begin(&self.db, &origin, &key).await?;
            state = store::state(&self.db).await?;
        }
        let Some(state) = state else {
            return Ok(());
        };
        self.remember(&state.origin);
        self.prepare_ml_dsa(&state.origin).await
    }

    /// True for the name of this ledger, and for all names that it may get: those with the address of this installation.
    pub async fn is_own(&self, origin: &str) -> Result<bool> {
        let here = keys::authority(&self.base_url)?;
        let state = store::state(&self.db).await?;
        Ok(keys::authority_of(origin) == here || state.is_some_and(|state| state.origin == origin))
    }

    /// The state; `None` where no ledger was ever on.
    pub async fn status(&self) -> Result<Option<Status>> {
        // Before the size: entries that get their indexes meanwhile count twice rather than never.
        let waiting = store::waiting(&self.db).await?;
        let Some(state) = store::state(&self.db).await? else {
            return Ok(None);
        };
        let keys = store::keys(&self.db).await?;
        let signing = keys.iter().filter(|row| row.retired.is_none());
        let mut vkeys = Vec::new();
        for row in signing {
            vkeys.push(row.key.verifier(&state.origin)?.vkey());
        }
        let newest = store::newest_checkpoint(&self.db).await?;
        let checkpoint_at = newest.map(|newest| newest.created_at);
        let mut status = Status {
            vkey: (vkeys.pop()).ok_or_else(|| Error::internal("the ledger has no key"))?,
            older_vkey: vkeys.pop(),
            ml_dsa_vkey: self.ml_dsa_vkey(&state.origin).await?,
            size: state.size.unsigned_abs(),
            published: state.integrated.unsigned_abs(),
            waiting: waiting.unsigned_abs(),
            checkpoint_at,
            lag_seconds: None,
            pruned_to: (state.pruned > 0).then_some(state.pruned.unsigned_abs()),
            predecessors: self.ended().await?,
            stopped: stopped(&state),
            origin: state.origin,
            witnesses: Vec::new(),
            authority: None,
        };
        let now = self.clock.now();
        if let Some(witnesses) = &self.settings.witnesses {
            status.witnesses = witnesses.status(&self.db, now).await?;
        }
        if let Some(authority) = &self.settings.authority {
            status.authority = Some(authority.status(&self.db, now).await?);
        }
        let now = now.seconds();
        status.lag_seconds = match (status.to_publish(), checkpoint_at) {
            (0, _) => Some(0),
            (_, at) => at.map(|at| u64::try_from(now - at.seconds()).unwrap_or(0)),
        };
        Ok(Some(status))
    }

    /// The state, for the operator of this server. [`Error::NotFound`] where no ledger was ever on.
    pub async fn operators_status(&self, actor: Actor) -> Result<Status> {
        access::operator(&self.db, actor, &self.operators).await?;
        self.status().await?.ok_or(Error::NotFound)
    }

    /// The public facts for verifiers; `None` where no ledger was ever on.
    pub async fn about(&self, cdn_url: &str) -> Result<Option<About>> {
        let Some(state) = store::state(&self.db).await? else {
            return Ok(None);
        };
        let (mut keys, mut verifiers) = (Vec::new(), self.retired_verifiers().await?);
        for row in store::keys(&self.db).await? {
            let verifier = row.key.verifier(&state.origin)?;
            keys.push(PublicKey {
                vkey: verifier.vkey(),
                from: row.from_index.unsigned_abs(),
                retired: row.retired.map(i64::unsigned_abs),
            });
            verifiers.push(verifier);
        }
        for (verifier, row) in self.ml_dsa_verifiers(&state.origin).await? {
            keys.push(PublicKey {
                vkey: verifier.vkey(),
                from: row.from_index.unsigned_abs(),
                retired: row.retired.map(i64::unsigned_abs),
            });
            verifiers.push(verifier);
        }
        let promises = self.promise_verifier(&state.origin).await?;
        let promise_key = promises.as_ref().map(Verifier::vkey);
        verifiers.extend(promises);
        Ok(Some(About {
            prefix: format!("{cdn_url}/{}/", folder(&state.origin)),
            policy: self.policy_of(verifiers),
            promise_key,
            keys,
            origin: state.origin,
            pruned_to: state.pruned.unsigned_abs(),
            keep_years: self.settings.keep_years,
            predecessors: self.predecessors(cdn_url).await?,
        }))
    }

    /// The policy for verifiers (c2sp.org/tlog-policy); `None` where no ledger was ever on.
    pub async fn policy_text(&self) -> Result<Option<String>> {
        let Some(state) = store::state(&self.db).await? else {
            return Ok(None);
        };
        let mut verifiers = self.verifiers(&state.origin).await?;
        verifiers.extend(self.promise_verifier(&state.origin).await?);
        Ok(Some(self.policy_of(verifiers)))
    }

    fn policy_of(&self, keys: Vec<Verifier>) -> String {
        match &self.settings.witnesses {
            Some(witnesses) => witnesses.text(keys),
            None => Policy::of_keys(keys).text(),
        }
    }

    /// True if independent witnesses sign checkpoints.
    pub(crate) fn is_witnessed(&self) -> bool {
        self.settings.witnesses.is_some()
    }

    /// The names of the witnesses whose signatures stand under a note.
    pub(crate) fn witnesses_under(&self, note: &Note<'_>) -> Vec<domain::consent::Cosignature> {
        let witnesses = self.settings.witnesses.as_ref();
        witnesses.map_or_else(Vec::new, |witnesses| witnesses.under(note))
    }

    /// The rule that verifies proofs of this ledger, whoever else signed; `None` where no ledger was ever on.
    pub(crate) async fn policy(&self) -> Result<Option<Policy>> {
        let Some(state) = store::state(&self.db).await? else {
            return Ok(None);
        };
        let verifiers = self.verifiers(&state.origin).await?;
        Ok(Some(Policy::of_keys(verifiers)))
    }

    /// Removes most old checkpoints. Proofs of old entries are then against the last one of their day.
    pub(crate) async fn thin_checkpoints(&self) -> Result<()> {
        let before = self.clock.now().plus_days(-WHOLE_DAYS);
        for _ in 0..MOST_ROUNDS {
            if store::thin(&self.db, before).await? == 0 {
                break;
            }
            // Each statement keeps the only writer of SQLite from consents.
            tokio::time::sleep(BREATH).await;
        }
        Ok(())
    }
}

/// The state, as `placet doctor` judges it.
pub(crate) enum Condition {
    /// It stands still until what is said has changed.
    Stopped(String),
    /// Entries should have been published by now.
    Late { entries: u64 },
    /// All is as it should be, but for these witnesses and this authority.
    Good {
        published: u64,
        silent: Vec<WitnessStatus>,
        unstamped: Option<AuthorityStatus>,
    },
}

/// The reason for which a ledger stands still.
fn stopped(state: &store::State) -> Option<String> {
    let ending = state.next_public_key.as_ref().map(|_| ENDING.to_owned());
    state.stopped.clone().or(ending)
}

/// Judges the ledger; `None` where there is none.
pub(crate) async fn condition(
    db: &Db,
    now: Timestamp,
    settings: &Settings,
) -> Result<Option<Condition>> {
    let waiting = store::waiting(db).await?;
    let Some(state) = store::state(db).await? else {
        return Ok(None);
    };
    if let Some(why) = stopped(&state) {
        return Ok(Some(Condition::Stopped(why)));
    }
    let late = state.size - state.integrated + waiting;
    let newest = store::newest_checkpoint(db).await?;
    let patience = outsiders::millis(settings.every)
        .saturating_mul(6)
        .max(60_000);
    let overdue =
        newest.is_none_or(|newest| newest.created_at.is_over(patience, now)) || late > MOST_BEHIND;
    let mut silent = match &settings.witnesses {
        Some(witnesses) => witnesses.status(db, now).await?,
        None => Vec::new(),
    };
    silent.retain(|witness| witness.late || witness.fault.is_some());
    let mut unstamped = match &settings.authority {
        Some(authority) => Some(authority.status(db, now).await?),
        None => None,
    };
    unstamped.take_if(|authority| !authority.late && authority.fault.is_none());
    Ok(Some(if late > 0 && overdue {
        Condition::Late {
            entries: late.unsigned_abs(),
        }
    } else {
        Condition::Good {
            published: state.integrated.unsigned_abs(),
            silent,
            unstamped,
        }
    }))
}

/// The key of the objects of a ledger: `ledger/<12 hexadecimal digits>`.
fn folder(origin: &str) -> &str {
    origin.split_once('/').map_or(origin, |(_, folder)| folder)
}
