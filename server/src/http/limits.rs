//! Limits per address, account and project: generous, so that only floods notice.
//!
//! Counters live in memory and are bounded. A proxy that is not trusted is the client itself, so
//! everybody behind it shares one counter. If a trusted proxy does not tell its client's address,
//! nothing is limited by address.

use std::{
    net::IpAddr,
    sync::{Mutex, MutexGuard, PoisonError},
};

use axum::{
    extract::{Request, State},
    http::{HeaderValue, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use service::{clock::Timestamp, counts::Windows, db::keeping};
use uuid::Uuid;

use super::{
    client::{Client, network},
    policy::Policy,
    problem::Problem,
};
use crate::state::AppState;

const WINDOW_SECONDS: i64 = 60;

/// Requests that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Sign-up, sign-in, changes of the account: each costs a password hash, tells whether a name or
    /// an address is taken, or asks a new address for a proof.
    Credentials,
    /// Passwords that are judged while somebody types them: each may take a processor as long as a hash.
    Typing,
    /// Visitors who show a secret of theirs.
    Secrets,
    /// Requests that send a letter to an address of the caller's choice.
    Letters,
    /// Collection of consents.
    Collection,
    /// Files of customers: each picture may have to be drawn.
    Files,
    /// Everything else of the API.
    Api,
}

/// Requests while a password is typed, for each that `credentials` counts.
const TYPED: u64 = 5;

/// Requests and kilobytes a minute: by address and class, by account, by project.
#[derive(Clone, Copy, Debug)]
pub struct Quotas {
    /// Sign-up, sign-in, other checks of passwords, changes of accounts; and as many secrets of visitors. Passwords
    /// that are typed have five times as many.
    pub credentials: u64,
    /// Letters to an address of the caller's choice.
    pub letters: u64,
    /// Collection of consents and public lookups.
    pub collection: u64,
    /// Files of customers; and as many files that are not there, of those that no limit counts.
    pub files: u64,
    /// Everything else under `/v1`.
    pub api: u64,
    /// Requests with credentials of one account, from all addresses together.
    pub account: u64,
    /// Consents for one project, from all addresses together.
    pub project: u64,
    /// Kilobytes of consents, by address.
    pub kilobytes: u64,
    /// Kilobytes of consents for one project, from all addresses together.
    pub project_kilobytes: u64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            credentials: 60,
            letters: 10,
            collection: 1_200,
            files: 600,
            api: 6_000,
            account: 6_000,
            project: 300_000,
            kilobytes: 4_000,
            project_kilobytes: 400_000,
        }
    }
}

impl Quotas {
    fn of(&self, counted: Counted) -> u64 {
        match counted {
            Counted::Address(Class::Credentials | Class::Secrets, _) => self.credentials,
            Counted::Address(Class::Typing, _) => self.credentials.saturating_mul(TYPED),
            Counted::Address(Class::Letters, _) => self.letters,
            Counted::Address(Class::Collection, _) => self.collection,
            Counted::Address(Class::Files, _) | Counted::Missing(_) => self.files,
            Counted::Address(Class::Api, _) => self.api,
            Counted::Account(_) => self.account,
            Counted::Project(_) => self.project,
            Counted::Bytes(_) => self.kilobytes.saturating_mul(1_000),
            Counted::ProjectBytes(_) => self.project_kilobytes.saturating_mul(1_000),
        }
    }
}

/// The clients whose requests are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Counted {
    Address(Class, IpAddr),
    /// Files that were not there.
    Missing(IpAddr),
    Account(Uuid),
    Project(Uuid),
    /// Bytes of consents.
    Bytes(IpAddr),
    ProjectBytes(Uuid),
}

/// The counters.
pub struct Limiter {
    quotas: Option<Quotas>,
    counters: Mutex<Windows<Counted>>,
}

struct Verdict {
    limit: u64,
    remaining: u64,
    reset_seconds: i64,
    allowed: bool,
}

impl Verdict {
    fn new(limit: u64, used: u64, now: Timestamp) -> Self {
        Self {
            limit,
            remaining: limit.saturating_sub(used),
            reset_seconds: WINDOW_SECONDS - now.seconds().rem_euclid(WINDOW_SECONDS),
            allowed: used <= limit,
        }
    }

    fn problem(&self) -> Problem {
        Problem::over_limit(self.limit, self.reset_seconds.unsigned_abs())
    }
}

impl Limiter {
    /// A limiter with these quotas, or none.
    pub fn new(quotas: Option<Quotas>) -> Self {
        Self {
            quotas,
            counters: Mutex::default(),
        }
    }

    /// Counts a request of an account.
    pub fn account(&self, id: Uuid, now: Timestamp) -> Result<(), Problem> {
        self.refuse(Counted::Account(id), 1, now)
    }

    /// Counts a consent for a project.
    pub fn project(&self, id: Uuid, now: Timestamp) -> Result<(), Problem> {
        self.refuse(Counted::Project(id), 1, now)
    }

    /// Counts the bytes of a consent: each is kept for years.
    pub fn bytes(
        &self,
        project: Uuid,
        address: Option<IpAddr>,
        bytes: usize,
        now: Timestamp,
    ) -> Result<(), Problem> {
        let bytes = bytes as u64;
        if let Some(address) = address {
            self.refuse(Counted::Bytes(network(address)), bytes, now)?;
        }
        self.refuse(Counted::ProjectBytes(project), bytes, now)
    }

    /// Refuses a request for a file that may not be there, of an address that has asked for too many that were not:
    /// each asks the storage.
    pub fn may_miss(&self, address: Option<IpAddr>, now: Timestamp) -> Result<(), Problem> {
        let (Some(quotas), Some(address)) = (self.quotas, address) else {
            return Ok(());
        };
        let counted = Counted::Missing(network(address));
        let limit = quotas.of(counted);
        let used = self.counters().used(&counted, window(now));
        if used < limit {
            return Ok(());
        }
        Err(Verdict::new(limit, used, now).problem())
    }

    /// Counts a file that was not there.
    pub fn missed(&self, address: Option<IpAddr>, now: Timestamp) {
        if let Some(address) = address {
            self.count(Counted::Missing(network(address)), 1, now);
        }
    }

    fn refuse(&self, counted: Counted, amount: u64, now: Timestamp) -> Result<(), Problem> {
        match self.count(counted, amount, now) {
            Some(verdict) if !verdict.allowed => Err(verdict.problem()),
            _ => Ok(()),
        }
    }

    fn count(&self, counted: Counted, amount: u64, now: Timestamp) -> Option<Verdict> {
        let quotas = self.quotas?;
        let most = |counted: &Counted| quotas.of(*counted);
        let used = self.counters().add(counted, window(now), amount, most);
        Some(Verdict::new(quotas.of(counted), used, now))
    }

    fn counters(&self) -> MutexGuard<'_, Windows<Counted>> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn window(now: Timestamp) -> i64 {
    now.seconds().div_euclid(WINDOW_SECONDS)
}

/// Counts the request and refuses it when its address has had too many. Else it waits for the database in the queue of
/// its address, and its statements keep its turns. Accounts and projects are counted where they are known: by the
/// caller's extractor and by collection.
pub async fn apply(
    State(state): State<AppState>,
    client: Client,
    request: Request,
    next: Next,
) -> Response {
    let class = Policy::of(&request).counted;
    let queue = client
        .address
        .map(|address| state.http.queues.of(network(address)));
    let answer = keeping(counted(&state, class, &client, request, next));
    match queue {
        Some(queue) => queue.wait_in(answer).await,
        None => answer.await,
    }
}

/// The same for routes outside of the table of policies: each request counts as one of the API.
pub async fn apply_to_all(
    State(state): State<AppState>,
    client: Client,
    request: Request,
    next: Next,
) -> Response {
    counted(&state, Some(Class::Api), &client, request, next).await
}

async fn counted(
    state: &AppState,
    class: Option<Class>,
    client: &Client,
    request: Request,
    next: Next,
) -> Response {
    let now = state.placet.config.clock.now();
    let verdict = class.zip(client.address).and_then(|(class, address)| {
        let counted = Counted::Address(class, network(address));
        state.http.limiter.count(counted, 1, now)
    });
    let Some(verdict) = verdict else {
        return next.run(request).await;
    };
    if !verdict.allowed {
        return verdict.problem().into_response();
    }
    let mut response = next.run(request).await;
    // Another limit refused it, and tells of itself.
    if response.status() == StatusCode::TOO_MANY_REQUESTS {
        return response;
    }
    let headers = response.headers_mut();
    headers.insert("x-ratelimit-limit", HeaderValue::from(verdict.limit));
    headers.insert(
        "x-ratelimit-remaining",
        HeaderValue::from(verdict.remaining),
    );
    headers.insert(
        "x-ratelimit-reset",
        HeaderValue::from(verdict.reset_seconds),
    );
    response
}

#[cfg(test)]
mod tests {
    use std::net::Ipv6Addr;

    use service::counts::MOST_COUNTS;

    use super::*;

    #[test]
    fn invented_projects_and_addresses_make_nobody_forgotten_who_has_used_much() {
        let quotas = Quotas::default();
        let limiter = Limiter::new(Some(quotas));
        let now = Timestamp::parse("2026-11-21T09:30:00Z").unwrap();
        let account = Uuid::from_u128(1);
        for _ in 0..quotas.account {
            assert!(limiter.account(account, now).is_ok());
        }
        for invented in 0..MOST_COUNTS as u128 {
            let project = Uuid::from_u128(1_000 + invented);
            assert!(limiter.project(project, now).is_ok());
            let address = IpAddr::V6(Ipv6Addr::from(invented << 64));
            assert!(limiter.bytes(project, Some(address), 10, now).is_ok());
        }
        assert!(limiter.account(account, now).is_err());
        assert!(limiter.counters.lock().unwrap().keys() <= MOST_COUNTS);
    }
}
