//! The durable queue: one row per job, claimed with a lease, run outside any transaction.
//!
//! Jobs of one lane run one after the other, in the order of their ids, so that two publishes of
//! a project never interleave, whichever process runs them; a job that has begun ends before the next begins. A job
//! whose process died is claimed again when its lease ends, and a process that cannot renew a lease
//! lets go of the job by then; so every job must be idempotent. Kinds are types ([`Job`]).

mod store;
mod typed;

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    sync::{Notify, Semaphore},
    task::JoinSet,
    time::Instant,
};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub use typed::{Claim, Job, Workers};

use crate::{
    clock::{SharedClock, Timestamp},
    db::{Db, DbError, Lease, Tx},
    error::Error,
    ids::Ids,
};
use typed::Handler;

/// Without a wake-up the queue is looked at this often.
const POLL: Duration = Duration::from_millis(900);
/// Attempts before a job is given up and stays visible as failed.
const MOST_ATTEMPTS: i64 = 10;
/// Seconds of the longest pause of patient work.
const LONGEST_PAUSE: i64 = 43_200;
/// Claims after the last attempt, in which the handler may end the job. If the handler does not end
/// it, the job fails without: its lane must not wait for ever.
const MOST_ENDINGS: i64 = 3;

/// A job that is due for so long is late: nobody works on it.
const OVERDUE_MINUTES: i64 = 5;
/// Days that done jobs are kept.
const KEPT_DAYS: i64 = 30;

/// A claimed job.
#[derive(Clone, Debug, sqlx::FromRow)]
struct Claimed {
    id: Uuid,
    kind: String,
    /// The job's data, as [`Job`] writes it.
    payload: String,
    attempts: i64,
}

impl Claimed {
    fn claim(&self) -> Claim {
        Claim {
            id: self.id,
            attempts: self.attempts,
        }
    }
}

/// The end of an attempt.
#[derive(Debug)]
pub enum Ended {
    /// Done, well or badly: the handler has recorded how.
    Done,
    /// A passing fault stopped it. The queue tries the job again.
    Retry(String),
    /// The same, on a schedule of the handler's own, which also ends it.
    Later {
        /// Seconds until the next attempt.
        seconds: i64,
        /// The cause in a sentence.
        cause: String,
    },
}

impl Ended {
    /// Of work that waits for a storage or a network: tried for more than a day, each time after four times as long.
    pub(crate) fn patiently(cause: String, attempts: i64) -> Self {
        if attempts >= MOST_ATTEMPTS {
            return Self::Retry(cause);
        }
        let exponent = u32::try_from(attempts.max(0)).unwrap_or(0);
        let seconds = 4_i64.saturating_pow(exponent).min(LONGEST_PAUSE);
        Self::Later { seconds, cause }
    }
}

impl From<crate::error::Result<()>> for Ended {
    /// Repeats a job that failed.
    fn from(done: crate::error::Result<()>) -> Self {
        match done {
            Ok(()) => Self::Done,
            Err(error) => Self::Retry(error.to_string()),
        }
    }
}

/// The queue.
pub struct Jobs {
    db: Db,
    clock: SharedClock,
    ids: Arc<Ids>,
    /// The duration of a claim. It is renewed after a third of it.
    lease: Duration,
    wake: Arc<Notify>,
    working: AtomicBool,
}

impl Jobs {
    pub(crate) fn new(db: Db, clock: SharedClock, ids: Arc<Ids>, lease: Duration) -> Self {
        Self {
            db,
            clock,
            ids,
            lease,
            wake: Arc::new(Notify::new()),
            working: AtomicBool::new(false),
        }
    }

    /// Adds a job in the caller's transaction; call [`Jobs::wake`] after the commit.
    pub(crate) async fn enqueue<J: Job>(
        &self,
        tx: &mut Tx,
        id: Uuid,
        job: &J,
    ) -> Result<(), DbError> {
        self.add(tx, &queued(id, job)?).await
    }

    /// As [`Jobs::enqueue`], for a job that an account has asked for. Few jobs of one account run at once, and
    /// accounts that have had few of late come first. So nobody waits for the many jobs of another.
    pub(crate) async fn enqueue_for<J: Job>(
        &self,
        tx: &mut Tx,
        id: Uuid,
        account: Option<Uuid>,
        job: &J,
    ) -> Result<(), DbError> {
        let mut queued = queued(id, job)?;
        queued.account = account;
        self.add(tx, &queued).await
    }

    async fn add(&self, tx: &mut Tx, queued: &Queued) -> Result<(), DbError> {
        if store::add(tx, queued, self.clock.now()).await? {
            return Ok(());
        }
        let taken = "another job has this id".to_owned();
        Err(DbError::Fault(sqlx::Error::Protocol(taken)))
    }

    /// Lets what waits in the lane of this job be tried at once, in the caller's transaction: the reason why it waits
    /// longer has ended, and the lane must not wait behind it. Call [`Jobs::wake`] after the commit.
    pub(crate) async fn hurry<J: Job>(
        &self,
        tx: &mut Tx,
        id: Uuid,
        job: &J,
    ) -> Result<(), DbError> {
        store::hurry(tx, &job.lane(id), self.clock.now()).await
    }

    /// Adds a job unless there is one with this id already, done or not.
    pub(crate) async fn enqueue_once<J: Job>(&self, id: Uuid, job: &J) -> Result<(), DbError> {
        let mut tx = self.db.begin().await?;
        let added = store::add(&mut tx, &queued(id, job)?, self.clock.now()).await?;
        tx.commit().await?;
        if added {
            self.wake();
        }
        Ok(())
    }

    /// Adds a job that this process runs itself, at once, after the caller's commit. When it dies,
    /// a worker takes over.
    pub(crate) async fn enqueue_held<J: Job>(
        &self,
        tx: &mut Tx,
        id: Uuid,
        job: &J,
    ) -> Result<Held, DbError> {
        let (owner, now) = (self.ids.next(), self.clock.now());
        let queued = queued(id, job)?;
        self.add(tx, &queued).await?;
        store::hold(tx, id, Lease::new(owner, now, self.lease)).await?;
        Ok(Held {
            runner: self.runner(owner),
            job: queued.job,
        })
    }

    /// Tells the worker that there is something to do.
    pub fn wake(&self) {
        self.wake.notify_one();
    }

    /// Runs jobs until `stop`, then waits for those that run. For a server that starts.
    pub async fn work(&self, workers: Workers, stop: CancellationToken) {
        if let Err(error) = store::reclaim_at_start(&self.db).await {
            tracing::warn!(%error, "jobs of the last run could not be reclaimed");
        }
        self.help(workers, stop).await;
    }

    /// Does the same in a program beside a server that may run. Jobs that the server has claimed
    /// stay its own.
    pub async fn help(&self, workers: Workers, stop: CancellationToken) {
        let kinds = workers.kinds();
        let kinds: Vec<_> = kinds.collect();
        let names: Vec<_> = kinds.iter().map(|kind| kind.kind()).collect();
        let handlers: Vec<_> = kinds
            .into_iter()
            .map(|kind| (kind, Arc::new(Semaphore::new(kind.at_once()))))
            .collect();
        let mut running = JoinSet::new();
        loop {
            while running.try_join_next().is_some() {}
            // Each claim has an owner of its own, so a worker notices a lost lease even if it
            // claims the job again itself.
            let owner = self.ids.next();
            let full = handlers.iter().filter(|one| one.1.available_permits() == 0);
            let full: Vec<_> = full.map(|one| one.0.kind()).collect();
            if let Some(job) = self.claim(owner, &names, &full).await {
                let of_kind = handlers.iter().find(|one| one.0.kind() == job.kind);
                let place = of_kind.and_then(|one| one.1.clone().try_acquire_owned().ok());
                let handler = of_kind.map(|one| Arc::clone(one.0));
                let runner = self.runner(owner);
                running.spawn(async move {
                    run(runner, handler, job).await;
                    drop(place);
                });
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => break,
                () = self.wake.notified() => {}
                Some(_) = running.join_next() => {}
                () = tokio::time::sleep(POLL) => {}
            }
        }
        self.working.store(false, Ordering::Relaxed);
        while running.join_next().await.is_some() {}
    }

    /// True if the worker runs and its last read of the queue succeeded.
    pub fn is_working(&self) -> bool {
        self.working.load(Ordering::Relaxed)
    }

    async fn claim(&self, owner: Uuid, kinds: &[&str], full: &[&str]) -> Option<Claimed> {
        let lease = Lease::new(owner, self.clock.now(), self.lease);
        let claimed = store::claim(&self.db, lease, kinds, full).await;
        self.working.store(claimed.is_ok(), Ordering::Relaxed);
        match claimed {
            Ok(job) => job,
            Err(error) => {
                tracing::warn!(%error, "the queue cannot be read");
                None
            }
        }
    }

    fn runner(&self, owner: Uuid) -> Runner {
        Runner {
            db: self.db.clone(),
            clock: self.clock.clone(),
            owner,
            lease: self.lease,
        }
    }

    /// Forgets jobs that were done a month ago; failed ones stay visible.
    pub(crate) async fn forget_finished(&self) -> Result<(), DbError> {
        store::forget_finished(&self.db, self.clock.now().plus_days(-KEPT_DAYS)).await
    }

    /// Jobs that wait or run, without those aside ([`Job::ASIDE`]).
    pub async fn unfinished(&self) -> Result<i64, DbError> {
        store::unfinished(&self.db).await
    }
}

/// Jobs that need a look.
pub(crate) struct Backlog {
    /// Given up.
    pub failed: i64,
    /// Due for [`OVERDUE_MINUTES`], not aside ([`Job::ASIDE`]), and nobody works on them.
    pub overdue: i64,
}

/// Counts the jobs that need a look.
pub(crate) async fn backlog(db: &Db, now: Timestamp) -> Result<Backlog, DbError> {
    Ok(Backlog {
        failed: store::failed(db).await?,
        overdue: store::overdue(db, now.plus_millis(-OVERDUE_MINUTES * 60_000)).await?,
    })
}

/// A job as it is added.
struct Queued {
    job: Claimed,
    lane: String,
    account: Option<Uuid>,
    aside: bool,
}

fn queued<J: Job>(id: Uuid, job: &J) -> Result<Queued, DbError> {
    let payload = typed::written(job).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
    Ok(Queued {
        lane: job.lane(id),
        account: None,
        aside: J::ASIDE,
        job: Claimed {
            id,
            kind: J::KIND.to_owned(),
            payload,
            attempts: 1,
        },
    })
}

/// A job that this process has claimed before any worker could.
pub(crate) struct Held {
    runner: Runner,
    job: Claimed,
}

impl Held {
    /// Does its work and records the end; work that fails is left to the worker.
    pub(crate) async fn run<T>(
        self,
        work: impl Future<Output = crate::error::Result<T>>,
    ) -> crate::error::Result<T> {
        let done = tokio::select! {
            done = work => done,
            () = self.runner.keep_lease(&self.job) => Err(Error::Unavailable),
        };
        match &done {
            Ok(_) => self.runner.finish(&self.job, "done", None).await,
            Err(error) => self.runner.retry(&self.job, 2, &error.to_string()).await,
        }
        done
    }
}

struct Runner {
    db: Db,
    clock: SharedClock,
    owner: Uuid,
    lease: Duration,
}

async fn run(runner: Runner, handler: Option<Arc<dyn Handler>>, job: Claimed) {
    let Some(handler) = handler else {
        tracing::error!(job.id = %job.id, job.kind, "no handler for this kind of job");
        runner
            .finish(&job, "failed", Some("no handler for this kind"))
            .await;
        return;
    };
    if job.attempts > MOST_ATTEMPTS {
        // The last attempt reported no end: it has panicked, or ended its process.
        let cause = format!("it was tried {MOST_ATTEMPTS} times, and the last try did not end");
        give_up(&runner, handler.as_ref(), &job, &cause).await;
        return;
    }
    let ended = tokio::select! {
        ended = handler.run(&job) => ended,
        // The process that holds the lease now, or claims the job next, goes on.
        () = runner.keep_lease(&job) => return,
    };
    match ended {
        Ended::Done => runner.finish(&job, "done", None).await,
        Ended::Retry(cause) if job.attempts >= MOST_ATTEMPTS => {
            give_up(&runner, handler.as_ref(), &job, &cause).await;
        }
        Ended::Retry(cause) => {
            let seconds = 1_i64 << job.attempts.clamp(0, 6);
            runner.retry(&job, seconds, &cause).await;
        }
        Ended::Later { seconds, cause } => runner.retry(&job, seconds, &cause).await,
    }
}

async fn give_up(runner: &Runner, handler: &dyn Handler, job: &Claimed, cause: &str) {
    tracing::error!(job.id = %job.id, job.kind, cause, "job given up");
    if job.attempts <= MOST_ATTEMPTS + MOST_ENDINGS {
        tokio::select! {
            () = handler.give_up(job, cause) => {}
            // Another process ends it.
            () = runner.keep_lease(job) => return,
        }
    }
    runner.finish(job, "failed", Some(cause)).await;
}

impl Runner {
    async fn retry(&self, job: &Claimed, seconds: i64, cause: &str) {
        tracing::warn!(job.id = %job.id, job.kind, job.attempts, cause, "job will be tried again");
        let at = self.clock.now().plus_seconds(seconds);
        if let Err(error) = store::retry(&self.db, job.id, self.owner, at, cause).await {
            tracing::warn!(%error, job.id = %job.id, "the retry could not be recorded; the lease will end");
        }
    }

    /// Renews the lease until it is lost, or over because the database was away too long.
    async fn keep_lease(&self, job: &Claimed) {
        let mut over = Instant::now() + self.lease;
        loop {
            tokio::time::sleep(self.lease / 3).await;
            let asked = Instant::now();
            let lease = Lease::new(self.owner, self.clock.now(), self.lease);
            let renewed = store::renew(&self.db, job.id, lease);
            // A late renewal is sent all the same: the lease may still belong to this worker.
            match tokio::time::timeout_at(over.max(asked + self.lease / 3), renewed).await {
                Ok(Ok(true)) => over = asked + self.lease,
                Ok(Ok(false)) | Err(_) => break,
                Ok(Err(error)) => {
                    tracing::warn!(%error, job.id = %job.id, "the lease could not be renewed");
                    if Instant::now() >= over {
                        break;
                    }
                }
            }
        }
        tracing::warn!(job.id = %job.id, job.kind, "the lease of a job was lost; it is let go");
    }

    async fn finish(&self, job: &Claimed, status: &str, cause: Option<&str>) {
        let now = self.clock.now();
        if let Err(error) = store::finish(&self.db, job.id, self.owner, status, cause, now).await {
            tracing::warn!(%error, job.id = %job.id, "the end of a job could not be recorded; it will run again");
        }
    }
}
