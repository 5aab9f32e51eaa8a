//! A clock that tests turn.

use std::sync::atomic::{AtomicI64, Ordering};

use service::clock::{Clock, SystemClock, Timestamp};

/// Starts at the present and only moves further when told to, besides running with real time.
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

    /// Turns the clock forward to where the next window of so many seconds begins, for what is
    /// counted by windows.
    pub fn advance_to_window(&self, seconds: i64) {
        self.advance_seconds(seconds - self.now().seconds().rem_euclid(seconds));
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp(SystemClock.now().0 + self.ahead.load(Ordering::SeqCst))
    }
}
