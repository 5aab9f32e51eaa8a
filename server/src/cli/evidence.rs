//! `placet evidence`: takes the pictures of a publication of a server that has no browser.

use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;
use service::{
    clock::{Clock, SystemClock},
    outbound::{Call, Outbound},
    publish::{SceneSet, take_elsewhere},
};

use super::{chromium::ChromiumArgs, out::say};

/// Most bytes of an answer of the server: the documents of all layers.
const MOST_BYTES: usize = 64 * 1024 * 1024;
/// Time for a request.
const DEADLINE: Duration = Duration::from_mins(2);

#[derive(Args, Clone)]
pub(super) struct EvidenceArgs {
    /// Address of the publication in the API of the server:
    /// `https://<server>/v1/publish/publications/<project>/<configuration>/<publication>`
    url: String,
    /// API key of the server, of somebody who may publish the project
    #[arg(
        long,
        env = "PLACET_API_KEY",
        hide_env_values = true,
        value_name = "KEY"
    )]
    api_key: String,
    #[command(flatten)]
    chromium: ChromiumArgs,
}

impl EvidenceArgs {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let chromium = self.chromium.settings();
        let chromium = chromium.context("name Chromium, such as --chromium /usr/bin/chromium")?;
        let url = url::Url::parse(&self.url).context("the address of the publication")?;
        let host = url.host_str().context("the address names no server")?;
        // The caller chose the server, which may stand in a private network.
        let server = Server {
            client: Outbound::new(vec![host.trim_matches(['[', ']']).to_owned()])?,
            url: format!("{}/evidence", self.url.trim_end_matches('/')),
            key: format!("Bearer {}", self.api_key),
        };
        let scenes = server.asked("GET", Vec::new()).await?;
        let scenes: SceneSet =
            serde_json::from_slice(&scenes).context("the server answers something else")?;
        let taken = take_elsewhere(
            &scenes,
            chromium,
            "/proc/self/exe".into(),
            SystemClock.now(),
        );
        let taken = taken.await.map_err(anyhow::Error::msg)?;
        server.asked("POST", serde_json::to_vec(&taken)?).await?;
        let (pictures, publication) = (taken.files.len(), scenes.publication);
        say(format_args!(
            "Added {pictures} pictures of publication {publication}."
        ));
        Ok(())
    }
}

/// The server, and the evidence of a publication there.
struct Server {
    client: Outbound,
    url: String,
    key: String,
}

impl Server {
    async fn asked(&self, method: &str, body: Vec<u8>) -> anyhow::Result<Vec<u8>> {
        let call = Call {
            method,
            url: &self.url,
            headers: &[
                ("authorization", &self.key),
                ("content-type", "application/json"),
            ],
            body,
            deadline: DEADLINE,
            most_bytes: MOST_BYTES,
        };
        let reply = self.client.call(call).await;
        let reply = reply.with_context(|| format!("{method} {}", self.url))?;
        let said = String::from_utf8_lossy(&reply.body);
        ensure!(
            reply.status == 200,
            "{method} {}: {} {said}",
            self.url,
            reply.status
        );
        Ok(reply.body)
    }
}
