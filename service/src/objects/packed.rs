//! An object in the encodings that it is stored in.

use bytes::Bytes;

use super::{Encoding, encodings};

/// The bytes of an object, compressed where that helps. Clones share them.
#[derive(Clone, Debug)]
pub struct Packed {
    /// The plain one is last.
    variants: Vec<(Encoding, Bytes)>,
}

impl Packed {
    /// Compresses the bytes of the object with this key. Takes a while for megabytes.
    pub fn new(key: &str, bytes: impl Into<Bytes>) -> std::io::Result<Self> {
        let bytes = bytes.into();
        let packed = |encoding: &Encoding| {
            let packed = match encoding {
                Encoding::Identity => bytes.clone(),
                _ => encoding.compress(&bytes)?.into(),
            };
            Ok((*encoding, packed))
        };
        let variants = encodings(key).iter().map(packed);
        Ok(Self {
            variants: variants.collect::<std::io::Result<_>>()?,
        })
    }

    /// Number of plain bytes.
    pub fn size(&self) -> usize {
        self.variants.last().map_or(0, |(_, bytes)| bytes.len())
    }

    /// Number of bytes with all compressed forms.
    pub fn stored(&self) -> usize {
        self.variants.iter().map(|(_, bytes)| bytes.len()).sum()
    }

    pub(super) fn variants(&self) -> &[(Encoding, Bytes)] {
        &self.variants
    }
}
