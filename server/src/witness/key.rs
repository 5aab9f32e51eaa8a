//! The private key of a witness, in its folder.

use std::{io::Write, path::Path};

use anyhow::Context;
use proof::{Hash, base64, from_base64, note::Kind, witness::Cosigner};

/// Its file.
const FILE: &str = "witness.key";
/// The start of the file's line.
const PREFIX: &str = "PRIVATE+KEY+";

/// Makes the key of a new witness, readable by its owner alone.
pub fn make(folder: &Path, name: &str) -> anyhow::Result<Cosigner> {
    let mut seed: Hash = [0; 32];
    service::random::fill(&mut seed);
    let key = Cosigner::new(name, &seed)?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    let path = folder.join(FILE);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options
        .open(&path)
        .with_context(|| format!("{} cannot be made; a witness keeps its key", path.display()))?;
    let secret = base64(&[&[Kind::Cosignature as u8], seed.as_slice()].concat());
    writeln!(file, "{PREFIX}{name}+{secret}")?;
    file.sync_all()?;
    std::fs::File::open(folder)?.sync_all()?;
    Ok(key)
}

/// Reads the key of a witness.
pub fn load(folder: &Path) -> anyhow::Result<Cosigner> {
    let path = folder.join(FILE);
    let text = std::fs::read_to_string(&path).with_context(|| {
        format!(
            "{} cannot be read; `placet witness init` makes a witness",
            path.display()
        )
    })?;
    parse(text.trim_end()).with_context(|| format!("{} holds no key", path.display()))
}

fn parse(line: &str) -> Option<Cosigner> {
    let (name, secret) = line.strip_prefix(PREFIX)?.split_once('+')?;
    let secret = from_base64(secret).ok()?;
    let (kind, seed) = secret.split_first()?;
    let seed = Hash::try_from(seed).ok()?;
    let is_own = *kind == Kind::Cosignature as u8;
    Cosigner::new(name, &seed).ok().filter(|_| is_own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_has_one_key() {
        let folder = tempfile::tempdir().unwrap();
        let made = make(folder.path(), "w.example/a").unwrap();
        let read = load(folder.path()).unwrap();
        assert_eq!(read.verifier(), made.verifier());
        assert!(make(folder.path(), "w.example/a").is_err());
        assert_eq!(load(folder.path()).unwrap().verifier(), made.verifier());
        std::fs::write(folder.path().join(FILE), "PRIVATE+KEY+a+AQ==\n").unwrap();
        assert!(load(folder.path()).is_err());
    }
}
