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

/// Quality of brotli. An unoptimised build takes seconds instead of milliseconds, and its files need not be
/// small.
const QUALITY: i32 = if cfg!(debug_assertions) { 5 } else { 11 };

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
        match self {
            Self::Identity => Ok(bytes.to_vec()),
            Self::Brotli => {
                let mut out = Vec::new();
                let params = brotli::enc::BrotliEncoderParams {
                    quality: QUALITY,
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
