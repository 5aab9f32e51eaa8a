//! The keys that sign, and the change of one for another.

use proof::{
    commitment::{KeyChange, key_entry},
    note::{Signer, Verifier},
};

use super::{
    Ledger,
    keys::{KnownKey, LogKey},
    store::{self, Retired},
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
    /// This key signs from the next checkpoint on, beside the older one.
    Added(String),
    /// This key signs no more.
    Retired(String),
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
    /// Each change of the keys. Of the first key the name of the ledger tells, and no entry.
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
        Ok(changes)
    }

    /// The keys whose signatures are those of this ledger.
    pub(super) async fn known_keys(&self, origin: &str) -> Result<Vec<KnownKey>> {
        let keys = store::keys(&self.db).await?;
        let known = keys.iter().map(|row| {
            Ok(KnownKey {
                verifier: row.key.verifier(origin)?,
                retired: row.retired.map(i64::unsigned_abs),
            })
        });
        known.collect()
    }

    /// The same for verifiers, who do not know when a key was retired, with the keys of ledgers that have ended.
    pub(super) async fn verifiers(&self, origin: &str) -> Result<Vec<Verifier>> {
        let mut verifiers = self.retired_verifiers().await?;
        let keys = self.known_keys(origin).await?;
        verifiers.extend(keys.into_iter().map(|key| key.verifier));
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

    /// Makes a key that signs from the next checkpoint on, beside the present one. `None` where no ledger was ever on.
    pub async fn add_key(&self) -> Result<Option<Rotation>> {
        const TWO: &str = "two keys sign already; end the older one first (--finish)";
        let Some(state) = store::state(&self.db).await? else {
            return Ok(None);
        };
        // Fails with another secret key: the new key would be sealed with it, and no server could open both.
        self.signers(&state.origin).await?;
        let key = LogKey::generate(&self.secret);
        let vkey = key.verifier(&state.origin)?.vkey();
        let entry = key_entry(&vkey, KeyChange::Added);
        Ok(Some(if store::add_key(&self.db, &key, &entry).await? {
            Rotation::Added(vkey)
        } else {
            Rotation::Refused(TWO)
        }))
    }

    /// Ends the older of two keys. `None` where no ledger was ever on.
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
        let vkey = older.key.verifier(&state.origin)?.vkey();
        let entry = key_entry(&vkey, KeyChange::Retired);
        let ended = store::retire_key(&self.db, &older.key.public_key, &entry).await?;
        Ok(Some(match ended {
            Retired::Yes => Rotation::Retired(vkey),
            Retired::OnlyOne => Rotation::Refused(ONE),
            Retired::NotAnnounced => Rotation::Refused(EARLY),
        }))
    }
}
