//! Places for drawing processes, shared among owners.
//!
//! A free place goes to the owner who has drawn the least in the last minute, and one place is kept for
//! owners who have drawn little. So an owner with one picture never waits behind an owner with a hundred. The
//! queue is bounded: when it is full, the waiting owner who has drawn the most loses a picture.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};

use super::Owner;
use crate::error::{Error, Result};

/// Processes at one time.
const AT_ONCE: usize = 2;
/// Processes at one time for owners who have drawn more than [`LITTLE`].
const OF_THE_BUSY: usize = 1;
/// Pictures that may wait, each with its bytes in memory.
const MOST_WAITING: usize = 32;
/// Pictures of one owner that may wait.
const MOST_OF_ONE: usize = 8;
/// Time after which an ended drawing no longer counts.
const REMEMBERED: Duration = Duration::from_mins(1);
/// Drawing time within [`REMEMBERED`] that counts as little: about ten ordinary pictures.
const LITTLE: Duration = Duration::from_secs(2);

/// The queue.
#[derive(Default)]
pub(super) struct Queue(Mutex<State>);

#[derive(Default)]
struct State {
    /// Owner and start of each running drawing.
    running: Vec<(Owner, Instant)>,
    waiting: Vec<Waiting>,
    /// End and duration of each drawing that ended within [`REMEMBERED`].
    ended: HashMap<Owner, Vec<(Instant, Duration)>>,
}

struct Waiting {
    owner: Owner,
    /// Dropping it refuses the picture.
    ready: oneshot::Sender<Place>,
}

/// A place to draw one picture in. Dropping it starts the next picture.
pub(in crate::assets) struct Place {
    queue: Arc<Queue>,
    owner: Owner,
    begun: Instant,
}

impl Drop for Place {
    fn drop(&mut self) {
        let now = Instant::now();
        self.queue.state().end(self.owner, self.begun, now);
        self.queue.admit();
    }
}

impl Queue {
    pub(super) async fn place(self: Arc<Self>, owner: Owner) -> Result<Place> {
        let granted = self.state().join(owner, Instant::now())?;
        self.admit();
        granted.await.map_err(|_| Error::Busy)
    }

    /// Starts waiting pictures while places are free.
    fn admit(self: &Arc<Self>) {
        loop {
            let begun = Instant::now();
            let Some(Waiting { owner, ready }) = self.state().next(begun) else {
                return;
            };
            let place = Place {
                queue: self.clone(),
                owner,
                begun,
            };
            // If the caller has left, dropping the place returns it to the queue.
            drop(ready.send(place));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Adds a picture of this owner to the queue.
    fn join(&mut self, owner: Owner, now: Instant) -> Result<oneshot::Receiver<Place>> {
        self.waiting.retain(|one| !one.ready.is_closed());
        let own = self.waiting.iter().filter(|one| one.owner == owner);
        if own.count() >= MOST_OF_ONE {
            return Err(Error::Busy);
        }
        if self.waiting.len() >= MOST_WAITING {
            let most = (0..self.waiting.len()).max_by_key(|at| self.used_by_waiting(*at, now));
            match most {
                Some(at) if self.used_by_waiting(at, now) > self.used(owner, now) => {
                    self.waiting.remove(at);
                }
                _ => return Err(Error::Busy),
            }
        }
        let (ready, granted) = oneshot::channel();
        self.waiting.push(Waiting { owner, ready });
        Ok(granted)
    }

    /// Takes the next picture out of the queue, if a place is free.
    fn next(&mut self, now: Instant) -> Option<Waiting> {
        self.waiting.retain(|one| !one.ready.is_closed());
        if self.running.len() >= AT_ONCE {
            return None;
        }
        // Among owners with equal time, the owner with the fewest pictures is first, then the order of arrival.
        let at = (0..self.waiting.len())
            .min_by_key(|at| (self.used_by_waiting(*at, now), self.pictures_of(*at)))?;
        if self.running.len() >= OF_THE_BUSY && self.used_by_waiting(at, now) > LITTLE {
            return None;
        }
        let next = self.waiting.remove(at);
        self.running.push((next.owner, now));
        Some(next)
    }

    fn end(&mut self, owner: Owner, begun: Instant, now: Instant) {
        if let Some(at) = self.running.iter().position(|one| *one == (owner, begun)) {
            self.running.swap_remove(at);
        }
        let took = now.saturating_duration_since(begun);
        self.ended.entry(owner).or_default().push((now, took));
        self.ended.retain(|_, drawings| {
            drawings.retain(|(end, _)| now.saturating_duration_since(*end) < REMEMBERED);
            !drawings.is_empty()
        });
    }

    fn used_by_waiting(&self, at: usize, now: Instant) -> Duration {
        self.waiting
            .get(at)
            .map_or(Duration::ZERO, |one| self.used(one.owner, now))
    }

    /// Number of waiting pictures with the same owner.
    fn pictures_of(&self, at: usize) -> usize {
        let owner = self.waiting.get(at).map(|one| one.owner);
        let own = self.waiting.iter().filter(|one| Some(one.owner) == owner);
        own.count()
    }

    /// Drawing time of an owner within [`REMEMBERED`].
    fn used(&self, owner: Owner, now: Instant) -> Duration {
        let running = self.running.iter().filter(|(of, _)| *of == owner);
        let running = running.map(|(_, begun)| now.saturating_duration_since(*begun));
        let ended = self.ended.get(&owner).into_iter().flatten();
        let ended = ended.filter(|(end, _)| now.saturating_duration_since(*end) < REMEMBERED);
        running.chain(ended.map(|(_, took)| *took)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Owner = Owner::from_u128(1);
    const TWO: Owner = Owner::from_u128(2);

    /// A queue with a simulated time.
    struct Turned {
        state: State,
        now: Instant,
        granted: Vec<oneshot::Receiver<Place>>,
    }

    impl Turned {
        fn new() -> Self {
            Self {
                state: State::default(),
                now: Instant::now(),
                granted: Vec::new(),
            }
        }

        fn passes(&mut self, seconds: u64) {
            self.now += Duration::from_secs(seconds);
        }

        fn asks(&mut self, owner: Owner) -> Result<()> {
            self.granted.push(self.state.join(owner, self.now)?);
            Ok(())
        }

        /// Owner of the next picture.
        fn begins(&mut self) -> Option<Owner> {
            self.state.next(self.now).map(|next| next.owner)
        }

        fn draws(&mut self, owner: Owner, seconds: u64) {
            self.asks(owner).unwrap();
            assert_eq!(self.begins(), Some(owner));
            let begun = self.now;
            self.passes(seconds);
            self.state.end(owner, begun, self.now);
        }
    }

    #[test]
    fn a_place_goes_to_the_owner_who_drew_least() {
        let mut queue = Turned::new();
        queue.draws(ONE, 1);
        queue.asks(ONE).unwrap();
        queue.asks(TWO).unwrap();
        assert_eq!(queue.begins(), Some(TWO));
        assert_eq!(queue.begins(), Some(ONE));
        queue.asks(TWO).unwrap();
        assert_eq!(queue.begins(), None, "both places are taken");
    }

    #[test]
    fn one_place_is_kept_for_owners_who_drew_little() {
        let mut queue = Turned::new();
        queue.draws(ONE, 5);
        queue.asks(ONE).unwrap();
        queue.asks(ONE).unwrap();
        assert_eq!(queue.begins(), Some(ONE));
        let begun = queue.now;
        assert_eq!(queue.begins(), None, "the second place is kept");
        queue.asks(TWO).unwrap();
        assert_eq!(queue.begins(), Some(TWO));
        queue.state.end(ONE, begun, queue.now);
        queue.state.end(TWO, begun, queue.now);
        assert_eq!(queue.begins(), Some(ONE));
        // A minute later no drawing counts any more.
        queue.state.end(ONE, begun, queue.now);
        queue.passes(61);
        queue.asks(ONE).unwrap();
        queue.asks(ONE).unwrap();
        assert_eq!(queue.begins(), Some(ONE));
        assert_eq!(queue.begins(), Some(ONE));
    }

    #[test]
    fn the_queue_is_bounded_and_the_busiest_gives_way() {
        let mut queue = Turned::new();
        let owner = |number: usize| Owner::from_u128(number as u128);
        for number in 0..MOST_WAITING / MOST_OF_ONE {
            queue.draws(owner(number), 1 + number as u64);
        }
        for at in 0..MOST_WAITING {
            queue.asks(owner(at / MOST_OF_ONE)).unwrap();
        }
        assert!(matches!(queue.asks(owner(0)), Err(Error::Busy)));
        queue.asks(owner(9)).unwrap();
        let refused = |queue: &mut Turned| {
            let granted = queue.granted.iter_mut();
            granted
                .map(|one| {
                    one.try_recv()
                        .is_err_and(|error| error == oneshot::error::TryRecvError::Closed)
                })
                .rposition(|refused| refused)
        };
        // The last picture of an owner who drew the most.
        assert!(refused(&mut queue).is_some_and(|at| at / MOST_OF_ONE == 4));
    }

    #[tokio::test]
    async fn a_caller_that_goes_away_leaves_no_place_taken() {
        let queue = Arc::new(Queue::default());
        let running = [
            queue.clone().place(ONE).await.unwrap(),
            queue.clone().place(TWO).await.unwrap(),
        ];
        for _ in 0..100 {
            let asking = tokio::spawn(queue.clone().place(ONE));
            tokio::task::yield_now().await;
            asking.abort();
            assert!(asking.await.is_err());
        }
        drop(running);
        drop(queue.clone().place(ONE).await.unwrap());
        assert!(queue.state().running.is_empty());
    }
}
