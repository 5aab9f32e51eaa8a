//! Ids: UUIDv7, monotonic per process and on the injected clock.

use std::sync::Mutex;

use uuid::{Builder, Uuid};

use crate::{clock::SharedClock, random};

/// Makes ids. Later ids of one process are always greater than earlier ones.
pub struct Ids {
    clock: SharedClock,
    last: Mutex<u128>,
}

impl Ids {
    /// Ids on this clock.
    pub fn new(clock: SharedClock) -> Self {
        Self {
            clock,
            last: Mutex::new(0),
        }
    }

    /// The next id (RFC 9562, section 5.7; monotonic by method 2 of section 6.2: within a
    /// millisecond, or when the clock steps back, the last id is increased).
    pub fn next(&self) -> Uuid {
        let mut random = [0_u8; 10];
        random::fill(&mut random);
        let milliseconds = u64::try_from(self.clock.now().millis()).unwrap_or(0);
        let fresh = Builder::from_unix_timestamp_millis(milliseconds, &random).into_uuid();
        let mut last = self
            .last
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        // The low 62 bits are random, so there is always room to count up from them; a random
        // stride keeps ids from being guessed from their neighbours.
        let stride = u128::from(u32::from_be_bytes([
            random[0], random[1], random[2], random[3],
        ])) + 1;
        let next = if fresh.as_u128() > *last {
            fresh.as_u128()
        } else {
            increase(*last, stride)
        };
        *last = next;
        Uuid::from_u128(next)
    }
}

/// Adds to the 62 random low bits and carries into the 12 of `rand_a`, then into the time,
/// leaving version and variant where they are.
fn increase(id: u128, stride: u128) -> u128 {
    const LOW: u128 = (1 << 62) - 1;
    let low = (id & LOW) + stride;
    let high = ((id >> 64) & 0xfff) + (low >> 62);
    let time = (id >> 80) + (high >> 12);
    (time << 80) | (0x7 << 76) | ((high & 0xfff) << 64) | (0b10 << 62) | (low & LOW)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::{Clock, Timestamp};
    use std::sync::Arc;

    struct Frozen;
    impl Clock for Frozen {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(1_795_253_400_007)
        }
    }

    #[test]
    fn ids_grow_within_one_millisecond_and_stay_version_7() {
        let ids = Ids::new(Arc::new(Frozen));
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
    fn increase_carries_past_version_and_variant() {
        let full = Uuid::parse_str("01900000-0000-7fff-bfff-ffffffffffff")
            .unwrap()
            .as_u128();
        let next = Uuid::from_u128(increase(full, 1));
        assert_eq!(next.to_string(), "01900000-0001-7000-8000-000000000000");
    }
}
