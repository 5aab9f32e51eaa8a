//! Makes the HTML of tenants harmless when it is published.

use std::{collections::HashSet, sync::LazyLock};

use ammonia::Builder;

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

/// Only `b i em strong u br p ul ol li` and `a[href]` with http, https or mailto.
pub(super) fn html(text: &str) -> String {
    ALLOWED.clean(text).to_string()
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
            assert_eq!(html(dirty), clean);
        }
    }
}
