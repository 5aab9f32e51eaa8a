//! Lists installed and missing tools, and how to install them.

use anyhow::Result;

use crate::{
    setup::{self, Package, WASM_TARGET, on_path},
    step::Tool,
    workspace,
};

pub fn run() -> Result<()> {
    let mut missing = 0;
    let mut line = |name: &str, found: Option<String>, install: &str| {
        if let Some(what) = found {
            println!("✓ {name}: {}", what.trim());
        } else {
            missing += 1;
            println!("✗ {name}: missing\n    {install}");
        }
    };
    line(
        "Rust 1.95 or newer",
        Tool::new("rustc").arg("--version").output().ok(),
        "https://rustup.rs",
    );
    line(
        "Rust for browsers",
        setup::wasm_target_is_there()
            .is_ok_and(|there| there)
            .then(|| WASM_TARGET.to_owned()),
        &format!("rustup target add {WASM_TARGET}"),
    );
    line(
        "Clippy",
        setup::clippy().map(|driver| driver.display().to_string()),
        "rustup component add clippy",
    );
    line(
        "A C compiler (for SQLite)",
        Tool::new("cc")
            .arg("--version")
            .output()
            .ok()
            .and_then(|text| text.lines().next().map(str::to_owned)),
        "sudo apt-get install build-essential",
    );
    for package in Package::ALL {
        line(package.name(), package.found(), &package.install_line());
    }
    for dir in [
        workspace::sdk_tools(),
        workspace::browser_tests(),
        workspace::oracles(),
    ] {
        if dir.join("package-lock.json").is_file() {
            let shown = dir.strip_prefix(workspace::root())?.display().to_string();
            line(
                &format!("npm packages of {shown}"),
                setup::npm_packages_are_there(&dir).then(|| "as locked".to_owned()),
                &format!("npm ci --prefix {shown}"),
            );
        }
    }
    for (program, why) in [
        (
            "cargo-nextest",
            "runs tests faster; `cargo test` does without",
        ),
        (
            "cargo-deny",
            "checks advisories; licences and bans are checked without",
        ),
    ] {
        match on_path(program) {
            Some(path) => println!("✓ {program}: {}", path.display()),
            None => println!("· {program}: not there, not needed ({why})"),
        }
    }
    if missing == 0 {
        println!("\nAll is there.");
    } else {
        println!(
            "\n{missing} missing. `cargo xtask run` and `test` install what they need where they can \
             (apt as root or with sudo, rustup, npm)."
        );
    }
    Ok(())
}
