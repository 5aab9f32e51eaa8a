//! Cargo's metadata of the workspace.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use serde::Deserialize;

#[derive(Deserialize)]
pub struct Metadata {
    pub packages: Vec<Package>,
}

#[derive(Deserialize)]
pub struct Package {
    pub name: String,
    pub version: String,
    pub license: Option<String>,
    /// Absent for crates of the workspace.
    pub source: Option<String>,
    pub dependencies: Vec<Dependency>,
    pub features: std::collections::BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
pub struct Dependency {
    pub name: String,
    pub path: Option<PathBuf>,
    /// Absent for ordinary dependencies, else `dev` or `build`.
    pub kind: Option<String>,
    pub optional: bool,
}

pub const WASM: &str = "wasm32-unknown-unknown";

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Output of cargo with these arguments.
pub fn cargo(args: &[&str]) -> String {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(args)
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "cargo {}: {}",
        args.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}

/// The workspace's crates, and with `whole` all dependencies for this machine and for browsers.
pub fn metadata(whole: bool) -> Metadata {
    let mut args = vec!["metadata", "--format-version", "1", "--locked"];
    let host = cargo(&["-vV"]);
    let host = host
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    if whole {
        args.extend(["--filter-platform", host, "--filter-platform", WASM]);
    } else {
        args.push("--no-deps");
    }
    serde_json::from_str(&cargo(&args)).unwrap()
}
