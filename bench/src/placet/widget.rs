//! A published project for `widget/bench.mjs`, kept up while the widget is measured.

use std::{io::Read, path::PathBuf};

use anyhow::Result;
use serde_json::json;

use super::{Program, Store, project};

#[derive(clap::Args)]
pub struct Args {
    /// The program to measure
    #[arg(long)]
    placet: PathBuf,
}

pub fn run(args: &Args) -> Result<()> {
    let data = tempfile::tempdir()?;
    let program = Program::new(&args.placet, data.path().join("data"), Store::Sqlite)?;
    let server = program.start()?;
    // The bench's site takes another port each time; consents are taken from any.
    let project = project::make(server.address, "https://example.com")?;
    let base = format!("http://{}", server.address);
    println!(
        "{}",
        json!({"base": base, "bundle": format!("{base}{}", project.bundle()), "project": project.id})
    );
    // Whoever started this closes our input, or is gone.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
