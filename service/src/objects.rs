//! The object store: what is published, by key.
//!
//! Objects live in a folder; each is kept three times, plain and compressed with brotli and gzip,
//! so that serving never compresses. Keys are built from validated ids, names and hashes only.
//! A key with a content hash in it is immutable; all others are switched by an atomic rename.

use std::{
    collections::HashMap,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use sha2::{Digest, Sha256};

use crate::clock::{SharedClock, Timestamp};

/// Files kept in memory; published files are a few kilobytes each.
const MOST_CACHED: usize = 1_024;
/// How long a file in memory is believed: another process may have switched it.
const FRESH_MS: i64 = 1_000;

/// Lower-case hex of SHA-256.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
            use std::fmt::Write as _;
            let _ = write!(text, "{byte:02x}");
            text
        })
}

/// Whether this key names its content, so that it never changes.
pub fn is_immutable(key: &str) -> bool {
    key.starts_with("sdk/")
        || key.rsplit('/').next().is_some_and(|name| {
            let mut parts = name.rsplit('.').skip(1);
            parts.next().is_some_and(|part| {
                part.len() == 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            }) && parts.next().is_some()
        })
}

/// The media type of a key.
pub fn content_type(key: &str) -> &'static str {
    match key.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("payload") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        _ => "application/octet-stream",
    }
}

/// How an answer is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Not at all.
    Identity,
    /// `br`.
    Brotli,
    /// `gzip`.
    Gzip,
}

impl Encoding {
    const ALL: [Self; 3] = [Self::Identity, Self::Brotli, Self::Gzip];

    /// The name in `Content-Encoding`; none for identity.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Self::Identity => "",
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
        }
    }

    /// The bytes in this encoding.
    pub fn compress(self, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        match self {
            Self::Identity => Ok(bytes.to_vec()),
            Self::Brotli => {
                let mut out = Vec::new();
                let params = brotli::enc::BrotliEncoderParams {
                    quality: 11,
                    lgwin: 22,
                    ..Default::default()
                };
                brotli::BrotliCompress(&mut &bytes[..], &mut out, &params)?;
                Ok(out)
            }
            Self::Gzip => {
                let mut encoder =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
                encoder.write_all(bytes)?;
                encoder.finish()
            }
        }
    }
}

/// A file as it is served.
#[derive(Clone, Debug)]
pub struct Served {
    /// The bytes in this encoding.
    pub bytes: bytes::Bytes,
    /// Strong entity tag of this variant, quoted.
    pub etag: String,
}

/// Files in memory by key and variant, with the time of their reading.
type Cache = HashMap<(String, &'static str), (Timestamp, Arc<Served>)>;

/// A folder of objects.
pub struct Objects {
    root: PathBuf,
    clock: SharedClock,
    cache: Mutex<Cache>,
}

impl Objects {
    /// Objects below `root`, which is made when the first one is put.
    pub fn new(root: PathBuf, clock: SharedClock) -> Self {
        Self {
            root,
            clock,
            cache: Mutex::default(),
        }
    }

    /// Puts an object and makes sure that what is read back is what was written. It is on disk
    /// afterwards.
    pub async fn put(&self, key: &str, bytes: Vec<u8>) -> std::io::Result<()> {
        let path = self.path(key)?;
        let immutable = is_immutable(key);
        let key = key.to_owned();
        let done = tokio::task::spawn_blocking(move || {
            // The plain file comes last: where it is, its variants are.
            for encoding in [Encoding::Brotli, Encoding::Gzip, Encoding::Identity] {
                let path = variant(&path, encoding);
                if immutable && encoding != Encoding::Identity && path.exists() {
                    continue;
                }
                let encoded = encoding.compress(&bytes)?;
                write(&path, &encoded)?;
                if std::fs::read(&path)? != encoded {
                    return Err(std::io::Error::other(format!(
                        "{key} was not written whole"
                    )));
                }
            }
            Ok(())
        })
        .await
        .map_err(std::io::Error::other)?;
        self.forget();
        done
    }

    /// Reads an object.
    pub async fn get(&self, key: &str) -> std::io::Result<Option<Vec<u8>>> {
        read(&self.path(key)?).await
    }

    /// Removes an object, if it is there.
    pub async fn delete(&self, key: &str) -> std::io::Result<()> {
        let path = self.path(key)?;
        for encoding in Encoding::ALL {
            match tokio::fs::remove_file(variant(&path, encoding)).await {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.forget();
        Ok(())
    }

    /// A file in an encoding, from memory where it is fresh.
    pub async fn served(
        &self,
        key: &str,
        encoding: Encoding,
    ) -> std::io::Result<Option<Arc<Served>>> {
        let now = self.clock.now();
        let cache_key = (key.to_owned(), encoding.suffix());
        if let Some((at, served)) = self.cache().get(&cache_key)
            && (is_immutable(key) || now.0 - at.0 < FRESH_MS * 1_000)
        {
            return Ok(Some(served.clone()));
        }
        let Ok(path) = self.path(key) else {
            return Ok(None);
        };
        let Some(bytes) = read(&variant(&path, encoding)).await? else {
            return Ok(None);
        };
        let hash = sha256_hex(&bytes);
        let etag = format!("\"{}\"", hash.get(..32).unwrap_or_default());
        let served = Arc::new(Served {
            bytes: bytes.into(),
            etag,
        });
        let mut cache = self.cache();
        if cache.len() >= MOST_CACHED {
            cache.clear();
        }
        cache.insert(cache_key, (now, served.clone()));
        Ok(Some(served))
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn forget(&self) {
        self.cache().clear();
    }

    /// The path of a key; keys that could leave the folder have none.
    fn path(&self, key: &str) -> std::io::Result<PathBuf> {
        let clean = key.split('/').all(|part| {
            !part.is_empty()
                && !part.starts_with('.')
                && part
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        });
        let depth = key.split('/').count();
        let compressed = [".br", ".gz"].iter().any(|suffix| key.ends_with(suffix));
        if clean && depth <= 3 && key.len() <= 250 && !compressed {
            Ok(self.root.join(key))
        } else {
            Err(std::io::Error::new(
                std::io::ErrorKind::InvalidInput,
                "not a key of an object",
            ))
        }
    }
}

fn variant(path: &Path, encoding: Encoding) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(encoding.suffix());
    PathBuf::from(name)
}

async fn read(path: &Path) -> std::io::Result<Option<Vec<u8>>> {
    match tokio::fs::read(path).await {
        Ok(bytes) => Ok(Some(bytes)),
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

/// Writes beside the target, syncs, renames: readers see the old file or the new one.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let mut random = [0_u8; 8];
    crate::random::fill(&mut random);
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", hex(&random)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;

    #[test]
    fn keys_with_a_content_hash_are_immutable() {
        assert!(is_immutable("p/en.0123456789abcdef.js"));
        assert!(is_immutable("sdk/core.wasm"));
        for mutable in [
            "p.json",
            "p/en.js",
            "p/0123456789abcdef.js",
            "p/en.0123456789abcde.js",
        ] {
            assert!(!is_immutable(mutable), "{mutable}");
        }
    }

    #[tokio::test]
    async fn objects_are_served_in_three_encodings_and_never_from_outside_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let objects = Objects::new(folder.path().join("cdn"), Arc::new(SystemClock));
        std::fs::write(folder.path().join("secret"), "x").unwrap();
        objects
            .put("p/en.js", b"let a = 1;".repeat(50))
            .await
            .unwrap();
        let plain = objects
            .served("p/en.js", Encoding::Identity)
            .await
            .unwrap()
            .unwrap();
        let br = objects
            .served("p/en.js", Encoding::Brotli)
            .await
            .unwrap()
            .unwrap();
        assert!(br.bytes.len() < plain.bytes.len() && br.etag != plain.etag);
        for key in [
            "../secret",
            "p/../../secret",
            "/etc/passwd",
            "p/en.js.br",
            "",
            "p//en.js",
            "p/.hidden",
            "p",
        ] {
            assert!(
                objects
                    .served(key, Encoding::Identity)
                    .await
                    .unwrap()
                    .is_none(),
                "{key}"
            );
        }
        objects.delete("p/en.js").await.unwrap();
        assert!(
            objects
                .served("p/en.js", Encoding::Brotli)
                .await
                .unwrap()
                .is_none()
        );
    }
}
