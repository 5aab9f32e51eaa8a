//! Queues for the processors and for the connections of the database, one of each for each client.
//!
//! The processors serve requests in turns, whose number would grow with the requests of one client. So few requests of a
//! client begin at once.
//!
//! A pool serves its callers in the order in which they come. Everybody would wait behind a client that sends a
//! thousand requests at once, also behind those of which it awaits no answer. So each client has a queue of its own,
//! and only the first caller of a queue waits at the pool: there, clients take turns. Work of the server itself has
//! no queue.

use std::{
    collections::HashMap,
    pin::pin,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use futures::future::BoxFuture;
use sqlx::{Database, Pool, Sqlite, SqlitePool};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{DbError, held::Held};
use crate::prefix::Subscriber;

/// Requests of a client that begin at once.
const MOST_BEGINNING: usize = 16;
/// After so long a request begins no more: it waits, and others go on.
const BEGINNING: Duration = Duration::from_millis(250);

tokio::task_local! {
    /// The queue of the client for whom the task works.
    static QUEUE: Queue;
}

/// The queues of the clients that are being served, by their networks.
#[derive(Default)]
pub struct Queues(Mutex<HashMap<Subscriber, Weak<Heads>>>);

/// The queue of a client.
#[derive(Clone)]
pub struct Queue(Arc<Heads>);

/// The first places of a queue: for requests, and for each kind of connection. On SQLite, reading does not wait for
/// writing.
struct Heads {
    beginning: Semaphore,
    reading: Arc<Semaphore>,
    writing: Arc<Semaphore>,
}

/// The purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Reading,
    Writing,
}

impl Queues {
    /// The queue of a client. It lasts as long as somebody holds it.
    pub fn of(&self, client: Subscriber) -> Queue {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = queues.get(&client).and_then(Weak::upgrade) {
            return Queue(queue);
        }
        // Before the map grows, queues that have ended leave it. It keeps room for as many again, so that this is rare.
        if queues.len() == queues.capacity() {
            queues.retain(|_, queue| queue.strong_count() > 0);
            let room = queues.len();
            queues.reserve(room);
        }
        let place = || Arc::new(Semaphore::new(1));
        let queue = Arc::new(Heads {
            beginning: Semaphore::new(MOST_BEGINNING),
            reading: place(),
            writing: place(),
        });
        queues.insert(client, Arc::downgrade(&queue));
        Queue(queue)
    }
}

impl Queue {
    /// The queue in which the current task waits, if any. A task that is spawned has none unless it is given one.
    pub fn current() -> Option<Self> {
        QUEUE.try_with(Self::clone).ok()
    }

    /// Begins the work on a request once fewer than [`MOST_BEGINNING`] others of the client begin.
    pub async fn begin<W: Future>(&self, work: W) -> W::Output {
        self.begin_within(BEGINNING, work).await
    }

    async fn begin_within<W: Future>(&self, time: Duration, work: W) -> W::Output {
        // Nobody closes the semaphore.
        let place = self.0.beginning.acquire().await.ok();
        let mut work = pin!(work);
        if let Ok(done) = tokio::time::timeout(time, work.as_mut()).await {
            return done;
        }
        drop(place);
        work.await
    }

    /// Work that waits in this queue.
    pub fn wait_in<W: Future>(self, work: W) -> impl Future<Output = W::Output> {
        QUEUE.scope(self, work)
    }
}

/// Waits until the caller is the first of its queue, at most as long as for a connection.
pub(super) async fn first<D: Database>(
    pool: &Pool<D>,
    purpose: Purpose,
) -> Result<Option<OwnedSemaphorePermit>, DbError> {
    let head = QUEUE.try_with(|Queue(heads)| match purpose {
        Purpose::Reading => heads.reading.clone(),
        Purpose::Writing => heads.writing.clone(),
    });
    let Ok(head) = head else { return Ok(None) };
    if let Ok(place) = head.clone().try_acquire_owned() {
        return Ok(Some(place));
    }
    let patience = pool.options().get_acquire_timeout();
    match Box::pin(tokio::time::timeout(patience, head.acquire_owned())).await {
        // Nobody closes the semaphore.
        Ok(place) => Ok(place.ok()),
        Err(_) => Err(sqlx::Error::PoolTimedOut.into()),
    }
}

/// A connection for a statement, after the callers before in the queue and then those at the pool have got one.
pub(super) fn connection<D: Database>(
    pool: &Pool<D>,
    purpose: Purpose,
) -> BoxFuture<'_, Result<Held<D>, DbError>> {
    Box::pin(async move {
        let _first = first(pool, purpose).await?;
        Ok(Held::new(pool.acquire().await?))
    })
}

/// As [`connection`], for a statement that reads on SQLite and ends when its caller leaves.
pub(super) fn reader(pool: &SqlitePool) -> BoxFuture<'_, Result<Held<Sqlite>, DbError>> {
    Box::pin(async move {
        let held = connection(pool, Purpose::Reading).await?;
        held.ending_with_the_caller().await
    })
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    #[tokio::test]
    async fn few_requests_of_a_client_begin_at_once() {
        const LONG: Duration = Duration::from_hours(1);
        let queues = Queues::default();
        let of = |last| queues.of(Subscriber::of(Ipv4Addr::new(192, 0, 2, last).into()));
        let (began, mut begins) = tokio::sync::mpsc::unbounded_channel();
        // A request that goes on for ever, and takes processors for this time.
        let request = |name, queue: &Queue, time| {
            let (queue, began) = (queue.clone(), began.clone());
            tokio::spawn(async move {
                let work = async {
                    let _ = began.send(name);
                    std::future::pending::<()>().await;
                };
                queue.begin_within(time, work).await;
            })
        };
        let (one, another) = (of(1), of(2));
        let first: Vec<_> = (0..MOST_BEGINNING)
            .map(|_| request("first", &one, LONG))
            .collect();
        for _ in &first {
            assert_eq!(begins.recv().await, Some("first"));
        }
        // One more waits, and nobody else does.
        request("second", &one, Duration::ZERO);
        request("another's", &another, LONG);
        assert_eq!(begins.recv().await, Some("another's"));
        assert!(begins.try_recv().is_err());
        // It begins when one has ended. The next one begins when this one takes no processor any more.
        first[0].abort();
        assert_eq!(begins.recv().await, Some("second"));
        request("third", &one, LONG);
        assert_eq!(begins.recv().await, Some("third"));
    }

    #[test]
    fn queues_that_have_ended_are_forgotten() {
        let queues = Queues::default();
        let client = Subscriber::of(Ipv4Addr::new(192, 0, 2, 1).into());
        let held = queues.of(client);
        for other in 0..10_000 {
            queues.of(Subscriber::of(Ipv4Addr::from_bits(other).into()));
        }
        assert!(queues.0.lock().unwrap().len() < 100);
        assert!(Arc::ptr_eq(&queues.of(client).0, &held.0));
    }
}
