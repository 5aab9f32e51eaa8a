//! An attacker: an account with an address and with everything that its moves need.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::{
    client::{Client, Request},
    pictures,
};
use crate::{load::Numbers, placet::project::text};

/// Custom vendors and configurations of the heavy project. Together they are almost the 8 MB, and each
/// configuration almost the 1 MB, that publishing accepts.
const VENDORS: usize = 20;
const VENDOR_TEXT: usize = 48_000;
const CONFIGURATIONS: usize = 8;
/// Documents of a long list, each almost as large as a body may be.
const DOCUMENTS: usize = 20;
const DOCUMENT_TEXT: usize = 950_000;
/// Projects with a picture that comes slowly.
const SLOW_PROJECTS: usize = 4;

pub struct Attacker {
    pub number: usize,
    pub from: Ipv4Addr,
    pub token: String,
    /// A project for uploads and imports.
    pub project: String,
    /// Two large pictures of it.
    pub pictures: Vec<String>,
    /// The file of one of them. It is made beforehand, so that an attack does not begin with work of its own.
    pub large_picture: Vec<u8>,
    /// A project with as much as can be published.
    pub heavy: String,
    /// Projects with a picture of the slow server.
    pub slow: Vec<String>,
}

impl Attacker {
    /// Path of a list of the largest documents.
    pub const LIST: &str = "/v1/vault/vendors?perPage=100";

    /// Signs up at the address of this number and makes everything.
    pub fn prepare(server: SocketAddr, slow: SocketAddr, number: usize) -> Result<Self> {
        let from = Ipv4Addr::new(127, 0, 0, 2 + number as u8);
        let mut numbers = Numbers::of_run(number as u64);
        let mut client = Client::new(server, from, &|| false);
        let name = format!("attacker{number}");
        let account = json!({"displayName": name, "username": name,
            "email": format!("{name}@example.net"), "password": name});
        let account = client.json(&Request::post("/v1/auth/local/signup", &account))?;
        let token = text(&account, "/token")?;
        let mut create = |collection: &str, document: Value| -> Result<String> {
            let path = format!("/v1/vault/{collection}");
            let made = client.json(&Request::post(&path, &document).token(&token));
            text(
                &made.with_context(|| format!("making one of {collection}"))?,
                "/id",
            )
        };
        let mut project = |title: &str| {
            create(
                "projects",
                json!({"websiteURL": "https://example.net", "title": title, "name": title}),
            )
        };
        let (own, heavy) = (project("Pictures")?, project("Heavy")?);
        let slow_projects = (0..SLOW_PROJECTS)
            .map(|at| project(&format!("Slow {at}")))
            .collect::<Result<Vec<_>>>()?;
        let mut vendors = Vec::new();
        for at in 0..VENDORS {
            vendors.push(create(
                "vendors",
                json!({"name": format!("own_{at}"), "title": format!("Service {at}"), "projectId": heavy,
                    "longDescription": prose(&mut numbers, VENDOR_TEXT)}),
            )?);
        }
        for at in 0..CONFIGURATIONS {
            let steps = json!([
                {"name": "welcome", "layout": "welcome", "title": "Welcome"},
                {"name": "choice", "layout": "category", "title": "Choice", "vendors": vendors},
            ]);
            create(
                "cookies",
                json!({"projectId": heavy, "name": format!("heavy-{at}"), "language": "en", "steps": steps}),
            )?;
        }
        for (at, slow_project) in slow_projects.iter().enumerate() {
            let image = format!("http://{slow}/{number}-{at}.png");
            let steps = json!([{"name": "welcome", "layout": "welcome", "title": "Welcome", "image": image}]);
            create(
                "cookies",
                json!({"projectId": slow_project, "name": "slow", "language": "en", "steps": steps}),
            )?;
        }
        for at in 0..DOCUMENTS {
            create(
                "vendors",
                json!({"name": format!("large_{at}"), "projectId": own,
                    "notes": prose(&mut numbers, DOCUMENT_TEXT)}),
            )?;
        }
        let mut pictures = Vec::new();
        let large_picture = pictures::large_png(&mut numbers);
        let drawing = pictures::permitted().into_iter().next();
        let drawing = drawing.context("a drawing")?;
        for file in [&drawing, &large_picture] {
            pictures.push(upload(
                &mut client,
                &Request::upload(&own, file).token(&token),
            )?);
        }
        Ok(Self {
            number,
            from,
            token,
            project: own,
            pictures,
            large_picture,
            heavy,
            slow: slow_projects,
        })
    }
}

/// Uploads a picture; returns its id. Pictures are drawn at the lowest priority, so a busy machine may need
/// several tries.
fn upload(client: &mut Client<'_>, upload: &Request) -> Result<String> {
    const TRIES: usize = 10;
    let busy = [408, 429, 503];
    let mut answers = (0..TRIES).map(|_| client.send(upload));
    let answer = answers.find(|answer| {
        answer
            .as_ref()
            .map_or(true, |one| !busy.contains(&one.status))
    });
    text(
        &answer
            .context("the server is too busy for pictures")??
            .json()?,
        "/id",
    )
}

/// Text that does not become much smaller by compression.
pub fn prose(numbers: &mut Numbers, length: usize) -> String {
    let letters = std::iter::repeat_with(|| numbers.next().to_le_bytes()).flatten();
    let letters = letters.map(|byte| match byte % 32 {
        letter @ 0..26 => char::from(b'a' + letter),
        _ => ' ',
    });
    letters.take(length).collect()
}
