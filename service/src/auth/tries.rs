//! Counts wrong passwords and codes, so that nobody can try a list of guesses and no stranger keeps an owner out.
//!
//! The count is by the typed name, even if no account has it, so the answer does not tell. An account has two
//! names, which are counted apart: a common count would tell that they belong together. Each asker has a count
//! for each name. All strangers together have a further one, so many addresses do not help. An address from
//! which somebody has signed in to the account is no stranger's. Counts are in memory and bounded, like the
//! limits by address.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use uuid::Uuid;

use crate::{
    clock::SharedClock,
    counts::{MOST_COUNTS, Windows},
    error::{Error, Result},
    prefix::Subscriber,
};

/// Wrong passwords that one asker may have for one name in a window of time.
const MOST: u64 = 30;
/// Wrong passwords that all strangers together may have for one name in a window.
const MOST_OF_STRANGERS: u64 = 300;
const WINDOW_SECONDS: i64 = 900;
/// Wrong codes of a second factor that an account may have in a day (UTC). A million codes are few for somebody who
/// never stops.
const MOST_CODES: u64 = 100;
/// Wrong codes of a day from which on the owner is to know of them.
const MANY_CODES: u64 = 30;
const DAY_SECONDS: i64 = 86_400;
/// Seconds for which an address counts as the account's after a sign-in.
const KNOWN_SECONDS: i64 = 30 * DAY_SECONDS;
/// Longest name that an account can have.
const LONGEST_NAME: usize = 320;

/// The source of a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Asker {
    /// A client that signs in, by its network if that is known.
    Client(Option<Subscriber>),
    /// A session of the account, which proves its password once more.
    Session(Uuid),
}

/// The passwords that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum By {
    One(Asker),
    Strangers,
}

pub(super) struct Tries {
    clock: SharedClock,
    on: bool,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    /// Wrong passwords.
    counted: Windows<(String, By)>,
    /// Times of sign-ins, [`MOST_COUNTS`] at most.
    known: HashMap<(String, Subscriber), i64>,
    /// Wrong codes of a day, by account.
    codes: Windows<Uuid>,
    /// Accounts whose owners were told of them that day.
    told: Windows<Uuid>,
}

impl Tries {
    pub(super) fn new(clock: SharedClock, on: bool) -> Self {
        Self {
            clock,
            on,
            memory: Mutex::default(),
        }
    }

    /// Refuses an asker who had too many wrong passwords for this name, and counts the try as a wrong one. An answer takes
    /// time, and tries that are counted when they are known to be wrong would all begin before the first of them is.
    pub(super) fn begin(&self, name: &str, asker: Asker) -> Result<()> {
        let seconds = self.clock.now().seconds();
        let mut memory = self.lock();
        memory.check(name, asker, seconds)?;
        if self.counts(name) {
            memory.failed(name, asker, seconds);
        }
        Ok(())
    }

    /// Takes back a try that was right.
    pub(super) fn right(&self, name: &str, asker: Asker) {
        if self.counts(name) {
            let seconds = self.clock.now().seconds();
            self.lock().take_back(name, asker, seconds);
        }
    }

    /// [`Tries::begin`] of a code of an account's second factor, with a bound for the day besides. Its sender knows the
    /// password or has a session, so codes are counted together, wherever they come from.
    pub(super) fn begin_code(&self, name: &str, account: Uuid) -> Result<()> {
        self.begin(name, Asker::Session(account))?;
        let now = self.clock.now();
        if !self.counts(name)
            || self.lock().codes.add(account, now.day(), 1, |_| MOST_CODES) <= MOST_CODES
        {
            return Ok(());
        }
        Err(Error::TooMany {
            retry_after: (DAY_SECONDS - now.seconds().rem_euclid(DAY_SECONDS)).unsigned_abs(),
        })
    }

    /// Takes back a code that was right.
    pub(super) fn right_code(&self, name: &str, account: Uuid) {
        self.right(name, Asker::Session(account));
        if self.counts(name) {
            let day = self.clock.now().day();
            self.lock().codes.take_back(&account, day);
        }
    }

    /// True once a day for an account with many wrong codes.
    pub(super) fn guesses_are_news(&self, account: Uuid) -> bool {
        let day = self.clock.now().day();
        let mut memory = self.lock();
        memory.codes.used(&account, day) >= MANY_CODES
            && memory.told.used(&account, day) == 0
            && memory.told.add(account, day, 1, |_| 1) == 1
    }

    /// True if tries with this name are counted.
    fn counts(&self, name: &str) -> bool {
        self.on && name.len() <= LONGEST_NAME
    }

    /// Remembers that somebody has signed in with this name from there.
    pub(super) fn signed_in(&self, name: &str, network: Option<Subscriber>) {
        let Some(network) = network.filter(|_| self.on) else {
            return;
        };
        let seconds = self.clock.now().seconds();
        let known = &mut self.lock().known;
        if known.len() >= MOST_COUNTS {
            known.retain(|_, since| *since > seconds - KNOWN_SECONDS);
            if known.len() >= MOST_COUNTS {
                known.clear();
            }
        }
        known.insert((name.to_owned(), network), seconds);
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn check(&self, name: &str, asker: Asker, seconds: i64) -> Result<()> {
        let window = seconds.div_euclid(WINDOW_SECONDS);
        let count = |by: By| self.counted.used(&(name.to_owned(), by), window);
        let of_strangers = if self.is_stranger(name, asker, seconds) {
            count(By::Strangers)
        } else {
            0
        };
        if count(By::One(asker)) < MOST && of_strangers < MOST_OF_STRANGERS {
            return Ok(());
        }
        Err(Error::TooMany {
            retry_after: (WINDOW_SECONDS - seconds.rem_euclid(WINDOW_SECONDS)).unsigned_abs(),
        })
    }

    fn failed(&mut self, name: &str, asker: Asker, seconds: i64) {
        let window = seconds.div_euclid(WINDOW_SECONDS);
        self.count(name, By::One(asker), window);
        if self.is_stranger(name, asker, seconds) {
            self.count(name, By::Strangers, window);
        }
    }

    fn take_back(&mut self, name: &str, asker: Asker, seconds: i64) {
        let window = seconds.div_euclid(WINDOW_SECONDS);
        let is_stranger = self.is_stranger(name, asker, seconds);
        let strangers = is_stranger.then_some(By::Strangers);
        for by in [By::One(asker)].into_iter().chain(strangers) {
            self.counted.take_back(&(name.to_owned(), by), window);
        }
    }

    fn is_stranger(&self, name: &str, asker: Asker, seconds: i64) -> bool {
        match asker {
            Asker::Session(_) => false,
            Asker::Client(None) => true,
            Asker::Client(Some(network)) => self
                .known
                .get(&(name.to_owned(), network))
                .is_none_or(|since| *since <= seconds - KNOWN_SECONDS),
        }
    }

    fn count(&mut self, name: &str, by: By, window: i64) {
        let most = |(_, by): &(String, By)| match by {
            By::One(_) => MOST,
            By::Strangers => MOST_OF_STRANGERS,
        };
        self.counted.add((name.to_owned(), by), window, 1, most);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::{Clock, Timestamp};

    #[derive(Debug)]
    struct Still;

    impl Clock for Still {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(0)
        }
    }

    #[test]
    fn strangers_have_a_bound_together_that_leaves_the_owner_alone() {
        let tries = Tries::new(Arc::new(Still), true);
        let client = |last: u8| Asker::Client(Some(Subscriber::of([203, 0, 113, last].into())));
        let (home, session) = (client(200), Asker::Session(Uuid::nil()));
        tries.signed_in("ada", Some(Subscriber::of([203, 0, 113, 200].into())));
        for stranger in 0..10 {
            for _ in 0..MOST {
                assert!(tries.begin("ada", client(stranger)).is_ok());
            }
            assert!(tries.begin("ada", client(stranger)).is_err());
        }
        for stranger in [client(99), Asker::Client(None)] {
            assert!(tries.begin("ada", stranger).is_err());
        }
        for owner in [home, session] {
            for _ in 0..MOST {
                assert!(tries.begin("ada", owner).is_ok());
            }
            assert!(tries.begin("ada", owner).is_err());
        }
        assert!(tries.begin("bob", client(0)).is_ok());
    }

    #[test]
    fn a_flood_of_names_wipes_no_count_that_holds_somebody_back() {
        let tries = Tries::new(Arc::new(Still), true);
        let session = Asker::Session(Uuid::nil());
        for _ in 0..MOST {
            assert!(tries.begin("ada", session).is_ok());
        }
        for name in 0..MOST_COUNTS {
            let _ = tries.begin(&name.to_string(), session);
        }
        assert!(tries.begin("ada", session).is_err());
        // A try that was right leaves nothing behind.
        let before = tries.lock().counted.keys();
        assert!(tries.begin("bob", session).is_ok());
        tries.right("bob", session);
        assert_eq!(tries.lock().counted.keys(), before);
    }

    #[test]
    fn tries_that_begin_together_are_counted_before_they_are_answered() {
        let tries = Tries::new(Arc::new(Still), true);
        let session = Asker::Session(Uuid::from_u128(1));
        let stranger = Asker::Client(None);
        for _ in 0..2 * MOST_OF_STRANGERS {
            for asker in [session, stranger] {
                assert!(tries.begin("ada", asker).is_ok());
                tries.right("ada", asker);
            }
        }
        for asker in [session, stranger] {
            let begun = (0..2 * MOST).filter(|_| tries.begin("ada", asker).is_ok());
            assert_eq!(begun.count() as u64, MOST);
        }
    }
}
