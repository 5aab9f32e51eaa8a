//! Sizes of the admin UI's files and their budgets.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Result, bail};

use super::packs;
use crate::sdk::budget::{brotli, read};

/// Fails if a part is larger than its budget. `manifest` maps names to `files`.
pub fn check(
    budget: &Path,
    manifest: &BTreeMap<String, String>,
    files: &BTreeMap<String, Vec<u8>>,
) -> Result<()> {
    let budget = read(budget)?;
    let mut sizes = BTreeMap::<&str, (usize, usize)>::new();
    for (name, file) in manifest {
        let Some(key) = key(name) else { continue };
        let content = files.get(file).map(Vec::as_slice).unwrap_or_default();
        let (packed, raw) = sizes.entry(key).or_default();
        *packed += brotli(content);
        *raw += content.len();
    }
    let visit = VISIT.iter().filter_map(|key| sizes.get(key));
    let visit = visit.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    sizes.insert("visit", visit);
    let mut over = Vec::new();
    for (key, (packed, raw)) in sizes {
        // A part without a budget is noticed with the sizes of all.
        let most = budget.get(key).copied().unwrap_or_default();
        println!("  {key}: {packed} of {most} bytes (brotli), {raw} raw");
        if packed > most {
            over.push(format!("{key}: {packed} bytes, {most} allowed"));
        }
    }
    if !over.is_empty() {
        bail!("the admin UI is too large:\n  {}", over.join("\n  "));
    }
    Ok(())
}

/// The files that a first visit of the first page waits for.
const VISIT: [&str; 5] = ["first", packs::SHARED, "home", "scripts", "styles"];

/// The budget that a file counts for.
fn key(name: &str) -> Option<&str> {
    match name {
        "ui.wasm" => Some("first"),
        "ui.js" | "parts.js" => Some("scripts"),
        "ui.css" => Some("styles"),
        "shared.bin" => Some(packs::SHARED),
        _ => name.strip_prefix("part.")?.strip_suffix(".bin"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weigh(budget: &str) -> Result<()> {
        let dir = tempfile::tempdir()?;
        let file = dir.path().join("budget.toml");
        std::fs::write(&file, budget)?;
        let noise = |length: u8| (0..length).map(|at| at.wrapping_mul(167)).collect();
        let names = [
            ("ui.js", "1.js"),
            ("parts.js", "2.js"),
            ("part.home.bin", "3.bin"),
            ("icon.svg", "4.svg"),
        ];
        let files = [("1.js", 100), ("2.js", 100), ("3.bin", 100), ("4.svg", 200)];
        check(
            &file,
            &names.map(|(name, file)| (name.into(), file.into())).into(),
            &files.map(|(file, size)| (file.into(), noise(size))).into(),
        )
    }

    #[test]
    fn files_of_a_budget_add_up() {
        assert!(weigh("scripts = 250\nhome = 150\nvisit = 350").is_ok());
        let refused = |budget: &str| weigh(budget).unwrap_err().to_string();
        let scripts = refused("scripts = 150\nhome = 150\nvisit = 350");
        assert!(scripts.contains("150 allowed"), "{scripts}");
        let visit = refused("scripts = 250\nhome = 150\nvisit = 250");
        assert!(visit.contains("visit: 3"), "{visit}");
        let unnamed = refused("scripts = 250\nvisit = 350");
        assert!(unnamed.contains("home: 1"), "{unnamed}");
    }
}
