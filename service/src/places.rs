//! Places for files on their way from or to a client, or from a site: the other side alone decides how long they take.
//!
//! An account has a share of the places. While all are taken, the next caller gets the place of a file that keeps
//! this server waiting and is slow, or old. The time in which files may be slow is that of the account: whoever
//! begins a file after the other gets no more of it than with a single one.

use std::{
    cmp::Reverse,
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::error::{Error, Result};

/// The pace that files have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    /// Time that may be waited for anybody.
    pub leisure: Duration,
    /// Bytes a second, after that time, below which a file ends.
    pub least: u64,
    /// The same for files whose place others want.
    pub crowded: u64,
    /// Age from which a file makes room for others, however quick it is.
    pub old: Duration,
}

/// Time that may be waited for anybody.
pub const LEISURE: Duration = Duration::from_mins(1);
/// Bytes a second, after that time, below which a file ends.
pub const LEAST_RATE: u64 = 16 * 1024;

pub(crate) const RULE: Rule = Rule {
    leisure: LEISURE,
    least: LEAST_RATE,
    crowded: 64 * 1024,
    old: Duration::from_mins(10),
};
/// An account that has had no file for as long begins anew.
const REMEMBERED: Duration = Duration::from_mins(10);

/// Bytes, and the time that this server has waited for the other side meanwhile.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    bytes: u64,
    waited: Duration,
}

impl Pace {
    /// Time that may be waited for these bytes at a rate.
    fn most(self, rate: u64, leisure: Duration) -> Duration {
        leisure.max(Duration::from_secs(self.bytes / rate))
    }

    /// Bytes a second.
    fn rate(self) -> u128 {
        u128::from(self.bytes) * 1_000 / self.waited.as_millis().max(1)
    }

    fn and(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            waited: self.waited + other.waited,
        }
    }
}

/// The places.
pub struct Places {
    all: usize,
    of_one: usize,
    rule: Rule,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    files: Vec<Way>,
    /// Time that the files of an account waited longer than their bytes allow, and when the last of them ended.
    past: HashMap<Uuid, (Duration, Instant)>,
}

/// A place. Dropping it frees it.
pub struct Place {
    places: Arc<Places>,
    way: Way,
}

/// The way of a file that has, or had, a place.
#[derive(Clone)]
pub struct Way(Arc<File>);

struct File {
    owner: Uuid,
    rule: Rule,
    begun: Instant,
    moved: Mutex<Moved>,
    ends: CancellationToken,
}

#[derive(Default)]
struct Moved {
    /// Without the time since `waits`.
    pace: Pace,
    /// Since when this server waits for the other side.
    waits: Option<Instant>,
}

impl Places {
    /// So many places, of which one account has at most `of_one`.
    pub fn new(all: usize, of_one: usize) -> Arc<Self> {
        Self::with(all, of_one, RULE)
    }

    pub(crate) fn with(all: usize, of_one: usize, rule: Rule) -> Arc<Self> {
        Arc::new(Self {
            all,
            of_one,
            rule,
            state: Mutex::default(),
        })
    }

    /// Takes a place for a file of an account.
    ///
    /// # Errors
    /// [`Error::Busy`] if the account has its share, or all places are taken and nobody makes room.
    pub fn take(self: &Arc<Self>, owner: Uuid) -> Result<Place> {
        let way = self.begin(owner, Instant::now())?;
        Ok(Place {
            places: self.clone(),
            way,
        })
    }

    fn begin(&self, owner: Uuid, now: Instant) -> Result<Way> {
        let mut state = self.state();
        let is_remembered = |until: Instant| now.saturating_duration_since(until) < REMEMBERED;
        state.past.retain(|_, (_, until)| is_remembered(*until));
        if state.of(owner) >= self.of_one {
            return Err(Error::Busy);
        }
        if state.files.len() >= self.all {
            let at = state.makes_room(now).ok_or(Error::Busy)?;
            state.end(at, now).0.ends.cancel();
        }
        let way = Way(Arc::new(File {
            owner,
            rule: self.rule,
            begun: now,
            moved: Mutex::default(),
            ends: CancellationToken::new(),
        }));
        state.files.push(way.clone());
        Ok(way)
    }

    fn leave(&self, way: &Way, now: Instant) {
        let mut state = self.state();
        let is_this = |one: &Way| Arc::ptr_eq(&one.0, &way.0);
        if let Some(at) = state.files.iter().position(is_this) {
            state.end(at, now);
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Number of files of an account.
    fn of(&self, owner: Uuid) -> usize {
        self.files.iter().filter(|one| one.0.owner == owner).count()
    }

    /// The file that makes room for another: of the account with most files, the slowest.
    fn makes_room(&self, now: Instant) -> Option<usize> {
        let mut slow = Vec::new();
        for (at, Way(file)) in self.files.iter().enumerate() {
            let rule = file.rule;
            let moved = file.moved();
            let mut pace = moved.pace(now);
            let owed = self.past.get(&file.owner).map(|(owed, _)| *owed);
            pace.waited += owed.unwrap_or_default();
            let is_slow = pace.waited > pace.most(rule.crowded, rule.leisure);
            let is_old = now.saturating_duration_since(file.begun) > rule.old;
            if moved.waits.is_some() && (is_slow || is_old) {
                slow.push((Reverse(self.of(file.owner)), pace.rate(), at));
            }
        }
        slow.into_iter().min().map(|(_, _, at)| at)
    }

    fn end(&mut self, at: usize, now: Instant) -> Way {
        let way = self.files.swap_remove(at);
        let pace = way.0.moved().pace(now);
        // Bytes pay for their own file alone: a large quick one buys no time for slow ones.
        let paid = Duration::from_millis(pace.bytes.saturating_mul(1_000) / way.0.rule.crowded);
        let past = self.past.entry(way.0.owner);
        let (owed, until) = past.or_insert((Duration::ZERO, now));
        (*owed, *until) = (*owed + pace.waited.saturating_sub(paid), now);
        way
    }
}

impl Place {
    /// The account that has it.
    pub fn owner(&self) -> Uuid {
        self.way.0.owner
    }

    /// The way of its file.
    pub fn way(&self) -> Way {
        self.way.clone()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.leave(&self.way, Instant::now());
    }
}

impl Way {
    /// Counts bytes that have come, or that the other side is about to take.
    pub fn add(&self, bytes: usize) {
        let mut moved = self.0.moved();
        moved.pace.bytes = moved.pace.bytes.saturating_add(bytes as u64);
    }

    /// Waits for the other side.
    ///
    /// # Errors
    /// [`Error::Busy`] when the file has made room for another.
    pub async fn hold<T>(&self, other_side: impl Future<Output = T>) -> Result<T> {
        let _waiting = Waiting::begin(&self.0);
        tokio::select! {
            biased;
            () = self.0.ends.cancelled() => Err(Error::Busy),
            came = other_side => Ok(came),
        }
    }

    /// Counts all time from now on as time that is waited, also that of this server: for files that cost it work
    /// and bring nothing.
    pub(crate) fn waits_always(&self) {
        self.0.moved().waits = Some(Instant::now());
    }

    /// Time that the other side has left for the bytes so far.
    pub(crate) fn patience(&self) -> Duration {
        let Rule { least, leisure, .. } = self.0.rule;
        let pace = self.0.moved().pace(Instant::now());
        pace.most(least, leisure).saturating_sub(pace.waited)
    }
}

impl File {
    fn moved(&self) -> MutexGuard<'_, Moved> {
        self.moved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Moved {
    fn pace(&self, now: Instant) -> Pace {
        let since = |waits| now.saturating_duration_since(waits);
        let waited = self.waits.map(since).unwrap_or_default();
        self.pace.and(Pace { bytes: 0, waited })
    }
}

/// A file that waits for the other side. Dropping it ends the wait, unless the file waits always.
struct Waiting<'a>(Option<&'a File>);

impl<'a> Waiting<'a> {
    fn begin(file: &'a File) -> Self {
        let mut moved = file.moved();
        if moved.waits.is_some() {
            return Self(None);
        }
        moved.waits = Some(Instant::now());
        Self(Some(file))
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(file) = self.0 {
            let mut moved = file.moved();
            moved.pace = moved.pace(Instant::now());
            moved.waits = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Uuid = Uuid::from_u128(1);
    const TWO: Uuid = Uuid::from_u128(2);
    const THREE: Uuid = Uuid::from_u128(3);

    /// Places with a simulated time.
    struct Simulated {
        places: Arc<Places>,
        now: Instant,
    }

    impl Simulated {
        fn new(all: usize, of_one: usize) -> Self {
            Self {
                places: Places::new(all, of_one),
                now: Instant::now(),
            }
        }

        fn passes(&mut self, seconds: u64) {
            self.now += Duration::from_secs(seconds);
        }

        /// Begins a file that waits for its client.
        fn begins(&self, owner: Uuid) -> Option<Way> {
            let way = self.places.begin(owner, self.now).ok()?;
            way.0.moved().waits = Some(self.now);
            Some(way)
        }
    }

    fn has_ended(way: &Way) -> bool {
        way.0.ends.is_cancelled()
    }

    #[test]
    fn a_slow_file_makes_room_and_one_that_comes_along_does_not() {
        let mut places = Simulated::new(2, 1);
        let (quick, slow) = (places.begins(ONE).unwrap(), places.begins(TWO).unwrap());
        quick.add(64 * 1024 * 61);
        slow.add(64 * 1024 * 61 - 1);
        places.passes(60);
        assert!(places.begins(THREE).is_none(), "a minute is anybody's");
        places.passes(1);
        assert!(places.begins(THREE).is_some());
        assert!(has_ended(&slow) && !has_ended(&quick));
        assert!(places.begins(TWO).is_none(), "nobody else makes room");
    }

    #[test]
    fn a_file_that_nobody_waits_for_keeps_its_place_until_it_is_old_and_waits() {
        let mut places = Simulated::new(1, 1);
        let way = places.begins(ONE).unwrap();
        way.add(usize::MAX / 2);
        places.passes(600);
        assert!(places.begins(TWO).is_none());
        places.passes(1);
        way.0.moved().waits = None;
        assert!(places.begins(TWO).is_none(), "this server is at work");
        way.0.moved().waits = Some(places.now);
        assert!(places.begins(TWO).is_some());
        assert!(has_ended(&way));
    }

    #[test]
    fn who_begins_anew_each_minute_gets_no_other_minute() {
        let mut places = Simulated::new(1, 1);
        for _ in 0..2 {
            let way = places.begins(ONE).unwrap();
            places.passes(50);
            places.places.leave(&way, places.now);
        }
        let way = places.begins(ONE).unwrap();
        let other = places.begins(TWO).unwrap();
        assert!(has_ended(&way));
        places.places.leave(&other, places.now);
        // After ten minutes without a file it is forgotten.
        places.passes(601);
        let way = places.begins(ONE).unwrap();
        places.passes(60);
        assert!(places.begins(TWO).is_none() && !has_ended(&way));
    }

    #[test]
    fn a_quick_file_buys_no_time_for_a_slow_one() {
        let mut places = Simulated::new(1, 1);
        let quick = places.begins(ONE).unwrap();
        quick.add(1_000_000_000);
        places.passes(10);
        places.places.leave(&quick, places.now);
        let slow = places.begins(ONE).unwrap();
        places.passes(61);
        assert!(places.begins(TWO).is_some());
        assert!(has_ended(&slow));
    }

    #[test]
    fn the_account_with_most_files_makes_room_first() {
        let mut places = Simulated::new(3, 2);
        let alone = places.begins(ONE).unwrap();
        let two = [places.begins(TWO).unwrap(), places.begins(TWO).unwrap()];
        two[0].add(1_000);
        places.passes(61);
        assert!(places.begins(THREE).is_some());
        assert!(has_ended(&two[1]) && !has_ended(&two[0]) && !has_ended(&alone));
        // An account with its share takes no place from others.
        let mut places = Simulated::new(3, 2);
        let own = [places.begins(ONE).unwrap(), places.begins(ONE).unwrap()];
        let other = places.begins(TWO).unwrap();
        places.passes(61);
        assert!(places.begins(ONE).is_none());
        assert!(!own.iter().any(has_ended) && !has_ended(&other));
    }

    #[tokio::test]
    async fn a_wait_ends_when_its_file_makes_room() {
        let rule = Rule {
            leisure: Duration::ZERO,
            ..RULE
        };
        let places = Places::with(1, 1, rule);
        let place = places.take(ONE).unwrap();
        let way = place.way();
        let waiting = tokio::spawn(async move { way.hold(std::future::pending::<()>()).await });
        let other = async {
            loop {
                match places.take(TWO) {
                    Ok(other) => return other,
                    Err(_) => tokio::task::yield_now().await,
                }
            }
        };
        let other = tokio::time::timeout(Duration::from_secs(20), other).await;
        let other = other.expect("it makes room");
        assert!(matches!(waiting.await, Ok(Err(Error::Busy))));
        // The former owner frees no place of another.
        drop(place);
        assert!(places.take(THREE).is_err());
        drop(other);
        assert!(places.take(THREE).is_ok());
    }
}
