//! Ids: UUIDv7, monotonic per process and on the injected clock.

use std::sync::Mutex;

use uuid::{Builder, ContextV7, Uuid};

use crate::clock::{SharedClock, Timestamp};

/// The lowest id of a moment. Ids begin with their time, in milliseconds, so earlier ones are smaller.
pub(crate) fn first_of(moment: Timestamp) -> Uuid {
    at(moment, &[0; 10])
}

/// The id of a moment that ends with these bytes; some of their bits give way to version and variant. The same moment and
/// bytes give the same id, such as for a job that shall be there once.
pub(crate) fn at(moment: Timestamp, end: &[u8; 10]) -> Uuid {
    let millis = u64::try_from(moment.millis()).unwrap_or(0);
    Builder::from_unix_timestamp_millis(millis, end).into_uuid()
}

/// Makes ids. Later ids of one process are always greater than earlier ones.
pub struct Ids {
    clock: SharedClock,
    context: Mutex<ContextV7>,
}

impl Ids {
    /// Ids on this clock.
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            context: Mutex::new(ContextV7::new()),
        }
    }

    /// The next id (RFC 9562, section 5.7). Within a millisecond, or when the clock steps back, a counter of 42
    /// bits that begins at a random number tells ids apart.
    pub fn next(&self) -> Uuid {
        let millis = u64::try_from(self.clock.now().millis()).unwrap_or(0);
        let nanos = u32::try_from(millis % 1_000 * 1_000_000).unwrap_or(0);
        Uuid::new_v7(uuid::Timestamp::from_unix(
            &self.context,
            millis / 1_000,
            nanos,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, Timestamp};
    use std::sync::{
        Arc,
        atomic::{AtomicI64, Ordering::Relaxed},
    };

    /// A clock that goes back by a second with each look.
    struct Backwards(AtomicI64);

    impl Clock for Backwards {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(self.0.fetch_sub(1_000, Relaxed))
        }
    }

    struct Frozen;
    impl Clock for Frozen {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(1_795_253_400_007)
        }
    }

    fn grow(clock: impl Clock + 'static) {
        let ids = Ids::new(Arc::new(clock));
        let mut last = Uuid::nil();
        for _ in 0..10_000 {
            let id = ids.next();
            assert!(id > last);
            assert_eq!(id.get_version_num(), 7);
            assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
            last = id;
        }
    }

    #[test]
    fn ids_grow_within_one_millisecond_and_when_the_clock_steps_back() {
        grow(Frozen);
        grow(Backwards(AtomicI64::new(1_795_253_400_007)));
    }
}
