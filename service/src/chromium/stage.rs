//! The server of one page, and the proxy of the browser that draws it.
//!
//! Everything that the browser asks for arrives here, because it has this proxy for all addresses, loopback too. One
//! host is answered, whose name nobody guesses, and of it the few files of the page. All else is refused.

use std::{
    collections::BTreeMap, convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration,
};

use askama::Template;
use bytes::Bytes;
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, watch},
    task::{AbortHandle, JoinSet},
};

use super::Scene;
use crate::random;

/// Connections at one time.
const AT_ONCE: usize = 32;
/// Time for the header of a request.
const HEADER: Duration = Duration::from_secs(10);
/// Most bytes of a text.
const MOST_TEXT: usize = 256 * 1024;
/// The page and its frame may use what this server gives, and nothing else.
const PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self'; frame-src 'self'; connect-src 'self'; img-src 'self'; \
     base-uri 'none'; form-action 'none'";

#[derive(Template)]
#[template(path = "preview/stage.html")]
struct Page<'a> {
    width: u32,
    height: u32,
    layer: Option<&'a str>,
}

/// A page that is being served. Dropping it ends the server.
pub(super) struct Stage {
    address: SocketAddr,
    served: Arc<Served>,
    serving: AbortHandle,
}

struct Served {
    host: String,
    page: Bytes,
    scene: Bytes,
    scene_policy: String,
    files: BTreeMap<String, (&'static str, Bytes)>,
    told: watch::Sender<Option<String>>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Stage {
    /// Begins to serve a page.
    pub(super) async fn open(scene: &Scene<'_>) -> io::Result<Self> {
        let page = Page {
            width: scene.width,
            height: scene.height,
            layer: scene.layer,
        };
        let page = page.render().map_err(io::Error::other)?;
        let mut secret = [0; 16];
        random::fill(&mut secret);
        // Browsers trust this name as they trust sites with TLS.
        let host = format!("{}.localhost", hex::encode(secret));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let served = Arc::new(Served {
            page: page.into(),
            scene: scene.document.to_owned().into(),
            scene_policy: format!(
                "default-src 'none'; script-src 'nonce-{}' 'wasm-unsafe-eval'; img-src http://{host}/files/ data:; \
                 base-uri 'none'; form-action 'none'; sandbox allow-scripts",
                scene.nonce
            ),
            host,
            files: scene.files.clone(),
            told: watch::Sender::new(None),
        });
        Ok(Self {
            address: listener.local_addr()?,
            serving: tokio::spawn(serve(listener, served.clone())).abort_handle(),
            served,
        })
    }

    /// The address of the proxy.
    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the page.
    pub(super) fn page(&self) -> String {
        format!("http://{}/", self.served.host)
    }

    /// The text that the page has told.
    pub(super) fn told(&self) -> Option<String> {
        self.served.told.borrow().clone()
    }
}

async fn serve(listener: TcpListener, served: Arc<Served>) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER);
    let places = Arc::new(Semaphore::new(AT_ONCE));
    // Connections end with this task.
    let mut connections = JoinSet::new();
    loop {
        while connections.try_join_next().is_some() {}
        let Ok(place) = places.clone().acquire_owned().await else {
            return;
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!(%error, "a connection of Chromium was not accepted");
                tokio::task::yield_now().await;
                continue;
            }
        };
        let served = served.clone();
        let answered = service_fn(move |request| answer(served.clone(), request));
        let connection = http.serve_connection(TokioIo::new(stream), answered);
        connections.spawn(async move {
            if let Err(error) = connection.await {
                tracing::trace!(%error, "a connection of Chromium ended badly");
            }
            drop(place);
        });
    }
}

async fn answer(
    served: Arc<Served>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    // Requests to a proxy name the whole address.
    let is_ours = request.uri().host() == Some(&served.host) && request.uri().port().is_none();
    if !is_ours || request.method() == Method::CONNECT {
        tracing::debug!(address = %request.uri(), "Chromium was refused an address");
        return Ok(empty(StatusCode::FORBIDDEN));
    }
    let path = request.uri().path().to_owned();
    let method = request.method().clone();
    Ok(match (method, path.as_str()) {
        (Method::GET, "/") => file("text/html; charset=utf-8", served.page.clone(), PAGE),
        (Method::GET, "/scene") => file(
            "text/html; charset=utf-8",
            served.scene.clone(),
            &served.scene_policy,
        ),
        (Method::GET, "/stage.js") => file(
            "text/javascript; charset=utf-8",
            Bytes::from_static(include_bytes!("stage.js")),
            PAGE,
        ),
        (Method::GET, "/stage.css") => file(
            "text/css; charset=utf-8",
            Bytes::from_static(include_bytes!("stage.css")),
            PAGE,
        ),
        (Method::POST, "/told") => served.hear(request).await,
        (Method::GET, "/told") => {
            let mut told = served.told.subscribe();
            // The sender lives as long as this server does.
            let _ = told.wait_for(Option::is_some).await;
            empty(StatusCode::NO_CONTENT)
        }
        (Method::GET, path) => match path
            .strip_prefix("/files/")
            .map(|name| served.files.get(name))
        {
            Some(Some((media, bytes))) => file(media, bytes.clone(), PAGE),
            _ => empty(StatusCode::NOT_FOUND),
        },
        _ => empty(StatusCode::NOT_FOUND),
    })
}

impl Served {
    /// Keeps the first text.
    async fn hear(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let body = Limited::new(request.into_body(), MOST_TEXT).collect().await;
        let Ok(body) = body else {
            return empty(StatusCode::PAYLOAD_TOO_LARGE);
        };
        let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        self.told.send_if_modified(|told| {
            let is_first = told.is_none();
            told.get_or_insert(text);
            is_first
        });
        empty(StatusCode::NO_CONTENT)
    }
}

fn file(media: &'static str, bytes: Bytes, policy: &str) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::new(bytes));
    let headers = answer.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media));
    // A policy that no header can hold is none: nothing may then be used.
    let policy = HeaderValue::from_str(policy);
    let policy = policy.unwrap_or(HeaderValue::from_static("default-src 'none'"));
    headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    answer
}

fn empty(status: StatusCode) -> Response<Full<Bytes>> {
    let mut answer = Response::new(Full::default());
    *answer.status_mut() = status;
    answer
}
