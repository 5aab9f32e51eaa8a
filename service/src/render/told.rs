//! The text of drawn pages, as a visitor reads it.

use std::cell::RefCell;

use domain::payload::Payload;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use serde::Serialize;

/// The text of a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct ScreenText {
    /// Its heading.
    #[schema(example = "Cookies on this site")]
    pub title: String,
    /// Its paragraphs, entries of lists and buttons, in their order.
    #[schema(example = json!(["We ask you before we use cookies.", "Refuse all", "Accept all"]))]
    pub lines: Vec<String>,
}

/// The texts of a payload's screens, in their order. Fragments that only some visitors see, and
/// those for screen readers alone, are left out.
pub fn screen_texts(payload: &str) -> Vec<ScreenText> {
    let Some(payload) = Payload::read(payload) else {
        return Vec::new();
    };
    let steps = payload.steps().enumerate();
    steps.map(|(step, _)| read(payload.page(step))).collect()
}

/// Elements without an end.
const VOID: [&str; 3] = ["br", "img", "input"];
/// Elements within a line. A button is one within a paragraph.
const INLINE: [&str; 13] = [
    "a", "b", "bdi", "data", "em", "i", "label", "span", "strong", "sub", "sup", "time", "u",
];

fn read(page: &str) -> ScreenText {
    let tokenizer = Tokenizer::new(Sink::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(page));
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    let mut reading = tokenizer.sink.0.into_inner();
    reading.end_line();
    reading.screen
}

#[derive(Default)]
struct Sink(RefCell<Reading>);

#[derive(Default)]
struct Reading {
    screen: ScreenText,
    line: String,
    /// Elements that are open within one that is left out, that one included.
    left_out: usize,
    in_title: bool,
    in_paragraph: bool,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reading = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => reading.begin(&tag),
            Token::TagToken(tag) => reading.end(&tag),
            Token::CharacterTokens(text) if reading.left_out == 0 => reading.line.push_str(&text),
            _ => {}
        }
        TokenSinkResult::Continue
    }
}

impl Reading {
    fn begin(&mut self, tag: &Tag) {
        let opens = usize::from(!tag.self_closing && !VOID.contains(&&*tag.name));
        if self.left_out > 0 || is_left_out(tag) {
            self.left_out += opens;
            return;
        }
        if self.breaks(&tag.name) {
            self.end_line();
        }
        self.in_title |= attribute(tag, "id") == Some("t");
        self.in_paragraph |= &*tag.name == "p";
    }

    fn end(&mut self, tag: &Tag) {
        if self.left_out > 0 {
            self.left_out -= 1;
            return;
        }
        self.in_paragraph &= &*tag.name != "p";
        if self.breaks(&tag.name) {
            self.end_line();
        }
    }

    fn breaks(&self, name: &str) -> bool {
        !(INLINE.contains(&name) || name == "button" && self.in_paragraph)
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            return;
        }
        let line = words.join(" ");
        if std::mem::take(&mut self.in_title) {
            self.screen.title = line;
        } else {
            self.screen.lines.push(line);
        }
    }
}

fn attribute<'a>(tag: &'a Tag, name: &str) -> Option<&'a str> {
    let found = tag.attrs.iter().find(|one| &*one.name.local == name);
    found.map(|found| &*found.value)
}

/// True of what some visitors see alone, of initials and drawings, of words for screen readers, and of buttons that open the
/// details of a service.
fn is_left_out(tag: &Tag) -> bool {
    attribute(tag, "hidden").is_some()
        || attribute(tag, "aria-hidden").is_some()
        || attribute(tag, "class") == Some("hid")
        || attribute(tag, "part") == Some("more")
}
