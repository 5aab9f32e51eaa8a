//! Secrets of mailed links: random, stored as a hash, valid once and for a limited time.

pub(super) mod store;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

use crate::random;

/// Time for which a secret counts against the number of letters to an account.
pub(super) const COUNTED_SECONDS: i64 = 3_600;

/// Verifies an address.
pub(super) const VERIFY: &str = "verify";
/// Replaces an account's address.
pub(super) const CHANGE: &str = "change";
/// Stands in no link. Counts the letters that tell an account that another one wants its address.
pub(super) const TAKEN: &str = "taken";
/// Sets a new password.
pub(super) const RESET: &str = "reset";

/// Accepts an invitation.
pub(super) const INVITE: &str = "invite";

/// Makes the secret of a link: 256 random bits.
pub(super) fn make() -> String {
    let mut bytes = [0_u8; 32];
    random::fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The stored form of a secret. A plain hash is enough, because the secret is fully random, and the lookup of
/// a hash does not tell by its duration how much of a guess was right.
pub(super) fn hash(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}
