//! The measured project: three purposes, nine services, English, the same as for the peers.

use std::{net::SocketAddr, time::Duration};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::{machine::pause, web};

/// A published project.
#[derive(Clone, Debug)]
pub struct Project {
    pub id: String,
    pub configuration: String,
    /// Path of the published configuration file.
    pub file: String,
    /// Access token of its owner.
    pub token: String,
}

const NAME: &str = "bench";
/// Username and e-mail address of the owner.
pub const USERNAME: &str = "bench";
pub const EMAIL: &str = "bench@example.com";
const PASSWORD: &str = "bench";

/// Name, title and text.
type Service = (&'static str, &'static str, &'static str);

/// Purposes: name, title, text, services.
const PURPOSES: [(&str, &str, &str, [Service; 3]); 3] = [
    (
        "analytics",
        "Audience measurement",
        "Count visits and understand which pages are useful.",
        [
            ("svc_stats", "Example Stats", "Page view counter."),
            (
                "svc_heat",
                "Example Heatmap",
                "Where readers click and scroll.",
            ),
            (
                "svc_ab",
                "Example Experiments",
                "Compares two versions of a page.",
            ),
        ],
    ),
    (
        "advertising",
        "Advertising",
        "Show adverts that match your interests and measure them.",
        [
            ("svc_ads", "Example Ads", "Display advertising."),
            ("svc_pixel", "Example Pixel", "Conversion measurement."),
            (
                "svc_retarget",
                "Example Retargeting",
                "Reminds you of products you viewed.",
            ),
        ],
    ),
    (
        "media",
        "Embedded media",
        "Play videos, maps and social posts inside the article.",
        [
            ("svc_video", "Example Video", "Video player."),
            ("svc_map", "Example Maps", "Interactive maps."),
            ("svc_social", "Example Social", "Embedded posts."),
        ],
    ),
];

fn post(address: SocketAddr, path: &str, token: Option<&str>, body: &Value) -> Result<Value> {
    web::send(address, "POST", path, token, Some(body)).and_then(web::Answer::json)
}

/// Makes an account with a project. Returns the token of the account and the id of the project.
fn begin(address: SocketAddr, website: &str) -> Result<(String, String)> {
    let account = post(
        address,
        "/v1/auth/local/signup",
        None,
        &json!({"displayName": "Bench", "username": USERNAME, "email": EMAIL, "password": PASSWORD}),
    )?;
    let owner = text(&account, "/token")?;
    let project = post(
        address,
        "/v1/vault/projects",
        Some(&owner),
        &json!({"websiteURL": website, "title": "Bench", "name": "Bench"}),
    )?;
    Ok((owner, text(&project, "/id")?))
}

/// Stores a configuration and publishes its project.
fn publish(
    address: SocketAddr,
    (owner, id): (String, String),
    configuration: &Value,
) -> Result<Project> {
    let token = Some(owner.as_str());
    let configuration = post(address, "/v1/vault/cookies", token, configuration)?;
    let path = format!("/v1/publish/jobs/{id}");
    let job = post(address, &path, token, &json!({}))?;
    let poll = format!("{path}/{}", text(&job, "/_id")?);
    loop {
        let job = web::send(address, "GET", &poll, token, None)?.json()?;
        match text(&job, "/status")?.as_str() {
            "complete" => break,
            "error" => bail!("publishing failed: {job}"),
            _ => pause(Duration::from_millis(100)),
        }
    }
    Ok(Project {
        configuration: text(&configuration, "/id")?,
        file: format!("/cdn/{id}.json"),
        id,
        token: owner,
    })
}

/// Publishes a configuration with the layout `iab` and all vendors of the server's list.
pub fn by_tcf(address: SocketAddr, website: &str) -> Result<Project> {
    let begun = begin(address, website)?;
    let configuration = json!({
        "projectId": begun.1, "name": NAME, "title": "Bench", "language": "en", "isDefault": true,
        "steps": [{"name": "ask", "layout": "iab"}], "tcf": {"vendors": "all", "publisherCC": "FR"},
    });
    publish(address, begun, &configuration)
}

/// Makes an account with a project and publishes it.
pub fn make(address: SocketAddr, website: &str) -> Result<Project> {
    let begun = begin(address, website)?;
    let (owner, id) = &begun;
    let mut steps = vec![json!({
        "name": "welcome", "layout": "welcome", "title": "Your privacy on this site",
        "message": "<p>With your agreement we and our partners use cookies to measure our audience, show \
            relevant advertising and play embedded media. You can accept, refuse, or choose purpose by purpose.</p>",
    })];
    for (name, title, message, services) in PURPOSES {
        let mut vendors = Vec::new();
        for (service, title, description) in services {
            let vendor = post(
                address,
                "/v1/vault/vendors",
                Some(owner),
                &json!({"name": service, "title": title, "shortDescription": description, "projectId": id}),
            )?;
            vendors.push(text(&vendor, "/id")?);
        }
        steps.push(json!({
            "name": name, "layout": "category", "title": title, "message": format!("<p>{message}</p>"),
            "vendors": vendors, "showToggleAllSwitch": true,
        }));
    }
    let configuration = json!({
        "projectId": id, "name": NAME, "title": "Bench", "language": "en", "isDefault": true,
        "steps": steps,
        "strings": {"acceptAll": "Accept all", "dismiss": "Refuse all", "configure": "Customise",
            "lastStep": "Save my choices", "close": "Close"},
    });
    publish(address, begun, &configuration)
}

impl Project {
    /// The project with a new token of its owner, from a server at another address.
    pub fn signed_in(self, server: SocketAddr) -> Result<Self> {
        let body = json!({"username": USERNAME, "password": PASSWORD});
        let path = "/v1/auth/local/signin";
        let session = web::send(server, "POST", path, None, Some(&body))?.json()?;
        Ok(Self {
            token: text(&session, "/token")?,
            ..self
        })
    }

    /// Path of the one-file bundle.
    pub fn bundle(&self) -> String {
        format!("/cdn/{}/{NAME}.js", self.id)
    }

    /// Path for posting consents.
    pub fn collect(&self) -> String {
        format!(
            "/v1/app/consents/{}/cookies/{}",
            self.id, self.configuration
        )
    }

    /// A consent as the SDK posts it, different each time.
    pub fn consent(&self) -> String {
        let vendors: serde_json::Map<String, Value> = PURPOSES
            .iter()
            .flat_map(|(purpose, _, _, services)| {
                services
                    .iter()
                    .map(|(name, _, _)| ((*name).to_owned(), json!(*purpose == "media")))
            })
            .collect();
        json!({
            "accept": false, "token": "{token}", "consentId": "{id}", "age": 0,
            "preferences": {
                "vendors": vendors,
                "config": {"identifier": self.configuration, "name": NAME, "language": "en"},
            },
        })
        .to_string()
    }
}

/// A text of an answer.
pub fn text(value: &Value, pointer: &str) -> Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    Ok(found
        .with_context(|| format!("no {pointer} in {value}"))?
        .to_owned())
}
