//! Format, clippy for host and wasm, types of the browser tests, and `tests/architecture`.

use anyhow::{Result, ensure};

use crate::{
    counts::Counts,
    setup::{self, WASM_TARGET, on_path},
    step::{Tool, step},
    test, workspace,
};

#[derive(clap::Args)]
pub struct Args {}

pub fn run(_: &Args) -> Result<()> {
    let mut counts = without_compiler()?;
    counts += with_compiler()?;
    counts += architecture()?;
    ensure!(
        counts.failed == 0,
        "{} of {} checks failed",
        counts.failed,
        counts.failed + counts.passed
    );
    Ok(())
}

/// Checks the dependencies between crates, licences and other rules of the architecture.
pub fn architecture() -> Result<Counts> {
    step("architecture and licences", || {
        test::rust_tests(&["--test", "architecture"], &[], 0, |tool| tool)
    })
}

/// Format, advisories and the types of the browser tests. A failure does not stop the others.
pub fn without_compiler() -> Result<Counts> {
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
    Ok(counted(&checks))
}

/// Clippy for all crates. A failure does not stop the others.
pub fn with_compiler() -> Result<Counts> {
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
    Ok(counted(&checks))
}

fn counted(checks: &[bool]) -> Counts {
    let mut counts = Counts::default();
    for passed in checks {
        counts += Counts::one(*passed);
    }
    counts
}

fn check(name: &str, tool: Tool) -> bool {
    step(name, || tool.dir(&workspace::root()).run()).is_ok()
}

fn clippy(select: &[&str]) -> Tool {
    Tool::cargo()
        .args(["clippy", "--quiet"])
        .args(select)
        .args(["--", "-D", "warnings"])
}
