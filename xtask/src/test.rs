//! Everything that CI checks, in parts that can be run alone.

use std::{fs, process::ExitCode, time::Instant};

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::{
    counts::Counts,
    lint,
    postgres::{Cluster, Durability},
    setup::{self, Package, on_path},
    step::{Tool, elapsed, now, step},
    web::{self, Mode},
    workspace,
};

/// A part of the tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Format, clippy for host and wasm, architecture, licences
    Lint,
    /// Tests inside the crates
    Unit,
    /// The HTTP API, each case on both databases
    Api,
    /// Every operation of the OpenAPI document, by Schemathesis, on both databases; only when named,
    /// as it takes long
    Contract,
    /// Crashes, full disks, databases that go away
    Faults,
    /// The browser SDK: its logic, and the widget in Chromium
    Sdk,
    /// The admin UI and the main job, in Chromium, on both databases
    Browser,
}

impl Part {
    const USUAL: [Self; 6] = [
        Self::Lint,
        Self::Unit,
        Self::Api,
        Self::Faults,
        Self::Sdk,
        Self::Browser,
    ];

    fn name(self) -> String {
        self.to_possible_value()
            .map(|value| value.get_name().to_owned())
            .unwrap_or_default()
    }

    /// Whether it sees what browsers load.
    fn needs_web(self) -> bool {
        !matches!(self, Self::Lint | Self::Unit)
    }

    fn needs_postgres(self) -> bool {
        self != Self::Lint
    }
}

#[derive(clap::Args)]
pub struct Args {
    /// Only these parts, comma-separated
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// PostgreSQL for the tests [default: a private one, started and removed]
    #[arg(
        long,
        env = "PLACET_TEST_POSTGRES",
        hide_env_values = true,
        value_name = "URL"
    )]
    postgres: Option<String>,
    /// Runs what fails again, at most so often, and names what passes then as flaky. Without it a
    /// test that fails once has failed
    #[arg(long, value_name = "TIMES", default_value_t = 0)]
    retries: u8,
    /// Options for the test runner, as a part of the tests' names
    #[arg(last = true, value_name = "OPTIONS")]
    runner: Vec<String>,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let started = now();
    let mut parts = args.only.clone();
    if parts.is_empty() {
        parts = Part::USUAL.into();
    }
    if parts.iter().any(|part| part.needs_web()) {
        web::parts(Mode::Quick)?;
    }
    let cluster = match &args.postgres {
        None if parts.iter().any(|part| part.needs_postgres()) => {
            Some(Cluster::start(Durability::Off)?)
        }
        _ => None,
    };
    let postgres = args
        .postgres
        .as_deref()
        .or(cluster.as_ref().map(Cluster::url));
    let test = Test {
        postgres,
        retries: args.retries,
        runner: &args.runner,
    };
    let mut results = Vec::new();
    for part in parts {
        println!("\n── {} ──", part.name());
        let begun = now();
        let counts = test.part(part).unwrap_or_else(|error| {
            eprintln!("✗ {error:#}");
            Counts::one(false)
        });
        results.push((part.name(), counts, elapsed(begun)));
    }
    drop(cluster);
    Ok(summary(&results, started))
}

/// Prints the table and, last, the line that says all.
fn summary(results: &[(String, Counts, String)], started: Instant) -> ExitCode {
    let mut sum = Counts::default();
    println!(
        "\n{:<10}{:>8}{:>8}{:>9}{:>7}  in",
        "part", "passed", "failed", "skipped", "flaky"
    );
    for (name, counts, time) in results {
        println!(
            "{name:<10}{:>8}{:>8}{:>9}{:>7}  {time}",
            counts.passed, counts.failed, counts.skipped, counts.flaky
        );
        sum += *counts;
    }
    if sum.flaky > 0 {
        println!("flaky is broken: what passed the second time only is named above");
    }
    println!("in {}", elapsed(started));
    println!("{} passed, {} failed", sum.passed, sum.failed);
    if sum.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

struct Test<'a> {
    postgres: Option<&'a str>,
    retries: u8,
    runner: &'a [String],
}

impl Test<'_> {
    fn part(&self, part: Part) -> Result<Counts> {
        match part {
            Part::Lint => {
                let mut counts = lint::checks()?;
                counts += lint::architecture()?;
                Ok(counts)
            }
            Part::Unit => {
                // The crates of the server together; the tools apart, as `cargo xtask` builds
                // them: other features would build the big ones twice.
                let mut counts = self.rust(&["--lib", "--bins"])?;
                counts += self.rust(&["--package", "xtask"])?;
                counts += self.rust(&["--package", "bench"])?;
                Ok(counts)
            }
            Part::Api => {
                setup::need_npm_packages(&workspace::oracles())?;
                setup::need_python_packages(&workspace::oracles())?;
                Package::Varnish.need()?;
                Package::NginxPurge.need()?;
                // What the guides show runs as it stands there.
                Package::Php.need()?;
                Package::Curl.need()?;
                self.rust(&["--test", "api"])
            }
            Part::Contract => {
                setup::need_python_packages(&workspace::oracles())?;
                self.rust(&["--test", "contract"])
            }
            Part::Faults => {
                // They start the real binary.
                web::server(Mode::Quick)?;
                self.rust(&["--test", "faults"])
            }
            Part::Sdk => {
                Package::Firefox.need()?;
                Package::Php.need()?;
                let mut counts = self.rust(&["--package", "sdk-wasm", "--lib"])?;
                step("what renders the widgets of the tests", || {
                    // As the server: the default members share their features.
                    Tool::cargo()
                        .args(["build", "--example", "widget_fixture"])
                        .dir(&workspace::root())
                        .run()
                })?;
                counts += self.playwright("widget")?;
                Ok(counts)
            }
            Part::Browser => {
                // Letters and logins go through servers that others wrote.
                setup::need_npm_packages(&workspace::oracles())?;
                self.playwright("admin")
            }
        }
    }

    fn rust(&self, select: &[&str]) -> Result<Counts> {
        rust(select, self.runner, self.retries, self.postgres)
    }

    fn playwright(&self, project: &str) -> Result<Counts> {
        let dir = workspace::browser_tests();
        setup::need_npm_packages(&dir)?;
        Package::Chromium.need()?;
        web::server(Mode::Quick)?;
        let report = workspace::target().join(format!("browser-{project}.json"));
        fs::remove_file(&report).ok();
        let mut tool = Tool::new(dir.join("node_modules/.bin/playwright"))
            .args(["test", "--project", project, "--reporter", "list,json"])
            .args(["--retries", &self.retries.to_string()])
            .args(self.runner)
            .env("PLAYWRIGHT_JSON_OUTPUT_NAME", &report)
            .env("PLACET_BINARY", workspace::target().join("debug/placet"))
            .env(
                "PLACET_WIDGET_FIXTURE",
                workspace::target().join("debug/examples/widget_fixture"),
            )
            .env("PLACET_CHROMIUM", setup::chromium().context("Chromium")?)
            .dir(&dir);
        if let Some(firefox) = setup::firefox() {
            tool = tool.env("PLACET_FIREFOX", firefox);
        }
        if let Some(url) = self.postgres {
            tool = tool.env("PLACET_TEST_POSTGRES", url);
        }
        let (succeeded, _) = tool.watched()?;
        let counts = fs::read_to_string(&report)
            .ok()
            .and_then(|text| Counts::of_playwright(&text));
        Ok(noticed(succeeded, counts))
    }
}

/// Runs Rust tests, with nextest where it is installed.
pub fn rust(
    select: &[&str],
    runner: &[String],
    retries: u8,
    postgres: Option<&str>,
) -> Result<Counts> {
    let nextest = on_path("cargo-nextest").is_some();
    let mut tool = if nextest {
        Tool::cargo()
            .args([
                "nextest",
                "run",
                "--no-fail-fast",
                "--no-tests",
                "pass",
                "--color",
                "never",
            ])
            .args(["--status-level", "slow", "--final-status-level", "flaky"])
            .args(["--retries", &retries.to_string()])
            .args(select)
            .args(runner)
    } else {
        let tool = Tool::cargo()
            .args(["test", "--no-fail-fast", "--color", "never"])
            .args(select);
        tool.arg("--").args(runner)
    };
    if let Some(url) = postgres {
        tool = tool.env("PLACET_TEST_POSTGRES", url);
    }
    let (succeeded, output) = tool.dir(&workspace::root()).watched()?;
    let counts = if nextest {
        Counts::of_nextest(&output)
    } else {
        Counts::of_cargo_test(&output)
    };
    Ok(noticed(succeeded, counts))
}

/// A runner that fails without a failed test (a build that breaks, a crash) counts as one.
fn noticed(succeeded: bool, counts: Option<Counts>) -> Counts {
    let mut counts = counts.unwrap_or_default();
    if !succeeded && counts.failed == 0 {
        counts.failed = 1;
    }
    counts
}
