//! Format, clippy for host and wasm, types of the browser tests, and `tests/architecture`.

use anyhow::{Result, ensure};

use crate::{
    counts::Outcome,
    setup::{self, WASM_TARGET, on_path},
    step::{Tool, step},
    test, workspace,
};

#[derive(clap::Args)]
pub struct Args {}

pub fn run(_: &Args) -> Result<()> {
    let mut outcome = without_compiler()?;
    outcome += with_compiler()?;
    outcome += architecture()?;
    let counts = outcome.counts;
    ensure!(
        counts.failed == 0,
        "{} of {} checks failed",
        counts.failed,
        counts.failed + counts.passed
    );
    Ok(())
}

/// Checks the dependencies between crates, licences and other rules of the architecture.
pub fn architecture() -> Result<Outcome> {
    step("architecture and licences", || {
        test::rust_tests(&["--test", "architecture"], &[], 0, |tool| tool)
    })
}

/// Format, advisories and the types of the browser tests. A failure does not stop the others.
pub fn without_compiler() -> Result<Outcome> {
    let mut checks = vec![check(
        "cargo fmt --check",
        Tool::cargo().args(["fmt", "--all", "--check"]),
    )];
    if on_path("cargo-deny").is_some() {
        checks.push(check("cargo deny", Tool::cargo().args(["deny", "check"])));
    }
    if on_path("npm").is_some() {
        let tests = workspace::browser_tests();
        setup::need_npm_packages(&tests)?;
        let tsc = Tool::new(tests.join("node_modules/.bin/tsc"));
        let types = tsc.args(["--noEmit", "--project"]).args([&tests]);
        checks.push(check("types of the browser tests", types));
    }
    Ok(sum(checks))
}

/// Clippy for all crates. A failure does not stop the others.
pub fn with_compiler() -> Result<Outcome> {
    setup::need_wasm_target()?;
    let mut checks = vec![
        check("clippy", clippy(&["--all-targets"])),
        check(
            "clippy of xtask and bench",
            clippy(&["--package", "xtask", "--package", "bench", "--all-targets"]),
        ),
    ];
    // Separate commands, like the builds, because one command would unite the features of `domain`.
    for package in ["sdk-wasm", "frontend"] {
        let name = format!("clippy of {package} for browsers");
        checks.push(check(
            &name,
            clippy(&["--package", package, "--target", WASM_TARGET]),
        ));
    }
    Ok(sum(checks))
}

fn sum(checks: Vec<Outcome>) -> Outcome {
    let mut sum = Outcome::default();
    for check in checks {
        sum += check;
    }
    sum
}

fn check(name: &str, tool: Tool) -> Outcome {
    let passed = step(name, || tool.dir(&workspace::root()).run()).is_ok();
    Outcome::of_check(name, passed)
}

fn clippy(select: &[&str]) -> Tool {
    Tool::cargo()
        .args(["clippy", "--quiet"])
        .args(select)
        .args(["--", "-D", "warnings"])
}
