//! The browser SDK: from `sdk-wasm` to the files in `target/web/sdk` that `service` embeds.
//!
//! cargo → wasm-bindgen (as a library of exactly the locked version) → wasm-opt → short names of
//! imports and exports → JavaScript around it (esbuild, terser) → the same module as JavaScript
//! (wasm2js) for pages that refuse WebAssembly. The same input gives the same bytes, and nothing
//! is done again while the input stays the same. `sdk-wasm/size-budget.toml` bounds the result.

pub mod budget;
mod features;
mod inputs;
mod pack;
mod panics;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::setup;

/// Builds all of it into `<root>/target/web/sdk`.
pub fn build(root: &Path) -> Result<()> {
    let web = root.join("target/web/sdk");
    let work = root.join("target/sdk/pack");
    let stamp = root.join("target/sdk/inputs");
    let inputs = inputs::hash(root)?;
    let unchanged = fs::read_to_string(&stamp).is_ok_and(|known| known == inputs);
    if unchanged && web.join("manifest.txt").exists() {
        return Ok(());
    }
    fs::create_dir_all(&web)?;
    fs::create_dir_all(&work)?;
    // esbuild, terser and binaryen, exactly as locked.
    setup::need_npm_packages(&root.join("sdk-wasm"))?;
    setup::need_wasm_target()?;
    let module = compile(root)?;
    let made = pack::pack(root, &work, &fs::read(module)?)?;
    budget::check(root, &made)?;
    made.write(&web)?;
    fs::write(stamp, inputs)?;
    Ok(())
}

/// The module as rustc makes it. Its own target folder: two builds of one crate name in one
/// folder could leave each other's module there.
fn compile(root: &Path) -> Result<PathBuf> {
    let target = root.join("target/sdk");
    let cargo_home = std::env::var_os("CARGO_HOME").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cargo"),
        PathBuf::from,
    );
    let flags = [
        // No stack of a megabyte for a widget: with its data it fits in one page of memory.
        "-Clink-arg=-zstack-size=16384".to_owned(),
        "-Ctarget-feature=-reference-types".to_owned(),
        // The same bytes wherever the repository lies.
        format!("--remap-path-prefix={}=/placet", root.display()),
        format!("--remap-path-prefix={}=/cargo", cargo_home.display()),
    ];
    run(
        Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .args([
                "build",
                "--quiet",
                "--locked",
                "--package",
                "sdk-wasm",
                "--lib",
            ])
            .args([
                "--profile",
                "wasm",
                "--target",
                "wasm32-unknown-unknown",
                "--target-dir",
            ])
            .arg(&target)
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
            .env_remove("RUSTFLAGS")
            .current_dir(root),
    )?;
    Ok(target.join("wasm32-unknown-unknown/wasm/sdk_wasm.wasm"))
}

/// Runs a tool; what it wrote is shown if it fails.
fn run(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("`{name}` does not start; is it installed?"))?;
    if !output.status.success() {
        bail!(
            "`{name}` failed ({}):\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// A tool of the SDK's npm packages.
fn tool(root: &Path, name: &str) -> Command {
    Command::new(root.join("sdk-wasm/node_modules/.bin").join(name))
}
