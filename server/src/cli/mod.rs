//! The command line: flags and `PLACET_*` variables, each with a default that serves an embedded
//! start.

mod aws;
mod billing;
mod catalogue;
mod consents;
mod demo;
mod doctor;
mod keys;
mod limits;
mod log;
mod mail;
mod network;
mod outbound;
mod republish;
mod serve;
mod set_up;
mod user;

use std::{process::ExitCode, time::Duration};

use clap::{Parser, Subcommand};

/// Threads that still work when everything else has ended get this long.
const LAST_WORK: Duration = Duration::from_secs(5);

/// Placet: collect, prove and configure consent, from one file.
#[derive(Parser)]
#[command(version, about, long_about = None, max_term_width = 100)]
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
    /// Try each part of the installation and say what is wrong
    Doctor(Box<doctor::DoctorArgs>),
    /// Make accounts and new passwords
    #[command(subcommand)]
    User(user::UserCommand),
    /// Care for the keys that sign access tokens
    #[command(subcommand)]
    Keys(keys::KeysCommand),
    /// Render what is live again with this version's SDK
    Republish(Box<republish::RepublishArgs>),
    /// Bring the database up to date and stop
    Migrate(Box<set_up::SetUp>),
    /// Care for the catalogue of vendors
    #[command(subcommand)]
    Catalogue(catalogue::CatalogueCommand),
    /// Import consents of a project from a file, CSV or NDJSON
    #[command(
        after_help = "Ends with 0 when every row was taken or there already, with 1 when \
        nothing was imported, with 3 when rows were left out (--partial).\n\nExample:\n  \
        placet import 019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70 consents.csv --data-dir /var/lib/placet"
    )]
    Import(Box<consents::ImportArgs>),
    /// Export consents of a project to a file or standard output
    #[command(after_help = "Example:\n  \
        placet export 019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70 --start 2026-11-01 > consents.ndjson")]
    Export(Box<consents::ExportArgs>),
    /// Print the OpenAPI document
    Openapi,
    /// Draw one picture: the server starts this for itself
    #[command(hide = true)]
    Draw,
}

impl Cli {
    /// Does what was asked, and says how it ended.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        // Drawing limits its processor time and its memory, so it starts no threads.
        if let Command::Draw = self.command {
            service::assets::drawing::child::run()?;
            return Ok(ExitCode::SUCCESS);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()?;
        let ended = runtime.block_on(self.work());
        // Work on threads that nothing can end does not keep the program.
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
            Command::Import(args) => return args.run().await,
            Command::Export(args) => return args.run().await,
            Command::Openapi => {
                println!("{}", server::router::document().to_pretty_json()?);
            }
            Command::Draw => {}
        }
        Ok(ExitCode::SUCCESS)
    }
}
