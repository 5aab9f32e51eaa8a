//! Sizes of the admin UI's files and their budgets.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, Result, bail};

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
    let mut visit = (0, 0);
    for key in VISIT {
        let (packed, raw) = sizes
            .get(key)
            .with_context(|| format!("nothing is {key}"))?;
        visit = (visit.0 + packed, visit.1 + raw);
    }
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
const VISIT: [&str; 5] = [
    "first",
    packs::SHARED,
    packs::FIRST_PAGE,
    "scripts",
    "styles",
];

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
            ("ui.wasm", "1.wasm"),
            ("ui.js", "2.js"),
            ("parts.js", "3.js"),
            ("ui.css", "4.css"),
            ("shared.bin", "5.bin"),
            ("part.home.bin", "6.bin"),
            ("icon.svg", "7.svg"),
        ];
        let files = names.map(|(_, file)| (file, if file == "7.svg" { 200 } else { 100 }));
        check(
            &file,
            &names.map(|(name, file)| (name.into(), file.into())).into(),
            &files.map(|(file, size)| (file.into(), noise(size))).into(),
        )
    }

    #[test]
    fn files_of_a_budget_add_up() {
        let right =
            "first = 150\nscripts = 250\nstyles = 150\nshared = 150\nhome = 150\nvisit = 650";
        assert!(weigh(right).is_ok());
        let refused = |one: &str, other: &str| {
            let budget = right.replace(one, other);
            weigh(&budget).unwrap_err().to_string()
        };
        let scripts = refused("scripts = 250", "scripts = 150");
        assert!(scripts.contains("150 allowed"), "{scripts}");
        let visit = refused("visit = 650", "visit = 550");
        assert!(visit.contains("visit: 6"), "{visit}");
        let unnamed = refused("home = 150\n", "");
        assert!(unnamed.contains("home: 1"), "{unnamed}");
    }
}
