//! Counts the accounts that each network makes, so that nobody gets many quotas by many accounts.
//!
//! Counts are in memory and bounded, like the limits by address.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Mutex, PoisonError},
};

/// Counts; when full, those of past days go first.
const MOST_COUNTS: usize = 100_000;

/// Accounts of a day (UTC), by network.
#[derive(Debug, Default)]
pub(super) struct Arrivals(Mutex<HashMap<IpAddr, (i64, u32)>>);

impl Arrivals {
    /// Counts an account; false if the network has made `most` on this day.
    pub(super) fn add(&self, network: IpAddr, day: i64, most: u32) -> bool {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MOST_COUNTS {
            counts.retain(|_, (of, _)| *of == day);
            if counts.len() >= MOST_COUNTS {
                counts.clear();
            }
        }
        let count = counts.entry(network).or_insert((day, 0));
        if count.0 != day {
            *count = (day, 0);
        }
        let is_free = count.1 < most;
        count.1 += u32::from(is_free);
        is_free
    }

    /// Takes back an account that was counted and not made.
    pub(super) fn take_back(&self, network: IpAddr, day: i64) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, count)) = counts.get_mut(&network)
            && *of == day
        {
            *count = count.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_makes_so_many_accounts_a_day() {
        let arrivals = Arrivals::default();
        let [one, other] = [1, 2].map(|last| IpAddr::from([203, 0, 113, last]));
        assert!(arrivals.add(one, 1, 2) && arrivals.add(one, 1, 2));
        assert!(!arrivals.add(one, 1, 2) && arrivals.add(other, 1, 2));
        arrivals.take_back(one, 1);
        assert!(arrivals.add(one, 1, 2) && !arrivals.add(one, 1, 2));
        assert!(arrivals.add(one, 2, 2));
        // An account taken back on one day leaves the next day's count alone.
        arrivals.take_back(one, 1);
        assert!(arrivals.add(one, 2, 2) && !arrivals.add(one, 2, 2));
    }
}
