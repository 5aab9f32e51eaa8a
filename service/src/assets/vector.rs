//! Vector pictures (SVG), drawn once at upload. The drawing is stored and served, so no markup of the file
//! reaches a browser.
//!
//! A short SVG can ask for endless work. Elements that draw other parts again (`use`, masks, patterns,
//! filters, clip paths) are counted and must not contain each other, so the work stays below the square of
//! the file's size. Numbers can ask for endless work too (octaves of noise, radii, dashes), so drawing runs
//! in a process with limits ([`super::drawing`]).

use std::collections::HashSet;

use image::{DynamicImage, RgbaImage};
use resvg::{
    tiny_skia::{Pixmap, Transform},
    usvg::{
        Options, Tree,
        roxmltree::{Document, Node, ParsingOptions},
    },
};

use super::bounds::{MOST_SVG_BYTES, MOST_SVG_NODES, Refusal};

/// Most references to parts that are drawn again.
const MOST_REPEATS: usize = 200;
/// Deepest element. Drawing is recursive.
const MOST_DEPTH: usize = 64;
/// The longer side of the drawing, in pixels.
const LONG_SIDE: f32 = 1_024.0;

/// Elements that repeat a part by `url(#…)`. Gradients are cheap.
const REPEATED: [&str; 5] = ["clipPath", "filter", "marker", "mask", "pattern"];

/// True if these bytes begin like an SVG.
pub(super) fn is_svg(bytes: &[u8]) -> bool {
    let start = bytes.get(..bytes.len().min(2_048)).unwrap_or_default();
    let start = String::from_utf8_lossy(start);
    let mut rest = start.trim_start_matches('\u{feff}').trim_start();
    for (open, close) in [
        ("<?xml", "?>"),
        ("<!--", "-->"),
        ("<!DOCTYPE", ">"),
        ("<!--", "-->"),
    ] {
        while rest.starts_with(open) {
            let Some((_, after)) = rest.split_once(close) else {
                return false;
            };
            rest = after.trim_start();
        }
    }
    rest.strip_prefix("<svg")
        .is_some_and(|after| after.starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/'))
}

/// Draws an SVG.
pub(super) fn draw(bytes: &[u8]) -> Result<DynamicImage, Refusal> {
    if bytes.len() > MOST_SVG_BYTES {
        return Err(Refusal::LargeSvg);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Refusal::Broken)?;
    // Entities of a document type can expand to endless text. A document type without entities is common and
    // safe.
    let options = ParsingOptions {
        allow_dtd: !text.contains("<!ENTITY"),
        nodes_limit: MOST_SVG_NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(|error| match error {
        resvg::usvg::roxmltree::Error::NodesLimitReached => Refusal::LargeSvg,
        _ => Refusal::Broken,
    })?;
    check(&document)?;
    let tree = Tree::from_xmltree(&document, &Options::default()).map_err(|_| Refusal::Broken)?;
    let size = tree.size();
    let scale = LONG_SIDE / size.width().max(size.height());
    let side = |length: f32| ((length * scale).round() as u32).clamp(1, LONG_SIDE as u32);
    let (width, height) = (side(size.width()), side(size.height()));
    let mut pixels = Pixmap::new(width, height).ok_or(Refusal::TooLarge)?;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut pixels.as_mut(),
    );
    let straight = pixels
        .pixels()
        .iter()
        .flat_map(|pixel| {
            let colour = pixel.demultiply();
            [colour.red(), colour.green(), colour.blue(), colour.alpha()]
        })
        .collect();
    RgbaImage::from_raw(width, height, straight)
        .map(DynamicImage::from)
        .ok_or(Refusal::Broken)
}

fn check(document: &Document<'_>) -> Result<(), Refusal> {
    let repeated: HashSet<&str> = document
        .descendants()
        .filter(|node| REPEATED.contains(&name(*node)))
        .filter_map(|node| node.attribute("id"))
        .collect();
    let used: HashSet<&str> = document.descendants().flat_map(used_by).collect();
    let is_drawn_again = |node: Node<'_, '_>| {
        REPEATED.contains(&name(node)) || node.attribute("id").is_some_and(|id| used.contains(id))
    };
    let mut repeats = 0;
    for node in document.descendants().filter(Node::is_element) {
        if node.ancestors().nth(MOST_DEPTH).is_some() {
            return Err(Refusal::not_drawn("is nested too deeply"));
        }
        match name(node) {
            "text" | "foreignObject" => {
                return Err(Refusal::not_drawn(
                    "has text; convert it to paths, as fonts differ from place to place",
                ));
            }
            "image" | "feImage" => {
                return Err(Refusal::not_drawn("has other pictures in it"));
            }
            "style" if node.text().is_some_and(|text| text.contains("url(")) => {
                return Err(Refusal::not_drawn(
                    "refers to parts from a style sheet; use attributes",
                ));
            }
            _ => {}
        }
        let refers = usize::from(name(node) == "use")
            + references(node).filter(|id| repeated.contains(id)).count();
        if refers == 0 {
            continue;
        }
        repeats += refers;
        if repeats > MOST_REPEATS {
            return Err(Refusal::not_drawn("repeats its parts too often"));
        }
        if node.ancestors().skip(1).any(is_drawn_again) {
            return Err(Refusal::not_drawn("repeats parts within parts"));
        }
    }
    Ok(())
}

fn name<'a>(node: Node<'a, '_>) -> &'a str {
    node.tag_name().name()
}

/// The ids that a `use` may refer to. It may have both `href` and `xlink:href`, and the drawing takes one of
/// them.
fn used_by<'a>(node: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    let hrefs = node
        .attributes()
        .filter(move |attribute| name(node) == "use" && attribute.name() == "href");
    hrefs.filter_map(|attribute| attribute.value().trim().strip_prefix('#'))
}

/// The ids that attributes of an element refer to, as `url(#id)`.
fn references<'a>(node: Node<'a, '_>) -> impl Iterator<Item = &'a str> {
    node.attributes().flat_map(|attribute| {
        attribute.value().split("url(").skip(1).filter_map(|rest| {
            let (inside, _) = rest.split_once(')')?;
            inside.trim().trim_matches(['"', '\'']).strip_prefix('#')
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn svgs_are_known_by_their_beginning() {
        for good in [
            "<svg/>",
            "\u{feff}  <svg xmlns='x'>",
            "<?xml version=\"1.0\"?>\n<!-- made by hand -->\n<!DOCTYPE svg PUBLIC \"a\" \"b\">\n<svg>",
        ] {
            assert!(is_svg(good.as_bytes()), "{good}");
        }
        for bad in [
            "",
            "<html><svg>",
            "<svgx>",
            "<!-- <svg>",
            "svg",
            "<?xml?><rss>",
        ] {
            assert!(!is_svg(bad.as_bytes()), "{bad}");
        }
    }

    fn svg(inside: &str) -> Vec<u8> {
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"20\" height=\"10\">{inside}</svg>")
            .into_bytes()
    }

    #[test]
    fn shapes_are_drawn_with_their_transparency() {
        let drawn = draw(&svg("<rect width=\"10\" height=\"10\" fill=\"#f00\"/>")).unwrap();
        assert_eq!((drawn.width(), drawn.height()), (1_024, 512));
        let pixels = drawn.to_rgba8();
        assert_eq!(pixels.get_pixel(100, 100).0, [255, 0, 0, 255]);
        assert_eq!(pixels.get_pixel(900, 100).0, [0, 0, 0, 0]);
    }

    #[test]
    fn drawings_that_ask_for_endless_work_are_refused() {
        let refused = |inside: &str| draw(&svg(inside)).unwrap_err();
        let laughs = "<defs><g id=\"a\"><rect/></g><g id=\"b\"><use xlink:href=\"#a\"/><use xlink:href=\"#a\"/></g></defs><use xlink:href=\"#b\"/>";
        assert_eq!(
            refused(laughs),
            Refusal::not_drawn("repeats parts within parts")
        );
        let nested = "<mask id=\"m\"><rect/></mask><mask id=\"n\"><rect mask=\"url(#m)\"/></mask><rect mask=\"url(#n)\"/>";
        assert_eq!(
            refused(nested),
            Refusal::not_drawn("repeats parts within parts")
        );
        let clips = "<clipPath id=\"c\"><path d=\"M0 0h9v9z\"/></clipPath><clipPath id=\"d\" clip-path=\"url(#c)\"><path d=\"M0 0h9v9z\" clip-path=\"url(#c)\"/></clipPath><rect clip-path=\"url(#d)\"/>";
        assert_eq!(
            refused(clips),
            Refusal::not_drawn("repeats parts within parts")
        );
        // The drawing takes the second `href` of these elements.
        let hidden = laughs.replace("xlink:href=\"#a\"", "xlink:href=\"#x\" href=\"#a\"");
        let hidden = hidden.replace("xlink:href=\"#b\"", "xlink:href=\"#x\" href=\"#b\"");
        assert_eq!(
            refused(&hidden),
            Refusal::not_drawn("repeats parts within parts")
        );
        let often = format!("<g id=\"a\"/>{}", "<use href=\"#a\"/>".repeat(201));
        assert_eq!(
            refused(&often),
            Refusal::not_drawn("repeats its parts too often")
        );
        assert_eq!(refused(&"<g/>".repeat(10_001)), Refusal::LargeSvg);
        let deep = format!("{}{}", "<g>".repeat(70), "</g>".repeat(70));
        assert_eq!(refused(&deep), Refusal::not_drawn("is nested too deeply"));
        assert!(matches!(refused("<text>x</text>"), Refusal::NotDrawn(_)));
        assert!(matches!(
            refused("<image href=\"http://127.0.0.1/\"/>"),
            Refusal::NotDrawn(_)
        ));
        let entities = "<!DOCTYPE svg [<!ENTITY a \"aaaa\">]><svg xmlns=\"http://www.w3.org/2000/svg\">&a;</svg>";
        assert_eq!(draw(entities.as_bytes()).unwrap_err(), Refusal::Broken);
        assert_eq!(draw(b"<svg>").unwrap_err(), Refusal::Broken);
    }
}
