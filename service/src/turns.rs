//! Turns for work that takes long, shared among the owners of the work.
//!
//! A free turn goes to the owner who has used the least time in the last minute. One or more are kept for owners who
//! have used little, and not for work that is known to be large. So an owner with a small piece of work never waits
//! behind an owner with a hundred large ones. Waiting is bounded: when too much waits, the owner with the most waiting
//! pieces loses one; among equals, the owner who has used the most time.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::oneshot, time::Instant};
use uuid::Uuid;

use crate::{
    db,
    error::{Error, Result},
};

/// Time after which a turn that has ended no longer counts.
const REMEMBERED: Duration = Duration::from_mins(1);

/// The unit by which turns are shared: an account, or a project with work that no account has asked for.
pub(crate) type Owner = Uuid;

/// The owner of work that strangers ask for of an account's things. It takes none of the account's own turns.
pub(crate) fn of_strangers(account: Owner) -> Owner {
    // Another version of UUID than those of accounts, so it is nobody's.
    Uuid::from_u128(!account.as_u128())
}

/// Bounds of the work of one kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Turns at one time.
    pub at_once: usize,
    /// Turns at one time for large work, and for owners who have used more than `little`.
    pub of_the_busy: usize,
    /// Time within [`REMEMBERED`] that counts as little.
    pub little: Duration,
    /// Pieces of work that may wait.
    pub most_waiting: usize,
    /// Pieces of work of one owner that may wait.
    pub most_of_one: usize,
}

impl Bounds {
    /// Turns of busy owners for work that computes here. One processor is left to others.
    pub(crate) fn of_the_busy() -> usize {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        processors.saturating_sub(1).max(1)
    }
}

/// The turns of one kind of work.
pub(crate) struct Turns(Mutex<State>);

struct State {
    bounds: Bounds,
    running: Vec<Running>,
    waiting: Vec<Waiting>,
    ended: Ended,
}

/// Turns that ended within [`REMEMBERED`].
#[derive(Default)]
struct Ended {
    /// End, owner and duration of each, in the order of the ends.
    turns: VecDeque<(Instant, Owner, Duration)>,
    used: HashMap<Owner, Duration>,
}

impl Ended {
    fn add(&mut self, end: Instant, owner: Owner, took: Duration) {
        self.turns.push_back((end, owner, took));
        *self.used.entry(owner).or_default() += took;
    }

    fn forget(&mut self, now: Instant) {
        while let Some((end, owner, took)) = self.turns.front().copied() {
            if now.saturating_duration_since(end) < REMEMBERED {
                return;
            }
            self.turns.pop_front();
            match self.used.get_mut(&owner) {
                Some(used) if *used > took => *used -= took,
                _ => drop(self.used.remove(&owner)),
            }
        }
    }
}

/// A turn that lasts.
struct Running {
    owner: Owner,
    begun: Instant,
    /// True for large work, and for an owner who had used more than a little when it began.
    is_heavy: bool,
}

struct Waiting {
    owner: Owner,
    is_large: bool,
    /// Dropping it refuses the work.
    ready: oneshot::Sender<Turn>,
}

/// A turn. The next one starts when this was dropped and the statements that keep it have ended.
pub(crate) struct Turn(Arc<Begun>);

/// A turn that has begun. Dropping it starts the next one.
struct Begun {
    turns: Arc<Turns>,
    owner: Owner,
    since: Instant,
}

impl Drop for Begun {
    fn drop(&mut self) {
        let now = Instant::now();
        self.turns.state().end(self.owner, self.since, now);
        self.turns.admit();
    }
}

impl Turn {
    /// Computes on a thread for work that takes long, and gives the turn back. The turn lasts until the work
    /// ends, also when the caller has left: the thread cannot be ended.
    pub(crate) async fn compute<T: Send + 'static>(
        self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<(Self, T)> {
        let done = tokio::task::spawn_blocking(move || {
            let result = work();
            (self, result)
        });
        done.await.map_err(Error::internal)
    }
}

impl Turns {
    pub(crate) fn new(bounds: Bounds) -> Arc<Self> {
        Arc::new(Self(Mutex::new(State::new(bounds))))
    }

    /// Waits for a turn. Returns [`Error::Busy`] if too much waits already.
    pub(crate) async fn turn(self: &Arc<Self>, owner: Owner) -> Result<Turn> {
        self.turn_for(owner, false).await
    }

    /// As [`Turns::turn`], for work that may be large.
    pub(crate) async fn turn_for(self: &Arc<Self>, owner: Owner, is_large: bool) -> Result<Turn> {
        let granted = self.state().join(owner, is_large, Instant::now())?;
        self.admit();
        let turn = granted.await.map_err(|_| Error::Busy)?;
        db::keep(&turn.0);
        Ok(turn)
    }

    /// Begins waiting turns while some are free.
    fn admit(self: &Arc<Self>) {
        loop {
            let begun = Instant::now();
            let Some(Waiting { owner, ready, .. }) = self.state().next(begun) else {
                return;
            };
            let turn = Turn(Arc::new(Begun {
                turns: self.clone(),
                owner,
                since: begun,
            }));
            // If the caller has left, dropping the turn returns it.
            drop(ready.send(turn));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new(bounds: Bounds) -> Self {
        Self {
            bounds,
            running: Vec::new(),
            waiting: Vec::new(),
            ended: Ended::default(),
        }
    }

    /// Adds a piece of work of this owner to those that wait.
    fn join(
        &mut self,
        owner: Owner,
        is_large: bool,
        now: Instant,
    ) -> Result<oneshot::Receiver<Turn>> {
        self.tidy(now);
        let own = self.waiting_of(owner);
        if own >= self.bounds.most_of_one {
            return Err(Error::Busy);
        }
        if self.waiting.len() >= self.bounds.most_waiting {
            let load = |one: &Waiting| (self.waiting_of(one.owner), self.used(one.owner, now));
            let loads = self.waiting.iter().map(load).enumerate();
            match loads.max_by_key(|(_, load)| *load) {
                Some((at, load)) if load > (own + 1, self.used(owner, now)) => {
                    self.waiting.remove(at);
                }
                _ => return Err(Error::Busy),
            }
        }
        let (ready, granted) = oneshot::channel();
        self.waiting.push(Waiting {
            owner,
            is_large,
            ready,
        });
        Ok(granted)
    }

    /// Drops callers that have left, and turns that count no more.
    fn tidy(&mut self, now: Instant) {
        self.waiting.retain(|one| !one.ready.is_closed());
        self.ended.forget(now);
    }

    /// Takes the next piece of work, if a turn is free.
    fn next(&mut self, now: Instant) -> Option<Waiting> {
        self.tidy(now);
        if self.running.len() >= self.bounds.at_once {
            return None;
        }
        let heavy = self.running.iter().filter(|one| one.is_heavy).count();
        let may_begin = |one: &Waiting| heavy < self.bounds.of_the_busy || !self.is_heavy(one, now);
        let waiting = self.waiting.iter().enumerate();
        let may_begin = waiting.filter(|(_, one)| may_begin(one));
        // Among owners with equal time, the owner with the least work is first, then the order of arrival.
        let load = |one: &Waiting| (self.used(one.owner, now), self.waiting_of(one.owner));
        let (at, next) = may_begin.min_by_key(|(_, one)| load(one))?;
        let is_heavy = self.is_heavy(next, now);
        let next = self.waiting.remove(at);
        self.running.push(Running {
            owner: next.owner,
            begun: now,
            is_heavy,
        });
        Some(next)
    }

    /// True if a waiting piece of work may not take a kept turn.
    fn is_heavy(&self, one: &Waiting, now: Instant) -> bool {
        one.is_large || self.used(one.owner, now) > self.bounds.little
    }

    fn end(&mut self, owner: Owner, begun: Instant, now: Instant) {
        let is_this = |one: &Running| one.owner == owner && one.begun == begun;
        if let Some(at) = self.running.iter().position(is_this) {
            self.running.swap_remove(at);
        }
        let took = now.saturating_duration_since(begun);
        self.ended.add(now, owner, took);
        self.ended.forget(now);
    }

    /// Number of waiting pieces of work of an owner.
    fn waiting_of(&self, owner: Owner) -> usize {
        let own = self.waiting.iter().filter(|one| one.owner == owner);
        own.count()
    }

    /// Time that an owner has used within [`REMEMBERED`].
    fn used(&self, owner: Owner, now: Instant) -> Duration {
        let running = self.running.iter().filter(|one| one.owner == owner);
        let running = running.map(|one| now.saturating_duration_since(one.begun));
        let ended = self.ended.used.get(&owner).copied();
        running.chain(ended).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        at_once: 2,
        of_the_busy: 1,
        little: Duration::from_secs(2),
        most_waiting: 32,
        most_of_one: 8,
    };
    const ONE: Owner = Owner::from_u128(1);
    const TWO: Owner = Owner::from_u128(2);
    const THREE: Owner = Owner::from_u128(3);

    /// Turns with a simulated time.
    struct Simulated {
        state: State,
        now: Instant,
        granted: Vec<oneshot::Receiver<Turn>>,
    }

    impl Simulated {
        fn new() -> Self {
            Self {
                state: State::new(BOUNDS),
                now: Instant::now(),
                granted: Vec::new(),
            }
        }

        fn passes(&mut self, seconds: u64) {
            self.now += Duration::from_secs(seconds);
        }

        fn asks(&mut self, owner: Owner) -> Result<()> {
            self.granted.push(self.state.join(owner, false, self.now)?);
            Ok(())
        }

        /// Owner of the next turn.
        fn begins(&mut self) -> Option<Owner> {
            self.state.next(self.now).map(|next| next.owner)
        }

        fn works(&mut self, owner: Owner, seconds: u64) {
            self.asks(owner).unwrap();
            assert_eq!(self.begins(), Some(owner));
            let begun = self.now;
            self.passes(seconds);
            self.state.end(owner, begun, self.now);
        }
    }

    #[test]
    fn a_turn_goes_to_the_owner_who_used_the_least() {
        let mut turns = Simulated::new();
        turns.works(ONE, 1);
        turns.asks(ONE).unwrap();
        turns.asks(TWO).unwrap();
        assert_eq!(turns.begins(), Some(TWO));
        assert_eq!(turns.begins(), Some(ONE));
        turns.asks(TWO).unwrap();
        assert_eq!(turns.begins(), None, "both turns are taken");
    }

    #[test]
    fn a_turn_is_kept_for_owners_who_used_little() {
        let mut turns = Simulated::new();
        turns.works(ONE, 5);
        turns.asks(ONE).unwrap();
        turns.asks(ONE).unwrap();
        assert_eq!(turns.begins(), Some(ONE));
        let begun = turns.now;
        assert_eq!(turns.begins(), None, "the second turn is kept");
        turns.asks(TWO).unwrap();
        assert_eq!(turns.begins(), Some(TWO));
        turns.state.end(ONE, begun, turns.now);
        turns.state.end(TWO, begun, turns.now);
        assert_eq!(turns.begins(), Some(ONE));
        // A minute later no turn counts any more.
        turns.state.end(ONE, begun, turns.now);
        turns.passes(61);
        turns.asks(ONE).unwrap();
        turns.asks(ONE).unwrap();
        assert_eq!(turns.begins(), Some(ONE));
        assert_eq!(turns.begins(), Some(ONE));
    }

    #[test]
    fn work_that_strangers_ask_for_takes_no_turn_of_the_account() {
        let mut turns = Simulated::new();
        let strangers = of_strangers(ONE);
        turns.works(strangers, 5);
        for _ in 0..BOUNDS.most_of_one {
            turns.asks(strangers).unwrap();
        }
        assert!(turns.asks(strangers).is_err(), "too many wait");
        turns.asks(ONE).unwrap();
        assert_eq!(turns.begins(), Some(ONE), "who has used nothing");
    }

    #[test]
    fn large_work_takes_no_kept_turn_and_holds_nobody_up() {
        let mut turns = Simulated::new();
        for _ in 0..2 {
            let granted = turns.state.join(ONE, true, turns.now).unwrap();
            turns.granted.push(granted);
        }
        assert_eq!(turns.begins(), Some(ONE));
        assert_eq!(turns.begins(), None, "the second turn is kept");
        turns.works(TWO, 1);
        // Its owner has used less, and its work waits all the same.
        let granted = turns.state.join(THREE, true, turns.now).unwrap();
        turns.granted.push(granted);
        turns.asks(TWO).unwrap();
        assert_eq!(turns.begins(), Some(TWO));
        let begun = turns.now;
        // It begins when the other large work has ended, beside the small work.
        turns
            .state
            .end(ONE, begun - Duration::from_secs(1), turns.now);
        assert_eq!(turns.begins(), Some(THREE));
    }

    #[test]
    fn waiting_is_bounded_and_the_busiest_gives_way() {
        let mut turns = Simulated::new();
        let owner = |number: usize| Owner::from_u128(number as u128);
        for number in 0..BOUNDS.most_waiting / BOUNDS.most_of_one {
            turns.works(owner(number), 1 + number as u64);
        }
        for at in 0..BOUNDS.most_waiting {
            turns.asks(owner(at / BOUNDS.most_of_one)).unwrap();
        }
        assert!(matches!(turns.asks(owner(0)), Err(Error::Busy)));
        turns.asks(owner(9)).unwrap();
        let refused = |turns: &mut Simulated| {
            let granted = turns.granted.iter_mut();
            granted
                .map(|one| {
                    one.try_recv()
                        .is_err_and(|error| error == oneshot::error::TryRecvError::Closed)
                })
                .rposition(|refused| refused)
        };
        // The last piece of work of an owner who used the most.
        assert!(refused(&mut turns).is_some_and(|at| at / BOUNDS.most_of_one == 4));
    }

    #[test]
    fn owners_with_many_waiting_pieces_keep_nobody_out_who_has_worked() {
        let mut turns = Simulated::new();
        turns.works(ONE, 10);
        for at in 0..BOUNDS.most_waiting {
            let newcomer = Owner::from_u128(10 + (at / BOUNDS.most_of_one) as u128);
            turns.asks(newcomer).unwrap();
        }
        turns.asks(ONE).unwrap();
        assert_eq!(turns.state.waiting.len(), BOUNDS.most_waiting);
    }

    #[tokio::test]
    async fn a_caller_that_goes_away_leaves_no_turn_taken() {
        let turns = Turns::new(BOUNDS);
        let running = [
            turns.turn(ONE).await.unwrap(),
            turns.turn(TWO).await.unwrap(),
        ];
        for _ in 0..100 {
            let asking = turns.clone();
            let asking = tokio::spawn(async move { asking.turn(ONE).await });
            tokio::task::yield_now().await;
            asking.abort();
            assert!(asking.await.is_err());
        }
        drop(running);
        drop(turns.turn(ONE).await.unwrap());
        assert!(turns.state().running.is_empty());
    }

    #[tokio::test]
    async fn a_turn_lasts_until_its_work_ends_also_when_the_caller_has_left() {
        let turns = Turns::new(BOUNDS);
        let turn = turns.turn(ONE).await.unwrap();
        let (begun, begins) = oneshot::channel();
        let (end, ends) = std::sync::mpsc::channel::<()>();
        let caller = tokio::spawn(turn.compute(move || {
            begun.send(()).unwrap();
            ends.recv().unwrap();
        }));
        begins.await.unwrap();
        caller.abort();
        assert!(caller.await.is_err_and(|error| error.is_cancelled()));
        assert_eq!(turns.state().running.len(), 1);
        end.send(()).unwrap();
        // With both turns taken, the third begins only when the work has ended.
        drop((
            turns.turn(TWO).await.unwrap(),
            turns.turn(TWO).await.unwrap(),
        ));
    }
}
