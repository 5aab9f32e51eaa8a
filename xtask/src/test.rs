//! All checks of CI, in suites that can run alone.
//!
//! Two lanes run at the same time ([`Lane`]): one compiles, the other does work that needs no compiler. The second lane
//! waits only for the results that it needs ([`Built`]). So the widget's tests start when the SDK and the fixture are
//! built, and not when everything else is.

use std::{
    fs,
    num::NonZero,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::{
    counts::{Counts, Outcome, named_by_nextest, named_by_playwright},
    lint,
    postgres::{Cluster, Durability},
    setup::{self, Package, on_path},
    step::{Tool, beside, elapsed, for_people, now, say, step},
    web::{self, Mode},
    workspace,
};

/// A suite of the tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// Format, clippy for host and wasm, architecture, licences
    Lint,
    /// Tests inside the crates
    Unit,
    /// The HTTP API, each case on both databases
    Api,
    /// Every operation of the OpenAPI document, by Schemathesis, on both databases; only when named, because
    /// it takes long
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

    /// Name in the table and in `--only`.
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

    /// True if it uses the browser SDK, which is embedded in the crates that publish.
    fn needs_sdk(self) -> bool {
        !matches!(self, Self::Lint | Self::Unit)
    }

    /// True if it uses the admin UI.
    fn needs_ui(self) -> bool {
        !matches!(self, Self::Lint | Self::Unit | Self::Sdk)
    }

    /// True if it starts the server.
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
    /// Run only these suites, comma-separated
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Part>,
    /// Run the whole matrix: also `contract`, every test of the admin UI on both databases, every rule of axe
    /// in dark mode, each language and size of the widget, every widget that breaks a clause of the TCF, the projects of
    /// the guides for frameworks (Node.js 20), a thousand kills of the ledger, and a picture of each state of the widget
    /// in `target/pictures`; all of it in the browser that people have instead of its headless shell
    #[arg(long)]
    all: bool,
    /// Run one thing at a time, to tell failures of a busy machine from defects
    #[arg(long)]
    one_by_one: bool,
    /// PostgreSQL for the tests [default: a private one, started for the run]
    #[arg(
        long,
        env = "PLACET_TEST_POSTGRES",
        hide_env_values = true,
        value_name = "URL"
    )]
    postgres: Option<String>,
    /// Repeat failed tests up to this many times and report those that pass then as flaky. By default a test
    /// that fails once has failed
    #[arg(long, value_name = "TIMES", default_value_t = 0)]
    retries: u8,
    /// Options for the test runner, such as a part of a test's name
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
    // With a single lane there is nothing to wait for, and its lines need no prefix.
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

/// The two lanes of work.
#[derive(Clone, Copy)]
enum Lane {
    /// Cargo's commands in sequence, because they would wait for each other's lock.
    Rust,
    /// Everything that needs no compiler.
    Others,
}

impl Lane {
    const ALL: [Self; 2] = [Self::Rust, Self::Others];

    fn parts(self, wanted: &[Part]) -> Vec<Part> {
        let own: &[Part] = match self {
            Self::Rust => &[Part::Sdk, Part::Lint, Part::Unit, Part::Api, Part::Contract],
            // The fault tests are compiled by then, and wait more than they work.
            Self::Others => &[Part::Lint, Part::Sdk, Part::Browser, Part::Faults],
        };
        let is_wanted = |part: &Part| wanted.contains(part);
        own.iter().copied().filter(is_wanted).collect()
    }
}

/// A result that one lane builds and the other one waits for.
#[derive(Default)]
struct Built {
    /// `true` if the build succeeded, `None` before it ends.
    outcome: Mutex<Option<bool>>,
    decided: Condvar,
}

impl Built {
    /// Records the end of the build.
    fn is_decided(&self, went_well: bool) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(went_well);
        self.decided.notify_all();
    }

    /// Waits for the result.
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

/// A folder in memory for test data, if there is enough memory.
struct Scratch(Option<PathBuf>);

impl Scratch {
    const ROOM: u64 = 1 << 30;
    const PREFIX: &str = "placet-tests-";

    fn make() -> Result<Self> {
        let Some(memory) = workspace::memory(Self::ROOM) else {
            return Ok(Self(None));
        };
        // Frees the memory that an earlier run left when it was killed.
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

/// Number of tests at the same time where each waits for jobs and databases half of its time.
fn threads_that_wait() -> usize {
    2 * thread::available_parallelism().map_or(1, NonZero::get)
}

/// Name of the time before the suites in the table.
const BUILD: &str = "build";

/// Result of a suite or of a piece of it.
struct Ended {
    part: &'static str,
    outcome: Outcome,
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
    /// The program that renders the widgets of the tests.
    fixture: Built,
    /// The server.
    server: Built,
}

impl Test<'_> {
    /// Does a suite or a piece of it and records the result.
    fn record(&self, part: &'static str, work: impl FnOnce() -> Result<Outcome>) -> bool {
        if part != BUILD {
            say(&format!("── {part} ──"));
        }
        let begun = now();
        let outcome = work().unwrap_or_else(|error| {
            let message = format!("{error:#}");
            say(&format!("✗ {message}"));
            let first = message.lines().next().unwrap_or_default();
            Outcome::of_check(first, false)
        });
        let passed = outcome.counts.failed == 0;
        let ended = Ended {
            part,
            outcome,
            took: begun.elapsed(),
        };
        self.results
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(ended);
        passed
    }

    fn wants(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// The lane of cargo. It first builds the results that the other lane waits for.
    fn build_and_check(&self) {
        let mut is_built = true;
        let mut build = |work: &dyn Fn() -> Result<()>| {
            is_built = is_built && self.record(BUILD, || work().map(|()| Outcome::default()));
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
            build(&|| web::pages_beside(Mode::Quick, || web::crates_of_the_server(Mode::Quick)));
        }
        if self.parts.iter().any(|part| part.starts_server()) {
            let there = build(&|| web::server(Mode::Quick));
            self.server.is_decided(there);
        }
        for part in Lane::Rust.parts(self.parts) {
            self.record(part.name(), || self.part(part));
        }
    }

    /// The lane of work without a compiler.
    fn without_compiler(&self) {
        // Installs packages while the other lane compiles. If that fails, the suite that needs the package
        // reports it.
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
                Part::Browser => self.admin(),
                _ => self.part(part),
            });
        }
    }

    fn part(&self, part: Part) -> Result<Outcome> {
        match part {
            Part::Lint => {
                let mut outcome = lint::with_compiler()?;
                outcome += lint::architecture()?;
                Ok(outcome)
            }
            Part::Unit => {
                // The crates of the server in one command. The tools are separate, as in `cargo xtask`,
                // because other features would build the large crates twice.
                Package::Chromium.need()?;
                let mut outcome = self.rust(&["--lib"])?;
                outcome += self.rust(&["--package", "xtask"])?;
                outcome += self.rust(&["--package", "bench"])?;
                Ok(outcome)
            }
            Part::Api => {
                need_programs(part)?;
                self.waiting(part)
            }
            Part::Contract => {
                need_programs(part)?;
                self.rust(&["--test", part.name()])
            }
            Part::Faults => {
                // The fault tests start the real program.
                Package::Chromium.need()?;
                self.server.wait("the server")?;
                self.waiting(part)
            }
            Part::Sdk => self.rust(&["--package", "sdk-wasm", "--lib"]),
            Part::Browser => bail!("{} needs no compiler", part.name()),
        }
    }

    fn widget(&self) -> Result<Outcome> {
        Package::Firefox.need()?;
        Package::WebKit.need()?;
        Package::WordPress.need()?;
        self.playwright("widget", || {
            self.fixture.wait("the fixture of the widget's tests")
        })
    }

    fn admin(&self) -> Result<Outcome> {
        // The tests of letters, logins and subscriptions use servers by other authors.
        setup::need_npm_packages(&workspace::oracles())?;
        setup::need_python_packages(&workspace::oracles())?;
        self.playwright("admin", || self.server.wait("the server"))
    }

    fn rust(&self, select: &[&str]) -> Result<Outcome> {
        rust_tests(select, self.runner, self.retries, |tool| {
            self.surroundings(tool)
        })
    }

    /// A suite whose tests wait half of their time.
    fn waiting(&self, part: Part) -> Result<Outcome> {
        let threads = threads_that_wait().to_string();
        rust_tests(
            &["--test", part.name()],
            self.runner,
            self.retries,
            |tool| {
                let tool = tool.env("NEXTEST_TEST_THREADS", &threads);
                self.surroundings(tool.env("RUST_TEST_THREADS", threads))
            },
        )
    }

    /// Sets the environment of the tests.
    fn surroundings(&self, mut tool: Tool) -> Tool {
        if let Some(url) = self.postgres {
            tool = tool.env("PLACET_TEST_POSTGRES", url);
        }
        if let Some(folder) = &self.folder.0 {
            tool = tool.env("PLACET_TEST_FOLDER", folder);
        }
        if let Some(chromium) = setup::chromium() {
            tool = tool.env("PLACET_CHROMIUM", chromium);
        }
        if self.all {
            tool = tool.env("PLACET_TEST_ALL", "1");
        }
        tool
    }

    fn playwright(&self, project: &str, ready: impl FnOnce() -> Result<()>) -> Result<Outcome> {
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
            .dir(&dir);
        if let Some(firefox) = setup::firefox() {
            tool = tool.env("PLACET_FIREFOX", firefox);
        }
        if let Some(wordpress) = setup::wordpress() {
            tool = tool.env("PLACET_WORDPRESS", wordpress);
        }
        if let Some(webkit) = setup::webkit() {
            tool = tool.env("PLACET_WEBKIT", webkit);
        }
        if self.all {
            tool = tool.env("PLACET_SHOTS", workspace::target().join("pictures"));
        }
        // The whole matrix drives the browser that people have.
        if let Some(shell) = (!self.all).then(setup::chromium_shell).flatten() {
            tool = tool.env("PLACET_CHROMIUM_SHELL", shell);
        }
        let (succeeded, _) = self.surroundings(tool).watched()?;
        let report = fs::read_to_string(&report).unwrap_or_default();
        Ok(Outcome::of_runner(
            succeeded,
            Counts::of_playwright(&report),
            named_by_playwright(&report),
        ))
    }

    /// Prints the table and the final line.
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
                counts += ended.outcome.counts;
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
        for ended in results.iter() {
            for test in &ended.outcome.named {
                println!("✗ {}: {test}", ended.part);
            }
        }
        if sum.flaky > 0 {
            println!("flaky means broken: a test that passed only the second time is to be mended");
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

/// Installs the programs that tests check the API with.
fn need_programs(part: Part) -> Result<()> {
    setup::need_python_packages(&workspace::oracles())?;
    Package::OpenSsl.need()?;
    Package::Chromium.need()?;
    if part == Part::Api {
        setup::need_npm_packages(&workspace::oracles())?;
        Package::Varnish.need()?;
        Package::NginxPurge.need()?;
        // The tests run the guide's examples unchanged.
        Package::Php.need()?;
        Package::Curl.need()?;
        Package::Go.need()?;
    }
    Ok(())
}

/// Builds the program that renders the widgets of the tests in the way publishing does.
fn fixture() -> Result<()> {
    step("fixture of the widget's tests", || {
        // The default members share their features with the server's build.
        lint::cargo()
            .args(["build", "--example", "widget_fixture"])
            .dir(&workspace::root())
            .run()
    })
}

/// Runs Rust tests, with nextest if it is installed.
pub fn rust_tests(
    select: &[&str],
    runner: &[String],
    retries: u8,
    surroundings: impl FnOnce(Tool) -> Tool,
) -> Result<Outcome> {
    let nextest = on_path("cargo-nextest").is_some();
    let tool = if nextest {
        lint::cargo()
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
        let tool = lint::cargo()
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
    Ok(Outcome::of_runner(
        succeeded,
        counts,
        named_by_nextest(&output),
    ))
}
