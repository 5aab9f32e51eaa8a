//! Limits per address: generous, so that only floods notice.
//!
//! Counters live in memory and are bounded. Where the client's address is not known (an untold
//! proxy) nothing is limited, because all clients would share one counter.

use std::{collections::HashMap, net::IpAddr, sync::Mutex};

use axum::{
    extract::{Request, State},
    http::{HeaderValue, Method},
    middleware::Next,
    response::{IntoResponse, Response},
};
use service::clock::Timestamp;

use super::{client::Client, problem::Problem};
use crate::state::AppState;

/// Counters kept; when full, those of past windows go first.
const MOST_COUNTERS: usize = 100_000;
const WINDOW_SECONDS: i64 = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    /// Sign-up, sign-in: each costs a password hash.
    Credentials,
    /// What sends a letter to an address of the caller's choice.
    Letters,
    /// Collection of consents.
    Collection,
    /// Everything else of the API.
    Api,
}

/// Requests a minute and address, by class; `None` is unlimited.
#[derive(Clone, Copy, Debug)]
pub struct Quotas {
    /// Sign-up, sign-in and other checks of passwords.
    pub credentials: u64,
    /// Letters to an address of the caller's choice.
    pub letters: u64,
    /// Collection of consents and public lookups.
    pub collection: u64,
    /// Everything else under `/v1`.
    pub api: u64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            credentials: 60,
            letters: 10,
            collection: 1_200,
            api: 6_000,
        }
    }
}

/// The counters.
pub struct Limiter {
    quotas: Option<Quotas>,
    counters: Mutex<HashMap<(Class, IpAddr), (i64, u64)>>,
}

struct Verdict {
    limit: u64,
    remaining: u64,
    reset_seconds: i64,
    allowed: bool,
}

impl Limiter {
    /// A limiter with these quotas, or none.
    pub fn new(quotas: Option<Quotas>) -> Self {
        Self {
            quotas,
            counters: Mutex::default(),
        }
    }

    fn count(&self, class: Class, address: IpAddr, now: Timestamp) -> Option<Verdict> {
        let quotas = self.quotas?;
        let limit = match class {
            Class::Credentials => quotas.credentials,
            Class::Letters => quotas.letters,
            Class::Collection => quotas.collection,
            Class::Api => quotas.api,
        };
        let window = now.seconds().div_euclid(WINDOW_SECONDS);
        let mut counters = self
            .counters
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if counters.len() >= MOST_COUNTERS {
            counters.retain(|_, (of, _)| *of == window);
            if counters.len() >= MOST_COUNTERS {
                counters.clear();
            }
        }
        let counter = counters
            .entry((class, network(address)))
            .or_insert((window, 0));
        if counter.0 != window {
            *counter = (window, 0);
        }
        counter.1 += 1;
        Some(Verdict {
            limit,
            remaining: limit.saturating_sub(counter.1),
            reset_seconds: WINDOW_SECONDS - now.seconds().rem_euclid(WINDOW_SECONDS),
            allowed: counter.1 <= limit,
        })
    }
}

/// One subscriber has a whole /64 of IPv6.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => IpAddr::V6((v6.to_bits() & !u128::from(u64::MAX)).into()),
    }
}

/// What a POST sends letters from.
const LETTERS: [&str; 3] = [
    "auth/local/forgot",
    "auth/me/verification",
    "auth/invitations",
];

fn classify(method: &Method, path: &str) -> Option<Class> {
    let rest = path
        .strip_prefix("/v1/")
        .or_else(|| path.strip_prefix("/ui/"))?;
    if method == Method::POST && LETTERS.contains(&rest) {
        return Some(Class::Letters);
    }
    if ["auth/local/", "auth/oidc/", "auth/sign", "sign"]
        .iter()
        .any(|start| rest.starts_with(start))
    {
        return Some(Class::Credentials);
    }
    if rest.starts_with("app/consent") && !path.starts_with("/ui/") {
        return Some(Class::Collection);
    }
    // Publish polling is never limited (`interface.md`, "Limits").
    let polling = method == Method::GET && rest.starts_with("publish/jobs/");
    (!polling).then_some(Class::Api)
}

/// Counts the request and refuses it when its address has had too many.
pub async fn apply(
    State(state): State<AppState>,
    client: Client,
    request: Request,
    next: Next,
) -> Response {
    let class = classify(request.method(), request.uri().path());
    let now = state.placet.config.clock.now();
    let verdict = class
        .zip(client.address)
        .and_then(|(class, address)| state.http.limiter.count(class, address, now));
    let Some(verdict) = verdict else {
        return next.run(request).await;
    };
    let mut response = if verdict.allowed {
        next.run(request).await
    } else {
        Problem::too_many(verdict.reset_seconds.unsigned_abs()).into_response()
    };
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
