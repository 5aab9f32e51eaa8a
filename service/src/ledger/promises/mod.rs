//! Promises: signed words that a consent will stand in the ledger, for callers who ask before any checkpoint covers it.
//!
//! The consents of a batch whose callers ask share one signature. It is made by the first of these callers, after the
//! commit and beside the writer, so nobody else waits for it.

pub(super) mod store;

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::Duration,
};

use proof::{
    Hash, base64,
    bundle::Record,
    commitment::{KeyChange, key_entry},
    note::{Signer, Verifier},
    promise::{FORMAT, Promise, Terms, WITHIN, key_name},
    tree::{InMemory, leaf},
};

use super::{
    Ledger,
    keys::LogKey,
    store::{self as ledger_store, State},
};
use crate::{
    clock::Timestamp,
    error::{Error, Result},
};

/// Time between two checkpoints with which no promise is given: it could not be kept for certain.
const MOST_BETWEEN: Duration = Duration::from_secs(WITHIN / 2);

/// Milliseconds for which one look at the database serves all callers.
const FRESH: i64 = 1_000;
/// Longest time that a caller waits for that look.
const PATIENCE: Duration = Duration::from_secs(2);

/// The last look at the database, and what it found.
pub(super) type Looked = Mutex<Option<(Timestamp, Option<Promiser>)>>;

/// Gives the promises of a consent's caller.
#[derive(Clone)]
pub(crate) struct Promiser {
    signer: Arc<Signer>,
    origin: String,
    /// Leaves of the latest checkpoint: what is stored from now on stands behind them.
    pub from: u64,
}

/// The entries of a batch that are promised together.
pub(crate) struct Together {
    entries: Vec<Vec<u8>>,
    from: u64,
    /// Their tree, and the signed note. Made by the first of their callers.
    signed: OnceLock<(InMemory, String)>,
}

/// The place of an entry among those that are promised together.
#[derive(Clone)]
pub(crate) struct Promised {
    all: Arc<Together>,
    index: usize,
}

impl Together {
    /// These entries, none of which gets an index below `from`.
    pub(crate) fn new(entries: Vec<Vec<u8>>, from: u64) -> Arc<Self> {
        Arc::new(Self {
            entries,
            from,
            signed: OnceLock::new(),
        })
    }

    /// One of them.
    pub(crate) fn at(self: &Arc<Self>, index: usize) -> Promised {
        Promised {
            all: self.clone(),
            index,
        }
    }
}

impl Promiser {
    /// The promise of a stored consent.
    pub(crate) fn promise(&self, record: Record, promised: &Promised, now: Timestamp) -> Promise {
        let all = &*promised.all;
        let (tree, note) = all.signed.get_or_init(|| {
            let leaves: Vec<Hash> = all.entries.iter().map(|entry| leaf(entry)).collect();
            let tree = InMemory::new(leaves);
            let terms = Terms {
                origin: self.origin.clone(),
                time: now.seconds().unsigned_abs(),
                from: all.from,
                leaves: tree.size(),
                root: tree.root(),
            };
            let note = self.signer.sign(&terms.text());
            (tree, note)
        });
        let path = tree.path(promised.index);
        Promise {
            format: FORMAT.to_owned(),
            record,
            index: promised.index as u64,
            path: path.iter().map(|hash| base64(hash)).collect(),
            note: note.clone(),
        }
    }
}

impl Ledger {
    /// Gives promises from now on. `None` while the ledger stands still or is too slow, or cannot be read: consents go on
    /// without them.
    ///
    /// Looks at the database once in a second, and not for long: a caller with a wish must not make other consents wait.
    pub(crate) async fn promiser(&self) -> Option<Promiser> {
        let now = self.clock.now();
        let memory = self.memory();
        let recent = {
            let mut looked = memory.looked.lock().unwrap_or_else(PoisonError::into_inner);
            match &*looked {
                Some((at, found)) if !at.is_over(FRESH, now) => Some(found.clone()),
                Some((_, found)) => {
                    // Others take what was found before, until this look ends. An older index is as true.
                    *looked = Some((now, found.clone()));
                    None
                }
                None => None,
            }
        };
        if let Some(found) = recent {
            return found;
        }
        let found = match tokio::time::timeout(PATIENCE, self.try_promiser()).await {
            Ok(Ok(found)) => found,
            Ok(Err(error)) => {
                tracing::warn!(%error, "the ledger gives no promises");
                None
            }
            Err(_) => None,
        };
        let mut looked = memory.looked.lock().unwrap_or_else(PoisonError::into_inner);
        *looked = Some((now, found.clone()));
        found
    }

    async fn try_promiser(&self) -> Result<Option<Promiser>> {
        if self.settings.every > MOST_BETWEEN {
            return Ok(None);
        }
        // Its name is asked for with each receipt, so it is mostly in memory.
        if self.origin().await.is_none() {
            return Ok(None);
        }
        let Some(state) = ledger_store::state(&self.db).await? else {
            return Ok(None);
        };
        let memory = self.memory();
        let has_ended = (memory.name.get()).is_some_and(|name| *name != state.origin);
        if state.stopped.is_some() || has_ended || state.next_public_key.is_some() {
            return Ok(None);
        }
        let signer = if let Some(signer) = memory.promise_key.get() {
            signer.clone()
        } else {
            let signer = self.promise_signer(&state).await?;
            memory.promise_key.get_or_init(|| signer).clone()
        };
        Ok(Some(Promiser {
            signer,
            origin: state.origin,
            from: state.integrated.unsigned_abs(),
        }))
    }

    /// The key that signs promises. Made with its entry, if there is none.
    async fn promise_signer(&self, state: &State) -> Result<Arc<Signer>> {
        let name = key_name(&state.origin);
        if store::key(&self.db).await?.is_none() {
            let key = LogKey::generate(&self.secret);
            let vkey = key.verifier(&name)?.vkey();
            let entry = key_entry(&vkey, KeyChange::Added);
            store::add_key(&self.db, &key, &entry).await?;
        }
        let row = store::key(&self.db).await?;
        let row = row.ok_or_else(|| Error::internal("the key of promises was not kept"))?;
        Ok(Arc::new(row.key.signer(&name, &self.secret)?))
    }

    /// The public key of promises; `None` where nobody has asked for one.
    pub(super) async fn promise_verifier(&self, origin: &str) -> Result<Option<Verifier>> {
        let row = store::key(&self.db).await?;
        row.map(|row| row.key.verifier(&key_name(origin)))
            .transpose()
    }
}
