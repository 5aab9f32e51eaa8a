//! What browsers load, made in `target/web`, and the server that embeds it.

use anyhow::Result;
use clap::ValueEnum;

use crate::{
    sdk,
    step::{Tool, step},
    ui, workspace,
};

/// How much work goes into small files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// For looking and testing: built fast.
    Quick,
    /// For people's browsers: built small.
    Release,
}

/// A part that can be built alone.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The browser SDK
    Sdk,
    /// The admin UI's files for browsers
    Ui,
    /// The server, with everything inside
    Server,
}

#[derive(clap::Args)]
pub struct Args {
    /// Only this part
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// Small and fast, as `dist` does it
    #[arg(long)]
    release: bool,
}

pub fn run(args: &Args) -> Result<()> {
    let mode = if args.release {
        Mode::Release
    } else {
        Mode::Quick
    };
    match args.only {
        None => {
            parts(mode)?;
            server(mode)
        }
        Some(Part::Sdk) => sdk(),
        Some(Part::Ui) => ui::build(mode),
        Some(Part::Server) => server(mode),
    }
}

/// Builds all that the server embeds.
pub fn parts(mode: Mode) -> Result<()> {
    sdk()?;
    ui::build(mode)
}

/// The browser SDK has one form only: the small one is what must be tested.
fn sdk() -> Result<()> {
    step("browser SDK", || sdk::build(&workspace::root()))
}

/// Builds the server with the parts that are there.
pub fn server(mode: Mode) -> Result<()> {
    step("server", || {
        // No `--package`: the default members share their features with the tests' builds.
        let tool = Tool::cargo().args(["build", "--bin", "placet"]);
        let tool = if mode == Mode::Release {
            tool.arg("--release")
        } else {
            tool
        };
        tool.dir(&workspace::root()).run()
    })
}
