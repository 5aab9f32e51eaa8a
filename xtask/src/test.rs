//! All checks of CI, in suites that can run alone.
//!
//! Lanes run at the same time ([`Lane`]): one compiles, and the others do work that needs no compiler. They wait only for
//! the results that they need ([`Built`]). So the widget's tests start when the SDK and the fixture are built, and not
//! when everything else is.

mod built;
mod runner;
mod scratch;

use std::{
    fs,
    num::NonZero,
    process::ExitCode,
    sync::{Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};
use clap::ValueEnum;

pub use self::runner::rust_tests;
use self::{built::Built, scratch::Scratch};
use crate::{
    counts::{Counts, Outcome, named_by_playwright},
    lint,
    postgres::{Cluster, Durability},
    setup::{self, Package},
    step::{Tool, beside, elapsed, for_people, now, say, step},
    web::{self, Mode},
    workspace,
};

/// A suite of the tests.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Suite {
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
    /// The browser SDK: its logic, and the widget in Chromium, Firefox and WebKit
    Sdk,
    /// The admin UI and the main job, in Chromium; each test on both databases with `--all`
    Browser,
}

impl Suite {
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

    /// True if it runs the program of the server, on both databases. A server inside a test draws pictures by it.
    fn runs_server(self) -> bool {
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
    only: Vec<Suite>,
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

/// Niceness of the tests. The server gives pictures and decoders the lowest priority. Beside busy tests of normal priority
/// they would get a 70th of a processor, and here they get an eighth.
const NICENESS: i32 = 10;

pub fn run(args: &Args) -> Result<ExitCode> {
    let started = now();
    rustix::process::nice(NICENESS)?;
    let mut suites = args.only.clone();
    if suites.is_empty() {
        suites = if args.all {
            Suite::ALL.into()
        } else {
            Suite::USUAL.into()
        };
    }
    let cluster = match &args.postgres {
        None if suites.iter().any(|suite| suite.runs_server()) => {
            Some(Cluster::start(Durability::Off)?)
        }
        _ => None,
    };
    let postgres = args
        .postgres
        .as_deref()
        .or(cluster.as_ref().map(Cluster::url));
    let test = Test {
        suites: &suites,
        postgres,
        folder: Scratch::make()?,
        retries: args.retries,
        all: args.all,
        runner: &args.runner,
        results: Mutex::default(),
        fixture: Built::default(),
        server: Built::default(),
        tests: Built::default(),
        is_alone: is_alone(args.one_by_one, &suites),
    };
    if test.is_alone {
        test.build_and_check();
        test.without_compiler();
        test.faults();
    } else {
        thread::scope(|scope| {
            scope.spawn(|| beside("others │", || test.without_compiler()));
            scope.spawn(|| beside("faults │", || test.faults()));
            beside("cargo  │", || test.build_and_check());
        });
    }
    Ok(test.summary(started))
}

/// True if one lane runs at a time. With a single one there is nothing to wait for, and its lines need no prefix.
fn is_alone(one_by_one: bool, suites: &[Suite]) -> bool {
    let lanes = Lane::ALL.iter();
    let busy = lanes.filter(|lane| !lane.suites(suites).is_empty());
    one_by_one || busy.count() < 2
}

/// The lanes of work.
#[derive(Clone, Copy)]
enum Lane {
    /// Cargo's commands in sequence, because they would wait for each other's lock.
    Rust,
    /// Everything else that needs no compiler.
    Others,
    /// Crashes, whose tests wait more than they work.
    Faults,
}

impl Lane {
    const ALL: [Self; 3] = [Self::Rust, Self::Others, Self::Faults];

    fn suites(self, wanted: &[Suite]) -> Vec<Suite> {
        let own: &[Suite] = match self {
            Self::Rust => &[
                Suite::Sdk,
                Suite::Lint,
                Suite::Unit,
                Suite::Api,
                Suite::Contract,
            ],
            Self::Others => &[Suite::Lint, Suite::Sdk, Suite::Browser],
            Self::Faults => &[Suite::Faults],
        };
        let is_wanted = |suite: &Suite| wanted.contains(suite);
        own.iter().copied().filter(is_wanted).collect()
    }
}

fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get)
}

/// Name of the time before the suites in the table.
const BUILD: &str = "build";

/// Result of a suite or of a piece of it.
struct Ended {
    suite: &'static str,
    outcome: Outcome,
    took: Duration,
}

struct Test<'a> {
    suites: &'a [Suite],
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
    /// The programs of the tests, which the linter compiles.
    tests: Built,
    /// True if one lane runs at a time.
    is_alone: bool,
}

impl Test<'_> {
    /// Does a suite or a piece of it and records the result.
    fn record(&self, suite: &'static str, work: impl FnOnce() -> Result<Outcome>) -> bool {
        if suite != BUILD {
            say(&format!("── {suite} ──"));
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
            suite,
            outcome,
            took: begun.elapsed(),
        };
        self.results
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(ended);
        passed
    }

    fn wants(&self, suite: Suite) -> bool {
        self.suites.contains(&suite)
    }

    /// The lane of cargo. It first builds the results that the other lanes wait for.
    fn build_and_check(&self) {
        let mut is_built = true;
        let mut build = |work: &dyn Fn() -> Result<()>| {
            is_built = is_built && self.record(BUILD, || work().map(|()| Outcome::default()));
            is_built
        };
        if self.suites.iter().any(|suite| suite.needs_sdk()) {
            build(&web::sdk);
        }
        if self.wants(Suite::Sdk) {
            let there = build(&fixture);
            self.fixture.is_decided(there);
        }
        if self.suites.iter().any(|suite| suite.needs_ui()) {
            build(&|| {
                web::pages_beside(Mode::Quick, || {
                    web::crates_of_the_server(Mode::Quick)?;
                    if self.wants(Suite::Unit) {
                        // The pages for browsers take longer, and leave a processor to spare.
                        tests_of_crates()?;
                    }
                    Ok(())
                })
            });
        }
        if self.suites.iter().any(|suite| suite.runs_server()) {
            let there = build(&|| web::server(Mode::Quick));
            self.server.is_decided(there);
        }
        if !self.wants(Suite::Lint) {
            self.tests.is_decided(true);
        }
        for suite in Lane::Rust.suites(self.suites) {
            self.record(suite.name(), || self.suite(suite));
            if suite == Suite::Lint {
                // Tests that do not compile fail in their suites, too.
                self.tests.is_decided(true);
            }
        }
    }

    /// The lane of other work without a compiler.
    fn without_compiler(&self) {
        // Installs packages while the other lane compiles. If that fails, the suite that needs the package
        // reports it.
        if self.suites.iter().any(|suite| suite.needs_sdk()) {
            let _ = Package::Node.need();
        }
        for suite in [Suite::Api, Suite::Contract] {
            if self.wants(suite) {
                let _ = need_programs(suite);
            }
        }
        for suite in Lane::Others.suites(self.suites) {
            self.record(suite.name(), || match suite {
                Suite::Lint => lint::without_compiler(),
                Suite::Sdk => self.widget(),
                Suite::Browser => self.admin(),
                _ => self.suite(suite),
            });
        }
    }

    /// The lane of crashes.
    fn faults(&self) {
        for suite in Lane::Faults.suites(self.suites) {
            self.record(suite.name(), || self.suite(suite));
        }
    }

    fn suite(&self, suite: Suite) -> Result<Outcome> {
        match suite {
            Suite::Lint => {
                let mut outcome = lint::with_compiler()?;
                outcome += lint::architecture()?;
                Ok(outcome)
            }
            Suite::Unit => {
                // The crates of the server in one command. The tools are separate, as in `cargo xtask`,
                // because other features would build the large crates twice.
                Package::Chromium.need()?;
                let mut outcome = self.rust(&["--lib"])?;
                outcome += self.rust(&["--package", "xtask"])?;
                outcome += self.rust(&["--package", "bench"])?;
                Ok(outcome)
            }
            Suite::Api => {
                need_programs(suite)?;
                self.waiting(suite)
            }
            Suite::Contract => {
                need_programs(suite)?;
                // The feature lets it be compiled.
                self.rust(&[
                    "--package",
                    "tests",
                    "--test",
                    suite.name(),
                    "--features",
                    suite.name(),
                ])
            }
            Suite::Faults => {
                // The fault tests start the real program.
                Package::Chromium.need()?;
                self.server.wait("the server")?;
                self.tests.wait("the program of the tests")?;
                self.waiting(suite)
            }
            Suite::Sdk => self.rust(&["--package", "sdk-wasm", "--lib"]),
            Suite::Browser => bail!("{} needs no compiler", suite.name()),
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

    /// A suite whose tests wait for jobs and databases half of their time. Beside other lanes the faults take a smaller
    /// share: they have the time that the longest lane takes.
    fn waiting(&self, suite: Suite) -> Result<Outcome> {
        let each = if suite == Suite::Faults && !self.is_alone {
            1
        } else {
            2
        };
        let threads = (each * processors()).to_string();
        rust_tests(
            &["--test", suite.name()],
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
        if let Some(folder) = self.folder.path() {
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
            .args(["test", "--project", &format!("{project}*")])
            .args(["--reporter", "list,json"])
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
            "suite", "passed", "failed", "skipped", "flaky"
        );
        let rows = [BUILD].into_iter().chain(Suite::ALL.map(Suite::name));
        for name in rows {
            let mut counts = Counts::default();
            let mut took = None;
            for ended in results.iter().filter(|ended| ended.suite == name) {
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
                println!("✗ {}: {test}", ended.suite);
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
fn need_programs(suite: Suite) -> Result<()> {
    setup::need_python_packages(&workspace::oracles())?;
    Package::OpenSsl.need()?;
    Package::Chromium.need()?;
    if suite == Suite::Api {
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

/// Compiles the tests inside the crates of the server.
fn tests_of_crates() -> Result<()> {
    step("tests inside the crates of the server", || {
        lint::cargo()
            .args(["test", "--no-run", "--lib"])
            .dir(&workspace::root())
            .run()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_suite_has_a_lane() {
        for suite in Suite::ALL {
            let lanes = Lane::ALL.iter();
            let own = lanes.filter(|lane| lane.suites(&[suite]) == [suite]);
            assert!(own.count() > 0, "{} runs in no lane", suite.name());
        }
    }

    #[test]
    fn lanes_run_beside_each_other_if_several_have_work() {
        assert!(is_alone(false, &[Suite::Api]));
        assert!(is_alone(false, &[Suite::Api, Suite::Unit]));
        assert!(!is_alone(false, &[Suite::Api, Suite::Faults]));
        assert!(is_alone(true, &Suite::USUAL));
    }
}
