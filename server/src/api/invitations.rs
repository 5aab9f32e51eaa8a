//! `/v1/auth/invitations`: invitations by mail to an organization or a project.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::StatusCode,
    response::{IntoResponse, Response},
};
use service::auth::{Invitation, InvitationIn, InvitationsOf, Invited};

use crate::{
    http::{
        NO_STORE,
        actor::Caller,
        body::JsonBody,
        page,
        params::{PageParams, Params},
        path::{InvitationPath, InvitationTokenPath, Path},
        problem::{Problem, Result},
    },
    state::AppState,
};

/// Invite somebody by mail
///
/// The caller's own address is verified. An account sends 100 invitations a day, 3 of them to one address, and an
/// address gets 5 a day.
#[utoipa::path(post, path = "/v1/auth/invitations", tag = "auth", operation_id = "auth.invite",
    request_body = InvitationIn,
    responses((status = 201, description = "The invitation; its link is mailed. An earlier one of the same address to the same is void.", body = Invitation)))]
pub async fn invite(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<InvitationIn>,
) -> Result<(StatusCode, Json<Invitation>)> {
    let invitation = state.placet.auth.invite(&caller.0, input).await?;
    Ok((StatusCode::CREATED, Json(invitation)))
}

/// List invitations that wait for an answer
#[utoipa::path(get, path = "/v1/auth/invitations", tag = "auth", operation_id = "auth.invitations",
    params(
        ("organizationId" = Option<Uuid>, Query, description = "All to this organization; for its owners"),
        ("projectId" = Option<Uuid>, Query, description = "All to this project; for its owners"),
        PageParams,
        ("q" = Option<String>, Query, description = "Only invitations in whose address each word of this text occurs"),
        ("sort" = Option<String>, Query, description = "`-createdAt` (default) or `createdAt`"),
    ),
    responses(
        (status = 200, description = "A page of invitations; those that the caller sent, unless another list is asked for.", body = [Invitation]),
        (status = 404, description = "The organization or project is unknown, or not the caller's."),
    ))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let organization = params.parsed("organizationId", "an id")?;
    let project = params.parsed("projectId", "an id")?;
    let of = match (organization, project) {
        (None, None) => InvitationsOf::Caller,
        (Some(id), None) => InvitationsOf::Organization(id),
        (None, Some(id)) => InvitationsOf::Project(id),
        _ => return Err(Problem::bad_request("Either organizationId or projectId.")),
    };
    let placet = &state.placet;
    let found = placet
        .auth
        .invitations(caller.actor(), of, &params.asked("createdAt")?)
        .await?;
    Ok(page::answer(&uri, &placet.config.base_url, &found))
}

/// Read an invitation by the token of its mailed link
#[utoipa::path(get, path = "/v1/auth/invitations/{invitation}", tag = "auth", operation_id = "auth.readInvitation", security(()),
    params(InvitationTokenPath),
    responses((status = 200, description = "What one is invited to.", body = Invited)))]
pub async fn read(
    State(state): State<AppState>,
    Path(path): Path<InvitationTokenPath>,
) -> Result<Response> {
    let token = path.invitation;
    let invited = state.placet.auth.read_invitation(&token).await?;
    Ok((NO_STORE, Json(invited)).into_response())
}

/// Take an invitation back
#[utoipa::path(delete, path = "/v1/auth/invitations/{invitation}", tag = "auth", operation_id = "auth.revokeInvitation",
    params(InvitationPath),
    responses((status = 204, description = "Its link works no longer.")))]
pub async fn revoke(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<InvitationPath>,
) -> Result<StatusCode> {
    let id = path.invitation;
    state
        .placet
        .auth
        .revoke_invitation(caller.actor(), id)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Accept an invitation by the token of its mailed link
#[utoipa::path(post, path = "/v1/auth/invitations/{invitation}/accept", tag = "auth", operation_id = "auth.acceptInvitation",
    params(InvitationTokenPath),
    responses((status = 200, description = "What the caller is a member of now. The account must have the invited address (`other_address`); the link proves it. A stronger role stays.", body = Invited)))]
pub async fn accept(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<InvitationTokenPath>,
) -> Result<Json<Invited>> {
    let token = path.invitation;
    let auth = &state.placet.auth;
    Ok(Json(auth.accept_invitation(caller.actor(), &token).await?))
}
