//! `placet ledger`, and the flags of the ledger.

use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use service::ledger::Settings;

use super::{out::say, set_up::SetUp};

#[derive(Args, Clone)]
pub(super) struct LedgerArgs {
    /// Prove consents by a ledger: each gets an entry in a Merkle tree, whose signed checkpoints are published
    #[arg(long, env = "PLACET_LEDGER", value_enum, default_value_t = Switch::On)]
    ledger: Switch,
    /// Seconds between two checkpoints [default: 10; 60 with --object-store]
    #[arg(long, env = "PLACET_LEDGER_EVERY", value_parser = clap::value_parser!(u64).range(1..=86_400), value_name = "SECONDS")]
    ledger_every: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl LedgerArgs {
    /// The settings of an installation with files in a bucket or in a folder.
    pub(super) fn settings(&self, in_bucket: bool) -> Settings {
        let usual = if in_bucket { 60 } else { 10 };
        Settings {
            on: self.ledger == Switch::On,
            every: Duration::from_secs(self.ledger_every.unwrap_or(usual)),
        }
    }
}

#[derive(Subcommand)]
pub(super) enum LedgerCommand {
    /// Print name, key, size and state of the ledger
    Status(Box<StatusArgs>),
}

#[derive(Args, Clone)]
pub(super) struct StatusArgs {
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    set_up: SetUp,
}

impl LedgerCommand {
    pub(super) async fn run(self) -> anyhow::Result<()> {
        let Self::Status(args) = self;
        let placet = args.set_up.open().await?;
        let status = placet.ledger.status().await;
        placet.close().await;
        let Some(status) = status? else {
            anyhow::bail!("there is no ledger: --ledger was always off");
        };
        if args.json {
            say(json!({
                "origin": status.origin, "key": status.vkey, "published": status.published,
                "toPublish": status.to_publish(), "checkpointAt": status.checkpoint_at,
                "lagSeconds": status.lag_seconds, "stopped": status.stopped,
            }));
        } else {
            say(format_args!("origin      {}", status.origin));
            say(format_args!("key         {}", status.vkey));
            say(format_args!("published   {} entries", status.published));
            say(format_args!("to publish  {} entries", status.to_publish()));
            if let Some(at) = status.checkpoint_at {
                say(format_args!("checkpoint  {at}"));
            }
            if let Some(lag) = status.lag_seconds {
                say(format_args!("lag         {lag} s"));
            }
        }
        match status.stopped {
            Some(why) => anyhow::bail!("the ledger is stopped: {why}"),
            None => Ok(()),
        }
    }
}
