//! Benchmarks: builds Placet in release mode, installs the peers, and starts `bench/`.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::{
    postgres::{Cluster, Durability},
    setup::{self, Package},
    step::{Tool, step},
    web::{self, Mode},
    workspace,
};

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Stored consents, published files and starts, beside c15t, nginx and the bare databases
    Consents,
    /// The widget in Chromium: bytes, times and accessibility, beside other banners
    Widget,
    /// The layout `iab` in Chromium: tasks of a visit with 1,600 vendors, and IAB's library beside it
    Iab,
    /// Time for each page of the admin UI with 502 projects, 3,000 services and a million consents, on both databases
    Pages,
    /// Waits of an honest tenant while ten accounts attack the server, on both databases
    Attack,
}

#[derive(clap::Args)]
pub struct Args {
    /// Benchmark to run
    what: What,
    /// End with an error if a goal that was measured is missed; the widget has none
    #[arg(long)]
    strict: bool,
    /// Options of the benchmark, such as `--rounds 5` (`-- --help` lists them)
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

pub fn run(args: &Args) -> Result<()> {
    let mut options = args.options.clone();
    if args.strict {
        options.push("--strict".to_owned());
    }
    match args.what {
        What::Consents => consents(&options),
        What::Widget | What::Iab if args.strict => {
            bail!("benchmarks in Chromium have no goals to be strict about")
        }
        What::Widget => in_chromium("widget", &options),
        What::Iab => in_chromium("iab", &options),
        What::Pages => on_both("pages", &options),
        What::Attack => on_both("attack", &options),
    }
}

fn consents(options: &[String]) -> Result<()> {
    let peer = workspace::root().join("bench/consents/c15t");
    setup::need_npm_packages(&peer)?;
    Package::Nginx.need()?;
    release()?;
    let cluster = Cluster::start(Durability::Default)?;
    with_postgres(program("consents"), &cluster)?
        .arg("--c15t")
        .arg(peer)
        .arg("--nginx")
        .arg(Package::Nginx.found().context("nginx")?)
        .args(options)
        .interactive()
}

/// A benchmark of `bench/widget`.
fn in_chromium(benchmark: &str, options: &[String]) -> Result<()> {
    let harness = workspace::root().join("bench/widget");
    setup::need_npm_packages(&harness)?;
    Package::Chromium.need()?;
    release()?;
    program(benchmark)
        .arg("--chromium")
        .arg(setup::chromium().context("Chromium")?)
        .arg("--harness")
        .arg(harness)
        .args(options)
        .interactive()
}

/// A benchmark of Placet alone, on both databases.
fn on_both(benchmark: &str, options: &[String]) -> Result<()> {
    release()?;
    let cluster = Cluster::start(Durability::Default)?;
    with_postgres(program(benchmark), &cluster)?
        .args(options)
        .interactive()
}

/// The program of the benchmarks, with the arguments that each one takes.
fn program(benchmark: &str) -> Tool {
    Tool::new(workspace::target().join("release/bench"))
        .arg(benchmark)
        .arg("--placet")
        .arg(workspace::target().join("release/placet"))
        .arg("--results")
        .arg(workspace::root().join("bench/RESULTS.md"))
}

fn with_postgres(tool: Tool, cluster: &Cluster) -> Result<Tool> {
    Ok(tool
        .arg("--postgres-programs")
        .arg(setup::postgres_programs().context("PostgreSQL's programs")?)
        .args(["--postgres", cluster.url()]))
}

/// Benchmarks measure the release build, because that is what people install.
fn release() -> Result<()> {
    web::all(Mode::Release)?;
    step("benchmarks", || {
        Tool::cargo()
            .args(["build", "--release", "--package", "bench"])
            .dir(&workspace::root())
            .run()
    })
}
