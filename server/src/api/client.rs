//! `/v1/client`: projects, tokens and consents for programs of a customer. Every answer carries
//! `links`.

use std::collections::BTreeMap;

use axum::{
    Json,
    body::{Body, Bytes},
    extract::{OriginalUri, State},
    http::{HeaderMap, Uri, header},
    response::{IntoResponse, Response},
};
use domain::consent::Consent;
use futures::{StreamExt, stream};
use serde::Serialize;
use service::{
    Error,
    client::{Project, State as ConsentState, TokenEntry},
    db::page::{Listed, Slice},
    sending::Outgoing,
};
use url::form_urlencoded;
use uuid::Uuid;

use crate::{
    http::{
        actor::Caller,
        page,
        params::{PageParams, Params},
        path::{AcceptedPath, Path, ProjectPath, SnippetPath, TokenPath},
        problem::Result,
    },
    state::AppState,
};

/// Names of links to addresses.
type Links = BTreeMap<&'static str, String>;

/// Something with links to related things.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Linked<T> {
    #[serde(flatten)]
    item: T,
    /// Addresses of related things.
    #[schema(value_type = std::collections::BTreeMap<String, String>, example = json!({"self": "https://consent.example/v1/client/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70"}))]
    links: Links,
}

/// A slice of a list.
#[derive(Serialize, utoipa::ToSchema)]
pub struct Data<T> {
    /// The entries.
    data: Vec<T>,
    /// This part and the other ones.
    #[schema(value_type = std::collections::BTreeMap<String, String>, example = json!({"self": "https://consent.example/v1/client/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70/tokens", "next": "https://consent.example/v1/client/019aa3f2-6b1e-7c3a-9d1f-2b7c4e5a6f70/tokens?page=2"}))]
    links: Links,
}

/// The answers of a token.
#[derive(Serialize, utoipa::ToSchema)]
pub struct TokenConsents {
    /// Names the end user.
    #[schema(example = "0199f3a5c0de5f0c9d2e8b7a4c6d9e1f2a3b4c5d6e7f")]
    token: String,
    /// An entry for every processing, document and cookie configuration of the project.
    state: Vec<ConsentState>,
    /// Consents, newest first.
    history: Vec<Consent>,
    /// This page of the history and the other ones.
    #[schema(value_type = std::collections::BTreeMap<String, String>, example = json!({"self": "/v1/client/019aa3f2/consents/5f0c9d2e?page=1"}))]
    links: Links,
}

fn project_links(base: &str, project: &Project) -> Links {
    let own = format!("{base}/v1/client/{}", project.id);
    BTreeMap::from([
        ("tokens", format!("{own}/tokens")),
        ("consents", format!("{base}/v1/app/consents/{}", project.id)),
        ("publish", format!("{base}/v1/publish/jobs/{}", project.id)),
        (
            "configuration",
            format!("{base}/v1/vault/projects/{}", project.id),
        ),
        ("self", own),
    ])
}

fn linked_project(base: &str, item: Project) -> Linked<Project> {
    let links = project_links(base, &item);
    Linked { item, links }
}

/// A text as one segment of a path.
fn segment(text: &str) -> String {
    // `+` stands for a blank in queries only.
    let encoded: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
    encoded.replace('+', "%20")
}

fn linked_token(base: &str, project: Uuid, item: TokenEntry) -> Linked<TokenEntry> {
    let own = format!("{base}/v1/client/{project}");
    let links = BTreeMap::from([
        (
            "consents",
            format!("{own}/consents/{}", segment(&item.token)),
        ),
        ("project", own),
    ]);
    Linked { item, links }
}

fn page_links<T>(uri: &Uri, base: &str, list: &Listed<T>) -> Links {
    let mut links: Links = page::relations(list)
        .into_iter()
        .map(|(relation, number)| (relation, page::address(uri, base, number)))
        .collect();
    links.insert("self", page::with(uri, base, &[], None));
    links
}

/// A numbered page of tokens.
fn page_of_tokens(uri: &Uri, base: &str, project: Uuid, list: Listed<TokenEntry>) -> Response {
    let links = page_links(uri, base, &list);
    let headers = page::headers(uri, base, &list);
    let data = list
        .items
        .into_iter()
        .map(|entry| linked_token(base, project, entry))
        .collect();
    (headers, Json(Data { data, links })).into_response()
}

/// The links of a slice, for its headers and for its body.
fn slice_links<T>(
    uri: &Uri,
    base: &str,
    slice: &Slice<T>,
    cursor: impl FnOnce(&T) -> String,
) -> (HeaderMap, Links) {
    let links = page::links_of_slice(uri, base, slice, cursor);
    let headers = page::headers_of_slice(slice, &links);
    let mut links: Links = links.into_iter().collect();
    links.insert("self", page::with(uri, base, &[], None));
    (headers, links)
}

/// Tokens behind one.
fn slice_of_tokens(uri: &Uri, base: &str, project: Uuid, slice: Slice<TokenEntry>) -> Response {
    let (headers, links) = slice_links(uri, base, &slice, |last| last.token.clone());
    let data = slice
        .items
        .into_iter()
        .map(|entry| linked_token(base, project, entry))
        .collect();
    (headers, Json(Data { data, links })).into_response()
}

/// List the caller's projects
#[utoipa::path(get, path = "/v1/client/", tag = "client", operation_id = "client.projects",
    params(
        ("page" = Option<u32>, Query, description = "From 1", minimum = 1),
        ("perPage" = Option<u32>, Query, description = "At most 100; all projects unless given", minimum = 1),
    ),
    responses((status = 200, description = "The projects, oldest first.", body = [Linked<Project>])))]
pub async fn projects(
    State(state): State<AppState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let page = match (params.get("page"), params.get("perPage")) {
        (None, None) => None,
        _ => Some(params.page()?),
    };
    let list = state.placet.client.projects(caller.actor(), page).await?;
    let base = &state.placet.config.base_url;
    let headers = page::headers(&uri, base, &list);
    let items: Vec<_> = list
        .items
        .into_iter()
        .map(|project| linked_project(base, project))
        .collect();
    Ok((headers, Json(items)).into_response())
}

/// Read a project
#[utoipa::path(get, path = "/v1/client/{projectId}", tag = "client", operation_id = "client.project",
    params(ProjectPath),
    responses((status = 200, description = "The project.", body = Linked<Project>)))]
pub async fn project(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Response> {
    let project = path.project_id;
    let project = state.placet.client.project(caller.actor(), project).await?;
    Ok(Json(linked_project(&state.placet.config.base_url, project)).into_response())
}

/// List the tokens of a project
///
/// By name. `after=<token>` continues behind that token and costs the same at any distance.
#[utoipa::path(get, path = "/v1/client/{projectId}/tokens", tag = "client", operation_id = "client.tokens",
    params(
        ProjectPath,
        PageParams,
        ("after" = Option<String>, Query, description = "Token after which to go on, instead of `page`"),
    ),
    responses((status = 200, description = "A slice of the tokens. With `after` nothing is counted.", body = Data<Linked<TokenEntry>>)))]
pub async fn tokens(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let (project, page) = (path.project_id, params.page()?);
    let base = &state.placet.config.base_url;
    let client = &state.placet.client;
    let Some(after) = params.get("after") else {
        let list = client.tokens(caller.actor(), project, page).await?;
        return Ok(page_of_tokens(&uri, base, project, list));
    };
    let slice = client
        .tokens_after(caller.actor(), project, after, page.size)
        .await?;
    Ok(slice_of_tokens(&uri, base, project, slice))
}

/// Read the state and the history of a token
///
/// `after=<consentId>` gives the history behind that consent and costs the same however far that is.
#[utoipa::path(get, path = "/v1/client/{projectId}/consents/{token}", tag = "client", operation_id = "client.consents",
    params(
        TokenPath,
        PageParams,
        ("after" = Option<Uuid>, Query, description = "Id of the consent after which the history goes on, instead of `page`"),
    ),
    responses((status = 200, description = "What the token answers now, and every consent it gave. A token that never answered has nulls and an empty history. With `after` nothing is counted.", body = TokenConsents)))]
pub async fn consents(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<TokenPath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let token = path.token;
    let (project, page) = (path.project_id, params.page()?);
    let (client, base) = (&state.placet.client, &state.placet.config.base_url);
    let (headers, mut links, asked, history) = match params
        .parsed("after", "the id of a consent")?
    {
        None => {
            let found = client
                .consents(caller.actor(), project, &token, page)
                .await?;
            let headers = page::headers(&uri, base, &found.history);
            let links = page_links(&uri, base, &found.history);
            (headers, links, found.state, found.history.items)
        }
        Some(after) => {
            let found = client
                .consents_after(caller.actor(), project, &token, after, page.size)
                .await?;
            let slice = found.history;
            let (headers, links) = slice_links(&uri, base, &slice, |last| last.consent_id.clone());
            (headers, links, found.state, slice.items)
        }
    };
    links.insert("project", format!("{base}/v1/client/{project}"));
    let answer = TokenConsents {
        token,
        state: asked,
        history,
        links,
    };
    Ok((headers, Json(answer)).into_response())
}

/// Read the lines for pages
///
/// Public: the lines that a site puts before every other tag, for a configuration that is live. They are the stub of TCF
/// and GPP and the defaults of consent signals, where the configuration needs them, and the tag of its latest bundle.
/// With `stubFile=true` the stub is the tag of a published file, for pages whose content security policy forbids inline
/// scripts. Not for display: nothing in the answer runs in a browser that opens it.
#[utoipa::path(get, path = "/v1/client/{projectId}/snippet/{configuration}", tag = "client", operation_id = "client.snippet", security(()),
    params(
        SnippetPath,
        ("stubFile" = Option<bool>, Query, description = "True for the stub as a file, where the configuration needs it"),
    ),
    responses(
        (status = 200, description = "The lines. They change with a publish alone.", content((String = "text/html"))),
        (status = 404, description = "`not_found`: nothing of this name is live."),
    ))]
pub async fn snippet(
    State(state): State<AppState>,
    Path(path): Path<SnippetPath>,
    params: Params,
) -> Result<Response> {
    let publish = &state.placet.publish;
    let stub_file = params.flag("stubFile")?.unwrap_or_default();
    let lines = publish
        .snippet(path.project_id, &path.configuration, stub_file)
        .await?;
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "public, max-age=60"),
        (
            header::CONTENT_SECURITY_POLICY,
            "sandbox; default-src 'none'",
        ),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, lines).into_response())
}

/// List the tokens that accept
///
/// All tokens whose latest consent to `identifier` accepts, streamed; pages if `perPage` is given.
/// `after=<token>` continues behind that token and costs the same at any distance.
#[utoipa::path(get, path = "/v1/client/{projectId}/tokens/accepted/{identifier}", tag = "client", operation_id = "client.accepted",
    params(
        AcceptedPath,
        ("page" = Option<u32>, Query, description = "From 1", minimum = 1),
        ("perPage" = Option<u32>, Query, description = "At most 100; all tokens unless given", minimum = 1),
        ("after" = Option<String>, Query, description = "Token after which to go on, a page at a time, instead of `page`"),
    ),
    responses((status = 200, description = "The tokens, by name. With `after` nothing is counted.", body = Data<Linked<TokenEntry>>)))]
pub async fn accepted(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<AcceptedPath>,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let (project, identifier) = (path.project_id, path.identifier);
    let base = state.placet.config.base_url.clone();
    let (client, actor) = (&state.placet.client, caller.actor());
    if let Some(after) = params.get("after") {
        let size = params.page()?.size;
        let slice = client
            .accepted_after(actor, project, identifier, after, size)
            .await?;
        return Ok(slice_of_tokens(&uri, &base, project, slice));
    }
    if params.get("perPage").is_some() || params.get("page").is_some() {
        let page = params.page()?;
        let list = client.accepted(actor, project, identifier, page).await?;
        return Ok(page_of_tokens(&uri, &base, project, list));
    }
    let Outgoing { pieces, way } = client.all_accepted(actor, project, identifier).await?;
    let links = Links::from([
        ("self", page::with(&uri, &base, &[], None)),
        ("project", format!("{base}/v1/client/{project}")),
    ]);
    let end = format!("],\"links\":{}}}", json(&links)?);
    let mut begun = false;
    let entries = pieces.map(move |piece| {
        let mut text = String::new();
        for entry in piece? {
            if std::mem::replace(&mut begun, true) {
                text.push(',');
            }
            text += &json(&linked_token(&base, project, entry))?;
        }
        Ok::<_, Error>(Bytes::from(text))
    });
    let pieces = stream::once(async { Ok(Bytes::from_static(b"{\"data\":[")) })
        .chain(entries)
        .chain(stream::once(async move { Ok(Bytes::from(end)) }))
        .boxed();
    let mut headers = HeaderMap::new();
    headers.insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("application/json"),
    );
    let file = Outgoing { pieces, way };
    Ok((headers, Body::from_stream(file.at_pace())).into_response())
}

fn json<T: Serialize>(value: &T) -> std::result::Result<String, Error> {
    serde_json::to_string(value).map_err(Error::internal)
}
