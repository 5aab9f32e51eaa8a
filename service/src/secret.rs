//! The installation's secret key. It seals values that a stolen database must not reveal.

use std::{fmt, path::Path};

use base64::{Engine, engine::general_purpose::STANDARD};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::random;

/// Begins each text that [`SecretKey::seal_text`] made.
pub(crate) const SEALED: &str = "sealed:";

/// A key of 256 bits; never printed.
#[derive(Clone)]
pub struct SecretKey([u8; 32]);

impl fmt::Debug for SecretKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretKey(…)")
    }
}

impl SecretKey {
    /// Reads a key of 32 bytes in base64.
    pub fn parse(text: &str) -> Option<Self> {
        STANDARD.decode(text.trim()).ok()?.try_into().ok().map(Self)
    }

    /// Reads the key's file, or makes it, readable by its owner alone.
    pub fn load_or_make(path: &Path) -> std::io::Result<Self> {
        match std::fs::read_to_string(path) {
            Ok(text) => Self::parse(&text).ok_or_else(|| {
                std::io::Error::other("the secret key file does not hold 32 bytes in base64")
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Self::make(path),
            Err(error) => Err(error),
        }
    }

    fn make(path: &Path) -> std::io::Result<Self> {
        let mut bytes = [0_u8; 32];
        random::fill(&mut bytes);
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        std::io::Write::write_all(&mut file, STANDARD.encode(bytes).as_bytes())?;
        file.sync_all()?;
        Ok(Self(bytes))
    }

    /// A key of its own for a purpose (HMAC-SHA256, RFC 2104).
    pub(crate) fn derived(&self, purpose: &[u8]) -> [u8; 32] {
        mac(&self.0, &[purpose])
    }

    /// Encrypts (XChaCha20-Poly1305). Opening needs the same `name`.
    pub(crate) fn seal(&self, name: &[u8], plain: &[u8]) -> Vec<u8> {
        let mut nonce = [0_u8; 24];
        random::fill(&mut nonce);
        let sealed = XChaCha20Poly1305::new((&self.0).into())
            .encrypt(
                XNonce::from_slice(&nonce),
                Payload {
                    msg: plain,
                    aad: name,
                },
            )
            .unwrap_or_default(); // fails only above 256 GB
        [nonce.as_slice(), &sealed].concat()
    }

    /// Encrypts a text for a column of texts.
    pub(crate) fn seal_text(&self, name: &[u8], plain: &str) -> String {
        let sealed = self.seal(name, plain.as_bytes());
        format!("{SEALED}{}", STANDARD.encode(sealed))
    }

    /// Decrypts a text of [`SecretKey::seal_text`]. `None` if another key sealed it.
    pub(crate) fn open_text(&self, name: &[u8], sealed: &str) -> Option<String> {
        let sealed = STANDARD.decode(sealed.strip_prefix(SEALED)?).ok()?;
        String::from_utf8(self.open(name, &sealed)?).ok()
    }

    /// Decrypts a value that [`SecretKey::seal`] made with this key and name.
    pub(crate) fn open(&self, name: &[u8], sealed: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_at_checked(24)?;
        XChaCha20Poly1305::new((&self.0).into())
            .decrypt(
                XNonce::from_slice(nonce),
                Payload {
                    msg: sealed,
                    aad: name,
                },
            )
            .ok()
    }
}

/// HMAC-SHA256 (RFC 2104) of facts, one behind the other.
#[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
pub(crate) fn mac(key: &[u8], facts: &[&[u8]]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new_from_slice(key)
        .expect("HMAC takes a key of any length");
    for fact in facts {
        mac.update(fact);
    }
    mac.finalize().into_bytes().into()
}

/// A password that nobody can guess: 120 bits in letters and digits that are not mistaken for each other.
pub fn new_password() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = [0_u8; 24];
    random::fill(&mut bytes);
    let letter = |byte: u8| LETTERS.get(usize::from(byte % 32)).copied();
    bytes
        .into_iter()
        .filter_map(letter)
        .map(char::from)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_only_with_the_same_key_and_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret.key");
        let key = SecretKey::load_or_make(&path).unwrap();
        let sealed = key.seal(b"a", b"plain");
        assert_eq!(
            SecretKey::load_or_make(&path)
                .unwrap()
                .open(b"a", &sealed)
                .as_deref(),
            Some(&b"plain"[..])
        );
        assert_eq!(key.open(b"b", &sealed), None);
        assert_eq!(sealed.len(), b"plain".len() + 24 + 16);
        let sealed_text = key.seal_text(b"a", "plain");
        assert_eq!(key.open_text(b"a", &sealed_text).as_deref(), Some("plain"));
        assert_eq!(key.open_text(b"a", "plain"), None);
        assert_eq!(SecretKey([7; 32]).open(b"a", &sealed), None);
    }
}
