//! The cookies of the admin UI, written and read in one place.
//!
//! The session cookie holds the same token as the API's and serves pages and `/ui/` only. On
//! https it has the `__Host-` prefix, which binds it to this host and to secure connections.

use cookie::time::Duration;
use cookie::{Cookie, SameSite};
use http::HeaderMap;
use http::header::{COOKIE, HeaderValue, InvalidHeaderValue, SET_COOKIE};
use leptos::prelude::*;

/// True if the base URL is https; the server provides it in context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Secure(pub bool);

/// Name of the session cookie.
pub fn session_name(Secure(secure): Secure) -> &'static str {
    if secure {
        "__Host-placet_session"
    } else {
        "placet_session"
    }
}

/// Name of the cookie that binds a login by a provider to its browser; it authenticates nothing.
pub fn login_name(Secure(secure): Secure) -> &'static str {
    if secure {
        "__Host-placet_login"
    } else {
        "placet_login"
    }
}

/// Cookies of look and language; they outlive the session.
pub const THEME: &str = "placet_theme";
pub const LANGUAGE: &str = "placet_language";
/// The message of a form without script, for the page that it leads back to.
pub const FLASH: &str = "placet_flash";

const YEAR: i64 = 365 * 86_400;

/// The value of a cookie of the request, unescaped. Its name is compared as it came: browsers keep other hosts from
/// setting `__Host-`, and let them set `__%48ost-`.
pub fn read(headers: &HeaderMap, name: &str) -> Option<String> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|header| header.to_str().ok())
        .flat_map(Cookie::split_parse)
        .flatten()
        .find(|cookie| cookie.name() == name)
        .and_then(|cookie| Cookie::parse_encoded(format!("value={}", cookie.value())).ok())
        .map(|cookie| cookie.value().to_owned())
}

/// The header that sets a cookie; its value is escaped.
pub fn header(
    name: &str,
    value: &str,
    seconds: i64,
    Secure(secure): Secure,
) -> Result<HeaderValue, InvalidHeaderValue> {
    let cookie = Cookie::build((name, value))
        .path("/")
        .max_age(Duration::seconds(seconds))
        .http_only(true)
        .same_site(SameSite::Lax)
        .secure(secure)
        .build();
    HeaderValue::from_str(&cookie.encoded().to_string())
}

/// Starts a session for the token's lifetime.
pub fn start_session(token: &str, seconds: i64) {
    set(session_name(policy()), token, seconds);
}

pub fn end_session() {
    set(session_name(policy()), "", 0);
}

/// Keeps a preference for a year; an empty value forgets it.
pub fn prefer(name: &str, value: &str) {
    set(name, value, if value.is_empty() { 0 } else { YEAR });
}

/// Keeps a message for the next page.
pub fn flash(json: &str) {
    set(FLASH, json, if json.is_empty() { 0 } else { 60 });
}

fn policy() -> Secure {
    use_context().unwrap_or_default()
}

fn set(name: &str, value: &str, max_age: i64) {
    let Some(response) = use_context::<leptos_axum::ResponseOptions>() else {
        return;
    };
    // Escaped values are always valid; a name of ours is too.
    if let Ok(header) = header(name, value, max_age, policy()) {
        response.append_header(SET_COOKIE, header);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_one_of_many_cookies_and_unescapes_it() {
        let mut headers = HeaderMap::new();
        headers.insert(
            COOKIE,
            HeaderValue::from_static("a=1; placet_flash=%7B%22a%22%3A1%7D; b=2"),
        );
        assert_eq!(read(&headers, FLASH).as_deref(), Some("{\"a\":1}"));
        assert_eq!(read(&headers, "c"), None);
    }

    #[test]
    fn a_name_is_not_unescaped() {
        let mut headers = HeaderMap::new();
        let cookies = "__%48ost-placet_session=theirs; __Host-placet_session=own";
        headers.insert(COOKIE, HeaderValue::from_static(cookies));
        let name = session_name(Secure(true));
        assert_eq!(read(&headers, name).as_deref(), Some("own"));
    }

    #[test]
    fn a_cookie_is_read_as_it_was_set() {
        let text = "{\"naïve\": \"100 %; a=b\"}";
        let set = header(FLASH, text, 60, Secure(true)).unwrap();
        let (pair, attributes) = set.to_str().unwrap().split_once("; ").unwrap();
        assert_eq!(
            attributes,
            "HttpOnly; SameSite=Lax; Secure; Path=/; Max-Age=60"
        );
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, pair.parse().unwrap());
        assert_eq!(read(&headers, FLASH).as_deref(), Some(text));
    }
}
