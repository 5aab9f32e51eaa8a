//! A witness of logs (c2sp.org/tlog-witness): it signs that a log has only grown, and when. A server of its own, which
//! has nothing of a Placet but the program.
//!
//! Requests of one log are handled one at a time: compared with the latest checkpoint, written to disk, answered. A few
//! may wait for each other; the rest of a flood is turned away, so that other logs do not wait for it.

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
    note::Verifier,
    witness::{Cosigner, Declined, Request},
};
use service::{clock::SharedClock, objects::sha256_hex};
use tokio::sync::Semaphore;

use self::{
    list::Listed,
    record::{Latest, Record},
};

/// Most bytes of a request: a proof of 63 hashes, and a checkpoint with some large signatures.
const MOST_BYTES: usize = 64 * 1024;
/// Time in which a request must have arrived.
const ARRIVAL: Duration = Duration::from_secs(10);
/// Requests of one log at the same time.
const AT_ONCE_OF_ONE: usize = 4;
/// Requests of all logs at the same time.
const AT_ONCE: usize = 128;
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
    key: Cosigner,
    /// By their origins.
    logs: HashMap<String, Arc<Log>>,
    /// The same by the hashes of their origins.
    hashes: HashMap<String, Arc<Log>>,
    clock: SharedClock,
    turns: Arc<Semaphore>,
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
    /// In so many seconds.
    Later(u64),
    Broken,
}

impl Witness {
    /// Opens the witness of a folder for these logs. Fails if another process has it open, or if a record is not its
    /// own: it would sign what it does not know.
    pub fn open(folder: &Path, logs: Vec<Listed>, clock: SharedClock) -> anyhow::Result<Arc<Self>> {
        let key = key::load(folder)?;
        let lock = File::create(folder.join("lock"))?;
        lock.try_lock()
            .with_context(|| format!("another witness works in {}", folder.display()))?;
        remove_rest(folder)?;
        let mut origins: HashMap<String, (Vec<Verifier>, u32)> = HashMap::new();
        for log in logs {
            let (keys, per_day) = origins.entry(log.origin).or_default();
            keys.push(log.key);
            *per_day = log.per_day.max(*per_day);
        }
        let (mut logs, mut hashes) = (HashMap::new(), HashMap::new());
        for (origin, (keys, per_day)) in origins {
            let digits = sha256_hex(origin.as_bytes());
            let record = Record::open(folder, (&origin, &digits), key.verifier(), per_day)?;
            let shown = record.latest.as_ref();
            let log = Arc::new(Log {
                keys,
                shown: RwLock::new(shown.map(|latest| latest.note.as_str().into())),
                record: Mutex::new(record),
                turns: Arc::new(Semaphore::new(AT_ONCE_OF_ONE)),
            });
            hashes.insert(digits, log.clone());
            logs.insert(origin, log);
        }
        Ok(Arc::new(Self {
            key,
            logs,
            hashes,
            clock,
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            _lock: lock,
        }))
    }

    /// Its public key.
    pub fn verifier(&self) -> &Verifier {
        self.key.verifier()
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
        let Ok(own_turn) = log.turns.clone().try_acquire_owned() else {
            return Answer::Later(1);
        };
        let Ok(turn) = self.turns.clone().acquire_owned().await else {
            return Answer::Broken;
        };
        let worked = tokio::task::spawn_blocking(move || {
            let answer = self.judge(&log, &body);
            drop((own_turn, turn));
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
        // A record changes at its end only, so one of a thread that panicked is good.
        let mut record = log.record.lock().unwrap_or_else(PoisonError::into_inner);
        let seen = record.latest.as_ref();
        match asked.follows(seen.map(|latest| (latest.size, latest.root))) {
            Ok(()) => {}
            Err(Declined::Seen(size)) => return Answer::Seen(size),
            Err(Declined::Fork) => {
                tracing::warn!(
                    origin = asked.checkpoint.origin,
                    request = body,
                    "a log shows another tree than before"
                );
                return Answer::Fork;
            }
        }
        let now = u64::try_from(self.clock.now().seconds()).unwrap_or(0);
        let (size, root) = (asked.checkpoint.size, asked.checkpoint.root);
        if let Some(line) = record.repeated((size, &root), now) {
            return Answer::Signed(line);
        }
        // A repetition at its pace takes nothing from the log: anybody can send one.
        if seen.is_none_or(|latest| latest.size != size)
            && let Err(seconds) = record.take(now)
        {
            return Answer::Later(seconds);
        }
        // Later than the signature before, whatever happened to the clock.
        let before = record.latest.as_ref().map_or(0, |latest| latest.time);
        let time = now.max(before).max(1);
        let line = self.key.cosign(asked.text(), time);
        let note = format!("{}\n{lines}{line}", asked.text());
        let shown = note.as_str().into();
        let latest = Latest {
            size,
            root,
            line: line.clone(),
            time,
            note,
        };
        if let Err(error) = record.keep(latest) {
            tracing::error!(%error, "a checkpoint cannot be kept, and is not signed");
            return Answer::Broken;
        }
        *log.shown.write().unwrap_or_else(PoisonError::into_inner) = Some(shown);
        Answer::Signed(line)
    }
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
            StatusCode::UNPROCESSABLE_ENTITY,
            "the tree does not follow from the one that was signed before",
        ),
        Answer::Later(seconds) => {
            let mut response = said(
                StatusCode::TOO_MANY_REQUESTS,
                "more than this log may ask for",
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
