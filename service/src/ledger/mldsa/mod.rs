//! The ledger's keys for ML-DSA-44. Their signatures stand in proofs alone: each has 3.3 kB, and everybody fetches
//! checkpoints.
//!
//! A signature is made when somebody asks for a proof, and is not kept; keys stay ready for the next one. Signing is
//! deterministic, and the size of a checkpoint tells which keys sign it. So a proof has the same lines whenever it is
//! made: after a crash, and after a rotation.

mod store;

use std::sync::atomic::Ordering;

use proof::{
    Hash,
    commitment::{KeyChange, key_entry},
    note::{Kind, TreeSigner, Verifier},
};

use super::{
    Ledger,
    keys::{LogKey, read_checkpoint},
    store::KeyRow,
};
use crate::{
    error::{Error, Result},
    random,
    secret::SecretKey,
};

/// Checkpoints of logs by this key state no time: the lines are made later.
const NO_TIME: u64 = 0;

/// A new key, sealed with the installation's secret. The name of its ledger is not stored with it.
pub(super) fn generate(secret: &SecretKey) -> Result<LogKey> {
    let mut seed: Hash = [0; 32];
    random::fill(&mut seed);
    let signer = TreeSigner::new("new", &seed).map_err(Error::internal)?;
    let public_key = signer.verifier().key().to_vec();
    Ok(LogKey {
        private_key: secret.seal(&public_key, &seed),
        public_key,
    })
}

/// The public half, with the name of the ledger.
pub(super) fn verifier(public_key: &[u8], origin: &str) -> Result<Verifier> {
    Verifier::new(origin, Kind::MlDsa44, public_key).map_err(Error::internal)
}

fn signer(key: &LogKey, origin: &str, secret: &SecretKey) -> Result<TreeSigner> {
    let seed = key
        .open(secret)
        .ok_or_else(|| Error::internal("a key of the ledger was sealed with another secret key"))?;
    TreeSigner::new(origin, &seed).map_err(Error::internal)
}

/// True if the key signs checkpoints of so many leaves.
fn signs(row: &KeyRow, size: u64) -> bool {
    let ended = row.retired.map(i64::unsigned_abs);
    row.from_index.unsigned_abs() < size && ended.is_none_or(|last| size <= last)
}

impl Ledger {
    /// Makes the first key of a ledger that has none, also of one that is older than such keys.
    pub(super) async fn prepare_ml_dsa(&self, origin: &str) -> Result<()> {
        if self.memory().has_ml_dsa.load(Ordering::Acquire) {
            return Ok(());
        }
        if !store::has_key(&self.db).await? {
            // With another secret key this process signs nothing, and no server could open both keys.
            if self.signers(origin).await.is_err() {
                return Ok(());
            }
            store::begin(&self.db, &generate(&self.secret)?).await?;
        }
        self.memory().has_ml_dsa.store(true, Ordering::Release);
        Ok(())
    }

    /// Adds the entry of a key that the ledger does not tell of yet. True if it has: an entry waits.
    pub(super) async fn tell_of_ml_dsa(&self, origin: &str) -> Result<bool> {
        if !self.memory().has_ml_dsa.load(Ordering::Acquire)
            || self.memory().told_of_ml_dsa.load(Ordering::Acquire)
        {
            return Ok(false);
        }
        let mut waits = false;
        for public_key in store::untold(&self.db).await? {
            let vkey = verifier(&public_key, origin)?.vkey();
            let entry = key_entry(&vkey, KeyChange::Added);
            waits |= store::tell(&self.db, &public_key, &entry).await?;
        }
        self.memory().told_of_ml_dsa.store(true, Ordering::Release);
        Ok(waits)
    }

    /// The lines under the note of a checkpoint, by the keys that sign checkpoints of its size.
    pub(super) async fn ml_dsa_lines(&self, origin: &str, note: &str) -> Result<String> {
        let rows = store::keys(&self.db).await?;
        // Somebody who writes to the database must not get a signature of a tree of theirs.
        let own = self.own_keys(origin).await?;
        let Ok(checkpoint) = read_checkpoint(note, &own) else {
            return Ok(String::new());
        };
        let memory = self.memory();
        let mut lines = String::new();
        for row in rows.iter().filter(|row| signs(row, checkpoint.size)) {
            let signer = memory.ml_dsa_signer(&row.key.public_key, || {
                signer(&row.key, origin, &self.secret)
            })?;
            let line = signer.line(&checkpoint, NO_TIME);
            lines.push_str(&line.map_err(Error::internal)?);
        }
        Ok(lines)
    }

    /// The keys, for verifiers.
    pub(super) async fn ml_dsa_verifiers(&self, origin: &str) -> Result<Vec<(Verifier, KeyRow)>> {
        let rows = store::keys(&self.db).await?.into_iter();
        rows.map(|row| Ok((verifier(&row.key.public_key, origin)?, row)))
            .collect()
    }

    /// The newest public key that signs, as verifiers want it.
    pub(super) async fn ml_dsa_vkey(&self, origin: &str) -> Result<Option<String>> {
        let mut keys = self.ml_dsa_verifiers(origin).await?;
        keys.retain(|(_, row)| row.retired.is_none());
        Ok(keys.last().map(|(key, _)| key.vkey()))
    }

    /// The public half of the older of two keys that sign. `None` while one signs.
    pub(super) async fn older_ml_dsa(&self) -> Result<Option<Vec<u8>>> {
        let mut signing = store::keys(&self.db).await?;
        signing.retain(|row| row.retired.is_none());
        let has_newer = signing.len() > 1;
        let older = signing.into_iter().next().filter(|_| has_newer);
        Ok(older.map(|row| row.key.public_key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_checkpoint_tells_which_keys_sign_it() {
        let row = |from_index, retired| KeyRow {
            key: LogKey {
                public_key: Vec::new(),
                private_key: Vec::new(),
            },
            from_index,
            retired,
            announced_in: None,
            ended_in: None,
        };
        let rows = [row(0, Some(20)), row(10, Some(30)), row(30, None)];
        let signing = |size| rows.each_ref().map(|row| signs(row, size));
        assert_eq!(signing(1), [true, false, false]);
        assert_eq!(signing(10), [true, false, false]);
        assert_eq!(signing(11), [true, true, false]);
        assert_eq!(signing(20), [true, true, false]);
        assert_eq!(signing(21), [false, true, false]);
        assert_eq!(signing(31), [false, false, true]);
    }
}
