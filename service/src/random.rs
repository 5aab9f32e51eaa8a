//! Randomness from the operating system.

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
