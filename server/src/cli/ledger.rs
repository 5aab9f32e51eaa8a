//! `placet ledger`, and the flags of the ledger.

use std::{
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use anyhow::Context;
use clap::{Args, Subcommand, ValueEnum};
use serde_json::json;
use service::{
    consents::TreeAudit,
    ledger::{
        Authority, AuthorityStatus, Retirement, Rotation, Settings, WitnessStatus, Witnesses,
    },
};

use super::{
    out::{report, say},
    set_up::SetUp,
};

const NO_LEDGER: &str = "there is no ledger: --ledger was always off";
/// Entries, or rows, between two lines of progress.
const REPORTED: u64 = 100_000;

#[derive(Args, Clone)]
pub(super) struct LedgerArgs {
    /// Prove consents by a ledger: each gets an entry in a Merkle tree, whose signed checkpoints are published
    #[arg(long, env = "PLACET_LEDGER", value_enum, default_value_t = Switch::On)]
    ledger: Switch,
    /// Seconds between two checkpoints [default: 10; 60 with --object-store]
    #[arg(long, env = "PLACET_LEDGER_EVERY", value_parser = clap::value_parser!(u64).range(1..=86_400), value_name = "SECONDS")]
    ledger_every: Option<u64>,
    /// Witnesses to ask for signatures of checkpoints, with their addresses, and how many make a quorum: a file
    /// (c2sp.org/tlog-policy). Lines `log` are not needed
    #[arg(long, env = "PLACET_WITNESS_POLICY", value_name = "FILE")]
    witness_policy: Option<PathBuf>,
    /// Seconds between two requests to a witness, at least
    #[arg(long, env = "PLACET_WITNESS_EVERY", default_value = "3600", value_parser = clap::value_parser!(u64).range(1..=86_400), value_name = "SECONDS")]
    witness_every: u64,
    /// Authority that stamps the time of checkpoints (RFC 3161): its address, which stands in each proof
    #[arg(long, env = "PLACET_TSA_URL", value_name = "URL")]
    tsa_url: Option<String>,
    /// Seconds between two stamps, at least
    #[arg(long, env = "PLACET_TSA_EVERY", default_value = "86400", value_parser = clap::value_parser!(u64).range(1..=2_592_000), value_name = "SECONDS")]
    tsa_every: u64,
    /// Years for which entries of the ledger are kept, published to all; older ones are removed, and no new proof of them can
    /// be made [default: for ever]
    #[arg(long, env = "PLACET_LEDGER_KEEP_YEARS", value_parser = clap::value_parser!(u32).range(6..=100), value_name = "YEARS")]
    ledger_keep_years: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

impl LedgerArgs {
    /// The settings of an installation with files in a bucket or in a folder.
    pub(super) fn settings(&self, in_bucket: bool) -> anyhow::Result<Settings> {
        let usual = if in_bucket { 60 } else { 10 };
        let witnesses = match &self.witness_policy {
            Some(file) => Some(self.witnesses(file)?),
            None => None,
        };
        let authority = match &self.tsa_url {
            Some(url) => {
                let every = Duration::from_secs(self.tsa_every);
                Some(Authority::new(url, every).context("--tsa-url")?)
            }
            None => None,
        };
        Ok(Settings {
            on: self.ledger == Switch::On,
            every: Duration::from_secs(self.ledger_every.unwrap_or(usual)),
            witnesses,
            authority,
            keep_years: self.ledger_keep_years,
        })
    }

    fn witnesses(&self, file: &std::path::Path) -> anyhow::Result<Witnesses> {
        let text = std::fs::read_to_string(file)
            .with_context(|| format!("--witness-policy: {} cannot be read", file.display()))?;
        let every = Duration::from_secs(self.witness_every);
        Witnesses::new(&text, every)
            .with_context(|| format!("--witness-policy: {} is no policy", file.display()))
    }
}

#[derive(Subcommand)]
pub(super) enum LedgerCommand {
    /// Print name, key, size and state of the ledger
    Status(Box<StatusArgs>),
    /// Compare the whole ledger with the database: each entry with the row that it binds, each row with its entry, each
    /// tile with its entries, and all of them with the signed checkpoint
    Audit(Box<StatusArgs>),
    /// Give entries to the consents and publications that were stored without one: before there was a ledger, or while it
    /// was off. They prove existence from then on. It works beside a server, and a second run goes on where one ended
    Backfill(Box<BackfillArgs>),
    /// Make a key that signs from the next checkpoint on, beside the present one; with `--finish`, end the older of the two.
    /// It works beside a server
    Rotate(Box<RotateArgs>),
    /// End the ledger and begin another one with a name and a key of its own, for instance when its files are lost. All servers
    /// must be stopped. Proofs of the older one stay good
    Retire(Box<RetireArgs>),
}

#[derive(Args, Clone)]
pub(super) struct RetireArgs {
    /// Do it: nothing brings the ledger back
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    set_up: SetUp,
}

#[derive(Args, Clone)]
pub(super) struct RotateArgs {
    /// End the older of two keys
    #[arg(long)]
    finish: bool,
    #[command(flatten)]
    set_up: SetUp,
}

#[derive(Args, Clone)]
pub(super) struct BackfillArgs {
    #[command(flatten)]
    set_up: SetUp,
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
        match self {
            Self::Status(args) => status(*args).await,
            Self::Audit(args) => audit(*args).await,
            Self::Backfill(args) => backfill(*args).await,
            Self::Rotate(args) => rotate(*args).await,
            Self::Retire(args) => retire(*args).await,
        }
    }
}

/// Tells of a part every [`REPORTED`] rows.
#[derive(Default)]
struct Told(AtomicU64);

impl Told {
    fn at(&self, part: &'static str, done: u64, all: u64) {
        let step = done / REPORTED;
        if self.0.swap(step, Ordering::Relaxed) != step && step > 0 {
            match all {
                0 => report(format_args!("{part}: {done}")),
                all => report(format_args!("{part}: {done} of {all}")),
            }
        }
    }
}

async fn status(args: StatusArgs) -> anyhow::Result<()> {
    let placet = args.set_up.open().await?;
    let status = placet.ledger.status().await;
    placet.close().await;
    let status = status?.context(NO_LEDGER)?;
    if args.json {
        say(json!({
            "origin": status.origin, "key": status.vkey, "olderKey": status.older_vkey, "mlDsaKey": status.ml_dsa_vkey,
            "predecessors": status.predecessors, "published": status.published,
            "toPublish": status.to_publish(), "checkpointAt": status.checkpoint_at,
            "lagSeconds": status.lag_seconds, "stopped": status.stopped, "prunedTo": status.pruned_to,
            "witnesses": status.witnesses, "authority": status.authority,
        }));
    } else {
        say(format_args!("origin      {}", status.origin));
        say(format_args!("key         {}", status.vkey));
        if let Some(older) = &status.older_vkey {
            say(format_args!("older key   {older}, which signs too"));
        }
        if let Some(key) = &status.ml_dsa_vkey {
            say(format_args!("ML-DSA-44   {key}"));
        }
        for ended in &status.predecessors {
            say(format_args!(
                "before      {}, ended at {} with {} entries{}",
                ended.origin,
                ended.ended_at,
                ended.size,
                ended
                    .pruned_to
                    .map_or_else(String::new, |index| format!(", kept from entry {index}"))
            ));
        }
        say(format_args!("published   {} entries", status.published));
        say(format_args!("to publish  {} entries", status.to_publish()));
        if let Some(at) = status.checkpoint_at {
            say(format_args!("checkpoint  {at}"));
        }
        if let Some(lag) = status.lag_seconds {
            say(format_args!("lag         {lag} s"));
        }
        if let Some(index) = status.pruned_to {
            say(format_args!("kept from   entry {index}"));
        }
        for witness in &status.witnesses {
            say(format_args!("witness     {}", about(witness)));
        }
        if let Some(authority) = &status.authority {
            say(format_args!("time stamps {}", about_authority(authority)));
        }
    }
    match status.stopped {
        Some(why) => anyhow::bail!("the ledger is stopped: {why}"),
        None => Ok(()),
    }
}

async fn audit(args: StatusArgs) -> anyhow::Result<()> {
    let placet = args.set_up.open().await?;
    let told = Told::default();
    let progress = |part, done, all| told.at(part, done, all);
    let audit = placet.consents.audit_ledger(&progress).await;
    placet.close().await;
    let audit = audit?.context(NO_LEDGER)?;
    if args.json {
        say(serde_json::to_string(&audit)?);
    } else {
        for tree in audit.ended.iter().chain([&audit.present]) {
            say_tree(tree);
        }
        say(format_args!(
            "rows that wait for a checkpoint         {}",
            audit.waiting
        ));
        if audit.entry_removed > 0 {
            say(format_args!(
                "rows whose entries are no longer kept   {}",
                audit.entry_removed
            ));
        }
        if audit.in_retired > 0 {
            say(format_args!(
                "rows with entries in an earlier ledger  {}",
                audit.in_retired
            ));
        }
        if audit.entry_lost > 0 {
            say(format_args!(
                "rows whose entries were in lost files   {}",
                audit.entry_lost
            ));
        }
        say(format_args!(
            "consents stored without an entry        {}",
            audit.without_entry
        ));
        for fault in &audit.faults {
            say(format_args!("FAULT {fault}"));
        }
    }
    match audit.fault_count {
        0 => Ok(()),
        1 => anyhow::bail!("1 fault"),
        faults => anyhow::bail!("{faults} faults"),
    }
}

fn say_tree(tree: &TreeAudit) {
    say(format_args!("origin         {}", tree.origin));
    say(format_args!("entries        {}", tree.entries));
    if tree.pruned_to > 0 {
        say(format_args!("checked from   entry {}", tree.pruned_to));
    }
    if tree.lost_files > 0 {
        say(format_args!(
            "lost           {} of its files",
            tree.lost_files
        ));
    }
    for (kind, count) in &tree.of_type {
        say(format_args!("  {kind:<12} {count}"));
    }
    let counts = [
        (
            "consents opened by their row           ",
            tree.consents.by_row,
        ),
        (
            "consents opened by what an erasure left",
            tree.consents.by_tombstone,
        ),
        (
            "entries of consents without a row      ",
            tree.consents.removed,
        ),
        (
            "entries of publications without a row  ",
            tree.publications_removed,
        ),
        (
            "entries of erasures without a row      ",
            tree.erasures_removed,
        ),
        (
            "entries of pictures without a row      ",
            tree.pictures_removed,
        ),
        ("entries of keys without a row          ", tree.keys_unknown),
    ];
    for (about, count) in counts {
        say(format_args!("{about} {count}"));
    }
}

async fn backfill(args: BackfillArgs) -> anyhow::Result<()> {
    let placet = args.set_up.open().await?;
    let told = Told::default();
    let logged = placet.log_older(&|part, done| told.at(part, done, 0)).await;
    placet.close().await;
    let (publications, consents) = logged?.context(NO_LEDGER)?;
    say(format_args!(
        "{consents} consents and {publications} publications have entries now; the next checkpoints cover them"
    ));
    Ok(())
}

async fn rotate(args: RotateArgs) -> anyhow::Result<()> {
    let placet = args.set_up.open().await?;
    let rotated = if args.finish {
        placet.ledger.retire_key().await
    } else {
        placet.ledger.add_key().await
    };
    placet.close().await;
    match rotated?.context(NO_LEDGER)? {
        Rotation::Added(vkeys) => {
            for vkey in vkeys {
                say(format_args!("new key  {vkey}"));
            }
            say(
                "They sign from the next checkpoint on, beside the older keys: the first checkpoints, the second (ML-DSA-44) proofs.",
            );
            say(
                "Back up the database now: without the new keys the ledger cannot go on later. Tell your witnesses the first one,",
            );
            say("and those who verify both. Then end the older ones:");
            say("placet ledger rotate --finish");
        }
        Rotation::Retired(vkeys) => {
            for vkey in vkeys {
                say(format_args!("ended    {vkey}"));
            }
            say(
                "They sign no later checkpoint. What they signed stays good. Back up the database now.",
            );
        }
        Rotation::Refused(why) => anyhow::bail!(why),
    }
    Ok(())
}

async fn retire(args: RetireArgs) -> anyhow::Result<()> {
    anyhow::ensure!(
        args.yes,
        "this ends the ledger for good: its key is destroyed, and verifiers must learn the key of the next one. Stop all servers, \
         back up, and say --yes"
    );
    let placet = args.set_up.open().await?;
    let told = Told::default();
    let retired = placet
        .retire_ledger(&|part, done| told.at(part, done, 0))
        .await;
    placet.close().await;
    match retired?.context(NO_LEDGER)? {
        Retirement::Done(next) => {
            say(format_args!(
                "ended    {} with {} entries",
                next.predecessor, next.size
            ));
            if let Some(why) = &next.unclosed {
                say(format_args!(
                    "         without an entry that tells it, because the ledger stood still: {why}"
                ));
            }
            say(format_args!("origin   {}", next.origin));
            say(format_args!("new key  {}", next.vkey));
            say(
                "Back up the database now: it alone has the new key. Tell your witnesses, and those who verify, by",
            );
            say("placet policy");
        }
        Retirement::Refused(why) => anyhow::bail!(why),
    }
    Ok(())
}

/// A witness in a line.
fn about(witness: &WitnessStatus) -> String {
    let signed = match (witness.size, witness.cosigned_at) {
        (Some(size), Some(at)) => format!("signed {size} entries at {at}"),
        _ => "has not signed yet".to_owned(),
    };
    let fault = match &witness.fault {
        Some(fault) => format!("; when it was last asked: {fault}"),
        None => String::new(),
    };
    format!("{} {signed}{fault}", witness.name)
}

/// The authority in a line.
fn about_authority(authority: &AuthorityStatus) -> String {
    let stamped = match (authority.size, authority.stamped_at) {
        (Some(size), Some(at)) => format!("stamped {size} entries at {at}"),
        _ => "has not stamped yet".to_owned(),
    };
    let fault = match &authority.fault {
        Some(fault) => format!("; when it was last asked: {fault}"),
        None => String::new(),
    };
    format!("{} {stamped}{fault}", authority.url)
}

/// `placet policy`.
pub(super) async fn print_policy(set_up: &SetUp) -> anyhow::Result<()> {
    let placet = set_up.open().await?;
    let policy = placet.ledger.policy_text().await;
    placet.close().await;
    let policy = policy?.context(NO_LEDGER)?;
    say(policy.trim_end());
    Ok(())
}
