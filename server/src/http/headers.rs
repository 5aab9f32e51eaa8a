//! Headers of requests (RFC 9110).

use axum::http::{
    HeaderMap,
    header::{self, AsHeaderName},
};

/// The text of a header. None if it is absent or holds more than visible ASCII.
pub fn text(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// The entries of a header that is a list, in the order of its lines (section 5.6.1).
pub fn entries(headers: &HeaderMap, name: impl AsHeaderName) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(name).into_iter();
    let texts = lines.filter_map(|line| line.to_str().ok());
    texts.flat_map(|text| text.split(',')).map(str::trim)
}

/// True if the client names this value in a header of content negotiation. A weight of nought is a refusal
/// (section 12.4.2).
pub fn takes(headers: &HeaderMap, name: impl AsHeaderName, value: &str) -> bool {
    entries(headers, name).any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let is_named = parts
            .next()
            .is_some_and(|named| named.eq_ignore_ascii_case(value));
        let is_refused = |part: &str| {
            let weight = part.strip_prefix("q=").or_else(|| part.strip_prefix("Q="));
            weight.is_some_and(|weight| weight.parse() == Ok(0.0_f32))
        };
        is_named && !parts.any(is_refused)
    })
}

/// True if a person looks at the answer, not a program.
pub fn is_of_browser(headers: &HeaderMap) -> bool {
    takes(headers, header::ACCEPT, "text/html")
}

/// True if the client has the representation with this entity tag (section 13.1.2).
pub fn has_etag(headers: &HeaderMap, etag: &str) -> bool {
    entries(headers, header::IF_NONE_MATCH)
        .any(|tag| tag == "*" || tag.trim_start_matches("W/") == etag)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: header::HeaderName, lines: &[&str]) -> HeaderMap {
        let lines = lines.iter().map(|line| line.parse().unwrap());
        lines.map(|line| (name.clone(), line)).collect()
    }

    #[test]
    fn a_weight_of_nought_refuses() {
        for (accepted, takes_it) in [
            ("br", true),
            ("gzip, BR", true),
            ("gzip; q=0, br; q=0.001", true),
            ("br;q=0", false),
            ("br ; Q=0.000", false),
            ("brotli", false),
            ("", false),
        ] {
            let headers = asked(header::ACCEPT_ENCODING, &[accepted]);
            let taken = takes(&headers, header::ACCEPT_ENCODING, "br");
            assert_eq!(taken, takes_it, "{accepted}");
        }
        let two_lines = asked(header::ACCEPT, &["image/avif", "text/html;q=0.9, */*"]);
        assert!(is_of_browser(&two_lines));
    }

    #[test]
    fn any_of_the_tags_may_fit() {
        for (known, has_it) in [
            ("\"a\"", true),
            ("\"b\", W/\"a\"", true),
            ("*", true),
            ("\"b\"", false),
            ("a", false),
        ] {
            let headers = asked(header::IF_NONE_MATCH, &[known]);
            assert_eq!(has_etag(&headers, "\"a\""), has_it, "{known}");
        }
    }
}
