//! Builds WebAssembly modules for browsers from a Rust crate: cargo, wasm-split, wasm-bindgen (as a library
//! of exactly the locked version) and, for release, binaryen's wasm-opt from npm.

mod imports;
mod unused;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
};

use anyhow::{Context, Result, anyhow, bail};

use crate::{
    setup::{self, WASM_TARGET},
    step::Tool,
    workspace,
};

/// Features that rustc emits by default, so the optimiser must permit them.
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

/// Makes the linker keep the relocations by which [`split`] knows who calls whom.
pub const TO_SPLIT: &str = "-Clink-arg=--emit-relocs";

/// Views without their types, as in `.cargo/config.toml` for the server.
pub const ERASED: &str = "--cfg=erase_components";

/// Flags that keep the folders of this machine out of a module, so that each clone builds the same bytes.
pub fn without_folders() -> [String; 2] {
    let cargo_home = std::env::var_os("CARGO_HOME").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cargo"),
        PathBuf::from,
    );
    [
        format!(
            "--remap-path-prefix={}=/placet",
            workspace::root().display()
        ),
        format!("--remap-path-prefix={}=/cargo", cargo_home.display()),
    ]
}

/// The script that loads parts.
pub const LOADER: &str = "parts.js";

/// Builds a cdylib for browsers and returns the module's path. Each crate has its own target folder, so
/// features stay separate and no crate replaces another. `flags` replace the environment's flags for rustc.
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
    let module = target_dir.join(WASM_TARGET).join(profile).join(name);
    let bytes = std::fs::read(&module).with_context(|| format!("reading {}", module.display()))?;
    if let Some(missing) = imports::missing(&bytes)? {
        let folder = target_dir.display();
        bail!(
            "{} lacks {missing}: remove {folder} and build again",
            module.display()
        );
    }
    Ok(module)
}

/// Result of splitting a module.
pub struct Split {
    /// The first part, before wasm-bindgen.
    pub main: PathBuf,
    /// The files of each other part. Some are shared.
    pub parts: BTreeMap<String, Vec<String>>,
}

/// Removes [`unused`] code from a module and splits the rest at its `wasm_split` functions into `out`, which
/// is emptied first. [`LOADER`] in it imports `main_script`, the name that wasm-bindgen will give.
pub fn split(module: &Path, main_script: &str, out: &Path) -> Result<Split> {
    if out.exists() {
        std::fs::remove_dir_all(out)?;
    }
    let input = std::fs::read(module).with_context(|| format!("reading {}", module.display()))?;
    let input = unused::without(&input).context("removing unused code")?;
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

/// Writes the JavaScript for `<script type="module">` into `out`, which is emptied first.
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
        // The other parts find memory and functions by the linker's exports.
        .keep_lld_exports(true)
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate(out)
        .with_context(|| format!("wasm-bindgen on {}", module.display()))
}

/// Gives the [`imports`] of a module short names, in the module and in the script that [`bind_for_web`] has written
/// into `out`.
pub fn shorten_imports(name: &str, out: &Path) -> Result<()> {
    let module = out.join(format!("{name}_bg.wasm"));
    let script = out.join(format!("{name}.js"));
    let (bytes, text) =
        imports::shorten(&std::fs::read(&module)?, &std::fs::read_to_string(&script)?)?;
    std::fs::write(module, bytes)?;
    std::fs::write(script, text)?;
    Ok(())
}

/// Reduces the size of modules in place, on all processors: the program starts for each, and keeps one busy.
pub fn optimise_all(modules: Vec<PathBuf>) -> Result<()> {
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let waiting = Mutex::new(modules.into_iter());
    let next = || {
        let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.next()
    };
    thread::scope(|scope| {
        let work = || std::iter::from_fn(next).try_for_each(|module| optimise(&module));
        let workers: Vec<_> = (0..processors).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| {
            worker
                .join()
                .unwrap_or_else(|_| bail!("optimising panicked"))
        })
    })
}

/// Passes of wasm-opt, chosen for the size after compression, as browsers get a module. `-Oz` makes it smaller by three per
/// cent, and up to one per cent larger when it is compressed. Control flow made anew and no shared subexpressions save one
/// per cent. No data lies in the first 1,024 bytes of memory, the end of the stack.
const PASSES: [&str; 8] = [
    "-Os",
    "--low-memory-unused",
    "--flatten",
    "--rereloop",
    "-Os",
    "-Os",
    "--skip-pass=local-cse",
    "--skip-pass=rse",
];

/// Reduces the size of a module in place.
pub fn optimise(module: &Path) -> Result<()> {
    let tools = workspace::sdk_tools();
    setup::need_npm_packages(&tools)?;
    Tool::new(tools.join("node_modules/.bin/wasm-opt"))
        .args(PASSES)
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
