//! Addresses of pages: written, and judged before somebody is led to one.

use std::fmt::Write as _;

use crate::map::Page;

/// A path with names and values behind it. Empty values are left out.
pub fn address(path: &str, query: &[(&str, &str)]) -> String {
    let mut out = path.to_owned();
    let mut before = '?';
    for (name, value) in query.iter().filter(|(_, value)| !value.is_empty()) {
        let value = percent_encode(value);
        let _ = write!(out, "{before}{name}={value}"); // writing to a string cannot fail
        before = '&';
    }
    out
}

/// The number of a page in an address. The first page is the one without a number.
pub fn page_number(page: u32) -> String {
    if page > 1 {
        page.to_string()
    } else {
        String::new()
    }
}

/// In `?login=…`: the provider did not answer. The API has no code of its own for that.
pub const PROVIDER_AWAY: &str = "provider_away";

/// Escapes everything that has a meaning in a query value.
pub fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'/') {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}"); // writing to a string cannot fail
        }
    }
    out
}

/// True if a return path stays on this site: `//host` and `/\host` leave it in browsers. Visible ASCII, because it
/// becomes a header.
pub fn is_local_path(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains('\\')
        && path.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The path of a page that leads on to `next` afterwards. Without a `next` it leads on to the first page.
pub fn with_next(path: &str, next: &str) -> String {
    let next = if next == "/" { "" } else { next };
    address(path, &[("next", next)])
}

/// The path of the sign-in page that leads back to `path` afterwards.
pub fn sign_in_path(path: &str) -> String {
    with_next(Page::SignIn.path(), path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn return_paths_stay_on_the_site() {
        for good in ["/", "/projects/1?page=2"] {
            assert!(is_local_path(good), "{good}");
        }
        for bad in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/a\r\nb",
            "/é",
        ] {
            assert!(!is_local_path(bad), "{bad:?}");
        }
    }

    #[test]
    fn the_return_path_is_escaped() {
        assert_eq!(sign_in_path("/"), "/sign-in");
        assert_eq!(sign_in_path("/a?b=c&d"), "/sign-in?next=/a%3Fb%3Dc%26d");
    }

    #[test]
    fn values_are_escaped_and_empty_ones_left_out() {
        assert_eq!(address("/trash", &[("q", ""), ("page", "")]), "/trash");
        let query = [("q", "a&b"), ("sort", ""), ("page", &page_number(2))];
        assert_eq!(address("/trash", &query), "/trash?q=a%26b&page=2");
        assert_eq!(page_number(1), "");
    }
}
