//! The state of a list that its address names.

use serde::{Deserialize, Serialize};

/// The words, the order and the page of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listing {
    /// Only entries with each word of this text; empty for all.
    pub text: String,
    /// The word of an order, as the list has them; empty for the usual one.
    pub sort: String,
    /// From 1.
    pub page: u32,
}

impl Listing {
    /// The word of the order that begins with the oldest entry.
    pub const OLDEST: &str = "oldest";

    pub fn is_oldest_first(&self) -> bool {
        self.sort == Self::OLDEST
    }
}

#[cfg(feature = "ssr")]
impl Listing {
    /// The same for the service; `size` is the number of entries on a page.
    pub fn asked(self, size: Option<u32>) -> service::db::page::Asked {
        service::db::page::Asked {
            page: service::db::page::Page::new(Some(self.page), size),
            oldest_first: self.is_oldest_first(),
            text: self.text,
        }
    }
}
