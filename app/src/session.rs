//! The preferences of the visitor.

use std::fmt::Write as _;

use leptos::prelude::*;

use crate::i18n::Locale;

/// The two schemes; without one, the browser's preference holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
}

impl Theme {
    pub fn code(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub fn parse(code: &str) -> Option<Self> {
        [Self::Light, Self::Dark]
            .into_iter()
            .find(|theme| theme.code() == code)
    }
}

/// Look and language for this person; kept in cookies, so that they need no account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preferences {
    pub locale: Locale,
    pub theme: Option<Theme>,
}

impl Preferences {
    /// On the server they are in the request's context; in the browser they are on `<html>`,
    /// where the server wrote them.
    pub fn of_this_page() -> Self {
        if cfg!(feature = "ssr") {
            return use_context().unwrap_or_default();
        }
        let attribute = |name| {
            document()
                .document_element()
                .and_then(|html| html.get_attribute(name))
                .unwrap_or_default()
        };
        Self {
            locale: Locale::parse(&attribute("lang")).unwrap_or_default(),
            theme: Theme::parse(&attribute("data-theme")),
        }
    }
}

/// The path of the sign-in page that leads back to `path` afterwards.
pub fn sign_in_path(path: &str) -> String {
    if path == "/" || path.is_empty() {
        return "/sign-in".to_owned();
    }
    format!("/sign-in?next={}", percent_encode(path))
}

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

/// True if a return path stays on this site: `//host` and `/\host` leave it in browsers.
pub fn is_local_path(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains('\\')
        && !path.bytes().any(|byte| byte.is_ascii_control())
}

/// In the browser, leads to the sign-in page and back; the server has redirected before.
pub fn sign_in_again() {
    if cfg!(feature = "ssr") {
        return;
    }
    let location = window().location();
    let here = format!(
        "{}{}",
        location.pathname().unwrap_or_default(),
        location.search().unwrap_or_default()
    );
    let _ = location.assign(&sign_in_path(&here));
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
        ] {
            assert!(!is_local_path(bad), "{bad:?}");
        }
    }

    #[test]
    fn the_return_path_is_escaped() {
        assert_eq!(sign_in_path("/"), "/sign-in");
        assert_eq!(sign_in_path("/a?b=c&d"), "/sign-in?next=/a%3Fb%3Dc%26d");
    }
}
