//! The subscription of an organization, where the server has billing.

use domain::documents::Layout;
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;

/// The state of a subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    None,
    Trialing,
    Active,
    PastDue,
    Canceled,
}

impl State {
    /// True if nothing is missing.
    pub fn is_active(self) -> bool {
        matches!(self, Self::Trialing | Self::Active)
    }

    /// True if there is a subscription, paid or not.
    pub fn is_charged(self) -> bool {
        self.is_active() || self == Self::PastDue
    }
}

/// The unit of a period that is paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Interval {
    Day,
    Week,
    Month,
    Year,
}

/// The price of a plan for a period of some intervals.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Price {
    /// In the smallest unit of the currency.
    pub amount: i64,
    /// ISO 4217, in lower case.
    pub currency: String,
    pub interval: Interval,
    pub count: u64,
    /// True if taxes are part of the amount, false if they are added; `None` where nobody says.
    pub tax_included: Option<bool>,
}

/// A plan, as far as an organization can choose it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    pub name: String,
    /// The layouts of steps that can be published; `None` for all.
    pub layouts: Option<Vec<Layout>>,
    /// True if banners carry the note of a demo.
    pub has_note: bool,
    /// True if it needs a subscription.
    pub is_paid: bool,
    pub price: Option<Price>,
}

/// A subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subscription {
    pub state: State,
    /// End of the paid period, in milliseconds since 1970.
    pub period_end: Option<i64>,
    /// True if it ends with this period.
    pub ends: bool,
    /// The plans: without a subscription and with it.
    pub plans: Vec<Plan>,
}

/// An invoice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Invoice {
    pub id: String,
    pub number: Option<String>,
    pub status: Option<String>,
    /// In the smallest unit of the currency.
    pub total: i64,
    /// ISO 4217, in lower case.
    pub currency: Option<String>,
    /// Milliseconds since 1970.
    pub created_at: Option<i64>,
    pub url: Option<String>,
}

/// The subscription of an organization; `None` where the server has no billing. With `fresh` the provider is asked.
#[server(prefix = "/ui", endpoint = "billing/subscription", input = Json)]
pub async fn read_subscription(
    organization: String,
    fresh: bool,
) -> Result<Option<Subscription>, UiError> {
    server::subscription(&organization, fresh).await
}

/// Its invoices, newest first, for owners.
#[server(prefix = "/ui", endpoint = "billing/invoices", input = Json)]
pub async fn read_invoices(organization: String) -> Result<Vec<Invoice>, UiError> {
    server::invoices(&organization).await
}

/// The address of the provider's page on which an owner subscribes.
#[server(prefix = "/ui", endpoint = "billing/checkout", input = Json)]
pub async fn checkout(organization: String) -> Result<String, UiError> {
    use super::server::{actor, id, placet, refuse};
    let (placet, actor, organization) = (placet()?, actor()?, id(&organization)?);
    let page = placet.billing.checkout(actor, organization).await;
    Ok(page.map_err(refuse)?.url)
}

/// The address of the provider's page on which an owner changes the subscription.
#[server(prefix = "/ui", endpoint = "billing/portal", input = Json)]
pub async fn portal(organization: String) -> Result<String, UiError> {
    use super::server::{actor, id, placet, refuse};
    let (placet, actor, organization) = (placet()?, actor()?, id(&organization)?);
    let page = placet.billing.portal(actor, organization).await;
    Ok(page.map_err(refuse)?.url)
}

#[cfg(feature = "ssr")]
mod server {
    use domain::documents::Layout;
    use service::{billing, clock::Timestamp};

    use super::{Interval, Invoice, Plan, Price, State, Subscription};
    use crate::error::UiError;
    use crate::fns::server::{actor, id, placet, refuse};

    pub async fn subscription(
        organization: &str,
        fresh: bool,
    ) -> Result<Option<Subscription>, UiError> {
        let (placet, actor, organization) = (placet()?, actor()?, id(organization)?);
        let billing = &placet.billing;
        if !billing.is_on() {
            return Ok(None);
        }
        let found = if fresh {
            billing.latest_subscription(actor, organization).await
        } else {
            billing.subscription(actor, organization).await
        };
        let found = found.map_err(refuse)?;
        Ok(Some(Subscription {
            state: match found.state {
                billing::State::None => State::None,
                billing::State::Trialing => State::Trialing,
                billing::State::Active => State::Active,
                billing::State::PastDue => State::PastDue,
                billing::State::Canceled => State::Canceled,
            },
            period_end: found.current_period_end.map(Timestamp::millis),
            ends: found.cancel_at_period_end,
            plans: billing.plans(actor).await.into_iter().map(plan).collect(),
        }))
    }

    fn plan(plan: billing::Plan) -> Plan {
        let layouts = plan.layouts.map(|words| {
            let layouts = Layout::ALL.iter().copied();
            let is_named = |layout: &Layout| words.iter().any(|word| word == layout.as_str());
            layouts.filter(is_named).collect()
        });
        Plan {
            name: plan.name,
            is_paid: layouts.is_none(),
            layouts,
            has_note: plan.demo_banner,
            price: plan.price.map(|price| Price {
                amount: price.amount,
                currency: price.currency,
                interval: match price.interval {
                    billing::Interval::Day => Interval::Day,
                    billing::Interval::Week => Interval::Week,
                    billing::Interval::Month => Interval::Month,
                    billing::Interval::Year => Interval::Year,
                },
                count: price.interval_count,
                tax_included: price.tax_included,
            }),
        }
    }

    pub async fn invoices(organization: &str) -> Result<Vec<Invoice>, UiError> {
        let (placet, actor, organization) = (placet()?, actor()?, id(organization)?);
        let found = placet.billing.invoices(actor, organization).await;
        let found = found.map_err(refuse)?;
        let told = |invoice: billing::Invoice| Invoice {
            id: invoice.id,
            number: invoice.number,
            status: invoice.status,
            total: invoice.total,
            currency: invoice.currency,
            created_at: invoice.created_at.map(Timestamp::millis),
            url: invoice.url,
        };
        Ok(found.into_iter().map(told).collect())
    }
}
