//! The browser SDK: from `sdk-wasm` to the files in `target/web/sdk` that `service` embeds.
//!
//! Steps: cargo → wasm-bindgen (as a library of exactly the locked version) → wasm-opt → short names of
//! imports and exports → JavaScript around it (esbuild, terser) → the same module as JavaScript (wasm2js) for
//! pages that refuse WebAssembly. The same input gives the same bytes, and unchanged input is not built
//! again. `sdk-wasm/size-budget.toml` limits the sizes.

pub mod budget;
mod features;
mod inputs;
mod pack;
mod panics;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;

use crate::{setup, step::Tool, wasm};

/// Builds everything into `<root>/target/web/sdk`.
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
    // esbuild, terser and binaryen in the locked versions.
    setup::need_npm_packages(&root.join("sdk-wasm"))?;
    let module = compile(root)?;
    let made = pack::pack(root, &work, &fs::read(module)?)?;
    budget::check(root, &made)?;
    made.write(&web)?;
    fs::write(stamp, inputs)?;
    Ok(())
}

/// Compiles the module with rustc.
fn compile(root: &Path) -> Result<PathBuf> {
    let [here, cargo_home] = wasm::without_folders();
    let flags = [
        // A smaller stack than the default megabyte: with the data it fits in one page of memory.
        "-Clink-arg=-zstack-size=16384",
        "-Ctarget-feature=-reference-types",
        &here,
        &cargo_home,
    ];
    wasm::cargo_build("sdk-wasm", "wasm", &root.join("target/sdk"), &flags)
}

/// A tool of the SDK's npm packages.
fn tool(root: &Path, name: &str) -> Tool {
    Tool::new(root.join("sdk-wasm/node_modules/.bin").join(name))
}
