//! The end of a ledger, and the beginning of the next one, whose first entry names the last checkpoint of the one before.
//!
//! The files of a ledger that has ended stay and are served, and its rows stand in tables of their own (`store`). Entries
//! that no checkpoint covers go into the next one.

pub(super) mod store;

use std::sync::atomic::Ordering;

use proof::{
    commitment::{KeyChange, closed_entry, key_entry, succeeds_entry},
    note::{Kind, Verifier},
    promise::key_name,
};

use self::store::{Beginning, RetiredRow};
use super::{
    Ledger, PublicKey, folder,
    keys::{self, KnownKey, LogKey},
    sequencer::Halt,
    store as present,
    tiles::Files,
};
use crate::{
    clock::Timestamp,
    db::Lease,
    error::{Error, Result},
};

/// Most steps until a ledger is closed. Each publishes one checkpoint.
const MOST_STEPS: u32 = 10_000;

/// The end of an attempt to end a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Retirement {
    /// It has ended, and another one has begun.
    Done(Box<Successor>),
    /// Nothing changed, for this reason.
    Refused(&'static str),
}

/// The ledger that has begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Its name.
    pub origin: String,
    /// Its public key, as verifiers want it.
    pub vkey: String,
    /// The name of the one before.
    pub predecessor: String,
    /// Entries of the last checkpoint of the one before.
    pub size: u64,
    /// The reason for which the one before ended without an entry that tells it. `None` if it has one.
    pub unclosed: Option<String>,
}

/// A ledger that has ended, as `/.well-known/placet-ledger.json` lists it.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Predecessor {
    /// Its name.
    pub origin: String,
    /// The address of its files.
    pub prefix: String,
    /// Its keys.
    pub keys: Vec<PublicKey>,
    /// The key that signed its promises. Absent if it gave none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub promise_key: Option<String>,
    /// Entries of its latest checkpoint.
    pub size: u64,
    /// Entries below this index are no longer served.
    pub pruned_to: u64,
}

/// A ledger that has ended, for operators.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct EndedLedger {
    /// Its name.
    #[schema(example = "consent.example/ledger/1a2b3c4d5e6f")]
    pub origin: String,
    /// Entries of its latest checkpoint.
    #[schema(example = 81_920)]
    pub size: u64,
    /// The time at which it ended.
    pub ended_at: Timestamp,
    /// Entries below this index are older than the ledger is kept. Absent while it has all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 81_920)]
    pub pruned_to: Option<u64>,
}

fn promise_key(row: &RetiredRow) -> Result<Option<Verifier>> {
    let key = row.promise_key.as_ref();
    key.map(|key| keys::verifier_of_any(&key_name(&row.origin), key))
        .transpose()
}

impl Ledger {
    /// Ends the ledger and begins another one. The one before gets a last entry, if its files and its witnesses permit it
    /// to sign once more. `None` where no ledger was ever on. No server may run meanwhile.
    pub async fn retire(&self) -> Result<Option<Retirement>> {
        const HELD: &str = "a server works on the ledger, or has died a moment ago: stop all servers, and try again after \
                            the seconds of --job-lease";
        const EMPTY: &str = "the ledger has no checkpoint yet that another one could succeed";
        if present::state(&self.db).await?.is_none() {
            return Ok(None);
        }
        let lease = Lease::new(self.me, self.clock.now(), self.lease);
        // Also where the database is a file: a server beside a command works on.
        if present::hold(&self.db, lease, false).await?.is_none() {
            return Ok(Some(Retirement::Refused(HELD)));
        }
        let ended = match present::newest_checkpoint(&self.db).await? {
            None => Ok(Retirement::Refused(EMPTY)),
            Some(_) => self.end().await,
        };
        present::let_go(&self.db, self.me).await?;
        ended.map(Some)
    }

    async fn end(&self) -> Result<Retirement> {
        let Some(state) = present::state(&self.db).await? else {
            return Err(Error::NotFound);
        };
        // Fails with another secret key: the new key would be sealed with it, and no server could open it.
        self.signers(&state.origin).await?;
        let begun = store::next_key(&self.db).await?;
        let key = begun
            .clone()
            .unwrap_or_else(|| LogKey::generate(&self.secret));
        let at = keys::authority_of(&state.origin);
        let origin = keys::origin(at, &key.public_key);
        let unclosed = match self.close(&origin, &key, begun.is_some()).await {
            Ok(()) => None,
            Err(Halt::Contradiction(why)) => Some(why),
            Err(Halt::Failure(error)) => return Err(error),
        };
        let last = present::newest_checkpoint(&self.db).await?;
        let last = last.ok_or_else(|| Error::internal("the ledger has lost its checkpoints"))?;
        let size = last.size.unsigned_abs();
        let entry = succeeds_entry(&state.origin, size, &hex::encode(&last.root));
        let now = self.clock.now();
        // Closing may have taken longer than the lease of before.
        self.hold(now).await?;
        let beginning = Beginning {
            origin: &origin,
            key: &key,
            entry: &entry,
        };
        if !store::retire(&self.db, self.me, beginning, now).await? {
            return Err(Error::internal("another process works on the ledger"));
        }
        Ok(Retirement::Done(Box::new(Successor {
            vkey: key.verifier(&origin)?.vkey(),
            origin,
            predecessor: state.origin,
            size,
            unclosed,
        })))
    }

    /// Publishes all that waits, and a last entry behind it that names the next ledger. Nothing is signed that files or
    /// witnesses contradict.
    async fn close(
        &self,
        successor: &str,
        next: &LogKey,
        mut is_closed: bool,
    ) -> std::result::Result<(), Halt> {
        let other = || Halt::Failure(Error::internal("another process works on the ledger"));
        for _ in 0..MOST_STEPS {
            let now = self.clock.now();
            let state = self.hold(now).await?.ok_or_else(other)?;
            if let Some(why) = &state.stopped {
                return Err(Halt::Contradiction(why.clone()));
            }
            let files = Files::new(&self.objects, &state.origin);
            let keys = self.known_keys(&state.origin).await?;
            if !self.is_published(&files, &state, &keys, now).await? {
                continue;
            }
            self.check_edge(&files, &state).await?;
            if !self.ask_at_start().await? {
                continue;
            }
            if state.integrated < state.size {
                self.publish(&files, &state, now).await?;
            } else if is_closed {
                // Nobody asks them later.
                self.memory().all_asked.store(false, Ordering::Release);
                if self.ask_at_start().await? {
                    return Ok(());
                }
            } else if present::assign(&self.db, self.me, state.size)
                .await?
                .is_some_and(|new| new == state.size)
            {
                let entry = closed_entry(successor);
                is_closed = store::close(&self.db, self.me, state.size, &entry, next).await?;
                self.crash_point("ledger-closed");
            }
        }
        Err(Halt::Failure(Error::internal(
            "the ledger could not be closed",
        )))
    }

    /// The ledgers that have ended, the oldest first.
    pub(super) async fn predecessors(&self, cdn_url: &str) -> Result<Vec<Predecessor>> {
        let mut all = Vec::new();
        for row in store::all(&self.db).await? {
            let mut keys = Vec::new();
            for key in store::keys(&self.db, row.number).await? {
                keys.push(PublicKey {
                    vkey: keys::verifier_of_any(&row.origin, &key.public_key)?.vkey(),
                    from: key.from_index.unsigned_abs(),
                    retired: Some(key.retired.unsigned_abs()),
                });
            }
            all.push(Predecessor {
                promise_key: promise_key(&row)?.map(|key| key.vkey()),
                prefix: format!("{cdn_url}/{}/", folder(&row.origin)),
                keys,
                size: row.size.unsigned_abs(),
                pruned_to: row.pruned.unsigned_abs(),
                origin: row.origin,
            });
        }
        Ok(all)
    }

    /// The same for operators.
    pub(super) async fn ended(&self) -> Result<Vec<EndedLedger>> {
        let rows = store::all(&self.db).await?;
        let ended = rows.into_iter().map(|row| EndedLedger {
            origin: row.origin,
            size: row.size.unsigned_abs(),
            ended_at: row.retired_at,
            pruned_to: (row.pruned > 0).then_some(row.pruned.unsigned_abs()),
        });
        Ok(ended.collect())
    }

    /// The keys whose signatures stand under the checkpoints of one that has ended.
    pub(super) async fn keys_of_ended(&self, number: i64, origin: &str) -> Result<Vec<KnownKey>> {
        let mut known = Vec::new();
        for key in store::keys(&self.db, number).await? {
            let verifier = keys::verifier_of_any(origin, &key.public_key)?;
            if verifier.kind() == Kind::Ed25519 {
                let retired = Some(key.retired.unsigned_abs());
                known.push(KnownKey { verifier, retired });
            }
        }
        Ok(known)
    }

    /// Entries that may tell of the keys of one that has ended. Its rows do not know which do.
    pub(crate) async fn key_entries_of_ended(&self, number: i64) -> Result<Vec<Vec<u8>>> {
        let Some(row) = store::one(&self.db, number).await? else {
            return Ok(Vec::new());
        };
        let mut entries = Vec::new();
        for key in store::keys(&self.db, number).await? {
            let vkey = keys::verifier_of_any(&row.origin, &key.public_key)?.vkey();
            entries.push(key_entry(&vkey, KeyChange::Added));
            entries.push(key_entry(&vkey, KeyChange::Retired));
        }
        let promises = promise_key(&row)?.map(|key| key_entry(&key.vkey(), KeyChange::Added));
        entries.extend(promises);
        Ok(entries)
    }

    /// The keys of the ledgers that have ended, because proofs of their entries stay good.
    pub(super) async fn retired_verifiers(&self) -> Result<Vec<Verifier>> {
        let mut verifiers = Vec::new();
        for row in store::all(&self.db).await? {
            for key in store::keys(&self.db, row.number).await? {
                verifiers.push(keys::verifier_of_any(&row.origin, &key.public_key)?);
            }
            verifiers.extend(promise_key(&row)?);
        }
        Ok(verifiers)
    }
}
