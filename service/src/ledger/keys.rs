//! The signing keys of the ledger, kept encrypted in the database, the change of one for another, and the name that follows
//! from the first.

use ed25519_dalek::SigningKey;
use proof::{
    Hash,
    commitment::{KeyChange, key_entry},
    note::{Kind, Signer, Verifier},
};

use super::{
    Ledger,
    store::{self, Retired},
};
use crate::{
    error::{Error, Result},
    objects::sha256_hex,
    random,
    secret::SecretKey,
};

/// A key pair as the database stores it.
#[derive(Clone, sqlx::FromRow)]
pub(super) struct LogKey {
    pub public_key: Vec<u8>,
    pub private_key: Vec<u8>,
}

impl LogKey {
    /// A new key, sealed with the installation's secret.
    pub(super) fn generate(secret: &SecretKey) -> Self {
        let mut seed = [0_u8; 32];
        random::fill(&mut seed);
        let public_key = SigningKey::from_bytes(&seed).verifying_key().to_bytes();
        Self {
            private_key: secret.seal(&public_key, &seed),
            public_key: public_key.to_vec(),
        }
    }

    /// Decrypts the key. Returns `None` if it was sealed with another secret.
    pub(super) fn open(&self, secret: &SecretKey) -> Option<[u8; 32]> {
        let seed = secret.open(&self.public_key, &self.private_key)?;
        seed.try_into().ok()
    }

    /// The public half, with the name of the ledger.
    pub(super) fn verifier(&self, origin: &str) -> Result<Verifier> {
        let key = Hash::try_from(self.public_key.as_slice()).map_err(Error::internal)?;
        Verifier::new(origin, Kind::Ed25519, &key).map_err(Error::internal)
    }

    /// The whole, with the name of the ledger.
    pub(super) fn signer(&self, origin: &str, secret: &SecretKey) -> Result<Signer> {
        let seed = self.open(secret).ok_or_else(|| {
            Error::internal("the key of the ledger was sealed with another secret key")
        })?;
        Signer::new(origin, &seed).map_err(Error::internal)
    }
}

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

impl Ledger {
    /// The keys whose signatures are those of this ledger, retired ones too: they signed what was published before.
    pub(super) async fn verifiers(&self, origin: &str) -> Result<Vec<Verifier>> {
        let keys = store::keys(&self.db).await?;
        keys.iter().map(|row| row.key.verifier(origin)).collect()
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
        // It must not be sealed with another secret than the one that is there.
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

/// The name of a ledger. It names the key, so that a new database never meets the files of another one.
pub(super) fn origin(base_url: &str, public_key: &[u8]) -> Result<String> {
    let url = url::Url::parse(base_url).map_err(Error::internal)?;
    let hash = sha256_hex(public_key);
    let digits = hash.get(..12).unwrap_or_default();
    Ok(format!("{}/ledger/{digits}", url.authority()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_authority_of_the_base_address() {
        for (base, begin) in [
            ("https://consent.example", "consent.example/ledger/"),
            ("https://consent.example:443", "consent.example/ledger/"),
            ("http://127.0.0.1:8080", "127.0.0.1:8080/ledger/"),
        ] {
            let name = origin(base, &[1; 32]).unwrap();
            assert_eq!(name.strip_prefix(begin).map(str::len), Some(12), "{name}");
        }
    }

    #[test]
    fn keys_open_with_their_own_secret_alone() {
        let (own, other) = ([1; 32], [2; 32]);
        let secret = |bytes: [u8; 32]| {
            use base64::{Engine, engine::general_purpose::STANDARD};
            SecretKey::parse(&STANDARD.encode(bytes)).unwrap()
        };
        let key = LogKey::generate(&secret(own));
        let seed = key.open(&secret(own)).unwrap();
        let public = SigningKey::from_bytes(&seed).verifying_key().to_bytes();
        assert_eq!(public.to_vec(), key.public_key);
        assert!(key.open(&secret(other)).is_none());
    }
}
