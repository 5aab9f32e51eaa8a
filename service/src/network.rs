//! The delivery network in front of published files: makes it forget what a publish has switched.

use std::{io, str::FromStr, time::Duration};

use http::{HeaderValue, Method, Request, header};
use object_store::{
    aws::{AwsAuthorizer, AwsCredentialProvider},
    client::{HttpErrorKind, HttpRequestBody},
};
use url::Url;
use uuid::Uuid;

use crate::aws::{self, AwsAccess};

/// Tries of one call, with a pause before each that follows.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(1)];
/// Amazon's address; the region of `CloudFront` is always this one.
const CLOUDFRONT: (&str, &str) = ("https://cloudfront.amazonaws.com", "us-east-1");

/// Cache that is told to forget published files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Network {
    /// A cache that takes `PURGE <path>` (Varnish, nginx): one call for each address.
    Purge(Url),
    /// A cache that takes `BAN` with `Surrogate-Key: <project id>`: one call a project.
    Ban(Url),
    /// An Amazon `CloudFront` distribution, by id.
    CloudFront(String),
}

impl FromStr for Network {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const WRONG: &str = "a cache is purge:<url>, ban:<url> or cloudfront:<distribution id>";
        let (kind, rest) = text.split_once(':').ok_or(WRONG)?;
        let node = || {
            let url = Url::parse(rest).map_err(|_| WRONG)?;
            let plain = matches!(url.scheme(), "http" | "https") && url.has_host();
            if plain { Ok(url) } else { Err(WRONG) }
        };
        match kind {
            "purge" => node().map(Self::Purge),
            "ban" => node().map(Self::Ban),
            "cloudfront"
                if !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) =>
            {
                Ok(Self::CloudFront(rest.to_owned()))
            }
            _ => Err(WRONG),
        }
    }
}

/// Settings of caches.
#[derive(Clone, Debug, Default)]
pub struct DeliveryConfig {
    /// Every cache in front of published files.
    pub networks: Vec<Network>,
    /// Keys for `CloudFront`.
    pub access: AwsAccess,
    /// Address of `CloudFront`'s interface, instead of Amazon's.
    pub cloudfront_endpoint: Option<String>,
}

/// The delivery network.
pub struct Delivery {
    networks: Vec<Network>,
    client: reqwest::Client,
    credentials: AwsCredentialProvider,
    cloudfront: String,
    /// Path of published files, with a slash at the end.
    path: String,
    host: Option<HeaderValue>,
}

/// Objects that one publish has switched.
pub(crate) struct Switched<'a> {
    pub project: Uuid,
    /// The keys of the objects.
    pub keys: &'a [String],
    /// Names this clearing: repeated, it is the same one.
    pub reference: &'a str,
}

impl Delivery {
    /// The network in front of `cdn_url`.
    pub fn new(config: &DeliveryConfig, cdn_url: &str) -> io::Result<Self> {
        let url = Url::parse(cdn_url).map_err(io::Error::other)?;
        let authority = url.host_str().map(|host| match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        });
        Ok(Self {
            networks: config.networks.clone(),
            client: aws::client()?,
            credentials: config.access.credentials()?,
            cloudfront: config
                .cloudfront_endpoint
                .as_deref()
                .unwrap_or(CLOUDFRONT.0)
                .trim_end_matches('/')
                .to_owned(),
            path: format!("{}/", url.path().trim_end_matches('/')),
            host: authority.and_then(|host| HeaderValue::from_str(&host).ok()),
        })
    }

    /// Tells each cache to forget an address that nobody uses, once.
    pub(crate) async fn try_each(&self, reference: &str) -> Vec<(String, Result<(), String>)> {
        let switched = Switched {
            project: Uuid::nil(),
            keys: &[format!("{}.json", Uuid::nil())],
            reference,
        };
        let mut tried = Vec::with_capacity(self.networks.len());
        for network in &self.networks {
            let name = match network {
                Network::Purge(node) => format!("purge:{node}"),
                Network::Ban(node) => format!("ban:{node}"),
                Network::CloudFront(id) => format!("cloudfront:{id}"),
            };
            tried.push((name, self.clear_one(network, &switched).await));
        }
        tried
    }

    /// Whether there is anything to clear.
    pub(crate) fn is_absent(&self) -> bool {
        self.networks.is_empty()
    }

    /// Clears what was switched everywhere; says which network did not follow.
    pub(crate) async fn clear(&self, switched: &Switched<'_>) -> Result<(), String> {
        for network in &self.networks {
            let mut pauses = PAUSES.iter();
            while let Err(cause) = self.clear_one(network, switched).await {
                tracing::warn!(?network, cause, project.id = %switched.project, "a cache did not clear");
                match pauses.next() {
                    Some(pause) => tokio::time::sleep(*pause).await,
                    None => return Err(format!("{}: {cause}", name(network))),
                }
            }
        }
        Ok(())
    }

    async fn clear_one(&self, network: &Network, switched: &Switched<'_>) -> Result<(), String> {
        match network {
            Network::Purge(node) => {
                for key in switched.keys {
                    let request = self.call("PURGE", node, key)?;
                    // A cache that does not hold it says so.
                    followed(request.send().await, &[404, 412])?;
                }
                Ok(())
            }
            Network::Ban(node) => {
                let project = switched.project.to_string();
                let request = self.call("BAN", node, &project)?;
                followed(request.header("surrogate-key", project).send().await, &[])
            }
            Network::CloudFront(distribution) => self.cloudfront(distribution, switched).await,
        }
    }

    fn call(&self, method: &str, node: &Url, key: &str) -> Result<reqwest::RequestBuilder, String> {
        let mut url = node.clone();
        url.set_path(&format!("{}{key}", self.path));
        let method = Method::from_bytes(method.as_bytes()).map_err(|error| error.to_string())?;
        let request = self.client.request(method, url);
        Ok(match &self.host {
            Some(host) => request.header(header::HOST, host),
            None => request,
        })
    }

    /// `CreateInvalidation` of the API of 2020-05-31; one path with a wildcard covers a project.
    async fn cloudfront(&self, distribution: &str, switched: &Switched<'_>) -> Result<(), String> {
        let body = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\
             <InvalidationBatch xmlns=\"http://cloudfront.amazonaws.com/doc/2020-05-31/\">\
             <Paths><Quantity>1</Quantity><Items><Path>{}{}*</Path></Items></Paths>\
             <CallerReference>{}</CallerReference></InvalidationBatch>",
            self.path, switched.project, switched.reference,
        );
        let address = format!(
            "{}/2020-05-31/distribution/{distribution}/invalidation",
            self.cloudfront
        );
        let mut request = Request::post(address)
            .header(header::CONTENT_TYPE, "application/xml")
            .body(HttpRequestBody::from(body))
            .map_err(|error| error.to_string())?;
        let credential = self
            .credentials
            .get_credential()
            .await
            .map_err(|error| error.to_string())?;
        AwsAuthorizer::new(&credential, "cloudfront", CLOUDFRONT.1)
            .try_authorize(&mut request, None)
            .map_err(|error| error.to_string())?;
        match aws::send(&self.client, request).await {
            Ok(answer) => followed(Ok(answer), &[]),
            Err(error) => Err(missed(error.kind() == HttpErrorKind::Timeout)),
        }
    }
}

fn name(network: &Network) -> &'static str {
    match network {
        Network::Purge(_) | Network::Ban(_) => "a cache was not cleared",
        Network::CloudFront(_) => "CloudFront was not cleared",
    }
}

fn followed(answer: reqwest::Result<reqwest::Response>, also: &[u16]) -> Result<(), String> {
    match answer {
        Ok(answer) if answer.status().is_success() || also.contains(&answer.status().as_u16()) => {
            Ok(())
        }
        Ok(answer) => Err(format!("it answers {}", answer.status().as_u16())),
        Err(error) => Err(missed(error.is_timeout())),
    }
}

fn missed(timeout: bool) -> String {
    if timeout {
        "it does not answer in time".to_owned()
    } else {
        "it cannot be reached".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_are_named_by_kind_and_address() {
        assert_eq!(
            "cloudfront:E2ABC".parse(),
            Ok(Network::CloudFront("E2ABC".to_owned()))
        );
        let node = Url::parse("http://varnish:6081").unwrap();
        assert_eq!("ban:http://varnish:6081".parse(), Ok(Network::Ban(node)));
        for wrong in [
            "",
            "purge",
            "purge:varnish",
            "purge:file:///x",
            "cloudfront:",
            "cloudfront:a/b",
            "x:y",
        ] {
            assert!(wrong.parse::<Network>().is_err(), "{wrong}");
        }
    }
}
