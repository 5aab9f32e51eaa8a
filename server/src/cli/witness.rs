//! `placet witness`.

use std::{net::SocketAddr, path::PathBuf, sync::Arc};

use anyhow::Context;
use clap::{Args, Subcommand};
use server::{
    connections::{self, Bounds},
    http::client::Proxies,
    witness::{Witness, key, list},
};
use service::clock::SystemClock;
use tokio_util::sync::CancellationToken;

use super::{log::LogArgs, out::say, serve::stop_signal};

#[derive(Subcommand)]
pub(super) enum WitnessCommand {
    /// Make the key of a new witness and print its public half
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
    /// Folder of the key and of the signed checkpoints, for this process alone
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
                let key = key::make(&args.folder.data, &args.name)?;
                say(key.verifier().vkey());
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
        let path = self.logs.unwrap_or_else(|| folder.join("logs"));
        let list = std::fs::read_to_string(&path)
            .with_context(|| format!("the list of logs {} cannot be read", path.display()))?;
        let logs = list::parse(&list)?;
        let witness = Witness::open(&folder, logs, Arc::new(SystemClock))?;
        let listener = connections::listen(self.listen)
            .with_context(|| format!("{} cannot be listened on", self.listen))?;
        let address = listener.local_addr()?;
        say(format_args!(
            "The witness listens on http://{address} and knows {} logs",
            witness.logs()
        ));
        say(witness.verifier().vkey());
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
        connections::serve(listener, app, Bounds::default(), proxies, stop).await;
        Ok(())
    }
}
