//! A clock that tests can turn forward.

use std::sync::atomic::{AtomicI64, Ordering};

use service::clock::{Clock, SystemClock, Timestamp};

/// Starts at the present, runs with real time, and can be turned forward.
#[derive(Debug, Default)]
pub struct TestClock {
    ahead: AtomicI64,
}

impl TestClock {
    /// Turns the clock forward.
    pub fn advance_seconds(&self, seconds: i64) {
        self.ahead.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    /// Turns the clock forward by days.
    pub fn advance_days(&self, days: i64) {
        self.advance_seconds(days * 86_400);
    }

    /// Turns the clock forward to the start of the next window of this length, for tests of limits that are
    /// counted by window.
    pub fn advance_to_window(&self, seconds: i64) {
        self.advance_seconds(seconds - self.now().seconds().rem_euclid(seconds));
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp(SystemClock.now().0 + self.ahead.load(Ordering::SeqCst))
    }
}
