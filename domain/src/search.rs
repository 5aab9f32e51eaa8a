//! Bounds of searches in lists.

/// Most characters of a text that a list is searched for.
pub const MOST_CHARS: usize = 200;
