//! The consents of one token. Strangers may give a token any number of them, so reading a few does not look at all.

mod store;

pub(super) use store::{TokenEntry, newest, older};
pub(crate) use store::{after, latest, page};
