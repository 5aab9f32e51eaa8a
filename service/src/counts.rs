//! Counts what somebody did in a window of time, so that it can be bounded. Counts are in memory, and bounded themselves.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

use crate::{
    clock::Timestamp,
    error::{Error, Result},
    prefix::{Prefix, Subscriber},
};

/// Keys that are counted at one time.
pub const MOST_COUNTS: usize = 100_000;
/// A tenth of the bound of a key is little.
const LITTLE: u64 = 10;

/// The amounts that keys have used in the latest window of each. When there are too many keys, those of past windows go
/// first, then those that have used little: strangers can invent keys, and must not have the counts forgotten that hold
/// somebody back.
#[derive(Debug)]
pub struct Windows<Key>(HashMap<Key, (i64, u64)>);

impl<Key> Default for Windows<Key> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<Key: Eq + Hash> Windows<Key> {
    /// The number of keys that are counted.
    pub fn keys(&self) -> usize {
        self.0.len()
    }

    /// The amount that a key has used in a window.
    pub fn used(&self, key: &Key, window: i64) -> u64 {
        match self.0.get(key) {
            Some((of, used)) if *of == window => *used,
            _ => 0,
        }
    }

    /// Adds to the amount of a key in a window, and returns the sum. `most` is the bound of each key.
    pub fn add(&mut self, key: Key, window: i64, amount: u64, most: impl Fn(&Key) -> u64) -> u64 {
        if self.0.len() >= MOST_COUNTS {
            self.0.retain(|_, (of, _)| *of == window);
        }
        if self.0.len() >= MOST_COUNTS {
            self.0.retain(|key, (_, used)| *used > most(key) / LITTLE);
        }
        if self.0.len() >= MOST_COUNTS {
            self.0.clear();
        }
        let (of, used) = self.0.entry(key).or_insert((window, 0));
        if *of != window {
            (*of, *used) = (window, 0);
        }
        *used = used.saturating_add(amount);
        *used
    }

    /// Takes back one that was counted in a window and did not happen.
    pub fn take_back(&mut self, key: &Key, window: i64) {
        if let Some((of, used)) = self.0.get_mut(key)
            && *of == window
        {
            *used = used.saturating_sub(1);
            if *used == 0 {
                self.0.remove(key);
            }
        }
    }
}

/// The counts of the latest window of each key, which is an account or a network.
#[derive(Debug)]
pub(crate) struct Counts<Key>(Mutex<Windows<Key>>);

impl<Key> Default for Counts<Key> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<Key: Eq + Hash> Counts<Key> {
    /// Counts one more; false if the key has `most` in this window.
    pub(crate) fn add(&self, key: Key, window: i64, most: u32) -> bool {
        let (mut counts, most) = (self.lock(), u64::from(most));
        if counts.used(&key, window) >= most {
            return false;
        }
        counts.add(key, window, 1, |_| most);
        true
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
        self.lock().take_back(key, window);
    }

    fn lock(&self) -> MutexGuard<'_, Windows<Key>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Counts<Prefix> {
    /// Counts one more of a subscriber, who has `most` in this window, and of its site.
    ///
    /// # Errors
    /// The bound of the prefix that has as many as it may. Then nothing is counted.
    pub(crate) fn add_of(
        &self,
        subscriber: Subscriber,
        window: i64,
        most: u32,
    ) -> std::result::Result<(), u64> {
        let (mut counts, most) = (self.lock(), u64::from(most));
        let mut prefixes = subscriber.prefixes();
        if let Some(full) = prefixes.find(|one| counts.used(one, window) >= one.most(most)) {
            return Err(full.most(most));
        }
        for prefix in subscriber.prefixes() {
            counts.add(prefix, window, 1, |one| one.most(most));
        }
        Ok(())
    }

    /// Takes back one of a subscriber that was counted and did not happen.
    pub(crate) fn take_back_of(&self, subscriber: Subscriber, window: i64) {
        for prefix in subscriber.prefixes() {
            self.take_back(&prefix, window);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::prefix::SITE_TIMES;

    #[test]
    fn a_site_has_so_many_times_as_many_as_a_subscriber() {
        let counts = Counts::default();
        let of =
            |net: u128| Subscriber::of(IpAddr::V6((0x2001_0db8_0001 << 80 | net << 64).into()));
        for subscriber in 0..u128::from(SITE_TIMES) {
            assert_eq!(counts.add_of(of(subscriber), 1, 2), Ok(()));
            assert_eq!(counts.add_of(of(subscriber), 1, 2), Ok(()));
            assert_eq!(counts.add_of(of(subscriber), 1, 2), Err(2));
        }
        let next = of(SITE_TIMES.into());
        assert_eq!(counts.add_of(next, 1, 2), Err(2 * u64::from(SITE_TIMES)));
        counts.take_back_of(of(0), 1);
        assert_eq!(counts.add_of(next, 1, 2), Ok(()));
        assert_eq!(counts.add_of(next, 2, 2), Ok(()));
    }

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
