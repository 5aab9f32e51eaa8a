//! Addresses that pages lead to or load from.

use std::fmt;

use super::markup::Target;

/// An address of the web: `javascript:` is none.
#[derive(Clone, Copy)]
pub(super) struct WebAddress<'a>(&'a str);

impl<'a> WebAddress<'a> {
    pub(super) fn of(url: Option<&'a str>) -> Option<Self> {
        url.filter(|url| domain::format::is_http_url(url)).map(Self)
    }
}

impl fmt::Display for WebAddress<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Target for WebAddress<'_> {}

/// A link to a privacy policy.
pub(super) struct Policy<'a> {
    pub(super) url: WebAddress<'a>,
    /// Title of the service that it is of, if it is of one.
    pub(super) service: Option<&'a str>,
}
