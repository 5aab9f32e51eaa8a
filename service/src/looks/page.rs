//! The HTML of a page: its elements, as far as a look follows from them, and its style sheets.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
    states::RawKind,
};
use serde::{Deserialize, Serialize};

/// Elements that are kept. Pages have few before their first buttons.
const MOST_ELEMENTS: usize = 4_000;
/// Elements that stand in each other.
const DEEPEST: usize = 48;
/// Elements that are open at one time, those that are not kept too.
const MOST_OPEN: usize = 256;
/// Attributes of an element, and characters of one, that are kept.
const MOST_ATTRIBUTES: usize = 24;
const LONGEST: usize = 2_000;
/// Style sheets and `<style>` elements that are kept, in the order of the page.
const MOST_STYLES: usize = 64;

/// Elements that never have content.
const VOID: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];

/// An element.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub tag: String,
    /// Index of its parent; `None` for `html`.
    pub parent: Option<usize>,
    pub attributes: Vec<(String, String)>,
}

impl Element {
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let found = self.attributes.iter().find(|(own, _)| own == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(super) fn classes(&self) -> impl Iterator<Item = &str> {
        self.attribute("class")
            .unwrap_or_default()
            .split_ascii_whitespace()
    }
}

/// A style sheet of a page.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Style {
    /// Its address, as the page writes it.
    Linked(String),
    /// Its text.
    Inline(String),
}

/// A page.
#[derive(Debug, Default)]
pub(super) struct Page {
    /// `html` and `body` come first.
    pub elements: Vec<Element>,
    pub styles: Vec<(Style, Option<String>)>,
    /// Base of relative addresses, if the page names one.
    pub base: Option<String>,
    /// `theme-color` for light pages.
    pub theme_color: Option<String>,
    /// Address of the icon for home screens.
    pub icon: Option<String>,
}

/// Indexes of the first two elements.
pub(super) const HTML: usize = 0;
pub(super) const BODY: usize = 1;

impl Page {
    pub(super) fn read(html: &str) -> Self {
        let element = |tag: &str, parent| Element {
            tag: tag.to_owned(),
            parent,
            attributes: Vec::new(),
        };
        let page = Self {
            elements: vec![element("html", None), element("body", Some(HTML))],
            ..Self::default()
        };
        let reading = Reading {
            page,
            open: vec![(HTML, "html".into()), (BODY, "body".into())],
            style: None,
        };
        let tokenizer = Tokenizer::new(Sink(RefCell::new(reading)), TokenizerOpts::default());
        let input = BufferQueue::default();
        input.push_back(StrTendril::from(html));
        // A script is no reason to stop.
        while !input.is_empty() {
            let _ = tokenizer.feed(&input);
        }
        tokenizer.end();
        tokenizer.sink.0.into_inner().page
    }

    /// An element and those around it, from the inside.
    pub(super) fn chain(&self, element: usize) -> impl Iterator<Item = &Element> {
        let mut next = Some(element);
        std::iter::from_fn(move || {
            let element = self.elements.get(next?)?;
            next = element.parent;
            Some(element)
        })
    }

    /// True in a banner of another consent tool.
    pub(super) fn is_foreign(&self, element: usize) -> bool {
        self.chain(element).any(|element| {
            if element.tag == "body" || element.tag == "html" {
                return false;
            }
            let words = [element.attribute("id"), element.attribute("class")];
            words.into_iter().flatten().any(|words| {
                let words = words.to_ascii_lowercase();
                words.contains("cookie") || words.contains("consent")
            })
        })
    }
}

struct Reading {
    page: Page,
    /// Indexes and tags of the elements that are open. Those that are not kept have the index of their parent.
    open: Vec<(usize, String)>,
    /// The text and `media` of the `<style>` that is open.
    style: Option<(String, Option<String>)>,
}

struct Sink(RefCell<Reading>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut reading = self.0.borrow_mut();
        match token {
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => reading.begin(&tag),
            Token::TagToken(tag) => {
                reading.end(&tag.name);
                TokenSinkResult::Continue
            }
            Token::CharacterTokens(text) => {
                if let Some((style, _)) = &mut reading.style {
                    style.push_str(&text);
                }
                TokenSinkResult::Continue
            }
            _ => TokenSinkResult::Continue,
        }
    }
}

impl Reading {
    fn begin(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        let name = tag.name.to_string();
        let attributes: Vec<(String, String)> = tag
            .attrs
            .iter()
            .filter(|attribute| attribute.value.len() <= LONGEST)
            .take(MOST_ATTRIBUTES)
            .map(|attribute| {
                (
                    attribute.name.local.to_string(),
                    attribute.value.to_string(),
                )
            })
            .collect();
        let element = Element {
            tag: name,
            parent: None,
            attributes,
        };
        self.head(&element);
        let name = element.tag.clone();
        self.add(element, tag.self_closing);
        match &*name {
            "style" | "xmp" | "iframe" | "noembed" | "noframes" => {
                TokenSinkResult::RawData(RawKind::Rawtext)
            }
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "plaintext" => TokenSinkResult::Plaintext,
            _ => TokenSinkResult::Continue,
        }
    }

    /// Reads the elements that tell of the page.
    fn head(&mut self, element: &Element) {
        let media = element.attribute("media").map(str::to_owned);
        match &*element.tag {
            "base" => {
                let base = element.attribute("href").map(str::to_owned);
                self.page.base = self.page.base.take().or(base);
            }
            "style" => self.style = Some((String::new(), media)),
            "link" => {
                let rel = element.attribute("rel").unwrap_or_default();
                let is = |word: &str| {
                    let mut words = rel.split_ascii_whitespace();
                    words.any(|own| own.eq_ignore_ascii_case(word))
                };
                let Some(href) = element.attribute("href") else {
                    return;
                };
                if is("stylesheet") && !is("alternate") {
                    self.style_found(Style::Linked(href.to_owned()), media);
                } else if is("apple-touch-icon") && self.page.icon.is_none() {
                    self.page.icon = Some(href.to_owned());
                }
            }
            "meta" => {
                let is_colour = element
                    .attribute("name")
                    .is_some_and(|name| name.eq_ignore_ascii_case("theme-color"));
                let is_dark = media.is_some_and(|media| media.contains("dark"));
                if is_colour && !is_dark && self.page.theme_color.is_none() {
                    self.page.theme_color = element.attribute("content").map(str::to_owned);
                }
            }
            _ => {}
        }
    }

    fn style_found(&mut self, style: Style, media: Option<String>) {
        if self.page.styles.len() < MOST_STYLES {
            self.page.styles.push((style, media));
        }
    }

    fn add(&mut self, mut element: Element, closes_itself: bool) {
        let tag = element.tag.clone();
        // Pages write `html` and `body` once; a second one only adds what the first lacks.
        if let Some(own) = [HTML, BODY].into_iter().find(|index| {
            let own = self.page.elements.get(*index);
            own.is_some_and(|own| own.tag == tag)
        }) {
            if let Some(own) = self.page.elements.get_mut(own)
                && own.attributes.is_empty()
            {
                own.attributes = element.attributes;
            }
            return;
        }
        let parent = self.open.last().map_or(BODY, |(index, _)| *index);
        let is_kept = self.page.elements.len() < MOST_ELEMENTS && self.open.len() < DEEPEST;
        let index = if is_kept {
            element.parent = Some(parent);
            self.page.elements.push(element);
            self.page.elements.len() - 1
        } else {
            parent
        };
        let has_content = !VOID.contains(&&*tag) && !closes_itself;
        if has_content && self.open.len() < MOST_OPEN {
            self.open.push((index, tag));
        }
    }

    fn end(&mut self, tag: &str) {
        if tag == "style"
            && let Some((text, media)) = self.style.take()
        {
            self.style_found(Style::Inline(text), media);
        }
        // `html` and `body` stay open: what stands behind them counts as in them.
        if let Some(at) = self.open.iter().rposition(|(_, open)| open == tag)
            && at > BODY
        {
            self.open.truncate(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_with_its_styles_and_elements() {
        let page = Page::read(
            r##"<!doctype html><HTML lang=en data-theme="light"><head><base href="/a/">
            <meta name="theme-color" media="(prefers-color-scheme: dark)" content="#000">
            <meta name="Theme-Color" content="#123456">
            <link rel="preload stylesheet" href="one.css?v=1&amp;w=2"><link rel="alternate stylesheet" href=no.css>
            <style media=print>a > b { color: red } </style><script>"<style>no</style>"</script>
            </head><body class="dark home"><main><p>Text <img src=x><a class="btn primary">Go</a></main><footer>"##,
        );
        assert_eq!(page.base.as_deref(), Some("/a/"));
        assert_eq!(page.theme_color.as_deref(), Some("#123456"));
        let style = "a > b { color: red } ".to_owned();
        assert_eq!(
            page.styles,
            [
                (Style::Linked("one.css?v=1&w=2".into()), None),
                (Style::Inline(style), Some("print".into())),
            ]
        );
        let button = page.elements.iter().position(|one| one.tag == "a").unwrap();
        assert_eq!(
            page.elements[button].classes().collect::<Vec<_>>(),
            ["btn", "primary"]
        );
        let tags: Vec<_> = page.chain(button).map(|one| &*one.tag).collect();
        assert_eq!(tags, ["a", "p", "main", "body", "html"]);
        assert_eq!(page.elements[HTML].attribute("data-theme"), Some("light"));
        let footer = page.elements.last().unwrap();
        assert_eq!((&*footer.tag, footer.parent), ("footer", Some(BODY)));
    }

    #[test]
    fn a_hostile_page_is_bounded() {
        let deep = "<div>".repeat(100_000) + &"<p class=x>".repeat(100_000) + "<style>";
        let page = Page::read(&deep);
        assert!(page.elements.len() <= MOST_ELEMENTS);
        assert!((0..page.elements.len()).all(|one| page.chain(one).count() <= DEEPEST));
    }
}
