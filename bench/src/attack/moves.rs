//! The moves of attackers. Each runs in threads of every attacker until the scene ends, as fast as it can.

use std::{
    collections::BTreeMap,
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use anyhow::Result;
use serde_json::{Value, json};

use super::{
    attacker::{Attacker, prose},
    client::{Client, Request, connected},
    pictures,
};
use crate::{
    load::{Numbers, Template},
    machine::pause,
    placet::project::{EMAIL, Project, USERNAME},
};

/// The place of an attack.
pub struct Scene<'a> {
    pub server: SocketAddr,
    /// The honest tenant's project.
    pub honest: &'a Project,
    pub is_over: AtomicBool,
}

impl Scene<'_> {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// Requests of attackers by their ends: a status, or a word.
#[derive(Clone, Debug, Default)]
pub struct Tally(pub BTreeMap<String, u64>);

impl Tally {
    fn count(&mut self, end: impl ToString) {
        *self.0.entry(end.to_string()).or_default() += 1;
    }

    pub fn add(&mut self, other: &Self) {
        for (end, number) in &other.0 {
            *self.0.entry(end.clone()).or_default() += number;
        }
    }
}

/// A move.
pub type Move = fn(&Attacker, &Scene<'_>, &mut Numbers, &mut Tally);

/// Sends requests one after the other.
fn flood(
    attacker: &Attacker,
    scene: &Scene<'_>,
    tally: &mut Tally,
    mut next: impl FnMut() -> Request,
) {
    let is_over = || scene.is_over();
    let mut client = Client::new(scene.server, attacker.from, &is_over);
    while !scene.is_over() {
        match client.send(&next()) {
            Ok(answer) => tally.count(answer.status),
            Err(_) if scene.is_over() => tally.count("no answer before the end"),
            Err(_) => tally.count("cut off"),
        }
    }
}

/// Uploads pictures that are endless to draw, and those that are just permitted.
pub fn pictures(attacker: &Attacker, scene: &Scene<'_>, _: &mut Numbers, tally: &mut Tally) {
    let mut files = pictures::endless();
    files.extend(pictures::permitted());
    files.push(attacker.large_picture.clone());
    let mut files = files.iter().cycle();
    flood(attacker, scene, tally, || {
        let file = files.next().map_or(&[][..], Vec::as_slice);
        Request::upload(&attacker.project, file).token(&attacker.token)
    });
}

/// Asks for renders without an account, each another one, and hangs up.
pub fn renders(attacker: &Attacker, scene: &Scene<'_>, numbers: &mut Numbers, tally: &mut Tally) {
    const SIDES: [u32; 7] = [2_048, 1_024, 768, 512, 256, 128, 64];
    let mut sizes = Vec::new();
    for format in ["avif", "webp", "png", "jpeg"] {
        for width in SIDES {
            sizes.extend(
                SIDES.map(|height| format!("w={width}&h={height}&fit=cover&format={format}")),
            );
        }
    }
    // Threads of one attacker begin at different places.
    let from = numbers.next() as usize % sizes.len();
    let sizes = sizes.iter().cycle().skip(from);
    let pictures = attacker.pictures.iter().cycle();
    let mut client = Client::new(scene.server, attacker.from, &|| true);
    for (size, picture) in sizes.zip(pictures) {
        if scene.is_over() {
            return;
        }
        let render = Request::get(&format!("/v1/assets/{picture}?{size}"));
        hang_up(&mut client, &render.bytes(), tally);
        pause(Duration::from_millis(1));
    }
}

/// Sends half of a large upload and hangs up.
pub fn half_uploads(attacker: &Attacker, scene: &Scene<'_>, _: &mut Numbers, tally: &mut Tally) {
    let file = attacker.large_picture.repeat(2);
    let upload = Request::upload(&attacker.project, &file).token(&attacker.token);
    let bytes = upload.bytes();
    let half = bytes.get(..bytes.len() / 2).unwrap_or_default();
    let mut client = Client::new(scene.server, attacker.from, &|| true);
    while !scene.is_over() {
        hang_up(&mut client, half, tally);
    }
}

fn hang_up(client: &mut Client<'_>, bytes: &[u8], tally: &mut Tally) {
    tally.count(match client.hang_up(bytes) {
        Ok(()) => "hung up",
        Err(_) => "cut off",
    });
}

/// Changes the heavy project and publishes it, without waiting for the end.
pub fn publishes(attacker: &Attacker, scene: &Scene<'_>, numbers: &mut Numbers, tally: &mut Tally) {
    let mut is_changed = false;
    flood(attacker, scene, tally, || {
        is_changed = !is_changed;
        let request = if is_changed {
            let path = format!("/v1/vault/projects/{}", attacker.heavy);
            let title = format!("Heavy {}", numbers.next());
            Request::new("PATCH", &path).json(&json!({"title": title}))
        } else {
            Request::post(&format!("/v1/publish/jobs/{}", attacker.heavy), &json!({}))
        };
        request.token(&attacker.token)
    });
}

/// Publishes projects whose picture comes slowly, without waiting for the end.
pub fn slow_publishes(attacker: &Attacker, scene: &Scene<'_>, _: &mut Numbers, tally: &mut Tally) {
    let mut projects = attacker.slow.iter().cycle();
    flood(attacker, scene, tally, || {
        let project = projects.next().map_or("", String::as_str);
        Request::post(&format!("/v1/publish/jobs/{project}"), &json!({})).token(&attacker.token)
    });
}

/// Imports a file that comes byte by byte.
pub fn slow_imports(attacker: &Attacker, scene: &Scene<'_>, _: &mut Numbers, tally: &mut Tally) {
    let path = format!("/v1/app/imports/{}", attacker.project);
    let head = Request::new("POST", &path)
        .token(&attacker.token)
        .body("application/x-ndjson", vec![b' '; 1_000_000])
        .bytes();
    let head = head.get(..head.len() - 1_000_000).unwrap_or_default();
    while !scene.is_over() {
        match import(attacker, scene, head) {
            Ok(Some(status)) => tally.count(status),
            Ok(None) => tally.count("held to the end"),
            Err(_) => tally.count("cut off"),
        }
    }
}

/// Sends a file until an answer comes; returns its status.
fn import(attacker: &Attacker, scene: &Scene<'_>, head: &[u8]) -> Result<Option<String>> {
    let mut stream = connected(scene.server, attacker.from)?;
    stream.set_read_timeout(Some(Duration::from_millis(50)))?;
    stream.write_all(head)?;
    let mut answer = [0; 1_024];
    while !scene.is_over() {
        stream.write_all(b" ")?;
        match stream.read(&mut answer) {
            Ok(length) => {
                let text = String::from_utf8_lossy(answer.get(..length).unwrap_or_default());
                let status = text.split(' ').nth(1).unwrap_or("cut off");
                return Ok(Some(status.to_owned()));
            }
            Err(error) if [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind()) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(None)
}

/// Connections that one attacker holds for each of the two moves that hold them. Together they are fewer
/// than the share of an address, so that the other moves can connect, too.
const HELD: usize = 200;
/// Requests that are sent at once.
const PIPELINED: usize = 20;

/// Asks for long lists and reads nothing.
pub fn unread(attacker: &Attacker, scene: &Scene<'_>, _: &mut Numbers, tally: &mut Tally) {
    let list = Request::get(Attacker::LIST).token(&attacker.token).bytes();
    let document = Request::get("/v1/openapi.json").bytes();
    let requests = [list, document].concat().repeat(PIPELINED / 2);
    hold(attacker, scene, tally, &requests, &requests);
}

/// Begins headers and does not end them.
pub fn half_headers(attacker: &Attacker, scene: &Scene<'_>, _: &mut Numbers, tally: &mut Tally) {
    let head = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ";
    hold(attacker, scene, tally, head, b"x");
}

/// Holds connections: sends bytes at first, others each second, and replaces those that the server closes.
fn hold(attacker: &Attacker, scene: &Scene<'_>, tally: &mut Tally, first: &[u8], then: &[u8]) {
    let open = || -> Result<TcpStream> {
        let stream = connected(scene.server, attacker.from)?;
        stream.set_nonblocking(true)?;
        Ok(stream)
    };
    // A full buffer means that the server reads no more, which is what is wanted.
    let send = |mut stream: &TcpStream, bytes: &[u8]| match stream.write(bytes) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::WouldBlock,
    };
    let mut held: Vec<TcpStream> = Vec::new();
    while !scene.is_over() {
        held.retain(|stream| {
            let is_open = send(stream, then);
            if !is_open {
                tally.count("closed by the server");
            }
            is_open
        });
        while held.len() < HELD && !scene.is_over() {
            match open() {
                Ok(stream) if send(&stream, first) => held.push(stream),
                _ => {
                    tally.count("not connected");
                    break;
                }
            }
        }
        pause(Duration::from_secs(1));
    }
    for _ in held {
        tally.count("held to the end");
    }
}

/// Largest body of a consent.
const LARGEST_CONSENT: usize = 100 * 1024;

/// Posts consents of the largest size to the honest tenant's project, in turn one that is stored with the
/// longest texts, and one that is refused for each of its services.
pub fn consents(attacker: &Attacker, scene: &Scene<'_>, numbers: &mut Numbers, tally: &mut Tally) {
    let consent = || -> Value { serde_json::from_str(&scene.honest.consent()).unwrap_or_default() };
    let mut stored = consent();
    if let Some(preferences) = stored
        .pointer_mut("/preferences")
        .and_then(Value::as_object_mut)
    {
        preferences.insert("tcString".to_owned(), prose(numbers, 8_000).into());
        preferences.insert(
            "googleConsentMode".to_owned(),
            json!({"x": prose(numbers, 2_000)}),
        );
    }
    let mut refused = consent();
    // `"service_000000":true,` for each.
    let room = LARGEST_CONSENT.saturating_sub(refused.to_string().len() + 100) / 22;
    if let Some(vendors) = refused.pointer_mut("/preferences/vendors") {
        let unknown = (0..room).map(|at| (format!("service_{at:06}"), Value::Bool(true)));
        *vendors = Value::Object(unknown.collect());
    }
    let path = scene.honest.collect();
    let bodies = [stored, refused].map(|body| Template::text(&body.to_string()));
    let mut bodies = bodies.iter().cycle();
    flood(attacker, scene, tally, || {
        let mut body = bodies
            .next()
            .map(|body| body.filled(numbers))
            .unwrap_or_default();
        // Spaces at the end of JSON are nothing.
        body.resize(LARGEST_CONSENT.max(body.len()), b' ');
        Request::new("POST", &path).body("application/json", body)
    });
}

/// Signs up, guesses the honest tenant's password, invites strangers, and asks for letters.
pub fn passwords(attacker: &Attacker, scene: &Scene<'_>, numbers: &mut Numbers, tally: &mut Tally) {
    let mut turn = 0_usize;
    flood(attacker, scene, tally, || {
        turn += 1;
        let name = format!("x{:016x}", numbers.next());
        let email = format!("{name}@example.net");
        match turn % 5 {
            0 => Request::post("/v1/auth/local/forgot", &json!({"email": EMAIL})),
            1 | 2 => Request::post(
                "/v1/auth/local/signup",
                &json!({"displayName": name, "username": name, "email": email, "password": name}),
            ),
            3 => Request::post(
                "/v1/auth/local/signin",
                &json!({"username": USERNAME, "password": name}),
            ),
            _ => Request::post(
                "/v1/auth/invitations",
                &json!({"email": email, "projectId": attacker.project}),
            )
            .token(&attacker.token),
        }
    });
}
