//! The logo of a page: the picture that stands where sites have theirs.
//!
//! A picture is rated by what it is called, by what is around it, and by where its link leads. The first one of those with
//! the most counts. A page whose logo is drawn in its own markup has the icon for home screens in its place.

use super::page::{Element, Page};

/// Pictures that are looked at.
const MOST_PICTURES: usize = 60;
/// A picture that is called a logo has as much.
const ENOUGH: u32 = 3;
/// Words for rows of logos of others.
const OF_OTHERS: [&str; 6] = ["logos", "partner", "client", "sponsor", "payment", "badge"];

/// The address of the logo, as the page writes it.
pub(super) fn logo(page: &Page) -> Option<String> {
    let pictures = page.elements.iter().enumerate();
    let pictures = pictures.filter(|(_, element)| element.tag == "img");
    let pictures = pictures
        .filter(|(at, _)| !page.is_foreign(*at))
        .take(MOST_PICTURES);
    let rated = pictures.filter_map(|(at, element)| Some((rating(page, at)?, address(element)?)));
    let best = rated
        .filter(|(rating, _)| *rating >= ENOUGH)
        .reduce(|best, one| if one.0 > best.0 { one } else { best });
    best.map(|(_, address)| address)
        .or_else(|| page.icon.clone().filter(|address| is_address(address)))
}

/// Points for a picture that may be the logo; `None` for one of others.
fn rating(page: &Page, at: usize) -> Option<u32> {
    let mut rating = 0;
    let (mut is_called, mut leads_home, mut is_at_top) = (false, false, false);
    let mut chain = page.chain(at);
    if let Some(own) = chain.next() {
        let names = names(own, &["id", "class", "alt", "src", "data-src"]);
        if is_of_others(&names) {
            return None;
        }
        if names.contains("logo") {
            rating += ENOUGH;
        }
    }
    // Classes of the whole page say nothing of a picture.
    for element in chain.filter(|element| !matches!(&*element.tag, "html" | "body")) {
        let names = names(element, &["id", "class"]);
        if is_of_others(&names) {
            return None;
        }
        is_called |= names.contains("logo");
        leads_home |= is_way_home(element);
        is_at_top |= matches!(&*element.tag, "header" | "nav")
            || ["header", "navbar", "masthead", "brand"]
                .iter()
                .any(|word| names.contains(word));
    }
    Some(rating + 2 * u32::from(is_called) + 2 * u32::from(leads_home) + u32::from(is_at_top))
}

/// These attributes of an element, in small letters.
fn names(element: &Element, attributes: &[&str]) -> String {
    let values = attributes.iter().filter_map(|name| element.attribute(name));
    let values: Vec<_> = values.map(str::to_ascii_lowercase).collect();
    values.join(" ")
}

fn is_of_others(names: &str) -> bool {
    OF_OTHERS.iter().any(|word| names.contains(word))
}

/// True for a link to the first page of the site.
fn is_way_home(element: &Element) -> bool {
    let is_home = |href: &str| matches!(href.trim(), "/" | "./" | "index.html" | "/index.html");
    element.tag == "a"
        && (element.attribute("rel") == Some("home")
            || element.attribute("href").is_some_and(is_home))
}

/// The address of a picture. Those that come late have it in another attribute.
fn address(element: &Element) -> Option<String> {
    let addresses = ["src", "data-src"].iter();
    let mut addresses = addresses.filter_map(|name| element.attribute(name));
    let found = addresses.find(|address| is_address(address));
    found.map(str::to_owned)
}

/// True unless it is empty, or the picture itself.
fn is_address(address: &str) -> bool {
    let start = address.trim_start().get(..5).unwrap_or_default();
    !address.trim().is_empty() && !start.eq_ignore_ascii_case("data:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logo_is_found_where_sites_have_it() {
        for (html, expected) in [
            (
                r#"<header><a href="/"><img src=mark.svg></a></header><img class=logo src=late.png>"#,
                Some("mark.svg"),
            ),
            (
                r#"<img src=hero.jpg><footer><img src=/logo-small.png></footer><div class=site-header><a rel=home href="https://shop.example/"><img alt="Shop Logo" src=/top.png></a></div>"#,
                Some("/top.png"),
            ),
            (
                r#"<div id=logo><nav><img src="data:image/gif;base64,R0" data-src=lazy.webp></nav></div>"#,
                Some("lazy.webp"),
            ),
            (
                "<section class=client-logos><img class=logo src=a.png></section><img src=payment-logo.png>",
                None,
            ),
            (
                "<div class=cookie-bar><img class=logo src=tool.png></div><header><img src=hero.jpg></header>",
                None,
            ),
            (
                r#"<link rel="apple-touch-icon" sizes=180x180 href=/icon.png><header><svg></svg></header>"#,
                Some("/icon.png"),
            ),
            (r#"<link rel="apple-touch-icon" href="data:,">"#, None),
            ("<body class=logo><img src=any.png>", None),
            ("", None),
        ] {
            assert_eq!(logo(&Page::read(html)).as_deref(), expected, "{html}");
        }
    }
}
