//! Cells of CSV files, with a guard against spreadsheets, which run a cell that begins with certain characters.
//!
//! A spreadsheet may divide the file at another character than `;`, and then a cell begins in the middle
//! of ours. So each place behind a separator counts as a beginning. A leading `'` makes it text. Text that
//! looks as if it had a guard gets one, too, so that import can remove guards without a doubt.

/// Characters that make a spreadsheet run a cell, those of full width in some languages.
const RUNS: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
/// Characters behind which a cell may begin.
const SEPARATORS: [char; 7] = [';', ',', '|', '"', '\t', '\r', '\n'];

/// A cell (RFC 4180, with `;`), with guards against spreadsheets.
pub(crate) fn cell(text: &mut String, content: &str) {
    let content = guarded(content);
    if content.contains(['"', ';', ',', '\n', '\r', '\t', '\'']) {
        text.push('"');
        text.push_str(&content.replace('"', "\"\""));
        text.push('"');
    } else {
        text.push_str(&content);
    }
}

/// The text with a guard wherever a spreadsheet could run it.
fn guarded(text: &str) -> String {
    rewritten(text, |guards| guards + 1)
}

/// The text without the guards of [`guarded`].
pub(crate) fn unguarded(text: &str) -> String {
    rewritten(text, |guards| guards.saturating_sub(1))
}

/// Gives each beginning that runs another number of `'`.
fn rewritten(text: &str, number: impl Fn(usize) -> usize) -> String {
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let behind = rest.trim_start_matches('\'');
        let guards = rest.len() - behind.len();
        let guards = if behind.starts_with(RUNS) {
            number(guards)
        } else {
            guards
        };
        written.extend(std::iter::repeat_n('\'', guards));
        let Some(separator) = behind.find(SEPARATORS) else {
            written.push_str(behind);
            return written;
        };
        // Each separator is one byte long.
        let (cell, next) = behind.split_at(separator + 1);
        written.push_str(cell);
        rest = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_a_spreadsheet_would_run_is_guarded_and_comes_back() {
        for (text, expected) in [
            ("plain", "plain"),
            ("", ""),
            ("'", "'"),
            ("'quoted'", "'quoted'"),
            ("a=1", "a=1"),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@x", "'@x"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            ("'=1", "''=1"),
            ("＝1", "'＝1"),
            ("＋1", "'＋1"),
            ("－1", "'－1"),
            ("＠x", "'＠x"),
            ("x,=1", "x,'=1"),
            ("x;=1,@y", "x;'=1,'@y"),
            ("x|+1", "x|'+1"),
            ("x\"=1", "x\"'=1"),
            ("x\t-1", "x\t'-1"),
            ("x\n=1", "x\n'=1"),
            (",'=1", ",''=1"),
            (",\t=1", ",'\t'=1"),
            ("{\"a\":\"=1\"}", "{\"a\":\"'=1\"}"),
            ("{\"a\":-1}", "{\"a\":-1}"),
        ] {
            assert_eq!(guarded(text), expected, "{text:?}");
            assert_eq!(unguarded(expected), text, "{expected:?}");
        }
    }
}
