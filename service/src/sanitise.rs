//! Makes the HTML of tenants harmless.

use std::{collections::HashSet, fmt, sync::LazyLock};

use ammonia::Builder;
use askama::filters::HtmlSafe;
use domain::html::{ELEMENTS, SCHEMES, SILENT};

static ALLOWED: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder
        .tags(HashSet::from(ELEMENTS))
        .add_tag_attributes("a", ["href"])
        .url_schemes(HashSet::from(SCHEMES))
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer"))
        .add_clean_content_tags(SILENT);
    builder
});

static PLAIN: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    builder.add_clean_content_tags(SILENT);
    builder
});

/// HTML that can do no harm. Only [`html`] makes it, so a template may write it as it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sanitised(String);

/// Leaves the text alone, as plain text: not to be written into HTML as it stands.
pub(crate) fn text(html: &str) -> String {
    let escaped = PLAIN.clean(html).to_string();
    // The serialiser writes these four, and the last must not make another one.
    let marks = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", "\u{a0}"),
        ("&amp;", "&"),
    ];
    marks
        .iter()
        .fold(escaped, |text, (mark, plain)| text.replace(mark, plain))
}

/// Keeps only the elements of [`domain::html`], and of attributes addresses that links may lead to. Cleaning its
/// result again takes links out of links and paragraphs out of paragraphs, as browsers do, and
/// changes nothing else.
pub(crate) fn html(text: &str) -> Sanitised {
    Sanitised(ALLOWED.clean(text).to_string())
}

const LINK: &str = "<a ";
/// A link that an element with the id `nt` describes: it says that a new tab opens.
const LINK_TO_TAB: &str = "<a target=_blank aria-describedby=nt ";

impl Sanitised {
    /// With links that open a new tab, but for those that write an e-mail.
    pub(crate) fn in_new_tabs(self) -> Self {
        // Neither texts nor addresses have a `<` left, so links alone change.
        let mut links = self.0.split(LINK);
        let first = links.next().unwrap_or_default().to_owned();
        Self(links.fold(first, |html, link| {
            let is_mail = link.starts_with("href=\"mailto:");
            html + if is_mail { LINK } else { LINK_TO_TAB } + link
        }))
    }

    /// True if one of its links opens a new tab.
    pub(crate) fn opens_tabs(&self) -> bool {
        self.0.contains(LINK_TO_TAB)
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
    fn plain_text_is_that_of_browsers() {
        for (html, plain) in [
            ("<p>Hi <b>you</b><script>no()</script></p>", "Hi you"),
            ("a &lt; b &amp;amp; c", "a < b &amp; c"),
            ("1 < 2", "1 < 2"),
        ] {
            assert_eq!(text(html), plain);
        }
    }

    #[test]
    fn cleaning_again_makes_what_browsers_make() {
        let (one, two) = ("href=\"https://a.example\"", "href=\"https://b.example\"");
        let rel = "rel=\"noopener noreferrer\"";
        let dirty = format!("<a {one}><object><a {two}>b</a></object></a>");
        let nested = format!("<a {one} {rel}><a {two} {rel}>b</a></a>");
        let flat = format!("<a {one} {rel}></a><a {two} {rel}>b</a>");
        for (text, clean) in [(&dirty, &nested), (&nested, &flat), (&flat, &flat)] {
            assert_eq!(&String::from(html(text)), clean);
        }
    }

    #[test]
    fn only_links_get_new_tabs() {
        let href = "href=\"https://a.example/?&lt;a b\" rel=\"noopener noreferrer\"";
        let tabs = |text| html(text).in_new_tabs();
        let link = tabs("&lt;a <a href='https://a.example/?<a b'>x</a>");
        assert!(link.opens_tabs());
        assert_eq!(
            String::from(link),
            format!("&lt;a <a target=_blank aria-describedby=nt {href}>x</a>")
        );
        let mail = tabs("Write <a href='mailto:a@shop.example'>us</a>");
        assert!(!mail.opens_tabs());
        assert!(String::from(mail).contains("<a href=\"mailto:a@shop.example\""));
    }

    #[test]
    fn publishing_keeps_the_links_that_editors_make() {
        let parts = [
            "a", "example", ".", ":", "/", "@", "[", "]", "::1", "1", "80", "65536", "%", " ",
            "\\", "é", "#", "?", "_", "-",
        ];
        let mut chance = fastrand::Rng::with_seed(7);
        let mut kept = 0;
        for round in 0..40_000 {
            let length = chance.usize(1..6);
            let written: String = (0..length)
                .map(|_| parts[chance.usize(..parts.len())])
                .collect();
            let address = match round % 3 {
                0 => Some(format!("https://{written}")),
                1 => Some(format!("mailto:{written}")),
                _ => domain::html::address_of(&written),
            };
            let Some(address) = address.filter(|it| domain::html::may_lead_to(it)) else {
                continue;
            };
            kept += 1;
            let link = format!("<a href=\"{address}\">x</a>");
            assert!(String::from(html(&link)).contains("href"), "{address}");
        }
        assert!(kept > 5_000, "{kept}");
    }

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
