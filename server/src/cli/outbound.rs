//! Flags of calls to addresses that users choose.

use std::time::Duration;

use clap::Args;
use service::webhooks;

#[derive(Args, Clone)]
#[command(next_help_heading = "Webhooks and other calls")]
pub(super) struct OutboundArgs {
    /// Private hosts that webhooks, checks of web pages, witnesses, time stamps, lists of TCF and what OpenID Connect
    /// providers name may reach, comma-separated
    #[arg(
        long,
        env = "PLACET_OUTBOUND_ALLOW",
        value_delimiter = ',',
        value_name = "HOSTS"
    )]
    pub(super) outbound_allow: Vec<String>,
    /// Permit webhooks to addresses without TLS
    #[arg(long, env = "PLACET_WEBHOOK_ALLOW_HTTP")]
    webhook_allow_http: bool,
    /// Seconds that a webhook's endpoint may take to answer
    #[arg(long, env = "PLACET_WEBHOOK_TIMEOUT", default_value = "15", value_parser = clap::value_parser!(u64).range(1..=60), value_name = "SECONDS")]
    webhook_timeout: u64,
}

impl OutboundArgs {
    pub(super) fn webhooks(&self) -> webhooks::Settings {
        webhooks::Settings {
            allow_http: self.webhook_allow_http,
            timeout: Duration::from_secs(self.webhook_timeout),
        }
    }
}
