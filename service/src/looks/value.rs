//! Values of properties: colours, lengths, families of fonts.

use cssparser::{ParseError, Parser, Token};
use domain::colour::Colour;

use crate::render::theme;

/// Radius from which on buttons are pills, in CSS pixels.
const PILL: f64 = 24.0;
/// CSS pixels of an `em`.
const EM: f64 = 16.0;
/// Functions in each other that are looked into.
const DEEPEST: u8 = 6;

/// A colour and its opacity, 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Paint {
    pub colour: Colour,
    pub opacity: f64,
}

impl Paint {
    /// The colour on this ground.
    pub(super) fn on(self, ground: Colour) -> Colour {
        ground.mix(self.colour, self.opacity)
    }
}

/// The first colour of a value, also of a gradient.
pub(super) fn colour(text: &str) -> Option<Paint> {
    first_colour(&mut Parser::new(text), DEEPEST)
}

fn first_colour(input: &mut Parser<'_>, depth: u8) -> Option<Paint> {
    loop {
        let start = input.position();
        let token = input.next().ok()?.clone();
        let found = match token {
            Token::Hash(_) | Token::IDHash(_) => read(input.slice_from(start)),
            Token::Ident(name) if name.eq_ignore_ascii_case("transparent") => read(&name),
            Token::Ident(name) => {
                cssparser::color::parse_named_color(&name)
                    .ok()
                    .map(|(r, g, b)| Paint {
                        colour: Colour::new(u32::from_be_bytes([0, r, g, b])),
                        opacity: 1.0,
                    })
            }
            Token::Function(name) => {
                let is_gradient = name.to_ascii_lowercase().ends_with("gradient");
                let inner = input.parse_nested_block(|input| {
                    let inside =
                        if (is_gradient || name.eq_ignore_ascii_case("light-dark")) && depth > 0 {
                            first_colour(input, depth - 1)
                        } else {
                            None
                        };
                    while input.next().is_ok() {}
                    Ok::<_, ParseError<()>>(inside)
                });
                read(input.slice_from(start)).or_else(|| inner.ok().flatten())
            }
            _ => None,
        };
        if found.is_some() {
            return found;
        }
    }
}

fn read(text: &str) -> Option<Paint> {
    let colour = csscolorparser::parse(text.trim()).ok()?;
    let [r, g, b, _] = colour.clamp().to_rgba8();
    Some(Paint {
        colour: Colour::new(u32::from_be_bytes([0, r, g, b])),
        opacity: f64::from(colour.a.clamp(0.0, 1.0)),
    })
}

/// A colour of a variable. Some hold the three numbers of `hsl` or `rgb` alone.
pub(super) fn colour_of_variable(text: &str) -> Option<Paint> {
    colour(text).or_else(|| {
        let name = if text.contains('%') { "hsl" } else { "rgb" };
        let is_plain = text
            .chars()
            .all(|c| c.is_ascii_digit() || " .,%".contains(c));
        is_plain.then(|| read(&format!("{name}({text})"))).flatten()
    })
}

/// A radius in whole CSS pixels, as a project keeps it.
pub(super) fn radius(text: &str) -> Option<u8> {
    let mut input = Parser::new(text);
    let pixels = factor(&mut input, DEEPEST)?.pixels()?;
    // The bounds of the clamp fit.
    (pixels >= 0.0).then(|| pixels.min(PILL).round() as u8)
}

#[derive(Clone, Copy)]
enum Number {
    Plain(f64),
    Pixels(f64),
    /// Only halves of the height make a shape without knowing it.
    Percent(f64),
}

impl Number {
    fn pixels(self) -> Option<f64> {
        match self {
            Self::Pixels(pixels) => Some(pixels),
            Self::Plain(0.0) => Some(0.0),
            Self::Percent(part) if part >= 0.5 => Some(PILL),
            Self::Plain(_) | Self::Percent(_) => None,
        }
    }
}

fn factor(input: &mut Parser<'_>, depth: u8) -> Option<Number> {
    match input.next().ok()?.clone() {
        Token::Number { value, .. } => Some(Number::Plain(value.into())),
        Token::Percentage { unit_value, .. } => Some(Number::Percent(unit_value.into())),
        Token::Dimension { value, unit, .. } => {
            let value = f64::from(value);
            match &*unit.to_ascii_lowercase() {
                "px" => Some(Number::Pixels(value)),
                "em" | "rem" => Some(Number::Pixels(value * EM)),
                _ => None,
            }
        }
        Token::Ident(word) if word.eq_ignore_ascii_case("infinity") => {
            Some(Number::Plain(f64::from(f32::MAX)))
        }
        Token::Function(name) if name.eq_ignore_ascii_case("calc") => nested(input, depth),
        Token::ParenthesisBlock => nested(input, depth),
        _ => None,
    }
}

fn nested(input: &mut Parser<'_>, depth: u8) -> Option<Number> {
    let depth = depth.checked_sub(1)?;
    let inner = |input: &mut Parser<'_>| Ok::<_, ParseError<()>>(sum(input, depth));
    input.parse_nested_block(inner).ok().flatten()
}

fn sum(input: &mut Parser<'_>, depth: u8) -> Option<Number> {
    let mut total = product(input, depth)?;
    while let Ok(Token::Delim(sign @ ('+' | '-'))) = input.next().cloned() {
        let next = product(input, depth)?.pixels()?;
        let next = if sign == '+' { next } else { -next };
        total = Number::Pixels(total.pixels()? + next);
    }
    Some(total)
}

fn product(input: &mut Parser<'_>, depth: u8) -> Option<Number> {
    let mut total = factor(input, depth)?;
    loop {
        let before = input.state();
        let Ok(Token::Delim(sign @ ('*' | '/'))) = input.next().cloned() else {
            input.reset(&before);
            return Some(total);
        };
        total = match (total, sign, factor(input, depth)?) {
            (Number::Plain(a), '*', Number::Plain(b)) => Number::Plain(a * b),
            (Number::Pixels(a), '*', Number::Plain(b))
            | (Number::Plain(b), '*', Number::Pixels(a)) => Number::Pixels(a * b),
            (Number::Pixels(a), '/', Number::Plain(b)) if b != 0.0 => Number::Pixels(a / b),
            _ => return None,
        };
    }
}

/// Families of pictures, and words that are none.
const NO_TEXT: [&str; 14] = [
    "apple color emoji",
    "segoe ui emoji",
    "segoe ui symbol",
    "noto color emoji",
    "emoji",
    "inherit",
    "initial",
    "unset",
    "revert",
    "revert-layer",
    "math",
    "fangsong",
    "cursive",
    "fantasy",
];

/// The families of a value of `font-family` or `font`, as a project keeps them: plain names, ended by a generic one.
pub(super) fn families(text: &str) -> Option<String> {
    let mut input = Parser::new(text);
    // `font` has its families behind the size and the height of lines.
    let mut start = input.state();
    while let Ok(token) = input.next() {
        if matches!(
            token,
            Token::Dimension { .. } | Token::Percentage { .. } | Token::Number { .. }
        ) {
            start = input.state();
        }
    }
    input.reset(&start);
    let names = input.parse_comma_separated_ignoring_errors(family);
    let is_of_text =
        |name: &String| theme::is_family(name) && !NO_TEXT.contains(&&*name.to_ascii_lowercase());
    let mut names: Vec<String> = names.into_iter().filter(is_of_text).collect();
    if names.is_empty() {
        return None;
    }
    let mut generic = names.iter().rev();
    let generic = generic.find(|name| theme::generic(name).is_some()).cloned();
    let end = generic.unwrap_or_else(|| "sans-serif".to_owned());
    names.retain(|name| *name != end);
    names.truncate(theme::MOST_FAMILIES - 1);
    names.push(end);
    Some(names.join(", "))
}

fn family(input: &mut Parser<'_>) -> Result<String, ParseError<()>> {
    if let Ok(name) = input.try_parse(Parser::expect_string_cloned) {
        return Ok(name.to_string());
    }
    let mut words = vec![input.expect_ident_cloned()?.to_string()];
    while let Ok(word) = input.try_parse(Parser::expect_ident_cloned) {
        words.push(word.to_string());
    }
    Ok(words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_every_form() {
        let blue = "#0066cc";
        for (text, expected) in [
            ("#06c", blue),
            ("#0066ccff", blue),
            ("RGB(0, 102, 204)", blue),
            ("rgb(0 102 204 / 1)", blue),
            ("rgba(0,102,204,1)", blue),
            ("hsl(210 100% 40%)", blue),
            ("hsl(210deg, 100%, 40%)", blue),
            ("oklch(0.5151 0.1792 256.29)", "#005bc2"),
            ("oklch(51.51% .1792 256.29)", "#005bc2"),
            ("lab(43 6 -60)", "#0065cc"),
            ("hwb(210 0% 20%)", blue),
            ("color(srgb 0 .4 .8)", blue),
            ("rebeccapurple", "#639"),
            ("linear-gradient(90deg, #06c 0%, red)", blue),
            ("no-repeat url(red.png) #06c", blue),
            ("light-dark(#06c, #fff)", blue),
        ] {
            let found = colour(text).map(|found| found.colour.to_string());
            let expected = Colour::read(expected).unwrap();
            let near = Colour::read(&found.clone().unwrap_or_default())
                .is_some_and(|found| found.contrast(expected) < 1.15);
            assert!(near, "{text}: {found:?}");
        }
        for none in [
            "",
            "none",
            "transparentish",
            "url(red)",
            "currentcolor",
            "var(--x)",
            "rgb(1)",
            "#12",
        ] {
            assert_eq!(colour(none), None, "{none}");
        }
        let opacity = |text| colour(text).map(|found| found.opacity);
        assert_eq!(opacity("rgb(0 0 0 / 50%)"), Some(0.5));
        assert_eq!(opacity("transparent"), Some(0.0));
    }

    #[test]
    fn variables_hold_colours_or_their_numbers() {
        let found = |text| colour_of_variable(text).map(|found| found.colour.to_string());
        assert_eq!(found("210 100% 40%").as_deref(), Some("#06c"));
        assert_eq!(found("0, 102, 204").as_deref(), Some("#06c"));
        assert_eq!(found("#06c").as_deref(), Some("#06c"));
        assert_eq!(found("1rem"), None);
    }

    #[test]
    fn radii_are_whole_pixels_and_pills_have_one_size() {
        for (text, expected) in [
            ("0", Some(0)),
            ("4px", Some(4)),
            (".375rem", Some(6)),
            ("4px 4px 0 0", Some(4)),
            ("9999px", Some(24)),
            ("50%", Some(24)),
            ("calc(infinity * 1px)", Some(24)),
            ("calc(0.5rem - 2px)", Some(6)),
            ("calc((.5rem + 2px) * 1.5)", Some(15)),
            ("10%", None),
            ("5", None),
            ("2vw", None),
            ("-1px", None),
            ("inherit", None),
        ] {
            assert_eq!(radius(text), expected, "{text}");
        }
    }

    #[test]
    fn families_are_plain_names_with_a_generic_end() {
        for (text, expected) in [
            ("Inter, sans-serif", Some("Inter, sans-serif")),
            ("'Open Sans'", Some("Open Sans, sans-serif")),
            (
                "system-ui,-apple-system,\"Segoe UI\",Roboto,\"Helvetica Neue\",\"Noto Sans\",Arial,sans-serif,\"Apple Color Emoji\"",
                Some("system-ui, -apple-system, Segoe UI, Roboto, Helvetica Neue, sans-serif"),
            ),
            (
                "italic bold 16px/1.5 Merriweather Sans, serif",
                Some("Merriweather Sans, serif"),
            ),
            ("16px/1.5 'A;}*{x:y', serif", Some("serif")),
            (
                "__Inter_d65c78, __Inter_Fallback_d65c78",
                Some("__Inter_d65c78, __Inter_Fallback_d65c78, sans-serif"),
            ),
            ("inherit", None),
            ("", None),
            ("url(x)", None),
        ] {
            assert_eq!(families(text).as_deref(), expected, "{text}");
        }
    }
}
