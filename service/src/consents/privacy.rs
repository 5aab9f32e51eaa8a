//! Reduces a visitor's request to the data that is kept.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use domain::documents::IpMode;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use url::{Host, Url};

/// Most characters of a user agent.
const USER_AGENT_CHARS: usize = 512;
/// Most bytes of a page's host (RFC 1035).
const HOST_BYTES: usize = 253;

/// The part of an address that a project keeps: all of it, its network (/24 of IPv4, /48 of IPv6), an HMAC
/// with a key of the project, or nothing.
pub(super) fn keep(mode: IpMode, address: IpAddr, key: &[u8]) -> Option<String> {
    match mode {
        IpMode::None => None,
        IpMode::Full => Some(address.to_string()),
        IpMode::Truncated => Some(match address {
            IpAddr::V4(v4) => Ipv4Addr::from_bits(v4.to_bits() & (u32::MAX << 8)).to_string(),
            IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 80)).to_string(),
        }),
        IpMode::Hash => {
            let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
            mac.update(address.to_string().as_bytes());
            Some(hex::encode(mac.finalize().into_bytes()))
        }
    }
}

/// The host of an `Origin` or a `Referer`, in lower case.
pub(super) fn host(address: &str) -> Option<String> {
    // The common form needs no parser.
    let rest = address
        .strip_prefix("https://")
        .or_else(|| address.strip_prefix("http://"))?;
    let plain = rest.split('/').next().unwrap_or_default();
    let simple = !plain.is_empty()
        && plain.len() <= HOST_BYTES
        && plain.bytes().all(|byte| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-".contains(&byte)
        })
        && plain.bytes().any(|byte| byte.is_ascii_lowercase());
    if simple {
        return Some(plain.to_owned());
    }
    let host = match Url::parse(address).ok()?.host()? {
        Host::Domain(name) => name.to_ascii_lowercase(),
        Host::Ipv4(v4) => v4.to_string(),
        Host::Ipv6(v6) => v6.to_string(),
    };
    (host.len() <= HOST_BYTES).then_some(host)
}

/// The beginning of a user agent, without control characters.
pub(super) fn user_agent(text: &str) -> Option<String> {
    let kept: String = text
        .chars()
        .filter(|letter| !letter.is_control())
        .take(USER_AGENT_CHARS)
        .collect();
    (!kept.is_empty()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_kept_as_the_project_says() {
        let v4: IpAddr = "203.0.113.77".parse().unwrap();
        let v6: IpAddr = "2001:db8:1:2:3:4:5:6".parse().unwrap();
        assert_eq!(
            keep(IpMode::Truncated, v4, b"k").as_deref(),
            Some("203.0.113.0")
        );
        assert_eq!(
            keep(IpMode::Truncated, v6, b"k").as_deref(),
            Some("2001:db8:1::")
        );
        assert_eq!(
            keep(IpMode::Full, v4, b"k").as_deref(),
            Some("203.0.113.77")
        );
        assert_eq!(keep(IpMode::None, v4, b"k"), None);
        let hashed = keep(IpMode::Hash, v4, b"k").unwrap();
        assert_eq!(hashed.len(), 64);
        assert_ne!(keep(IpMode::Hash, v4, b"other"), Some(hashed));
    }

    #[test]
    fn hosts_come_from_origins_and_referers() {
        for (address, expected) in [
            ("https://shop.example", Some("shop.example")),
            ("https://Shop.Example:8443", Some("shop.example")),
            ("http://shop.example/a?b", Some("shop.example")),
            ("http://127.0.0.1:8080", Some("127.0.0.1")),
            ("https://shop.example@evil.example", Some("evil.example")),
            ("https://evil.example?.shop.example", Some("evil.example")),
            ("null", None),
            ("", None),
            ("file:///x", None),
        ] {
            assert_eq!(host(address).as_deref(), expected, "{address}");
        }
    }
}
