//! The widget's style sheet: chosen blocks of `style/widget.css` without comments and white space.
//! A mark divides it: a browser that shows the reopen button alone needs no rule behind the mark.

const SHEET: &str = include_str!("../../../style/widget.css");
const BOXES: &str = include_str!("../../../style/box.css");
/// The only comment in the sheet. `js/core.js` cuts there.
const REST: &str = "/**/";

/// The sheet of boxes in forms.
pub(super) fn boxes() -> String {
    chosen(BOXES, &[])
}

/// The sheet for a widget; blocks between `/* @if name */` and `/* @end */` only where `name` is
/// among `wanted`.
pub(super) fn sheet(wanted: &[&str]) -> String {
    chosen(SHEET, wanted)
}

fn chosen(sheet: &str, wanted: &[&str]) -> String {
    let mut css = String::with_capacity(sheet.len());
    let mut rest = sheet;
    while let Some((before, after)) = rest.split_once("/*") {
        css.push_str(before);
        let (comment, after) = after.split_once("*/").unwrap_or((after, ""));
        rest = after;
        if let Some(name) = comment.trim().strip_prefix("@if ")
            && !wanted.contains(&name.trim())
        {
            rest = rest.split_once("/* @end */").unwrap_or((rest, "")).1;
        }
        if comment.trim() == "@rest" {
            css.push_str(REST);
        }
    }
    css.push_str(rest);
    fold(&css)
}

/// Takes out white space that means nothing. Strings of the sheet hold single blanks between
/// numbers, which stay.
fn fold(css: &str) -> String {
    const TIGHT: &[char] = &['{', '}', ';', ',', '>'];
    let mut folded = String::with_capacity(css.len());
    for word in css.split_ascii_whitespace() {
        let glued = folded.ends_with(TIGHT)
            || folded.ends_with(':')
            || word.starts_with(TIGHT)
            || folded.is_empty();
        if !glued {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded.replace(";}", "}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sheet_is_one_line_and_blocks_are_chosen() {
        let plain = sheet(&[]);
        assert!(!plain.contains(['\n', '\t']) && !plain.replace(REST, "").contains("/*"));
        assert!(!plain.contains(".bar .p{") && sheet(&["bar"]).contains(".bar .p{"));
        assert_eq!(plain.matches('{').count(), plain.matches('}').count());
    }

    #[test]
    fn the_reopen_button_needs_nothing_behind_the_mark() {
        let sheet = sheet(&["reopen", "bottom-right"]);
        let (start, rest) = sheet.split_once(REST).unwrap();
        assert!(start.contains("}.r{") && start.len() < rest.len() / 2);
        assert!(rest.contains("}.w{") && !rest.contains(".r{") && !rest.contains(REST));
    }

    #[test]
    fn blanks_that_separate_are_kept() {
        assert_eq!(
            fold(
                "a b , c >  d {\n  margin: 0 1px ;\n width : calc(1px + 2px)\n}\n@media (x: y) { i { top: 0 } }"
            ),
            "a b,c>d{margin:0 1px;width :calc(1px + 2px)}@media (x:y){i{top:0}}"
        );
        assert_eq!(
            fold("b::before { clip-path: path(evenodd, \"M10 1 2.5 4v5zM5 .7\") }"),
            "b::before{clip-path:path(evenodd,\"M10 1 2.5 4v5zM5 .7\")}"
        );
    }
}
