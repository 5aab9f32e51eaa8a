//! Webhooks of a project: addresses that are called when something happens, and what became of it.

use domain::webhook::{NoAnswer, Topic};
use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use serde::{Deserialize, Serialize};

use crate::error::UiError;
use crate::fns::listing::Listing;

/// A webhook in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hook {
    pub id: String,
    pub method: String,
    pub url: String,
    pub topic: Topic,
    pub active: bool,
    /// The reason for which the server turned it off: `gone` or `failing`.
    pub inactive_reason: Option<String>,
    /// Since when no delivery has succeeded.
    pub failing_since: Option<i64>,
    /// Status and moment of the newest delivery.
    pub last: Option<(String, i64)>,
}

/// The list, and whether the person may add to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookPage {
    pub items: Vec<Hook>,
    pub total: u64,
    pub page: u32,
    pub per_page: u32,
    pub can_edit: bool,
}

/// A webhook as the person describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookWish {
    pub method: String,
    pub url: String,
    pub topic: Topic,
    pub active: bool,
}

/// One webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookData {
    pub hook: Hook,
    pub can_edit: bool,
}

/// A try of a delivery.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    pub at: i64,
    /// Status of the answer.
    pub status: Option<i64>,
    /// The reason for which there was none.
    pub error: Option<NoAnswer>,
    pub answer: Option<String>,
    pub latency_ms: i64,
}

/// Something that an endpoint is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivery {
    pub id: String,
    pub kind: String,
    /// `waiting`, `delivered` or `failed`.
    pub status: String,
    pub created_at: i64,
    pub next_attempt_at: Option<i64>,
    pub attempts: Vec<Attempt>,
}

/// A page of deliveries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryPage {
    pub items: Vec<Delivery>,
    pub total: u64,
    pub per_page: u32,
}

/// A project's webhooks, newest first.
#[server(prefix = "/ui", endpoint = "webhooks", input = Json)]
pub async fn list_hooks(project: String, page: u32) -> Result<HookPage, UiError> {
    server::list(&project, page).await
}

/// One webhook of a project.
#[server(prefix = "/ui", endpoint = "webhooks/read", input = Json)]
pub async fn read_hook(project: String, webhook: String) -> Result<HookData, UiError> {
    server::read(&project, &webhook).await
}

/// Registers a webhook; answers with its id and the key of its signatures, shown this once.
#[server(prefix = "/ui", endpoint = "webhooks/create", input = Json)]
pub async fn create_hook(project: String, wish: HookWish) -> Result<(String, String), UiError> {
    server::create(&project, wish).await
}

/// Changes a webhook.
#[server(prefix = "/ui", endpoint = "webhooks/update", input = Json)]
pub async fn update_hook(project: String, webhook: String, wish: HookWish) -> Result<(), UiError> {
    server::update(&project, &webhook, wish).await
}

/// Removes a webhook and its deliveries.
#[server(prefix = "/ui", endpoint = "webhooks/delete", input = Json)]
pub async fn delete_hook(webhook: String) -> Result<(), UiError> {
    use super::server::{actor, id, placet, refuse};
    placet()?
        .webhooks
        .delete(actor()?, id(&webhook)?)
        .await
        .map_err(refuse)
}

/// Makes a new key of signatures and answers with it; the old one signs as well for a day.
#[server(prefix = "/ui", endpoint = "webhooks/rotate", input = Json)]
pub async fn rotate_hook(webhook: String) -> Result<String, UiError> {
    use super::server::{actor, id, placet, refuse};
    let rotated = placet()?.webhooks.rotate(actor()?, id(&webhook)?).await;
    rotated
        .map(|webhook| webhook.secret.unwrap_or_default())
        .map_err(refuse)
}

/// Sends a test event.
#[server(prefix = "/ui", endpoint = "webhooks/test", input = Json)]
pub async fn test_hook(webhook: String) -> Result<(), UiError> {
    use super::server::{actor, id, placet, refuse};
    let sent = placet()?.webhooks.test(actor()?, id(&webhook)?).await;
    sent.map(drop).map_err(refuse)
}

/// A page of a webhook's deliveries; `status` narrows them.
#[server(prefix = "/ui", endpoint = "webhooks/deliveries", input = Json)]
pub async fn list_deliveries(
    webhook: String,
    status: String,
    listing: Listing,
) -> Result<DeliveryPage, UiError> {
    server::deliveries(&webhook, &status, listing).await
}

/// Sends a delivery again.
#[server(prefix = "/ui", endpoint = "webhooks/retry", input = Json)]
pub async fn retry_delivery(webhook: String, delivery: String) -> Result<(), UiError> {
    use super::server::{actor, id, placet, refuse};
    let sent = placet()?
        .webhooks
        .retry(actor()?, id(&webhook)?, id(&delivery)?)
        .await;
    sent.map(drop).map_err(refuse)
}

#[cfg(feature = "ssr")]
mod server {
    use domain::webhook::Topic;
    use service::access::Need;
    use service::clock::Timestamp;
    use service::db::page::Page;
    use service::webhooks::{Webhook, WebhookIn};

    use service::Error;

    use super::super::server::{actor, id, may, placet, refuse};
    use domain::webhook::NoAnswer;

    use super::{Attempt, Delivery, DeliveryPage, Hook, HookData, HookPage, HookWish, Listing};
    use crate::error::UiError;

    fn shown(webhook: Webhook) -> Hook {
        let topic = webhook.event.split('/').next().and_then(Topic::parse);
        Hook {
            id: webhook.id.to_string(),
            method: webhook.method,
            url: webhook.url,
            // Each event begins with one.
            topic: topic.unwrap_or(Topic::Consent),
            active: webhook.active,
            inactive_reason: webhook.inactive_reason,
            failing_since: webhook.failing_since.map(Timestamp::millis),
            last: webhook
                .last_delivery
                .map(|last| (last.status, last.created_at.millis())),
        }
    }

    fn input(project: uuid::Uuid, wish: HookWish) -> WebhookIn {
        WebhookIn {
            method: wish.method,
            url: wish.url,
            event: format!("{}/{project}", wish.topic.as_str()),
            active: Some(wish.active),
        }
    }

    pub async fn list(project: &str, page: u32) -> Result<HookPage, UiError> {
        let project = id(project)?;
        let can_edit = may(project, Need::EDIT).await?;
        let page = Page::new(Some(page), None);
        let found = placet()?
            .webhooks
            .list(actor()?, Some(project), &page.into())
            .await
            .map_err(refuse)?;
        Ok(HookPage {
            items: found.items.into_iter().map(shown).collect(),
            total: found.total,
            page: page.number,
            per_page: page.size,
            can_edit,
        })
    }

    pub async fn read(project: &str, webhook: &str) -> Result<HookData, UiError> {
        let project = id(project)?;
        let can_edit = may(project, Need::EDIT).await?;
        let found = placet()?
            .webhooks
            .read(actor()?, id(webhook)?)
            .await
            .map_err(refuse)?;
        if found.project_id != project {
            return Err(refuse(Error::NotFound));
        }
        Ok(HookData {
            hook: shown(found),
            can_edit,
        })
    }

    pub async fn create(project: &str, wish: HookWish) -> Result<(String, String), UiError> {
        let input = input(id(project)?, wish);
        let made = placet()?.webhooks.create(actor()?, input).await;
        let made = made.map_err(refuse)?;
        Ok((made.id.to_string(), made.secret.unwrap_or_default()))
    }

    pub async fn update(project: &str, webhook: &str, wish: HookWish) -> Result<(), UiError> {
        let input = input(id(project)?, wish).into();
        let changed = placet()?
            .webhooks
            .update(actor()?, id(webhook)?, input)
            .await;
        changed.map(drop).map_err(refuse)
    }

    pub async fn deliveries(
        webhook: &str,
        status: &str,
        listing: Listing,
    ) -> Result<DeliveryPage, UiError> {
        let status = Some(status).filter(|status| !status.is_empty());
        let asked = listing.asked(None);
        let found = placet()?
            .webhooks
            .deliveries(actor()?, id(webhook)?, status, &asked)
            .await
            .map_err(refuse)?;
        let items = found.items.into_iter().map(|delivery| Delivery {
            id: delivery.id.to_string(),
            kind: delivery.kind,
            status: delivery.status,
            created_at: delivery.created_at.millis(),
            next_attempt_at: delivery.next_attempt_at.map(Timestamp::millis),
            attempts: delivery
                .attempts
                .into_iter()
                .map(|attempt| Attempt {
                    at: attempt.at.millis(),
                    status: attempt.status,
                    error: attempt.error.as_deref().and_then(NoAnswer::parse),
                    answer: attempt.answer,
                    latency_ms: attempt.latency_ms,
                })
                .collect(),
        });
        Ok(DeliveryPage {
            items: items.collect(),
            total: found.total,
            per_page: asked.page.size,
        })
    }
}
