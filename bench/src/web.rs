//! Requests that prepare a measurement: one connection each, small answers.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

pub struct Answer {
    pub status: u16,
    pub body: String,
}

impl Answer {
    /// The body of a successful answer.
    pub fn json(self) -> Result<Value> {
        ensure!(
            (200..300).contains(&self.status),
            "{}: {}",
            self.status,
            self.body
        );
        serde_json::from_str(&self.body).with_context(|| self.body.clone())
    }
}

pub fn get(address: SocketAddr, path: &str) -> Result<Answer> {
    send(address, "GET", path, None, None)
}

/// Gets a page of the admin UI in the session of an access token.
pub fn page(address: SocketAddr, path: &str, token: &str) -> Result<Answer> {
    let session = format!("Cookie: placet_session={token}\r\n");
    exchange(address, "GET", path, &session, None)
}

/// Sends a request, optionally with a token and a JSON body.
pub fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    token: Option<&str>,
    body: Option<&Value>,
) -> Result<Answer> {
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
    exchange(address, method, path, &token.unwrap_or_default(), body)
}

/// Sends a request with a line of its head that says who asks.
fn exchange(
    address: SocketAddr,
    method: &str,
    path: &str,
    caller: &str,
    body: Option<&Value>,
) -> Result<Answer> {
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(2))?;
    stream.set_read_timeout(Some(Duration::from_secs(30)))?;
    let body = body.map(Value::to_string).unwrap_or_default();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n{caller}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len(),
    );
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let text = String::from_utf8_lossy(&answer);
    let (head, body) = text.split_once("\r\n\r\n").context("an HTTP answer")?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .context("a status")?;
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    Ok(Answer {
        status,
        body: if chunked {
            unchunked(body)
        } else {
            body.to_owned()
        },
    })
}

fn unchunked(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let Ok(length) = usize::from_str_radix(length.trim(), 16) else {
            break;
        };
        let Some(chunk) = rest.get(..length).filter(|chunk| !chunk.is_empty()) else {
            break;
        };
        whole.push_str(chunk);
        body = rest
            .get(length..)
            .unwrap_or_default()
            .trim_start_matches("\r\n");
    }
    whole
}
