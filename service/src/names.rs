//! Looks up the names of hosts, on a bounded number of threads.
//!
//! The system looks a name up on a thread that nobody can end, and takes ten seconds and more for one that no server
//! answers. Passwords, files and much else need threads as well, so few are for names, and accounts take
//! [turns](crate::turns) at them. Half of the turns are kept for accounts that have waited little for names of late.

use std::{
    io,
    net::{SocketAddr, ToSocketAddrs},
    sync::Arc,
    time::Duration,
};

use tokio::time::timeout;

use crate::{
    shares::Shares,
    turns::{Bounds, Owner, Turns},
};

/// Bounds of the lookups, each on a thread.
const BOUNDS: Bounds = Bounds {
    at_once: 64,
    of_the_busy: 32,
    little: Duration::from_secs(2),
    most_waiting: 512,
    most_of_one: 128,
};
/// Lookups of one owner at one time that may take a kept turn: those of many calls at once take the other turns.
const KEPT_OF_ONE: usize = 2;

type Found = io::Result<Vec<SocketAddr>>;

tokio::task_local! {
    /// The owner of the call that is being made.
    static OWNER: Owner;
}

/// A call whose names are looked up for an owner.
pub(crate) fn asked_by<C: Future>(owner: Owner, call: C) -> impl Future<Output = C::Output> {
    OWNER.scope(owner, call)
}

/// Looks names up.
pub(crate) struct Names {
    turns: Arc<Turns>,
    kept: Arc<Shares<Owner>>,
    /// Time for which a lookup waits for its turn.
    patience: Duration,
    look: Box<dyn Fn(&str) -> Found + Send + Sync>,
}

impl Names {
    /// Asks the system, for lookups that wait for so long at most.
    pub(crate) fn new(patience: Duration) -> Self {
        Self::with(patience, |name| Ok((name, 0).to_socket_addrs()?.collect()))
    }

    fn with(patience: Duration, look: impl Fn(&str) -> Found + Send + Sync + 'static) -> Self {
        Self {
            turns: Turns::new(BOUNDS),
            kept: Shares::new(usize::MAX, KEPT_OF_ONE),
            patience,
            look: Box::new(look),
        }
    }

    /// The addresses of a name, for the call that is being made.
    ///
    /// # Errors
    /// That of the lookup, or [`io::ErrorKind::TimedOut`] if it got no turn in time.
    pub(crate) fn find(
        self: &Arc<Self>,
        name: String,
    ) -> impl Future<Output = Found> + Send + use<> {
        let owner = OWNER.try_with(|owner| *owner).unwrap_or_default();
        let names = self.clone();
        async move {
            let kept = names.kept.take(owner).ok();
            let turn = names.turns.turn_for(owner, kept.is_none());
            let late = || io::Error::from(io::ErrorKind::TimedOut);
            let turn = timeout(names.patience, turn).await.map_err(|_| late())?;
            let turn = turn.map_err(|_| late())?;
            let looking = names.clone();
            let looked_up = turn.compute(move || {
                // Also when the caller has left.
                let _kept = kept;
                (looking.look)(&name)
            });
            match looked_up.await {
                Ok((_, found)) => found,
                Err(error) => Err(io::Error::other(error.to_string())),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    };

    use tokio::{runtime::Builder, task::yield_now};

    use super::*;

    const ONE: Owner = Owner::from_u128(1);
    const TWO: Owner = Owner::from_u128(2);
    /// Longer than the test takes.
    const PATIENCE: Duration = Duration::from_mins(1);

    async fn soon<T>(work: impl Future<Output = T>) -> T {
        let work = timeout(Duration::from_secs(20), work).await;
        work.expect("nothing is in its way")
    }

    #[test]
    fn names_that_nobody_resolves_leave_threads_and_turns_to_others() {
        const MANY: usize = 200;
        let (release, gate) = mpsc::channel::<()>();
        let (gate, hanging) = (Mutex::new(gate), Arc::new(AtomicUsize::new(0)));
        let counted = hanging.clone();
        let names = Arc::new(Names::with(PATIENCE, move |name| {
            if name == "hangs" {
                counted.fetch_add(1, Ordering::SeqCst);
                // It ends when the test lets go of the other end.
                let _ = gate.lock().unwrap().recv();
            }
            Ok(vec![SocketAddr::from(([192, 0, 2, 1], 0))])
        }));
        let find = |owner, name: &str| {
            let (names, name) = (names.clone(), name.to_owned());
            asked_by(owner, async move { names.find(name).await })
        };
        let most = BOUNDS.of_the_busy + KEPT_OF_ONE;
        let refused = MANY - most - BOUNDS.most_of_one;
        // A thread more than all lookups of one account may take.
        let mut runtime = Builder::new_current_thread();
        let runtime = runtime.max_blocking_threads(most + 1).enable_all();
        let runtime = runtime.build().unwrap();
        runtime.block_on(async {
            let of_one: Vec<_> = (0..MANY)
                .map(|_| tokio::spawn(find(ONE, "hangs")))
                .collect();
            let ended = || of_one.iter().filter(|one| one.is_finished()).count();
            soon(async {
                while hanging.load(Ordering::SeqCst) < most || ended() < refused {
                    yield_now().await;
                }
            })
            .await;
            // Others have their turns, and a thread is free.
            assert!(soon(find(TWO, "answers")).await.is_ok());
            soon(tokio::task::spawn_blocking(|| ())).await.unwrap();
            assert_eq!(hanging.load(Ordering::SeqCst), most);
            drop(release);
            let mut late = 0;
            for looked_up in of_one {
                if let Err(error) = soon(looked_up).await.unwrap() {
                    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
                    late += 1;
                }
            }
            assert_eq!(late, refused, "more than may wait");
        });
    }
}
