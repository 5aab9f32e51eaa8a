//! The three variants of an object.

use std::io::Write;

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

/// How thoroughly brotli packs. An unoptimised build takes seconds for what takes milliseconds
/// otherwise, and visitors download nothing from it.
const QUALITY: i32 = if cfg!(debug_assertions) { 5 } else { 11 };

impl Encoding {
    /// All, the plain one last: where it is, the others are.
    pub(super) const ALL: [Self; 3] = [Self::Brotli, Self::Gzip, Self::Identity];

    /// The name in `Content-Encoding`; none for identity.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Brotli => Some("br"),
            Self::Gzip => Some("gzip"),
        }
    }

    /// What the key of this variant ends with.
    pub(super) fn suffix(self) -> &'static str {
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
