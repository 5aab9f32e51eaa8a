//! Objects in a folder of this machine.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use bytes::Bytes;

use super::{Encoding, Packed};

/// Files from which on all of them are brought to disk together, where the system can.
const MANY: usize = if cfg!(target_os = "linux") {
    8
} else {
    usize::MAX
};

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
                write_durably(&path, bytes)?;
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

    /// Stores many objects.
    pub async fn put_all(&self, objects: Vec<(String, Packed)>) -> std::io::Result<()> {
        if objects.len() < MANY {
            for (key, packed) in objects {
                self.put(&key, packed).await?;
            }
            return Ok(());
        }
        let root = self.root.clone();
        tokio::task::spawn_blocking(move || {
            let files = objects.iter().flat_map(|(key, packed)| {
                let path = root.join(key);
                let variants = packed.variants().iter();
                variants.map(move |(encoding, bytes)| (variant(&path, *encoding), bytes.clone()))
            });
            let is_there = |(path, bytes): &(PathBuf, Bytes)| {
                std::fs::read(path).is_ok_and(|there| there == *bytes)
            };
            let files: Vec<(PathBuf, Bytes)> = files.filter(|file| !is_there(file)).collect();
            write_all(&root, files.clone())?;
            match files.iter().find(|file| !is_there(file)) {
                None => Ok(()),
                Some((path, _)) => Err(std::io::Error::other(format!(
                    "{} was not written whole",
                    path.display()
                ))),
            }
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

/// A file with its content and a temporary name beside its own. Dropping it removes it.
struct Beside {
    beside: PathBuf,
    path: PathBuf,
}

impl Beside {
    fn write(path: &Path, bytes: &[u8]) -> std::io::Result<(Self, std::fs::File)> {
        std::fs::create_dir_all(folder_of(path))?;
        let mut random = [0_u8; 8];
        crate::random::fill(&mut random);
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".{}.tmp", hex::encode(random)));
        let file = Self {
            beside: PathBuf::from(beside),
            path: path.to_owned(),
        };
        let mut open = std::fs::File::create(&file.beside)?;
        open.write_all(bytes)?;
        Ok((file, open))
    }

    /// Gives it its name. Its content is on disk already. Readers see the old file or this one.
    fn take_name(self) -> std::io::Result<()> {
        std::fs::rename(&self.beside, &self.path)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // Gone if the file has its name.
        let _ = std::fs::remove_file(&self.beside);
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("."))
}

/// Writes one file so that it is on disk. Readers see the old file or this one, also after a crash.
pub fn write_durably(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let (file, open) = Beside::write(path, bytes)?;
    open.sync_all()?;
    file.take_name()?;
    std::fs::File::open(folder_of(path))?.sync_all()
}

/// Writes many files so that they are on disk. One request brings all of them there: with one for each, every file
/// would wait for the disk twice, and so would the transactions of the database meanwhile.
fn write_all(root: &Path, files: Vec<(PathBuf, Bytes)>) -> std::io::Result<()> {
    std::fs::create_dir_all(root)?;
    // Opened before anything is written, so that no other program is told of our faults in its place.
    let root = std::fs::File::open(root)?;
    let mut beside = Vec::with_capacity(files.len());
    for (path, bytes) in files {
        beside.push(Beside::write(&path, &bytes)?.0);
    }
    sync(&root)?;
    for file in beside {
        file.take_name()?;
    }
    // Also without new files: an earlier attempt may have ended before this.
    sync(&root)
}

/// Brings everything to disk that was written in the file system of a folder. `syncfs` tells of faults since Linux 5.8;
/// before, what is read back afterwards is the only check.
#[cfg(target_os = "linux")]
fn sync(root: &std::fs::File) -> std::io::Result<()> {
    Ok(rustix::fs::syncfs(root)?)
}

/// Other systems write file by file.
#[cfg(not(target_os = "linux"))]
fn sync(_root: &std::fs::File) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
