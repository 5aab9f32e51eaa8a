//! What of a visitor's request is kept.

use std::{
    fmt::Write,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use url::{Host, Url};

/// Most characters of a user agent.
const USER_AGENT_CHARS: usize = 512;
/// Most bytes of a page's host (RFC 1035).
const HOST_BYTES: usize = 253;

/// How a project keeps addresses of visitors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum IpMode {
    /// The network: /24 of IPv4, /48 of IPv6.
    #[default]
    Truncated,
    /// An HMAC with a key of the project.
    Hash,
    /// As it is.
    Full,
    /// Not at all.
    None,
}

impl IpMode {
    /// Reads the word of the project; the most careful common one for a word that is unknown.
    pub(super) fn parse(word: &str) -> Self {
        match word {
            "hash" => Self::Hash,
            "full" => Self::Full,
            "none" => Self::None,
            _ => Self::Truncated,
        }
    }

    /// What is kept of an address.
    pub(super) fn keep(self, address: IpAddr, key: &[u8]) -> Option<String> {
        match self {
            Self::None => None,
            Self::Full => Some(address.to_string()),
            Self::Truncated => Some(match address {
                IpAddr::V4(v4) => Ipv4Addr::from_bits(v4.to_bits() & (u32::MAX << 8)).to_string(),
                IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 80)).to_string(),
            }),
            Self::Hash => {
                let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
                mac.update(address.to_string().as_bytes());
                Some(hex(&mac.finalize().into_bytes()))
            }
        }
    }
}

/// Bytes in lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
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
            IpMode::Truncated.keep(v4, b"k").as_deref(),
            Some("203.0.113.0")
        );
        assert_eq!(
            IpMode::Truncated.keep(v6, b"k").as_deref(),
            Some("2001:db8:1::")
        );
        assert_eq!(IpMode::Full.keep(v4, b"k").as_deref(), Some("203.0.113.77"));
        assert_eq!(IpMode::None.keep(v4, b"k"), None);
        let hashed = IpMode::Hash.keep(v4, b"k").unwrap();
        assert_eq!(hashed.len(), 64);
        assert_ne!(IpMode::Hash.keep(v4, b"other"), Some(hashed));
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
