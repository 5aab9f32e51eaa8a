//! Deliveries as members see them: lists, the content of a request, tests and retries.

pub(super) mod store;

use domain::error_code::ErrorCode;
use domain::webhook::DeliveryStatus;
use uuid::Uuid;

use super::{
    Webhooks,
    delivery::DeliveryRow,
    payload::Message,
    schedule,
    store::WebhookRow,
    view::{Delivery, DeliveryDetail, DeliveryRequest, shown_delivery},
    worker,
};
use crate::{
    access::{self, Actor, Need},
    db::page::{Asked, Listed, Slice},
    error::{Error, Result},
    ids, search,
};

/// Days that successful deliveries are listed.
const DELIVERED_DAYS: i64 = 7;

impl Webhooks {
    /// Sends a test event in a single attempt. One at a time waits for its call.
    pub async fn test(&self, actor: Actor, id: Uuid) -> Result<Delivery> {
        let row = self.find(actor, id, Need::EDIT).await?;
        must_be_active(&row)?;
        let delivery = self.ids.next();
        if !store::add_test(&self.db, id, delivery, self.clock.now()).await? {
            return Err(a_test_waits());
        }
        self.wake();
        self.delivery(actor, &row, delivery).await
    }

    /// Deliveries of a webhook. The text of a search is the id of one, as its endpoint was told (`webhook-id`).
    pub async fn deliveries(
        &self,
        actor: Actor,
        id: Uuid,
        status: Option<&str>,
        asked: &Asked,
    ) -> Result<Listed<Delivery>> {
        search::check(&asked.text, 0)?;
        let webhook = self.find(actor, id, Need::READ).await?;
        check_status(status)?;
        let _turn = self.answers.turn(actor).await?;
        let rows = store::deliveries(&self.db, id, status, asked).await?;
        let (total, page) = (rows.total, rows.page);
        let items = self.with_attempts(actor, &webhook, rows.items).await?;
        Ok(Listed { items, total, page })
    }

    /// Deliveries after a cursor. The cost does not depend on its position.
    pub async fn deliveries_after(
        &self,
        actor: Actor,
        id: Uuid,
        status: Option<&str>,
        after: Uuid,
        asked: &Asked,
    ) -> Result<Slice<Delivery>> {
        search::check(&asked.text, 0)?;
        let webhook = self.find(actor, id, Need::READ).await?;
        check_status(status)?;
        let _turn = self.answers.turn(actor).await?;
        let Slice { items, size, more } =
            store::deliveries_after(&self.db, id, status, after, asked).await?;
        let items = self.with_attempts(actor, &webhook, items).await?;
        Ok(Slice { items, size, more })
    }

    async fn with_attempts(
        &self,
        actor: Actor,
        webhook: &WebhookRow,
        rows: Vec<DeliveryRow>,
    ) -> Result<Vec<Delivery>> {
        let tells = rows.iter().any(DeliveryRow::tells_consent);
        let reads = tells && self.may_read_consents(actor, webhook).await?;
        let mut items = Vec::with_capacity(rows.len());
        for row in rows {
            let mut attempts = store::attempts(&self.db, webhook.id, row.id).await?;
            // An endpoint may answer with the consent that it was sent.
            if row.tells_consent() && !reads {
                for attempt in &mut attempts {
                    attempt.answer = None;
                }
            }
            items.push(shown_delivery(row, attempts));
        }
        Ok(items)
    }

    /// Tells whether the actor may read the consents in a webhook's deliveries: each member may, and API keys
    /// with the scope `consents`.
    async fn may_read_consents(&self, actor: Actor, webhook: &WebhookRow) -> Result<bool> {
        access::allowed(self.audit.reading(actor, webhook.project_id).await)
    }

    /// Retries a delivery now. A delivery that has ended gets one more attempt.
    pub async fn retry(&self, actor: Actor, id: Uuid, delivery: Uuid) -> Result<Delivery> {
        let row = self.find(actor, id, Need::EDIT).await?;
        let found = store::delivery(&self.db, id, delivery).await?;
        let found = found.ok_or(Error::NotFound)?;
        must_be_active(&row)?;
        if !store::retry(&self.db, id, &found, self.clock.now()).await? {
            return Err(a_test_waits());
        }
        self.wake();
        self.delivery(actor, &row, delivery).await
    }

    /// Deletes deliveries that ended long ago.
    pub(crate) async fn forget_ended(&self) -> Result<()> {
        let now = self.clock.now();
        let delivered = ids::first_of(now.plus_days(-DELIVERED_DAYS));
        let failed = ids::first_of(now.plus_days(-schedule::FAILED_DAYS));
        Ok(store::forget(&self.db, delivered, failed, now).await?)
    }

    async fn delivery(&self, actor: Actor, webhook: &WebhookRow, id: Uuid) -> Result<Delivery> {
        let row = store::delivery(&self.db, webhook.id, id).await?;
        let shown = self.with_attempts(actor, webhook, row.into_iter().collect());
        shown.await?.pop().ok_or(Error::NotFound)
    }

    /// Reads a delivery with its request.
    pub async fn detail(&self, actor: Actor, webhook: Uuid, id: Uuid) -> Result<DeliveryDetail> {
        let row = self.find(actor, webhook, Need::READ).await?;
        let found = store::delivery(&self.db, webhook, id).await?;
        let found = found.ok_or(Error::NotFound)?;
        // The webhook may have had another topic when the delivery was made.
        if found.tells_consent() {
            self.audit.reading(actor, row.project_id).await?;
        }
        let event = worker::told(self, &row, &found).await?;
        let request = event.map(|event| {
            let message = Message::new(&row.method, &row.url, &event);
            DeliveryRequest {
                method: row.method.clone(),
                url: message.url,
                body: String::from_utf8_lossy(&message.body).into_owned(),
            }
        });
        let attempts = store::attempts(&self.db, webhook, id).await?;
        Ok(DeliveryDetail {
            delivery: shown_delivery(found, attempts),
            request,
        })
    }
}

fn a_test_waits() -> Error {
    Error::conflict(
        None,
        ErrorCode::TestWaits,
        "A test of this webhook waits for its end; send another one after it.",
    )
}

fn check_status(status: Option<&str>) -> Result<()> {
    if status.is_none_or(|status| DeliveryStatus::parse(status).is_some()) {
        return Ok(());
    }
    Err(Error::BadRequest(
        "`status` is waiting, delivered or failed.".to_owned(),
    ))
}

fn must_be_active(row: &WebhookRow) -> Result<()> {
    if row.active {
        return Ok(());
    }
    Err(Error::conflict(
        None,
        ErrorCode::WebhookInactive,
        "This webhook is turned off; turn it on with `active: true`.",
    ))
}
