//! Sizes of the admin UI's files and their budgets.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, Result, bail};

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
    let mut over = Vec::new();
    for (key, (packed, raw)) in sizes {
        let most = *budget
            .get(key)
            .with_context(|| format!("no budget for {key}"))?;
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

/// The budget that a file counts for. All files of a part add up. A shared file counts for each part.
fn key(name: &str) -> Option<&str> {
    match name {
        "ui.wasm" => Some("first"),
        "ui.js" | "parts.js" => Some("scripts"),
        "ui.css" => Some("styles"),
        _ => name.strip_prefix("part.")?.split('.').next(),
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
            ("part.a.0.wasm", "1.wasm"),
            ("part.a.1.wasm", "2.wasm"),
            ("icon.svg", "3.svg"),
        ];
        let files = [("1.wasm", 100), ("2.wasm", 100), ("3.svg", 200)];
        check(
            &file,
            &names.map(|(name, file)| (name.into(), file.into())).into(),
            &files.map(|(file, size)| (file.into(), noise(size))).into(),
        )
    }

    #[test]
    fn a_part_is_the_sum_of_its_files() {
        assert!(weigh("a = 250").is_ok());
        let refused = weigh("a = 150").unwrap_err().to_string();
        assert!(refused.contains("150 allowed"), "{refused}");
        assert!(
            weigh("b = 250").is_err(),
            "a part without a budget is noticed"
        );
    }
}
