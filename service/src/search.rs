//! Bounds of searches in lists.

use crate::error::{Error, Result};

/// Most characters of a text that a list is searched for.
const MOST_CHARS: usize = 200;
/// Most conditions on fields in one query. Both engines bound the length of a statement.
const MOST_FILTERS: usize = 20;

/// Refuses a search that is longer than people write.
pub(crate) fn check(text: &str, filters: usize) -> Result<()> {
    if text.chars().count() > MOST_CHARS {
        let detail = format!("`q` has at most {MOST_CHARS} characters.");
        return Err(Error::BadRequest(detail));
    }
    if filters > MOST_FILTERS {
        let detail = format!("A query has at most {MOST_FILTERS} filters.");
        return Err(Error::BadRequest(detail));
    }
    Ok(())
}
