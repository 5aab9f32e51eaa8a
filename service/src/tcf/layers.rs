//! The files that the layers of TCF behind the first one load, as the manifest of a publication names them.

use bytes::Bytes;
use serde::Deserialize;

use crate::{
    error::{Error, Result},
    objects::{Objects, sha256_hex},
};

/// The part of a manifest that names them.
#[derive(Deserialize)]
pub(crate) struct Layers {
    partners: Layer,
    texts: Layer,
}

#[derive(Deserialize)]
struct Layer {
    /// Its key, with the first digits of its hash.
    file: String,
}

impl Layers {
    /// Key and bytes of the partners and of the standard texts. `None` for a file that the store has no more, or has
    /// otherwise.
    pub(crate) async fn files(&self, objects: &Objects) -> Result<[Option<(String, Bytes)>; 2]> {
        Ok([
            self.partners.read(objects).await?,
            self.texts.read(objects).await?,
        ])
    }
}

impl Layer {
    async fn read(&self, objects: &Objects) -> Result<Option<(String, Bytes)>> {
        let found = objects.get(&self.file).await.map_err(Error::internal)?;
        let is_it = |bytes: &Bytes| {
            let hash = sha256_hex(bytes);
            hash.get(..16)
                .is_some_and(|digits| self.file.contains(digits))
        };
        Ok(found.filter(is_it).map(|bytes| (self.file.clone(), bytes)))
    }
}
