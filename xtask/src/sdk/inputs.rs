//! Hashes the inputs of the SDK.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

use crate::step::Tool;

const INPUTS: [&str; 11] = [
    "Cargo.lock",
    "Cargo.toml",
    "domain/Cargo.toml",
    "domain/src",
    "sdk-wasm/Cargo.toml",
    "sdk-wasm/js",
    "sdk-wasm/package-lock.json",
    "sdk-wasm/size-budget.toml",
    "sdk-wasm/src",
    "xtask/src/sdk",
    "xtask/src/sdk.rs",
];

pub fn hash(root: &Path) -> Result<String> {
    let mut hasher = Sha256::new();
    hasher.update(Tool::new("rustc").arg("--version").output()?);
    for input in INPUTS {
        add(&mut hasher, root, &root.join(input))?;
    }
    Ok(hex::encode(hasher.finalize()))
}

fn add(hasher: &mut Sha256, root: &Path, path: &Path) -> Result<()> {
    if path.is_dir() {
        let mut inside = fs::read_dir(path)?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<Vec<_>>>()?;
        inside.sort();
        return inside.iter().try_for_each(|path| add(hasher, root, path));
    }
    let content = fs::read(path).with_context(|| path.display().to_string())?;
    let name = path.strip_prefix(root)?.to_string_lossy();
    hasher.update((name.len() as u64).to_le_bytes());
    hasher.update(name.as_bytes());
    hasher.update((content.len() as u64).to_le_bytes());
    hasher.update(content);
    Ok(())
}
