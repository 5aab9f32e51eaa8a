//! Counts what somebody did in a window of time, so that it can be bounded. Counts are in memory, and bounded themselves.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, PoisonError},
};

use crate::{
    clock::Timestamp,
    error::{Error, Result},
};

/// Counts; when full, those of past windows go first.
const MOST_COUNTS: usize = 100_000;

/// The counts of the latest window of each key, which is an account or a network.
#[derive(Debug)]
pub(crate) struct Counts<Key>(Mutex<HashMap<Key, (i64, u32)>>);

impl<Key> Default for Counts<Key> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Key: Eq + Hash> Counts<Key> {
    /// Counts one more; false if the key has `most` in this window.
    pub(crate) fn add(&self, key: Key, window: i64, most: u32) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MOST_COUNTS {
            counts.retain(|_, (of, _)| *of == window);
            if counts.len() >= MOST_COUNTS {
                // A flood of keys has little for each. The counts that hold somebody back stay.
                counts.retain(|_, (_, count)| *count > most / 10);
            }
            if counts.len() >= MOST_COUNTS {
                counts.clear();
            }
        }
        let count = counts.entry(key).or_insert((window, 0));
        if count.0 != window {
            *count = (window, 0);
        }
        let is_free = count.1 < most;
        count.1 += u32::from(is_free);
        is_free
    }

    /// Counts one more in this hour.
    ///
    /// # Errors
    /// [`Error::TooMany`] if the key has `most` in this hour.
    pub(crate) fn add_in_hour(&self, key: Key, now: Timestamp, most: u32) -> Result<()> {
        const HOUR: i64 = 3_600;
        let seconds = now.seconds();
        if self.add(key, seconds.div_euclid(HOUR), most) {
            return Ok(());
        }
        Err(Error::TooMany {
            retry_after: (HOUR - seconds.rem_euclid(HOUR)).unsigned_abs(),
        })
    }

    /// Takes back one that was counted and did not happen.
    pub(crate) fn take_back(&self, key: &Key, window: i64) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, count)) = counts.get_mut(key)
            && *of == window
        {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_so_many_in_a_window() {
        let counts = Counts::default();
        let [one, other] = ["one", "other"];
        assert!(counts.add(one, 1, 2) && counts.add(one, 1, 2));
        assert!(!counts.add(one, 1, 2) && counts.add(other, 1, 2));
        counts.take_back(&one, 1);
        assert!(counts.add(one, 1, 2) && !counts.add(one, 1, 2));
        assert!(counts.add(one, 2, 2));
        // Taking back in one window leaves the next one alone.
        counts.take_back(&one, 1);
        assert!(counts.add(one, 2, 2) && !counts.add(one, 2, 2));
    }
}
