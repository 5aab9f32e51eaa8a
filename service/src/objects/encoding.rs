//! The three variants of an object.

use std::io::Write;

/// Compression of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// None.
    Identity,
    /// `br`.
    Brotli,
    /// `gzip`.
    Gzip,
}

/// Up to this size a file gets the best compression, which takes seconds for a megabyte. Almost all files are
/// smaller, and they are read many times.
const BEST_BYTES: usize = 128 * 1024;

/// Qualities of brotli and gzip for so many bytes. The lower ones take a few hundredths of a second for a
/// megabyte. An unoptimised build takes seconds instead of milliseconds, and its files need not be small.
fn qualities(bytes: usize, is_optimised: bool) -> (i32, u32) {
    if bytes <= BEST_BYTES && is_optimised {
        (11, 9)
    } else {
        (5, 6)
    }
}

impl Encoding {
    /// All encodings, the plain one last: `put` writes them in this order, so the plain one exists only if
    /// the others do.
    pub(super) const ALL: [Self; 3] = [Self::Brotli, Self::Gzip, Self::Identity];

    /// The name in `Content-Encoding`; `None` for identity.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
        }
    }

    /// Ending of the key of this variant.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::Identity => "",
            Self::Brotli => ".br",
            Self::Gzip => ".gz",
        }
    }

    /// Encodes the bytes.
    pub fn compress(self, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
        let (brotli, gzip) = qualities(bytes.len(), !cfg!(debug_assertions));
        match self {
            Self::Identity => Ok(bytes.to_vec()),
            Self::Brotli => {
                let mut out = Vec::new();
                let params = brotli::enc::BrotliEncoderParams {
                    quality: brotli,
                    lgwin: 22,
                    ..Default::default()
                };
                brotli::BrotliCompress(&mut &bytes[..], &mut out, &params)?;
                Ok(out)
            }
            Self::Gzip => {
                let level = flate2::Compression::new(gzip);
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(bytes)?;
                encoder.finish()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_files_are_compressed_quickly() {
        let of_a_release = |bytes| qualities(bytes, true);
        assert_eq!(of_a_release(128 * 1024), (11, 9));
        assert_eq!(of_a_release(128 * 1024 + 1), (5, 6));
        assert_eq!(of_a_release(4_000_000), (5, 6));
    }
}
