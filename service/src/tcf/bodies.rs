//! Bodies of lists, translations and lists of providers: objects, named by their hash, and read values in memory.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use domain::tcf::{List, Provider, Texts};
use serde_json::Value;

use super::{Tcf, providers};
use crate::error::{Error, Result};

/// Values of each kind that are kept in memory: a list, and a few languages.
const MOST_KEPT: usize = 4;

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

    async fn held<T: Send + 'static>(
        &self,
        kept: &Mutex<Vec<(String, Arc<T>)>>,
        sha256: &str,
        key: &str,
        read: fn(&[u8]) -> Result<T>,
    ) -> Result<Arc<T>> {
        let lock = || kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = lock()
            .iter()
            .find(|(hash, _)| hash == sha256)
            .map(|(_, value)| value.clone());
        if let Some(found) = found {
            return Ok(found);
        }
        let bytes = self.bytes(key).await?;
        let value = tokio::task::spawn_blocking(move || read(&bytes));
        let value = Arc::new(value.await.map_err(Error::internal)??);
        let mut kept = lock();
        if kept.len() >= MOST_KEPT {
            kept.remove(0);
        }
        kept.push((sha256.to_owned(), value.clone()));
        Ok(value)
    }
}

fn json(bytes: &[u8]) -> Result<Value> {
    serde_json::from_slice(bytes).map_err(Error::internal)
}
