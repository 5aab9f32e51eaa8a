//! The commands for people and CI: `cargo xtask <command>`.
//!
//! Each command installs its requirements (see [`setup`]) or says exactly what to install. To add a command,
//! add a module with `Args` and `run`, and a line in [`Command`].

mod bench;
mod catalogue;
mod counts;
mod css;
mod dist;
mod doctor;
mod lint;
mod postgres;
mod run;
mod sdk;
mod setup;
mod step;
mod test;
mod ui;
mod verifier;
mod wasm;
mod web;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Build, run, test and measure Placet.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
#[command(
    after_help = "Start here:  cargo xtask run    a running Placet with a demo shop\n             \
                        cargo xtask test   everything that CI checks"
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start Placet with a demo shop and print the addresses
    Run(run::Args),
    /// Lint, build and test on both databases and in browsers
    Test(test::Args),
    /// Build the files for browsers, and the server
    Build(web::Args),
    /// Make `dist/placet`: the whole product in one file
    Dist(dist::Args),
    /// Measure Placet beside others, into `bench/RESULTS.md`
    Bench(bench::Args),
    /// Format, clippy for host and wasm, architecture
    Lint(lint::Args),
    /// Make the vendor catalogue from the editors' lists and the licensed sources
    Catalogue(catalogue::Args),
    /// List installed and missing tools, and how to install them
    Doctor,
}

fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Run(args) => run::run(args),
        Command::Test(args) => return shown(test::run(&args)),
        Command::Build(args) => web::run(&args),
        Command::Dist(args) => dist::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Lint(args) => lint::run(&args),
        Command::Catalogue(args) => catalogue::run(&args),
        Command::Doctor => doctor::run(),
    };
    shown(done.map(|()| ExitCode::SUCCESS))
}

fn shown(result: anyhow::Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        eprintln!("\n✗ {error:#}");
        ExitCode::FAILURE
    })
}
