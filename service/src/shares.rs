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
    prefix::{Prefix, Subscriber},
};

/// The places. An owner is an account, or the address of a client.
pub struct Shares<Owner: Copy + Eq + Hash> {
    all: usize,
    of_one: usize,
    /// The bound of an owner, by `of_one`.
    most: fn(Owner, usize) -> usize,
    taken: Mutex<Taken<Owner>>,
}

struct Taken<Owner> {
    all: usize,
    of: HashMap<Owner, usize>,
}

/// Places of an owner. They are free when this was dropped and the statements that keep them have ended.
pub struct Share<Owner: Copy + Eq + Hash>(
    #[expect(dead_code, reason = "held until it is dropped")] Arc<Counted<Owner>>,
);

/// Places that count. Dropping this frees them.
struct Counted<Owner: Copy + Eq + Hash> {
    shares: Arc<Shares<Owner>>,
    owner: Owner,
    places: usize,
}

impl<Owner: Copy + Eq + Hash> Shares<Owner> {
    /// So many places, of which one owner has at most `of_one`.
    pub fn new(all: usize, of_one: usize) -> Arc<Self> {
        Self::bounded(all, of_one, |_, of_one| of_one)
    }

    fn bounded(all: usize, of_one: usize, most: fn(Owner, usize) -> usize) -> Arc<Self> {
        let taken = Taken {
            all: 0,
            of: HashMap::new(),
        };
        Arc::new(Self {
            all,
            of_one,
            most,
            taken: Mutex::new(taken),
        })
    }

    /// Takes a place. Returns [`Error::Busy`] if none is free for this owner.
    pub fn take(self: &Arc<Self>, owner: Owner) -> Result<Share<Owner>>
    where
        Owner: Send + Sync + 'static,
    {
        self.take_many(owner, 1)
    }

    /// Takes so many places. Returns [`Error::Busy`] if fewer are free for this owner.
    pub fn take_many(self: &Arc<Self>, owner: Owner, places: usize) -> Result<Share<Owner>>
    where
        Owner: Send + Sync + 'static,
    {
        let mut taken = self.lock();
        let own = taken.of.get(&owner).copied().unwrap_or_default();
        let (own, all) = (own.saturating_add(places), taken.all.saturating_add(places));
        if own > (self.most)(owner, self.of_one) || all > self.all {
            return Err(Error::Busy);
        }
        taken.all = all;
        taken.of.insert(owner, own);
        drop(taken);
        let counted = Arc::new(Counted {
            shares: self.clone(),
            owner,
            places,
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
        taken.all = taken.all.saturating_sub(self.places);
        match taken.of.get_mut(&self.owner) {
            Some(own) if *own > self.places => *own -= self.places,
            _ => drop(taken.of.remove(&self.owner)),
        }
    }
}

/// Places for clients: a number for each subscriber, and for the subscribers of a site together.
pub struct ClientShares(Arc<Shares<Prefix>>);

/// Places of a client and of its site.
pub struct ClientShare(
    #[expect(dead_code, reason = "held until it is dropped")] Vec<Share<Prefix>>,
);

impl ClientShares {
    /// So many places for each subscriber.
    pub fn new(of_subscriber: usize) -> Self {
        let most = |prefix: Prefix, of_subscriber: usize| {
            usize::try_from(prefix.most(of_subscriber as u64)).unwrap_or(usize::MAX)
        };
        Self(Shares::bounded(usize::MAX, of_subscriber, most))
    }

    /// Takes so many places. Returns [`Error::Busy`] if fewer are free for this client or its site.
    pub fn take(&self, client: Subscriber, places: usize) -> Result<ClientShare> {
        let taken = client.prefixes();
        let taken = taken.map(|prefix| self.0.take_many(prefix, places));
        Ok(ClientShare(taken.collect::<Result<_>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_takes_no_more_than_its_share() {
        let clients = ClientShares::new(2);
        let of = |net: u16| Subscriber::of(format!("2001:db8:1:{net:x}::1").parse().unwrap());
        let held: Vec<_> = (0..8)
            .map(|net| clients.take(of(net), 2).unwrap())
            .collect();
        assert!(matches!(clients.take(of(0), 1), Err(Error::Busy)));
        assert!(matches!(clients.take(of(8), 1), Err(Error::Busy)));
        assert!(
            clients
                .take(Subscriber::of([192, 0, 2, 1].into()), 2)
                .is_ok()
        );
        drop(held);
        assert!(matches!(clients.take(of(8), 3), Err(Error::Busy)));
        // A refusal takes nothing.
        let held: Vec<_> = (0..8)
            .map(|net| clients.take(of(net), 2).unwrap())
            .collect();
        drop(held);
        assert!(clients.0.lock().of.is_empty());
    }

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
