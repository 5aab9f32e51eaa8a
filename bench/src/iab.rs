//! Benchmark of the layout `iab`: publishes it by real servers with long lists of vendors, and starts `widget/iab.mjs`
//! to measure browsers.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use crate::{
    arguments::{Harness, Subject, tables},
    machine,
    placet::{Program, Store, project},
    report::{self, Gate},
};

#[path = "../../tests/support/gvl.rs"]
#[expect(
    dead_code,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a file of the tests, which use the rest of it"
)]
mod gvl;

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    harness: Harness,
    #[command(flatten)]
    gate: Gate,
    /// Another Global Vendor List to measure with, beside the invented one with 1,600 vendors
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Visits for each list
    #[arg(long, default_value_t = 7)]
    runs: u32,
}

pub fn run(args: &Args) -> Result<()> {
    let data = tempfile::Builder::new().prefix("placet-bench-").tempdir()?;
    let invented = data.path().join("vendor-list.json");
    fs::write(&invented, gvl::list(1, gvl::MANY).to_string())?;
    let mut lists = vec![("invented".to_owned(), invented.as_path())];
    if let Some(file) = &args.list {
        let name = file.file_stem().context("--list names no file")?;
        lists.push((name.to_string_lossy().into_owned(), file));
    }
    let mut servers = Vec::new();
    let mut script = args.harness.script("iab.mjs");
    script.args(["--runs", &args.runs.to_string()]);
    for (name, list) in lists {
        let (server, bundle) = publish(args, &data.path().join(&name), list)?;
        servers.push(server);
        script.args(["--list", &format!("{name}={bundle}")]);
    }
    let tables = tables(script)?;
    let about = format!("{}; {}.", machine::today(), machine::description());
    let section = tables.replacen("\n\n", &format!("\n\n{about} "), 1);
    report::replace_section(&args.subject.results, "iab", &section)?;
    args.gate.judge(section.matches("**missed**").count())
}

/// Starts a server with a list. Returns it with the address of the bundle that it has published.
fn publish(args: &Args, data: &Path, list: &Path) -> Result<(crate::process::Server, String)> {
    let mut program = Program::new(&args.subject.placet, data.to_owned(), Store::Sqlite)?;
    let options = ["--tcf-test-cmp-id", "31", "--tcf-gvl-url", "off"];
    program.options.extend(options.map(str::to_owned));
    let server = program.start()?;
    program.import_list(list)?;
    // The harness's site has another port each time, so the project takes consents from any site.
    let project = project::by_tcf(server.address, "https://example.com")?;
    let bundle = format!("http://{}{}", server.address, project.bundle());
    Ok((server, bundle))
}
