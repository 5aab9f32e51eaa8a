//! The text that somebody edits: its selection, and the changes that buttons and keys make.
//!
//! The browser makes the changes by `execCommand`, so that its own undo takes them back.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDocument, Range};

use super::dom;
use super::tidy::Node;
use crate::components::focus::focus;

/// A change of the selected text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Bold,
    Italic,
    Bullets,
    Numbers,
}

impl Change {
    pub const ALL: [Self; 4] = [Self::Bold, Self::Italic, Self::Bullets, Self::Numbers];

    fn command(self) -> &'static str {
        match self {
            Self::Bold => "bold",
            Self::Italic => "italic",
            Self::Bullets => "insertUnorderedList",
            Self::Numbers => "insertOrderedList",
        }
    }
}

/// The properties of the selected text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    changes: Vec<Change>,
    /// The address of the link around the caret.
    pub address: Option<String>,
}

impl Marks {
    pub fn has(&self, change: Change) -> bool {
        self.changes.contains(&change)
    }
}

/// The editable element.
#[derive(Clone, Copy)]
pub struct Surface {
    pub text: NodeRef<html::Div>,
    /// The last selection in it. The browser makes the place, since servers have no ranges.
    last: StoredValue<Option<StoredValue<Option<Range>, LocalStorage>>>,
    pub marks: RwSignal<Marks>,
}

fn page() -> HtmlDocument {
    document().unchecked_into()
}

impl Surface {
    pub fn new() -> Self {
        let last = StoredValue::new(None);
        Effect::new(move |_| last.set_value(Some(StoredValue::new_local(None))));
        Self {
            text: NodeRef::new(),
            last,
            marks: RwSignal::new(Marks::default()),
        }
    }

    fn element(self) -> Option<web_sys::HtmlElement> {
        self.text.get_untracked().map(Into::into)
    }

    /// The selection, if it is in the text.
    fn selected(self) -> Option<Range> {
        let selection = window().get_selection().ok()??;
        let range = selection.get_range_at(0).ok()?;
        let around = range.common_ancestor_container().ok()?;
        self.element()?
            .contains(Some(&around))
            .then(|| range.clone_range())
    }

    fn link(self) -> Option<web_sys::Element> {
        let around = self.last.get_value()?.get_value()?;
        let around = around.common_ancestor_container().ok()?;
        let element = match around.dyn_into::<web_sys::Element>() {
            Ok(element) => element,
            Err(node) => node.parent_element()?,
        };
        let link = element.closest("a[href]").ok()??;
        self.element()?.contains(Some(&link)).then_some(link)
    }

    /// Remembers the selection, and tells what it is.
    pub fn look(self) {
        let (Some(range), Some(last)) = (self.selected(), self.last.get_value()) else {
            return;
        };
        last.set_value(Some(range));
        let is_on = |change: &Change| page().query_command_state(change.command()) == Ok(true);
        let marks = Marks {
            changes: Change::ALL.into_iter().filter(is_on).collect(),
            address: self.link().and_then(|link| link.get_attribute("href")),
        };
        if self.marks.with_untracked(|now| *now != marks) {
            self.marks.set(marks);
        }
    }

    /// Gives the focus back to the text, with its last selection.
    pub fn enter(self) {
        let Some(element) = self.element() else {
            return;
        };
        // Selecting again would forget what the next letter is to be.
        if document().active_element().as_ref() == Some(element.as_ref()) {
            return;
        }
        let last = self.last.get_value().and_then(|last| last.get_value());
        focus(&element);
        // The focus alone puts the caret elsewhere, if another field had it meanwhile.
        if let Some(range) = last {
            select(&range);
            self.look();
        }
    }

    /// Makes or takes back a change of the selected text.
    pub fn make(self, change: Change) {
        self.enter();
        let makes_list = matches!(change, Change::Bullets | Change::Numbers);
        let caret = if makes_list { self.caret() } else { None };
        run(change.command(), "");
        if let Some(caret) = caret {
            self.put_caret(caret);
        }
        self.look();
    }

    /// The UTF-16 units of text before the caret, if it stands behind some in its node.
    fn caret(self) -> Option<u32> {
        let caret = self.selected().filter(Range::collapsed)?;
        let (node, offset) = (caret.start_container().ok()?, caret.start_offset().ok()?);
        if offset == 0 || node.node_type() != web_sys::Node::TEXT_NODE {
            return None;
        }
        let before = document().create_range().ok()?;
        before.set_start(self.element()?.as_ref(), 0).ok()?;
        before.set_end(&node, offset).ok()?;
        Some(before.to_string().length())
    }

    /// Puts the caret behind that much text. Chromium makes items of new nodes, and leaves the caret before them.
    fn put_caret(self, units: u32) {
        let found = self
            .element()
            .and_then(|text| behind(&text, &mut { units }));
        if let Some((node, offset)) = found
            && let Ok(Some(selection)) = window().get_selection()
        {
            let _ = selection.collapse_with_offset(Some(&node), offset);
        }
    }

    /// Has Enter begin paragraphs, as texts hold them, and puts the first caret behind the text.
    pub fn begin(self) {
        run("defaultParagraphSeparator", "p");
        let is_first = self
            .last
            .get_value()
            .is_some_and(|last| last.get_value().is_none());
        if let Some(end) = self
            .element()
            .filter(|_| is_first)
            .and_then(|text| end_of(&text))
        {
            select(&end);
        }
        self.look();
    }

    /// Makes a link of the selected text, of the link around the caret, or of the address itself.
    pub fn lead_to(self, address: String) {
        self.enter();
        if let Some(link) = self.link() {
            select_content(&link);
        } else if self.selected().is_none_or(|range| range.collapsed()) {
            let link = Node::Element {
                name: "a".to_owned(),
                children: vec![Node::Text(address.clone())],
                address: Some(address),
            };
            return self.insert(&[link]);
        }
        run("createLink", &address);
        if let Ok(Some(selection)) = window().get_selection() {
            let _ = selection.collapse_to_end();
        }
        self.look();
    }

    /// Leaves the text of the link around the caret.
    pub fn lead_nowhere(self) {
        self.enter();
        if let Some(link) = self.link() {
            select_content(&link);
            run("unlink", "");
        }
        self.look();
    }

    /// Puts a text in place of the selected one.
    pub fn insert(self, nodes: &[Node]) {
        // A lone paragraph goes into the line that is there.
        let nodes = match nodes {
            [Node::Element { name, children, .. }] if name == "p" => children,
            nodes => nodes,
        };
        run("insertHTML", &dom::html_of(nodes));
        self.look();
    }

    /// Puts plain text in place of the selected one.
    pub fn insert_plain(self, text: &str) {
        // A picture has none. Putting that in would take the selected text away.
        if text.is_empty() {
            return;
        }
        run("insertText", text);
        self.look();
    }
}

/// The place behind that many units of the text in a node. Takes from them the length of text without the place.
fn behind(parent: &web_sys::Node, units: &mut u32) -> Option<(web_sys::Node, u32)> {
    let mut next = parent.first_child();
    while let Some(node) = next {
        next = node.next_sibling();
        if let Some(text) = node.dyn_ref::<web_sys::Text>() {
            if *units <= text.length() {
                return Some((node, *units));
            }
            *units -= text.length();
        } else if let Some(found) = behind(&node, units) {
            return Some(found);
        }
    }
    None
}

fn run(command: &str, value: &str) {
    // Without the command nothing changes, and nothing is lost.
    let _ = page().exec_command_with_show_ui_and_value(command, false, value);
}

fn end_of(element: &web_sys::HtmlElement) -> Option<Range> {
    let range = document().create_range().ok()?;
    range.select_node_contents(element).ok()?;
    range.collapse();
    Some(range)
}

fn select(range: &Range) {
    if let Ok(Some(selection)) = window().get_selection() {
        let _ = selection.remove_all_ranges();
        let _ = selection.add_range(range);
    }
}

fn select_content(element: &web_sys::Element) {
    if let Ok(range) = document().create_range()
        && range.select_node_contents(element).is_ok()
    {
        select(&range);
    }
}
