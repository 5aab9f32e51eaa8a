//! Slow and incomplete connections and requests.

use std::time::Duration;

use axum::{Router, routing::get};
use serde_json::json;
use server::{connections::Bounds, http::client::Proxies, router};
use tests::{Engine, Reach, TestApp, until};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
};

use crate::http::served;

async fn connection(app: &TestApp) -> TcpStream {
    let address = app.base.trim_start_matches("http://");
    TcpStream::connect(address).await.unwrap()
}

/// A connection from another address of the same machine.
async fn connection_from(app: &TestApp, address: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket
        .bind(format!("{address}:0").parse().unwrap())
        .unwrap();
    let server = app.base.trim_start_matches("http://");
    socket.connect(server.parse().unwrap()).await.unwrap()
}

/// Announces a document of a megabyte, and waits until the server wants it. Returns the server's line.
async fn announces(mut connection: TcpStream) -> (TcpStream, String) {
    let head = "POST /v1/auth/local/signup HTTP/1.1\r\nhost: placet.example\r\nexpect: 100-continue\r\n\
        content-type: application/json\r\ncontent-length: 1048576\r\n\r\n";
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        assert_ne!(connection.read_buf(&mut line).await.unwrap(), 0);
        line.truncate(
            line.iter()
                .position(|&byte| byte == b'\n')
                .map_or(line.len(), |at| at + 1),
        );
    }
    (connection, String::from_utf8(line).unwrap())
}

/// Sends a request over a kept connection and reads the answer.
async fn asks(connection: &mut TcpStream) {
    let request = b"GET /health/live HTTP/1.1\r\nhost: placet.example\r\n\r\n";
    connection.write_all(request).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(br#"{"status":"live"}"#) {
        assert_ne!(connection.read_buf(&mut answer).await.unwrap(), 0);
    }
    assert!(answer.starts_with(b"HTTP/1.1 200 "));
}

async fn bounded(bounds: Bounds) -> TestApp {
    let reach = Reach {
        connections: bounds,
        ..Reach::default()
    };
    TestApp::reached(Engine::Sqlite, reach, |_| {}).await
}

#[tokio::test]
async fn a_client_that_does_not_finish_its_header_is_cut_off() {
    let app = bounded(Bounds {
        header: Duration::from_millis(300),
        ..Bounds::default()
    })
    .await;
    // Nothing, the start of HTTP/2, half a header, and half of a second header.
    for (first, half) in [
        (false, ""),
        (false, "PRI"),
        (false, "GET /health/live HTTP/1.1\r\nhost: pla"),
        (true, "GET /health/live HTTP/1.1\r\n"),
    ] {
        let mut connection = connection(&app).await;
        if first {
            asks(&mut connection).await;
        }
        connection.write_all(half.as_bytes()).await.unwrap();
        let mut rest = Vec::new();
        let end = tokio::time::timeout(Duration::from_secs(20), connection.read_to_end(&mut rest));
        // Closed in either way.
        let _ = end.await.unwrap_or_else(|_| panic!("{half:?} is kept"));
        assert!(!rest.starts_with(b"HTTP/1.1 2"), "{half:?}");
    }
}

/// A header that does not end would be kept in memory for as long as its client may take for it.
#[tokio::test]
async fn a_header_that_is_too_long_is_refused_before_it_ends() {
    let app = bounded(Bounds::default()).await;
    let begins = "GET /health/live HTTP/1.1\r\nhost: placet.example\r\nx: ";
    // That of a site with many cookies is read.
    let mut usual = connection(&app).await;
    let request = format!("{begins}{}\r\n\r\n", "a".repeat(24_000));
    usual.write_all(request.as_bytes()).await.unwrap();
    let mut answer = [0; 12];
    usual.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
    let mut long = connection(&app).await;
    let half = format!("{begins}{}", "a".repeat(40_000));
    long.write_all(half.as_bytes()).await.unwrap();
    long.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 431");
}

#[tokio::test]
async fn no_more_connections_are_served_than_are_allowed() {
    let app = bounded(Bounds {
        most: 2,
        ..Bounds::default()
    })
    .await;
    let (mut one, mut two) = (connection(&app).await, connection(&app).await);
    asks(&mut one).await;
    asks(&mut two).await;
    let mut three = connection(&app).await;
    let request = b"GET /health/live HTTP/1.1\r\nhost: placet.example\r\n\r\n";
    three.write_all(request).await.unwrap();
    for _ in 0..50 {
        asks(&mut one).await;
        asks(&mut two).await;
    }
    let mut byte = [0];
    let early = three.try_read(&mut byte).map_err(|error| error.kind());
    assert_eq!(early, Err(std::io::ErrorKind::WouldBlock), "it waits");
    drop(one);
    three.read_exact(&mut byte).await.unwrap();
    asks(&mut two).await;
}

#[tokio::test]
async fn one_address_does_not_take_all_connections() {
    let app = bounded(Bounds {
        most: 30,
        of_one: 3,
        ..Bounds::default()
    })
    .await;
    // Headers that never end, more of them than the server has connections.
    let mut held = Vec::new();
    for _ in 0..40 {
        let mut connection = connection_from(&app, "127.0.0.66").await;
        // The server may have closed it already.
        let _ = connection.write_all(b"GET / HTTP/1.1\r\n").await;
        held.push(connection);
    }
    let other = async {
        let mut other = connection_from(&app, "127.0.0.67").await;
        asks(&mut other).await;
        other
    };
    let other = tokio::time::timeout(Duration::from_secs(20), other).await;
    let mut other = other.expect("others are served");
    let mut kept = 0;
    for connection in &mut held {
        let read = connection.read_u8();
        // A closed connection says so at once.
        let silent = tokio::time::timeout(Duration::from_millis(50), read).await;
        kept += usize::from(silent.is_err());
    }
    assert_eq!(kept, 3, "the rest is closed");
    // A share becomes free with its connection.
    held.clear();
    let again = async {
        loop {
            let mut again = connection_from(&app, "127.0.0.66").await;
            let request = b"GET /health/live HTTP/1.1\r\nhost: placet.example\r\n\r\n";
            let sent = again.write_all(request).await;
            if sent.is_ok() && again.read_u8().await.is_ok() {
                break;
            }
        }
    };
    let again = tokio::time::timeout(Duration::from_secs(20), again).await;
    again.expect("it is served again");
    asks(&mut other).await;
}

#[tokio::test]
async fn a_trusted_proxy_may_have_all_connections() {
    let reach = Reach {
        connections: Bounds {
            of_one: 2,
            ..Bounds::default()
        },
        proxies: Proxies {
            trusted: vec!["127.0.0.0/8".parse().unwrap()],
            country_header: None,
        },
        ..Reach::default()
    };
    let app = TestApp::reached(Engine::Sqlite, reach, |_| {}).await;
    let mut kept = Vec::new();
    for _ in 0..5 {
        let mut connection = connection(&app).await;
        asks(&mut connection).await;
        kept.push(connection);
    }
    for connection in &mut kept {
        asks(connection).await;
    }
}

#[tokio::test]
async fn a_request_that_has_begun_is_answered_although_the_server_stops() {
    let mut app = TestApp::start(Engine::Sqlite).await;
    let mut connection = connection(&app).await;
    let body = r#"{"username": "nobody", "password": "x"}"#;
    let head = format!(
        "POST /v1/auth/local/signin HTTP/1.1\r\nhost: placet.example\r\n\
         content-type: application/json\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n",
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        assert_ne!(connection.read_buf(&mut answer).await.unwrap(), 0);
    }
    assert!(
        answer.starts_with(b"HTTP/1.1 100 "),
        "it waits for the body"
    );
    let rest = async {
        connection.write_all(body.as_bytes()).await.unwrap();
        let mut answer = String::new();
        connection.read_to_string(&mut answer).await.unwrap();
        answer
    };
    // The server begins to stop before the body is complete.
    let ((), answer) = tokio::join!(app.restart(), rest);
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
    assert!(answer.contains("wrong_credentials"), "{answer}");
}

#[tokio::test]
async fn a_client_that_takes_no_answer_loses_its_connection() {
    let app = bounded(Bounds {
        most: 1,
        unread: Duration::from_millis(500),
        ..Bounds::default()
    })
    .await;
    let mut silent = connection(&app).await;
    // More answers than all buffers on the way can hold.
    let request = b"GET /v1/openapi.json HTTP/1.1\r\nhost: placet.example\r\n\r\n";
    silent.write_all(&request.repeat(400)).await.unwrap();
    // The only place becomes free without the client reading a byte.
    let next = async {
        let mut next = connection(&app).await;
        asks(&mut next).await;
    };
    let served = tokio::time::timeout(Duration::from_secs(60), next).await;
    served.expect("the silent one is cut off");
    drop(silent);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn answers_that_nobody_reads_take_little_memory() {
    let app = bounded(Bounds::default()).await;
    let mut silent = connection(&app).await;
    let request = b"GET /v1/openapi.json HTTP/1.1\r\nhost: placet.example\r\n\r\n";
    silent.write_all(&request.repeat(100)).await.unwrap();
    let port = |address: std::net::SocketAddr| format!("0100007F:{:04X}", address.port());
    let (client, server) = (silent.local_addr(), silent.peer_addr());
    let (client, server) = (port(client.unwrap()), port(server.unwrap()));
    // The kernel's list of connections: `sl local remote state sending:receiving …`, in hex.
    let waiting = || {
        let list = std::fs::read_to_string("/proc/net/tcp").unwrap();
        let ours = list.lines().find_map(|line| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let is_ours = fields[1] == server && fields[2] == client;
            is_ours.then(|| fields[4].split(':').next().unwrap().to_owned())
        });
        u64::from_str_radix(&ours.expect("the server's side"), 16).unwrap()
    };
    let mut most = 0;
    for _ in 0..100 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        most = most.max(waiting());
    }
    assert!((1..200_000).contains(&most), "{most}");
}

#[tokio::test]
async fn a_request_over_its_deadline_gets_an_error() {
    let app = bounded(Bounds {
        request: Duration::from_millis(50),
        ..Bounds::default()
    })
    .await;
    let routes = Router::new().route("/v1/hangs", get(std::future::pending::<String>));
    let base = served(router::layered(routes, app.state())).await;
    let (nobody, path) = (app.nobody(), format!("{base}/v1/hangs"));
    let answer = tokio::time::timeout(Duration::from_secs(20), nobody.get(&path)).await;
    answer.expect("it is ended").problem(408, "timeout");
}

#[tokio::test]
async fn bodies_of_one_client_take_so_much_memory() {
    const WANTED: &str = "HTTP/1.1 100 Continue\r\n";
    const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\n";
    let app = TestApp::start(Engine::Sqlite).await;
    let mut held = Vec::new();
    for _ in 0..8 {
        let (connection, line) = announces(connection(&app).await).await;
        assert_eq!(line, WANTED);
        held.push(connection);
    }
    let (_, line) = announces(connection(&app).await).await;
    assert_eq!(line, BUSY);
    // Small ones are taken all the same, and those of others too.
    let nobody = app.nobody();
    let wrong = json!({"username": "nobody", "password": "x"});
    let small = nobody.post("/v1/auth/local/signin", &wrong).await;
    small.problem(403, "wrong_credentials");
    let (_, line) = announces(connection_from(&app, "127.0.0.2").await).await;
    assert_eq!(line, WANTED);
    // A client that goes away leaves its memory.
    held.pop();
    until("there is room again", async || {
        let (_, line) = announces(connection(&app).await).await;
        (line == WANTED).then_some(())
    })
    .await;
}

/// Asks for a large answer from an address, and takes little of it. Returns the first line.
async fn takes_little(app: &TestApp, address: &str) -> (TcpStream, String) {
    let socket = TcpSocket::new_v4().unwrap();
    // Otherwise the machine takes all of it before anybody reads.
    socket.set_recv_buffer_size(4_096).unwrap();
    socket
        .bind(format!("{address}:0").parse().unwrap())
        .unwrap();
    let server = app.base.trim_start_matches("http://");
    let mut connection = socket.connect(server.parse().unwrap()).await.unwrap();
    let request = b"GET /v1/openapi.json HTTP/1.1\r\nhost: placet.example\r\n\r\n";
    connection.write_all(request).await.unwrap();
    let mut line = Vec::new();
    while !line.contains(&b'\n') {
        assert_ne!(connection.read_buf(&mut line).await.unwrap(), 0);
    }
    let line = String::from_utf8(line).unwrap();
    (connection, line.lines().next().unwrap().to_owned())
}

#[tokio::test]
async fn large_answers_of_one_client_have_few_places() {
    const SENT: &str = "HTTP/1.1 200 OK";
    let app = TestApp::start(Engine::Sqlite).await;
    let whole = app.nobody().get("/v1/openapi.json").await.expect(200);
    let length: usize = whole.header("content-length").parse().unwrap();
    assert!(length > 256 * 1024 && length == whole.text.len());
    let mut held = Vec::new();
    for _ in 0..8 {
        let (connection, line) = takes_little(&app, "127.0.0.1").await;
        assert_eq!(line, SENT);
        held.push(connection);
    }
    let (_, line) = takes_little(&app, "127.0.0.1").await;
    assert_eq!(line, "HTTP/1.1 503 Service Unavailable");
    let (_, line) = takes_little(&app, "127.0.0.2").await;
    assert_eq!(line, SENT);
    held.pop();
    until("a place is free again", async || {
        let (_, line) = takes_little(&app, "127.0.0.1").await;
        (line == SENT).then_some(())
    })
    .await;
}
