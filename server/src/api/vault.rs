//! `/v1/vault` (and `/vault`): the document store.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use serde_json::Value;
use service::{
    members::{Member, MemberIn},
    vault::{Document, Filter, ListQuery, Metadata, Sort, is_field},
};
use uuid::Uuid;

use crate::{
    http::{
        actor::Caller,
        body::JsonBody,
        etag::{self, IfMatch},
        page,
        params::{PageParams, Params},
        path::{DocumentMemberPath, DocumentPath, Path, ResourcePath},
        problem::{Problem, Result},
    },
    state::AppState,
};

/// A document.
#[derive(Serialize, utoipa::ToSchema)]
pub struct DocumentOut {
    /// Id.
    id: Uuid,
    /// The document as it was sent.
    #[schema(value_type = Object)]
    data: Value,
    /// When, by whom and how often it was written; in lists only with `with=metadata`.
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Metadata>,
}

impl From<Document> for DocumentOut {
    fn from(document: Document) -> Self {
        Self {
            id: document.id,
            data: document.data,
            metadata: Some(document.metadata),
        }
    }
}

fn answer(status: StatusCode, document: Document) -> Response {
    let headers = [
        (header::ETAG, etag::of(document.metadata.version)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (status, headers, Json(DocumentOut::from(document))).into_response()
}

/// Make a document
#[utoipa::path(post, path = "/v1/vault/{resource}", tag = "vault", operation_id = "vault.create",
    params(ResourcePath),
    request_body(content = Object, description = "The document itself. `tokenSecret` of a project (16 to 255 characters) is kept and never given back; `metadata.tokensSigned` tells that there is one.", example = json!({"websiteURL": "https://shop.example", "title": "Shop"})),
    responses((status = 201, description = "The document, with `Location` and `ETag`.", body = DocumentOut)))]
pub async fn create(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ResourcePath>,
    JsonBody(data): JsonBody<Value>,
) -> Result<Response> {
    let collection = path.resource;
    let document = state
        .placet
        .vault
        .create(caller.actor(), collection, data)
        .await?;
    let base = &state.placet.config.base_url;
    let location = format!("{base}/v1/vault/{}/{}", collection.as_str(), document.id);
    Ok((
        [(header::LOCATION, location)],
        answer(StatusCode::CREATED, document),
    )
        .into_response())
}

/// List the caller's documents
#[utoipa::path(get, path = "/v1/vault/{resource}", tag = "vault", operation_id = "vault.list",
    params(
        ResourcePath,
        PageParams,
        ("sort" = Option<String>, Query, description = "`createdAt`, `updatedAt` or `data.<field>`; `-` before it for descending"),
        ("projectId" = Option<Uuid>, Query, description = "Only documents of this project"),
        ("q" = Option<String>, Query, description = "Only documents that hold this text"),
        ("deleted" = Option<bool>, Query, description = "`true` lists the documents that are deleted and can be restored, in place of the others"),
        ("with" = Option<String>, Query, description = "`metadata` adds `metadata` to each entry"),
        ("data.field" = Option<String>, Query, description = "`data.<field>=`, `data.<field>[bool]=` or `data.<field>[in]=a,b`: only documents whose field fits"),
    ),
    responses(
        (status = 200, description = "A page of documents; the `X-` headers and `Link` say which.", body = [DocumentOut]),
        (status = 400, description = "Malformed query, or a page of more than 4 MB or of too many values: ask for fewer documents with `perPage`."),
    ))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ResourcePath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let collection = path.resource;
    let query = query(&params)?;
    let found = state
        .placet
        .vault
        .list(caller.actor(), collection, query)
        .await?;
    let with_metadata = params.all("with").any(|what| what == "metadata");
    let list = found.map(|document| {
        let mut out = DocumentOut::from(document);
        out.metadata = out.metadata.filter(|_| with_metadata);
        out
    });
    Ok(page::answer(&uri, &state.placet.config.base_url, &list))
}

fn query(params: &Params) -> Result<ListQuery> {
    let sort = match params.get("sort") {
        None => Sort::default(),
        Some(text) => {
            Sort::parse(text).ok_or_else(|| Problem::bad_request("`sort` names no field."))?
        }
    };
    let mut filters = Vec::new();
    for (key, value) in params.pairs() {
        let Some(name) = key.strip_prefix("data.") else {
            continue;
        };
        let (field, operator) = match name.split_once('[') {
            Some((field, operator)) => (field, operator.strip_suffix(']')),
            None => (name, Some("eq")),
        };
        if !is_field(field) {
            return Err(Problem::bad_request(format!("`{key}` names no field.")));
        }
        filters.push(match operator {
            Some("eq") => Filter::words(field, [value]),
            Some("in") => Filter::words(field, Params::several(key, value)?),
            Some("bool") => Filter::flag(
                field,
                value
                    .parse()
                    .map_err(|_| Problem::bad_request(format!("`{key}` must be true or false.")))?,
            ),
            _ => {
                return Err(Problem::bad_request(format!(
                    "`{key}`: the operators are [bool] and [in]."
                )));
            }
        });
    }
    Ok(ListQuery {
        page: params.page()?,
        sort,
        project_id: params.parsed("projectId", "an id")?,
        ids: None,
        text: params.get("q").map(str::to_owned),
        filters,
        deleted: params
            .parsed("deleted", "true or false")?
            .unwrap_or_default(),
    })
}

/// Read a document
#[utoipa::path(get, path = "/v1/vault/{resource}/{documentId}", tag = "vault", operation_id = "vault.read",
    params(DocumentPath),
    responses((status = 200, description = "The document, with `ETag`.", body = DocumentOut)))]
pub async fn read(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<DocumentPath>,
) -> Result<Response> {
    let (collection, id) = (path.resource, path.document_id);
    Ok(answer(
        StatusCode::OK,
        state
            .placet
            .vault
            .read(caller.actor(), collection, id)
            .await?,
    ))
}

/// Replace a document
#[utoipa::path(put, path = "/v1/vault/{resource}/{documentId}", tag = "vault", operation_id = "vault.update",
    params(DocumentPath, IfMatch),
    request_body(content = Object, description = "The document itself. The `tokenSecret` of a project stays unless it is named; null removes it."),
    responses(
        (status = 200, description = "The document, with `ETag`.", body = DocumentOut),
        (status = 412, description = "The document has another version."),
    ))]
pub async fn update(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<DocumentPath>,
    if_match: IfMatch,
    JsonBody(data): JsonBody<Value>,
) -> Result<Response> {
    let (collection, id) = (path.resource, path.document_id);
    let document = state
        .placet
        .vault
        .update(caller.actor(), collection, id, data, if_match.version)
        .await?;
    Ok(answer(StatusCode::OK, document))
}

/// Change a document by JSON Merge Patch (RFC 7396)
#[utoipa::path(patch, path = "/v1/vault/{resource}/{documentId}", tag = "vault", operation_id = "vault.patch",
    params(DocumentPath, IfMatch),
    request_body(content = Object, description = "The patch; `null` removes a field.", content_type = "application/merge-patch+json"),
    responses(
        (status = 200, description = "The document, with `ETag`.", body = DocumentOut),
        (status = 412, description = "The document has another version."),
    ))]
pub async fn patch(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<DocumentPath>,
    if_match: IfMatch,
    JsonBody(data): JsonBody<Value>,
) -> Result<Response> {
    let (collection, id) = (path.resource, path.document_id);
    let document = state
        .placet
        .vault
        .patch(caller.actor(), collection, id, data, if_match.version)
        .await?;
    Ok(answer(StatusCode::OK, document))
}

/// Delete a document; it can be restored for 30 days
#[utoipa::path(delete, path = "/v1/vault/{resource}/{documentId}", tag = "vault", operation_id = "vault.delete",
    params(DocumentPath, IfMatch),
    responses(
        (status = 204, description = "Deleted."),
        (status = 412, description = "The document has another version."),
    ))]
pub async fn delete(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<DocumentPath>,
    if_match: IfMatch,
) -> Result<StatusCode> {
    let (collection, id) = (path.resource, path.document_id);
    state
        .placet
        .vault
        .delete(caller.actor(), collection, id, if_match.version)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Bring a deleted document back
#[utoipa::path(post, path = "/v1/vault/{resource}/{documentId}/restore", tag = "vault", operation_id = "vault.restore",
    params(DocumentPath),
    responses((status = 200, description = "The document, with `ETag`.", body = DocumentOut)))]
pub async fn restore(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<DocumentPath>,
) -> Result<Response> {
    let (collection, id) = (path.resource, path.document_id);
    Ok(answer(
        StatusCode::OK,
        state
            .placet
            .vault
            .restore(caller.actor(), collection, id)
            .await?,
    ))
}

/// List the members of a document
#[utoipa::path(get, path = "/v1/vault/{resource}/{documentId}/users", tag = "vault", operation_id = "vault.listMembers",
    params(DocumentPath),
    responses((status = 200, description = "The members.", body = [Member])))]
pub async fn list_members(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<DocumentPath>,
) -> Result<Json<Vec<Member>>> {
    let (collection, id) = (path.resource, path.document_id);
    Ok(Json(
        state
            .placet
            .vault
            .members(caller.actor(), collection, id)
            .await?,
    ))
}

/// Add a user to a document, or change the role
///
/// Somebody who is added by others gets a letter, if the server sends mail.
#[utoipa::path(post, path = "/v1/vault/{resource}/{documentId}/users", tag = "vault", operation_id = "vault.addMember",
    params(DocumentPath),
    request_body = MemberIn,
    responses(
        (status = 201, description = "The member.", body = Member),
        (status = 409, description = "The last owner cannot lose the role."),
    ))]
pub async fn add_member(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<DocumentPath>,
    JsonBody(input): JsonBody<MemberIn>,
) -> Result<(StatusCode, Json<Member>)> {
    let (collection, id) = (path.resource, path.document_id);
    let member = state
        .placet
        .vault
        .add_member(caller.actor(), collection, id, input)
        .await?;
    Ok((StatusCode::CREATED, Json(member)))
}

/// Remove a user from a document
#[utoipa::path(delete, path = "/v1/vault/{resource}/{documentId}/users/{userId}", tag = "vault", operation_id = "vault.removeMember",
    params(DocumentMemberPath),
    responses(
        (status = 204, description = "Removed."),
        (status = 409, description = "The last owner cannot leave."),
    ))]
pub async fn remove_member(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<DocumentMemberPath>,
) -> Result<StatusCode> {
    let (collection, document, user) = (path.resource, path.document_id, path.user_id);
    state
        .placet
        .vault
        .remove_member(caller.actor(), collection, document, user)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
