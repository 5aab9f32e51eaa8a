//! Liveness and readiness.

use axum::{Json, extract::State};
use serde::Serialize;

use crate::{http::problem::Problem, state::AppState};

/// The state of the server.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Health {
    /// `live` or `ready`.
    #[schema(example = "ready")]
    status: &'static str,
}

/// Tell that the process answers
#[utoipa::path(get, path = "/health/live", tag = "health", operation_id = "health.live", security(()),
    responses((status = 200, description = "The process answers.", body = Health)))]
pub async fn live() -> Json<Health> {
    Json(Health { status: "live" })
}

/// Tell if the database answers and jobs are worked on
#[utoipa::path(get, path = "/health/ready", tag = "health", operation_id = "health.ready", security(()),
    responses(
        (status = 200, description = "The database answers and jobs are worked on.", body = Health),
        (status = 503, description = "Not ready."),
    ))]
pub async fn ready(State(state): State<AppState>) -> Result<Json<Health>, Problem> {
    state.placet.ready().await?;
    Ok(Json(Health { status: "ready" }))
}
