//! Connections: so many at once and no more, closed when nothing comes over them, ended in order.
//!
//! A client that holds connections open takes them from others, and nothing that it sends has to be
//! wrong. So each address has a share. Trusted proxies have none: they bring the clients of everybody.
//!
//! HTTP/1.1 alone is spoken, so that the time-out counts from the first byte: what finds out which
//! version a client speaks would wait for it for ever.

use std::{
    convert::Infallible,
    io::{Error, ErrorKind},
    net::{IpAddr, SocketAddr},
    pin::pin,
    sync::Arc,
    thread,
    time::Duration,
};

use axum::{
    Extension,
    body::Body,
    extract::{ConnectInfo, Request},
    response::Response,
};
use hyper::{body::Incoming, server::conn::http1};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use service::{
    prefix::Subscriber,
    shares::{ClientShare, ClientShares},
};
use tokio::{
    net::{TcpListener, TcpSocket, TcpStream},
    runtime::{self, Handle},
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::{Layer, Service, ServiceExt};

use crate::http::client::Proxies;

/// When no connection can be accepted (too many files are open), it is tried again after this.
const PAUSE: Duration = Duration::from_secs(1);

/// Bytes of answers that the kernel keeps for a connection; it doubles them. By itself it lets them grow to
/// megabytes, and a thousand clients that read nothing take the memory of all connections of the machine.
const UNREAD_BYTES: usize = 64 * 1024;

/// Bytes of a header at most, and of the memory that it is read into. By itself hyper takes 400 KB, for each of thousands
/// of connections before there is a request that could be counted.
const HEADER_BYTES: usize = 32 * 1024;

/// Limits of connections: their number, their silence and the time of their requests.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Connections at once; more wait until one ends.
    pub most: usize,
    /// Connections at once of one address that is no trusted proxy; further ones are closed.
    pub of_one: usize,
    /// A connection is closed when a request's header is not there so long after the connection
    /// began, or after the answer before.
    pub header: Duration,
    /// A request that takes longer is answered 408; streams have begun to answer by then.
    pub request: Duration,
    /// A connection is closed when the client takes nothing of an answer for so long. By the kernel, and so
    /// on Linux alone (`TCP_USER_TIMEOUT`, RFC 5482).
    pub unread: Duration,
    /// The next bytes of a file of consents come within this time, else it is answered 408.
    pub idle: Duration,
    /// The session or the key of somebody who sends a file of consents is checked again after so long.
    pub recheck: Duration,
}

impl Default for Bounds {
    /// Proxies keep idle connections too: nginx closes its own after 60 seconds, so it never sends
    /// a request into one that is being closed here.
    fn default() -> Self {
        let most = 10_000;
        Self {
            most,
            of_one: Self::share_of(most),
            header: Duration::from_secs(75),
            request: Duration::from_mins(1),
            unread: Duration::from_mins(1),
            idle: Duration::from_mins(1),
            recheck: Duration::from_secs(5),
        }
    }
}

impl Bounds {
    /// The share of one address: a twentieth, but more than a browser opens at once.
    pub fn share_of(most: usize) -> usize {
        most.div_ceil(20).max(16)
    }
}

/// A connection that was accepted.
struct Accepted {
    stream: std::net::TcpStream,
    peer: SocketAddr,
    /// Its place and its share, freed with it.
    held: (OwnedSemaphorePermit, Option<ClientShare>),
}

/// Accepts connections within the bounds.
struct Acceptor {
    listener: TcpListener,
    places: Arc<Semaphore>,
    shares: ClientShares,
    proxies: Proxies,
}

/// Connections that may wait to be accepted. More are turned away by the kernel, and their clients try again after a
/// second. The kernel has a bound of its own as well.
const BACKLOG: u32 = 4_096;

/// Listens on an address.
pub fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    // A server that starts again takes its address at once. Windows means something else by it.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Answers requests until `stop`; then accepts no more, and ends when the running ones are answered.
///
/// # Errors
///
/// No thread, or no use of the listener.
pub async fn serve<S>(
    listener: TcpListener,
    app: S,
    bounds: Bounds,
    proxies: Proxies,
    stop: CancellationToken,
) -> std::io::Result<()>
where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let listener = listener.into_std()?;
    let running = TaskTracker::new();
    let begin = {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .max_buf_size(HEADER_BYTES)
            .header_read_timeout(bounds.header);
        let (runtime, running, stop) = (Handle::current(), running.clone(), stop.clone());
        move |accepted| {
            let answered = answer(accepted, http.clone(), app.clone(), bounds, stop.clone());
            running.spawn_on(answered, &runtime);
        }
    };
    let (ended, end) = oneshot::channel();
    // While thousands of requests wait for the threads of the runtime, connections would wait longer than the kernel keeps
    // them, and clients try again after a second at the earliest.
    thread::Builder::new()
        .name("accept".to_owned())
        .spawn(move || {
            let done = accept(listener, bounds, proxies, &stop, begin);
            // Nobody hears it after an abort.
            let _ = ended.send(done);
        })?;
    let accepted = end.await;
    running.close();
    running.wait().await;
    accepted.map_err(Error::other)?
}

/// Accepts connections until `stop`.
fn accept(
    listener: std::net::TcpListener,
    bounds: Bounds,
    proxies: Proxies,
    stop: &CancellationToken,
    begin: impl Fn(Accepted),
) -> std::io::Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let acceptor = Acceptor {
            listener: TcpListener::from_std(listener)?,
            places: Arc::new(Semaphore::new(bounds.most.min(Semaphore::MAX_PERMITS))),
            // The places bound the connections of all.
            shares: ClientShares::new(bounds.of_one),
            proxies,
        };
        while let Some(Some(accepted)) = stop.run_until_cancelled(acceptor.next()).await {
            begin(accepted);
        }
        Ok(())
    })
}

/// Answers the requests of a connection.
async fn answer<S>(
    Accepted { stream, peer, held }: Accepted,
    http: http1::Builder,
    app: S,
    bounds: Bounds,
    stop: CancellationToken,
) where
    S: Service<Request, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let stream = match TcpStream::from_std(stream) {
        Ok(stream) => stream,
        Err(error) => return tracing::error!(%error, "a connection cannot be read"),
    };
    // A request and its answer are whole packets; nothing is gained by waiting for more.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::trace!(%error, "TCP_NODELAY");
    }
    bound_unread(&stream, bounds.unread);
    let service = Extension(ConnectInfo(peer))
        .layer(app)
        .map_request(|request: http::Request<Incoming>| request.map(Body::new));
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::trace!(%error, "a connection ended badly");
    }
    drop(held);
}

/// Has the kernel keep few bytes that are not taken, and close the connection after a while.
fn bound_unread(stream: &TcpStream, most: Duration) {
    if let Err(error) = rustix::net::sockopt::set_socket_send_buffer_size(stream, UNREAD_BYTES) {
        tracing::trace!(%error, "SO_SNDBUF");
    }
    #[cfg(target_os = "linux")]
    {
        let millis = u32::try_from(most.as_millis()).unwrap_or(u32::MAX);
        if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(stream, millis) {
            tracing::trace!(%error, "TCP_USER_TIMEOUT");
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (stream, most);
}

impl Acceptor {
    /// The next connection, once there is a place for it.
    async fn next(&self) -> Option<Accepted> {
        let place = self.places.clone().acquire_owned().await.ok()?;
        loop {
            match self.one().await {
                Ok(Some((stream, peer, share))) => {
                    let held = (place, share);
                    return Some(Accepted { stream, peer, held });
                }
                Ok(None) => {}
                Err(error) if is_the_clients(&error) => {}
                Err(error) => {
                    tracing::error!(%error, "no connection can be accepted");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }

    /// A connection and its share. None if it has none: dropping the connection closes it.
    async fn one(
        &self,
    ) -> std::io::Result<Option<(std::net::TcpStream, SocketAddr, Option<ClientShare>)>> {
        let (stream, peer) = self.listener.accept().await?;
        let Ok(share) = self.share(peer.ip()) else {
            tracing::debug!(%peer, "its address has all its connections");
            return Ok(None);
        };
        Ok(Some((stream.into_std()?, peer, share)))
    }

    fn share(&self, address: IpAddr) -> service::Result<Option<ClientShare>> {
        if self.proxies.trusts(address) {
            return Ok(None);
        }
        self.shares.take(Subscriber::of(address), 1).map(Some)
    }
}

/// Whether one client is gone already, which says nothing of the next.
fn is_the_clients(error: &Error) -> bool {
    [
        ErrorKind::ConnectionAborted,
        ErrorKind::ConnectionReset,
        ErrorKind::ConnectionRefused,
    ]
    .contains(&error.kind())
}
