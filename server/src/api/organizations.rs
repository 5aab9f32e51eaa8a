//! `/v1/organizations`: people who share projects.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use service::{
    members::{Member, MemberIn},
    organizations::{Organization, OrganizationIn},
};

use crate::{
    http::{
        actor::Caller,
        body::JsonBody,
        page,
        params::{PageParams, Params},
        path::{OrganizationMemberPath, OrganizationPath, Path},
        problem::Result,
    },
    state::AppState,
};

/// Make an organization
#[utoipa::path(post, path = "/v1/organizations", tag = "organizations", operation_id = "organizations.create",
    request_body = OrganizationIn,
    responses((status = 201, description = "The organization, with `Location`. A project joins it by `organizationId`.", body = Organization)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    JsonBody(input): JsonBody<OrganizationIn>,
) -> Result<Response> {
    let placet = &state.placet;
    let made = placet.organizations.create(caller.actor(), input).await?;
    let location = format!("{}/v1/organizations/{}", placet.config.base_url, made.id);
    let headers = [(header::LOCATION, location)];
    Ok((StatusCode::CREATED, headers, Json(made)).into_response())
}

/// List the caller's organizations
#[utoipa::path(get, path = "/v1/organizations", tag = "organizations", operation_id = "organizations.list",
    params(
        PageParams,
        ("q" = Option<String>, Query, description = "Only organizations in whose name each word of this text occurs"),
    ),
    responses((status = 200, description = "A page of organizations by name; the `X-` headers and `Link` say which.", body = [Organization])))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let placet = &state.placet;
    let found = placet
        .organizations
        .list(
            caller.actor(),
            params.get("q").unwrap_or_default(),
            params.page()?,
        )
        .await?;
    Ok(page::answer(&uri, &placet.config.base_url, &found))
}

/// Read an organization
#[utoipa::path(get, path = "/v1/organizations/{organizationId}", tag = "organizations", operation_id = "organizations.read",
    params(OrganizationPath),
    responses((status = 200, description = "The organization.", body = Organization)))]
pub async fn read(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OrganizationPath>,
) -> Result<Json<Organization>> {
    let organizations = &state.placet.organizations;
    Ok(Json(
        organizations
            .read(caller.actor(), path.organization_id)
            .await?,
    ))
}

/// Rename an organization, or change what it requires
#[utoipa::path(put, path = "/v1/organizations/{organizationId}", tag = "organizations", operation_id = "organizations.update",
    params(OrganizationPath),
    request_body = OrganizationIn,
    responses((status = 200, description = "The organization.", body = Organization)))]
pub async fn update(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OrganizationPath>,
    JsonBody(input): JsonBody<OrganizationIn>,
) -> Result<Json<Organization>> {
    let id = path.organization_id;
    let organizations = &state.placet.organizations;
    Ok(Json(organizations.update(caller.actor(), id, input).await?))
}

/// Delete an organization
#[utoipa::path(delete, path = "/v1/organizations/{organizationId}", tag = "organizations", operation_id = "organizations.delete",
    params(OrganizationPath),
    responses(
        (status = 204, description = "Deleted."),
        (status = 409, description = "`organization_in_use`: projects or custom vendors belong to it; `organization_subscribed`: its subscription would go on."),
    ))]
pub async fn delete(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OrganizationPath>,
) -> Result<StatusCode> {
    let id = path.organization_id;
    state
        .placet
        .organizations
        .delete(caller.actor(), id)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List the members of an organization
#[utoipa::path(get, path = "/v1/organizations/{organizationId}/users", tag = "organizations", operation_id = "organizations.listMembers",
    params(OrganizationPath),
    responses((status = 200, description = "The members.", body = [Member])))]
pub async fn list_members(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OrganizationPath>,
) -> Result<Json<Vec<Member>>> {
    let id = path.organization_id;
    let organizations = &state.placet.organizations;
    Ok(Json(organizations.members(caller.actor(), id).await?))
}

/// Add a user to an organization, or change the role
#[utoipa::path(post, path = "/v1/organizations/{organizationId}/users", tag = "organizations", operation_id = "organizations.addMember",
    params(OrganizationPath),
    request_body = MemberIn,
    responses(
        (status = 201, description = "The member.", body = Member),
        (status = 409, description = "The last owner cannot lose the role."),
    ))]
pub async fn add_member(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OrganizationPath>,
    JsonBody(input): JsonBody<MemberIn>,
) -> Result<(StatusCode, Json<Member>)> {
    let id = path.organization_id;
    let organizations = &state.placet.organizations;
    let member = organizations.add_member(caller.actor(), id, input).await?;
    Ok((StatusCode::CREATED, Json(member)))
}

/// Remove a user from an organization
#[utoipa::path(delete, path = "/v1/organizations/{organizationId}/users/{userId}", tag = "organizations", operation_id = "organizations.removeMember",
    params(OrganizationMemberPath),
    responses(
        (status = 204, description = "Removed."),
        (status = 409, description = "The last owner cannot leave."),
    ))]
pub async fn remove_member(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<OrganizationMemberPath>,
) -> Result<StatusCode> {
    let (organization, user) = (path.organization_id, path.user_id);
    let organizations = &state.placet.organizations;
    organizations
        .remove_member(caller.actor(), organization, user)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
