//! The signing keys of the ledger, kept encrypted in the database, and the name that follows from the first.

use ed25519_dalek::{PUBLIC_KEY_LENGTH, SigningKey};
use proof::{
    Refused,
    checkpoint::Checkpoint,
    note::{Kind, Note, Signed, Signer, Verifier},
};

use crate::{
    error::{Error, Result},
    objects::sha256_hex,
    random,
    secret::SecretKey,
};

/// Between the authority and the digits of the key in a name.
const LEDGER: &str = "/ledger/";

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
        verifier(origin, &self.public_key)
    }

    /// The whole, with the name of the ledger.
    pub(super) fn signer(&self, origin: &str, secret: &SecretKey) -> Result<Signer> {
        let seed = self.open(secret).ok_or_else(|| {
            Error::internal("the key of the ledger was sealed with another secret key")
        })?;
        Signer::new(origin, &seed).map_err(Error::internal)
    }
}

/// The public half of a key, with the name of its ledger.
fn verifier(origin: &str, public_key: &[u8]) -> Result<Verifier> {
    Verifier::new(origin, Kind::Ed25519, public_key).map_err(Error::internal)
}

/// The public half of a key of either kind, whose length tells which.
pub(super) fn verifier_of_any(origin: &str, public_key: &[u8]) -> Result<Verifier> {
    let kind = if public_key.len() == PUBLIC_KEY_LENGTH {
        Kind::Ed25519
    } else {
        Kind::MlDsa44
    };
    Verifier::new(origin, kind, public_key).map_err(Error::internal)
}

/// A key that signs, or has signed.
pub(super) struct KnownKey {
    pub verifier: Verifier,
    /// Leaves of its last checkpoint: it may have been stolen since.
    pub retired: Option<u64>,
}

/// Reads a checkpoint that one of these keys signed while it was to sign.
pub(super) fn read_checkpoint(
    note: &str,
    keys: &[KnownKey],
) -> std::result::Result<Checkpoint, Refused> {
    let note = Note::parse(note)?;
    let checkpoint = Checkpoint::read(note.text)?;
    for key in keys {
        let is_early = key.retired.is_none_or(|last| checkpoint.size <= last);
        if is_early && key.verifier.signed(&note)? == Signed::Yes {
            return Ok(checkpoint);
        }
    }
    Err(Refused("no key of the ledger signed it".to_owned()))
}

/// The name of a ledger at an authority. It names the key, so that a new database never meets the files of another one.
pub(super) fn origin(authority: &str, public_key: &[u8]) -> String {
    let hash = sha256_hex(public_key);
    let digits = hash.get(..12).unwrap_or_default();
    format!("{authority}{LEDGER}{digits}")
}

/// The authority of an address: host, and port unless it is that of its scheme.
pub(super) fn authority(base_url: &str) -> Result<String> {
    let url = url::Url::parse(base_url).map_err(Error::internal)?;
    Ok(url.authority().to_owned())
}

/// The authority in the name of a ledger.
pub(super) fn authority_of(origin: &str) -> &str {
    origin.split_once(LEDGER).map_or(origin, |(at, _)| at)
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
            let at = authority(base).unwrap();
            let name = origin(&at, &[1; 32]);
            assert_eq!(authority_of(&name), at);
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
