//! `/v1/tcf` and `/v1/operator/vendor-list`: the Global Vendor List and Google's providers in use, and their import.

use axum::{
    Json,
    extract::{Multipart, OriginalUri, State, multipart::MultipartRejection},
    response::Response,
};
use domain::error_code::ErrorCode;
use service::{
    Error,
    access::Actor,
    tcf::{
        ListTexts, ListVendor, ListedProvider, MOST_BYTES, OperatorsList, ProviderQuery,
        VendorQuery,
    },
};

use crate::{
    http::{
        actor::Caller,
        form::Form,
        page,
        params::{PageParams, Params},
        problem::{Problem, Result},
    },
    state::AppState,
};

/// Body limit of an import: the list, its translations, the list of providers, and the bytes that a form adds.
pub const IMPORT_LIMIT: usize = 2 * MOST_BYTES;
/// Most files of an import: the two lists, and a translation for each language of the Framework.
const MOST_FILES: usize = 48;
/// Most characters of a file's name.
const MOST_NAME: usize = 200;

/// Read the Global Vendor List in use, without its vendors
#[utoipa::path(get, path = "/v1/tcf/list", tag = "tcf", operation_id = "tcf.list",
    params(("lang" = Option<String>, Query, description = "Language of the texts; English where the list is not translated", example = "fr")),
    responses(
        (status = 200, description = "The list.", body = ListTexts),
        (status = 404, description = "This server has no list yet."),
    ))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    params: Params,
) -> Result<Json<ListTexts>> {
    let language = params.get("lang").unwrap_or_default();
    let list = state.placet.tcf.read_list(caller.actor(), language);
    Ok(Json(list.await?))
}

/// List the vendors of the Global Vendor List in use, by name
#[utoipa::path(get, path = "/v1/tcf/vendors", tag = "tcf", operation_id = "tcf.vendors",
    params(
        ("q" = Option<String>, Query, description = "Only vendors in whose name every word occurs; an id finds its vendor"),
        ("purpose" = Option<u16>, Query, description = "Only vendors that declare this purpose, with either basis", minimum = 1, maximum = 24),
        ("lang" = Option<String>, Query, description = "Language of the addresses of policies"),
        PageParams,
    ),
    responses(
        (status = 200, description = "A page of vendors; the `X-` headers and `Link` say which.", body = [ListVendor]),
        (status = 404, description = "This server has no list yet."),
    ))]
pub async fn vendors(
    State(state): State<AppState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let query = VendorQuery {
        page: params.page()?,
        text: params.get("q").unwrap_or_default().to_owned(),
        purpose: params.parsed("purpose", "a purpose's id")?,
        language: params.get("lang").unwrap_or_default().to_owned(),
        ..VendorQuery::default()
    };
    let list = state.placet.tcf.vendors(caller.actor(), &query).await?;
    Ok(page::answer(&uri, &state.placet.config.base_url, &list))
}

/// List Google's ad technology providers, by name
///
/// `tcf.additionalConsent` of a configuration names them by their ids.
#[utoipa::path(get, path = "/v1/tcf/providers", tag = "tcf", operation_id = "tcf.providers",
    params(
        ("q" = Option<String>, Query, description = "Only providers in whose name every word occurs; an id finds its provider"),
        PageParams,
    ),
    responses(
        (status = 200, description = "A page of providers; the `X-` headers and `Link` say which.", body = [ListedProvider]),
        (status = 404, description = "This server has no list of providers."),
    ))]
pub async fn providers(
    State(state): State<AppState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let query = ProviderQuery {
        page: params.page()?,
        text: params.get("q").unwrap_or_default().to_owned(),
        among: None,
    };
    let list = state.placet.tcf.providers(caller.actor(), &query).await?;
    Ok(page::answer(&uri, &state.placet.config.base_url, &list))
}

/// Read the Global Vendor List in use with its origin, as the operator
#[utoipa::path(get, path = "/v1/operator/vendor-list", tag = "operator", operation_id = "operator.vendorList",
    responses(
        (status = 200, description = "The list, its translations, Google's providers, the platform's number, and the state of fetching.", body = OperatorsList),
        (status = 403, description = "`not_operator`: the caller's account is not the operator's."),
    ))]
pub async fn operators(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<Json<OperatorsList>> {
    let list = state.placet.tcf.operators_list(caller.actor());
    Ok(Json(list.await?))
}

/// A form with the list, its translations, and Google's list of providers.
#[derive(utoipa::ToSchema)]
#[expect(dead_code, reason = "describes a form that is read field by field")]
pub struct VendorListForm {
    /// `vendor-list.json`, translations named `purposes-<language>.json`, and Google's list of providers, whose name
    /// ends with `.csv`; repeatable, each at most 8 MB.
    #[schema(value_type = Vec<String>, example = json!(["(the bytes of vendor-list.json)"]))]
    file: Vec<String>,
    /// Take a lower version, or other bytes of the same version.
    #[schema(example = false)]
    force: Option<bool>,
}

/// Import the Global Vendor List, its translations and Google's list of providers, as the operator
///
/// All files are checked before anything is kept, as `placet gvl import` does. The next publish uses the list.
#[utoipa::path(post, path = "/v1/operator/vendor-list", tag = "operator", operation_id = "operator.importVendorList",
    request_body(content = VendorListForm, content_type = "multipart/form-data"),
    responses(
        (status = 200, description = "The list that is in use now.", body = OperatorsList),
        (status = 403, description = "`not_operator`: the caller's account is not the operator's."),
        (status = 409, description = "`list_contradicts`: a later list is in use, or the same version with other bytes."),
    ))]
pub async fn import(
    State(state): State<AppState>,
    caller: Caller,
    form: std::result::Result<Multipart, MultipartRejection>,
) -> Result<Json<OperatorsList>> {
    take(&state, caller.actor(), form).await.map(Json)
}

/// Imports the files of a form.
pub async fn take(
    state: &AppState,
    actor: Actor,
    form: std::result::Result<Multipart, MultipartRejection>,
) -> Result<OperatorsList> {
    let form = Form::new(form, MOST_BYTES)?;
    let tcf = &state.placet.tcf;
    tcf.permit(actor).await?;
    let (files, force) = read(form).await?;
    Ok(tcf.import_for(actor, files, force).await?)
}

/// Reads the files and the choice of a form.
async fn read(mut form: Form) -> Result<(Vec<(String, Vec<u8>)>, bool)> {
    let (mut files, mut force) = (Vec::new(), false);
    while let Some(field) = form.next().await? {
        match field.name() {
            Some("file") => {
                if files.len() >= MOST_FILES {
                    let detail = format!("An import has at most {MOST_FILES} files.");
                    return Err(Problem::bad_request(detail));
                }
                let name = field.file_name().chars().take(MOST_NAME).collect();
                files.push((name, field.bytes().await?));
            }
            Some("force") => force = field.text().await? == "true",
            _ => {}
        }
    }
    if files.is_empty() {
        let detail = "This field is required.";
        return Err(Error::field("/file", ErrorCode::Required, detail).into());
    }
    Ok((files, force))
}
