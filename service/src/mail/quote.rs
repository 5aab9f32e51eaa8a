//! Words of strangers in letters.

/// Makes a user's text safe inside a sentence: short, on one line, and without anything that mail programs
/// turn into a link. Otherwise strangers could send advertising through our letters.
pub(crate) fn quoted(name: &str) -> String {
    let mut name = name.chars().take(100).peekable();
    let mut text = String::new();
    while let Some(c) = name.next() {
        let joins = matches!(c, '.' | ':' | '/' | '@' | '\\')
            && name.peek().is_some_and(|next| !next.is_whitespace());
        text.push(if c.is_control() || joins { ' ' } else { c });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_stay_on_one_line_and_make_no_links() {
        assert_eq!(quoted("Dr. Ada, Shop Ltd."), "Dr. Ada, Shop Ltd.");
        assert_eq!(
            quoted("Win at https://evil.example/a\nmail me@evil.example"),
            "Win at https   evil example a mail me evil example"
        );
        assert_eq!(quoted(&"x".repeat(200)).len(), 100);
    }
}
