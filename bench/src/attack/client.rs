//! HTTP/1.1 from an address of one's own, over connections that are kept.

use std::{
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{Ipv4Addr, SocketAddr, TcpStream},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use socket2::{Domain, Socket, Type};

use crate::web::Answer;

/// Longest wait for a connection, and for the server to take bytes.
const PATIENCE: Duration = Duration::from_secs(30);
/// A client that waits looks this often whether it should give up.
const LOOK: Duration = Duration::from_millis(200);

/// Opens a connection from an address of this machine.
pub fn connected(server: SocketAddr, from: Ipv4Addr) -> Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    socket.bind(&SocketAddr::from((from, 0)).into())?;
    socket.connect_timeout(&server.into(), PATIENCE)?;
    let stream = TcpStream::from(socket);
    stream.set_nodelay(true)?;
    stream.set_write_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// A request.
pub struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    pub fn new(method: &str, path: &str) -> Self {
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://example.com\r\n"
        );
        let body = Vec::new();
        Self { head, body }
    }

    pub fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub fn post(path: &str, body: &Value) -> Self {
        Self::new("POST", path).json(body)
    }

    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head = format!("{}{name}: {value}\r\n", self.head);
        self
    }

    #[must_use]
    pub fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string().into_bytes())
    }

    #[must_use]
    pub fn body(mut self, media: &str, body: Vec<u8>) -> Self {
        self.body = body;
        self.header("Content-Type", media)
    }

    /// An upload of a file to a project.
    pub fn upload(project: &str, file: &[u8]) -> Self {
        const EDGE: &str = "edge-of-a-part";
        let mut body = format!(
            "--{EDGE}\r\nContent-Disposition: form-data; name=\"projectId\"\r\n\r\n{project}\r\n\
             --{EDGE}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"picture\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n"
        )
        .into_bytes();
        body.extend_from_slice(file);
        body.extend_from_slice(format!("\r\n--{EDGE}--\r\n").as_bytes());
        let media = format!("multipart/form-data; boundary={EDGE}");
        Self::new("POST", "/v1/assets").body(&media, body)
    }

    pub fn bytes(&self) -> Vec<u8> {
        let length = format!("Content-Length: {}\r\n\r\n", self.body.len());
        [self.head.as_bytes(), length.as_bytes(), &self.body].concat()
    }
}

/// A client at an address. It gives up a request when `is_over` says so.
pub struct Client<'a> {
    server: SocketAddr,
    from: Ipv4Addr,
    is_over: &'a (dyn Fn() -> bool + Sync),
    kept: Option<TcpStream>,
}

impl<'a> Client<'a> {
    pub fn new(server: SocketAddr, from: Ipv4Addr, is_over: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self {
            server,
            from,
            is_over,
            kept: None,
        }
    }

    /// Sends a request and reads the answer.
    pub fn send(&mut self, request: &Request) -> Result<Answer> {
        let mut stream = match self.kept.take() {
            Some(stream) => stream,
            None => connected(self.server, self.from)?,
        };
        stream.set_read_timeout(Some(LOOK))?;
        stream.write_all(&request.bytes())?;
        let mut reader = BufReader::new(Patient {
            stream: &stream,
            is_over: self.is_over,
        });
        let (answer, is_kept) = read(&mut reader)?;
        drop(reader);
        self.kept = is_kept.then_some(stream);
        Ok(answer)
    }

    /// Sends a request and hangs up without waiting for the answer.
    pub fn hang_up(&mut self, bytes: &[u8]) -> Result<()> {
        let mut stream = connected(self.server, self.from)?;
        stream.write_all(bytes)?;
        Ok(())
    }

    /// The JSON of a successful answer.
    pub fn json(&mut self, request: &Request) -> Result<Value> {
        self.send(request)?.json()
    }
}

/// A stream that waits until its client gives up.
struct Patient<'a> {
    stream: &'a TcpStream,
    is_over: &'a (dyn Fn() -> bool + Sync),
}

impl Read for Patient<'_> {
    fn read(&mut self, place: &mut [u8]) -> std::io::Result<usize> {
        loop {
            match self.stream.read(place) {
                Err(error)
                    if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind())
                        && !(self.is_over)() => {}
                ended => return ended,
            }
        }
    }
}

/// Reads an answer. Returns also whether the connection may be used again.
fn read(reader: &mut impl BufRead) -> Result<(Answer, bool)> {
    let mut head = String::new();
    loop {
        let mut line = String::new();
        ensure!(reader.read_line(&mut line)? > 0, "no answer");
        if line.trim_end().is_empty() {
            break;
        }
        head.push_str(&line.to_ascii_lowercase());
    }
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
    let status = status.context("a status")?;
    let header = |name: &str| {
        let mut lines = head.lines();
        lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
    };
    let mut body = Vec::new();
    if header("transfer-encoding") == Some("chunked") {
        loop {
            let mut length = String::new();
            reader.read_line(&mut length)?;
            let length = u64::from_str_radix(length.trim(), 16).context("a length")?;
            read_exactly(reader, length, &mut body)?;
            reader.read_line(&mut String::new())?;
            if length == 0 {
                break;
            }
        }
    } else if let Some(length) = header("content-length") {
        read_exactly(reader, length.parse()?, &mut body)?;
    }
    let answer = Answer {
        status,
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    Ok((answer, header("connection") != Some("close")))
}

fn read_exactly(reader: &mut impl BufRead, length: u64, body: &mut Vec<u8>) -> Result<()> {
    let read = reader.by_ref().take(length).read_to_end(body)?;
    ensure!(read as u64 == length, "half an answer");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Result<(u16, String, bool)> {
        read(&mut text.as_bytes()).map(|(answer, kept)| (answer.status, answer.body, kept))
    }

    #[test]
    fn answers_are_read_to_their_end_and_no_further() {
        let whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1";
        assert_eq!(answer(whole).unwrap(), (200, "{}".to_owned(), true));
        let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n\
            2\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
        assert_eq!(answer(chunked).unwrap(), (200, "abc".to_owned(), false));
        let empty = "HTTP/1.1 204 No Content\r\n\r\n";
        assert_eq!(answer(empty).unwrap(), (204, String::new(), true));
        assert!(answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}").is_err());
        assert!(answer("").is_err());
    }
}
