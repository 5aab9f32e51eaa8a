//! The signing key of the ledger, kept encrypted in the database, and the name that follows from it.

use ed25519_dalek::SigningKey;

use crate::{
    error::{Error, Result},
    objects::sha256_hex,
    random,
    secret::SecretKey,
};

/// A key pair as the database stores it.
#[derive(sqlx::FromRow)]
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
