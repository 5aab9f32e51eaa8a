//! State that handlers share.

use std::sync::{Arc, OnceLock};

use axum::http::HeaderValue;
use bytes::Bytes;
use service::{Placet, db::Queues, ids::Ids};

use crate::{
    api::visitors,
    cdn::Packed,
    connections::Bounds,
    docs,
    http::{client::Proxies, limits::Limiter, memory::Memory},
};

/// The product and how it is reached; cloned several times a request, so one pointer.
#[derive(Clone)]
pub struct AppState(Arc<Shared>);

impl std::ops::Deref for AppState {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

/// Content of [`AppState`].
pub struct Shared {
    /// The product.
    pub placet: Arc<Placet>,
    /// Settings and counters of requests.
    pub http: HttpConfig,
    /// Ids of requests.
    pub ids: Ids,
    /// The generic SDK with this server's addresses, packed when first asked for.
    pub sdk: OnceLock<Option<Packed>>,
    /// The API's document with this server's address.
    pub openapi: OnceLock<Bytes>,
    /// The same as a page.
    pub docs: OnceLock<docs::Page>,
}

/// Settings and counters of requests.
pub struct HttpConfig {
    /// Proxies that are believed.
    pub proxies: Proxies,
    /// Limits of connections: their number and their times.
    pub connections: Bounds,
    /// Other origins whose pages may call the API.
    pub cors_origins: Vec<String>,
    /// Own origin: scheme, host and port of the base URL.
    pub origin: String,
    /// Counters of requests.
    pub limiter: Limiter,
    /// Queues of clients for the database.
    pub queues: Queues,
    /// Memory for bodies and answers.
    pub memory: Memory,
    /// Turns of visitors with their own consents.
    pub visitors: visitors::Turns,
    /// Most bytes of a file of consents.
    pub import_bytes: u64,
}

impl HttpConfig {
    /// Whether pages of this origin may read private answers.
    pub fn allows_origin(&self, origin: &HeaderValue) -> bool {
        origin.to_str().is_ok_and(|origin| {
            origin == self.origin || self.cors_origins.iter().any(|other| other == origin)
        })
    }
}

impl AppState {
    /// The state of a server in front of this product.
    pub fn new(placet: Arc<Placet>, http: HttpConfig) -> Self {
        let ids = Ids::new(placet.config.clock.clone());
        Self(Arc::new(Shared {
            placet,
            http,
            ids,
            sdk: OnceLock::new(),
            openapi: OnceLock::new(),
            docs: OnceLock::new(),
        }))
    }
}
