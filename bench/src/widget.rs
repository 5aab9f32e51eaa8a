//! Benchmark of the widget: publishes the project with a real server, and starts `widget/bench.mjs` to
//! measure browsers.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::{
    machine,
    placet::{Program, Store, project},
    report,
};

#[derive(clap::Args)]
pub struct Args {
    /// Program of Placet to measure
    #[arg(long)]
    placet: PathBuf,
    /// Program of Chromium
    #[arg(long)]
    chromium: PathBuf,
    /// Folder `bench/widget` with its packages installed
    #[arg(long)]
    harness: PathBuf,
    /// File of the results
    #[arg(long)]
    results: PathBuf,
    /// Options of the harness, such as `--runs 5` (`node bench.mjs --help` lists them)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let data = tempfile::Builder::new().prefix("placet-bench-").tempdir()?;
    let program = Program::new(&args.placet, data.path().join("data"), Store::Sqlite)?;
    let server = program.start()?;
    // The harness's site has another port each time, so the project takes consents from any site.
    let project = project::make(server.address, "https://example.com")?;
    let output = Command::new("node")
        .arg("bench.mjs")
        .arg("--chromium")
        .arg(&args.chromium)
        .args([
            "--placet",
            &format!("http://{}{}", server.address, project.bundle()),
        ])
        .arg("--out")
        .arg(data.path().join("results.json"))
        .args(&args.options)
        .current_dir(&args.harness)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("starting node")?;
    let tables = String::from_utf8(output.stdout)?;
    println!("{tables}");
    ensure!(
        output.status.success(),
        "the harness ended with {}",
        output.status
    );
    report::replace_section(
        &args.results,
        "widget",
        &format!(
            "{}; {}.\n\n{tables}",
            machine::today(),
            machine::description()
        ),
    )
}
