//! The admin UI's files: the hydrating app, its style sheet and its pictures, in `target/web/ui/`
//! under names that change with their content, and `manifest.json` from plain to hashed names.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::Path,
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::{css, step::step, wasm, web::Mode, workspace};

/// Builds what browsers load of the admin UI.
pub fn build(mode: Mode) -> Result<()> {
    let target = workspace::target().join("ui");
    let profile = match mode {
        Mode::Quick => "wasm-quick",
        Mode::Release => "wasm",
    };
    let bound = target.join("bound");
    let (module, script) = (bound.join("ui_bg.wasm"), bound.join("ui.js"));
    step("admin UI for browsers", || {
        let built = wasm::cargo_build("frontend", profile, &target)?;
        wasm::bind_for_web(&built, "ui", &bound)
    })?;
    if mode == Mode::Release {
        step("wasm-opt of the admin UI", || wasm::optimise(&module))?;
    }
    let mut folder = Folder::default();
    let mut snippets = BTreeMap::new();
    collect_snippets(&bound, &bound.join("snippets"), &mut folder, &mut snippets)?;
    let mut js = fs::read_to_string(&script)?;
    for (path, hashed) in &snippets {
        js = js.replace(&format!("./{path}"), &format!("./{hashed}"));
    }
    folder.add("ui.js", js.into_bytes());
    folder.add("ui.wasm", fs::read(&module)?);
    add_styles(&workspace::root().join("style"), &mut folder)?;
    folder.write(&workspace::web().join("ui"))
}

/// Scripts that crates bring along; their names are those of the crates, so they are hashed, too.
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

/// The style sheet and the files beside it (pictures, fonts). `widget.css` is not the UI's: the
/// widget carries its styles with it.
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

/// Files with hashed names.
#[derive(Default)]
struct Folder {
    files: BTreeMap<String, Vec<u8>>,
    manifest: BTreeMap<String, String>,
}

impl Folder {
    /// Takes a file in and gives its hashed name: `ui.css` becomes `ui-0123456789abcdef.css`.
    fn add(&mut self, name: &str, content: Vec<u8>) -> String {
        let mut hash = String::new();
        for byte in Sha256::digest(&content).iter().take(8) {
            let _ = write!(hash, "{byte:02x}");
        }
        let (stem, end) = name.rsplit_once('.').unwrap_or((name, ""));
        let hashed = format!("{stem}-{hash}.{end}");
        self.manifest.insert(name.to_owned(), hashed.clone());
        self.files.insert(hashed.clone(), content);
        hashed
    }

    /// Makes `dir` hold these files and no others. Files that are right stay untouched, so that
    /// the server is linked anew only when something changed.
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
