//! The private keys of a witness, in its folder: one for Ed25519, and one for ML-DSA-44.

use std::{io::Write, path::Path};

use anyhow::Context;
use proof::{
    Hash, base64,
    checkpoint::Checkpoint,
    from_base64,
    note::{Kind, TreeSigner, Verifier},
    witness::Cosigner,
};
use service::objects::write_durably;

/// The file of the key for Ed25519.
const FILE: &str = "witness.key";
/// The file of the key for ML-DSA-44.
const ML_DSA_FILE: &str = "witness-ml-dsa.key";
/// The start of a file's line.
const PREFIX: &str = "PRIVATE+KEY+";

/// The keys of a witness. Both have its name.
pub struct Keys {
    ed25519: Cosigner,
    ml_dsa: TreeSigner,
}

impl Keys {
    /// The public halves, that for Ed25519 first.
    pub fn verifiers(&self) -> [&Verifier; 2] {
        [self.ed25519.verifier(), self.ml_dsa.verifier()]
    }

    /// The lines of the cosignatures of a checkpoint, whose text this is, at a time in seconds since 1970.
    pub fn cosign(&self, text: &str, checkpoint: &Checkpoint, time: u64) -> String {
        let mut lines = self.ed25519.cosign(text, time);
        // ML-DSA-44 signs no names of more than 255 bytes; such a log has the line by Ed25519 alone.
        lines.push_str(&self.ml_dsa.line(checkpoint, time).unwrap_or_default());
        lines
    }
}

/// Makes the keys of a new witness, readable by their owner alone.
pub fn make(folder: &Path, name: &str) -> anyhow::Result<Keys> {
    let seed = new_seed();
    let ed25519 = Cosigner::new(name, &seed)?;
    std::fs::create_dir_all(folder)
        .with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    let path = folder.join(FILE);
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&path).with_context(|| {
        format!(
            "{} cannot be made; a witness keeps its keys",
            path.display()
        )
    })?;
    file.write_all(line(name, Kind::Cosignature, &seed).as_bytes())?;
    file.sync_all()?;
    std::fs::File::open(folder)?.sync_all()?;
    Ok(Keys {
        ed25519,
        ml_dsa: make_ml_dsa(folder, name)?,
    })
}

fn make_ml_dsa(folder: &Path, name: &str) -> anyhow::Result<TreeSigner> {
    let seed = new_seed();
    let key = TreeSigner::new(name, &seed)?;
    let path = folder.join(ML_DSA_FILE);
    write_durably(&path, line(name, Kind::MlDsa44, &seed).as_bytes())
        .with_context(|| format!("{} cannot be made", path.display()))?;
    Ok(key)
}

fn new_seed() -> Hash {
    let mut seed: Hash = [0; 32];
    service::random::fill(&mut seed);
    seed
}

fn line(name: &str, kind: Kind, seed: &Hash) -> String {
    let secret = base64(&[&[kind as u8], seed.as_slice()].concat());
    format!("{PREFIX}{name}+{secret}\n")
}

/// Reads the keys of a witness. Makes the one for ML-DSA-44 in a folder that is older than such keys, for a process that has
/// the folder to itself.
pub fn load(folder: &Path) -> anyhow::Result<Keys> {
    let ed25519 = read(folder, FILE).with_context(|| "`placet witness init` makes a witness")?;
    let (name, seed) = of_kind(&ed25519, Kind::Cosignature)
        .with_context(|| format!("{} holds no key", folder.join(FILE).display()))?;
    let ed25519 = Cosigner::new(name, &seed)?;
    let path = folder.join(ML_DSA_FILE);
    let ml_dsa = if path.exists() {
        let kept = read(folder, ML_DSA_FILE)?;
        of_kind(&kept, Kind::MlDsa44)
            .filter(|(other, _)| *other == name)
            .and_then(|(name, seed)| TreeSigner::new(name, &seed).ok())
            .with_context(|| format!("{} holds no key of this witness", path.display()))?
    } else {
        tracing::warn!(
            file = %path.display(),
            "the witness has a new key, for ML-DSA-44: back it up, and tell it to those who verify"
        );
        make_ml_dsa(folder, name)?
    };
    Ok(Keys { ed25519, ml_dsa })
}

fn read(folder: &Path, file: &str) -> anyhow::Result<String> {
    let path = folder.join(file);
    std::fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Name and seed of a file's line.
fn of_kind(text: &str, kind: Kind) -> Option<(&str, Hash)> {
    let line = text.trim_end();
    let (name, secret) = line.strip_prefix(PREFIX)?.split_once('+')?;
    let secret = from_base64(secret).ok()?;
    let (own, seed) = secret.split_first()?;
    let seed = Hash::try_from(seed).ok()?;
    (*own == kind as u8).then_some((name, seed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_witness_keeps_its_keys() {
        let folder = tempfile::tempdir().unwrap();
        let made = make(folder.path(), "w.example/a").unwrap();
        let read = load(folder.path()).unwrap();
        assert_eq!(read.verifiers(), made.verifiers());
        assert!(make(folder.path(), "w.example/a").is_err());
        assert_eq!(load(folder.path()).unwrap().verifiers(), made.verifiers());
        // As a witness leaves it that is older than keys for ML-DSA-44.
        std::fs::remove_file(folder.path().join(ML_DSA_FILE)).unwrap();
        let older = load(folder.path()).unwrap();
        assert_eq!(older.verifiers()[0], made.verifiers()[0]);
        assert_ne!(older.verifiers()[1], made.verifiers()[1]);
        assert_eq!(load(folder.path()).unwrap().verifiers(), older.verifiers());
        for file in [ML_DSA_FILE, FILE] {
            std::fs::write(folder.path().join(file), "PRIVATE+KEY+a+AQ==\n").unwrap();
            assert!(load(folder.path()).is_err(), "{file}");
        }
    }
}
