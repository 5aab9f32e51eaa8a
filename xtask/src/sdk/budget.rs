//! Compressed sizes of the SDK and their budgets.

use std::{collections::BTreeMap, fs, io::Read, path::Path};

use anyhow::{Context, Result, bail};

use super::pack::{BUNDLES, Made};

/// Fails if a file is larger than its budget, or if the module contains further panic messages.
pub fn check(root: &Path, made: &Made) -> Result<()> {
    let budget = read(&root.join("sdk-wasm/size-budget.toml"))?;
    let mut weighed: Vec<Weighed<'_>> = vec![
        ("core", "module", &made.module),
        ("generic", "loader of sdk.js", &made.generic),
        ("fallback", "JavaScript fallback", &made.fallback),
    ];
    let loaders = BUNDLES.iter().zip(&made.loaders);
    weighed.extend(loaders.map(|(bundle, content)| (bundle.budget, bundle.budget, &content[..])));
    let parts = made.parts.iter();
    weighed.extend(parts.map(|(part, content)| (*part, *part, &content[..])));
    let mut over = too_large(&budget, &weighed)?;
    // The `Vec` of the standard library leaves one path. More paths mean that a dependency or a `format!`
    // added formatting and panic messages.
    let paths = source_paths(&made.module);
    if paths > 1 {
        over.push(format!("the module holds {paths} source paths, 1 allowed"));
    }
    if !over.is_empty() {
        bail!("the SDK is too large:\n  {}", over.join("\n  "));
    }
    Ok(())
}

/// The key of a file's budget, its name, and its content.
type Weighed<'a> = (&'a str, &'a str, &'a [u8]);

/// The files that are larger than their budgets. A file without a budget is an error.
fn too_large(budget: &BTreeMap<String, usize>, weighed: &[Weighed<'_>]) -> Result<Vec<String>> {
    let mut over = Vec::new();
    for (key, name, content) in weighed {
        let most = *budget
            .get(*key)
            .with_context(|| format!("no budget for {key}"))?;
        let size = brotli(content);
        println!(
            "  {name}: {size} of {most} bytes (brotli), {} raw",
            content.len()
        );
        if size > most {
            over.push(format!("{name}: {size} bytes, {most} allowed"));
        }
    }
    Ok(over)
}

/// Reads lines of the form `key = bytes`.
pub fn read(path: &Path) -> Result<BTreeMap<String, usize>> {
    fs::read_to_string(path)?
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .map(|line| {
            let (key, value) = line.split_once('=').with_context(|| line.to_owned())?;
            Ok((key.trim().to_owned(), value.trim().parse()?))
        })
        .collect()
}

pub fn brotli(content: &[u8]) -> usize {
    let mut compressed = Vec::new();
    // Reading from memory into memory cannot fail.
    let _ = brotli::CompressorReader::new(content, 4096, 11, 24).read_to_end(&mut compressed);
    compressed.len()
}

/// Counts printable runs that end in `.rs`, as `strings | grep '\.rs$'` does.
fn source_paths(module: &[u8]) -> usize {
    module
        .split(|byte| !(b' '..=b'~').contains(byte))
        .filter(|run| run.ends_with(b".rs"))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_above_its_budget_is_noticed() {
        // No compression makes less of these bytes.
        let noise: Vec<u8> = (0..200).map(|at: u8| at.wrapping_mul(167)).collect();
        let size = brotli(&noise);
        let over = |key: &str, most: usize| {
            let budget = [(key.to_owned(), most)].into();
            too_large(&budget, &[("layers", "the layers", &noise)])
        };
        assert_eq!(over("layers", size).unwrap(), [""; 0]);
        let told = format!("the layers: {size} bytes, {} allowed", size - 1);
        assert_eq!(over("layers", size - 1).unwrap(), [told]);
        assert!(over("debug", size).is_err());
    }

    #[test]
    fn source_paths_are_counted() {
        assert_eq!(source_paths(b"\0src/vec.rs\0x.rsy\0/a/b.rs"), 2);
    }
}
