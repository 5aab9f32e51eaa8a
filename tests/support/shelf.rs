//! A server of files as others run them: with validators, cache times and faults.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use tokio::net::TcpListener;

use crate::Call;

/// A file, or a fault in its place.
#[derive(Clone)]
enum Shelved {
    File(Vec<(&'static str, String)>, Vec<u8>),
    Status(u16),
    Hangs,
}

#[derive(Default)]
struct Shared {
    files: Mutex<BTreeMap<String, Shelved>>,
    calls: Mutex<Vec<Call>>,
}

/// The server.
pub struct Shelf {
    port: u16,
    shared: Arc<Shared>,
}

impl Shelf {
    /// Listens on a free port, without files.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Arc::new(Shared::default());
        let app = Router::new().fallback(answer).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { port, shared }
    }

    /// The address of a file; of the folder, where there is no name.
    pub fn url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}", self.port)
    }

    /// Puts a file. With an `etag` among its headers it answers 304 to those who have it.
    pub fn put(&self, name: &str, headers: &[(&'static str, &str)], body: impl Into<Vec<u8>>) {
        let headers = headers
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        self.set(name, Shelved::File(headers.collect(), body.into()));
    }

    /// Answers with a status in the place of a file.
    pub fn fail(&self, name: &str, status: u16) {
        self.set(name, Shelved::Status(status));
    }

    /// Does not answer for a file.
    pub fn hang(&self, name: &str) {
        self.set(name, Shelved::Hangs);
    }

    fn set(&self, name: &str, file: Shelved) {
        let mut files = self.shared.files.lock().expect("no panic");
        files.insert(format!("/{name}"), file);
    }

    /// Number of calls since the last look.
    pub fn seen(&self) -> usize {
        self.shared.calls.lock().expect("no panic").len()
    }

    /// The calls since the last look, in their order.
    pub fn calls(&self) -> Vec<Call> {
        std::mem::take(&mut *self.shared.calls.lock().expect("no panic"))
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let path = parts.uri.path().to_owned();
    shared.calls.lock().expect("no panic").push(Call {
        method: parts.method.to_string(),
        target: path.clone(),
        headers: parts.headers.clone(),
        body: String::new(),
    });
    let file = shared.files.lock().expect("no panic").get(&path).cloned();
    let plain = |code: u16| {
        let status = StatusCode::from_u16(code).expect("a status");
        Response::builder().status(status).body(Body::empty())
    };
    let response = match file {
        None => plain(404),
        Some(Shelved::Status(code)) => plain(code),
        Some(Shelved::Hangs) => std::future::pending().await,
        Some(Shelved::File(headers, body)) => {
            let tag = headers.iter().find(|(name, _)| *name == "etag");
            let wanted = parts.headers.get("if-none-match");
            let is_same = tag.is_some_and(|(_, tag)| wanted.is_some_and(|wanted| wanted == tag));
            let mut response = Response::builder().status(if is_same { 304 } else { 200 });
            for (name, value) in headers {
                if !is_same || name != "content-encoding" {
                    response = response.header(name, value);
                }
            }
            response.body(if is_same {
                Body::empty()
            } else {
                Body::from(body)
            })
        }
    };
    response.expect("an answer")
}
