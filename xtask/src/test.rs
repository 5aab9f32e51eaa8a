//! Everything that CI checks, in parts that can be run alone.
//!
//! Two lanes run beside each other ([`Lane`]): one compiles and runs Rust, the other one runs whatever
//! needs no compiler. What the second needs of the first it waits for ([`Built`]), so that the widget's
//! tests begin when the SDK and what renders their widgets are there, and not when all else is.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::{
    counts::Counts,
    lint,
    postgres::{Cluster, Durability},
    setup::{self, Package, on_path},
    step::{Tool, beside, elapsed, for_people, now, say, step},
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
    const ALL: [Self; 7] = [
        Self::Lint,
        Self::Unit,
        Self::Api,
        Self::Contract,
        Self::Faults,
        Self::Sdk,
        Self::Browser,
    ];

    /// As people name it, and as its lines begin.
    fn name(self) -> &'static str {
        match self {
            Self::Lint => "lint",
            Self::Unit => "unit",
            Self::Api => "api",
            Self::Contract => "contract",
            Self::Faults => "faults",
            Self::Sdk => "sdk",
            Self::Browser => "browser",
        }
    }

    /// Whether it sees the browser SDK, which is embedded in what publishes.
    fn needs_sdk(self) -> bool {
        !matches!(self, Self::Lint | Self::Unit)
    }

    /// Whether it sees the admin UI.
    fn needs_ui(self) -> bool {
        !matches!(self, Self::Lint | Self::Unit | Self::Sdk)
    }

    /// Whether it starts the program itself.
    fn starts_server(self) -> bool {
        matches!(self, Self::Faults | Self::Browser)
    }

    fn needs_postgres(self) -> bool {
        matches!(
            self,
            Self::Api | Self::Contract | Self::Faults | Self::Browser
        )
    }
}

#[derive(clap::Args)]
pub struct Args {
    /// Only these parts, comma-separated
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// The whole matrix: also `contract`, every test of the admin UI on both databases, every rule of
    /// axe in dark mode, and a picture of each state of the widget in `target/pictures`
    #[arg(long)]
    all: bool,
    /// One thing at a time, to tell what a busy machine breaks from what is broken
    #[arg(long)]
    one_by_one: bool,
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
        parts = if args.all {
            Part::ALL.into()
        } else {
            Part::USUAL.into()
        };
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
        parts: &parts,
        postgres,
        folder: Scratch::make()?,
        retries: args.retries,
        all: args.all,
        runner: &args.runner,
        results: Mutex::default(),
        fixture: Built::default(),
        server: Built::default(),
    };
    // With one lane only there is nothing to wait for and nobody to be told from.
    let lanes = Lane::ALL.map(|lane| lane.parts(&parts));
    if args.one_by_one || lanes.iter().any(Vec::is_empty) {
        test.build_and_check();
        test.without_compiler();
    } else {
        thread::scope(|scope| {
            scope.spawn(|| beside("others │", || test.without_compiler()));
            beside("cargo  │", || test.build_and_check());
        });
    }
    Ok(test.summary(started))
}

/// What runs beside each other.
#[derive(Clone, Copy)]
enum Lane {
    /// Cargo, one command after the other: they would wait for each other's lock.
    Rust,
    /// Whatever needs no compiler.
    Others,
}

impl Lane {
    const ALL: [Self; 2] = [Self::Rust, Self::Others];

    fn parts(self, wanted: &[Part]) -> Vec<Part> {
        let own: &[Part] = match self {
            Self::Rust => &[
                Part::Sdk,
                Part::Lint,
                Part::Unit,
                Part::Api,
                Part::Faults,
                Part::Contract,
            ],
            Self::Others => &[Part::Lint, Part::Sdk, Part::Browser],
        };
        let is_wanted = |part: &Part| wanted.contains(part);
        own.iter().copied().filter(is_wanted).collect()
    }
}

/// Something that one lane builds and the other one waits for.
#[derive(Default)]
struct Built {
    /// Whether it went well, once it is decided.
    outcome: Mutex<Option<bool>>,
    decided: Condvar,
}

impl Built {
    /// Says how building it ended.
    fn is_decided(&self, went_well: bool) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(went_well);
        self.decided.notify_all();
    }

    /// Waits until it is there.
    fn wait(&self, what: &str) -> Result<()> {
        let outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        let outcome = self
            .decided
            .wait_while(outcome, |outcome| outcome.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        if *outcome != Some(true) {
            bail!("{what} is not built");
        }
        Ok(())
    }
}

/// A folder in memory for the data of tests, where there is enough of it.
struct Scratch(Option<PathBuf>);

impl Scratch {
    const ROOM: u64 = 1 << 30;
    const PREFIX: &str = "placet-tests-";

    fn make() -> Result<Self> {
        let Some(memory) = workspace::memory(Self::ROOM) else {
            return Ok(Self(None));
        };
        // Memory is worth more than a disk: what a run left that was killed goes with the next one.
        for entry in fs::read_dir(memory)?.flatten() {
            let name = entry.file_name();
            let owner = name
                .to_str()
                .and_then(|name| name.strip_prefix(Self::PREFIX));
            if owner.is_some_and(|process| !Path::new("/proc").join(process).exists()) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let folder = memory.join(format!("{}{}", Self::PREFIX, std::process::id()));
        fs::create_dir(&folder).with_context(|| format!("making {}", folder.display()))?;
        Ok(Self(Some(folder)))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Some(folder) = &self.0 {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// What comes before the parts, as the table names it.
const BUILD: &str = "build";

/// How a part, or a piece of it, ended.
struct Ended {
    part: &'static str,
    counts: Counts,
    took: Duration,
}

struct Test<'a> {
    parts: &'a [Part],
    postgres: Option<&'a str>,
    folder: Scratch,
    retries: u8,
    all: bool,
    runner: &'a [String],
    results: Mutex<Vec<Ended>>,
    /// What renders the widgets of the tests.
    fixture: Built,
    /// The program.
    server: Built,
}

impl Test<'_> {
    /// Does a part, or a piece of it, and keeps how it ended.
    fn record(&self, part: &'static str, work: impl FnOnce() -> Result<Counts>) -> bool {
        if part != BUILD {
            say(&format!("── {part} ──"));
        }
        let begun = now();
        let counts = work().unwrap_or_else(|error| {
            say(&format!("✗ {error:#}"));
            Counts::one(false)
        });
        let ended = Ended {
            part,
            counts,
            took: begun.elapsed(),
        };
        self.results
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(ended);
        counts.failed == 0
    }

    fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// The lane of cargo: first what the other lane waits for.
    fn build_and_check(&self) {
        let mut is_built = true;
        let mut build = |work: &dyn Fn() -> Result<()>| {
            is_built = is_built && self.record(BUILD, || work().map(|()| Counts::default()));
            is_built
        };
        if self.parts.iter().any(|part| part.needs_sdk()) {
            build(&web::sdk);
        }
        if self.wants(Part::Sdk) {
            let there = build(&fixture);
            self.fixture.is_decided(there);
        }
        if self.parts.iter().any(|part| part.needs_ui()) {
            build(&|| web::ui_beside(Mode::Quick, || web::crates_of_the_server(Mode::Quick)));
        }
        if self.parts.iter().any(|part| part.starts_server()) {
            let there = build(&|| web::server(Mode::Quick));
            self.server.is_decided(there);
        }
        for part in Lane::Rust.parts(self.parts) {
            self.record(part.name(), || self.part(part));
        }
    }

    /// The lane of what needs no compiler.
    fn without_compiler(&self) {
        // While the other lane compiles, so that it finds what it needs. Where that fails, the part that
        // needs it says so.
        if self.parts.iter().any(|part| part.needs_sdk()) {
            let _ = Package::Node.need();
        }
        for part in [Part::Api, Part::Contract] {
            if self.wants(part) {
                let _ = need_programs(part);
            }
        }
        for part in Lane::Others.parts(self.parts) {
            self.record(part.name(), || match part {
                Part::Lint => lint::without_compiler(),
                Part::Sdk => self.widget(),
                _ => self.admin(),
            });
        }
    }

    fn part(&self, part: Part) -> Result<Counts> {
        match part {
            Part::Lint => {
                let mut counts = lint::with_compiler()?;
                counts += lint::architecture()?;
                Ok(counts)
            }
            Part::Unit => {
                // The crates of the server together; the tools apart, as `cargo xtask` builds
                // them: other features would build the big ones twice.
                let mut counts = self.rust(&["--lib"])?;
                counts += self.rust(&["--package", "xtask"])?;
                counts += self.rust(&["--package", "bench"])?;
                Ok(counts)
            }
            Part::Api | Part::Contract => {
                need_programs(part)?;
                self.rust(&["--test", part.name()])
            }
            Part::Faults => {
                // They start the real binary.
                self.server.wait("the server")?;
                self.rust(&["--test", "faults"])
            }
            Part::Sdk => self.rust(&["--package", "sdk-wasm", "--lib"]),
            Part::Browser => bail!("{} needs no compiler", part.name()),
        }
    }

    fn widget(&self) -> Result<Counts> {
        Package::Firefox.need()?;
        Package::Php.need()?;
        self.playwright("widget", || {
            self.fixture.wait("what renders the widgets of the tests")
        })
    }

    fn admin(&self) -> Result<Counts> {
        // Letters and logins go through servers that others wrote.
        setup::need_npm_packages(&workspace::oracles())?;
        self.playwright("admin", || self.server.wait("the server"))
    }

    fn rust(&self, select: &[&str]) -> Result<Counts> {
        rust_tests(select, self.runner, self.retries, |tool| {
            self.surroundings(tool)
        })
    }

    /// Where tests find what they need.
    fn surroundings(&self, mut tool: Tool) -> Tool {
        if let Some(url) = self.postgres {
            tool = tool.env("PLACET_TEST_POSTGRES", url);
        }
        if let Some(folder) = &self.folder.0 {
            tool = tool.env("PLACET_TEST_FOLDER", folder);
        }
        tool
    }

    fn playwright(&self, project: &str, ready: impl FnOnce() -> Result<()>) -> Result<Counts> {
        let dir = workspace::browser_tests();
        setup::need_npm_packages(&dir)?;
        Package::Chromium.need()?;
        ready()?;
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
        if self.all {
            tool = tool
                .env("PLACET_TEST_ALL", "1")
                .env("PLACET_SHOTS", workspace::target().join("pictures"));
        }
        let (succeeded, _) = self.surroundings(tool).watched()?;
        let counts = fs::read_to_string(&report)
            .ok()
            .and_then(|text| Counts::of_playwright(&text));
        Ok(noticed(succeeded, counts))
    }

    /// Prints the table and, last, the line that says all.
    fn summary(&self, started: Instant) -> ExitCode {
        let results = self.results.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sum = Counts::default();
        println!(
            "\n{:<10}{:>8}{:>8}{:>9}{:>7}  in",
            "part", "passed", "failed", "skipped", "flaky"
        );
        let rows = [BUILD].into_iter().chain(Part::ALL.map(Part::name));
        for name in rows {
            let mut counts = Counts::default();
            let mut took = None;
            for ended in results.iter().filter(|ended| ended.part == name) {
                counts += ended.counts;
                *took.get_or_insert(Duration::ZERO) += ended.took;
            }
            let Some(took) = took else { continue };
            println!(
                "{name:<10}{:>8}{:>8}{:>9}{:>7}  {}",
                counts.passed,
                counts.failed,
                counts.skipped,
                counts.flaky,
                for_people(took)
            );
            sum += counts;
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
}

/// Brings the programs that the API is checked against.
fn need_programs(part: Part) -> Result<()> {
    setup::need_python_packages(&workspace::oracles())?;
    if part == Part::Api {
        setup::need_npm_packages(&workspace::oracles())?;
        Package::Varnish.need()?;
        Package::NginxPurge.need()?;
        // What the guides show runs as it stands there.
        Package::Php.need()?;
        Package::Curl.need()?;
    }
    Ok(())
}

/// What writes the widgets of the tests as publishing would.
fn fixture() -> Result<()> {
    step("what renders the widgets of the tests", || {
        // As the server: the default members share their features.
        Tool::cargo()
            .args(["build", "--example", "widget_fixture"])
            .dir(&workspace::root())
            .run()
    })
}

/// Runs Rust tests, with nextest where it is installed.
pub fn rust_tests(
    select: &[&str],
    runner: &[String],
    retries: u8,
    surroundings: impl FnOnce(Tool) -> Tool,
) -> Result<Counts> {
    let nextest = on_path("cargo-nextest").is_some();
    let tool = if nextest {
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
    let (succeeded, output) = surroundings(tool).dir(&workspace::root()).watched()?;
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
