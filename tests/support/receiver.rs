//! An endpoint for webhooks: it stores the calls and answers as the test says.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    Router,
    body::{Body, Bytes, to_bytes},
    extract::{Request, State},
    http::{HeaderMap, StatusCode},
    response::Response,
};
use futures::StreamExt;
use serde_json::{Map, Value};
use tokio::{
    net::TcpListener,
    sync::{
        Mutex as AsyncMutex,
        mpsc::{self, UnboundedReceiver, UnboundedSender},
    },
};

/// Longest wait, with room for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Answer of the endpoint.
#[derive(Clone)]
pub enum Reply {
    /// With this status.
    Status(u16),
    /// With this status and header.
    With(u16, &'static str, String),
    /// With 200 and this text.
    Page(String),
    /// No answer, for as long as the caller waits.
    Never,
    /// With 200 and a gigabyte.
    Gigabyte,
}

/// A received call.
#[derive(Clone, Debug)]
pub struct Call {
    /// Method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: String,
}

impl Call {
    /// A header's text.
    pub fn header(&self, name: &str) -> &str {
        self.headers
            .get(name)
            .map_or("", |value| value.to_str().expect("text"))
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("JSON")
    }

    /// The headers as an object, for programs that verify them.
    pub fn headers_json(&self) -> Value {
        let pairs = self.headers.iter().map(|(name, value)| {
            let value = value.to_str().expect("text");
            (name.to_string(), Value::from(value))
        });
        Value::Object(pairs.collect::<Map<String, Value>>())
    }
}

struct Shared {
    reply: Mutex<Reply>,
    calls: UnboundedSender<Call>,
    sent: Arc<AtomicU64>,
}

/// The endpoint.
pub struct Receiver {
    /// Its port on 127.0.0.1.
    pub port: u16,
    shared: Arc<Shared>,
    calls: AsyncMutex<UnboundedReceiver<Call>>,
}

impl Receiver {
    /// Listens on a free port.
    pub async fn start(reply: Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let (sender, calls) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            reply: Mutex::new(reply),
            calls: sender,
            sent: Arc::default(),
        });
        let app = Router::new().fallback(answer).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self {
            port,
            shared,
            calls: AsyncMutex::new(calls),
        }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/hook", self.port)
    }

    /// Changes the answer.
    pub fn answers(&self, reply: Reply) {
        *self.shared.reply.lock().expect("no panic") = reply;
    }

    /// Waits for the next call.
    pub async fn next(&self) -> Call {
        let mut calls = self.calls.lock().await;
        tokio::time::timeout(PATIENCE, calls.recv())
            .await
            .expect("a call comes")
            .expect("it listens")
    }

    /// A call that the test has not read.
    pub async fn unseen(&self) -> Option<Call> {
        self.calls.lock().await.try_recv().ok()
    }

    /// Bytes of the gigabytes that were sent.
    pub fn sent(&self) -> u64 {
        self.shared.sent.load(Ordering::Relaxed)
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 10_000_000).await.expect("a body");
    let target = parts.uri.path_and_query().expect("a target");
    let _ = shared.calls.send(Call {
        method: parts.method.to_string(),
        target: target.to_string(),
        headers: parts.headers,
        body: String::from_utf8(body.to_vec()).expect("text"),
    });
    let reply = shared.reply.lock().expect("no panic").clone();
    let status = |code| StatusCode::from_u16(code).expect("a status");
    let response = match reply {
        Reply::Status(code) => Response::builder()
            .status(status(code))
            .body(Body::from(format!("I say {code}"))),
        Reply::With(code, name, value) => Response::builder()
            .status(status(code))
            .header(name, value)
            .body(Body::from(format!("I say {code}"))),
        Reply::Page(text) => Response::builder().body(Body::from(text)),
        Reply::Never => std::future::pending().await,
        Reply::Gigabyte => {
            let sent = shared.sent.clone();
            let chunk = Bytes::from(vec![b'x'; 65_536]);
            let chunks = futures::stream::iter(0..16_384).map(move |_: u32| {
                sent.fetch_add(65_536, Ordering::Relaxed);
                Ok::<_, std::io::Error>(chunk.clone())
            });
            Response::builder().body(Body::from_stream(chunks))
        }
    };
    response.expect("an answer")
}
