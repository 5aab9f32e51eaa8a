//! Flags of what stands between browsers and the server.

use clap::Args;
use server::http::client::Proxies;

#[derive(Args, Clone)]
#[command(next_help_heading = "Proxies and origins")]
pub(super) struct NetworkArgs {
    /// Networks of proxies whose X-Forwarded-For is believed, comma-separated
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
}

impl NetworkArgs {
    pub(super) fn proxies(&self) -> Proxies {
        Proxies {
            trusted: self.trusted_proxies.clone(),
            country_header: self.country_header.clone(),
        }
    }
}
