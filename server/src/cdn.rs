//! The server's own delivery: published files under `/cdn`, the SDK at `/sdk.js` and `/sdk/…`.

use std::sync::LazyLock;

use axum::{
    extract::{Path, State},
    http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use service::{
    objects::{Encoding, cache_control, content_type, is_packed, sha256_hex},
    render,
};

use crate::{
    http::{
        client::Client,
        headers,
        policy::{Policy, Routes},
        problem::Problem,
    },
    state::AppState,
};

/// The routes.
pub fn routes() -> Routes {
    let (policy, read) = (Policy::FREE.open(), [Method::GET]);
    Routes::new()
        .plain(policy, "/cdn/{*key}", &read, get(published))
        .plain(policy, "/sdk.js", &read, get(generic))
        .plain(policy, "/sdk/{name}", &read, get(sdk_file))
}

/// The best encoding that the client takes, by `Accept-Encoding` (RFC 9110, section 12.5.3).
fn negotiate(request: &HeaderMap) -> Encoding {
    let takes = |coding| headers::takes(request, header::ACCEPT_ENCODING, coding);
    if takes("br") {
        Encoding::Brotli
    } else if takes("gzip") {
        Encoding::Gzip
    } else {
        Encoding::Identity
    }
}

/// A file's answer: 304 when the client has it, the bytes otherwise.
fn answer(
    request: &HeaderMap,
    bytes: bytes::Bytes,
    etag: &str,
    encoding: Encoding,
    kind: &str,
    cache: &'static str,
) -> Response {
    let mut headers = HeaderMap::new();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Encoding"));
    // Files of tenants run no code when a browser opens them as pages.
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(if kind == "application/pdf" {
            // Browsers show no PDF in a sandbox; nothing in one runs with our origin anyway.
            "default-src 'none'; frame-ancestors 'none'"
        } else {
            "sandbox; default-src 'none'"
        }),
    );
    headers.insert(
        HeaderName::from_static("timing-allow-origin"),
        HeaderValue::from_static("*"),
    );
    if let Ok(etag) = HeaderValue::from_str(etag) {
        headers.insert(header::ETAG, etag);
    }
    if headers::has_etag(request, etag) {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    if let Ok(kind) = HeaderValue::from_str(kind) {
        headers.insert(header::CONTENT_TYPE, kind);
    }
    if let Some(name) = encoding.name() {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(name));
    }
    (headers, bytes).into_response()
}

async fn published(
    State(state): State<AppState>,
    Path(key): Path<String>,
    client: Client,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let encoding = if is_packed(&key) {
        Encoding::Identity
    } else {
        negotiate(&headers)
    };
    let (objects, limiter) = (state.placet.publish.objects(), &state.http.limiter);
    let now = state.placet.config.clock.now();
    if !objects.knows(&key) {
        limiter.may_miss(client.subscriber(), now)?;
    }
    let served = objects.served(&key, encoding).await.map_err(|error| {
        tracing::error!(%error, key, "a published file cannot be read");
        Problem::from(service::Error::Busy)
    })?;
    let Some(file) = served else {
        limiter.missed(client.subscriber(), now);
        return Err(Problem::not_found());
    };
    let mut answer = answer(
        &headers,
        file.bytes.clone(),
        &file.etag,
        encoding,
        content_type(&key),
        cache_control(&key),
    );
    // A cache that bans by this forgets all of a project at once.
    let project = key.split(['.', '/']).next().unwrap_or_default();
    if let Ok(project) = HeaderValue::from_str(project) {
        answer
            .headers_mut()
            .insert(HeaderName::from_static("surrogate-key"), project);
    }
    Ok(answer)
}

/// A file in its three encodings.
pub struct Packed {
    variants: [(bytes::Bytes, String); 3],
}

impl Packed {
    fn new(bytes: &[u8]) -> Self {
        let variants = [Encoding::Identity, Encoding::Brotli, Encoding::Gzip].map(|encoding| {
            // Compressing in memory cannot fail; without it the client would get nothing.
            let packed = encoding.compress(bytes).unwrap_or_default();
            let etag = format!("\"{}\"", sha256_hex(&packed).get(..32).unwrap_or_default());
            (packed.into(), etag)
        });
        Self { variants }
    }

    fn get(&self, encoding: Encoding) -> (bytes::Bytes, &str) {
        let [identity, brotli, gzip] = &self.variants;
        let (bytes, etag) = match encoding {
            Encoding::Identity => identity,
            Encoding::Brotli => brotli,
            Encoding::Gzip => gzip,
        };
        (bytes.clone(), etag)
    }

    fn answer(&self, asked: &HeaderMap, kind: &str, cache: &'static str) -> Response {
        let encoding = negotiate(asked);
        let (bytes, etag) = self.get(encoding);
        answer(asked, bytes, etag, encoding, kind, cache)
    }
}

async fn generic(State(state): State<AppState>, headers: HeaderMap) -> Result<Response, Problem> {
    let packed = state
        .sdk
        .get_or_init(|| {
            let script = state.placet.publish.generic_sdk()?;
            Some(Packed::new(script.as_bytes()))
        })
        .as_ref()
        .ok_or_else(Problem::not_found)?;
    let script = "text/javascript; charset=utf-8";
    Ok(packed.answer(&headers, script, cache_control("sdk.js")))
}

static SDK_FILES: LazyLock<Vec<(&'static render::SdkFile, Packed)>> = LazyLock::new(|| {
    render::sdk_files()
        .iter()
        .map(|file| (file, Packed::new(file.bytes)))
        .collect()
});

async fn sdk_file(Path(name): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let (file, packed) = SDK_FILES
        .iter()
        .find(|(file, _)| file.name == name)
        .ok_or_else(Problem::not_found)?;
    let for_ever = cache_control("sdk/core.wasm");
    Ok(packed.answer(&headers, file.content_type, for_ever))
}
