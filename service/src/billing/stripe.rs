//! The Stripe calls that subscriptions need, form-encoded, with a pinned version of the API. Each call that
//! creates something carries an idempotency key. Also checks the signatures of events.

use std::time::Duration;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::{Client, Method, redirect::Policy};
use serde_json::Value;
use sha2::{Digest, Sha256};
use url::form_urlencoded;

use super::{State, StripeSettings};
use crate::clock::Timestamp;

/// Version of the API that defines the form of answers.
const VERSION: &str = "2024-06-20";
/// Longest duration of a call.
const DEADLINE: Duration = Duration::from_secs(10);
/// Seconds that an event's signature may differ from our clock.
const TOLERANCE: i64 = 300;
/// Most signatures of an event that are checked.
const MOST_SIGNATURES: usize = 10;

/// Reason why a call failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum StripeError {
    /// There was no answer, or it asks to retry.
    #[error("the billing provider is away: {0}")]
    Away(String),
    /// Stripe refused the call.
    #[error("the billing provider refused: {0}")]
    Refused(String),
}

pub(super) struct Stripe {
    client: Client,
    settings: StripeSettings,
}

/// The fields of a subscription that are used.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Subscription {
    pub id: String,
    pub customer: String,
    pub state: State,
    pub plan: Option<String>,
    pub period_end: Option<Timestamp>,
    pub cancel_at_period_end: bool,
}

/// A page on which a customer subscribes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CheckoutPage {
    pub id: String,
    /// Its address, until somebody has paid there or it has expired.
    pub url: Option<String>,
}

impl Stripe {
    pub(super) fn new(settings: StripeSettings) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .redirect(Policy::none())
            .timeout(DEADLINE)
            .user_agent(concat!("Placet/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client, settings })
    }

    pub(super) fn price(&self) -> &str {
        &self.settings.price
    }

    /// The price that organizations subscribe to, with its product.
    pub(super) async fn offer(&self) -> Result<Value, StripeError> {
        let path = format!("/v1/prices/{}", self.settings.price);
        self.get(&path, &[("expand[]", "product")]).await
    }

    pub(super) async fn add_customer(
        &self,
        organization: &str,
        name: &str,
    ) -> Result<String, StripeError> {
        let fields = [("name", name), ("metadata[organizationId]", organization)];
        let key = format!("customer {organization}");
        let made = self.post("/v1/customers", &fields, &key).await?;
        text(&made, "id").ok_or_else(|| StripeError::Refused("a customer without id".to_owned()))
    }

    /// The latest page on which the customer could subscribe.
    pub(super) async fn latest_checkout(
        &self,
        customer: &str,
    ) -> Result<Option<CheckoutPage>, StripeError> {
        let query = [("customer", customer), ("limit", "1")];
        let list = self.get("/v1/checkout/sessions", &query).await?;
        // Stripe lists the newest first.
        Ok(items(&list).first().and_then(checkout_page))
    }

    /// Opens a page on which the customer subscribes. `key` makes repeated clicks open one page.
    pub(super) async fn checkout(
        &self,
        customer: &str,
        back: &str,
        key: &str,
    ) -> Result<String, StripeError> {
        let fields = [
            ("mode", "subscription"),
            ("customer", customer),
            ("line_items[0][price]", &self.settings.price),
            ("line_items[0][quantity]", "1"),
            ("success_url", back),
            ("cancel_url", back),
        ];
        let made = self.post("/v1/checkout/sessions", &fields, key).await?;
        address(&made)
    }

    /// Opens a page on which the customer sees invoices, changes cards and cancels.
    pub(super) async fn portal(
        &self,
        customer: &str,
        back: &str,
        key: &str,
    ) -> Result<String, StripeError> {
        let fields = [("customer", customer), ("return_url", back)];
        let made = self
            .post("/v1/billing_portal/sessions", &fields, key)
            .await?;
        address(&made)
    }

    /// The newest subscription of a customer. An active one takes precedence, then one that is charged.
    pub(super) async fn subscription(
        &self,
        customer: &str,
    ) -> Result<Option<Subscription>, StripeError> {
        let query = [("customer", customer), ("status", "all"), ("limit", "10")];
        let list = self.get("/v1/subscriptions", &query).await?;
        let mut found: Vec<Subscription> = items(&list).iter().filter_map(subscription).collect();
        // Stripe lists the newest first, and a stable sort keeps that order among equals.
        found.sort_by_key(|one| (!one.state.is_active(), !one.state.is_charged()));
        Ok(found.into_iter().find(|one| one.customer == customer))
    }

    pub(super) async fn invoices(&self, customer: &str) -> Result<Vec<Value>, StripeError> {
        let query = [("customer", customer), ("limit", "100")];
        let list = self.get("/v1/invoices", &query).await?;
        Ok(items(&list))
    }

    async fn post(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        key: &str,
    ) -> Result<Value, StripeError> {
        let hash = Sha256::digest(format!("{path} {key}").as_bytes());
        let request = self
            .request(Method::POST, path)
            .header("idempotency-key", URL_SAFE_NO_PAD.encode(hash))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(encoded(fields));
        send(request).await
    }

    async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, StripeError> {
        send(self.request(Method::GET, &format!("{path}?{}", encoded(query)))).await
    }

    fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        self.client
            .request(method, format!("{}{path}", self.settings.api_url))
            .bearer_auth(&self.settings.secret_key)
            .header("stripe-version", VERSION)
    }

    /// True if Stripe signed these bytes within the tolerance.
    pub(super) fn is_signed(&self, header: &str, body: &[u8], now: Timestamp) -> bool {
        is_signed(&self.settings.events_secret, header, body, now)
    }
}

fn encoded(fields: &[(&str, &str)]) -> String {
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish()
}

async fn send(request: reqwest::RequestBuilder) -> Result<Value, StripeError> {
    // The error may contain the address, but never the key.
    let away = |error: reqwest::Error| StripeError::Away(error.without_url().to_string());
    let response = request.send().await.map_err(away)?;
    let status = response.status();
    let bytes = response.bytes().await.map_err(away)?;
    let answer: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    if status.is_success() {
        return Ok(answer);
    }
    let message = answer.pointer("/error/message").and_then(Value::as_str);
    let cause = format!("{status} {}", message.unwrap_or_default());
    Err(
        if status.is_server_error() || matches!(status.as_u16(), 409 | 429) {
            StripeError::Away(cause)
        } else {
            StripeError::Refused(cause)
        },
    )
}

pub(super) fn text(value: &Value, field: &str) -> Option<String> {
    value.get(field)?.as_str().map(str::to_owned)
}

fn items(list: &Value) -> Vec<Value> {
    list.get("data")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

fn address(made: &Value) -> Result<String, StripeError> {
    text(made, "url")
        .filter(|url| domain::format::is_http_url(url))
        .ok_or_else(|| StripeError::Refused("a page without an address".to_owned()))
}

fn checkout_page(value: &Value) -> Option<CheckoutPage> {
    let is = |field: &str, word: &str| value.get(field).is_some_and(|found| found == word);
    let is_open = is("status", "open") && is("mode", "subscription");
    Some(CheckoutPage {
        id: text(value, "id")?,
        url: address(value).ok().filter(|_| is_open),
    })
}

fn subscription(value: &Value) -> Option<Subscription> {
    let first = value.pointer("/items/data/0");
    let price = first.and_then(|item| {
        let price = item.get("price").or_else(|| item.get("plan"))?;
        text(price, "id")
    });
    let end = value
        .get("current_period_end")
        .or_else(|| first?.get("current_period_end"))
        .and_then(Value::as_i64);
    Some(Subscription {
        id: text(value, "id")?,
        customer: text(value, "customer")?,
        state: State::of_stripe(value.get("status")?.as_str()?),
        plan: price,
        period_end: end.map(|seconds| Timestamp(0).plus_seconds(seconds)),
        cancel_at_period_end: value
            .get("cancel_at_period_end")
            .and_then(Value::as_bool)
            .unwrap_or(false),
    })
}

/// `t=<seconds>,v1=<hex>[,v1=…]`: HMAC-SHA256 of `<t>.<body>`, compared in constant time.
fn is_signed(secret: &str, header: &str, body: &[u8], now: Timestamp) -> bool {
    let mut timestamp = None;
    let mut signatures = Vec::new();
    for part in header.split(',') {
        match part.trim().split_once('=') {
            Some(("t", seconds)) => timestamp = Some(seconds),
            Some(("v1", signature)) if signatures.len() < MOST_SIGNATURES => {
                signatures.extend(unhex(signature));
            }
            _ => {}
        }
    }
    let Some(timestamp) = timestamp else {
        return false;
    };
    let recent = timestamp
        .parse::<i64>()
        .is_ok_and(|seconds| seconds.abs_diff(now.seconds()) <= TOLERANCE.unsigned_abs());
    #[expect(clippy::expect_used, reason = "HMAC takes keys of every length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    let valid = signatures
        .iter()
        .any(|signature| mac.clone().verify_slice(signature).is_ok());
    recent && valid
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    (0..text.len())
        .step_by(2)
        .map(|at| u8::from_str_radix(text.get(at..at + 2)?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_checked_with_their_time() {
        // openssl dgst -sha256 -hmac whsec_test <<< '1700000000.{"id":"evt_1"}'
        let body = br#"{"id":"evt_1"}"#;
        let mut mac = Hmac::<Sha256>::new_from_slice(b"whsec_test").unwrap();
        mac.update(b"1700000000.");
        mac.update(body);
        let hex = hex::encode(mac.finalize().into_bytes());
        let at = |seconds| Timestamp(0).plus_seconds(seconds);
        let header = format!("t=1700000000,v1={hex}");
        let check =
            |header: &str, body: &[u8], seconds| is_signed("whsec_test", header, body, at(seconds));
        assert!(check(&header, body, 1_700_000_000));
        assert!(check(&header, body, 1_700_000_300));
        assert!(!check(&header, body, 1_700_000_301), "too old");
        assert!(!check(&header, body, 1_699_999_699), "from the future");
        assert!(!check(&header, b"{}", 1_700_000_000), "another body");
        let other = "0".repeat(64);
        assert!(check(
            &format!("t=1700000000,v1={other},v1={hex},v0=x"),
            body,
            1_700_000_000
        ));
        for broken in [
            "",
            "t=1700000000",
            "v1=x",
            &format!("v1={hex}"),
            &format!("t=x,v1={hex}"),
            &format!("t=1700000000,v0={hex}"),
        ] {
            assert!(!check(broken, body, 1_700_000_000), "{broken}");
        }
    }
}
