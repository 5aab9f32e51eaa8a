//! Benchmark of the widget: publishes the project with a real server, and starts `widget/bench.mjs` to
//! measure browsers.

use anyhow::Result;

use crate::{
    arguments::{Harness, Subject, tables},
    machine,
    placet::{Program, Store, project},
    report,
};

#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    subject: Subject,
    #[command(flatten)]
    harness: Harness,
    /// Options of the harness, such as `--runs 5` (`node bench.mjs --help` lists them)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    options: Vec<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let data = tempfile::Builder::new().prefix("placet-bench-").tempdir()?;
    let program = Program::new(
        &args.subject.placet,
        data.path().join("data"),
        Store::Sqlite,
    )?;
    let server = program.start()?;
    // The harness's site has another port each time, so the project takes consents from any site.
    let project = project::make(server.address, "https://example.com")?;
    let bundle = format!("http://{}{}", server.address, project.bundle());
    let mut script = args.harness.script("bench.mjs");
    script
        .args(["--placet", &bundle])
        .arg("--out")
        .arg(data.path().join("results.json"))
        .args(&args.options);
    let tables = tables(script)?;
    report::replace_section(
        &args.subject.results,
        "widget",
        &format!(
            "{}; {}.\n\n{tables}",
            machine::today(),
            machine::description()
        ),
    )
}
