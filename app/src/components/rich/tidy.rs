//! Makes of anything that browsers and clipboards bring the HTML that texts may hold, as a tree.

use domain::html::{ELEMENTS, SILENT, may_lead_to};

/// A node of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    Text(String),
    Element {
        /// In lower case.
        name: String,
        /// The address of a link.
        address: Option<String>,
        children: Vec<Node>,
    },
}

/// Elements that stand in lines of their own, and become paragraphs.
const PARAGRAPHS: [&str; 18] = [
    "p",
    "div",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "blockquote",
    "pre",
    "section",
    "article",
    "header",
    "footer",
    "tr",
    "dt",
    "dd",
    "li",
];
const LISTS: [&str; 2] = ["ul", "ol"];
/// Elements that stand beside each other in a line.
const CELLS: [&str; 2] = ["td", "th"];

impl Node {
    fn element(name: &str, children: Vec<Self>) -> Self {
        Self::Element {
            name: name.to_owned(),
            address: None,
            children,
        }
    }

    fn is_break(&self) -> bool {
        matches!(self, Self::Element { name, .. } if name == "br")
    }

    fn is_blank(&self) -> bool {
        match self {
            Self::Text(text) => text.trim_matches([' ', '\n', '\t', '\u{a0}']).is_empty(),
            Self::Element { children, .. } => {
                !self.is_break() && children.iter().all(Self::is_blank)
            }
        }
    }
}

/// A text with the elements that it may hold. Text without any paragraph or list stays a line without one.
pub fn tidy(nodes: Vec<Node>) -> Vec<Node> {
    let mut flow = Flow::default();
    flow.take(nodes);
    if flow.has_blocks {
        flow.end_line();
        flow.blocks
    } else {
        trimmed(flow.line)
    }
}

/// Blocks of a text, as they are read.
#[derive(Default)]
struct Flow {
    blocks: Vec<Node>,
    /// Nodes that are in no block yet.
    line: Vec<Node>,
    has_blocks: bool,
}

impl Flow {
    fn take(&mut self, nodes: Vec<Node>) {
        for node in nodes {
            match node {
                Node::Text(_) => self.line.push(node),
                Node::Element {
                    name,
                    children,
                    address,
                } => match name.as_str() {
                    name if SILENT.contains(&name) => {}
                    name if LISTS.contains(&name) => {
                        self.end_line();
                        self.has_blocks = true;
                        self.blocks.extend(list(name, children));
                    }
                    name if PARAGRAPHS.contains(&name) => {
                        self.end_line();
                        self.has_blocks = true;
                        self.take(children);
                        self.end_line();
                    }
                    known if ELEMENTS.contains(&known) => {
                        let node = Node::Element {
                            name,
                            address,
                            children,
                        };
                        inline(vec![node], Around::default(), &mut self.line);
                    }
                    name if CELLS.contains(&name) => {
                        self.take(children);
                        self.line.push(Node::Text(" ".to_owned()));
                    }
                    _ => self.take(children),
                },
            }
        }
    }

    /// Makes a paragraph of the line.
    fn end_line(&mut self) {
        let line = trimmed(std::mem::take(&mut self.line));
        if !line.is_empty() {
            self.blocks.push(Node::element("p", line));
        }
    }
}

/// A line without blanks and breaks at its ends, which browsers put there to hold it open.
fn trimmed(mut line: Vec<Node>) -> Vec<Node> {
    while line
        .last()
        .is_some_and(|node| node.is_break() || node.is_blank())
    {
        line.pop();
    }
    let blank = line.iter().take_while(|node| node.is_blank()).count();
    line.drain(..blank);
    if let Some(Node::Text(text)) = line.last_mut() {
        text.truncate(text.trim_end_matches(' ').len());
    }
    if let Some(Node::Text(text)) = line.first_mut() {
        *text = text.trim_start_matches(' ').to_owned();
    }
    line
}

/// A list; `None` if nothing is in it. Lists that stand between items belong to the item before.
fn list(name: &str, children: Vec<Node>) -> Option<Node> {
    let mut items: Vec<Vec<Node>> = Vec::new();
    for child in children {
        match child {
            Node::Element { name, children, .. } if LISTS.contains(&name.as_str()) => {
                let inner = list(&name, children);
                match items.last_mut() {
                    Some(item) => item.extend(inner),
                    None => items.extend(inner.map(|inner| vec![inner])),
                }
            }
            Node::Element { name, children, .. } if name == "li" => items.push(item(children)),
            other => items.push(item(vec![other])),
        }
    }
    let items = items.into_iter().filter(|item| !item.is_empty());
    let items: Vec<Node> = items.map(|item| Node::element("li", item)).collect();
    (!items.is_empty()).then(|| Node::element(name, items))
}

fn item(children: Vec<Node>) -> Vec<Node> {
    let mut content = Vec::new();
    let around = Around {
        item: true,
        ..Around::default()
    };
    inline(children, around, &mut content);
    trimmed(content)
}

/// The elements around a part of a line.
#[derive(Clone, Copy, Default)]
struct Around {
    link: bool,
    /// An item of a list, which may hold another list.
    item: bool,
}

/// Appends nodes to a line. Paragraphs and lists follow a break.
fn inline(nodes: Vec<Node>, around: Around, line: &mut Vec<Node>) {
    for node in nodes {
        let (name, address, children) = match node {
            Node::Text(_) => {
                line.push(node);
                continue;
            }
            Node::Element {
                name,
                address,
                children,
            } => (name, address, children),
        };
        let within = Around {
            item: false,
            ..around
        };
        match name.as_str() {
            name if SILENT.contains(&name) => {}
            "br" => line.push(Node::element("br", Vec::new())),
            name if LISTS.contains(&name) && around.item => {
                while line.last().is_some_and(Node::is_break) {
                    line.pop();
                }
                line.extend(list(name, children));
            }
            name if PARAGRAPHS.contains(&name) || LISTS.contains(&name) => {
                let is_first = line.iter().all(Node::is_blank);
                if !is_first && !line.last().is_some_and(Node::is_break) {
                    line.push(Node::element("br", Vec::new()));
                }
                inline(children, around, line);
            }
            "a" => match address.filter(|address| !around.link && may_lead_to(address)) {
                Some(address) => {
                    let mut text = Vec::new();
                    inline(
                        children,
                        Around {
                            link: true,
                            ..within
                        },
                        &mut text,
                    );
                    if !text.is_empty() {
                        line.push(Node::Element {
                            name,
                            address: Some(address),
                            children: text,
                        });
                    }
                }
                None => inline(children, around, line),
            },
            name if ELEMENTS.contains(&name) => {
                let mut text = Vec::new();
                inline(children, within, &mut text);
                if !text.is_empty() {
                    line.push(Node::element(name, text));
                }
            }
            _ => inline(children, around, line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Node {
        Node::Text(text.to_owned())
    }

    fn of(name: &str, children: impl Into<Vec<Node>>) -> Node {
        Node::element(name, children.into())
    }

    fn link(address: &str, children: impl Into<Vec<Node>>) -> Node {
        Node::Element {
            name: "a".to_owned(),
            address: Some(address.to_owned()),
            children: children.into(),
        }
    }

    fn br() -> Node {
        of("br", [])
    }

    #[test]
    fn a_line_stays_a_line_and_several_become_paragraphs() {
        let bold = of("b", [text("now")]);
        assert_eq!(
            tidy(vec![text("Choose "), bold.clone()]),
            [text("Choose "), bold]
        );
        // Chromium leaves the first line bare, and holds empty paragraphs open by a break.
        let typed = vec![
            text("One "),
            of("div", [text("Two"), br()]),
            of("p", [br()]),
            of("p", [text("Three")]),
        ];
        let paragraphs = ["One", "Two", "Three"].map(|line| of("p", [text(line)]));
        assert_eq!(tidy(typed), paragraphs);
        assert_eq!(tidy(vec![of("p", [br()]), text(" ")]), []);
        assert_eq!(
            tidy(vec![of("h2", [text("Head")])]),
            [of("p", [text("Head")])]
        );
    }

    #[test]
    fn lists_leave_paragraphs_and_hold_only_items() {
        let item = |word: &str| of("li", [text(word)]);
        let inner = of("ol", [item("deep")]);
        let messy = of(
            "ul",
            [
                text(" "),
                item("one"),
                inner.clone(),
                of("p", [text("two")]),
                of("li", [br()]),
            ],
        );
        let nested = of("ul", [of("li", [text("one"), inner.clone()]), item("two")]);
        let around = of("p", [text("Before"), messy, text("after")]);
        let before = of("p", [text("Before")]);
        assert_eq!(
            tidy(vec![around]),
            [before, nested, of("p", [text("after")])]
        );
        let lines = of(
            "li",
            [
                of("p", [text("a")]),
                of("p", [text("b")]),
                br(),
                inner.clone(),
            ],
        );
        let tidied = of("li", [text("a"), br(), text("b"), inner]);
        assert_eq!(tidy(vec![of("ol", [lines])]), [of("ol", [tidied])]);
        assert_eq!(tidy(vec![of("ul", [of("li", [])])]), []);
    }

    #[test]
    fn links_lead_where_they_may_and_hold_no_other() {
        let address = "https://shop.example";
        let word = || [text("x")];
        assert_eq!(tidy(vec![link(address, word())]), [link(address, word())]);
        assert_eq!(tidy(vec![link("javascript:alert(1)", word())]), word());
        assert_eq!(tidy(vec![of("a", word())]), word());
        let twice = link(address, [of("span", [link("mailto:a@b.example", word())])]);
        assert_eq!(tidy(vec![twice]), [link(address, word())]);
    }

    #[test]
    fn everything_else_leaves_its_text_and_scripts_leave_nothing() {
        let script = of("script", [text("alert(1)")]);
        let image = of("img", []);
        let cells = [
            of("th", [text("one"), script]),
            of("td", [text("two")]),
            of("td", []),
        ];
        let table = of("table", [of("tr", cells), image]);
        let row = [text("one"), text(" "), text("two")];
        assert_eq!(tidy(vec![table]), [of("p", row)]);
        let heavy = of(
            "b",
            [
                of("p", [text("a")]),
                of("p", [text("b")]),
                of("style", [text("c")]),
            ],
        );
        assert_eq!(tidy(vec![heavy]), [of("b", [text("a"), br(), text("b")])]);
        assert_eq!(tidy(vec![of("i", [of("span", [])])]), []);
    }
}
