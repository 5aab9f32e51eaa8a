//! The object store: published files and uploaded files, by key.
//!
//! Objects are kept in a folder or in an S3 bucket. Each is stored plain and compressed with brotli and gzip,
//! so serving never compresses. Keys are made of validated ids, names and hashes only. An object whose key
//! contains a content hash is immutable; every other object is replaced atomically.

mod bucket;
mod cache;
mod encoding;
mod folder;
mod packed;

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};

use futures::{TryStreamExt, stream};
use sha2::{Digest, Sha256};

use self::{bucket::Bucket, cache::Cache, folder::Folder};
pub use self::{bucket::BucketUrl, encoding::Encoding, folder::write_durably, packed::Packed};
use crate::{aws::AwsAccess, clock::SharedClock};

/// Largest file that stays in memory. Larger ones, such as PDFs, are requested rarely and stay while answers hold them.
pub(crate) const LARGEST_CACHED: usize = 256 * 1024;
/// Files that are sent to a bucket at one time.
const AT_ONCE: usize = 8;

/// Lower-case hex of SHA-256.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// True if the object never changes: its key contains a content hash, or a published checkpoint covers it. A tile that
/// no checkpoint covers may be written anew after a restore.
pub fn is_immutable(key: &str) -> bool {
    key.starts_with("sdk/")
        || is_tile(key)
        || key.rsplit('/').next().is_some_and(|name| {
            let mut parts = name.rsplit('.').skip(1);
            parts.next().is_some_and(|part| {
                part.len() == 16 && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            }) && parts.next().is_some()
        })
}

/// True for the files of the ledger's tree.
fn is_tile(key: &str) -> bool {
    key.starts_with("ledger/") && key.contains("/tile/")
}

/// True for the ledger's latest checkpoint.
fn is_checkpoint(key: &str) -> bool {
    key.starts_with("ledger/") && key.ends_with("/checkpoint")
}

/// `Cache-Control` of a key. Immutable objects are cached for ever, others for a minute, so that a publish
/// shows within a minute. The entity tag makes revalidation cheap.
pub fn cache_control(key: &str) -> &'static str {
    if is_immutable(key) {
        "public, max-age=31536000, immutable"
    } else if is_checkpoint(key) {
        "public, max-age=2"
    } else {
        "public, max-age=60"
    }
}

/// The media type of a key.
pub fn content_type(key: &str) -> &'static str {
    if is_checkpoint(key) {
        return "text/plain; charset=utf-8";
    }
    match key.rsplit('.').next() {
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("payload" | "txt") => "text/plain; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("webp") => "image/webp",
        Some("avif") => "image/avif",
        Some("png") => "image/png",
        Some("jpg") => "image/jpeg",
        Some("gif") => "image/gif",
        Some("pdf") => "application/pdf",
        _ => "application/octet-stream",
    }
}

/// True if objects of this type are compressed already, or, as hashes are, cannot be.
pub fn is_packed(key: &str) -> bool {
    if key.starts_with("ledger/") {
        return true;
    }
    let kind = content_type(key);
    kind.starts_with("image/") || kind == "application/pdf"
}

/// The encodings that an object is stored in. The plain one is last.
fn encodings(key: &str) -> &'static [Encoding] {
    if is_packed(key) {
        &[Encoding::Identity]
    } else {
        &Encoding::ALL
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

impl Served {
    /// A file of these bytes.
    pub fn of(bytes: bytes::Bytes) -> Self {
        let hash = sha256_hex(&bytes);
        let etag = format!("\"{}\"", hash.get(..32).unwrap_or_default());
        Self { bytes, etag }
    }
}

/// Location of the objects.
#[derive(Clone, Debug)]
pub enum Location {
    /// A folder, which is made with the first object.
    Folder(PathBuf),
    /// An S3 bucket.
    Bucket(BucketUrl, AwsAccess),
}

enum Backend {
    Folder(Folder),
    Bucket(Bucket),
}

/// The objects of a location.
pub struct Objects {
    backend: Backend,
    clock: SharedClock,
    cache: Mutex<Cache>,
}

impl Objects {
    /// Opens the objects at `location`, without a request to it.
    pub fn new(location: Location, clock: SharedClock) -> std::io::Result<Self> {
        Ok(Self {
            backend: match location {
                Location::Folder(root) => Backend::Folder(Folder { root }),
                Location::Bucket(url, access) => Backend::Bucket(Bucket::open(&url, &access)?),
            },
            clock,
            cache: Mutex::default(),
        })
    }

    /// Compresses an object and stores it, as [`Objects::store`] does.
    pub async fn put(&self, key: &str, bytes: impl Into<bytes::Bytes>) -> std::io::Result<()> {
        let (of, bytes) = (key.to_owned(), bytes.into());
        let packed = tokio::task::spawn_blocking(move || Packed::new(&of, bytes));
        let packed = packed.await.map_err(std::io::Error::other)??;
        self.store(key, &packed).await
    }

    /// Stores an object durably and reads it back to check it.
    pub async fn store(&self, key: &str, packed: &Packed) -> std::io::Result<()> {
        check(key)?;
        let done = match &self.backend {
            Backend::Folder(folder) => folder.put(key, packed.clone()).await,
            Backend::Bucket(bucket) => bucket.put(key, packed).await,
        };
        self.forget(key);
        done
    }

    /// Stores many objects, as [`Objects::store`] does one.
    pub async fn put_all(
        &self,
        objects: Vec<(String, impl Into<bytes::Bytes> + Send + 'static)>,
    ) -> std::io::Result<()> {
        for (key, _) in &objects {
            check(key)?;
        }
        let packed = tokio::task::spawn_blocking(move || {
            let packed = objects.into_iter().map(|(key, bytes)| {
                let packed = Packed::new(&key, bytes)?;
                Ok((key, packed))
            });
            packed.collect::<std::io::Result<Vec<_>>>()
        });
        let packed = packed.await.map_err(std::io::Error::other)??;
        let keys: Vec<String> = packed.iter().map(|(key, _)| key.clone()).collect();
        let done = match &self.backend {
            Backend::Folder(folder) => folder.put_all(packed).await,
            Backend::Bucket(bucket) => {
                stream::iter(packed.into_iter().map(Ok))
                    .map_ok(|(key, packed)| async move { bucket.put(&key, &packed).await })
                    .try_buffer_unordered(AT_ONCE)
                    .try_collect()
                    .await
            }
        };
        for key in keys {
            self.forget(&key);
        }
        done
    }

    /// Reads an object.
    pub async fn get(&self, key: &str) -> std::io::Result<Option<bytes::Bytes>> {
        check(key)?;
        self.read(key, Encoding::Identity).await
    }

    /// True if the object exists.
    pub async fn holds(&self, key: &str) -> std::io::Result<bool> {
        check(key)?;
        match &self.backend {
            Backend::Folder(folder) => folder.holds(key).await,
            Backend::Bucket(bucket) => bucket.holds(key).await,
        }
    }

    /// Copies `from` to `to` in every encoding. Writes nothing if all of them are equal already.
    pub async fn copy(&self, from: &str, to: &str) -> std::io::Result<()> {
        check(from)?;
        check(to)?;
        let Some(bytes) = self.read(from, Encoding::Identity).await? else {
            let gone = format!("{from} is gone");
            return Err(std::io::Error::new(std::io::ErrorKind::NotFound, gone));
        };
        for encoding in encodings(to).iter().copied() {
            let there = self.read(to, encoding).await?;
            if there.is_none() || there != self.read(from, encoding).await? {
                return self.put(to, bytes).await;
            }
        }
        Ok(())
    }

    /// Removes an object, if it exists.
    pub async fn delete(&self, key: &str) -> std::io::Result<()> {
        check(key)?;
        let done = match &self.backend {
            Backend::Folder(folder) => folder.delete(key).await,
            Backend::Bucket(bucket) => bucket.delete(key).await,
        };
        self.forget(key);
        done
    }

    async fn read(&self, key: &str, encoding: Encoding) -> std::io::Result<Option<bytes::Bytes>> {
        match &self.backend {
            Backend::Folder(folder) => folder.read(key, encoding).await,
            Backend::Bucket(bucket) => bucket.read(key, encoding).await,
        }
    }

    /// True if the object was served lately, and probably is there.
    pub fn knows(&self, key: &str) -> bool {
        self.cache().knows(key)
    }

    /// Reads a file in an encoding, from memory if that is fresh.
    pub async fn served(
        &self,
        key: &str,
        encoding: Encoding,
    ) -> std::io::Result<Option<Arc<Served>>> {
        let now = self.clock.now();
        let cache_key = (key.to_owned(), encoding.suffix());
        if let Some(served) = self.cache().found(&cache_key, now) {
            return Ok(Some(served));
        }
        if check(key).is_err() {
            return Ok(None);
        }
        // Many who ask for one file at once wait for the first of them.
        let turn = self.cache().turn(&cache_key);
        let _turn = turn.lock().await;
        if let Some(served) = self.cache().found(&cache_key, now) {
            return Ok(Some(served));
        }
        let Some(bytes) = self.read(key, encoding).await? else {
            return Ok(None);
        };
        let served = Arc::new(Served::of(bytes));
        Ok(Some(self.cache().keep(cache_key, now, served)))
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn forget(&self, key: &str) {
        self.cache().forget(key);
    }
}

/// Refuses keys that lead out of the location or look like a variant of another key.
fn check(key: &str) -> std::io::Result<()> {
    let clean = key.split('/').all(|part| {
        !part.is_empty()
            && !part.starts_with('.')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
    });
    let depth = key.split('/').count();
    let compressed = [".br", ".gz"].iter().any(|suffix| key.ends_with(suffix));
    // A tile of the ledger has its number in parts of three digits.
    let deepest = if key.starts_with("ledger/") { 9 } else { 3 };
    if clean && depth <= deepest && key.len() <= 250 && !compressed {
        Ok(())
    } else {
        Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "not a key of an object",
        ))
    }
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
    async fn large_files_are_in_memory_once_and_while_they_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let place = Location::Folder(folder.path().to_owned());
        let objects = Objects::new(place, Arc::new(SystemClock)).unwrap();
        let (small, large) = ("p/a.0123456789abcdef.pdf", "p/b.0123456789abcdef.pdf");
        let served = async |key| objects.served(key, Encoding::Identity).await.unwrap();
        for (key, size) in [(small, LARGEST_CACHED), (large, LARGEST_CACHED + 1)] {
            objects.put(key, vec![b' '; size]).await.unwrap();
        }
        assert!(served(small).await.is_some());
        let read = served(large).await.unwrap().bytes.clone();
        // From now on both are answered from memory.
        std::fs::remove_dir_all(folder.path().join("p")).unwrap();
        assert!(served(small).await.is_some());
        let again = served(large).await.unwrap().bytes.clone();
        assert_eq!(again.as_ptr(), read.as_ptr());
        drop((read, again));
        assert!(served(large).await.is_none());
    }

    #[tokio::test]
    async fn a_new_file_drops_no_other_from_memory() {
        let folder = tempfile::tempdir().unwrap();
        let place = Location::Folder(folder.path().to_owned());
        let objects = Objects::new(place, Arc::new(SystemClock)).unwrap();
        let served = async |key| objects.served(key, Encoding::Identity).await.unwrap();
        let (one, other) = ("p/one.json", "p/other.json");
        for key in [one, other] {
            objects.put(key, "old").await.unwrap();
            assert!(served(key).await.is_some());
        }
        objects.put(one, "new").await.unwrap();
        let many = vec![("p/third.json".to_owned(), "new")];
        objects.put_all(many).await.unwrap();
        std::fs::remove_dir_all(folder.path().join("p")).unwrap();
        assert!(served(one).await.is_none());
        assert!(served(other).await.is_some());
    }

    #[tokio::test]
    async fn objects_are_served_in_three_encodings_and_never_from_outside_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let objects = Objects::new(
            Location::Folder(folder.path().join("cdn")),
            Arc::new(SystemClock),
        )
        .unwrap();
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
