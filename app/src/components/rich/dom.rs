//! Texts in the browser's tree of elements. They get there node by node, never as markup, so that nothing runs.

use domain::html::SILENT;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{DomParser, SupportedType};

use super::tidy::{Node, tidy};

/// Elements deeper than this are read as plain text. Nobody nests words as deeply by hand.
const DEEPEST: u32 = 64;

/// The meaning of line ends between words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineEnds {
    /// Blanks, as in HTML.
    Blanks,
    /// Breaks: browsers type them in fields that keep white space.
    Breaks,
}

/// The text in a field.
pub fn read(field: &web_sys::Element) -> Vec<Node> {
    tidy(children(field, LineEnds::Breaks, 0))
}

/// The text of HTML, which may come from anywhere. Parsing runs and fetches nothing.
pub fn parse(html: &str) -> Vec<Node> {
    let parsed =
        DomParser::new().and_then(|it| it.parse_from_string(html, SupportedType::TextHtml));
    let body = parsed.ok().and_then(|parsed| parsed.body());
    body.map(|body| tidy(children(&body, LineEnds::Blanks, 0)))
        .unwrap_or_default()
}

/// The HTML of a text.
pub fn html_of(nodes: &[Node]) -> String {
    let Ok(holder) = document().create_element("div") else {
        return String::new();
    };
    append(&holder, nodes, false);
    holder.inner_html()
}

/// Replaces the content of an element with a text. Links in it open new tabs.
pub fn show(place: &web_sys::Element, nodes: &[Node]) {
    place.set_text_content(None);
    append(place, nodes, true);
}

fn append(parent: &web_sys::Element, nodes: &[Node], in_new_tabs: bool) {
    for node in nodes {
        match node {
            Node::Text(text) => {
                let text = document().create_text_node(text);
                let _ = parent.append_child(&text);
            }
            Node::Element {
                name,
                address,
                children,
            } => {
                let Ok(element) = document().create_element(name) else {
                    continue;
                };
                if let Some(address) = address {
                    let _ = element.set_attribute("href", address);
                    if in_new_tabs {
                        let _ = element.set_attribute("target", "_blank");
                        let _ = element.set_attribute("rel", "noopener noreferrer");
                        let _ = element.set_attribute("title", address);
                    }
                }
                append(&element, children, in_new_tabs);
                let _ = parent.append_child(&element);
            }
        }
    }
}

fn children(parent: &web_sys::Node, ends: LineEnds, depth: u32) -> Vec<Node> {
    let mut found = Vec::new();
    let mut next = parent.first_child();
    while let Some(node) = next {
        next = node.next_sibling();
        if let Some(element) = node.dyn_ref::<web_sys::Element>() {
            if SILENT.contains(&element.local_name().as_str()) {
                continue;
            }
            if depth < DEEPEST {
                found.push(Node::Element {
                    name: name_of(element),
                    address: element.get_attribute("href"),
                    children: children(&node, ends, depth + 1),
                });
                continue;
            }
        } else if node.node_type() != web_sys::Node::TEXT_NODE {
            continue;
        }
        words(&node.text_content().unwrap_or_default(), ends, &mut found);
    }
    found
}

/// The name of an element by its look: word processors put plain text into bold elements, and bold text into plain ones.
fn name_of(element: &web_sys::Element) -> String {
    let name = element.local_name();
    let style = element.get_attribute("style").unwrap_or_default();
    by_look(&name, &style.replace(' ', "")).to_owned()
}

fn by_look<'a>(name: &'a str, style: &str) -> &'a str {
    let says = |looks: &[&str]| looks.iter().any(|look| style.contains(look));
    match name {
        "b" | "strong" if says(&["font-weight:normal", "font-weight:400"]) => "span",
        "span" if says(&["font-weight:bold", "font-weight:700"]) => "b",
        "span" if says(&["font-style:italic"]) => "i",
        name => name,
    }
}

fn words(text: &str, ends: LineEnds, found: &mut Vec<Node>) {
    let is_end = |letter: char| letter == '\n' && ends == LineEnds::Breaks;
    for (index, line) in text.split(is_end).enumerate() {
        if index > 0 {
            found.push(Node::Element {
                name: "br".to_owned(),
                address: None,
                children: Vec::new(),
            });
        }
        let line = match ends {
            LineEnds::Breaks => line.to_owned(),
            LineEnds::Blanks => collapsed(line),
        };
        if !line.is_empty() {
            found.push(Node::Text(line));
        }
    }
}

/// Text with one blank where HTML has several; protected ones stay.
fn collapsed(text: &str) -> String {
    let mut collapsed = String::with_capacity(text.len());
    for letter in text.chars() {
        let letter = if letter.is_ascii_whitespace() {
            ' '
        } else {
            letter
        };
        if letter != ' ' || !collapsed.ends_with(' ') {
            collapsed.push(letter);
        }
    }
    collapsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_bold_that_look_bold() {
        for (name, style, look) in [
            ("b", "font-weight:normal;", "span"),
            ("b", "color:red", "b"),
            ("strong", "font-weight:400", "span"),
            ("span", "font-size:11pt;font-weight:700", "b"),
            ("span", "font-style:italic", "i"),
            ("span", "font-weight:400;font-style:normal", "span"),
            ("p", "font-weight:700", "p"),
        ] {
            assert_eq!(by_look(name, style), look, "{name} {style}");
        }
    }

    #[test]
    fn line_ends_are_blanks_in_html_and_breaks_where_they_were_typed() {
        let read = |ends| {
            let mut found = Vec::new();
            words("a \n  b\u{a0} c", ends, &mut found);
            found
        };
        assert_eq!(
            read(LineEnds::Blanks),
            [Node::Text("a b\u{a0} c".to_owned())]
        );
        let typed = read(LineEnds::Breaks);
        assert_eq!(typed.len(), 3);
        assert_eq!(typed.first(), Some(&Node::Text("a ".to_owned())));
        assert_eq!(typed.last(), Some(&Node::Text("  b\u{a0} c".to_owned())));
    }
}
