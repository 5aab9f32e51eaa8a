//! The admin UI's files: the hydrating app, its style sheet and its pictures. They go to `target/web/ui/`
//! under names that change with their content, and `manifest.json` maps plain names to these.
//!
//! rustc makes one WebAssembly module of the app, and browsers load several: one for every page, and one for
//! each group of pages (`app/src/parts.rs`). `frontend/size-budget.toml` limits them.

mod budget;
mod packs;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::{
    css, setup,
    step::{Tool, step, usually},
    wasm,
    web::Mode,
    workspace,
};

/// The code of [`make`]. A changed recipe builds everything again.
const RECIPE: &str = concat!(
    include_str!("wasm.rs"),
    include_str!("wasm/imports.rs"),
    include_str!("wasm/unused.rs"),
    include_str!("ui.rs")
);

/// Builds the admin UI's files for browsers.
pub fn build(mode: Mode) -> Result<()> {
    let target = workspace::target().join("ui");
    let profile = match mode {
        Mode::Quick => "wasm-quick",
        Mode::Release => "wasm",
    };
    let work = target.join("made").join(profile);
    let usual = match mode {
        Mode::Quick => "about 3 min the first time",
        Mode::Release => "about 5 min the first time",
    };
    step(&usually("admin UI for browsers", usual), || {
        let built = wasm::cargo_build(
            "frontend",
            profile,
            &target,
            &[wasm::TO_SPLIT, wasm::ERASED],
        )?;
        make(&built, &work, mode)
    })?;
    let mut folder = Folder::default();
    add_app(&work, mode, &mut folder)?;
    add_styles(&workspace::root().join("style"), &mut folder)?;
    if mode == Mode::Release {
        step("sizes of the admin UI", || {
            let most = workspace::root().join("frontend/size-budget.toml");
            budget::check(&most, &folder.manifest, &folder.files)
        })?;
    }
    folder.write(&workspace::web().join("ui"))
}

/// Splits rustc's module into parts and scripts in `work`. The order of parts is not stable, so the same
/// module is split only once to give the same bytes.
fn make(built: &Path, work: &Path, mode: Mode) -> Result<()> {
    let stamp = work.join("inputs");
    let input = format!(
        "{} {}",
        digest(&fs::read(built)?),
        digest(RECIPE.as_bytes())
    );
    if fs::read_to_string(&stamp).is_ok_and(|known| known == input) {
        return Ok(());
    }
    if work.exists() {
        fs::remove_dir_all(work)?;
    }
    fs::create_dir_all(work)?;
    let split = wasm::split(built, "ui.js", &work.join("parts"))?;
    wasm::bind_for_web(&split.main, "ui", &work.join("bound"))?;
    if mode == Mode::Release {
        wasm::shorten_imports("ui", &work.join("bound"))?;
        let files: BTreeSet<_> = split.parts.values().flatten().collect();
        let parts = files.into_iter().map(|file| work.join("parts").join(file));
        // The largest first, so that none is left for one processor at the end.
        let main = work.join("bound/ui_bg.wasm");
        wasm::optimise_all(std::iter::once(main).chain(parts).collect())?;
    }
    fs::write(
        work.join("parts.json"),
        serde_json::to_string_pretty(&split.parts)?,
    )?;
    fs::write(stamp, input)?;
    Ok(())
}

/// Adds the modules and their scripts. The manifest names the packs `part.<name>.bin` and `shared.bin`.
fn add_app(work: &Path, mode: Mode, folder: &mut Folder) -> Result<()> {
    let bound = work.join("bound");
    let mut js = fs::read_to_string(bound.join("ui.js"))?;
    let mut snippets = BTreeMap::new();
    collect_snippets(&bound, &bound.join("snippets"), folder, &mut snippets)?;
    for (path, hashed) in &snippets {
        js = js.replace(&format!("./{path}"), &format!("./{hashed}"));
    }
    folder.add("ui.wasm", fs::read(bound.join("ui_bg.wasm"))?);
    let modules = work.join("parts");
    let parts = serde_json::from_str(&fs::read_to_string(work.join("parts.json"))?)?;
    let packs = packs::pack(&parts, |module| Ok(fs::read(modules.join(module))?))?;
    let files = packs.iter().map(|(part, pack)| {
        let name = match part.as_str() {
            packs::SHARED => "shared.bin".to_owned(),
            part => format!("part.{part}.bin"),
        };
        let file = folder.add(&name, pack.content.clone());
        (part.clone(), file)
    });
    let files = files.collect();
    let generated = fs::read_to_string(modules.join(wasm::LOADER))?;
    let loader = packs::loader(&generated, &packs, &files)?;
    let [js, loader] = match mode {
        Mode::Quick => [js, loader],
        Mode::Release => [
            minified(work, "ui.js", &js)?,
            minified(work, wasm::LOADER, &loader)?,
        ],
    };
    folder.add_circle([("ui.js", js), (wasm::LOADER, loader)])
}

/// A script module without spaces and with short names.
fn minified(work: &Path, name: &str, text: &str) -> Result<String> {
    let tools = workspace::sdk_tools();
    setup::need_npm_packages(&tools)?;
    let long = work.join(name);
    fs::write(&long, text)?;
    Tool::new(tools.join("node_modules/.bin/esbuild"))
        .arg(long)
        .args(["--minify", "--log-level=error"])
        .output()
}

/// Adds the scripts of crates. Their names do not change with their content, so they are hashed, too.
fn collect_snippets(
    base: &Path,
    dir: &Path,
    folder: &mut Folder,
    found: &mut BTreeMap<String, String>,
) -> Result<()> {
    if !dir.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect_snippets(base, &path, folder, found)?;
        } else {
            let relative = path.strip_prefix(base)?.to_string_lossy().into_owned();
            let hashed = folder.add("snippet.js", fs::read(&path)?);
            found.insert(relative, hashed);
        }
    }
    Ok(())
}

/// Adds the style sheet and the files beside it (pictures, fonts). `widget.css` is left out, because the
/// widget carries its own styles.
fn add_styles(dir: &Path, folder: &mut Folder) -> Result<()> {
    let mut files = BTreeMap::new();
    let mut names: Vec<_> = fs::read_dir(dir)?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            [".svg", ".png", ".woff2", ".ico"]
                .iter()
                .any(|end| name.ends_with(end))
        })
        .collect();
    names.sort();
    for name in names {
        let hashed = folder.add(&name, fs::read(dir.join(&name))?);
        files.insert(name, hashed);
    }
    folder.add("ui.css", css::bundle(dir, "main.css", &files)?.into_bytes());
    Ok(())
}

/// The start of a hash, long enough to tell versions apart.
fn digest(content: &[u8]) -> String {
    let mut hash = hex::encode(Sha256::digest(content));
    hash.truncate(16);
    hash
}

/// Inserts a hash: `ui.css` becomes `ui-0123456789abcdef.css`, a part `part-0123456789abcdef.wasm`.
fn hashed_name(name: &str, hash: &str) -> String {
    let stem = name.split('.').next().unwrap_or(name);
    let end = name.rsplit('.').next().unwrap_or_default();
    format!("{stem}-{hash}.{end}")
}

/// Files with hashed names.
#[derive(Default)]
struct Folder {
    files: BTreeMap<String, Vec<u8>>,
    manifest: BTreeMap<String, String>,
}

impl Folder {
    /// Adds a file and returns its hashed name.
    fn add(&mut self, name: &str, content: Vec<u8>) -> String {
        let hashed = hashed_name(name, &digest(&content));
        self.manifest.insert(name.to_owned(), hashed.clone());
        self.files.insert(hashed.clone(), content);
        hashed
    }

    /// Adds two scripts that import each other. Their names change together.
    fn add_circle(&mut self, scripts: [(&str, String); 2]) -> Result<()> {
        let [(_, one), (_, other)] = &scripts;
        let hash = digest(format!("{one}{other}").as_bytes());
        let names = scripts.each_ref().map(|(name, _)| *name);
        for (name, mut text) in scripts {
            for imported in names.iter().filter(|other| **other != name) {
                let hashed = hashed_name(imported, &hash);
                // With the space, or minified.
                let rest = ["from ", "from"].iter().fold(text.clone(), |text, from| {
                    text.replace(
                        &format!("{from}\"./{imported}\""),
                        &format!("{from}\"./{hashed}\""),
                    )
                });
                if rest == text {
                    bail!("{name} does not import {imported}");
                }
                text = rest;
            }
            let hashed = hashed_name(name, &hash);
            self.manifest.insert(name.to_owned(), hashed.clone());
            self.files.insert(hashed, text.into_bytes());
        }
        Ok(())
    }

    /// Writes these files to `dir` and removes all others. Unchanged files are not touched, so that the
    /// server is linked again only after a change.
    fn write(mut self, dir: &Path) -> Result<()> {
        self.manifest.remove("snippet.js");
        let manifest = serde_json::to_string_pretty(&self.manifest)?;
        self.files
            .insert("manifest.json".to_owned(), manifest.into_bytes());
        fs::create_dir_all(dir).with_context(|| format!("making {}", dir.display()))?;
        let wanted: BTreeSet<_> = self.files.keys().cloned().collect();
        for entry in fs::read_dir(dir)? {
            let entry = entry?;
            if !wanted.contains(&*entry.file_name().to_string_lossy()) {
                fs::remove_file(entry.path())?;
            }
        }
        for (name, content) in self.files {
            let path = dir.join(&name);
            if !fs::read(&path).is_ok_and(|present| present == content) {
                fs::write(&path, content)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_that_import_each_other_change_their_names_together() {
        let names = |loader: &str| {
            let mut folder = Folder::default();
            let js = "import * as p from \"./parts.js\"; x(\"./parts.js\", p)".to_owned();
            // Minified.
            let loader = format!("import{{y}}from\"./ui.js\";{loader}");
            folder
                .add_circle([("ui.js", js), ("parts.js", loader)])
                .unwrap();
            let text = |name: &str| {
                let file = folder.manifest.get(name).unwrap();
                let content = folder.files.get(file).unwrap().clone();
                (file.clone(), String::from_utf8(content).unwrap())
            };
            [text("ui.js"), text("parts.js")]
        };
        let [(ui, js), (parts, loader)] = names("1");
        // The module's own import keeps its name, because the module contains it.
        assert_eq!(
            js,
            format!("import * as p from \"./{parts}\"; x(\"./parts.js\", p)")
        );
        assert_eq!(loader, format!("import{{y}}from\"./{ui}\";1"));
        let [(other, _), _] = names("2");
        assert_ne!(ui, other);
    }

    #[test]
    fn a_script_that_lost_its_import_is_noticed() {
        let mut folder = Folder::default();
        let scripts = [("ui.js", String::new()), ("parts.js", String::new())];
        assert!(folder.add_circle(scripts).is_err());
    }

    #[test]
    fn names_carry_hash_and_ending() {
        assert_eq!(hashed_name("ui.css", "01"), "ui-01.css");
        assert_eq!(hashed_name("part.team.bin", "01"), "part-01.bin");
    }
}
