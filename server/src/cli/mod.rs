//! The command line: flags and `PLACET_*` variables. `placet serve` needs none of them.

mod aws;
mod billing;
mod catalogue;
mod chromium;
mod consents;
mod demo;
mod doctor;
mod evidence;
mod gvl;
mod keys;
mod ledger;
mod limits;
mod log;
mod mail;
mod network;
pub mod out;
mod outbound;
mod republish;
mod serve;
mod set_up;
mod user;
mod verify;
mod witness;

use std::{process::ExitCode, sync::LazyLock, time::Duration};

use clap::{Parser, Subcommand};

use out::say;

/// Time that the program waits for threads that still work when everything else has ended.
const LAST_WORK: Duration = Duration::from_secs(5);

/// The version and, in a program that `cargo xtask dist` built, the commit.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let version = env!("CARGO_PKG_VERSION");
    match option_env!("PLACET_COMMIT") {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    }
});

/// Placet: collect, prove and configure consent, from one file.
#[derive(Parser)]
#[command(name = "placet", version = VERSION.as_str(), about, long_about = None, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the admin UI, the API, the SDK and published files
    #[command(after_help = "Examples:\n  \
        placet serve\n  \
        placet serve --listen 0.0.0.0:8080 --base-url https://consent.example\n  \
        placet serve --database-url postgres://placet@localhost/placet --data-dir /var/lib/placet")]
    Serve(Box<serve::ServeArgs>),
    /// Serve with a demo account, project and shop; only on this machine
    Demo(Box<demo::DemoArgs>),
    /// Check each part of the installation and report faults
    Doctor(Box<doctor::DoctorArgs>),
    /// Make accounts, and change passwords and e-mail addresses
    #[command(subcommand)]
    User(user::UserCommand),
    /// Manage the keys that sign access tokens
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Publish live configurations again with this version's SDK
    Republish(Box<republish::RepublishArgs>),
    /// Update the database and its catalogue, then stop
    Migrate(Box<set_up::SetUp>),
    /// Manage the catalogue of vendors
    #[command(subcommand)]
    Catalogue(catalogue::CatalogueCommand),
    /// Manage the Global Vendor List, which the layout iab is published by
    #[command(subcommand)]
    Gvl(gvl::GvlCommand),
    /// Import consents of a project from a file, CSV or NDJSON
    #[command(
        after_help = "Exit code: 0 if every row was imported or there already, 1 if the import was \
        refused and changed nothing, or ended with an error, 3 if --partial left rows out, be it all \
        of them.\n\nExample:\n  \
        placet import 019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70 consents.csv --data-dir /var/lib/placet"
    )]
    Import(Box<consents::ImportArgs>),
    /// Export consents of a project to a file or standard output
    #[command(after_help = "Example:\n  \
        placet export 019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70 --start 2026-11-01 > consents.ndjson")]
    Export(Box<consents::ExportArgs>),
    /// Take pictures of a publication of a server without Chromium, by the Chromium of this machine
    #[command(after_help = "Example:\n  \
        PLACET_API_KEY=… placet evidence --chromium /usr/bin/chromium \
        https://consent.example/v1/publish/publications/PROJECT/CONFIGURATION/PUBLICATION")]
    Evidence(Box<evidence::EvidenceArgs>),
    /// Look after the ledger, which proves consents
    #[command(subcommand)]
    Ledger(ledger::LedgerCommand),
    /// Print the policy that verifies proofs of this installation, for verifiers and their counsel
    Policy(Box<set_up::SetUp>),
    /// Be a witness: sign checkpoints of the ledgers of others
    #[command(subcommand)]
    Witness(witness::WitnessCommand),
    /// Verify a proof of consent, offline, or whether a promise of one was kept
    #[command(after_help = verify::after_help())]
    Verify(verify::VerifyArgs),
    /// Print the OpenAPI document
    Openapi,
    /// Draw one picture; the server starts this for itself
    #[command(hide = true)]
    Draw,
    /// Read the look of one page; the server starts this for itself
    #[command(hide = true)]
    Look,
}

impl Cli {
    /// Runs the command and returns its exit code.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        // These set limits for their process, which leave no room for threads.
        match self.command {
            Command::Draw => {
                service::assets::drawing::child::run()?;
                return Ok(ExitCode::SUCCESS);
            }
            Command::Look => {
                service::looks::child::run()?;
                return Ok(ExitCode::SUCCESS);
            }
            _ => {}
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let ended = runtime.block_on(self.work());
        // Blocking work on threads cannot be cancelled and must not keep the program alive.
        runtime.shutdown_timeout(LAST_WORK);
        ended
    }

    async fn work(self) -> anyhow::Result<ExitCode> {
        match self.command {
            Command::Serve(args) => args.serve(None).await?,
            Command::Demo(args) => args.run().await?,
            Command::Doctor(args) => args.run().await?,
            Command::User(command) => command.run().await?,
            Command::Keys(command) => command.run().await?,
            Command::Republish(args) => args.run().await?,
            Command::Migrate(set_up) => set_up.migrate().await?,
            Command::Catalogue(command) => command.run().await?,
            Command::Gvl(command) => command.run().await?,
            Command::Import(args) => return args.run().await,
            Command::Export(args) => return args.run().await,
            Command::Evidence(args) => args.run().await?,
            Command::Ledger(command) => command.run().await?,
            Command::Policy(set_up) => ledger::print_policy(&set_up).await?,
            Command::Witness(command) => command.run().await?,
            Command::Verify(args) => return args.run(),
            Command::Openapi => {
                say(format_args!("{:#}", server::router::document()));
            }
            Command::Draw | Command::Look => {}
        }
        Ok(ExitCode::SUCCESS)
    }
}
