//! Randomness for keys, tokens and salts.

/// Fills `bytes` with random bytes fit for keys.
///
/// # Panics
///
/// Without the operating system's randomness.
#[expect(
    clippy::expect_used,
    reason = "without the operating system's randomness no key is safe; stopping is right"
)]
pub fn fill(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the operating system gives randomness");
}

/// Fills `bytes` from a generator of this process (ChaCha12), which the operating system seeds anew for each 64 KiB. It
/// cannot be foreseen either, and needs no call of the system: for callers that come thousands of times a second.
pub fn fill_often(bytes: &mut [u8]) {
    rand::fill(bytes);
}
