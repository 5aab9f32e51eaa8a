//! Access to Amazon's services (S3 and compatible ones, CloudFront): keys, region, and the HTTP client for
//! the library's requests.

use std::{fmt, io, time::Duration};

use async_trait::async_trait;
use futures::TryStreamExt;
use http_body_util::{BodyExt, StreamBody};
use object_store::{
    BackoffConfig, ClientOptions, RetryConfig,
    aws::{AmazonS3Builder, AwsCredentialProvider},
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
        HttpResponseBody, HttpService,
    },
};

const CONNECT: Duration = Duration::from_secs(5);
/// Deadline for connecting, sending and the whole answer.
const DEADLINE: Duration = Duration::from_secs(30);

/// Keys and region.
#[derive(Clone, Default)]
pub struct AwsAccess {
    /// Access key and secret. Without them the machine's role is used (IMDS).
    pub keys: Option<AwsKeys>,
    /// Region of the bucket, such as `eu-west-3`.
    pub region: Option<String>,
    /// Address of a service that speaks S3, in place of Amazon's.
    pub endpoint: Option<String>,
}

/// An access key.
#[derive(Clone)]
pub struct AwsKeys {
    /// Its id.
    pub id: String,
    /// Its secret.
    pub secret: String,
    /// Session token of a temporary key.
    pub token: Option<String>,
}

impl fmt::Debug for AwsAccess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("AwsAccess")
            .field("region", &self.region)
            .field("endpoint", &self.endpoint)
            .finish_non_exhaustive()
    }
}

impl AwsAccess {
    /// Starts a client of S3 with the keys, the region and bounded retries.
    pub(crate) fn builder(&self) -> io::Result<AmazonS3Builder> {
        let mut builder = AmazonS3Builder::new()
            .with_http_connector(Connector(client()?))
            .with_retry(RetryConfig {
                backoff: BackoffConfig::default(),
                max_retries: 3,
                retry_timeout: DEADLINE,
            });
        if let Some(region) = &self.region {
            builder = builder.with_region(region);
        }
        if let Some(endpoint) = &self.endpoint {
            builder = builder
                .with_endpoint(endpoint.trim_end_matches('/'))
                .with_allow_http(true);
        }
        if let Some(keys) = &self.keys {
            builder = builder
                .with_access_key_id(&keys.id)
                .with_secret_access_key(&keys.secret);
            if let Some(token) = &keys.token {
                builder = builder.with_token(token);
            }
        }
        Ok(builder)
    }

    /// Source of the keys. Keys of the machine's role change over time.
    pub(crate) fn credentials(&self) -> io::Result<AwsCredentialProvider> {
        let store = self.builder()?.with_bucket_name("none").build();
        let store = store.map_err(io::Error::other)?;
        Ok(store.credentials().clone())
    }
}

/// The client for Amazon's services. Operators choose these addresses, so they may be private.
pub(crate) fn client() -> io::Result<reqwest::Client> {
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .timeout(DEADLINE)
        .user_agent(concat!("Placet/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(io::Error::other)
}

#[derive(Debug)]
struct Connector(reqwest::Client);

impl HttpConnector for Connector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(Service(self.0.clone())))
    }
}

#[derive(Debug)]
struct Service(reqwest::Client);

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = send(&self.0, request).await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response
            .bytes_stream()
            .map_ok(http_body::Frame::data)
            .map_err(refined);
        let mut answer = HttpResponse::new(HttpResponseBody::new(StreamBody::new(body)));
        *answer.status_mut() = status;
        *answer.headers_mut() = headers;
        Ok(answer)
    }
}

/// Sends a request of the library. Bodies of Placet's requests are always in memory.
pub(crate) async fn send(
    client: &reqwest::Client,
    request: HttpRequest,
) -> Result<reqwest::Response, HttpError> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await?.to_bytes();
    client
        .request(parts.method, parts.uri.to_string())
        .headers(parts.headers)
        .body(body)
        .send()
        .await
        .map_err(refined)
}

fn refined(error: reqwest::Error) -> HttpError {
    let kind = if error.is_timeout() {
        HttpErrorKind::Timeout
    } else if error.is_connect() {
        HttpErrorKind::Connect
    } else if error.is_request() || error.is_body() {
        HttpErrorKind::Interrupted
    } else {
        HttpErrorKind::Unknown
    };
    HttpError::new(kind, error)
}
