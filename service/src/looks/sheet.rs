//! Style sheets: the rules that count for a light page on a wide screen.

use cssparser::{
    AtRuleParser, CowRcStr, DeclarationParser, ParseError, Parser, ParserState,
    QualifiedRuleParser, RuleBodyItemParser, RuleBodyParser, StyleSheetParser,
};

use super::selector::{self, Selector};

/// Width of the screen in CSS pixels.
const WIDTH: f64 = 1280.0;
/// Rules that are kept of all sheets.
const MOST_RULES: usize = 40_000;
/// Layers that are told apart.
const MOST_LAYERS: usize = 64;
/// Characters of a value that is read.
const LONGEST: usize = 2_000;

/// A declaration that a look follows from.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Declaration {
    /// The property, by its long name.
    pub name: String,
    pub value: String,
    pub is_important: bool,
}

#[derive(Debug)]
pub(super) struct Rule {
    pub selectors: Vec<Selector>,
    pub declarations: Vec<Declaration>,
    /// The position of its layer; rules in none stand behind all.
    pub layer: usize,
}

/// The rules of several sheets, in their order.
#[derive(Debug, Default)]
pub(super) struct Rules {
    pub all: Vec<Rule>,
    layers: Vec<String>,
}

impl Rules {
    /// Adds the rules of a sheet.
    pub(super) fn add(&mut self, text: &str, media: Option<&str>) {
        if !media.is_none_or(applies) {
            return;
        }
        let mut reader = Reader {
            rules: self,
            layer: Vec::new(),
        };
        reader.sheet(&mut Parser::new(text));
    }

    fn layer(&mut self, path: &[String]) -> usize {
        if path.is_empty() {
            return usize::MAX;
        }
        let name = path.join(".");
        if let Some(at) = self.layers.iter().position(|own| *own == name) {
            return at;
        }
        if self.layers.len() < MOST_LAYERS {
            self.layers.push(name);
        }
        self.layers.len() - 1
    }
}

/// Declarations of an element's own style.
pub(super) fn declarations(text: &str) -> Vec<Declaration> {
    body(&mut Parser::new(text))
}

fn body(input: &mut Parser<'_>) -> Vec<Declaration> {
    let found: Vec<Vec<Declaration>> = RuleBodyParser::new(input, &mut Body).flatten().collect();
    found.into_iter().flatten().collect()
}

type Result<T> = std::result::Result<T, ParseError<()>>;

/// The rest of the block or rule that the parser is in, as text.
fn rest<'i>(input: &mut Parser<'i>) -> &'i str {
    let start = input.position();
    while input.next().is_ok() {}
    input.slice_from(start).trim()
}

struct Reader<'a> {
    rules: &'a mut Rules,
    /// Names of the layers around.
    layer: Vec<String>,
}

impl Reader<'_> {
    fn sheet(&mut self, input: &mut Parser<'_>) {
        // A broken rule is left out, as browsers do.
        for rule in StyleSheetParser::new(input, self) {
            let _ = rule;
        }
    }
}

enum At {
    /// Its rules count.
    Group,
    /// Its rules count, in a layer.
    Layer(String),
    Skipped,
}

impl<'i> AtRuleParser<'i> for Reader<'_> {
    type Prelude = At;
    type AtRule = ();
    type Error = ();

    fn parse_prelude(&mut self, name: CowRcStr<'i>, input: &mut Parser<'i>) -> Result<At> {
        let prelude = rest(input);
        Ok(match &*name.to_ascii_lowercase() {
            "media" if applies(prelude) => At::Group,
            "supports" if !prelude.trim_start().starts_with("not") => At::Group,
            "layer" => At::Layer(prelude.to_owned()),
            _ => At::Skipped,
        })
    }

    fn rule_without_block(
        &mut self,
        prelude: At,
        _start: &ParserState,
    ) -> std::result::Result<(), ()> {
        // The names alone give the layers their order.
        if let At::Layer(names) = prelude {
            for name in names.split(',') {
                let mut path = self.layer.clone();
                path.push(name.trim().to_owned());
                self.rules.layer(&path);
            }
        }
        Ok(())
    }

    fn parse_block(
        &mut self,
        prelude: At,
        _start: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<()> {
        match prelude {
            At::Group => self.sheet(input),
            At::Layer(name) => {
                self.layer.push(name);
                self.sheet(input);
                self.layer.pop();
            }
            At::Skipped => {}
        }
        Ok(())
    }
}

impl<'i> QualifiedRuleParser<'i> for Reader<'_> {
    type Prelude = &'i str;
    type QualifiedRule = ();
    type Error = ();

    fn parse_prelude(&mut self, input: &mut Parser<'i>) -> Result<&'i str> {
        Ok(rest(input))
    }

    fn parse_block(
        &mut self,
        selectors: &'i str,
        _start: &ParserState,
        input: &mut Parser<'i>,
    ) -> Result<()> {
        let declarations = body(input);
        if declarations.is_empty() || self.rules.all.len() >= MOST_RULES {
            return Ok(());
        }
        let selectors = selector::list(selectors);
        if !selectors.is_empty() {
            let layer = self.rules.layer(&self.layer);
            self.rules.all.push(Rule {
                selectors,
                declarations,
                layer,
            });
        }
        Ok(())
    }
}

/// Reads declarations and leaves out rules among them.
struct Body;

impl<'i> DeclarationParser<'i> for Body {
    type Declaration = Vec<Declaration>;
    type Error = ();

    fn parse_value(
        &mut self,
        name: CowRcStr<'i>,
        input: &mut Parser<'i>,
        _start: &ParserState,
    ) -> Result<Vec<Declaration>> {
        let text = rest(input);
        let own = name.to_ascii_lowercase();
        let names: &[&str] = match &*own {
            // Their names have a case.
            variable if variable.starts_with("--") => &[&name],
            "background" => &["background-color", "background-image"],
            "font" => &["font-family"],
            "color" | "background-color" | "background-image" | "border-radius" | "font-family" => {
                &[&own]
            }
            _ => return Ok(Vec::new()),
        };
        let important = text.rsplit_once('!').filter(|(_, word)| {
            let word = word.trim();
            word.eq_ignore_ascii_case("important")
        });
        let value = important.map_or(text, |(value, _)| value.trim());
        if value.len() > LONGEST {
            return Ok(Vec::new());
        }
        let declaration = |name: &&str| Declaration {
            name: (*name).to_owned(),
            value: value.to_owned(),
            is_important: important.is_some(),
        };
        Ok(names.iter().map(declaration).collect())
    }
}

impl AtRuleParser<'_> for Body {
    type Prelude = ();
    type AtRule = Vec<Declaration>;
    type Error = ();
}

impl QualifiedRuleParser<'_> for Body {
    type Prelude = ();
    type QualifiedRule = Vec<Declaration>;
    type Error = ();
}

impl RuleBodyItemParser<'_, Vec<Declaration>, ()> for Body {
    fn parse_declarations(&self) -> bool {
        true
    }

    fn parse_qualified(&self) -> bool {
        true
    }
}

/// True if a list of media queries holds for a light page on a wide screen.
pub(super) fn applies(media: &str) -> bool {
    let media = media.to_ascii_lowercase();
    media.trim().is_empty() || media.split(',').any(query)
}

fn query(text: &str) -> bool {
    let text = text.trim();
    let (is_not, text) = match text.strip_prefix("not ") {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix("only ").unwrap_or(text)),
    };
    text.split(" and ").all(condition) != is_not
}

fn condition(text: &str) -> bool {
    let text = text.trim();
    let Some(feature) = text
        .strip_prefix('(')
        .and_then(|text| text.strip_suffix(')'))
    else {
        return matches!(text, "all" | "screen");
    };
    // `width >= 48rem`, `48rem <= width`.
    if let Some(at) = feature.find(['<', '>']) {
        let (left, right) = feature.split_at(at);
        let is_up = right.starts_with('>');
        let right = right.trim_start_matches(['<', '>', '=']);
        return match (left.trim(), right.trim()) {
            ("width", limit) => pixels(limit).is_some_and(|limit| (limit <= WIDTH) == is_up),
            (limit, "width") => pixels(limit).is_some_and(|limit| (limit <= WIDTH) != is_up),
            _ => false,
        };
    }
    let (name, value) = feature.split_once(':').unwrap_or((feature, ""));
    match (name.trim(), value.trim()) {
        ("min-width", limit) => pixels(limit).is_some_and(|limit| limit <= WIDTH),
        ("max-width", limit) => pixels(limit).is_some_and(|limit| limit >= WIDTH),
        ("prefers-color-scheme", scheme) => scheme == "light",
        ("prefers-reduced-motion", motion) => motion == "no-preference",
        ("hover" | "any-hover", hover) => matches!(hover, "hover" | ""),
        ("pointer" | "any-pointer", pointer) => matches!(pointer, "fine" | ""),
        ("color" | "min-resolution" | "orientation", value) => {
            matches!(value, "" | "1dppx" | "landscape")
        }
        _ => false,
    }
}

/// A length of a media query in CSS pixels.
fn pixels(text: &str) -> Option<f64> {
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = text.split_at(at);
    let number: f64 = number.trim().parse().ok()?;
    match unit {
        "px" => Some(number),
        "em" | "rem" => Some(number * 16.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        let mut rules = Rules::default();
        rules.add(text, None);
        let all = rules.all.iter().flat_map(|rule| &rule.declarations);
        all.map(|one| {
            format!(
                "{}={}{}",
                one.name,
                one.value,
                if one.is_important { "!" } else { "" }
            )
        })
        .collect()
    }

    #[test]
    fn rules_of_a_light_page_on_a_wide_screen_count() {
        let text = "@charset 'utf-8'; @import 'x.css'; /* c */ a{color:red;margin:0;--Main : #fff ;} \
            @media print{a{color:#111}} @media (prefers-color-scheme:dark){a{color:#222}} \
            @media (min-width:48rem) and (hover:hover){a{color:#333!important}} @media (width >= 200rem){a{color:#444}} \
            @media (max-width:600px), screen{@supports (display:grid){a{color:#555 ! important}}} \
            @media not print{a{color:#666}} @container (width > 1px){a{color:#777}} @font-face{font-family:X} \
            a{&:hover{color:#888} color:#999;} b{background:#abc url(x) no-repeat} }} a{color:#aaa";
        assert_eq!(
            values(text),
            [
                "color=red",
                "--Main=#fff",
                "color=#333!",
                "color=#555!",
                "color=#666",
                "color=#999",
                "background-color=#abc url(x) no-repeat",
                "background-image=#abc url(x) no-repeat",
            ]
        );
    }

    #[test]
    fn layers_have_their_order_from_their_first_name() {
        let mut rules = Rules::default();
        rules.add(
            "@layer base, theme; @layer theme{a{color:red}} @layer base{a{color:red}} a{color:red}",
            None,
        );
        let layers: Vec<_> = rules.all.iter().map(|rule| rule.layer).collect();
        assert_eq!(layers, [1, 0, usize::MAX]);
    }

    #[test]
    fn hostile_sheets_end() {
        let many = "a{color:red}".repeat(MOST_RULES + 10);
        assert_eq!(values(&many).len(), MOST_RULES);
        for text in [
            "@media screen{".repeat(5_000),
            "{".repeat(100_000),
            "a{color:((((".repeat(9_000),
            ":is(".repeat(50_000),
        ] {
            values(&text);
        }
    }
}
