//! `/v1/webhooks`: endpoints of customers, called when something happens.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use service::webhooks::{Delivery, DeliveryDetail, Webhook, WebhookChange, WebhookIn};
use uuid::Uuid;

use crate::{
    http::{
        NO_STORE,
        actor::Caller,
        body::JsonBody,
        page,
        params::{PageParams, Params},
        path::{DeliveryPath, Path, WebhookPath},
        problem::Result,
    },
    state::AppState,
};

/// Register a webhook
///
/// The answer holds the key of its signatures (Standard Webhooks), which is never shown again.
#[utoipa::path(post, path = "/v1/webhooks", tag = "webhooks", operation_id = "webhooks.create",
    request_body = WebhookIn,
    responses(
        (status = 201, description = "The webhook with its secret, and `Location`.", body = Webhook),
        (status = 409, description = "`too_many_webhooks`: the project has its 20 already, or the account has registered its 1,000."),
    ))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<WebhookIn>,
) -> Result<Response> {
    let webhook = state.placet.webhooks.create(caller.actor(), input).await?;
    let base = &state.placet.config.base_url;
    let location = format!("{base}/v1/webhooks/{}", webhook.id);
    Ok((
        StatusCode::CREATED,
        [(header::LOCATION, location)],
        NO_STORE,
        Json(webhook),
    )
        .into_response())
}

/// List the webhooks of the caller's projects
#[utoipa::path(get, path = "/v1/webhooks", tag = "webhooks", operation_id = "webhooks.list",
    params(
        ("projectId" = Option<Uuid>, Query, description = "Only webhooks of this project"),
        PageParams,
        ("q" = Option<String>, Query, description = "Only webhooks in whose URL each word of this text occurs"),
        ("sort" = Option<String>, Query, description = "`-createdAt` (default) or `createdAt`"),
    ),
    responses((status = 200, description = "A page of webhooks.", body = [Webhook])))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let project: Option<Uuid> = params.parsed("projectId", "an id")?;
    let list = state
        .placet
        .webhooks
        .list(caller.actor(), project, &params.asked("createdAt")?)
        .await?;
    Ok(page::answer(&uri, &state.placet.config.base_url, &list))
}

/// Read a webhook
#[utoipa::path(get, path = "/v1/webhooks/{webhookId}", tag = "webhooks", operation_id = "webhooks.read",
    params(WebhookPath),
    responses((status = 200, description = "The webhook.", body = Webhook)))]
pub async fn read(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<WebhookPath>,
) -> Result<Json<Webhook>> {
    let webhook = path.webhook_id;
    Ok(Json(
        state.placet.webhooks.read(caller.actor(), webhook).await?,
    ))
}

/// Change a webhook
///
/// Absent fields stay, and so does the secret. `active: true` turns the webhook on again.
/// `active: false` gives up its waiting deliveries. The webhook stays with its project.
#[utoipa::path(put, path = "/v1/webhooks/{webhookId}", tag = "webhooks", operation_id = "webhooks.update",
    params(WebhookPath),
    request_body = WebhookChange,
    responses(
        (status = 200, description = "The webhook.", body = Webhook),
        (status = 409, description = "`edited_meanwhile`: somebody else changed it, or it was turned off, just now."),
    ))]
pub async fn update(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<WebhookPath>,
    JsonBody(input): JsonBody<WebhookChange>,
) -> Result<Json<Webhook>> {
    let webhook = path.webhook_id;
    Ok(Json(
        state
            .placet
            .webhooks
            .update(caller.actor(), webhook, input)
            .await?,
    ))
}

/// Remove a webhook and its deliveries
#[utoipa::path(delete, path = "/v1/webhooks/{webhookId}", tag = "webhooks", operation_id = "webhooks.delete",
    params(WebhookPath),
    responses((status = 204, description = "It is gone.")))]
pub async fn delete(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<WebhookPath>,
) -> Result<StatusCode> {
    let webhook = path.webhook_id;
    state
        .placet
        .webhooks
        .delete(caller.actor(), webhook)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Make a new secret
///
/// For 24 hours deliveries carry two signatures: by the new secret and by the previous one. For a
/// webhook that sends or has sent consents an API key needs the scope `consents`, too.
#[utoipa::path(post, path = "/v1/webhooks/{webhookId}/rotate", tag = "webhooks", operation_id = "webhooks.rotate",
    params(WebhookPath),
    responses((status = 200, description = "The webhook with its new secret.", body = Webhook)))]
pub async fn rotate(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<WebhookPath>,
) -> Result<Response> {
    let webhook = path.webhook_id;
    let webhook = state
        .placet
        .webhooks
        .rotate(caller.actor(), webhook)
        .await?;
    Ok((NO_STORE, Json(webhook)).into_response())
}

/// Send a test event
///
/// An event of the type `webhook.test`, tried once. One at a time waits.
#[utoipa::path(post, path = "/v1/webhooks/{webhookId}/test", tag = "webhooks", operation_id = "webhooks.test",
    params(WebhookPath),
    responses(
        (status = 202, description = "The delivery, with `Location`; read it for how it ends.", body = Delivery),
        (status = 409, description = "`webhook_inactive`: it is turned off. `test_waits`: the test before waits for its end."),
    ))]
pub async fn test(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<WebhookPath>,
) -> Result<Response> {
    let webhook = path.webhook_id;
    let delivery = state.placet.webhooks.test(caller.actor(), webhook).await?;
    Ok(accepted(&state, webhook, delivery))
}

/// List the deliveries of a webhook
///
/// Deliveries that succeeded are listed for 7 days, deliveries that were given up for 30.
/// `after=<delivery id>` continues behind that delivery and costs the same at any distance. Its
/// `Link: rel="next"` names the next slice.
#[utoipa::path(get, path = "/v1/webhooks/{webhookId}/deliveries", tag = "webhooks", operation_id = "webhooks.deliveries",
    params(
        WebhookPath,
        ("status" = Option<String>, Query, description = "Only those that are `waiting`, `delivered` or `failed`"),
        PageParams,
        ("after" = Option<Uuid>, Query, description = "Id of the delivery after which to go on, instead of `page`"),
        ("q" = Option<String>, Query, description = "The id of the only delivery that is wanted, as its `webhook-id` header told it"),
        ("sort" = Option<String>, Query, description = "`-createdAt` (default) or `createdAt`"),
    ),
    responses((status = 200, description = "A slice of the deliveries with their tries; the `X-` headers and `Link` say which. With `after` nothing is counted.", body = [Delivery])))]
pub async fn deliveries(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<WebhookPath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let (webhook, status) = (path.webhook_id, params.get("status"));
    let asked = params.asked("createdAt")?;
    let (webhooks, base) = (&state.placet.webhooks, &state.placet.config.base_url);
    let Some(after) = params.parsed("after", "the id of a delivery")? else {
        let list = webhooks
            .deliveries(caller.actor(), webhook, status, &asked)
            .await?;
        return Ok(page::answer(&uri, base, &list));
    };
    let slice = webhooks
        .deliveries_after(caller.actor(), webhook, status, after, &asked)
        .await?;
    Ok(page::answer_slice(&uri, base, &slice, |last| {
        last.id.to_string()
    }))
}

/// Read a delivery with the request that an attempt would send
#[utoipa::path(get, path = "/v1/webhooks/{webhookId}/deliveries/{deliveryId}", tag = "webhooks", operation_id = "webhooks.delivery",
    params(DeliveryPath),
    responses((status = 200, description = "The delivery.", body = DeliveryDetail)))]
pub async fn delivery(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<DeliveryPath>,
) -> Result<Json<DeliveryDetail>> {
    let (webhook, delivery) = (path.webhook_id, path.delivery_id);
    Ok(Json(
        state
            .placet
            .webhooks
            .detail(caller.actor(), webhook, delivery)
            .await?,
    ))
}

/// Send a delivery again
///
/// A delivery that has ended gets one more attempt. A waiting delivery is attempted now.
#[utoipa::path(post, path = "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/retry", tag = "webhooks", operation_id = "webhooks.retry",
    params(DeliveryPath),
    responses(
        (status = 202, description = "The delivery, with `Location`; read it for how it ends.", body = Delivery),
        (status = 409, description = "`webhook_inactive`: it is turned off. `test_waits`: it is a test, and another one waits for its end."),
    ))]
pub async fn retry(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<DeliveryPath>,
) -> Result<Response> {
    let (webhook, delivery) = (path.webhook_id, path.delivery_id);
    let delivery = state
        .placet
        .webhooks
        .retry(caller.actor(), webhook, delivery)
        .await?;
    Ok(accepted(&state, webhook, delivery))
}

fn accepted(state: &AppState, webhook: Uuid, delivery: Delivery) -> Response {
    let base = &state.placet.config.base_url;
    let location = format!("{base}/v1/webhooks/{webhook}/deliveries/{}", delivery.id);
    (
        StatusCode::ACCEPTED,
        [(header::LOCATION, location)],
        Json(delivery),
    )
        .into_response()
}
