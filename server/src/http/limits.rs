//! Limits per address, account and project: generous, so that only floods notice.
//!
//! Counters live in memory and are bounded. A proxy that is not trusted is the client itself, so
//! everybody behind it shares one counter. If a trusted proxy does not tell its client's address,
//! nothing is limited by address.

use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::{
    extract::{Request, State},
    http::{HeaderValue, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use service::{
    clock::Timestamp,
    counts::Windows,
    db::keeping,
    prefix::{Prefix, Subscriber},
};
use uuid::Uuid;

use super::{client::Client, policy::Policy, problem::Problem};
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
            Counted::Prefix(class, prefix) => prefix.most(self.of_class(class)),
            Counted::Missing(prefix) => prefix.most(self.files),
            Counted::Account(_) => self.account,
            Counted::Project(_) => self.project,
            Counted::Bytes(prefix) => prefix.most(self.kilobytes.saturating_mul(1_000)),
            Counted::ProjectBytes(_) => self.project_kilobytes.saturating_mul(1_000),
        }
    }

    fn of_class(&self, class: Class) -> u64 {
        match class {
            Class::Credentials | Class::Secrets => self.credentials,
            Class::Typing => self.credentials.saturating_mul(TYPED),
            Class::Letters => self.letters,
            Class::Collection => self.collection,
            Class::Files => self.files,
            Class::Api => self.api,
        }
    }
}

/// The clients whose requests are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Counted {
    Prefix(Class, Prefix),
    /// Files that were not there.
    Missing(Prefix),
    Account(Uuid),
    Project(Uuid),
    /// Bytes of consents.
    Bytes(Prefix),
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

    fn result(self) -> Result<(), Problem> {
        if self.allowed {
            return Ok(());
        }
        Err(self.problem())
    }

    fn problem(&self) -> Problem {
        Problem::over_limit(self.limit, self.reset_seconds.unsigned_abs())
    }
}

/// A consent that is being stored. It counts when this is dropped, also if its client has gone by then.
pub struct Storing<'a> {
    limiter: &'a Limiter,
    project: Uuid,
    bytes: u64,
    now: Timestamp,
    is_refused: bool,
}

impl Storing<'_> {
    /// It was not stored, and does not count: else anybody could use up what the project's visitors may send.
    pub fn refused(mut self) {
        self.is_refused = true;
    }
}

impl Drop for Storing<'_> {
    fn drop(&mut self) {
        if self.is_refused {
            return;
        }
        let Self {
            limiter,
            project,
            bytes,
            now,
            ..
        } = *self;
        limiter.count(Counted::Project(project), 1, now);
        limiter.count(Counted::ProjectBytes(project), bytes, now);
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

    /// Refuses a consent for a project that has as many of this minute, or as many bytes, as it may.
    pub fn may_store(&self, project: Uuid, now: Timestamp) -> Result<(), Problem> {
        self.room(
            [Counted::Project(project), Counted::ProjectBytes(project)],
            now,
        )
    }

    /// Counts a consent that is being stored for a project, and its bytes: they are kept for years.
    pub fn storing(&self, project: Uuid, bytes: usize, now: Timestamp) -> Storing<'_> {
        Storing {
            limiter: self,
            project,
            bytes: bytes as u64,
            now,
            is_refused: false,
        }
    }

    /// Counts the bytes of a consent for the client that sends it.
    pub fn bytes(
        &self,
        client: Option<Subscriber>,
        bytes: usize,
        now: Timestamp,
    ) -> Result<(), Problem> {
        let counted =
            client.and_then(|client| self.count_client(client, Counted::Bytes, bytes as u64, now));
        counted.map_or(Ok(()), Verdict::result)
    }

    /// Refuses a request for a file that may not be there, of an address that has asked for too many that were not:
    /// each asks the storage.
    pub fn may_miss(&self, client: Option<Subscriber>, now: Timestamp) -> Result<(), Problem> {
        let prefixes = client.into_iter().flat_map(Subscriber::prefixes);
        self.room(prefixes.map(Counted::Missing), now)
    }

    /// Refuses where nothing is left of a limit.
    fn room(&self, all: impl IntoIterator<Item = Counted>, now: Timestamp) -> Result<(), Problem> {
        let Some(quotas) = self.quotas else {
            return Ok(());
        };
        let counters = self.counters();
        for counted in all {
            let limit = quotas.of(counted);
            let used = counters.used(&counted, window(now));
            if used >= limit {
                return Err(Verdict::new(limit, used, now).problem());
            }
        }
        Ok(())
    }

    /// Counts a file that was not there.
    pub fn missed(&self, client: Option<Subscriber>, now: Timestamp) {
        if let Some(client) = client {
            self.count_client(client, Counted::Missing, 1, now);
        }
    }

    fn refuse(&self, counted: Counted, amount: u64, now: Timestamp) -> Result<(), Problem> {
        let verdict = self.count(counted, amount, now);
        verdict.map_or(Ok(()), Verdict::result)
    }

    /// Counts for a client, and for its site unless the client itself has had too many.
    fn count_client(
        &self,
        client: Subscriber,
        counted: impl Fn(Prefix) -> Counted,
        amount: u64,
        now: Timestamp,
    ) -> Option<Verdict> {
        let mut first = None;
        for prefix in client.prefixes() {
            let verdict = self.count(counted(prefix), amount, now)?;
            if !verdict.allowed {
                return Some(verdict);
            }
            first.get_or_insert(verdict);
        }
        first
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

/// Counts the request and refuses it when its address has had too many. Else it begins and waits for the database in the
/// queue of its address, and its statements keep its turns. Accounts and projects are counted where they are known: by the
/// caller's extractor and by collection.
pub async fn apply(
    State(state): State<AppState>,
    client: Client,
    request: Request,
    next: Next,
) -> Response {
    let class = Policy::of(&request).counted;
    let queue = client
        .subscriber()
        .map(|client| state.http.queues.of(client));
    let answer = keeping(counted(&state, class, &client, request, next));
    let Some(queue) = queue else {
        return answer.await;
    };
    let answer = queue.clone().wait_in(answer);
    if state.http.limiter.quotas.is_some() {
        queue.begin(answer).await
    } else {
        answer.await
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
    let verdict = class.zip(client.subscriber()).and_then(|(class, client)| {
        let counted = |prefix| Counted::Prefix(class, prefix);
        state.http.limiter.count_client(client, counted, 1, now)
    });
    if let Some(verdict) = verdict.as_ref().filter(|verdict| !verdict.allowed) {
        return verdict.problem().into_response();
    }
    let memory = &state.http.memory;
    // The answer is made of the body, so its memory is held that long.
    let response = match memory.take(client.subscriber(), &request) {
        Ok(_held) => next.run(request).await,
        Err(busy) => return Problem::from(busy).into_response(),
    };
    let Some(class) = class else {
        return response;
    };
    // Many share the bytes of a file.
    let mut response = if class == Class::Files {
        response
    } else {
        let owner = || state.ids.next();
        memory.send(client.subscriber(), owner, response).await
    };
    let Some(verdict) = verdict else {
        return response;
    };
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
    use std::net::{IpAddr, Ipv6Addr};

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
            drop(limiter.storing(project, 10, now));
            // Each at a site of its own.
            let client = Subscriber::of(IpAddr::V6(Ipv6Addr::from(invented << 80)));
            assert!(limiter.bytes(Some(client), 10, now).is_ok());
        }
        assert!(limiter.account(account, now).is_err());
        assert!(limiter.counters.lock().unwrap().keys() <= MOST_COUNTS);
    }
}
