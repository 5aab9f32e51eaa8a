//! `/v1/billing`: the subscriptions of organizations.

use axum::{
    Json,
    body::Body,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use service::billing::{BillingPage, Invoice, Plan, Subscription};

use crate::{
    http::{
        actor::Caller,
        body, headers,
        path::{OrganizationPath, Path},
        policy::Policy,
        problem::Result,
    },
    state::AppState,
};

/// List the plans
#[utoipa::path(get, path = "/v1/billing/plans", tag = "billing", operation_id = "billing.plans",
    responses((status = 200, description = "The plans.", body = [Plan])))]
pub async fn plans(State(state): State<AppState>, caller: Caller) -> Json<Vec<Plan>> {
    Json(state.placet.billing.plans(caller.actor()).await)
}

/// Read an organization's subscription
#[utoipa::path(get, path = "/v1/billing/organizations/{organizationId}/subscription", tag = "billing", operation_id = "billing.subscription",
    params(OrganizationPath),
    responses((status = 200, description = "How it stands.", body = Subscription)))]
pub async fn subscription(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OrganizationPath>,
) -> Result<Json<Subscription>> {
    let id = path.organization_id;
    let billing = &state.placet.billing;
    Ok(Json(billing.subscription(caller.actor(), id).await?))
}

/// Open a page on which to subscribe
#[utoipa::path(post, path = "/v1/billing/organizations/{organizationId}/checkout", tag = "billing", operation_id = "billing.checkout",
    params(OrganizationPath),
    responses(
        (status = 200, description = "The page.", body = BillingPage),
        (status = 409, description = "`billing_off` or `already_subscribed`."),
    ))]
pub async fn checkout(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OrganizationPath>,
) -> Result<Json<BillingPage>> {
    let id = path.organization_id;
    let billing = &state.placet.billing;
    Ok(Json(billing.checkout(caller.actor(), id).await?))
}

/// Open a page on which to change a subscription
#[utoipa::path(post, path = "/v1/billing/organizations/{organizationId}/portal", tag = "billing", operation_id = "billing.portal",
    params(OrganizationPath),
    responses(
        (status = 200, description = "The page.", body = BillingPage),
        (status = 409, description = "`billing_off` or `no_subscription`."),
    ))]
pub async fn portal(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OrganizationPath>,
) -> Result<Json<BillingPage>> {
    let id = path.organization_id;
    let billing = &state.placet.billing;
    Ok(Json(billing.portal(caller.actor(), id).await?))
}

/// List an organization's invoices, newest first
#[utoipa::path(get, path = "/v1/billing/organizations/{organizationId}/invoices", tag = "billing", operation_id = "billing.invoices",
    params(OrganizationPath),
    responses((status = 200, description = "At most 100 invoices.", body = [Invoice])))]
pub async fn invoices(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OrganizationPath>,
) -> Result<Json<Vec<Invoice>>> {
    let id = path.organization_id;
    let billing = &state.placet.billing;
    Ok(Json(billing.invoices(caller.actor(), id).await?))
}

/// Take an event of Stripe's
///
/// Signed by Stripe; nothing else is believed of it than that something changed.
#[utoipa::path(post, path = "/v1/billing/stripe/events", tag = "billing", operation_id = "billing.stripeEvent", security(()),
    params(("Stripe-Signature" = String, Header, description = "Of the body, by Stripe")),
    request_body(content = Object, description = "The event."),
    responses(
        (status = 204, description = "Taken."),
        (status = 409, description = "`billing_off`."),
        (status = 403, description = "`bad_signature`: not signed by Stripe, or too long ago."),
    ))]
pub async fn stripe_event(
    State(state): State<AppState>,
    policy: Policy,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode> {
    let signature = headers::text(&headers, "stripe-signature").unwrap_or_default();
    let placet = &state.placet;
    // Asked before the body, which takes memory.
    placet.billing.expects_event(signature)?;
    let bytes = body::read(body, policy.body).await?;
    let changed = placet.billing.event(signature, &bytes);
    for project in changed.await? {
        placet.publish.republish(Some(project), true).await?;
    }
    Ok(StatusCode::NO_CONTENT)
}
