//! Flags of connections, proxies and origins.

use std::time::Duration;

use clap::Args;
use server::{connections::Bounds, http::client::Proxies};

#[derive(Args, Clone)]
#[command(next_help_heading = "Proxies and origins")]
pub(super) struct NetworkArgs {
    /// Networks of proxies whose X-Forwarded-For is trusted, comma-separated
    #[arg(
        long,
        env = "PLACET_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_name = "NETWORKS"
    )]
    trusted_proxies: Vec<ipnet::IpNet>,
    /// Header in which a trusted proxy names the visitor's country
    #[arg(long, env = "PLACET_COUNTRY_HEADER", value_name = "HEADER")]
    country_header: Option<String>,
    /// Other origins whose pages may call the private API, comma-separated
    #[arg(
        long,
        env = "PLACET_CORS_ORIGINS",
        value_delimiter = ',',
        value_name = "ORIGINS"
    )]
    pub(super) cors_origins: Vec<String>,
    /// Most connections at once; further ones wait
    #[arg(long, env = "PLACET_MAX_CONNECTIONS", default_value_t = Bounds::default().most, value_name = "NUMBER")]
    max_connections: usize,
    /// Most connections at once of one IP address (of IPv6: a /64) that is no trusted proxy; further
    /// ones are closed [default: a twentieth of --max-connections, at least 16]
    #[arg(
        long,
        env = "PLACET_MAX_CONNECTIONS_PER_ADDRESS",
        value_name = "NUMBER"
    )]
    max_connections_per_address: Option<usize>,
    /// Seconds that a connection may take to send the whole header of a request; choose more than a
    /// proxy in front keeps idle connections
    #[arg(long, env = "PLACET_HEADER_TIMEOUT", default_value_t = Bounds::default().header.as_secs(), value_parser = clap::value_parser!(u64).range(1..=3_600), value_name = "SECONDS")]
    header_timeout: u64,
}

impl NetworkArgs {
    pub(super) fn connections(&self) -> Bounds {
        let most = self.max_connections.max(1);
        Bounds {
            most,
            of_one: self
                .max_connections_per_address
                .map_or_else(|| Bounds::share_of(most), |of_one| of_one.max(1)),
            header: Duration::from_secs(self.header_timeout),
            ..Bounds::default()
        }
    }

    pub(super) fn proxies(&self) -> Proxies {
        Proxies {
            trusted: self.trusted_proxies.clone(),
            country_header: self.country_header.clone(),
        }
    }
}
