//! Objects in a folder of this machine.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use super::{Encoding, Packed};

/// Objects below `root`.
pub(super) struct Folder {
    pub root: PathBuf,
}

impl Folder {
    pub async fn put(&self, key: &str, packed: Packed) -> std::io::Result<()> {
        let path = self.root.join(key);
        let key = key.to_owned();
        tokio::task::spawn_blocking(move || {
            for (encoding, bytes) in packed.variants() {
                let path = variant(&path, *encoding);
                // A file under its name was written whole and synced.
                if std::fs::read(&path).is_ok_and(|there| there == *bytes) {
                    continue;
                }
                write(&path, bytes)?;
                if std::fs::read(&path)? != *bytes {
                    return Err(std::io::Error::other(format!(
                        "{key} was not written whole"
                    )));
                }
            }
            Ok(())
        })
        .await
        .map_err(std::io::Error::other)?
    }

    pub async fn read(
        &self,
        key: &str,
        encoding: Encoding,
    ) -> std::io::Result<Option<bytes::Bytes>> {
        read(&variant(&self.root.join(key), encoding)).await
    }

    pub async fn holds(&self, key: &str) -> std::io::Result<bool> {
        tokio::fs::try_exists(self.root.join(key)).await
    }

    pub async fn delete(&self, key: &str) -> std::io::Result<()> {
        let path = self.root.join(key);
        for encoding in Encoding::ALL {
            match tokio::fs::remove_file(variant(&path, encoding)).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

fn variant(path: &Path, encoding: Encoding) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(encoding.suffix());
    PathBuf::from(name)
}

async fn read(path: &Path) -> std::io::Result<Option<bytes::Bytes>> {
    match tokio::fs::read(path).await {
        Ok(bytes) => Ok(Some(bytes.into())),
        Err(error)
            if matches!(
                error.kind(),
                std::io::ErrorKind::NotFound
                    | std::io::ErrorKind::NotADirectory
                    | std::io::ErrorKind::IsADirectory
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Writes a temporary file beside the target, syncs and renames it. Readers see the old file or the new one.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut random = [0_u8; 8];
    crate::random::fill(&mut random);
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", hex::encode(random)));
    let beside = PathBuf::from(beside);
    let written = (|| {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)?;
        std::fs::File::open(folder)?.sync_all()
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}
