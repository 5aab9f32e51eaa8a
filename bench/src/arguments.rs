//! Arguments that several benchmarks take. `cargo xtask bench` gives them.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

/// The program under test, and the file of its results.
#[derive(clap::Args)]
pub struct Subject {
    /// Program of Placet
    #[arg(long)]
    pub placet: PathBuf,
    /// File of the results
    #[arg(long)]
    pub results: PathBuf,
}

/// Chromium, and the scripts of `bench/widget` that drive it.
#[derive(clap::Args)]
pub struct Harness {
    /// Program of Chromium
    #[arg(long)]
    chromium: PathBuf,
    /// Folder `bench/widget` with its packages installed
    #[arg(long)]
    harness: PathBuf,
}

impl Harness {
    /// The command that starts a script of the folder.
    pub fn script(&self, name: &str) -> Command {
        let mut command = Command::new("node");
        command
            .arg(name)
            .arg("--chromium")
            .arg(&self.chromium)
            .current_dir(&self.harness);
        command
    }
}

/// Runs a script of the harness. Shows the tables that it prints, and returns them.
pub fn tables(mut script: Command) -> Result<String> {
    let output = script
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("starting node")?;
    let tables = String::from_utf8(output.stdout)?;
    println!("{tables}");
    let status = output.status;
    ensure!(status.success(), "the harness ended with {status}");
    Ok(tables)
}
