//! Secrets of links in mails: random, kept as their hash, good once and for a while.

pub(super) mod store;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use crate::random;

/// A secret counts against the letters that an account gets for this long.
pub(super) const COUNTED_SECONDS: i64 = 3_600;

/// Proves an address.
pub(super) const VERIFY: &str = "verify";
/// Gives an account another address.
pub(super) const CHANGE: &str = "change";
/// Stands in no link: counts the letters that tell an account about wishes for its address.
pub(super) const TAKEN: &str = "taken";
/// Sets a new password.
pub(super) const RESET: &str = "reset";

/// Accepts an invitation.
pub(super) const INVITE: &str = "invite";

/// A secret as it stands in a link: 256 random bits.
pub(super) fn make() -> String {
    let mut bytes = [0_u8; 32];
    random::fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// What is kept of it. The secret is random through and through, so a plain hash cannot be
/// guessed back; and looking a hash up tells nothing by its time.
pub(super) fn hash(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}
