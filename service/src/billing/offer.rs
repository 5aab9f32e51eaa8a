//! The price that organizations subscribe to, as the provider has it.

use serde::Serialize;
use serde_json::Value;
use tokio::sync::Mutex;

use super::stripe::{Stripe, text};
use crate::clock::Timestamp;

/// Seconds for which an answer of the provider counts.
const FRESH: i64 = 3_600;
/// Seconds after which it is asked again, if it has not answered.
const AGAIN: i64 = 60;

domain::words! {
    /// The unit of a period that is paid for.
    #[derive(utoipa::ToSchema)]
    #[schema(as = PriceInterval)]
    pub enum Interval {
        /// A day.
        Day = "day",
        /// A week.
        Week = "week",
        /// A month.
        Month = "month",
        /// A year.
        Year = "year",
    }
}

/// The price of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    /// For one period, in the smallest unit of the currency.
    #[schema(example = 4_900)]
    pub amount: i64,
    /// ISO 4217, in lower case.
    #[schema(example = "eur")]
    pub currency: String,
    /// The unit of the period.
    pub interval: Interval,
    /// The period in these units.
    #[schema(example = 1)]
    pub interval_count: u64,
    /// True if taxes are part of the amount, false if they are added to it, null where the provider does not say.
    pub tax_included: Option<bool>,
}

/// The name of a plan, and its price.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Offer {
    pub name: Option<String>,
    /// `None` of a price that goes by tiers, or by use.
    pub price: Option<Price>,
}

impl Offer {
    /// Reads a price of Stripe's API with its product.
    fn of_stripe(value: &Value) -> Self {
        Self {
            name: value
                .get("product")
                .and_then(|product| text(product, "name")),
            price: price(value),
        }
    }
}

fn price(value: &Value) -> Option<Price> {
    let recurring = value.get("recurring")?;
    if text(recurring, "usage_type").is_some_and(|usage| usage == "metered") {
        return None;
    }
    let tax = text(value, "tax_behavior");
    Some(Price {
        amount: value.get("unit_amount")?.as_i64()?,
        currency: text(value, "currency")?,
        interval: Interval::parse(recurring.get("interval")?.as_str()?)?,
        interval_count: recurring
            .get("interval_count")
            .and_then(Value::as_u64)
            .unwrap_or(1),
        tax_included: match tax.as_deref() {
            Some("inclusive") => Some(true),
            Some("exclusive") => Some(false),
            _ => None,
        },
    })
}

/// The offer for as long as it counts, so that pages do not ask the provider each time.
#[derive(Default)]
pub(super) struct Kept(Mutex<Option<(Timestamp, Offer)>>);

impl Kept {
    /// The offer; an empty one while the provider does not answer. One caller at a time asks.
    pub(super) async fn read(&self, stripe: &Stripe, now: Timestamp) -> Offer {
        let mut kept = self.0.lock().await;
        if let Some((until, offer)) = &*kept
            && now < *until
        {
            return offer.clone();
        }
        let (seconds, offer) = match stripe.offer().await {
            Ok(price) => (FRESH, Offer::of_stripe(&price)),
            Err(error) => {
                tracing::warn!(%error, "the price of the subscription could not be read");
                (AGAIN, Offer::default())
            }
        };
        *kept = Some((now.plus_seconds(seconds), offer.clone()));
        offer
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_price_of_stripe_is_read_if_it_is_one_amount() {
        let price = json!({"id": "price_1", "currency": "eur", "unit_amount": 4_900, "tax_behavior": "exclusive",
            "recurring": {"interval": "month", "interval_count": 3, "usage_type": "licensed"},
            "product": {"name": "Placet for shops"}});
        let read = Offer::of_stripe(&price);
        assert_eq!(read.name.as_deref(), Some("Placet for shops"));
        let expected = Price {
            amount: 4_900,
            currency: "eur".to_owned(),
            interval: Interval::Month,
            interval_count: 3,
            tax_included: Some(false),
        };
        assert_eq!(read.price, Some(expected));
        for (field, other) in [
            // Tiers have no single amount, and a price that is paid once no period.
            ("unit_amount", json!(null)),
            ("recurring", json!(null)),
            (
                "recurring",
                json!({"interval": "month", "usage_type": "metered"}),
            ),
            ("recurring", json!({"interval": "decade"})),
        ] {
            let mut price = price.clone();
            price[field] = other;
            assert_eq!(Offer::of_stripe(&price).price, None, "{price}");
        }
    }
}
