//! The values of an element: the rules that match it in their order, variables put in.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    rc::Rc,
};

use cssparser::{ParseError, Parser, Token};

use super::{
    page::{Element, Page},
    selector::Key,
    sheet::{self, Declaration, Rules},
};

/// Selectors that are compared with elements, and variables that are put in, before a page counts as too large.
const MOST_STEPS: u32 = 4_000_000;
/// Variables in variables.
const DEEPEST: u8 = 12;
/// Characters of a value with its variables.
const LONGEST: usize = 4_000;

/// The strength of a declaration, by which the last one of the strongest counts: importance, own style, layer,
/// specificity, position.
type Strength = (bool, bool, usize, u32, usize);

/// Values of the declared properties of an element.
type Declared<'a> = Rc<HashMap<&'a str, (Strength, &'a str)>>;

/// A page with its rules.
pub(super) struct Cascade<'a> {
    page: &'a Page,
    rules: &'a Rules,
    /// Positions of rules and of their selectors.
    found_by: HashMap<Key, Vec<(usize, usize)>>,
    own: Vec<Vec<Declaration>>,
}

/// The cascade at work: it remembers what it has found.
pub(super) struct Values<'a> {
    cascade: &'a Cascade<'a>,
    declared: RefCell<HashMap<usize, Declared<'a>>>,
    steps: Cell<u32>,
}

impl<'a> Cascade<'a> {
    pub(super) fn new(page: &'a Page, rules: &'a Rules) -> Self {
        let mut found_by: HashMap<Key, Vec<(usize, usize)>> = HashMap::new();
        for (at, rule) in rules.all.iter().enumerate() {
            for (which, selector) in rule.selectors.iter().enumerate() {
                found_by
                    .entry(selector.key())
                    .or_default()
                    .push((at, which));
            }
        }
        let own = |element: &Element| {
            element
                .attribute("style")
                .map(sheet::declarations)
                .unwrap_or_default()
        };
        Self {
            page,
            rules,
            found_by,
            own: page.elements.iter().map(own).collect(),
        }
    }

    pub(super) fn values(&'a self) -> Values<'a> {
        Values {
            cascade: self,
            declared: RefCell::default(),
            steps: Cell::new(MOST_STEPS),
        }
    }
}

impl<'a> Values<'a> {
    /// The value of a property that the element itself has; `None` also for the words that set it back.
    pub(super) fn own(&self, element: usize, property: &str) -> Option<String> {
        let value = self.raw(element, property)?;
        let value = self.filled(element, value, DEEPEST)?;
        let is_back = matches!(
            &*value.to_ascii_lowercase(),
            "initial" | "unset" | "revert" | "revert-layer" | "inherit"
        );
        (!is_back).then_some(value)
    }

    /// The value of a property that the element has from itself or from those around it.
    pub(super) fn inherited(&self, element: usize, property: &str) -> Option<String> {
        let mut next = Some(element);
        while let Some(at) = next {
            let value = self.own(at, property);
            let is_own = value
                .as_ref()
                .is_some_and(|value| !value.eq_ignore_ascii_case("currentcolor"));
            if is_own {
                return value;
            }
            next = self.parent(at);
        }
        None
    }

    /// The value of a variable where the element stands.
    pub(super) fn variable(&self, element: usize, name: &str) -> Option<String> {
        self.variable_in(element, name, DEEPEST)
    }

    fn parent(&self, element: usize) -> Option<usize> {
        self.cascade.page.elements.get(element)?.parent
    }

    fn step(&self) -> Option<()> {
        let left = self.steps.get().checked_sub(1)?;
        self.steps.set(left);
        Some(())
    }

    fn variable_in(&self, element: usize, name: &str, depth: u8) -> Option<String> {
        let mut next = Some(element);
        while let Some(at) = next {
            self.step()?;
            if let Some(value) = self.raw(at, name) {
                return self.filled(at, value, depth);
            }
            next = self.parent(at);
        }
        None
    }

    /// A value with its variables. `None` if one of them is missing and has no replacement.
    fn filled(&self, element: usize, value: &str, depth: u8) -> Option<String> {
        if !value.contains("var(") {
            return Some(value.to_owned());
        }
        let depth = depth.checked_sub(1)?;
        let mut text = String::new();
        self.fill(element, &mut Parser::new(value), depth, &mut text)?;
        Some(text.trim().to_owned())
    }

    fn fill(
        &self,
        element: usize,
        input: &mut Parser<'_>,
        depth: u8,
        text: &mut String,
    ) -> Option<()> {
        loop {
            let start = input.position();
            let Ok(token) = input.next_including_whitespace().cloned() else {
                return Some(());
            };
            self.step()?;
            let end = match &token {
                Token::Function(name) if name.eq_ignore_ascii_case("var") => {
                    let filled = |input: &mut Parser<'_>| {
                        Ok::<_, ParseError<()>>(self.replace(element, input, depth))
                    };
                    text.push_str(&input.parse_nested_block(filled).ok().flatten()?);
                    continue;
                }
                Token::Function(_) | Token::ParenthesisBlock => ")",
                Token::SquareBracketBlock => "]",
                Token::CurlyBracketBlock => "}",
                _ => "",
            };
            text.push_str(input.slice_from(start));
            if !end.is_empty() {
                let inner = |input: &mut Parser<'_>| {
                    Ok::<_, ParseError<()>>(self.fill(element, input, depth, text))
                };
                input.parse_nested_block(inner).ok().flatten()?;
                text.push_str(end);
            }
            if text.len() > LONGEST {
                return None;
            }
        }
    }

    /// The value for `var(…)`, whose content this reads.
    fn replace(&self, element: usize, input: &mut Parser<'_>, depth: u8) -> Option<String> {
        let name = input.expect_ident_cloned().ok()?;
        let otherwise = input.expect_comma().is_ok().then(|| {
            let start = input.position();
            while input.next().is_ok() {}
            input.slice_from(start)
        });
        // A block that is not read to its end is an error.
        while input.next().is_ok() {}
        let found = self.variable_in(element, &name, depth);
        found.or_else(|| self.filled(element, otherwise?.trim(), depth))
    }

    fn raw(&self, element: usize, property: &str) -> Option<&'a str> {
        let known = self.declared.borrow().get(&element).cloned();
        let declared = known.unwrap_or_else(|| {
            let found = Rc::new(self.declare(element));
            self.declared.borrow_mut().insert(element, found.clone());
            found
        });
        declared.get(property).map(|(_, value)| *value)
    }

    fn declare(&self, index: usize) -> HashMap<&'a str, (Strength, &'a str)> {
        let mut found: HashMap<&'a str, (Strength, &'a str)> = HashMap::new();
        let Cascade {
            page,
            rules,
            found_by,
            own,
        } = self.cascade;
        let Some(element) = page.elements.get(index) else {
            return found;
        };
        let mut add = |declarations: &'a [Declaration], is_own, layer: usize, specificity, at| {
            for one in declarations {
                // Important declarations of early layers are the strongest.
                let layer = if one.is_important {
                    usize::MAX - layer
                } else {
                    layer
                };
                let strength = (one.is_important, is_own, layer, specificity, at);
                let value = (strength, one.value.as_str());
                let before = found.entry(&one.name).or_insert(value);
                if strength >= before.0 {
                    *before = value;
                }
            }
        };
        let keys = element.classes().map(|class| Key::Class(class.to_owned()));
        let keys = keys.chain(element.attribute("id").map(|id| Key::Id(id.to_owned())));
        let keys = keys.chain([Key::Tag(element.tag.clone()), Key::Any]);
        for key in keys {
            for &(at, which) in found_by.get(&key).into_iter().flatten() {
                if self.step().is_none() {
                    return found;
                }
                let Some(rule) = rules.all.get(at) else {
                    continue;
                };
                let selector = rule.selectors.get(which);
                if let Some(selector) = selector.filter(|one| one.matches(page, index)) {
                    add(
                        &rule.declarations,
                        false,
                        rule.layer,
                        selector.specificity,
                        at,
                    );
                }
            }
        }
        if let Some(own) = own.get(index) {
            add(own, true, usize::MAX, 0, usize::MAX);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(html: &str, css: &str, look: impl FnOnce(&Values<'_>, usize) -> T) -> T {
        let page = Page::read(html);
        let mut rules = Rules::default();
        rules.add(css, None);
        let cascade = Cascade::new(&page, &rules);
        let last = page.elements.len() - 1;
        look(&cascade.values(), last)
    }

    #[test]
    fn the_strongest_declaration_counts() {
        let html = r#"<body class="home"><p class="a b" id="c" style="border-radius:3px">"#;
        let css = "@layer x{p{color:#100!important}} .a{color:#200} #c{color:#300} p.a.b{color:#400} \
            .a{background:#500} p{background:#600} .b{background-color:#700} p{border-radius:9px!important} \
            body{--x:1;font:1rem/2 Inter} .home p{--x:2;font-family:var(--none,var(--y))}";
        with(html, css, |values, p| {
            assert_eq!(values.own(p, "color").as_deref(), Some("#100"));
            assert_eq!(values.own(p, "background-color").as_deref(), Some("#700"));
            assert_eq!(values.own(p, "border-radius").as_deref(), Some("9px"));
            assert_eq!(values.variable(p, "--x").as_deref(), Some("2"));
            assert_eq!(
                values.inherited(p, "font-family").as_deref(),
                Some("1rem/2 Inter")
            );
        });
    }

    #[test]
    fn variables_are_put_in_where_they_stand() {
        let css = ":root{--hue:210;--main:hsl(var(--hue) 50% calc(20% + var(--light, 30%)))} .a{--hue:10}\
            p{color:var(--main);background:rgb(1 2 3/var(--none, 1));border-radius:var(--none)}";
        with("<p class=a>", css, |values, p| {
            assert_eq!(
                values.own(p, "color").as_deref(),
                Some("hsl(210 50% calc(20% + 30%))")
            );
            assert_eq!(
                values.own(p, "background-color").as_deref(),
                Some("rgb(1 2 3/1)")
            );
            assert_eq!(values.own(p, "border-radius"), None);
        });
    }

    #[test]
    fn variables_without_end_come_to_nothing() {
        let bomb = |n| format!("--v{n}:{};", format!("var(--v{})", n + 1).repeat(60));
        let bombs = (0..40).map(bomb).collect::<Vec<_>>().concat();
        let css = format!(
            ":root{{--a:var(--b);--b:var(--a);{bombs}}} p{{color:var(--a);background:var(--v0)}}"
        );
        with("<p>", &css, |values, p| {
            assert_eq!(values.own(p, "color"), None);
            assert_eq!(values.own(p, "background-color"), None);
        });
    }
}
