//! The honest tenant: works and publishes while others attack. Each call has a connection of its own, like
//! that of somebody who comes to the site or the admin UI anew.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};
use serde_json::json;

use super::client::{Client, Request};
use crate::{
    load::{Numbers, Template},
    machine::{now, pause},
    placet::project::{Project, text},
};

const ADDRESS: Ipv4Addr = Ipv4Addr::new(127, 0, 1, 1);
/// Time between two calls, whatever kind they are of.
const TURN: Duration = Duration::from_millis(100);
/// Time between the end of a publish and the beginning of the next.
const REST: Duration = Duration::from_secs(3);
/// Longest wait for an answer, and for a publish. A call or publish that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(30);

/// Kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    Read,
    Write,
    Consent,
    File,
    Page,
}

impl Call {
    pub const ALL: [Self; 5] = [
        Self::Read,
        Self::Write,
        Self::Consent,
        Self::File,
        Self::Page,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Consent => "consent",
            Self::File => "file",
            Self::Page => "page",
        }
    }

    fn request(self, project: &Project, numbers: &mut Numbers) -> Request {
        match self {
            Self::Read => {
                Request::get(&format!("/v1/vault/projects/{}", project.id)).token(&project.token)
            }
            Self::Write => {
                let document = format!("cookies/{}", project.configuration);
                change(&document, project, numbers)
            }
            Self::Consent => Request::new("POST", &project.collect()).body(
                "application/json",
                Template::text(&project.consent()).filled(numbers),
            ),
            Self::File => Request::get(&project.file),
            Self::Page => Request::get(&format!("/projects/{}", project.id))
                .header("Accept", "text/html")
                .header("Cookie", &format!("placet_session={}", project.token)),
        }
    }
}

/// Changes the title of a document.
fn change(document: &str, project: &Project, numbers: &mut Numbers) -> Request {
    Request::new("PATCH", &format!("/v1/vault/{document}"))
        .token(&project.token)
        .json(&json!({"title": format!("Bench {}", numbers.next())}))
}

/// A call or a publish.
#[derive(Clone, Copy, Debug)]
pub struct Waited {
    pub time: Duration,
    pub is_failed: bool,
}

/// Everything that the tenant waited for.
#[derive(Clone, Debug, Default)]
pub struct Log {
    pub calls: Vec<(&'static str, Waited)>,
    pub publishes: Vec<Waited>,
    /// The first failures in words.
    pub failures: Vec<String>,
}

/// The tenant.
pub struct Tenant<'a> {
    pub server: SocketAddr,
    pub project: &'a Project,
}

impl Tenant<'_> {
    /// Works until `end`, and until the publish that runs then has ended. Each kind of call has its own thread
    /// and its own turns, so that a call that waits delays only those of its kind.
    pub fn work(&self, end: Instant) -> Log {
        let log = Mutex::new(Log::default());
        let is_over = AtomicBool::new(false);
        let begin = now();
        thread::scope(|scope| {
            for (at, call) in Call::ALL.into_iter().enumerate() {
                let (log, is_over) = (&log, &is_over);
                let turn = begin + TURN * at as u32;
                scope.spawn(move || self.call_in_turns(call, turn, is_over, log));
            }
            self.publish_again(end, &log);
            is_over.store(true, Ordering::Relaxed);
        });
        log.into_inner().unwrap_or_default()
    }

    fn call_in_turns(&self, call: Call, mut turn: Instant, is_over: &AtomicBool, log: &Mutex<Log>) {
        let mut numbers = Numbers::of_run(1_000 + call as u64);
        while !is_over.load(Ordering::Relaxed) {
            pause(turn.saturating_duration_since(now()));
            let began = now();
            let ended = self.send(&call.request(self.project, &mut numbers));
            note(log, call.name(), began, ended.map(drop), |log, waited| {
                log.calls.push((call.name(), waited));
            });
            while turn <= now() {
                turn += TURN * Call::ALL.len() as u32;
            }
        }
    }

    fn publish_again(&self, end: Instant, log: &Mutex<Log>) {
        let mut numbers = Numbers::of_run(2_000);
        while now() < end {
            let began = now();
            let ended = self.publish(&mut numbers);
            note(log, "publish", began, ended, |log, waited| {
                log.publishes.push(waited);
            });
            pause(REST.min(end.saturating_duration_since(now())));
        }
    }

    /// Publishes the project with a change.
    fn publish(&self, numbers: &mut Numbers) -> Result<()> {
        // Another document than the calls write: two changes of one at the same time are a conflict.
        let document = format!("projects/{}", self.project.id);
        self.send(&change(&document, self.project, numbers))?;
        let (jobs, began) = (format!("/v1/publish/jobs/{}", self.project.id), now());
        let job = Request::post(&jobs, &json!({})).token(&self.project.token);
        let job = text(&self.send(&job)?, "/_id")?;
        let poll = Request::get(&format!("{jobs}/{job}")).token(&self.project.token);
        loop {
            let status = text(&self.send(&poll)?, "/status")?;
            if status == "complete" {
                return Ok(());
            }
            ensure!(status != "error", "a publish ended in an error");
            ensure!(began.elapsed() < PATIENCE, "a publish does not end");
            pause(Duration::from_millis(50));
        }
    }

    /// Sends a request. Returns its JSON, or null where the answer is none.
    fn send(&self, request: &Request) -> Result<serde_json::Value> {
        let began = now();
        let is_over = || began.elapsed() > PATIENCE;
        let answer = Client::new(self.server, ADDRESS, &is_over).send(request)?;
        ensure!(
            answer.status < 300,
            "{}: {}",
            answer.status,
            // A page says it at length.
            answer.body.chars().take(300).collect::<String>()
        );
        Ok(serde_json::from_str(&answer.body).unwrap_or_default())
    }
}

fn note(
    log: &Mutex<Log>,
    what: &str,
    began: Instant,
    ended: Result<()>,
    add: impl FnOnce(&mut Log, Waited),
) {
    let waited = Waited {
        time: began.elapsed(),
        is_failed: ended.is_err(),
    };
    let mut log = log
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    add(&mut log, waited);
    if let Err(error) = ended
        && log.failures.len() < 5
    {
        log.failures.push(format!("{what}: {error:#}"));
    }
}
