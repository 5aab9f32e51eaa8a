//! From a Rust crate to a WebAssembly module that browsers load: cargo, wasm-bindgen (as a library
//! of exactly the locked version) and, for release, binaryen's wasm-opt from npm.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{
    setup::{self, WASM_TARGET},
    step::Tool,
    workspace,
};

/// What rustc may emit by default, and therefore what the optimiser may meet.
const FEATURES: [&str; 8] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-reference-types",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-multivalue",
    "--enable-call-indirect-overlong",
];

/// Builds a cdylib for browsers and gives the module's path. Each crate has its own target folder:
/// features stay apart, and one crate never stands in for another.
pub fn cargo_build(package: &str, profile: &str, target_dir: &Path) -> Result<PathBuf> {
    setup::need_wasm_target()?;
    Tool::cargo()
        .args(["build", "--package", package, "--lib", "--profile", profile])
        .args(["--target", WASM_TARGET])
        .arg("--target-dir")
        .arg(target_dir)
        .dir(&workspace::root())
        .run()?;
    let name = format!("{}.wasm", package.replace('-', "_"));
    Ok(target_dir.join(WASM_TARGET).join(profile).join(name))
}

/// Makes the JavaScript side for `<script type="module">`, in `out`, which is emptied before.
pub fn bind_for_web(module: &Path, name: &str, out: &Path) -> Result<()> {
    if out.exists() {
        std::fs::remove_dir_all(out)?;
    }
    wasm_bindgen_cli_support::Bindgen::new()
        .input_path(module)
        .out_name(name)
        .web(true)
        .context("wasm-bindgen")?
        .typescript(false)
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(out)
        .with_context(|| format!("wasm-bindgen on {}", module.display()))
}

/// Makes a module small in place.
pub fn optimise(module: &Path) -> Result<()> {
    let tools = workspace::sdk_tools();
    setup::need_npm_packages(&tools)?;
    Tool::new(tools.join("node_modules/.bin/wasm-opt"))
        .arg("-Oz")
        .args(FEATURES)
        .args([
            "--strip-debug",
            "--strip-producers",
            "--strip-target-features",
        ])
        .arg(module)
        .arg("-o")
        .arg(module)
        .run_quietly()
}
