//! Everything a person or CI starts: `cargo xtask <command>`.

mod catalogue;

use clap::Parser;

#[derive(Parser)]
enum Cli {
    /// Make the vendor catalogue from the editors' lists and the licensed sources
    Catalogue(catalogue::Args),
}

fn main() -> anyhow::Result<()> {
    match Cli::parse() {
        Cli::Catalogue(args) => catalogue::run(&args),
    }
}
