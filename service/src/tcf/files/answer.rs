//! A call for a file, with the validators of the copy that is here.

use std::io::Read;

use http::{HeaderMap, Request, StatusCode, header};

use super::{
    File,
    freshness::{fresh_until, retry_after},
};
use crate::{
    clock::Timestamp,
    error::chain,
    outbound::{Outbound, OutboundError},
};

/// Longest validator that is kept and sent back.
const MOST_VALIDATOR: usize = 1_000;

/// An answer to a call.
pub(in crate::tcf) struct Answer {
    /// `ETag`.
    pub etag: Option<String>,
    /// `Last-Modified`.
    pub last_modified: Option<String>,
    /// The time for which the content holds; `None` where the answer does not say.
    pub fresh_until: Option<Timestamp>,
    /// The time before which a server that is too busy wants no call.
    pub retry_at: Option<Timestamp>,
    /// True if the content has not changed since the last fetch.
    pub is_same: bool,
}

/// The content of an answer.
pub(in crate::tcf) enum Content {
    /// The known content.
    Same(
        /// Its SHA-256.
        String,
    ),
    /// Bytes.
    Bytes(Vec<u8>),
    /// None, for this reason.
    Refused(String),
}

/// Asks for a file of `most` bytes at most.
pub(in crate::tcf) async fn ask(
    outbound: &Outbound,
    file: &File,
    most: usize,
    now: Timestamp,
) -> (Answer, Content) {
    let mut answer = Answer {
        etag: None,
        last_modified: None,
        fresh_until: None,
        retry_at: None,
        is_same: false,
    };
    let response = match request(file) {
        // One byte more tells a file that is too large.
        Ok(request) => outbound.exchange(request, most + 1).await,
        Err(error) => return (answer, Content::Refused(error.to_string())),
    };
    let response = match response {
        Ok(response) => response,
        Err(OutboundError::Refused) => {
            let why = "the address is private, which only --outbound-allow permits";
            return (answer, Content::Refused(why.to_owned()));
        }
        Err(error) => return (answer, Content::Refused(chain(&error))),
    };
    let (status, headers) = (response.status(), response.headers());
    match status {
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            answer.retry_at = retry_after(headers, now);
        }
        _ => answer.fresh_until = fresh_until(headers, now),
    }
    let text = |name| {
        let value = headers.get(name)?.to_str().ok()?;
        (value.len() <= MOST_VALIDATOR).then(|| value.to_owned())
    };
    let content = match status {
        StatusCode::OK => {
            answer.etag = text(header::ETAG);
            answer.last_modified = text(header::LAST_MODIFIED);
            let is_packed = is_packed(headers);
            bytes(response.into_body(), is_packed, most).await
        }
        StatusCode::NOT_MODIFIED => match &file.sha256 {
            Some(sha256) => {
                answer.is_same = true;
                answer.etag = text(header::ETAG);
                answer.last_modified = text(header::LAST_MODIFIED);
                Content::Same(sha256.clone())
            }
            None => Content::Refused("the server says that nothing has changed".to_owned()),
        },
        _ => Content::Refused(format!("the server answers {}", status.as_u16())),
    };
    (answer, content)
}

fn request(file: &File) -> http::Result<Request<Vec<u8>>> {
    let mut request = Request::get(&file.url).header(header::ACCEPT_ENCODING, "gzip");
    if file.sha256.is_some() {
        let validators = [
            (header::IF_NONE_MATCH, &file.etag),
            (header::IF_MODIFIED_SINCE, &file.last_modified),
        ];
        for (name, value) in validators {
            if let Some(value) = value {
                request = request.header(name, value);
            }
        }
    }
    request.body(Vec::new())
}

fn is_packed(headers: &HeaderMap) -> bool {
    let encoding = headers.get(header::CONTENT_ENCODING);
    encoding.is_some_and(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"gzip"))
}

/// The plain bytes of a body, which may be small and become huge.
async fn bytes(body: Vec<u8>, is_packed: bool, most: usize) -> Content {
    let too_large = || Content::Refused(format!("it is larger than {most} bytes"));
    if body.len() > most {
        return too_large();
    }
    if !is_packed {
        return Content::Bytes(body);
    }
    let unpacked = tokio::task::spawn_blocking(move || {
        let mut plain = Vec::new();
        let decoder = flate2::read::MultiGzDecoder::new(body.as_slice());
        decoder.take(most as u64 + 1).read_to_end(&mut plain)?;
        Ok::<_, std::io::Error>(plain)
    });
    match unpacked.await {
        Ok(Ok(plain)) if plain.len() > most => too_large(),
        Ok(Ok(plain)) => Content::Bytes(plain),
        Ok(Err(error)) => Content::Refused(format!("its gzip is broken: {error}")),
        Err(error) => Content::Refused(error.to_string()),
    }
}
