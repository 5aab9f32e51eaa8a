//! `placet verify`.

use std::{path::PathBuf, process::ExitCode, time::Duration};

use anyhow::{Context, ensure};
use clap::Args;
use service::{
    clock::{Clock, SystemClock},
    outbound::{Call, Outbound},
};
use tokio::{runtime::Handle, task::block_in_place};
use verify::{Question, ReadFile};

/// Most bytes of a file of a ledger. A tile has 8,192, and a checkpoint with all signatures is shorter.
const MOST_BYTES: usize = 128 * 1024;
/// Time for a file.
const DEADLINE: Duration = Duration::from_secs(30);

#[derive(Args, Clone)]
pub(super) struct VerifyArgs {
    /// The proof, `*.placet-proof.json`, or the promise of one, `*.placet-promise.json`; `-` is standard input
    file: PathBuf,
    /// Believe the logs and witnesses of this file (c2sp.org/tlog-policy), or the keys of a ledger in it, one
    /// a line
    #[arg(long, value_name = "FILE", conflicts_with = "key")]
    policy: Option<PathBuf>,
    /// Believe this key of a ledger, `name+id+key`
    #[arg(long, value_name = "VKEY")]
    key: Vec<String>,
    /// Compare the promise with this proof of its consent
    #[arg(long, value_name = "FILE", conflicts_with = "ledger")]
    proof: Option<PathBuf>,
    /// Compare the promise with the ledger: a folder with its files, or their address, `prefix` of
    /// `/.well-known/placet-ledger.json`
    #[arg(long, value_name = "FOLDER|URL")]
    ledger: Option<String>,
    /// Believe this checkpoint in place of the one in the folder, such as one that witnesses signed
    #[arg(long, value_name = "FILE", requires = "ledger")]
    checkpoint: Option<PathBuf>,
    /// That was the ledger's newest one at this time (RFC 3339) [default: now, for a checkpoint from an address]
    #[arg(long, value_name = "TIME", requires = "ledger")]
    seen: Option<String>,
    /// Write its pictures, and the files that check the signatures of its time stamps, into this folder
    #[arg(long, value_name = "FOLDER")]
    extract: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl VerifyArgs {
    pub(super) fn run(self) -> anyhow::Result<ExitCode> {
        let mut question = Question {
            file: self.file,
            policy: self.policy,
            keys: self.key,
            json: self.json,
            extract: self.extract,
            proof: self.proof,
            ledger: None,
            checkpoint: self.checkpoint,
            seen: self.seen,
        };
        if let Some(ledger) = self.ledger {
            let is_address = ["http://", "https://"]
                .iter()
                .any(|scheme| ledger.starts_with(scheme));
            question.ledger = Some(if is_address {
                if question.checkpoint.is_none() && question.seen.is_none() {
                    question.seen = Some(SystemClock.now().to_string());
                }
                at_address(&ledger)?
            } else {
                verify::folder(ledger.into())
            });
        }
        Ok(question.answer("placet").into())
    }
}

/// The files of a ledger below their address.
fn at_address(address: &str) -> anyhow::Result<ReadFile> {
    let url = url::Url::parse(address).context("--ledger")?;
    let host = url.host_str().context("--ledger names no server")?;
    // The caller chose the server, which may stand in a private network.
    let client = Outbound::new(vec![host.trim_matches(['[', ']']).to_owned()])?;
    let prefix = format!("{}/", address.trim_end_matches('/'));
    Ok(Box::new(move |path| {
        let url = format!("{prefix}{path}");
        let read = block_in_place(|| Handle::current().block_on(fetched(&client, &url)));
        read.map_err(|error| format!("{error:#}"))
    }))
}

async fn fetched(client: &Outbound, url: &str) -> anyhow::Result<Option<Vec<u8>>> {
    let call = Call {
        method: "GET",
        url,
        headers: &[],
        body: Vec::new(),
        deadline: DEADLINE,
        most_bytes: MOST_BYTES,
    };
    let reply = client.call(call).await.with_context(|| url.to_owned())?;
    if reply.status == 404 {
        return Ok(None);
    }
    ensure!(reply.status == 200, "{url}: {}", reply.status);
    Ok(Some(reply.body))
}

/// The end of the help.
pub(super) fn after_help() -> String {
    format!(
        "{}\n\nplacet-verify is the same as a small program of its own, without a network.\n\nExamples:\n  \
         placet verify --policy trusted.policy 019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70.placet-proof.json\n  \
         placet verify --policy trusted.policy --ledger https://consent.example/cdn/ledger/0a1b2c3d4e5f/ \
         kept.placet-promise.json",
        verify::EXIT_CODES
    )
}
