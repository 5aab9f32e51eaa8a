//! Format, clippy for host and wasm, types of the browser tests, and `tests/architecture`.

use anyhow::{Result, ensure};
use serde_json::Value;

use crate::{
    counts::Outcome,
    setup::{self, WASM_TARGET, on_path},
    step::{Tool, say, step},
    test, workspace,
};

/// Cargo for debug builds. Clippy compiles the crates of the workspace, so linting compiles neither them nor their
/// dependencies again. Release builds use rustc, because clippy leaves optimisations out.
pub fn cargo() -> Tool {
    let cargo = Tool::cargo();
    match setup::clippy() {
        Some(driver) => cargo.env("RUSTC_WORKSPACE_WRAPPER", driver),
        None => cargo,
    }
}

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
    setup::need_clippy()?;
    let mut checks = vec![
        warnings("clippy", &["--all-targets"]),
        warnings(
            "clippy of xtask and bench",
            &["--package", "xtask", "--package", "bench", "--all-targets"],
        ),
    ];
    // Separate commands, like the builds, because one command would unite the features of `domain`.
    for package in ["sdk-wasm", "frontend", "verifier"] {
        let clippy = Tool::cargo()
            .args(["clippy", "--quiet", "--package", package])
            .args(["--target", WASM_TARGET, "--", "-D", "warnings"]);
        checks.push(check(&format!("clippy of {package} for browsers"), clippy));
    }
    Ok(sum(checks))
}

/// Compiles targets that are not compiled yet. Cargo repeats the warnings of the others.
fn warnings(name: &str, select: &[&str]) -> Outcome {
    let built = step(name, || {
        let build = cargo().args(["build", "--quiet", "--message-format", "json"]);
        let ended = build.args(select).dir(&workspace::root()).ended()?;
        let messages = String::from_utf8_lossy(&ended.stdout);
        let found: Vec<_> = messages.lines().filter_map(warning_in).collect();
        for message in &found {
            say(message.trim_end());
        }
        let said = String::from_utf8_lossy(&ended.stderr);
        ensure!(ended.status.success(), "cargo failed: {}", said.trim_end());
        ensure!(found.is_empty(), "{} warnings", found.len());
        Ok(())
    });
    if let Err(error) = &built {
        say(&format!("{error:#}"));
    }
    Outcome::of_check(name, built.is_ok())
}

/// The text for people of a line of cargo's messages, if it is a warning or an error of the compiler.
fn warning_in(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    let message = line
        .get("message")
        .filter(|_| line.get("reason") == Some(&"compiler-message".into()))?;
    Some(message.get("rendered")?.as_str()?.to_owned())
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

#[cfg(test)]
mod tests {
    use super::warning_in;

    #[test]
    fn warnings_are_read_from_cargos_messages() {
        let line = r#"{"reason":"compiler-message","message":{"level":"warning","rendered":"warning: unused\n"}}"#;
        assert_eq!(warning_in(line).as_deref(), Some("warning: unused\n"));
        for other in [
            r#"{"reason":"compiler-artifact","fresh":true}"#,
            "Compiling domain",
        ] {
            assert_eq!(warning_in(other), None);
        }
    }
}
