//! `placet witness`.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use clap::{Args, Subcommand};
use proof::note::Verifier;
use server::{
    connections::{self, Bounds},
    http::client::Proxies,
    witness::{AtOnce, Witness, key, list},
};
use service::{Placet, clock::SystemClock};
use tokio_util::sync::CancellationToken;

use super::{log::LogArgs, out::say, serve::stop_signal};

/// Flags of a witness inside of a server.
#[derive(Args, Clone)]
#[command(next_help_heading = "A witness of other ledgers")]
pub(super) struct InsideArgs {
    /// Folder of a witness (`placet witness init`), for this process alone: it signs checkpoints of other ledgers below
    /// <base-url>/witness/ [default: none]
    #[arg(long, env = "PLACET_WITNESS_DATA", value_name = "FOLDER")]
    witness_data: Option<PathBuf>,
    /// List of the logs that it signs for (`logs/v0`) [default: logs in its folder]
    #[arg(long, env = "PLACET_WITNESS_LOGS", value_name = "FILE")]
    witness_logs: Option<PathBuf>,
}

impl InsideArgs {
    /// The witness, if there is one. It never signs for the ledger of this server, and is no witness of it: both are of one
    /// hand, so its signature would prove nothing.
    pub(super) async fn open(&self, placet: &Placet) -> anyhow::Result<Option<Arc<Witness>>> {
        let Some(folder) = &self.witness_data else {
            return Ok(None);
        };
        let mut foreign = Vec::new();
        for log in read_list(folder, self.witness_logs.as_deref())? {
            if placet.ledger.is_own(&log.origin).await? {
                let origin = log.origin;
                tracing::warn!(
                    origin,
                    "the witness does not sign for the ledger of its own server: it would prove nothing"
                );
            } else {
                foreign.push(log);
            }
        }
        let witness = Witness::open(folder, foreign, placet.config.clock.clone(), AtOnce::INSIDE)?;
        let vkeys = witness.verifiers().map(Verifier::vkey);
        let asked = placet.config.ledger.witnesses.as_ref();
        for vkey in &vkeys {
            anyhow::ensure!(
                asked.is_none_or(|asked| !asked.named(vkey)),
                "--witness-policy names the witness of this server itself, which proves nothing: take {vkey} out"
            );
        }
        tracing::info!(
            vkeys = vkeys.join(" "),
            logs = witness.logs(),
            "a witness of other ledgers answers at {}/witness/",
            placet.config.base_url
        );
        Ok(Some(witness))
    }
}

/// Reads the list of the logs of a witness: this file, or `logs` in its folder.
fn read_list(folder: &Path, file: Option<&Path>) -> anyhow::Result<Vec<list::Listed>> {
    let usual = folder.join("logs");
    let path = file.unwrap_or(&usual);
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("the list of logs {} cannot be read", path.display()))?;
    list::parse(&text)
}

#[derive(Subcommand)]
pub(super) enum WitnessCommand {
    /// Make the keys of a new witness and print their public halves: for Ed25519, then for ML-DSA-44
    #[command(after_help = "Example:\n  \
        placet witness init --name witness.example/w1 --data /var/lib/placet-witness")]
    Init(InitArgs),
    /// Sign checkpoints of the logs of a list
    #[command(after_help = "Example:\n  \
        placet witness serve --listen 127.0.0.1:8090 --data /var/lib/placet-witness --logs logs.txt")]
    Serve(Box<ServeArgs>),
}

#[derive(Args, Clone)]
struct Folder {
    /// Folder of the keys and of the signed checkpoints, for this process alone
    #[arg(
        long,
        env = "PLACET_WITNESS_DATA",
        default_value = "witness",
        value_name = "FOLDER"
    )]
    data: PathBuf,
}

#[derive(Args, Clone)]
pub(super) struct InitArgs {
    /// Name that it signs with: an address of yours without `https://`, such as witness.example/w1
    #[arg(long)]
    name: String,
    #[command(flatten)]
    folder: Folder,
}

#[derive(Args, Clone)]
pub(super) struct ServeArgs {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(
        long,
        env = "PLACET_WITNESS_LISTEN",
        default_value = "127.0.0.1:8090",
        value_name = "ADDRESS"
    )]
    listen: SocketAddr,
    #[command(flatten)]
    folder: Folder,
    /// List of the logs to sign for (`logs/v0`) [default: logs in the folder]
    #[arg(long, env = "PLACET_WITNESS_LOGS", value_name = "FILE")]
    logs: Option<PathBuf>,
    /// Networks of proxies in front of it, comma-separated; they may have more connections than others
    #[arg(
        long,
        env = "PLACET_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_name = "NETWORKS"
    )]
    trusted_proxies: Vec<ipnet::IpNet>,
    #[command(flatten)]
    log: LogArgs,
}

impl WitnessCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        // Keys are private to this user, whatever umask the shell has.
        #[cfg(unix)]
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
        match self {
            Self::Init(args) => {
                let keys = key::make(&args.folder.data, &args.name)?;
                for key in keys.verifiers() {
                    say(key.vkey());
                }
                Ok(())
            }
            Self::Serve(args) => args.serve().await,
        }
    }
}

impl ServeArgs {
    async fn serve(self) -> anyhow::Result<()> {
        self.log.start();
        let folder = self.folder.data;
        let logs = read_list(&folder, self.logs.as_deref())?;
        let witness = Witness::open(&folder, logs, Arc::new(SystemClock), AtOnce::ALONE)?;
        let listener = connections::listen(self.listen)
            .with_context(|| format!("{} cannot be listened on", self.listen))?;
        let address = listener.local_addr()?;
        say(format_args!(
            "The witness listens on http://{address} and knows {} logs",
            witness.logs()
        ));
        for key in witness.verifiers() {
            say(key.vkey());
        }
        let stop = CancellationToken::new();
        tokio::spawn({
            let stop = stop.clone();
            async move {
                stop_signal().await;
                stop.cancel();
            }
        });
        let proxies = Proxies {
            trusted: self.trusted_proxies,
            ..Proxies::default()
        };
        let app = witness.router();
        connections::serve(listener, app, Bounds::default(), proxies, stop).await?;
        Ok(())
    }
}
