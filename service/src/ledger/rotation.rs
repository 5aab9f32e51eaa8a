//! The keys that sign, and the change of one for another.

use proof::{
    commitment::{KeyChange, key_entry},
    note::{Signer, Verifier},
    promise::key_name,
};

use super::{
    Ledger,
    keys::{KnownKey, LogKey},
    mldsa, promises,
    store::{self, KeyRow, Retired},
};
use crate::error::Result;

/// The keys that sign, the older one first. There are two while one takes over from the other: those who believe only the
/// older one go on believing the ledger, until its operator has told them of the newer one.
pub(super) struct Signers {
    /// Their public halves as the database stores them.
    pub public: Vec<Vec<u8>>,
    pub signers: Vec<Signer>,
}

/// The end of a step of a rotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// These keys sign from the next checkpoint on, beside the older ones: one of Ed25519, then one of ML-DSA-44.
    Added(Vec<String>),
    /// These keys sign no more, in the same order.
    Retired(Vec<String>),
    /// Nothing changed, for this reason.
    Refused(&'static str),
}

/// A change of the keys that the ledger tells of.
pub(crate) struct ToldChange {
    /// The key, as a line of a policy names it.
    pub vkey: String,
    pub change: KeyChange,
    /// The batch with its entry. `None` if the database does not know it.
    pub batch: Option<i64>,
}

impl Ledger {
    /// Each change of the keys. Of the first key for Ed25519 the name of the ledger tells, and no entry.
    pub(crate) async fn key_changes(&self, origin: &str) -> Result<Vec<ToldChange>> {
        let mut changes = Vec::new();
        for (at, row) in store::keys(&self.db).await?.into_iter().enumerate() {
            let vkey = row.key.verifier(origin)?.vkey();
            let told = |change, batch| ToldChange {
                vkey: vkey.clone(),
                change,
                batch,
            };
            if at > 0 {
                changes.push(told(KeyChange::Added, row.announced_in));
            }
            if row.retired.is_some() {
                changes.push(told(KeyChange::Retired, row.ended_in));
            }
        }
        for (key, row) in self.ml_dsa_verifiers(origin).await? {
            let told = |change, batch| ToldChange {
                vkey: key.vkey(),
                change,
                batch,
            };
            // The entry of the first one may wait for other entries.
            if row.announced_in.is_some() {
                changes.push(told(KeyChange::Added, row.announced_in));
            }
            if row.retired.is_some() {
                changes.push(told(KeyChange::Retired, row.ended_in));
            }
        }
        if let Some(row) = promises::store::key(&self.db).await? {
            changes.push(ToldChange {
                vkey: row.key.verifier(&key_name(origin))?.vkey(),
                change: KeyChange::Added,
                batch: Some(row.announced_in),
            });
        }
        Ok(changes)
    }

    /// The keys whose signatures stand under the published checkpoints of this ledger.
    pub(super) async fn known_keys(&self, origin: &str) -> Result<Vec<KnownKey>> {
        let keys = store::keys(&self.db).await?;
        keys.iter().map(|row| known(row, origin)).collect()
    }

    /// The same keys, but for rows that somebody wrote to the database: their private halves were not sealed here.
    pub(super) async fn own_keys(&self, origin: &str) -> Result<Vec<KnownKey>> {
        let mut keys = store::keys(&self.db).await?;
        keys.retain(|row| row.key.open(&self.secret).is_some());
        keys.iter().map(|row| known(row, origin)).collect()
    }

    /// All keys for verifiers, who do not know when a key was retired: those of ledgers that have ended, those for Ed25519,
    /// those for ML-DSA-44.
    pub(super) async fn verifiers(&self, origin: &str) -> Result<Vec<Verifier>> {
        let mut verifiers = self.retired_verifiers().await?;
        let keys = self.known_keys(origin).await?;
        verifiers.extend(keys.into_iter().map(|key| key.verifier));
        let of_trees = self.ml_dsa_verifiers(origin).await?;
        verifiers.extend(of_trees.into_iter().map(|(key, _)| key));
        Ok(verifiers)
    }

    /// The keys that sign.
    pub(super) async fn signers(&self, origin: &str) -> Result<Signers> {
        let mut keys = store::keys(&self.db).await?;
        keys.retain(|row| row.retired.is_none());
        let signers = keys.iter().map(|row| row.key.signer(origin, &self.secret));
        Ok(Signers {
            signers: signers.collect::<Result<_>>()?,
            public: keys.into_iter().map(|row| row.key.public_key).collect(),
        })
    }

    /// Makes keys that sign from the next checkpoint on, beside the present ones. `None` where no ledger was ever on.
    pub async fn add_key(&self) -> Result<Option<Rotation>> {
        const TWO: &str = "two keys sign already; end the older one first (--finish)";
        let Some(state) = store::state(&self.db).await? else {
            return Ok(None);
        };
        // Fails with another secret key: the new key would be sealed with it, and no server could open both.
        self.signers(&state.origin).await?;
        let key = LogKey::generate(&self.secret);
        let ml_dsa = mldsa::generate(&self.secret)?;
        let vkeys = vec![
            key.verifier(&state.origin)?.vkey(),
            mldsa::verifier(&ml_dsa.public_key, &state.origin)?.vkey(),
        ];
        let entries = told(&vkeys, KeyChange::Added);
        let is_added = store::add_keys(&self.db, &key, &ml_dsa, &entries).await?;
        Ok(Some(if is_added {
            Rotation::Added(vkeys)
        } else {
            Rotation::Refused(TWO)
        }))
    }

    /// Ends the older of two keys of each kind. `None` where no ledger was ever on.
    pub async fn retire_key(&self) -> Result<Option<Rotation>> {
        const ONE: &str = "one key signs; add another one first";
        const EARLY: &str =
            "no checkpoint covers the entry of the new key yet; try again after the next one";
        let Some(state) = store::state(&self.db).await? else {
            return Ok(None);
        };
        let keys = store::keys(&self.db).await?;
        let Some(older) = keys.into_iter().find(|row| row.retired.is_none()) else {
            return Ok(Some(Rotation::Refused(ONE)));
        };
        let ml_dsa = self.older_ml_dsa().await?;
        let mut vkeys = vec![older.key.verifier(&state.origin)?.vkey()];
        if let Some(ml_dsa) = &ml_dsa {
            vkeys.push(mldsa::verifier(ml_dsa, &state.origin)?.vkey());
        }
        let entries = told(&vkeys, KeyChange::Retired);
        let older = &older.key.public_key;
        let ended = store::retire_keys(&self.db, older, ml_dsa.as_deref(), &entries).await?;
        Ok(Some(match ended {
            Retired::Yes => Rotation::Retired(vkeys),
            Retired::OnlyOne => Rotation::Refused(ONE),
            Retired::NotAnnounced => Rotation::Refused(EARLY),
        }))
    }
}

fn known(row: &KeyRow, origin: &str) -> Result<KnownKey> {
    Ok(KnownKey {
        verifier: row.key.verifier(origin)?,
        retired: row.retired.map(i64::unsigned_abs),
    })
}

/// The entries of a change of these keys.
fn told(vkeys: &[String], change: KeyChange) -> Vec<Vec<u8>> {
    vkeys.iter().map(|vkey| key_entry(vkey, change)).collect()
}
