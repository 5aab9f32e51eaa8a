//! The group-commit writer: many consents, one transaction, each answered after the commit.
//!
//! A lane takes all waiting consents, writes them and answers. Consents that arrive meanwhile form
//! the next batch, for which a second lane does not wait if they are many. So batches grow with the load, and a lone
//! consent waits for nothing. The queue
//! is bounded: when it is full, callers are told to come again.

use domain::error_code::ErrorCode;
use std::{
    pin::pin,
    sync::{Arc, Mutex, PoisonError},
};

use tokio::{
    sync::{Mutex as AsyncMutex, MutexGuard, mpsc, oneshot},
    task::JoinHandle,
};

use super::{
    row::Row,
    writing::batch::{Batches, Stood, Written},
};
use crate::{
    db::{Db, DbError},
    error::{Error, Result},
    ledger::{Promised, Together},
};

/// Consents that may wait; at 20,000 a second that is a good third of a second.
const QUEUE: usize = 8_192;
/// Most consents of a transaction.
const BATCH: usize = 512;
/// Consents for which a lane does not wait until another one has written: work enough for both.
const WORTH: usize = 64;
/// Attempts to write a batch after passing faults: the ids make a second attempt harmless.
const TRIES: usize = 3;

/// The reason for which a consent was not written.
#[derive(Clone, Copy, Debug)]
enum Failure {
    /// The database is away.
    Away,
    /// This one cannot be written.
    Fault,
}

/// The result of writing a consent, with its place among those of its batch that are promised.
type Answer = std::result::Result<(Written, Option<Promised>), Failure>;

struct Waiting {
    row: Arc<Row>,
    answer: oneshot::Sender<Answer>,
}

/// The queue and its lanes.
pub(super) struct Writer {
    queue: Mutex<Option<mpsc::Sender<Waiting>>>,
    lanes: AsyncMutex<Vec<JoinHandle<()>>>,
}

impl Writer {
    /// Starts the lanes; they end when the writer is closed or dropped.
    pub(super) fn start(db: Db) -> Self {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let waiting = Arc::new(AsyncMutex::new(waiting));
        let turn = Arc::new(AsyncMutex::new(()));
        let lanes = (0..Batches::lanes(&db))
            .map(|lane| {
                let batches = Batches::new(db.clone(), lane);
                tokio::spawn(work(waiting.clone(), turn.clone(), batches))
            })
            .collect();
        Self {
            queue: Mutex::new(Some(queue)),
            lanes: AsyncMutex::new(lanes),
        }
    }

    /// Writes a consent. A retry gets time and salt of the first attempt, and no promise.
    pub(super) async fn write(&self, row: Arc<Row>) -> Result<(Stood, Option<Promised>)> {
        let now = Stood {
            decided_at: row.decided_at,
            salt: row.commitment.map(|made| made.salt),
        };
        let (answer, answered) = oneshot::channel();
        self.queue()
            .ok_or(Error::Busy)?
            .try_send(Waiting { row, answer })
            .map_err(|_| Error::Busy)?;
        match answered.await {
            Ok(Ok((Written::Now, promised))) => Ok((now, promised)),
            Ok(Ok((Written::Before(stood), _))) => Ok((stood, None)),
            Ok(Ok((Written::Other, _))) => Err(Error::conflict(
                None,
                ErrorCode::IdempotencyConflict,
                "Another consent was sent under this id or key.",
            )),
            Ok(Err(Failure::Fault)) => Err(Error::internal("a consent could not be written")),
            // A lane that ended without an answer has not written it either, as far as is known.
            Ok(Err(Failure::Away)) | Err(_) => Err(Error::Unavailable),
        }
    }

    fn queue(&self) -> Option<mpsc::Sender<Waiting>> {
        self.queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Writes the waiting consents, then takes nothing more.
    pub(super) async fn close(&self) {
        self.queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        for lane in self.lanes.lock().await.drain(..) {
            if lane.await.is_err() {
                tracing::error!("a lane of the consent writer ended badly");
            }
        }
    }
}

/// The consents of the next batch, in its turn; `None` for the turn if they are worth a lane beside another one. A few that
/// come while another lane writes wait for it: two small transactions cost more than one. Empty at the end.
async fn next<'a, T>(
    waiting: &AsyncMutex<mpsc::Receiver<T>>,
    turn: &'a AsyncMutex<()>,
    batch: &mut Vec<T>,
) -> Option<MutexGuard<'a, ()>> {
    let mut waiting = waiting.lock().await;
    waiting.recv_many(batch, BATCH).await;
    let mut turn = pin!(turn.lock());
    while batch.len() < WORTH {
        let room = BATCH - batch.len();
        tokio::select! {
            biased;
            turn = &mut turn => return Some(turn),
            more = waiting.recv_many(batch, room) => if more == 0 {
                break;
            }
        }
    }
    None
}

/// One lane: takes the waiting consents, writes them, answers.
async fn work(
    waiting: Arc<AsyncMutex<mpsc::Receiver<Waiting>>>,
    turn: Arc<AsyncMutex<()>>,
    mut batches: Batches,
) {
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let turn = next(&waiting, &turn, &mut batch).await;
        if batch.is_empty() {
            return;
        }
        let rows: Vec<Arc<Row>> = batch.iter().map(|waiting| waiting.row.clone()).collect();
        let written = write(&mut batches, &rows).await;
        // The next lane begins. It may hold the queue.
        drop(turn);
        match written {
            Ok(written) => {
                let mut promised = promised(&rows, &written).into_iter().peekable();
                for (place, (waiting, written)) in batch.drain(..).zip(written).enumerate() {
                    let own = promised.next_if(|(of, _)| *of == place);
                    let own = own.map(|(_, promised)| promised);
                    // The caller may have gone. The consent is kept all the same.
                    let _ = waiting.answer.send(Ok((written, own)));
                }
            }
            Err(error @ DbError::Unavailable(_)) => {
                log(&error, batch.len());
                refuse(batch.drain(..));
                // The others would only wait for the same answer.
                let mut waiting = waiting.lock().await;
                while let Ok(other) = waiting.try_recv() {
                    refuse([other]);
                }
            }
            Err(error) => {
                log(&error, batch.len());
                one_by_one(&mut batches, batch.drain(..)).await;
            }
        }
    }
}

/// The consents of a batch whose callers want a promise, by their places in it. A batch without one costs a look at each.
fn promised(rows: &[Arc<Row>], written: &[Written]) -> Vec<(usize, Promised)> {
    let (mut places, mut entries, mut from) = (Vec::new(), Vec::new(), u64::MAX);
    for (place, (row, written)) in rows.iter().zip(written).enumerate() {
        if let Some(of_row) = row.promised_from
            && *written == Written::Now
            && let Some(entry) = row.entry()
        {
            places.push(place);
            entries.push(entry);
            // Each was read before its consent was stored.
            from = from.min(of_row);
        }
    }
    if places.is_empty() {
        return Vec::new();
    }
    let all = Together::new(entries, from);
    let numbered = places.into_iter().enumerate();
    numbered
        .map(|(index, place)| (place, all.at(index)))
        .collect()
}

fn refuse(batch: impl IntoIterator<Item = Waiting>) {
    for waiting in batch {
        let _ = waiting.answer.send(Err(Failure::Away));
    }
}

/// A row that the database refuses takes no other with it.
async fn one_by_one(batches: &mut Batches, batch: impl Iterator<Item = Waiting>) {
    for waiting in batch {
        let row = std::slice::from_ref(&waiting.row);
        let answer = match write(batches, row).await {
            Ok(written) => {
                let own = promised(row, &written).pop().map(|(_, promised)| promised);
                let written = written.into_iter().next().ok_or(Failure::Fault);
                written.map(|written| (written, own))
            }
            Err(DbError::Unavailable(_)) => Err(Failure::Away),
            Err(error) => {
                log(&error, 1);
                Err(Failure::Fault)
            }
        };
        let _ = waiting.answer.send(answer);
    }
}

async fn write(
    batches: &mut Batches,
    rows: &[Arc<Row>],
) -> std::result::Result<Vec<Written>, DbError> {
    let mut tried = 1;
    loop {
        match batches.write(rows).await {
            Err(DbError::Unavailable(error)) if tried < TRIES && may_pass(&error) => tried += 1,
            result => return result,
        }
    }
}

/// True if a second attempt may succeed at once: after a broken connection or a deadlock. False if
/// no connection could be had at all.
fn may_pass(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() != std::io::ErrorKind::ConnectionRefused,
        sqlx::Error::Database(error) => error
            .code()
            .is_some_and(|code| code.starts_with("40") || code == "57P01"),
        _ => false,
    }
}

fn log(error: &DbError, consents: usize) {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    tracing::error!(%error, cause, consents, "consents could not be written");
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test]
    async fn a_few_wait_for_the_other_lane_and_many_do_not() {
        let (queue, waiting) = mpsc::channel(QUEUE);
        let (waiting, turn) = (AsyncMutex::new(waiting), AsyncMutex::new(()));
        let send = |many: usize| {
            for _ in 0..many {
                queue.try_send(()).expect("room");
            }
        };
        // Nobody writes: one alone goes at once.
        send(1);
        let mut first = Vec::new();
        let held = next(&waiting, &turn, &mut first).now_or_never();
        let held = held.expect("no wait").expect("its turn");
        assert_eq!(first.len(), 1);

        let mut few = Vec::new();
        let mut second = Box::pin(next(&waiting, &turn, &mut few));
        send(WORTH - 1);
        assert!(second.as_mut().now_or_never().is_none());
        drop(held);
        let held = second.await.expect("its turn");
        assert_eq!(few.len(), WORTH - 1);

        let mut many = Vec::new();
        send(WORTH);
        let third = next(&waiting, &turn, &mut many).now_or_never();
        assert!(third.expect("no wait").is_none(), "beside the other");
        assert_eq!(many.len(), WORTH);
        drop(held);

        drop(queue);
        many.clear();
        next(&waiting, &turn, &mut many).await;
        assert!(many.is_empty());
    }
}
