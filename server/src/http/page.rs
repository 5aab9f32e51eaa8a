//! Paging headers of lists: four `X-` headers and `Link` (RFC 8288).

use axum::{
    Json,
    http::{HeaderMap, HeaderValue, Uri, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use service::db::page::{Listed, Slice};
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
    let links: Vec<_> = relations(list)
        .into_iter()
        .map(|(relation, page)| (relation, address(uri, base_url, page)))
        .collect();
    set_links(&mut headers, &links);
    headers
}

/// Answers a slice as a bare array with its headers. `cursor` gives the `after`
/// with which the list continues behind an entry.
pub fn answer_slice<T: Serialize>(
    uri: &Uri,
    base_url: &str,
    slice: &Slice<T>,
    cursor: impl FnOnce(&T) -> String,
) -> Response {
    let links = links_of_slice(uri, base_url, slice, cursor);
    (headers_of_slice(slice, &links), Json(&slice.items)).into_response()
}

/// Links to the first slice of a list and to the next one, by relation.
pub fn links_of_slice<T>(
    uri: &Uri,
    base_url: &str,
    slice: &Slice<T>,
    cursor: impl FnOnce(&T) -> String,
) -> Vec<(&'static str, String)> {
    let place = ["page", "after"];
    let mut links = vec![("first", with(uri, base_url, &place, None))];
    if let Some(last) = slice.items.last().filter(|_| slice.more) {
        let after = cursor(last);
        links.push(("next", with(uri, base_url, &place, Some(("after", &after)))));
    }
    links
}

/// The headers of a slice: nothing is counted.
pub fn headers_of_slice<T>(slice: &Slice<T>, links: &[(&'static str, String)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("x-per-page", HeaderValue::from(slice.size));
    set_links(&mut headers, links);
    headers
}

fn set_links(headers: &mut HeaderMap, links: &[(&'static str, String)]) {
    let links: Vec<String> = links
        .iter()
        .map(|(relation, address)| format!("<{address}>; rel=\"{relation}\""))
        .collect();
    if let Ok(value) = HeaderValue::from_str(&links.join(", ")) {
        headers.insert(header::LINK, value);
    }
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
