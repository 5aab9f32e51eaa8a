//! The runner of Rust tests.

use anyhow::Result;

use crate::{
    counts::{Counts, Outcome, named_by_nextest},
    lint,
    setup::on_path,
    step::Tool,
    workspace,
};

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
            .args(["--status-level", "slow", "--final-status-level", "slow"])
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
