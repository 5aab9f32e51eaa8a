//! Drawings of ours: three paths each, on a disc, in the colour of the text around.

use askama::Template;
use domain::documents::Illustration;

/// A drawing on a square of 48. Pages and boxes include its template.
#[derive(Template)]
#[template(path = "widget/illustration.html")]
pub(super) struct Drawing {
    /// Areas with a light filling and an edge.
    pub soft: &'static str,
    /// Lines.
    pub line: &'static str,
    /// Filled areas without an edge.
    pub dot: &'static str,
}

impl Drawing {
    /// The drawing that a document names in place of a picture.
    pub(super) fn named(picture: Option<&str>) -> Option<Self> {
        let [soft, line, dot] = paths(Illustration::named(picture?)?);
        Some(Self { soft, line, dot })
    }
}

/// The paths of a drawing: areas with a light filling and an edge, lines, and filled areas without an edge.
#[rustfmt::skip]
pub fn paths(illustration: Illustration) -> [&'static str; 3] {
    match illustration {
        Illustration::Cookie => [
            "M24 11.5A12.5 12.5 0 1 0 36.5 24a5.2 5.2 0 0 1-5.7-4.8 5.2 5.2 0 0 1-5-5.2 3 3 0 0 1-1.8-2.5z",
            "",
            "M17.3 20a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0zM15.8 27.5a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0zM22.8 25a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0zM21.8 32a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0zM29.3 27.5a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0z",
        ],
        Illustration::Shield => [
            "M24 10.5l11 4v8.5c0 7-4.6 11.8-11 14.5-6.4-2.7-11-7.5-11-14.5v-8.5z",
            "M19 24l3.6 3.6L29.5 20.5",
            "",
        ],
        Illustration::Lock => [
            "M16.5 21.5h15a3 3 0 0 1 3 3v9a3 3 0 0 1-3 3h-15a3 3 0 0 1-3-3v-9a3 3 0 0 1 3-3z",
            "M17.5 21.5V18a6.5 6.5 0 0 1 13 0v3.5M24 28v4",
            "M22.1 27.5a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0-3.8 0z",
        ],
        Illustration::Key => [
            "M11 30a7 7 0 1 0 14 0a7 7 0 1 0-14 0z",
            "M23 25L36 12M32 16l4 4M28 20l3 3",
            "M14.8 31.5a1.7 1.7 0 1 0 3.4 0a1.7 1.7 0 1 0-3.4 0z",
        ],
        Illustration::Hand => [
            "M16.8 27.2V17a2.1 2.1 0 0 1 4.2 0v-2.8a2.1 2.1 0 0 1 4.2 0v2a2.1 2.1 0 0 1 4.2 0v3a2.1 2.1 0 0 1 4.2 0v8.2c0 5.6-3.7 9.4-8.6 9.4-3.6 0-6-1.6-7.9-4.7l-4-6.4a2.2 2.2 0 0 1 3.6-2.5z",
            "M21 17v6.5M25.2 16.2v7.3M29.4 19.2v4.3",
            "",
        ],
        Illustration::Eye => [
            "M10.5 24c3.4-6 8-9 13.5-9s10.1 3 13.5 9c-3.4 6-8 9-13.5 9s-10.1-3-13.5-9z",
            "M19.5 24a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z",
            "M22.2 24a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0z",
        ],
        Illustration::Leaf => [
            "M16 33.5C10.5 24 17 12.5 36 12.5c1 17-9.5 25-20 21z",
            "M12 37c3-7.5 8-12.5 15-16",
            "",
        ],
        Illustration::Mountain => [
            "M10.5 35.5L20 18.5l5.5 9.5 3.5-5.5 8.5 13z",
            "M29.7 15a2.8 2.8 0 1 0 5.6 0a2.8 2.8 0 1 0-5.6 0zM17.2 23.5l2.8 2.5 2.8-2.5",
            "",
        ],
        Illustration::Cup => [
            "M12.5 20.5h18.5v7.5a8.5 8.5 0 0 1-8.5 8.5h-1.5a8.5 8.5 0 0 1-8.5-8.5z",
            "M31 22.5h2.2a3.7 3.7 0 0 1 0 7.5H31M18.5 16.5c-1.600-2 1.600-3 0-5M25 16.5c-1.600-2 1.600-3 0-5",
            "",
        ],
        Illustration::Letter => [
            "M14 15h20a3 3 0 0 1 3 3v12.5a3 3 0 0 1-3 3h-20a3 3 0 0 1-3-3v-12.5a3 3 0 0 1 3-3z",
            "M12 17.5l12 9 12-9",
            "",
        ],
        Illustration::Cart => [
            "M14.4 18h21l-3 10.5H16.8z",
            "M10 13h3.2l3.6 15.5h14.4",
            "M17.3 33.5a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0zM27.3 33.5a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0-4.4 0z",
        ],
        Illustration::Compass => [
            "M29.5 18.5l-3.3 7.7-7.7 3.3 3.3-7.7z",
            "M11 24a13 13 0 1 0 26 0a13 13 0 1 0-26 0z",
            "M22.7 24a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0-2.6 0z",
        ],
        Illustration::Heart => [
            "M24 36C16 30.5 11.5 25.8 11.5 20a6.6 6.6 0 0 1 12.5-3 6.6 6.6 0 0 1 12.5 3c0 5.8-4.5 10.5-12.5 16z",
            "",
            "",
        ],
        Illustration::House => [
            "M13.5 21.5V34a2.5 2.5 0 0 0 2.5 2.5h16a2.5 2.5 0 0 0 2.5-2.5V21.5L24 12.5z",
            "M10.5 24L24 12.5 37.5 24M20.5 36.5V28h7v8.5",
            "",
        ],
        Illustration::Sun => [
            "M17.5 24a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0z",
            "M24 10.5v3M24 34.5v3M10.5 24h3M34.5 24h3M14.5 14.5l2.1 2.1M31.4 31.4l2.1 2.1M33.5 14.5l-2.1 2.1M16.6 31.4l-2.1 2.1",
            "",
        ],
        Illustration::Moon => [
            "M35.5 28.5A12.5 12.5 0 1 1 19.5 12.5a10 10 0 0 0 16 16z",
            "M31 13v5M28.5 15.5h5",
            "",
        ],
        Illustration::Cloud => [
            "M17.5 33.5a6.3 6.3 0 0 1-.6-12.6 8.8 8.8 0 0 1 16.9 2.2 5.3 5.3 0 0 1-1.3 10.4z",
            "",
            "",
        ],
        Illustration::Bell => [
            "M13.5 32c2.6-2.2 3.3-5 3.3-9.5a7.2 7.2 0 0 1 14.4 0c0 4.5.7 7.3 3.3 9.5z",
            "M21.2 35.5a3 3 0 0 0 5.6 0M24 15.3V12",
            "",
        ],
        Illustration::Book => [
            "M24 17c-3-2-6.8-2.5-12.5-2.5V33c5.7 0 9.5.5 12.5 2.5 3-2 6.8-2.5 12.5-2.5V14.5c-5.7 0-9.5.5-12.5 2.5z",
            "M24 17v18.5M15.5 20c2 .1 3.5.4 5 .9M15.5 25.5c2 .1 3.5.4 5 .9",
            "",
        ],
        Illustration::Camera => [
            "M11 20.5a3 3 0 0 1 3-3h4l2-4h8l2 4h4a3 3 0 0 1 3 3V32a3 3 0 0 1-3 3H14a3 3 0 0 1-3-3z",
            "M19 26a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
            "M31.4 21.7a1.1 1.1 0 1 0 2.2 0a1.1 1.1 0 1 0-2.2 0z",
        ],
        Illustration::Gift => [
            "M15.5 23h17a2 2 0 0 1 2 2v9.5a2 2 0 0 1-2 2h-17a2 2 0 0 1-2-2v-9.5a2 2 0 0 1 2-2z",
            "M13 18h22a1.5 1.5 0 0 1 1.5 1.5v2a1.5 1.5 0 0 1-1.5 1.5h-22a1.5 1.5 0 0 1-1.5-1.5v-2a1.5 1.5 0 0 1 1.5-1.5zM24 18v18.5M24 18c-6.5 0-8.5-6-5-6.5 2.7-.4 5 3 5 6.5zM24 18c6.5 0 8.5-6 5-6.5-2.7-.4-5 3-5 6.5z",
            "",
        ],
        Illustration::Pin => [
            "M24 37.5c-7-6.3-10.8-11.6-10.8-16.5a10.8 10.8 0 0 1 21.6 0c0 4.9-3.8 10.2-10.8 16.5z",
            "M20 21a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
            "",
        ],
        Illustration::Sliders => [
            "M25 16.5a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0zM16.6 24a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0zM25 31.5a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0-6.4 0z",
            "M12 16.5h13M31.5 16.5H36M12 24h4.5M23 24h13M12 31.5h13M31.5 31.5H36",
            "",
        ],
        Illustration::Speech => [
            "M14 13.5h20a3 3 0 0 1 3 3V28a3 3 0 0 1-3 3H23.5l-6.5 5.5V31h-3a3 3 0 0 1-3-3V16.5a3 3 0 0 1 3-3z",
            "M17 20h14M17 24.5h8.5",
            "",
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawings_are_small_and_differ() {
        let drawn =
            |one: &Illustration| Drawing::named(Some(&one.address())).map(|one| one.to_string());
        let mut all: Vec<String> = Illustration::ALL.iter().filter_map(drawn).collect();
        assert_eq!(all.len(), 24);
        for svg in &all {
            assert!(
                svg.len() < 1_500 && svg.contains("currentColor") && svg.ends_with("</svg>"),
                "{svg}"
            );
        }
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 24);
        assert!(Drawing::named(Some("https://shop.example/a.png")).is_none());
    }
}
