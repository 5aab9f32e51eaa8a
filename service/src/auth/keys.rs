//! Ed25519 signing keys (RFC 8037), kept encrypted in the database.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ed25519_dalek::SigningKey;
use jsonwebtoken::{DecodingKey, EncodingKey};
use sha2::{Digest, Sha256};

use crate::{clock::Timestamp, random, secret::SecretKey};

/// Bytes of the hash of a public key that name it.
pub(super) const KID_BYTES: usize = 12;

/// PKCS #8 (RFC 8410, section 7) around the 32 bytes of an Ed25519 private key.
const PKCS8_ED25519: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// Fate of the older keys when a new one is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Older {
    /// They verify tokens until those expire.
    Stay,
    /// They are deleted, which ends everybody's sessions. For keys that leaked.
    End,
}

/// A key pair in use.
#[derive(Clone)]
pub(super) struct Key {
    pub kid: String,
    pub created_at: Timestamp,
    pub public: Vec<u8>,
    pub encoding: EncodingKey,
    pub decoding: DecodingKey,
}

/// A key pair as the database stores it.
#[derive(sqlx::FromRow)]
pub(super) struct SealedKey {
    pub kid: String,
    pub private_key: Vec<u8>,
    pub public_key: Vec<u8>,
    pub created_at: Timestamp,
}

impl SealedKey {
    /// A new key, sealed with the installation's secret.
    pub(super) fn generate(secret: &SecretKey, now: Timestamp) -> Self {
        let mut seed = [0_u8; 32];
        random::fill(&mut seed);
        let public_key = SigningKey::from_bytes(&seed)
            .verifying_key()
            .to_bytes()
            .to_vec();
        let digest = Sha256::digest(&public_key);
        let kid = URL_SAFE_NO_PAD.encode(digest.get(..KID_BYTES).unwrap_or_default());
        Self {
            private_key: secret.seal(kid.as_bytes(), &seed),
            kid,
            public_key,
            created_at: now,
        }
    }

    /// Decrypts the key. Returns `None` if it was sealed with another secret.
    pub(super) fn open(self, secret: &SecretKey) -> Option<Key> {
        let seed = secret.open(self.kid.as_bytes(), &self.private_key)?;
        let der = [PKCS8_ED25519.as_slice(), &seed].concat();
        Some(Key {
            decoding: DecodingKey::from_ed_der(&self.public_key),
            encoding: EncodingKey::from_ed_der(&der),
            public: self.public_key,
            kid: self.kid,
            created_at: self.created_at,
        })
    }
}
