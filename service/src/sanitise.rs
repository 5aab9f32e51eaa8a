//! Makes the HTML of tenants harmless.

use std::{collections::HashSet, fmt, sync::LazyLock};

use ammonia::Builder;
use askama::filters::HtmlSafe;

static ALLOWED: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from([
            "a", "b", "i", "em", "strong", "u", "br", "p", "ul", "ol", "li",
        ]))
        .add_tag_attributes("a", ["href"])
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer"))
        .add_clean_content_tags(["script", "style"]);
    builder
});

/// HTML that can do no harm. Only [`html`] makes it, so a template may write it as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sanitised(String);

/// Keeps only `b i em strong u br p ul ol li` and `a[href]` with http, https or mailto. Cleaning its
/// result again changes nothing.
pub(crate) fn html(text: &str) -> Sanitised {
    Sanitised(ALLOWED.clean(text).to_string())
}

impl Sanitised {
    /// With links that open a new tab.
    pub(crate) fn in_new_tabs(self) -> Self {
        // Texts have no `<` left, so links alone change.
        Self(self.0.replace("<a ", "<a target=_blank "))
    }
}

impl fmt::Display for Sanitised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl HtmlSafe for Sanitised {}

impl From<Sanitised> for String {
    fn from(html: Sanitised) -> Self {
        html.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_few_and_drops_the_rest() {
        for (dirty, clean) in [
            (
                "<p>We <b>use</b> cookies<br>",
                "<p>We <b>use</b> cookies<br></p>",
            ),
            ("<script>alert(1)</script>x<style>p{}</style>", "x"),
            ("<img src=x onerror=alert(1)>y", "y"),
            ("<p style='color:red' class=a onclick=b>z</p>", "<p>z</p>"),
            (
                "<a href='javascript:alert(1)'>a</a>",
                "<a rel=\"noopener noreferrer\">a</a>",
            ),
            (
                "<a href='/relative'>a</a>",
                "<a rel=\"noopener noreferrer\">a</a>",
            ),
            (
                "<a href='https://a.example'>a</a>",
                "<a href=\"https://a.example\" rel=\"noopener noreferrer\">a</a>",
            ),
            (
                "<iframe srcdoc='<script>1</script>'></iframe>1 < 2",
                "1 &lt; 2",
            ),
        ] {
            assert_eq!(String::from(html(dirty)), clean);
            assert_eq!(String::from(html(clean)), clean);
        }
    }
}
