//! Selectors, as far as a still page without pointer and focus can match them.

use cssparser::{ParseError, Parser, Token};

use super::page::{Element, Page};

/// Compounds of a selector that are read, and selectors of a list.
const MOST_COMPOUNDS: usize = 16;

type Result<T> = std::result::Result<T, ParseError<()>>;

/// A selector: compounds from the right to the left, each with true if the next one is its parent.
#[derive(Debug, Default)]
pub(super) struct Selector {
    compounds: Vec<(Compound, bool)>,
    /// Number of ids, of classes and the like, and of tags, a byte each.
    pub specificity: u32,
}

/// Conditions for one element.
#[derive(Debug, Default)]
struct Compound {
    tag: Option<String>,
    tests: Vec<Test>,
}

#[derive(Debug)]
enum Test {
    Id(String),
    Class(String),
    Attribute(String, Comparison, String),
    Root,
    Link,
    Any(Vec<Selector>),
    Not(Vec<Selector>),
    /// Such as `:hover`, or one that only a browser knows.
    Never,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Exists,
    Equals,
    Word,
    Begins,
    Ends,
    Contains,
    Dash,
}

/// The word by which rules are found that may match an element.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    Id(String),
    Class(String),
    Tag(String),
    Any,
}

/// Reads a list of selectors. Broken ones are left out.
pub(super) fn list(text: &str) -> Vec<Selector> {
    read_list(&mut Parser::new(text))
}

fn read_list(input: &mut Parser<'_>) -> Vec<Selector> {
    input.parse_comma_separated_ignoring_errors(selector)
}

fn selector(input: &mut Parser<'_>) -> Result<Selector> {
    let mut found = Selector::default();
    let mut compound = Compound::default();
    let (mut is_begun, mut after_space) = (false, false);
    let mut is_child = false;
    input.skip_whitespace();
    while let Ok(token) = input.next_including_whitespace().cloned() {
        let combinator = match token {
            Token::WhiteSpace(_) => {
                after_space = true;
                continue;
            }
            Token::Delim('>') => Some(true),
            // Siblings are not known.
            Token::Delim('+' | '~') => return Err(ParseError::unexpected_token()),
            _ => None,
        };
        let is_next = combinator.is_some() || (after_space && is_begun);
        if is_next && is_begun {
            found
                .compounds
                .push((std::mem::take(&mut compound), is_child));
            is_begun = false;
            is_child = false;
        }
        after_space = false;
        if combinator.is_some() {
            is_child = true;
            continue;
        }
        let more = simple(token, &mut compound, input)?;
        found.specificity = found.specificity.saturating_add(more);
        is_begun = true;
        if found.compounds.len() >= MOST_COMPOUNDS || compound.tests.len() > MOST_COMPOUNDS {
            return Err(ParseError::unexpected_token());
        }
    }
    if !is_begun {
        return Err(ParseError::unexpected_token());
    }
    found.compounds.push((compound, is_child));
    // Each now says whether the one on its left is its parent.
    found.compounds.reverse();
    Ok(found)
}

const ID: u32 = 1 << 16;
const CLASS: u32 = 1 << 8;
const TAG: u32 = 1;

/// Adds a simple selector to its compound and returns its specificity.
fn simple(token: Token<'_>, compound: &mut Compound, input: &mut Parser<'_>) -> Result<u32> {
    let (test, specificity) = match token {
        Token::Ident(tag) => {
            compound.tag = Some(tag.to_ascii_lowercase());
            return Ok(TAG);
        }
        Token::Delim('*') => return Ok(0),
        Token::IDHash(id) => (Test::Id(id.to_string()), ID),
        Token::Delim('.') => (Test::Class(input.expect_ident_cloned()?.to_string()), CLASS),
        Token::SquareBracketBlock => (input.parse_nested_block(attribute)?, CLASS),
        Token::Colon => pseudo(input)?,
        _ => return Err(ParseError::unexpected_token()),
    };
    compound.tests.push(test);
    Ok(specificity)
}

fn pseudo(input: &mut Parser<'_>) -> Result<(Test, u32)> {
    match input.next_including_whitespace()?.clone() {
        Token::Ident(name) => match &*name.to_ascii_lowercase() {
            "root" => Ok((Test::Root, CLASS)),
            "link" | "any-link" => Ok((Test::Link, CLASS)),
            // Old names of pseudo-elements.
            "before" | "after" | "first-line" | "first-letter" => {
                Err(ParseError::unexpected_token())
            }
            _ => Ok((Test::Never, CLASS)),
        },
        Token::Function(name) => {
            let name = name.to_ascii_lowercase();
            let inner = |input: &mut Parser<'_>| Result::Ok(read_list(input));
            let most = |list: &[Selector]| {
                list.iter()
                    .map(|one| one.specificity)
                    .max()
                    .unwrap_or_default()
            };
            match &*name {
                "is" | "matches" | "-webkit-any" | "-moz-any" => {
                    let list = input.parse_nested_block(inner)?;
                    let specificity = most(&list);
                    Ok((Test::Any(list), specificity))
                }
                "where" => Ok((Test::Any(input.parse_nested_block(inner)?), 0)),
                "not" => {
                    let list = input.parse_nested_block(inner)?;
                    let specificity = most(&list);
                    Ok((Test::Not(list), specificity))
                }
                _ => {
                    input.parse_nested_block(|input| {
                        while input.next().is_ok() {}
                        Result::Ok(())
                    })?;
                    Ok((Test::Never, CLASS))
                }
            }
        }
        // Pseudo-elements.
        _ => Err(ParseError::unexpected_token()),
    }
}

fn attribute(input: &mut Parser<'_>) -> Result<Test> {
    let name = input.expect_ident_cloned()?.to_ascii_lowercase();
    let Ok(token) = input.next().cloned() else {
        return Ok(Test::Attribute(name, Comparison::Exists, String::new()));
    };
    let comparison = match token {
        Token::Delim('=') => Comparison::Equals,
        Token::IncludeMatch => Comparison::Word,
        Token::PrefixMatch => Comparison::Begins,
        Token::SuffixMatch => Comparison::Ends,
        Token::SubstringMatch => Comparison::Contains,
        Token::DashMatch => Comparison::Dash,
        _ => return Err(ParseError::unexpected_token()),
    };
    let value = input.expect_ident_or_string()?.to_string();
    // Behind it stands at most the letter for values without case.
    let _ = input.next();
    Ok(Test::Attribute(name, comparison, value))
}

impl Selector {
    /// The word by which it is found.
    pub(super) fn key(&self) -> Key {
        let Some((compound, _)) = self.compounds.first() else {
            return Key::Any;
        };
        let word = compound.tests.iter().find_map(|test| match test {
            Test::Id(id) => Some(Key::Id(id.clone())),
            Test::Class(class) => Some(Key::Class(class.clone())),
            _ => None,
        });
        let tag = compound.tag.clone().map(Key::Tag);
        word.or(tag).unwrap_or(Key::Any)
    }

    /// True if it matches an element. The nearest element that fits a descendant's condition is taken, as almost
    /// always only one does; so the time is bounded by the depth of the page.
    pub(super) fn matches(&self, page: &Page, element: usize) -> bool {
        let mut next = Some(element);
        let mut must_be_next = true;
        for (compound, is_child) in &self.compounds {
            loop {
                let Some((index, at)) =
                    next.and_then(|index| Some((index, page.elements.get(index)?)))
                else {
                    return false;
                };
                next = at.parent;
                if compound.matches(page, index, at) {
                    break;
                }
                if must_be_next {
                    return false;
                }
            }
            must_be_next = *is_child;
        }
        true
    }
}

impl Compound {
    fn matches(&self, page: &Page, index: usize, element: &Element) -> bool {
        let is_of_tag = self.tag.as_ref().is_none_or(|tag| *tag == element.tag);
        is_of_tag
            && self
                .tests
                .iter()
                .all(|test| test.holds(page, index, element))
    }
}

impl Test {
    fn holds(&self, page: &Page, index: usize, element: &Element) -> bool {
        match self {
            Self::Id(id) => element.attribute("id") == Some(id),
            Self::Class(class) => element.classes().any(|own| own == class),
            Self::Attribute(name, comparison, value) => element
                .attribute(name)
                .is_some_and(|own| comparison.holds(own, value)),
            Self::Root => element.parent.is_none(),
            Self::Link => element.tag == "a",
            Self::Any(list) => list.iter().any(|one| one.matches(page, index)),
            Self::Not(list) => !list.iter().any(|one| one.matches(page, index)),
            Self::Never => false,
        }
    }
}

impl Comparison {
    fn holds(self, own: &str, value: &str) -> bool {
        match self {
            Self::Exists => true,
            Self::Equals => own == value,
            Self::Word => own.split_ascii_whitespace().any(|word| word == value),
            Self::Begins => !value.is_empty() && own.starts_with(value),
            Self::Ends => !value.is_empty() && own.ends_with(value),
            Self::Contains => !value.is_empty() && own.contains(value),
            Self::Dash => own
                .strip_prefix(value)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('-')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_match_as_in_a_browser_that_nobody_touches() {
        let page = Page::read(
            r#"<html class="js"><body id=top class="home page"><main><section class="hero">
            <a class="btn btn-primary hover:x" href="/" type="button">Go</a>"#,
        );
        let button = page.elements.iter().position(|one| one.tag == "a").unwrap();
        let matches = |text: &str| {
            let found = list(text);
            found.iter().any(|one| one.matches(&page, button))
        };
        for yes in [
            ".btn",
            "a.btn-primary",
            "A[type=button]",
            "main .hero > a",
            "main > section > .btn",
            "#top .btn",
            "body .hero .btn:not(:disabled):not(.disabled)",
            ":is(button, .btn)",
            ":where(.home, .x) .btn",
            ":root.js a:link",
            "[class*='btn-'], .none",
            "*",
            r".hover\:x",
            "::before, .btn",
        ] {
            assert!(matches(yes), "{yes}");
        }
        for no in [
            ".btn:hover",
            ".btn::before",
            ".btn:before",
            "main > .btn",
            "h1 + a",
            "button",
            ".btn .btn",
            ":root",
            ":not(.btn)",
            ".dark .btn",
            "[href^=''] ",
            "",
            "..",
            ":is(",
        ] {
            assert!(!matches(no), "{no}");
        }
    }

    #[test]
    fn specificity_is_that_of_css() {
        let of = |text: &str| list(text).first().map(|one| one.specificity);
        assert_eq!(of("#a .b c"), Some(ID + CLASS + TAG));
        assert_eq!(of(":where(#a) c"), Some(TAG));
        assert_eq!(of(":not(.a, #b)"), Some(ID));
        assert!(of(&":is(".repeat(2_000)).is_none_or(|found| found < ID));
    }
}
