//! Counts wrong passwords for each account, so that nobody can try a list of guesses.
//!
//! The count is by the typed name, even if no account has it, so the answer does not tell. Counts are in
//! memory and bounded, like the limits by address.

use std::{collections::HashMap, sync::Mutex};

use crate::{
    clock::SharedClock,
    error::{Error, Result},
};

/// Wrong passwords that one name may have in a window of time.
const MOST: u32 = 30;
const WINDOW_SECONDS: i64 = 900;
/// Number of names that are counted. When it is reached, names of past windows are removed first.
const MOST_NAMES: usize = 100_000;
/// Longest name that an account can have.
const LONGEST_NAME: usize = 320;

pub(super) struct Tries {
    clock: SharedClock,
    on: bool,
    counted: Mutex<HashMap<String, (i64, u32)>>,
}

impl Tries {
    pub(super) fn new(clock: SharedClock, on: bool) -> Self {
        Self {
            clock,
            on,
            counted: Mutex::default(),
        }
    }

    /// Refuses a name that had too many wrong passwords.
    pub(super) fn check(&self, name: &str) -> Result<()> {
        let seconds = self.clock.now().seconds();
        let window = seconds.div_euclid(WINDOW_SECONDS);
        let counted = self.lock();
        match counted.get(name) {
            Some((of, count)) if *of == window && *count >= MOST => Err(Error::TooMany {
                retry_after: (WINDOW_SECONDS - seconds.rem_euclid(WINDOW_SECONDS)).unsigned_abs(),
            }),
            _ => Ok(()),
        }
    }

    /// Counts a wrong password.
    pub(super) fn failed(&self, name: &str) {
        if !self.on || name.len() > LONGEST_NAME {
            return;
        }
        let window = self.clock.now().seconds().div_euclid(WINDOW_SECONDS);
        let mut counted = self.lock();
        if counted.len() >= MOST_NAMES {
            counted.retain(|_, (of, _)| *of == window);
            if counted.len() >= MOST_NAMES {
                counted.clear();
            }
        }
        let entry = counted.entry(name.to_owned()).or_insert((window, 0));
        if entry.0 != window {
            *entry = (window, 0);
        }
        entry.1 = entry.1.saturating_add(1);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, (i64, u32)>> {
        self.counted
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
