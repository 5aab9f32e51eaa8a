//! The preferences of the visitor.

use leptos::prelude::*;

use crate::address::sign_in_path;
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
