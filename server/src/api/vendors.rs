//! `/v1/vendors`: the catalogue.

use axum::{
    Json,
    extract::{OriginalUri, State},
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use service::{
    db::page::Page,
    vendors::{Category, Company, Embed, Field, Filter, ListQuery, Sort, Vendor, language},
};

use crate::{
    http::{
        actor::Caller,
        page,
        params::{PageParams, Params},
        path::{Path, SolutionPath},
        problem::{Problem, Result},
    },
    state::AppState,
};

/// List the services of the catalogue
#[utoipa::path(get, path = "/v1/vendors/solutions", tag = "vendors", operation_id = "vendors.list",
    params(
        ("data.__enable[bool]" = Option<bool>, Query, description = "Only entries that can be chosen, or cannot"),
        ("data.deprecated[bool]" = Option<bool>, Query, description = "Only entries that are closed or gone, or are not"),
        ("embed" = Option<Vec<String>>, Query, description = "`categories`, `company`: objects instead of ids; repeatable", example = json!(["categories", "company"])),
        PageParams,
        ("sort" = Option<String>, Query, description = "`title` (default), `name` or `id`; `-` before it for descending"),
        ("q" = Option<String>, Query, description = "Only entries in whose title, name, company or domains every word occurs; case and accents do not count"),
        ("lang" = Option<String>, Query, description = "Language of descriptions and categories, one of those of the widget; others get English"),
        ("data.name" = Option<String>, Query, description = "Only this name; `data.name[in]=a,b` for several. So too `data.title`, `data.categories` and `data.company` (id or name), `data.domains`"),
    ),
    responses((status = 200, description = "A page of entries; the `X-` headers and `Link` say which.", body = [Vendor])))]
pub async fn list(
    State(state): State<AppState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let query = query(&params)?;
    let vendors = &state.placet.vendors;
    let list = vendors.list(caller.actor(), &query).await?;
    let answer = page::answer(&uri, &state.placet.config.base_url, &list);
    Ok(in_language(&query.language, answer))
}

/// Read a service of the catalogue
#[utoipa::path(get, path = "/v1/vendors/solutions/{solutionId}", tag = "vendors", operation_id = "vendors.read",
    params(
        SolutionPath,
        ("embed" = Option<Vec<String>>, Query, description = "`categories`, `company`: objects instead of ids; repeatable"),
        ("lang" = Option<String>, Query, description = "Language of descriptions and categories"),
    ),
    responses((status = 200, description = "The entry.", body = Vendor)))]
pub async fn read(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<SolutionPath>,
    params: Params,
) -> Result<Response> {
    let vendors = &state.placet.vendors;
    let lang = params.get("lang").unwrap_or_default();
    let found = vendors
        .lookup(caller.actor(), path.solution_id, embed(&params)?, lang)
        .await?
        .ok_or_else(Problem::not_found)?;
    Ok(in_language(lang, Json(found).into_response()))
}

/// List the categories of the catalogue
#[utoipa::path(get, path = "/v1/vendors/categories", tag = "vendors", operation_id = "vendors.categories",
    params(
        ("page" = Option<u32>, Query, description = "From 1", minimum = 1),
        ("perPage" = Option<u32>, Query, description = "At most 100, which is the default here", minimum = 1),
        ("lang" = Option<String>, Query, description = "Language of titles and descriptions"),
    ),
    responses((status = 200, description = "The categories.", body = [Category])))]
pub async fn categories(
    State(state): State<AppState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let mut page = params.page()?;
    if params.get("perPage").is_none() {
        // A few dozen at most: nobody should have to page through them.
        page.size = Page::MAX_SIZE;
    }
    let lang = params.get("lang").unwrap_or_default();
    let list = state.placet.vendors.categories(caller.actor(), page, lang);
    let answer = page::answer(&uri, &state.placet.config.base_url, &list);
    Ok(in_language(lang, answer))
}

/// List the companies of the catalogue
#[utoipa::path(get, path = "/v1/vendors/companies", tag = "vendors", operation_id = "vendors.companies",
    params(
        PageParams,
        ("q" = Option<String>, Query, description = "Only companies in whose name every word occurs"),
    ),
    responses((status = 200, description = "A page of companies, by name.", body = [Company])))]
pub async fn companies(
    State(state): State<AppState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    params: Params,
) -> Result<Response> {
    let vendors = &state.placet.vendors;
    let text = params.get("q").unwrap_or_default();
    let list = vendors
        .companies(caller.actor(), text, params.page()?)
        .await?;
    Ok(page::answer(&uri, &state.placet.config.base_url, &list))
}

fn in_language(asked: &str, mut answer: Response) -> Response {
    let language = HeaderValue::from_static(language(asked));
    answer
        .headers_mut()
        .insert(header::CONTENT_LANGUAGE, language);
    answer
}

fn embed(params: &Params) -> Result<Embed> {
    let mut embed = Embed::default();
    for what in params.all("embed").flat_map(|list| list.split(',')) {
        match what {
            "categories" => embed.categories = true,
            "company" => embed.company = true,
            "" => {}
            _ => {
                return Err(Problem::bad_request(
                    "`embed` is `categories` or `company`.",
                ));
            }
        }
    }
    Ok(embed)
}

fn query(params: &Params) -> Result<ListQuery> {
    let sort = params.get("sort").map(|text| {
        Sort::parse(text).ok_or_else(|| {
            Problem::bad_request(
                "`sort` is `title`, `name` or `id`, with `-` before it for descending.",
            )
        })
    });
    let mut query = ListQuery {
        page: params.page()?,
        sort: sort.transpose()?.unwrap_or_default(),
        text: params.get("q").unwrap_or_default().to_owned(),
        embed: embed(params)?,
        language: params.get("lang").unwrap_or_default().to_owned(),
        ..ListQuery::default()
    };
    for (key, value) in params.pairs() {
        let Some(name) = key.strip_prefix("data.") else {
            continue;
        };
        let (field, operator) = match name.split_once('[') {
            Some((field, operator)) => (field, operator.strip_suffix(']').unwrap_or("?")),
            None => (name, "eq"),
        };
        match (field, operator) {
            ("__enable", "bool" | "eq") => query.enabled = Some(flag(key, value)?),
            ("deprecated", "bool" | "eq") => query.deprecated = Some(flag(key, value)?),
            (field, "eq" | "in") => {
                let field = Field::parse(field).ok_or_else(|| unknown(key))?;
                let one_of = match operator {
                    "in" => Params::several(key, value)?,
                    _ => vec![value],
                };
                let one_of = one_of.into_iter().map(str::to_owned).collect();
                query.filters.push(Filter { field, one_of });
            }
            _ => return Err(unknown(key)),
        }
    }
    Ok(query)
}

fn flag(key: &str, value: &str) -> Result<bool> {
    value
        .parse()
        .map_err(|_| Problem::bad_request(format!("`{key}` must be true or false.")))
}

fn unknown(key: &str) -> Problem {
    Problem::bad_request(format!("`{key}` is no filter of the catalogue."))
}
