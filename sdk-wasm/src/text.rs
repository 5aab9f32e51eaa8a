//! Texts without `core::fmt`, which alone would double the module.

use alloc::string::String;

use domain::payload::cut;

/// The mark in a template that a value stands for.
const MARK: u8 = 1;

/// Appends each part.
#[inline(never)]
pub fn push(text: &mut String, parts: &[&str]) {
    for part in parts {
        text.push_str(part);
    }
}

/// Appends a template, each of its marks (U+0001) replaced by the next value, the last value
/// standing for all that follow.
#[inline(never)]
pub fn fill(text: &mut String, template: &str, values: &[&str]) {
    let (mut rest, mut values, mut value) = (template, values.iter(), "");
    loop {
        let before = rest.len();
        let piece = cut(&mut rest, MARK);
        text.push_str(piece);
        if piece.len() == before {
            return;
        }
        value = values.next().map_or(value, |next| *next);
        text.push_str(value);
    }
}

/// A whole number.
#[inline(never)]
pub fn decimal(number: u32) -> String {
    let mut text = if number > 9 {
        decimal(number / 10)
    } else {
        String::new()
    };
    let digit = (number % 10) as usize;
    text.push_str("0123456789".get(digit..=digit).unwrap_or_default());
    text
}

/// The value of a cookie in `document.cookie`, still encoded.
pub fn cookie<'a>(cookies: &'a str, name: &str) -> &'a str {
    let mut rest = cookies;
    while !rest.is_empty() {
        let mut pair = cut(&mut rest, b';');
        let key = cut(&mut pair, b'=');
        if key.strip_prefix(' ').unwrap_or(key) == name {
            return pair;
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_whole() {
        for (number, written) in [
            (0, "0"),
            (7, "7"),
            (10, "10"),
            (2_592_000_000, "2592000000"),
        ] {
            assert_eq!(decimal(number), written);
        }
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let cookies = "xplacet=0; placet=1%2C; placet_x=2; last=";
        assert_eq!(cookie(cookies, "placet"), "1%2C");
        assert_eq!(cookie(cookies, "xplacet"), "0");
        assert_eq!(cookie(cookies, "last"), "");
        assert_eq!(cookie(cookies, "cet"), "");
        assert_eq!(cookie("", "a"), "");
    }

    #[test]
    fn a_template_takes_its_values_in_order_and_repeats_the_last() {
        let mut text = String::from(">");
        fill(&mut text, "a\u{1}b\u{1}c\u{1}", &["1", "2"]);
        assert_eq!(text, ">a1b2c2");
    }
}
