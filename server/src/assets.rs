//! Files inside the program: the admin UI's for browsers, and the page that verifies proofs. (The SDK's are in
//! `service::render`, which bakes them into what it publishes.)
//!
//! `build.rs` fills the table from `target/web`. A file named `ui.css` by its builder is
//! `hashed("ui.css")` here, which gives its path with the hash (`ui/ui-0123….css`); such files
//! never change under their path. To add a kind of file: its ending in `build.rs`.

use std::{io::Read, sync::OnceLock};

use axum::{
    body::Body,
    http::{HeaderMap, HeaderValue, Response, StatusCode, header},
};
use flate2::{Compression, read::GzEncoder};

use crate::http::headers;

/// One file.
#[derive(Debug)]
pub struct Embedded {
    /// Path below `target/web`, with slashes.
    pub path: &'static str,
    pub content_type: &'static str,
    /// The content security policy that a page names for itself.
    pub policy: Option<&'static str>,
    /// Whether the path holds a hash of the content.
    pub immutable: bool,
    /// A hash of the content, without quotes.
    pub etag: &'static str,
    pub content: Content,
}

/// The content of a file.
#[derive(Debug)]
pub enum Content {
    /// As it is, because it hardly shrinks.
    Plain(&'static [u8]),
    Packed(Packed),
}

/// Content that is kept packed by brotli alone. Its other forms would make the program a twentieth larger, and few
/// browsers ask for them, so each is made when it is first asked for, and then kept: all together are a few megabytes.
#[derive(Debug)]
pub struct Packed {
    br: &'static [u8],
    unpacked: OnceLock<Vec<u8>>,
    gzip: OnceLock<Vec<u8>>,
}

impl Packed {
    const fn new(br: &'static [u8]) -> Self {
        Self {
            br,
            unpacked: OnceLock::new(),
            gzip: OnceLock::new(),
        }
    }

    fn unpacked(&'static self) -> &'static [u8] {
        self.unpacked.get_or_init(|| {
            const BUFFER: usize = 4 << 10;
            read(brotli::Decompressor::new(self.br, BUFFER))
        })
    }

    /// Takes some hundredths of a second for the largest file.
    fn gzip(&'static self) -> &'static [u8] {
        self.gzip
            .get_or_init(|| read(GzEncoder::new(self.unpacked(), Compression::default())))
    }
}

/// Reads bytes that the build made, in memory: nothing fails.
fn read(mut from: impl Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    bytes
}

include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The file at a path, as `ui/ui-0123456789abcdef.css`.
pub fn lookup(path: &str) -> Option<&'static Embedded> {
    let at = FILES.binary_search_by(|file| file.path.cmp(path)).ok()?;
    FILES.get(at)
}

/// The path of the file that was built as `name`, as `ui.css`.
pub fn hashed(name: &str) -> Option<&'static str> {
    let at = HASHED
        .binary_search_by(|(plain, _)| (*plain).cmp(name))
        .ok()?;
    HASHED.get(at).map(|(_, path)| *path)
}

/// The packs of the app's parts, as part and path; built as `part.<name>.bin`.
pub fn parts() -> impl Iterator<Item = (&'static str, &'static str)> {
    HASHED.iter().filter_map(|(name, path)| {
        let part = name.strip_prefix("part.")?.strip_suffix(".bin")?;
        Some((part, *path))
    })
}

impl Embedded {
    /// Answers a GET: in the densest encoding that the browser takes, with an ETag of its own for
    /// each encoding, 304 where the browser has it. Files under plain paths are asked for again
    /// each time.
    pub fn respond(&'static self, request: &HeaderMap) -> Response<Body> {
        let (encoding, bytes) = self.negotiate(request);
        let tag = match encoding {
            Some(encoding) => format!("\"{}-{encoding}\"", self.etag),
            None => format!("\"{}\"", self.etag),
        };
        let known = headers::has_etag(request, &tag);
        let mut response = Response::new(if known {
            Body::empty()
        } else {
            Body::from(bytes)
        });
        if known {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(header::ETAG, tag);
        }
        let cache = if self.immutable {
            "public, max-age=31536000, immutable"
        } else {
            "no-cache"
        };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
        headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if !known {
            headers.insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static(self.content_type),
            );
            if let Some(encoding) = encoding {
                headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
            }
        }
        response
    }

    /// The densest encoding that the browser takes, and the bytes.
    fn negotiate(&'static self, request: &HeaderMap) -> (Option<&'static str>, &'static [u8]) {
        let packed = match &self.content {
            Content::Plain(bytes) => return (None, bytes),
            Content::Packed(packed) => packed,
        };
        let takes = |coding| headers::takes(request, header::ACCEPT_ENCODING, coding);
        if takes("br") {
            (Some("br"), packed.br)
        } else if takes("gzip") {
            (Some("gzip"), packed.gzip())
        } else {
            (None, packed.unpacked())
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::read::GzDecoder;

    use super::*;

    const CONTENT: &[u8] = &[b'a'; 100_000];

    /// A file with this content, kept packed.
    fn file() -> &'static Embedded {
        static FILE: OnceLock<Embedded> = OnceLock::new();
        FILE.get_or_init(|| {
            let mut br = Vec::new();
            brotli::CompressorReader::new(CONTENT, 4096, 4, 22)
                .read_to_end(&mut br)
                .unwrap();
            Embedded {
                path: "ui/a-1.css",
                content_type: "text/css; charset=utf-8",
                policy: None,
                immutable: true,
                etag: "abc",
                content: Content::Packed(Packed::new(br.leak())),
            }
        })
    }

    fn headers(pairs: &[(header::HeaderName, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.clone(), value.parse().unwrap()))
            .collect()
    }

    fn header<'a>(response: &'a Response<Body>, name: &header::HeaderName) -> Option<&'a str> {
        response
            .headers()
            .get(name)
            .map(|value| value.to_str().unwrap())
    }

    #[tokio::test]
    async fn each_browser_gets_the_densest_encoding_that_it_takes() {
        for (accepted, encoding, tag) in [
            ("gzip, deflate, br", Some("br"), "\"abc-br\""),
            ("gzip;q=1.0, br;q=0", Some("gzip"), "\"abc-gzip\""),
            ("deflate", None, "\"abc\""),
            ("", None, "\"abc\""),
        ] {
            let response = file().respond(&headers(&[(header::ACCEPT_ENCODING, accepted)]));
            let told = header(&response, &header::CONTENT_ENCODING);
            assert_eq!(told, encoding, "{accepted}");
            assert_eq!(header(&response, &header::ETAG), Some(tag), "{accepted}");
            assert_eq!(header(&response, &header::VARY), Some("accept-encoding"));
            let sent = axum::body::to_bytes(response.into_body(), usize::MAX).await;
            let sent = &*sent.unwrap();
            let mut content = Vec::new();
            let mut reader: Box<dyn Read> = match encoding {
                Some("br") => Box::new(brotli::Decompressor::new(sent, 4096)),
                Some(_) => Box::new(GzDecoder::new(sent)),
                None => Box::new(sent),
            };
            reader.read_to_end(&mut content).unwrap();
            assert!(content == CONTENT, "{accepted}");
        }
    }

    #[test]
    fn what_the_browser_has_is_not_sent_again() {
        let asked = headers(&[
            (header::ACCEPT_ENCODING, "br"),
            (header::IF_NONE_MATCH, "\"old\", W/\"abc-br\""),
        ]);
        let response = file().respond(&asked);
        assert_eq!(response.status(), StatusCode::NOT_MODIFIED);
        assert_eq!(header(&response, &header::ETAG), Some("\"abc-br\""));
        let other_encoding = headers(&[(header::IF_NONE_MATCH, "\"abc-br\"")]);
        assert_eq!(file().respond(&other_encoding).status(), StatusCode::OK);
    }

    #[test]
    fn the_table_can_be_searched() {
        assert!(FILES.is_sorted_by_key(|file| file.path));
        assert!(HASHED.is_sorted());
        for (name, path) in HASHED {
            assert_eq!(hashed(name), Some(*path));
            assert!(lookup(path).is_some_and(|file| file.immutable), "{path}");
        }
        assert!(lookup("ui/../ui").is_none());
        assert!(hashed("nothing").is_none());
    }
}
