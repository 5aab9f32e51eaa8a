//! From a Rust crate to WebAssembly modules that browsers load: cargo, wasm-split, wasm-bindgen (as
//! a library of exactly the locked version) and, for release, binaryen's wasm-opt from npm.

mod unused;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow};

use crate::{
    setup::{self, WASM_TARGET},
    step::Tool,
    workspace,
};

/// What rustc may emit by default, and therefore what the optimiser may meet.
pub const FEATURES: [&str; 8] = [
    "--enable-bulk-memory",
    "--enable-bulk-memory-opt",
    "--enable-reference-types",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-multivalue",
    "--enable-call-indirect-overlong",
];

/// The linker keeps what [`split`] needs to know who calls whom.
pub const TO_SPLIT: &str = "-Clink-arg=--emit-relocs";

/// Views without their types, as `.cargo/config.toml` says for the server.
pub const ERASED: &str = "--cfg=erase_components";

/// The script that loads parts.
pub const LOADER: &str = "parts.js";

/// Builds a cdylib for browsers and gives the module's path. Each crate has its own target folder:
/// features stay apart, and one crate never stands in for another. `flags` are for rustc, in place of
/// what the surroundings tell it.
pub fn cargo_build(
    package: &str,
    profile: &str,
    target_dir: &Path,
    flags: &[&str],
) -> Result<PathBuf> {
    setup::need_wasm_target()?;
    Tool::cargo()
        .args(["build", "--locked", "--package", package, "--lib"])
        .args(["--profile", profile, "--target", WASM_TARGET])
        .arg("--target-dir")
        .arg(target_dir)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
        .dir(&workspace::root())
        .run()?;
    let name = format!("{}.wasm", package.replace('-', "_"));
    Ok(target_dir.join(WASM_TARGET).join(profile).join(name))
}

/// What a module was split into.
pub struct Split {
    /// The part that starts; wasm-bindgen has yet to see it.
    pub main: PathBuf,
    /// The files that each other part consists of; some are shared.
    pub parts: BTreeMap<String, Vec<String>>,
}

/// Takes what is [`unused`] out of a module, and the rest apart at its `wasm_split` functions, into `out`, which is emptied before.
/// [`LOADER`] there imports `main_script`, as wasm-bindgen will name it.
pub fn split(module: &Path, main_script: &str, out: &Path) -> Result<Split> {
    if out.exists() {
        std::fs::remove_dir_all(out)?;
    }
    let input = std::fs::read(module).with_context(|| format!("reading {}", module.display()))?;
    let input = unused::without(&input).context("taking out what is unused")?;
    let main = out.join("main.wasm");
    let (main_script, link_name) = (format!("./{main_script}"), format!("./{LOADER}"));
    let mut options = wasm_split_cli_support::Options::new(&input);
    options.output_dir = out;
    options.main_out_path = &main;
    options.main_module = &main_script;
    options.link_name = &link_name;
    let made = wasm_split_cli_support::transform(options)
        .map_err(|error| anyhow!("wasm-split on {}: {error:?}", module.display()))?;
    let parts = made
        .prefetch_map
        .into_iter()
        .map(|(part, files)| {
            let mut files: Vec<_> = files.into_iter().map(|file| file + ".wasm").collect();
            files.sort();
            (part, files)
        })
        .collect();
    Ok(Split { main, parts })
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
        // The other parts find memory and functions by what the linker exports.
        .keep_lld_exports(true)
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
