//! Bounded places for work that needs much memory or time: a number in all and a number for each owner.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use uuid::Uuid;

use crate::error::{Error, Result};

/// The places.
pub(crate) struct Shares {
    all: usize,
    of_one: usize,
    taken: Mutex<HashMap<Uuid, usize>>,
}

/// A place. Dropping it frees it.
pub struct Share {
    shares: Arc<Shares>,
    owner: Uuid,
}

impl Shares {
    pub(crate) fn new(all: usize, of_one: usize) -> Arc<Self> {
        Arc::new(Self {
            all,
            of_one,
            taken: Mutex::default(),
        })
    }

    /// Takes a place. Returns [`Error::Busy`] if none is free for this owner.
    pub(crate) fn take(self: &Arc<Self>, owner: Uuid) -> Result<Share> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.get(&owner).copied().unwrap_or_default();
        if own >= self.of_one || taken.values().sum::<usize>() >= self.all {
            return Err(Error::Busy);
        }
        taken.insert(owner, own + 1);
        Ok(Share {
            shares: self.clone(),
            owner,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let taken = self.shares.taken.lock();
        let mut taken = taken.unwrap_or_else(PoisonError::into_inner);
        match taken.get_mut(&self.owner) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(taken.remove(&self.owner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_more_than_a_share() {
        let shares = Shares::new(3, 2);
        let [one, other, third] = [1, 2, 3].map(Uuid::from_u128);
        let (first, second) = (shares.take(one).unwrap(), shares.take(one).unwrap());
        assert!(matches!(shares.take(one), Err(Error::Busy)));
        let last = shares.take(other).unwrap();
        assert!(matches!(shares.take(third), Err(Error::Busy)));
        drop(first);
        let again = shares.take(third).unwrap();
        drop((second, last, again));
        assert!(shares.taken.lock().unwrap().is_empty());
    }
}
