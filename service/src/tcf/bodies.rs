//! Bodies of lists, translations and lists of providers: objects, named by their hash, and read values in memory.

use std::sync::Arc;

use bytes::Bytes;
use domain::tcf::{List, Provider, Texts};
use serde_json::Value;
use tokio::sync::Mutex;

use super::{Tcf, providers};
use crate::error::{Error, Result};

/// Values of each kind that are kept in memory: a list, and a few languages.
const MOST_KEPT: usize = 4;

/// Values in memory, by the hashes of their bodies.
pub(super) type Kept<T> = Arc<Mutex<Vec<(String, Arc<T>)>>>;

/// The object of a list.
pub(super) fn list_key(sha256: &str) -> String {
    format!("tcf/list.{}.json", short(sha256))
}

/// The object of a translation.
pub(super) fn texts_key(sha256: &str) -> String {
    format!("tcf/texts.{}.json", short(sha256))
}

/// The object of a list of providers.
pub(super) fn providers_key(sha256: &str) -> String {
    format!("tcf/providers.{}.csv", short(sha256))
}

/// The part of a hash that stands in names.
pub(super) fn short(sha256: &str) -> &str {
    sha256.get(..16).unwrap_or(sha256)
}

impl Tcf {
    /// The bytes of a list.
    pub(super) async fn list_bytes(&self, sha256: &str) -> Result<Bytes> {
        self.bytes(&list_key(sha256)).await
    }

    /// A list.
    pub(super) async fn list(&self, sha256: &str) -> Result<Arc<List>> {
        self.held(&self.lists, sha256, &list_key(sha256), |bytes| {
            List::read(&json(bytes)?).map_err(Error::internal)
        })
        .await
    }

    /// A translation.
    pub(super) async fn texts(&self, sha256: &str) -> Result<Arc<Texts>> {
        self.held(&self.texts, sha256, &texts_key(sha256), |bytes| {
            Texts::read(&json(bytes)?).map_err(Error::internal)
        })
        .await
    }

    /// A list of providers.
    pub(super) async fn provider_list(&self, sha256: &str) -> Result<Arc<Vec<Provider>>> {
        let key = providers_key(sha256);
        self.held(&self.provided, sha256, &key, |bytes| {
            providers::read(bytes).map_err(Error::internal)
        })
        .await
    }

    async fn bytes(&self, key: &str) -> Result<Bytes> {
        let bytes = self.objects.get(key).await.map_err(Error::internal)?;
        bytes.ok_or_else(|| Error::internal(format!("the object {key} is gone")))
    }

    async fn held<T: Send + Sync + 'static>(
        &self,
        kept: &Kept<T>,
        sha256: &str,
        key: &str,
        read: fn(&[u8]) -> Result<T>,
    ) -> Result<Arc<T>> {
        // Strangers may ask for it at once, and each reading takes megabytes: the others wait for the first.
        let mut kept = kept.clone().lock_owned().await;
        if let Some((_, found)) = kept.iter().find(|(hash, _)| hash == sha256) {
            return Ok(found.clone());
        }
        let (bytes, hash) = (self.bytes(key).await?, sha256.to_owned());
        // It goes on without the caller, and keeps the others waiting until then.
        let value = tokio::task::spawn_blocking(move || {
            let value = Arc::new(read(&bytes)?);
            if kept.len() >= MOST_KEPT {
                kept.remove(0);
            }
            kept.push((hash, value.clone()));
            Ok(value)
        });
        value.await.map_err(Error::internal)?
    }
}

fn json(bytes: &[u8]) -> Result<Value> {
    serde_json::from_slice(bytes).map_err(Error::internal)
}
