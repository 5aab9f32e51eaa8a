//! Flags of billing.

use anyhow::Context;
use clap::{Args, ValueEnum};
use service::billing;

use super::set_up::checked_url;

#[derive(Args, Clone)]
#[command(next_help_heading = "Billing")]
pub(super) struct BillingArgs {
    /// Provider that bills organizations; with `off` nothing is limited
    #[arg(
        long,
        env = "PLACET_BILLING",
        default_value = "off",
        value_name = "OFF|STRIPE"
    )]
    billing: Provider,
    /// Secret key of Stripe's API
    #[arg(
        long,
        env = "PLACET_STRIPE_SECRET_KEY",
        hide_env_values = true,
        value_name = "KEY",
        required_if_eq("billing", "stripe")
    )]
    stripe_secret_key: Option<String>,
    /// Secret of the signatures of Stripe's events
    #[arg(
        long,
        env = "PLACET_STRIPE_EVENTS_SECRET",
        hide_env_values = true,
        value_name = "SECRET",
        required_if_eq("billing", "stripe")
    )]
    stripe_events_secret: Option<String>,
    /// Id of the price that organizations subscribe to, such as `price_…`
    #[arg(
        long,
        env = "PLACET_STRIPE_PRICE",
        value_name = "ID",
        required_if_eq("billing", "stripe")
    )]
    stripe_price: Option<String>,
    /// Address of Stripe's API
    #[arg(
        long,
        env = "PLACET_STRIPE_API_URL",
        default_value = "https://api.stripe.com",
        value_name = "URL"
    )]
    stripe_api_url: String,
    /// Kilobytes that a configuration may have for free, where billing is on
    #[arg(
        long,
        env = "PLACET_FREE_KILOBYTES",
        default_value = "100",
        value_name = "NUMBER"
    )]
    free_kilobytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Provider {
    Off,
    Stripe,
}

impl BillingArgs {
    pub(super) fn settings(&self) -> anyhow::Result<billing::Settings> {
        if self.billing == Provider::Off {
            return Ok(billing::Settings::Off);
        }
        let given = |value: &Option<String>, flag: &str| {
            let value = value.clone().filter(|value| !value.trim().is_empty());
            value.with_context(|| format!("{flag} must not be empty"))
        };
        Ok(billing::Settings::Stripe(billing::StripeSettings {
            api_url: checked_url("--stripe-api-url", &self.stripe_api_url)?,
            secret_key: given(&self.stripe_secret_key, "--stripe-secret-key")?,
            events_secret: given(&self.stripe_events_secret, "--stripe-events-secret")?,
            price: given(&self.stripe_price, "--stripe-price")?,
            free_bytes: self.free_kilobytes.saturating_mul(1_000),
        }))
    }
}
