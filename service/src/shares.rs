//! Bounded places for work that needs memory, time or a connection: a number in all and a number for each owner.
//! If the owner decides how long a place is taken, [`crate::places`] makes room for others.

use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use crate::{
    db,
    error::{Error, Result},
};

/// The places. An owner is an account, or the address of a client.
pub struct Shares<Owner: Copy + Eq + Hash> {
    all: usize,
    of_one: usize,
    taken: Mutex<Taken<Owner>>,
}

struct Taken<Owner> {
    all: usize,
    of: HashMap<Owner, usize>,
}

/// A place. It is free when this was dropped and the statements that keep it have ended.
pub struct Share<Owner: Copy + Eq + Hash>(
    #[expect(dead_code, reason = "held until it is dropped")] Arc<Counted<Owner>>,
);

/// A place that counts. Dropping it frees it.
struct Counted<Owner: Copy + Eq + Hash> {
    shares: Arc<Shares<Owner>>,
    owner: Owner,
}

impl<Owner: Copy + Eq + Hash> Shares<Owner> {
    /// So many places, of which one owner has at most `of_one`.
    pub fn new(all: usize, of_one: usize) -> Arc<Self> {
        let taken = Taken {
            all: 0,
            of: HashMap::new(),
        };
        Arc::new(Self {
            all,
            of_one,
            taken: Mutex::new(taken),
        })
    }

    /// Takes a place. Returns [`Error::Busy`] if none is free for this owner.
    pub fn take(self: &Arc<Self>, owner: Owner) -> Result<Share<Owner>>
    where
        Owner: Send + Sync + 'static,
    {
        let mut taken = self.lock();
        let own = taken.of.get(&owner).copied().unwrap_or_default();
        if own >= self.of_one || taken.all >= self.all {
            return Err(Error::Busy);
        }
        taken.all += 1;
        taken.of.insert(owner, own + 1);
        drop(taken);
        let counted = Arc::new(Counted {
            shares: self.clone(),
            owner,
        });
        db::keep(&counted);
        Ok(Share(counted))
    }

    fn lock(&self) -> MutexGuard<'_, Taken<Owner>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Owner: Copy + Eq + Hash> Drop for Counted<Owner> {
    fn drop(&mut self) {
        let mut taken = self.shares.lock();
        taken.all = taken.all.saturating_sub(1);
        match taken.of.get_mut(&self.owner) {
            Some(own) if *own > 1 => *own -= 1,
            _ => drop(taken.of.remove(&self.owner)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_more_than_a_share() {
        let shares = Shares::new(3, 2);
        let [one, other, third] = [1, 2, 3];
        let (first, second) = (shares.take(one).unwrap(), shares.take(one).unwrap());
        assert!(matches!(shares.take(one), Err(Error::Busy)));
        let last = shares.take(other).unwrap();
        assert!(matches!(shares.take(third), Err(Error::Busy)));
        drop(first);
        let again = shares.take(third).unwrap();
        drop((second, last, again));
        let taken = shares.lock();
        assert!(taken.of.is_empty());
        assert_eq!(taken.all, 0);
    }
}
