//! A closed loop of HTTP/1.1 requests over kept connections in one thread: each connection sends its next
//! request after the answer to the last one. Every request is distinct.

use std::{
    collections::BTreeMap,
    io::{ErrorKind, Read, Write},
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use mio::{Events, Interest, Poll, Token, net::TcpStream};

use crate::machine::now;

/// A request with placeholders that are filled each time: `{id}` with a UUID of now (version 7), `{token}`
/// with the time and 128 random bits like the widget's tokens, `{short}` with eleven letters and digits.
pub struct Template {
    bytes: Vec<u8>,
    slots: Vec<(usize, Slot)>,
}

#[derive(Clone, Copy)]
enum Slot {
    Id,
    Token,
    Short,
}

impl Slot {
    const ALL: [Self; 3] = [Self::Id, Self::Token, Self::Short];

    fn mark(self) -> &'static str {
        match self {
            Self::Id => "{id}",
            Self::Token => "{token}",
            Self::Short => "{short}",
        }
    }

    fn blank(self) -> &'static str {
        match self {
            Self::Id => "00000000-0000-0000-0000-000000000000",
            Self::Token => "00000000000000000000000000000000000000000000",
            Self::Short => "00000000000",
        }
    }

    fn write(self, numbers: &mut Numbers, place: &mut [u8]) {
        match self {
            Self::Id => {
                let random = wide(numbers.next(), numbers.next()) & UNFIXED;
                write_hex(wide(millis() << 16, 0) | VERSION_7 | random, place);
            }
            Self::Token => {
                let (time, random) = place.split_at_mut(12);
                write_hex(millis().into(), time);
                write_hex(wide(numbers.next(), numbers.next()), random);
            }
            Self::Short => write_base58(numbers.next(), place),
        }
    }
}

impl Template {
    pub fn get(path: &str) -> Self {
        Self::new(&format!("GET {path} HTTP/1.1\r\n{}\r\n", browser()), "")
    }

    pub fn post(path: &str, body: &str) -> Self {
        let length = Self::new("", body).bytes.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n",
            browser()
        );
        Self::new(&head, body)
    }

    /// A text of any kind.
    pub fn text(text: &str) -> Self {
        Self::new("", text)
    }

    /// The bytes with all placeholders filled.
    pub fn filled(&self, numbers: &mut Numbers) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.fill(numbers, &mut bytes);
        bytes
    }

    fn new(head: &str, body: &str) -> Self {
        let text = format!("{head}{body}");
        let (mut bytes, mut slots) = (Vec::new(), Vec::new());
        let mut rest = text.as_str();
        while let Some((slot, at)) = Slot::ALL
            .into_iter()
            .filter_map(|slot| Some((slot, rest.find(slot.mark())?)))
            .min_by_key(|(_, at)| *at)
        {
            let (before, marked) = rest.split_at(at);
            bytes.extend_from_slice(before.as_bytes());
            slots.push((bytes.len(), slot));
            bytes.extend_from_slice(slot.blank().as_bytes());
            rest = marked.get(slot.mark().len()..).unwrap_or_default();
        }
        bytes.extend_from_slice(rest.as_bytes());
        Self { bytes, slots }
    }

    /// Path of the request.
    pub fn path(&self) -> String {
        let head = String::from_utf8_lossy(&self.bytes);
        head.split(' ').nth(1).unwrap_or_default().to_owned()
    }

    fn fill(&self, numbers: &mut Numbers, request: &mut Vec<u8>) {
        request.clear();
        request.extend_from_slice(&self.bytes);
        for (at, slot) in &self.slots {
            if let Some(place) = request.get_mut(*at..*at + slot.blank().len()) {
                slot.write(numbers, place);
            }
        }
    }
}

/// Headers that every browser sends. Servers do more work with them.
fn browser() -> &'static str {
    "Host: 127.0.0.1\r\n\
     User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36\r\n\
     Accept: */*\r\nAccept-Language: en-US,en;q=0.9\r\nAccept-Encoding: gzip, deflate, br\r\n\
     Origin: https://example.com\r\n"
}

/// The bits of a UUID that hold version 7 and the variant, and the mask of the random bits.
const VERSION_7: u128 = 0x7000_8000_0000_0000_0000;
const UNFIXED: u128 = 0x0fff_3fff_ffff_ffff_ffff;

/// Distinct 64-bit numbers that look random (splitmix64).
pub struct Numbers(u64);

impl Numbers {
    /// A sequence of this run. `at` tells sequences of one run apart.
    pub fn of_run(at: u64) -> Self {
        let mut of_run = Self((u64::from(std::process::id()) << 32) ^ at);
        Self(of_run.next() ^ crate::machine::epoch_nanos())
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// Milliseconds since 1970.
fn millis() -> u64 {
    crate::machine::epoch_nanos() / 1_000_000
}

fn wide(high: u64, low: u64) -> u128 {
    u128::from(high) << 64 | u128::from(low)
}

/// Writes hexadecimal digits in place of digits. Hyphens stay.
fn write_hex(mut number: u128, place: &mut [u8]) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    for byte in place.iter_mut().rev().filter(|byte| **byte != b'-') {
        *byte = HEX.get((number & 15) as usize).copied().unwrap_or(b'0');
        number >>= 4;
    }
}

fn write_base58(mut number: u64, place: &mut [u8]) {
    const DIGITS: &[u8; 58] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    for byte in place.iter_mut().rev() {
        *byte = DIGITS.get((number % 58) as usize).copied().unwrap_or(b'1');
        number /= 58;
    }
}

/// Size and duration of a measurement.
#[derive(Clone, Copy)]
pub struct Plan {
    pub connections: usize,
    pub warm_up: Duration,
    pub run: Duration,
}

/// Result of a measurement.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Successful answers per second within the measured time.
    pub rate: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    /// All successful answers, including the warm-up.
    pub succeeded: u64,
    pub failed: u64,
    pub statuses: BTreeMap<u16, u64>,
}

struct Connection {
    stream: TcpStream,
    request: Vec<u8>,
    written: usize,
    answer: Vec<u8>,
    began: Instant,
    busy: bool,
}

/// Runs the loop.
pub fn run(address: SocketAddr, template: &Template, plan: Plan) -> Result<Outcome> {
    ensure!(
        address.ip().is_loopback(),
        "only the loopback address is measured"
    );
    let mut poll = Poll::new()?;
    let mut events = Events::with_capacity(256);
    let mut numbers = Numbers::of_run(address.port().into());
    let mut connections = Vec::new();
    let begin = now();
    for at in 0..plan.connections {
        let mut stream = TcpStream::from_std(connected(address)?);
        poll.registry().register(
            &mut stream,
            Token(at),
            Interest::READABLE | Interest::WRITABLE,
        )?;
        connections.push(Connection {
            stream,
            request: Vec::new(),
            written: 0,
            answer: Vec::with_capacity(16 * 1024),
            began: begin,
            busy: false,
        });
    }
    let measured = begin + plan.warm_up;
    let end = measured + plan.run;
    let patience = end + Duration::from_secs(15);
    let mut latencies = Vec::with_capacity(1 << 20);
    let mut outcome = Outcome::default();
    let mut in_flight = 0_usize;
    for connection in &mut connections {
        connection.send(template, &mut numbers)?;
        in_flight += 1;
    }
    while in_flight > 0 {
        poll.poll(&mut events, Some(Duration::from_millis(200)))?;
        if now() > patience {
            break;
        }
        for event in &events {
            let Some(connection) = connections.get_mut(event.token().0) else {
                continue;
            };
            connection.flush()?;
            if !connection.busy || !connection.read()? {
                continue;
            }
            let Some((status, whole)) = parse(&connection.answer)? else {
                continue;
            };
            ensure!(
                connection.answer.len() == whole,
                "an answer longer than announced"
            );
            let time = now();
            connection.busy = false;
            in_flight -= 1;
            *outcome.statuses.entry(status).or_default() += 1;
            if (200..300).contains(&status) {
                outcome.succeeded += 1;
                if time >= measured && time < end {
                    latencies.push((time - connection.began).as_micros() as u32);
                }
            } else {
                outcome.failed += 1;
            }
            if time < end {
                connection.send(template, &mut numbers)?;
                in_flight += 1;
            }
        }
    }
    outcome.failed += in_flight as u64;
    latencies.sort_unstable();
    outcome.rate = latencies.len() as f64 / plan.run.as_secs_f64();
    outcome.p50_ms = percentile(&latencies, 0.5);
    outcome.p99_ms = percentile(&latencies, 0.99);
    Ok(outcome)
}

fn connected(address: SocketAddr) -> Result<std::net::TcpStream> {
    let stream = std::net::TcpStream::connect(address).context("connecting")?;
    stream.set_nodelay(true)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

impl Connection {
    fn send(&mut self, template: &Template, numbers: &mut Numbers) -> Result<()> {
        template.fill(numbers, &mut self.request);
        self.written = 0;
        self.answer.clear();
        self.busy = true;
        self.began = now();
        self.flush()
    }

    fn flush(&mut self) -> Result<()> {
        while let Some(rest) = self
            .request
            .get(self.written..)
            .filter(|rest| !rest.is_empty())
        {
            match self.stream.write(rest) {
                Ok(sent) => self.written += sent,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error).context("sending"),
            }
        }
        Ok(())
    }

    /// Reads the available bytes. Returns `true` if there were any.
    fn read(&mut self) -> Result<bool> {
        let mut chunk = [0; 16 * 1024];
        let mut came = false;
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => anyhow::bail!("the server closed a connection that is in use"),
                Ok(read) => {
                    self.answer
                        .extend_from_slice(chunk.get(..read).unwrap_or_default());
                    came = true;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(came),
                Err(error) => return Err(error).context("receiving"),
            }
        }
    }
}

/// Parses a complete answer. Returns its status and length.
fn parse(answer: &[u8]) -> Result<Option<(u16, usize)>> {
    let Some(head_length) = answer.windows(4).position(|end| end == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(answer.get(..head_length).unwrap_or_default())?;
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|code| code.parse().ok())
        .context("a status")?;
    let mut length = 0;
    for line in head.lines().skip(1) {
        let Some((name, value)) = line.split_once(':') else {
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse()?;
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            let ended = answer.ends_with(b"0\r\n\r\n");
            return Ok(ended.then_some((status, answer.len())));
        }
    }
    let whole = head_length + 4 + length;
    Ok((answer.len() >= whole).then_some((status, whole)))
}

/// A percentile of sorted microseconds, in milliseconds.
pub fn percentile(sorted: &[u32], share: f64) -> f64 {
    let at = (sorted.len().saturating_sub(1) as f64 * share) as usize;
    sorted
        .get(at)
        .map_or(0.0, |micros| f64::from(*micros) / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_request_is_distinct_and_as_long_as_announced() {
        let template = Template::post("/a", r#"{"id":"{id}","token":"{short}"}"#);
        let (mut one, mut other) = (Vec::new(), Vec::new());
        let mut numbers = Numbers(1);
        template.fill(&mut numbers, &mut one);
        template.fill(&mut numbers, &mut other);
        assert_ne!(one, other);
        let text = String::from_utf8(one).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(
            head.contains(&format!("Content-Length: {}", body.len())),
            "{text}"
        );
        let id = &body[7..7 + 36];
        assert_eq!(
            id.match_indices('-').map(|(at, _)| at).collect::<Vec<_>>(),
            [8, 13, 18, 23]
        );
        assert!("89ab".contains(&id[19..20]));
    }

    #[test]
    fn ids_and_tokens_are_of_now() {
        let written = |slot: Slot| {
            let mut place = slot.blank().as_bytes().to_vec();
            slot.write(&mut Numbers(1), &mut place);
            String::from_utf8(place).unwrap()
        };
        let before = millis();
        let (id, token) = (written(Slot::Id), written(Slot::Token));
        let now = before..=millis();
        assert_eq!(&id[14..15], "7");
        for time in [id[..8].to_owned() + &id[9..13], token[..12].to_owned()] {
            let time = u64::from_str_radix(&time, 16).unwrap();
            assert!(now.contains(&time), "{id} {token}");
        }
        assert_ne!(token[12..28], token[28..], "{token}");
    }

    #[test]
    fn an_answer_is_parsed_once_it_is_complete() {
        let whole = b"HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(parse(whole).unwrap(), Some((201, whole.len())));
        assert_eq!(parse(&whole[..whole.len() - 1]).unwrap(), None);
        assert_eq!(parse(b"HTTP/1.1 201").unwrap(), None);
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
        assert_eq!(parse(chunked).unwrap(), Some((200, chunked.len())));
        assert_eq!(
            parse(b"HTTP/1.1 204 No Content\r\n\r\n")
                .unwrap()
                .unwrap()
                .0,
            204
        );
    }

    #[test]
    fn percentiles_are_of_the_sorted_list() {
        let list: Vec<u32> = (0..=1000).map(|at| at * 1000).collect();
        assert!((percentile(&list, 0.5) - 500.0).abs() < 0.01);
        assert!((percentile(&list, 0.99) - 990.0).abs() < 0.01);
        assert!(percentile(&[], 0.99).abs() < 0.01);
    }
}
