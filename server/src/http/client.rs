//! The address of the client, told by trusted proxies only.

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
};

use axum::{
    extract::{ConnectInfo, FromRef, FromRequestParts},
    http::{Extensions, HeaderMap, request::Parts},
};
use ipnet::IpNet;
use service::prefix::Subscriber;

use super::headers;
use crate::state::AppState;

/// The client as far as it is known.
#[derive(Clone, Debug, Default)]
pub struct Client {
    /// Its address; `None` when a trusted proxy does not tell it.
    pub address: Option<IpAddr>,
    /// ISO 3166-1 alpha-2, if a trusted proxy says it.
    pub country: Option<String>,
}

impl Client {
    /// The client as it is counted.
    pub fn subscriber(&self) -> Option<Subscriber> {
        self.address.map(Subscriber::of)
    }

    /// The client of a request.
    pub fn of(state: &AppState, extensions: &Extensions, headers: &HeaderMap) -> Self {
        let peer = extensions.get::<ConnectInfo<SocketAddr>>();
        let peer = peer.map(|info| info.0.ip());
        state.http.proxies.client(peer, headers)
    }
}

/// The trusted proxies, and the headers that they set.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    /// Networks of trusted proxies.
    pub trusted: Vec<IpNet>,
    /// Header in which they name the client's country.
    pub country_header: Option<String>,
}

impl Proxies {
    /// True if the address is that of a trusted proxy.
    pub fn trusts(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.trusted
            .iter()
            .any(|network| network.contains(&address))
    }

    /// The client behind `peer`: the last address in `X-Forwarded-For` that is no trusted proxy.
    pub fn client(&self, peer: Option<IpAddr>, headers: &HeaderMap) -> Client {
        let Some(peer) = peer else {
            return Client::default();
        };
        if !self.trusts(peer) {
            return Client {
                address: Some(peer.to_canonical()),
                country: None,
            };
        }
        let forwarded: Vec<&str> = headers::entries(headers, "x-forwarded-for").collect();
        let address = forwarded
            .iter()
            .rev()
            .map(|text| forwarded_address(text))
            .find(|address| address.is_none_or(|address| !self.trusts(address)))
            .flatten()
            .map(|address| address.to_canonical());
        let country = self
            .country_header
            .as_deref()
            .and_then(|name| headers::text(headers, name))
            .and_then(domain::format::country_code);
        Client { address, country }
    }
}

/// An address as proxies write it: alone, with the port of the client, or of IPv6 in brackets.
fn forwarded_address(text: &str) -> Option<IpAddr> {
    if let Ok(socket) = text.parse::<SocketAddr>() {
        return Some(socket.ip());
    }
    let inner = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    inner.unwrap_or(text).parse().ok()
}

impl<S> FromRequestParts<S> for Client
where
    AppState: FromRef<S>,
    S: Send + Sync,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        Ok(Self::of(
            &AppState::from_ref(state),
            &parts.extensions,
            &parts.headers,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn only_trusted_proxies_name_the_client() {
        let proxies = Proxies {
            trusted: vec!["10.0.0.0/8".parse().unwrap()],
            country_header: Some("cf-ipcountry".into()),
        };
        let mut headers = HeaderMap::new();
        headers.insert(
            "x-forwarded-for",
            HeaderValue::from_static("6.6.6.6, 203.0.113.7, 10.0.0.2"),
        );
        headers.insert("cf-ipcountry", HeaderValue::from_static("fr"));
        let told = proxies.client(Some("10.0.0.1".parse().unwrap()), &headers);
        assert_eq!(told.address, Some("203.0.113.7".parse().unwrap()));
        assert_eq!(told.country.as_deref(), Some("FR"));
        let forged = proxies.client(Some("198.51.100.1".parse().unwrap()), &headers);
        assert_eq!(forged.address, Some("198.51.100.1".parse().unwrap()));
        assert_eq!(forged.country, None);
        for (named, client) in [
            ("203.0.113.7:51234, 10.0.0.2:80", Some("203.0.113.7")),
            ("[2001:db8::7]:51234", Some("2001:db8::7")),
            ("[2001:db8::7]", Some("2001:db8::7")),
            ("6.6.6.6, 203.0.113.7:", None),
        ] {
            headers.insert("x-forwarded-for", HeaderValue::from_static(named));
            let told = proxies.client(Some("10.0.0.1".parse().unwrap()), &headers);
            let client: Option<IpAddr> = client.map(|address| address.parse().unwrap());
            assert_eq!(told.address, client, "{named}");
        }
    }
}
