//! The proof of a consent, as `docs/proof.md` describes it byte by byte.
//!
//! Each consent is a leaf of one append-only Merkle tree, the ledger. [`commitment`] makes the leaf, [`tree`] and
//! [`tile`] are the tree and its files, [`note`] and [`checkpoint`] its signed size and root, [`inclusion`] the
//! text that leads from a leaf to a checkpoint. [`bundle`] is the file that people keep, [`receipt`] its facts in the
//! words of a standard, and [`verify`] says in plain sentences what such a file shows. [`witness`] is what a ledger asks
//! witnesses, and what they answer; [`stamp`] the same for authorities that stamp the time. [`promise`] is what a caller
//! holds before there is a checkpoint.
//!
//! This crate has no I/O, so that a server, a command and a browser verify with the same code.
#![warn(missing_docs)]

mod ber;
pub mod bundle;
pub mod checkpoint;
pub mod commitment;
pub mod inclusion;
mod mldsa;
pub mod note;
pub mod policy;
pub mod promise;
pub mod receipt;
pub mod stamp;
mod strict;
pub mod tile;
pub mod tree;
pub mod verify;
pub mod witness;

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

/// A SHA-256 hash, or a salt, which is as long.
pub type Hash = [u8; 32];

/// The fault of a text or a proof that is refused, as a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused(pub String);

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// A value, or the reason of a refusal.
pub type Result<T> = std::result::Result<T, Refused>;

pub(crate) fn refused<T>(reason: impl Into<String>) -> Result<T> {
    Err(Refused(reason.into()))
}

/// SHA-256 of the parts, one behind the other.
pub fn sha256(parts: &[&[u8]]) -> Hash {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// Standard base64 with padding.
pub fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Reads standard base64 with padding; there is one text for each value.
pub fn from_base64(text: &str) -> Result<Vec<u8>> {
    STANDARD
        .decode(text)
        .map_err(|_| Refused("a value is not base64".to_owned()))
}

pub(crate) fn hash_from_base64(text: &str) -> Result<Hash> {
    let bytes = from_base64(text)?;
    Hash::try_from(bytes).map_err(|_| Refused("a hash is not 32 bytes long".to_owned()))
}

/// Reads a hash of 64 lower-case hexadecimal digits.
pub fn hash_from_hex(text: &str) -> Result<Hash> {
    let mut hash = [0; 32];
    let lower = text.bytes().all(|byte| !byte.is_ascii_uppercase());
    match hex::decode_to_slice(text, &mut hash) {
        Ok(()) if lower => Ok(hash),
        _ => refused("a hash is not 64 lower-case hexadecimal digits"),
    }
}

/// A decimal number without leading zeros.
pub(crate) fn number(text: &str) -> Result<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = text == "0" || !text.starts_with('0');
    match text.parse::<u64>() {
        Ok(number) if digits && plain && i64::try_from(number).is_ok() => Ok(number),
        _ => refused("a number is not in its plain form"),
    }
}
