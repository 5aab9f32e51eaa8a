//! The guarded HTTP client, for addresses that users choose. It prevents server-side request forgery.
//!
//! The address is checked at the connection: host names when they are resolved, IP literals before. If any
//! address of a name is private, loopback, link-local or reserved, the call is refused, unless the operator
//! allowed the host. The client never follows a redirect by itself, reads bodies up to a limit, and has one
//! deadline for everything.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket},
    sync::Arc,
    time::Duration,
};

use domain::webhook::NoAnswer;
use futures::StreamExt;
use reqwest::{
    Client,
    dns::{Addrs, Name, Resolve, Resolving},
    header,
    redirect::Policy,
};
use tokio::time::Instant;
use url::{Host, Url};
use uuid::Uuid;

use crate::names::{Names, asked_by};

/// One deadline for resolving, connecting, headers and body.
const DEADLINE: Duration = Duration::from_secs(15);
const CONNECT: Duration = Duration::from_secs(5);
/// Redirects that the fetch of a page may follow. Each target is checked.
const MOST_REDIRECTS: usize = 4;

/// Reason why a call was not made or failed.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// The address may not be called.
    #[error("this address may not be called")]
    Refused,
    /// The call failed.
    #[error("the call failed")]
    Failed(#[source] reqwest::Error),
    /// Too many redirects.
    #[error("too many redirects")]
    Redirects,
    /// No answer in time.
    #[error("no answer in time")]
    Timeout,
}

impl OutboundError {
    /// The word for it in an attempt of a webhook.
    pub fn word(&self) -> NoAnswer {
        match self {
            Self::Refused => NoAnswer::AddressRefused,
            Self::Failed(_) => NoAnswer::ConnectionFailed,
            Self::Redirects => NoAnswer::TooManyRedirects,
            Self::Timeout => NoAnswer::Timeout,
        }
    }

    /// The status of a page that was not shown.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Failed(error) => error.status().map(|status| status.as_u16()),
            _ => None,
        }
    }

    /// Finds the real reason of a failed call. An error of the guard is a cause of the client's error.
    fn of(error: reqwest::Error) -> Self {
        if error.is_timeout() {
            return Self::Timeout;
        }
        let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&error);
        while let Some(error) = cause {
            if error
                .downcast_ref::<Self>()
                .is_some_and(|error| matches!(error, Self::Refused))
            {
                return Self::Refused;
            }
            cause = error.source();
        }
        Self::Failed(error)
    }
}

/// A call to an address that a user chose.
#[derive(Debug)]
pub struct Call<'a> {
    /// Method.
    pub method: &'a str,
    /// Address.
    pub url: &'a str,
    /// Headers besides those of the client.
    pub headers: &'a [(&'static str, &'a str)],
    /// Body.
    pub body: Vec<u8>,
    /// Deadline for resolving, connecting, sending and the answer with its body.
    pub deadline: Duration,
    /// Most bytes of the answer's body that are read.
    pub most_bytes: usize,
}

/// The answer to a call. A redirect is an answer like others.
#[derive(Debug)]
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// `Retry-After`.
    pub retry_after: Option<String>,
    /// The first bytes of the body.
    pub body: Vec<u8>,
}

/// A page that a site showed.
#[derive(Debug)]
pub struct Shown {
    /// Its address, behind all redirects.
    pub url: Url,
    /// `Content-Type`.
    pub content_type: Option<String>,
    /// Its first bytes.
    pub body: Vec<u8>,
}

/// The client.
#[derive(Clone)]
pub struct Outbound {
    client: Client,
    allowed: Arc<Vec<String>>,
    /// The owner of its calls.
    owner: Uuid,
}

impl Outbound {
    /// A client that may also reach `allowed` hosts (names or addresses) if they are private.
    pub fn new(allowed: Vec<String>) -> Result<Self, OutboundError> {
        let allowed = Arc::new(allowed);
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .referer(false)
            .connect_timeout(CONNECT)
            .timeout(DEADLINE)
            // Accounts name endpoints without number, and an open connection is a file of the process.
            .pool_max_idle_per_host(0)
            .user_agent(concat!("Placet/", env!("CARGO_PKG_VERSION")))
            .dns_resolver(Arc::new(Guard {
                allowed: allowed.clone(),
                names: Arc::new(Names::new(CONNECT)),
            }))
            .build()
            .map_err(OutboundError::Failed)?;
        Ok(Self {
            client,
            allowed,
            owner: Uuid::nil(),
        })
    }

    /// The same client for calls of an account, or of a project where no account has asked for them. Names that one
    /// owner has it look up delay those of others as little as may be.
    #[must_use]
    pub fn of(&self, owner: Uuid) -> Self {
        Self {
            owner,
            ..self.clone()
        }
    }

    /// Reads the first `cap` bytes of a page that is shown (no status 4xx or 5xx). Follows a few redirects.
    pub async fn page(&self, address: &str, cap: usize) -> Result<Vec<u8>, OutboundError> {
        self.show(address, cap).await.map(|shown| shown.body)
    }

    /// Fetches a page or a file, at most `cap` bytes of it, and follows redirects. Returns its final address and its type, too.
    pub async fn show(&self, address: &str, cap: usize) -> Result<Shown, OutboundError> {
        let fetch = async {
            let mut url = Url::parse(address).map_err(|_| OutboundError::Refused)?;
            for _ in 0..=MOST_REDIRECTS {
                self.check(&url)?;
                let response = self
                    .client
                    .get(url.clone())
                    .send()
                    .await
                    .map_err(OutboundError::of)?;
                let header = |name| {
                    let value = response.headers().get(name);
                    value.and_then(|value| value.to_str().ok())
                };
                let target = header(header::LOCATION);
                let Some(target) = target.filter(|_| response.status().is_redirection()) else {
                    let content_type = header(header::CONTENT_TYPE).map(str::to_owned);
                    let shown = response.error_for_status().map_err(OutboundError::of)?;
                    let body = read(shown, cap).await?;
                    return Ok(Shown {
                        url,
                        content_type,
                        body,
                    });
                };
                url = url.join(target).map_err(|_| OutboundError::Refused)?;
            }
            Err(OutboundError::Redirects)
        };
        tokio::time::timeout(DEADLINE, asked_by(self.owner, fetch))
            .await
            .map_err(|_| OutboundError::Timeout)?
    }

    /// Makes one call without following redirects. The body is read up to its limit and until the deadline.
    /// The part that arrived counts even if the rest is missing.
    pub async fn call(&self, call: Call<'_>) -> Result<Reply, OutboundError> {
        let url = Url::parse(call.url).map_err(|_| OutboundError::Refused)?;
        self.check(&url)?;
        let method = reqwest::Method::from_bytes(call.method.as_bytes())
            .map_err(|_| OutboundError::Refused)?;
        let ends = Instant::now() + call.deadline;
        let mut request = self.client.request(method, url).timeout(call.deadline);
        for (name, value) in call.headers {
            request = request.header(*name, *value);
        }
        if !call.body.is_empty() {
            request = request.body(call.body);
        }
        let sending = asked_by(self.owner, request.send());
        let response = tokio::time::timeout_at(ends, sending)
            .await
            .map_err(|_| OutboundError::Timeout)?
            .map_err(OutboundError::of)?;
        let status = response.status().as_u16();
        let retry_after = response
            .headers()
            .get(header::RETRY_AFTER)
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let mut body = Vec::new();
        let _ =
            tokio::time::timeout_at(ends, read_into(response, &mut body, call.most_bytes)).await;
        Ok(Reply {
            status,
            retry_after,
            body,
        })
    }

    /// Sends a request once and reads its answer, which may have at most `most_bytes`.
    pub async fn exchange(
        &self,
        request: http::Request<Vec<u8>>,
        most_bytes: usize,
    ) -> Result<http::Response<Vec<u8>>, OutboundError> {
        let request = reqwest::Request::try_from(request).map_err(OutboundError::Failed)?;
        self.check(request.url())?;
        let sending = asked_by(self.owner, self.client.execute(request));
        let response = tokio::time::timeout(DEADLINE, sending)
            .await
            .map_err(|_| OutboundError::Timeout)?
            .map_err(OutboundError::of)?;
        let (status, headers) = (response.status(), response.headers().clone());
        let body = tokio::time::timeout(DEADLINE, read(response, most_bytes))
            .await
            .map_err(|_| OutboundError::Timeout)??;
        let mut answer = http::Response::new(body);
        *answer.status_mut() = status;
        *answer.headers_mut() = headers;
        Ok(answer)
    }

    /// True if an address passes the checks that are possible before its name is resolved.
    pub(crate) fn may_call(&self, url: &Url) -> bool {
        self.check(url).is_ok()
    }

    /// Refuses other schemes, credentials in the address and literals of private networks.
    fn check(&self, url: &Url) -> Result<(), OutboundError> {
        let plain = matches!(url.scheme(), "http" | "https")
            && url.username().is_empty()
            && url.password().is_none();
        let public = match url.host() {
            Some(Host::Ipv4(address)) => {
                is_elsewhere(address.into()) || self.allows(&address.to_string())
            }
            Some(Host::Ipv6(address)) => {
                is_elsewhere(address.into()) || self.allows(&address.to_string())
            }
            Some(Host::Domain(_)) => true,
            None => false,
        };
        if plain && public {
            Ok(())
        } else {
            Err(OutboundError::Refused)
        }
    }

    fn allows(&self, host: &str) -> bool {
        self.allowed
            .iter()
            .any(|allowed| allowed.eq_ignore_ascii_case(host))
    }
}

async fn read(response: reqwest::Response, cap: usize) -> Result<Vec<u8>, OutboundError> {
    let mut body = Vec::new();
    read_into(response, &mut body, cap).await?;
    Ok(body)
}

async fn read_into(
    response: reqwest::Response,
    body: &mut Vec<u8>,
    cap: usize,
) -> Result<(), OutboundError> {
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(OutboundError::of)?;
        let room = cap - body.len();
        body.extend_from_slice(chunk.get(..room.min(chunk.len())).unwrap_or_default());
        if body.len() >= cap {
            break;
        }
    }
    Ok(())
}

/// Resolves names for the connection itself, so that the connection uses the checked address.
struct Guard {
    allowed: Arc<Vec<String>>,
    names: Arc<Names>,
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let allowed = self
            .allowed
            .iter()
            .any(|host| host.eq_ignore_ascii_case(name.as_str()));
        // Made here, where the owner of the call is known: the future may be polled elsewhere.
        let found = self.names.find(name.as_str().to_owned());
        Box::pin(async move {
            let found = found.await?;
            if !allowed && found.iter().any(|address| !is_elsewhere(address.ip())) {
                return Err(
                    Box::new(OutboundError::Refused) as Box<dyn std::error::Error + Send + Sync>
                );
            }
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

/// True if an address is public, and not one of this machine: firewalls let a machine talk to itself.
fn is_elsewhere(address: IpAddr) -> bool {
    is_public(address) && !is_own(address)
}

/// True for an address of this machine: only from there does the way to it begin at itself. Nothing is sent.
fn is_own(address: IpAddr) -> bool {
    let any: IpAddr = match address {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let from = UdpSocket::bind((any, 0)).and_then(|socket| {
        // The port is that of a service which throws away all that it gets (RFC 863).
        socket.connect((address, 9))?;
        socket.local_addr()
    });
    from.is_ok_and(|from| from.ip() == address)
}

/// True if an address is public, which means in none of the IANA special-purpose registries.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(a == 0
        || a == 10
        || (a == 100 && (64..128).contains(&b))
        || a == 127
        || (a == 169 && b == 254)
        // The platform of Azure, which its machines alone reach.
        || address == Ipv4Addr::new(168, 63, 129, 16)
        || (a == 172 && (16..32).contains(&b))
        || (a == 192 && b == 0 && (c == 0 || c == 2))
        || (a == 192 && b == 88 && c == 99)
        || (a == 192 && b == 168)
        || (a == 198 && (18..20).contains(&b))
        || (a == 198 && b == 51 && c == 100)
        || (a == 203 && b == 0 && c == 113)
        || a >= 224)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    // Only global unicast (2000::/3), without its special parts: 2001::/23, documentation
    // (2001:db8::/32, 3fff::/20) and 6to4 (2002::/16, which hides an IPv4 address).
    (0x2000..0x4000).contains(&a)
        && !(a == 0x2001 && b < 0x200)
        && !(a == 0x2001 && b == 0xdb8)
        && a != 0x2002
        && !(a == 0x3fff && b < 0x1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_this_machine_are_known() {
        assert!(is_own([127, 0, 0, 1].into()));
        // For documentation (RFC 5737), so nobody has it.
        assert!(!is_own([192, 0, 2, 1].into()));
        assert!(!is_public([168, 63, 129, 16].into()));
    }

    #[tokio::test]
    async fn private_addresses_are_refused_in_every_notation() {
        let outbound = Outbound::new(Vec::new()).unwrap();
        for address in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[fe80::1]/",
            "http://[fc00::1]/",
            "http://10.0.0.1/",
            "http://169.254.169.254/latest/",
            "http://192.168.1.1/",
            "http://172.31.0.1/",
            "http://100.64.0.1/",
            "http://0.0.0.0/",
            "http://224.0.0.1/",
            "http://[2002:7f00:1::]/",
            // The numbers of IPv4 in one, two or three parts, to other bases, and in other digits and dots.
            "http://0x7f000001/",
            "http://017700000001/",
            "http://127.0.1/",
            "http://0/",
            "http://10.1/",
            "http://192.168.257/",
            "http://0300.0250.1.1/",
            "http://0xa9fea9fe/",
            "http://127.0.0.1./",
            "http://１２７.０.０.１/",
            "http://①②⑦.⓪.⓪.①/",
            "http://127。0。0。1/",
            "http://%31%32%37.0.0.1/",
            // The same inside of IPv6.
            "http://[0:0:0:0:0:ffff:7f00:1]/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[::127.0.0.1]/",
            "http://[::]/",
            "http://[64:ff9b::169.254.169.254]/",
            "http://[64:ff9b:1::a00:1]/",
            "http://[2001:0:7f00:1::1]/",
            // Other networks that are nobody's on the internet.
            "http://127.255.255.254/",
            "http://172.16.0.1/",
            "http://192.0.0.8/",
            "http://192.0.2.1/",
            "http://198.18.0.1/",
            "http://198.51.100.1/",
            "http://203.0.113.1/",
            "http://240.0.0.1/",
            "http://255.255.255.255/",
            "http://[fec0::1]/",
            "http://[ff02::1]/",
            "http://[100::1]/",
            "http://[2001:db8::1]/",
            // Slashes, ports and users that hide the host.
            "http:\\\\127.0.0.1\\",
            "http:///127.0.0.1/",
            "http:127.0.0.1",
            "https://127.0.0.1:443/",
            "http://a.example@127.0.0.1/",
            "file:///etc/passwd",
            "gopher://127.0.0.1/",
            "data:text/html,a",
            "ftp://a.example/",
            "http://user:pass@a.example/",
            "nonsense",
        ] {
            assert!(
                matches!(
                    outbound.page(address, 10).await,
                    Err(OutboundError::Refused)
                ),
                "{address}"
            );
        }
        // A name that resolves to a private address is refused when it is resolved.
        for name in ["localhost", "LOCALHOST"] {
            let address = format!("http://{name}:9/");
            let error = outbound.page(&address, 10).await.unwrap_err();
            let mut cause: &dyn std::error::Error = &error;
            while let Some(source) = cause.source() {
                cause = source;
            }
            assert!(cause.to_string().contains("may not be called"), "{cause}");
        }
    }

    #[test]
    fn public_addresses_pass() {
        for address in ["8.8.8.8", "2606:4700::1111", "172.32.0.1", "100.128.0.1"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
