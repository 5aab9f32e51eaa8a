//! Paging headers of lists: four `X-` headers and `Link` (RFC 8288).

use axum::{
    Json,
    http::{HeaderMap, HeaderValue, Uri, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use service::db::page::Listed;
use url::form_urlencoded;

use super::params::Params;

/// Answers a page as a bare array with its headers.
pub fn answer<T: Serialize>(uri: &Uri, base_url: &str, list: &Listed<T>) -> Response {
    (headers(uri, base_url, list), Json(&list.items)).into_response()
}

/// The paging headers of a page.
pub fn headers<T>(uri: &Uri, base_url: &str, list: &Listed<T>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("x-page", HeaderValue::from(list.page.number));
    headers.insert("x-per-page", HeaderValue::from(list.page.size));
    headers.insert("x-last-page", HeaderValue::from(list.last_page()));
    headers.insert("x-total-count", HeaderValue::from(list.total));
    let links: Vec<String> = relations(list)
        .into_iter()
        .map(|(relation, page)| format!("<{}>; rel=\"{relation}\"", address(uri, base_url, page)))
        .collect();
    if let Ok(value) = HeaderValue::from_str(&links.join(", ")) {
        headers.insert(header::LINK, value);
    }
    headers
}

/// Which pages can be linked from this one.
pub fn relations<T>(list: &Listed<T>) -> Vec<(&'static str, u64)> {
    let (page, last) = (u64::from(list.page.number), list.last_page());
    let mut relations = vec![("first", 1)];
    if page > 1 {
        relations.push(("prev", (page - 1).min(last)));
    }
    if page < last {
        relations.push(("next", page + 1));
    }
    relations.push(("last", last));
    relations
}

/// The absolute address of a page of this list, without the access token.
pub fn address(uri: &Uri, base_url: &str, page: u64) -> String {
    with(uri, base_url, &["page"], Some(("page", &page.to_string())))
}

/// The absolute address of this list with other parameters, without the access token.
pub fn with(uri: &Uri, base_url: &str, less: &[&str], more: Option<(&str, &str)>) -> String {
    let params = Params::parse(uri.query().unwrap_or_default());
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(params.pairs().filter(|(key, _)| !less.contains(key)));
    query.extend_pairs(more);
    let query = query.finish();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{base_url}{}{mark}{query}", uri.path())
}
