//! The queue of jobs: lanes and leases, with a handler of the tests.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde::{Deserialize, Serialize};
use service::{
    Placet,
    clock::Clock,
    db::Tx,
    jobs::{Claim, Ended, Job, Workers},
};
use tests::{TestApp, TestClock, both, until};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

const KIND: &str = Scripted::<false>::KIND;
/// A second kind of jobs.
const OTHER: &str = Scripted::<true>::KIND;
/// When jobs are due by the server's clock. So the server leaves them to the worker, whose clock is a day
/// ahead.
const DUE: i64 = 12 * 3_600;

/// A job of the tests. Its text names it.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
struct Scripted<const OTHER: bool>(String);

impl<const OTHER: bool> Job for Scripted<OTHER> {
    const KIND: &'static str = if OTHER { "other" } else { "test" };
    type Worker = Script;

    fn lane(&self, id: Uuid) -> String {
        id.to_string()
    }

    async fn run(self, script: &Script, _: Claim) -> Ended {
        let mut run = Run {
            script,
            about: &self.0,
            ended: false,
        };
        script.say("begins", &self.0);
        let mut may_end = script.may_end.subscribe();
        let ended = may_end.wait_for(|ended| ended.contains(&self.0));
        drop(ended.await.expect("it is told"));
        run.ended = true;
        script.say("ends", &self.0);
        Ended::Done
    }
}

/// Runs jobs until the test ends them, and records events.
#[derive(Default)]
struct Script {
    said: Mutex<Vec<String>>,
    may_end: watch::Sender<BTreeSet<String>>,
}

impl Script {
    fn say(&self, what: &str, about: &str) {
        let line = format!("{what} {about}");
        self.said.lock().expect("no panic").push(line);
    }

    fn heard(&self, line: &str) -> usize {
        let said = self.said.lock().expect("no panic");
        said.iter().filter(|said| *said == line).count()
    }

    async fn hear(&self, line: &str) {
        until(line, async || (self.heard(line) > 0).then_some(())).await;
    }

    fn end(&self, payload: &str) {
        self.may_end.send_modify(|ended| {
            ended.insert(payload.to_owned());
        });
    }
}

/// A run that records when it is dropped before its end.
struct Run<'a> {
    script: &'a Script,
    about: &'a str,
    ended: bool,
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.script.say("drops", self.about);
        }
    }
}

/// A worker beside the server's.
struct Worker {
    placet: Arc<Placet>,
    script: Arc<Script>,
    other: Arc<Script>,
    stop: CancellationToken,
}

impl Worker {
    async fn start(app: &TestApp, lease: Duration) -> Self {
        // At its start the server claims running jobs as those of a dead process.
        until("the server's own worker works", async || {
            app.placet.jobs.is_working().then_some(())
        })
        .await;
        let clock = Arc::new(TestClock::default());
        clock.advance_days(1);
        let mut config = app.config();
        config.clock = clock;
        config.job_lease = lease;
        let placet = Placet::open(config).await.expect("it opens");
        let (script, other) = (Arc::<Script>::default(), Arc::<Script>::default());
        let stop = CancellationToken::new();
        let workers = Workers::default()
            .with::<Scripted<false>>(script.clone())
            .with::<Scripted<true>>(other.clone());
        tokio::spawn({
            let (placet, stop) = (placet.clone(), stop.clone());
            async move { placet.jobs.help(workers, stop).await }
        });
        Self {
            placet,
            script,
            other,
            stop,
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Adds a job that is due `seconds` after the first ones.
async fn add(app: &TestApp, id: u128, lane: &str, payload: &str, seconds: i64) {
    add_of(KIND, app, id, lane, payload, seconds).await;
}

async fn add_of(kind: &str, app: &TestApp, id: u128, lane: &str, payload: &str, seconds: i64) {
    let mut tx = app.placet.db.begin().await.expect("a transaction");
    insert(&mut tx, kind, app, id, lane, payload, seconds).await;
    tx.commit().await.expect("a commit");
}

async fn insert(
    tx: &mut Tx,
    kind: &str,
    app: &TestApp,
    id: u128,
    lane: &str,
    payload: &str,
    seconds: i64,
) {
    tx.query(
        "INSERT INTO jobs (id, kind, lane, payload, status, run_at, attempts, created_at) \
         VALUES ($1, $2, $3, $4, 'queued', $5, 0, $5)",
    )
    .bind(Uuid::from_u128(id))
    .bind(kind)
    .bind(lane)
    .bind(payload)
    .bind(app.clock.now().plus_seconds(DUE + seconds))
    .exec()
    .await
    .expect("a job");
}

async fn status(app: &TestApp, id: u128) -> String {
    app.placet
        .db
        .query("SELECT status FROM jobs WHERE id = $1")
        .bind(Uuid::from_u128(id))
        .one_value()
        .await
        .expect("a job")
}

async fn is_done(app: &TestApp, id: u128) {
    until("the job is done", async || {
        (status(app, id).await == "done").then_some(())
    })
    .await;
}

async fn execute(app: &TestApp, sql: &'static str) {
    let mut tx = app.placet.db.begin().await.expect("a transaction");
    tx.query(sql).exec().await.expect(sql);
    tx.commit().await.expect("a commit");
}

both!(
    an_earlier_job_that_is_seen_later_waits_for_the_one_that_has_begun,
    |app| async move {
        let worker = Worker::start(&app, Duration::from_secs(30)).await;
        add(&app, 2, "lane", "second", 0).await;
        worker.script.hear("begins second").await;
        // As if another process with a slower clock, or a longer transaction, had made it.
        add(&app, 1, "lane", "first", 1).await;
        add(&app, 3, "another lane", "third", 2).await;
        worker.placet.jobs.wake();
        // The job that is due first is claimed first, if its lane is free.
        worker.script.hear("begins third").await;
        assert_eq!(status(&app, 1).await, "queued");
        worker.script.end("second");
        worker.script.hear("begins first").await;
        for payload in ["first", "third"] {
            worker.script.end(payload);
        }
        for id in 1..=3 {
            is_done(&app, id).await;
        }
    }
);

both!(
    jobs_that_hang_leave_room_for_other_kinds,
    |app| async move {
        let worker = Worker::start(&app, Duration::from_secs(30)).await;
        let hang: Vec<_> = (1..=5).map(|id| (id, format!("hang {id}"))).collect();
        for (id, payload) in &hang {
            add(&app, *id, payload, payload, 0).await;
        }
        worker.placet.jobs.wake();
        for (_, payload) in &hang[..4] {
            worker.script.hear(&format!("begins {payload}")).await;
        }
        add_of(OTHER, &app, 6, "other lane", "goes on", 1).await;
        worker.placet.jobs.wake();
        worker.other.end("goes on");
        is_done(&app, 6).await;
        assert_eq!(status(&app, 5).await, "queued");
        // The next job starts when one of its kind ends.
        for (id, payload) in &hang {
            worker.script.end(payload);
            is_done(&app, *id).await;
        }
    }
);

both!(
    nobody_waits_for_the_many_jobs_of_another,
    |app| async move {
        let worker = Worker::start(&app, Duration::from_secs(30)).await;
        let script = &worker.script;
        let add = async |id: u128, account: u128, seconds: i64| {
            let name = id.to_string();
            // Together: a job that is seen without its account would take a place.
            let mut tx = app.placet.db.begin().await.expect("a transaction");
            insert(&mut tx, KIND, &app, id, &name, &name, seconds).await;
            let of = "UPDATE jobs SET account = $1 WHERE id = $2";
            let of = tx.query(of).bind(Uuid::from_u128(account));
            let of = of.bind(Uuid::from_u128(id)).exec();
            assert_eq!(of.await.expect("the database answers"), 1);
            tx.commit().await.expect("a commit");
        };
        // An account has two places at most.
        for id in 11..=14 {
            add(id, 1, 0).await;
        }
        worker.placet.jobs.wake();
        script.hear("begins 11").await;
        script.hear("begins 12").await;
        for id in 21..=22 {
            add(id, 2, 1).await;
            worker.placet.jobs.wake();
            script.hear(&format!("begins {id}")).await;
        }
        assert_eq!(status(&app, 13).await, "queued");
        // All places are taken. The next goes to the account with the fewest jobs, not to the job that is due first.
        add(31, 3, 2).await;
        script.end("11");
        script.hear("begins 31").await;
        assert_eq!(status(&app, 13).await, "queued");
        for id in [11, 12, 21, 22, 31, 13, 14] {
            script.end(&id.to_string());
            is_done(&app, id).await;
        }
    }
);

both!(
    a_job_that_is_claimed_again_by_the_same_worker_is_let_go_by_its_first_run,
    |app| async move {
        let worker = Worker::start(&app, Duration::from_secs(6)).await;
        let script = &worker.script;
        add(&app, 1, "lane", "one", 0).await;
        script.hear("begins one").await;
        until("its lease ends and it is claimed again", async || {
            // The lease has ended by the worker's clock, not by the server's.
            let until = app.clock.now().plus_seconds(DUE);
            let mut tx = app.placet.db.begin().await.expect("a transaction");
            tx.query("UPDATE jobs SET lease_until = $1 WHERE kind = $2")
                .bind(until)
                .bind(KIND)
                .exec()
                .await
                .expect("an end");
            tx.commit().await.expect("a commit");
            worker.placet.jobs.wake();
            (script.heard("begins one") > 1).then_some(())
        })
        .await;
        script.hear("drops one").await;
        script.end("one");
        is_done(&app, 1).await;
        script.hear("ends one").await;
    }
);

both!(
    a_job_whose_lease_cannot_be_renewed_is_let_go_and_claimed_again,
    |app| async move {
        let worker = Worker::start(&app, Duration::from_secs(3)).await;
        let script = &worker.script;
        add(&app, 1, "lane", "one", 0).await;
        script.hear("begins one").await;
        // As if the database were away for this table.
        execute(&app, "ALTER TABLE jobs RENAME TO jobs_away").await;
        script.hear("drops one").await;
        execute(&app, "ALTER TABLE jobs_away RENAME TO jobs").await;
        until("it is claimed again", async || {
            (script.heard("begins one") > 1).then_some(())
        })
        .await;
        script.end("one");
        is_done(&app, 1).await;
    }
);
