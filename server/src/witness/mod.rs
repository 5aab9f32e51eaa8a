//! A witness of logs (c2sp.org/tlog-witness): it signs that a log has only grown, and when. A server of its own, which
//! has nothing of a Placet but the program, or a part of `placet serve` with a folder of its own.
//!
//! Requests of one log are handled one at a time: compared with the latest checkpoint, written to disk, answered. A
//! few may wait for each other; the rest of a flood is turned away, so that other logs do not wait for it. A request
//! that the log has not signed takes none of its turns. All logs together have a bounded number of threads, few where
//! the process has other tasks ([`AtOnce`]).

pub mod key;
pub mod list;
mod record;

use std::{
    collections::HashMap,
    fs::File,
    path::Path,
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::Duration,
};

use anyhow::Context;
use axum::{
    Router,
    body::Body,
    extract::{Path as UrlPath, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use proof::{
    base64,
    note::Verifier,
    witness::{Declined, Request},
};
use service::{clock::SharedClock, objects::sha256_hex};
use tokio::sync::Semaphore;

use self::{
    key::Keys,
    list::Listed,
    record::{Latest, Record},
};

/// Most bytes of a request: a proof of 63 hashes, and a checkpoint with some large signatures.
const MOST_BYTES: usize = 64 * 1024;
/// Time in which a request must have arrived.
const ARRIVAL: Duration = Duration::from_secs(10);
/// Seconds by which the clocks of logs, witnesses and verifiers may differ.
const CLOCKS_DIFFER: u64 = 600;
/// Requests of one log at the same time.
const AT_ONCE_OF_ONE: usize = 4;

/// The work that a witness does at the same time.
#[derive(Clone, Copy)]
pub struct AtOnce {
    /// Requests that are judged, each on a thread.
    judged: usize,
    /// Those, and requests that wait for a thread.
    held: usize,
}

impl AtOnce {
    /// A process that does nothing else.
    pub const ALONE: Self = Self {
        judged: 128,
        held: 1_024,
    };
    /// A server with other tasks, which share its threads and its processors.
    pub const INSIDE: Self = Self {
        judged: 2,
        held: 64,
    };
}

/// Content type of a 409 (c2sp.org/tlog-witness).
const SIZE: &str = "text/x.tlog.size";
const TEXT: &str = "text/plain; charset=utf-8";

/// A log that the witness knows.
struct Log {
    keys: Vec<Verifier>,
    record: Mutex<Record>,
    /// The note for readers. Only what is on disk.
    shown: RwLock<Option<Arc<str>>>,
    turns: Arc<Semaphore>,
}

/// A witness.
pub struct Witness {
    keys: Keys,
    /// By their origins.
    logs: HashMap<String, Arc<Log>>,
    /// The same by the hashes of their origins.
    hashes: HashMap<String, Arc<Log>>,
    clock: SharedClock,
    turns: Arc<Semaphore>,
    places: Arc<Semaphore>,
    /// Another process with this folder would sign forks.
    _lock: File,
}

/// An answer to `add-checkpoint`.
enum Answer {
    Signed(String),
    Malformed(String),
    Forbidden(String),
    Unknown,
    Seen(u64),
    Fork,
    Proof,
    /// In so many seconds.
    Later(u64),
    Broken,
}

impl Witness {
    /// Opens the witness of a folder for these logs, with so much work at once. Fails if another process has it open,
    /// or if a record is not its own: it would sign what it does not know.
    pub fn open(
        folder: &Path,
        logs: Vec<Listed>,
        clock: SharedClock,
        at_once: AtOnce,
    ) -> anyhow::Result<Arc<Self>> {
        let lock = File::create(folder.join("lock"))
            .with_context(|| format!("{} cannot be written to", folder.display()))
            .context("`placet witness init` makes a witness")?;
        lock.try_lock()
            .with_context(|| format!("another witness works in {}", folder.display()))?;
        let keys = key::load(folder)?;
        remove_rest(folder)?;
        let mut origins: HashMap<String, (Vec<Verifier>, u32)> = HashMap::new();
        for log in logs {
            let (keys, per_day) = origins.entry(log.origin).or_default();
            keys.push(log.key);
            *per_day = log.per_day.max(*per_day);
        }
        let (mut logs, mut hashes) = (HashMap::new(), HashMap::new());
        for (origin, (known, per_day)) in origins {
            let digits = sha256_hex(origin.as_bytes());
            let record = Record::open(folder, (&origin, &digits), keys.verifiers(), per_day)?;
            let shown = record.latest.as_ref();
            let log = Arc::new(Log {
                keys: known,
                shown: RwLock::new(shown.map(|latest| latest.note.as_str().into())),
                record: Mutex::new(record),
                turns: Arc::new(Semaphore::new(AT_ONCE_OF_ONE)),
            });
            hashes.insert(digits, log.clone());
            logs.insert(origin, log);
        }
        Ok(Arc::new(Self {
            keys,
            logs,
            hashes,
            clock,
            turns: Arc::new(Semaphore::new(at_once.judged)),
            places: Arc::new(Semaphore::new(at_once.held)),
            _lock: lock,
        }))
    }

    /// Its public keys, that for Ed25519 first.
    pub fn verifiers(&self) -> [&Verifier; 2] {
        self.keys.verifiers()
    }

    /// Number of logs that it knows.
    pub fn logs(&self) -> usize {
        self.logs.len()
    }

    /// Its routes.
    pub fn router(self: Arc<Self>) -> Router {
        Router::new()
            .route("/add-checkpoint", post(add_checkpoint))
            .route("/{hash}/checkpoint", get(checkpoint))
            .with_state(self)
    }

    /// Judges a request and answers it. Everything from the comparison to the answer happens without a pause, on a
    /// thread that waits for the disk: a client that hangs up interrupts nothing.
    async fn add(self: Arc<Self>, body: String) -> Answer {
        let log = match Request::parse(&body) {
            Ok(asked) => self.logs.get(&asked.checkpoint.origin).cloned(),
            Err(reason) => return Answer::Malformed(reason.0),
        };
        let Some(log) = log else {
            return Answer::Unknown;
        };
        // They wait in memory, and a log asks again.
        let Ok(_place) = self.places.clone().try_acquire_owned() else {
            return Answer::Later(1);
        };
        let Ok(turn) = self.turns.clone().acquire_owned().await else {
            return Answer::Broken;
        };
        let worked = tokio::task::spawn_blocking(move || {
            let answer = self.judge(&log, &body);
            drop(turn);
            answer
        });
        worked.await.unwrap_or(Answer::Broken)
    }

    fn judge(&self, log: &Log, body: &str) -> Answer {
        let asked = match Request::parse(body) {
            Ok(asked) => asked,
            Err(reason) => return Answer::Malformed(reason.0),
        };
        let lines = match asked.signed_by(&log.keys) {
            Ok(lines) => lines,
            Err(reason) => return Answer::Forbidden(reason.0),
        };
        // Only what the log has signed takes one of its turns, and nobody waits with one in hand.
        let Ok(_own_turn) = log.turns.try_acquire() else {
            return Answer::Later(1);
        };
        let now = u64::try_from(self.clock.now().seconds()).unwrap_or(0);
        // A record changes at its end only, so one of a thread that panicked is good.
        let mut record = log.record.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = record.latest.as_ref();
        let seen = seen.map(|latest| (latest.size, latest.root));
        let (size, root) = (asked.checkpoint.size, asked.checkpoint.root);
        match asked.follows(seen) {
            Ok(()) => {}
            Err(Declined::Seen(size)) => return Answer::Seen(size),
            Err(Declined::Fork) => {
                if record.tells(now) {
                    tracing::warn!(
                        origin = asked.checkpoint.origin,
                        size,
                        root = base64(&root),
                        seen = seen.map(|(_, root)| base64(&root)),
                        "a log has signed another tree of this size than before"
                    );
                }
                return Answer::Fork;
            }
            Err(Declined::Proof) => return Answer::Proof,
        }
        if let Some(lines) = record.repeated((size, &root), now) {
            return Answer::Signed(lines);
        }
        // A repetition at its pace takes nothing from the log: anybody can send one.
        if seen.is_none_or(|(before, _)| before != size)
            && let Err(seconds) = record.take(now)
        {
            return Answer::Later(seconds);
        }
        let before = record.latest.as_ref().map_or(0, |latest| latest.time);
        let time = time_after(before, now);
        if time < before {
            tracing::warn!(
                before,
                now,
                "the clock was far ahead when a log was signed before"
            );
        }
        let own = self.keys.cosign(asked.text(), &asked.checkpoint, time);
        let note = format!("{}\n{lines}{own}", asked.text());
        let shown = note.as_str().into();
        // As the next start will read it: a record that it refuses must not be written.
        let latest = match Latest::read(note, &asked.checkpoint.origin, self.verifiers()) {
            Ok(latest) => latest,
            Err(reason) => return Answer::Malformed(reason.0),
        };
        if let Err(error) = record.keep(latest) {
            tracing::error!(%error, "a checkpoint cannot be kept, and is not signed");
            return Answer::Broken;
        }
        *log.shown.write().unwrap_or_else(PoisonError::into_inner) = Some(shown);
        Answer::Signed(own)
    }
}

/// The time of a signature: not earlier than that of the one before, for a clock may go back a little. A clock that was far
/// ahead once would have all later ones be of that day, and nobody could use them.
fn time_after(before: u64, now: u64) -> u64 {
    let latest = if before > now + CLOCKS_DIFFER {
        now
    } else {
        now.max(before)
    };
    latest.max(1)
}

/// Removes files whose writing was cut. They never had a record's name.
fn remove_rest(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "tmp") {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

async fn add_checkpoint(State(witness): State<Arc<Witness>>, body: Body) -> Response {
    let read = axum::body::to_bytes(body, MOST_BYTES);
    let body = match tokio::time::timeout(ARRIVAL, read).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return said(StatusCode::PAYLOAD_TOO_LARGE, "at most 65,536 bytes");
        }
        Err(_) => return said(StatusCode::REQUEST_TIMEOUT, "the request took too long"),
    };
    let Ok(body) = String::from_utf8(body.into()) else {
        return said(StatusCode::BAD_REQUEST, "the request is not UTF-8");
    };
    match witness.add(body).await {
        Answer::Signed(line) => ([(header::CONTENT_TYPE, TEXT)], line).into_response(),
        Answer::Malformed(reason) => said(StatusCode::BAD_REQUEST, &reason),
        Answer::Forbidden(reason) => said(StatusCode::FORBIDDEN, &reason),
        Answer::Unknown => said(StatusCode::NOT_FOUND, "this log is not known here"),
        Answer::Seen(size) => {
            let headers = [(header::CONTENT_TYPE, SIZE)];
            (StatusCode::CONFLICT, headers, format!("{size}\n")).into_response()
        }
        Answer::Fork => said(
            StatusCode::CONFLICT,
            "another tree of this size was signed before",
        ),
        Answer::Proof => said(
            StatusCode::UNPROCESSABLE_ENTITY,
            "the proof is wrong: it does not lead here from the tree that was signed before",
        ),
        Answer::Later(seconds) => {
            let mut response = said(
                StatusCode::TOO_MANY_REQUESTS,
                "more than this log may ask for, or too much at once",
            );
            response
                .headers_mut()
                .insert(header::RETRY_AFTER, seconds.into());
            response
        }
        Answer::Broken => said(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the checkpoint cannot be kept",
        ),
    }
}

async fn checkpoint(
    State(witness): State<Arc<Witness>>,
    UrlPath(hash): UrlPath<String>,
) -> Response {
    let log = witness.hashes.get(&hash);
    let shown = log.and_then(|log| {
        let shown = log.shown.read().unwrap_or_else(PoisonError::into_inner);
        shown.clone()
    });
    match shown {
        Some(note) => ([(header::CONTENT_TYPE, TEXT)], note.to_string()).into_response(),
        None => said(StatusCode::NOT_FOUND, "nothing was signed for this log"),
    }
}

fn said(status: StatusCode, reason: &str) -> Response {
    let headers = [(header::CONTENT_TYPE, TEXT)];
    (status, headers, format!("{reason}\n")).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proof::{Hash, checkpoint::Checkpoint, note::Signer, witness::request};

    /// A request about an empty tree or one of another root, signed with a key.
    fn asked(root: Hash, size: u64, signer: &Signer) -> String {
        let origin = "a.example/log".to_owned();
        let text = Checkpoint { origin, size, root }.text();
        request(0, &[], &signer.sign(&text))
    }

    fn witness(folder: &Path, logs: &[&Signer]) -> Arc<Witness> {
        let listed = |log: &&Signer| Listed {
            origin: "a.example/log".to_owned(),
            key: log.verifier().clone(),
            per_day: 1_000,
        };
        let clock = Arc::new(service::clock::SystemClock);
        let logs = logs.iter().map(listed).collect();
        Witness::open(folder, logs, clock, AtOnce::INSIDE).unwrap()
    }

    #[test]
    fn a_clock_that_was_far_ahead_spoils_no_later_signature() {
        assert_eq!(time_after(0, 0), 1);
        assert_eq!(time_after(1_000, 990), 1_000);
        assert_eq!(time_after(31_536_000, 1_000), 1_000);
    }

    #[tokio::test]
    async fn a_log_that_did_not_sign_takes_no_turn_and_waiting_takes_none() {
        let folder = tempfile::tempdir().unwrap();
        key::make(folder.path(), "w.example/a").unwrap();
        let own = Signer::new("a.example/log", &[1; 32]).unwrap();
        let stranger = Signer::new("a.example/log", &[2; 32]).unwrap();
        let witness = witness(folder.path(), &[&own]);
        let log = witness.logs.get("a.example/log").unwrap().clone();
        let turns = log
            .turns
            .clone()
            .try_acquire_many_owned(AT_ONCE_OF_ONE as u32);
        let forged = witness.clone().add(asked([7; 32], 1, &stranger)).await;
        assert!(matches!(forged, Answer::Forbidden(_)));
        let signed = witness.clone().add(asked([7; 32], 1, &own)).await;
        assert!(
            matches!(signed, Answer::Later(1)),
            "all its turns are taken"
        );
        drop(turns);

        let AtOnce { judged, held } = AtOnce::INSIDE;
        let all = witness.turns.clone().try_acquire_many_owned(judged as u32);
        let mut waits = std::pin::pin!(witness.clone().add(asked([7; 32], 1, &own)));
        let polled = futures::poll!(&mut waits);
        assert!(polled.is_pending());
        assert_eq!(log.turns.available_permits(), AT_ONCE_OF_ONE);
        // It waits with a place, and the others are taken as well.
        let places = witness.places.try_acquire_many(held as u32 - 1);
        let turned_away = witness.clone().add(asked([7; 32], 1, &own)).await;
        assert!(matches!(turned_away, Answer::Later(1)));
        drop(places);
        drop(all);
        assert!(matches!(waits.await, Answer::Signed(_)));
    }

    #[test]
    fn a_note_that_the_next_start_refuses_is_not_kept() {
        let folder = tempfile::tempdir().unwrap();
        key::make(folder.path(), "w.example/a").unwrap();
        let keys: Vec<Signer> = (0..64)
            .map(|seed| Signer::new("a.example/log", &[seed; 32]).unwrap())
            .collect();
        let all: Vec<&Signer> = keys.iter().collect();
        let text = Checkpoint {
            origin: "a.example/log".to_owned(),
            size: 1,
            root: [7; 32],
        }
        .text();
        let lines = |count: usize| -> String {
            let signed = keys.iter().take(count).map(|key| key.sign(&text));
            let line = |note: String| note.get(text.len() + 1..).unwrap().to_owned();
            signed.map(line).collect()
        };
        let judged = |witness: &Witness, count: usize| {
            let body = request(0, &[], &format!("{text}\n{}", lines(count)));
            let log = witness.logs.get("a.example/log").unwrap().clone();
            witness.judge(&log, &body)
        };
        // With its own two lines there would be 65, which no reader takes.
        let full = witness(folder.path(), &all);
        assert!(matches!(judged(&full, 63), Answer::Malformed(_)));
        drop(full);
        let again = witness(folder.path(), &all);
        assert!(matches!(judged(&again, 62), Answer::Signed(_)));
        drop(again);
        witness(folder.path(), &all);
    }
}
