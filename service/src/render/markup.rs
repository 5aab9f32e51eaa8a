//! The rules of templates in `service/templates`. They escape every value but those whose type is
//! `HtmlSafe`: numbers, [`Script`], and [`crate::sanitise::Sanitised`].

use std::fmt::{self, Display};

use askama::filters::{Escaper, Html, HtmlSafe};
use uuid::Uuid;

/// Values without white space, quotes and characters that mean something in HTML. Inside a tag,
/// they alone stand without quotes.
pub(super) trait Bare: Display {}

impl Bare for u32 {}
impl Bare for usize {}
impl Bare for Uuid {}
impl<T: Bare + ?Sized> Bare for &T {}

/// Values that may begin an `href` or `src`.
pub(super) trait Target: Display {}

impl<T: Target + ?Sized> Target for &T {}

/// The filters of the templates.
#[expect(
    clippy::inline_always,
    clippy::unnecessary_wraps,
    clippy::unused_self,
    reason = "askama makes methods of them, which may fail"
)]
pub(super) mod filters {
    use askama::{Values, filters::HtmlSafeOutput};

    use super::{Bare, Target};

    /// For values inside a tag that stand without quotes.
    #[askama::filter_fn]
    pub fn bare<T: Bare>(value: T, _: &dyn Values) -> askama::Result<HtmlSafeOutput<T>> {
        Ok(HtmlSafeOutput(value))
    }

    /// For values at the beginning of an `href` or `src`. They are escaped.
    #[askama::filter_fn]
    pub fn target<T: Target>(value: T, _: &dyn Values) -> askama::Result<T> {
        Ok(value)
    }
}

/// Script that does not leave its element.
pub(super) struct Script(String);

impl Script {
    /// `None` of text that ends the element, or that changes how browsers look for its end.
    pub(super) fn new(text: String) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        let leaves = lower.contains("</script") || lower.contains("<!--");
        (!leaves).then_some(Self(text))
    }
}

impl Display for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Script {}

/// Text as HTML, for data that the SDK puts between tags.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    // Writing into memory does not fail.
    let _ = Html.write_escaped_str(&mut escaped, text);
    escaped
}
