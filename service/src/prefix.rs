//! The networks by which clients are counted. An address of IPv6 says little: a subscriber has 2^64 of them, and a customer
//! may have 65,536 networks of that size.

use std::{
    iter::once,
    net::{IpAddr, Ipv6Addr},
};

use uuid::Uuid;

/// A client as it is counted: an address of IPv4, or a /64 of IPv6, which one subscriber has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Subscriber(IpAddr);

/// A network that has a bound of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prefix {
    /// That of a subscriber.
    Subscriber(Subscriber),
    /// The /48 of IPv6 around it, which providers give to one site (RFC 6177, section 2).
    Site(Ipv6Addr),
}

/// Subscribers of a site that may each use all that one may.
pub const SITE_TIMES: u32 = 8;

impl Subscriber {
    /// The subscriber at an address.
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => first(address, 64).into(),
            IpAddr::V4(address) => address.into(),
        })
    }

    /// The prefixes that count it, the smallest first.
    pub fn prefixes(self) -> impl Iterator<Item = Prefix> {
        let site = match self.0 {
            IpAddr::V6(address) => Some(Prefix::Site(first(address, 48))),
            IpAddr::V4(_) => None,
        };
        once(Prefix::Subscriber(self)).chain(site)
    }

    /// An id of its own, for places that have owners.
    pub fn id(self) -> Uuid {
        let address = match self.0 {
            IpAddr::V6(address) => address,
            IpAddr::V4(address) => address.to_ipv6_mapped(),
        };
        Uuid::from_u128(address.to_bits())
    }
}

impl Prefix {
    /// Its bound, by that of a subscriber.
    pub fn most(self, of_subscriber: u64) -> u64 {
        match self {
            Self::Subscriber(_) => of_subscriber,
            Self::Site(_) => of_subscriber.saturating_mul(SITE_TIMES.into()),
        }
    }
}

/// The first address of the network of so many bits around an address.
fn first(address: Ipv6Addr, bits: u32) -> Ipv6Addr {
    Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << (128 - bits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Subscriber {
        Subscriber::of(text.parse().unwrap())
    }

    #[test]
    fn a_subscriber_is_one_client_at_all_its_addresses() {
        assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff::9"));
        assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
        assert_ne!(at("192.0.2.1").id(), at("192.0.2.2").id());
    }

    #[test]
    fn the_subscribers_of_a_site_count_together_as_well() {
        let site = |text: &str| at(text).prefixes().nth(1);
        assert_eq!(site("2001:db8:1:2::1"), site("2001:db8:1:ffff::1"));
        assert_ne!(site("2001:db8:1:2::1"), site("2001:db8:2:2::1"));
        assert_eq!(site("192.0.2.1"), None);
        assert_eq!(site("2001:db8:1:2::1").unwrap().most(10), 80);
    }
}
