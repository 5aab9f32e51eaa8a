//! Text inside `<title>` and `<textarea>`, HTML's escapable raw text elements (HTML Standard, §13.1.2).
//!
//! leptos_meta 0.8 and tachys 0.2 write it into the page as it stands, so a text with the element's end
//! tag goes on as markup. Every such text goes through [`rcdata`]; `tests/architecture` looks.

/// The text as the server writes it between the tags. In the browser it becomes a node: there it stays as
/// it is.
pub fn rcdata(text: String) -> String {
    if cfg!(feature = "ssr") {
        escape(&text)
    } else {
        text
    }
}

fn escape(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    // Parsers drop the first line break of a text area.
    if escaped.starts_with('\n') {
        format!("\n{escaped}")
    } else {
        escaped
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_its_element() {
        assert_eq!(
            escape("a & b</title></TextArea ><i>&lt;"),
            "a &amp; b&lt;/title>&lt;/TextArea >&lt;i>&amp;lt;"
        );
    }

    #[test]
    fn a_first_line_break_is_kept() {
        assert_eq!(escape("\nsecond line"), "\n\nsecond line");
    }
}
