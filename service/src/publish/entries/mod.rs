//! Entries of publications in the ledger.

mod store;

pub(super) use store::{Key, Logged, keys_after, log_some};
