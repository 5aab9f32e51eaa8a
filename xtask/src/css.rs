//! Bundles `style/main.css` into one style sheet: replaces imports, removes comments and indentation.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use anyhow::{Context, Result, bail};

/// Bundles `dir/name`. `files` replaces the file of each `url(file)`.
pub fn bundle(dir: &Path, name: &str, files: &BTreeMap<String, String>) -> Result<String> {
    let mut sheet = String::new();
    append(dir, name, &mut Vec::new(), &mut sheet)?;
    point_to_hashed_files(&minify(&sheet), files)
}

fn append(dir: &Path, name: &str, parents: &mut Vec<String>, sheet: &mut String) -> Result<()> {
    if parents.iter().any(|parent| parent == name) {
        bail!("{name} imports itself ({})", parents.join(" → "));
    }
    let path = dir.join(name);
    let text = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
    parents.push(name.to_owned());
    for line in text.lines() {
        match line.trim_start().strip_prefix("@import") {
            Some(import) => {
                let (imported, layer) = parse_import(import).with_context(|| {
                    format!("{name}: expected @import \"file.css\" [layer(name)];, not `{line}`")
                })?;
                if let Some(layer) = layer {
                    writeln!(sheet, "@layer {layer} {{")?;
                }
                append(dir, imported, parents, sheet)?;
                if layer.is_some() {
                    sheet.push_str("}\n");
                }
            }
            None => writeln!(sheet, "{line}")?,
        }
    }
    parents.pop();
    Ok(())
}

/// Parses ` "file.css" layer(name);` after `@import`.
fn parse_import(text: &str) -> Option<(&str, Option<&str>)> {
    let text = text.trim().strip_suffix(';')?.trim().strip_prefix('"')?;
    let (file, rest) = text.split_once('"')?;
    let rest = rest.trim();
    if rest.is_empty() {
        return Some((file, None));
    }
    Some((file, Some(rest.strip_prefix("layer(")?.strip_suffix(')')?)))
}

/// Removes text without a meaning: comments, repeated white space, and white space at braces, semicolons and
/// commas.
pub fn minify(css: &str) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(first) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            space(&mut out);
        } else if first == '"' || first == '\'' {
            let length = string_length(rest, first);
            let (string, after) = rest.split_at(length);
            out.push_str(string);
            rest = after;
        } else {
            rest = rest.get(first.len_utf8()..).unwrap_or_default();
            match first {
                _ if first.is_whitespace() => space(&mut out),
                '{' | '}' | ';' | ',' => {
                    if out.ends_with(' ') {
                        out.pop();
                    }
                    if first == '}' && out.ends_with(';') {
                        out.pop();
                    }
                    out.push(first);
                }
                _ => out.push(first),
            }
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Adds a single space, unless white space has no meaning here.
fn space(out: &mut String) {
    if !out.is_empty() && !out.ends_with([' ', '{', '}', ';', ',']) {
        out.push(' ');
    }
}

/// Length of the string at the start of `text`, including its quotes.
fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == quote {
            return at + character.len_utf8();
        }
    }
    text.len()
}

fn point_to_hashed_files(css: &str, files: &BTreeMap<String, String>) -> Result<String> {
    let mut parts = css.split("url(");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (target, rest) = part.split_once(')').context("url( without )")?;
        let name = target.trim_matches(['"', '\'', ' ']);
        if name.starts_with("data:") || name.starts_with('#') {
            write!(out, "url({target}){rest}")?;
        } else {
            let hashed = files
                .get(name)
                .with_context(|| format!("no file style/{name} for url({target})"))?;
            write!(out, "url({hashed}){rest}")?;
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minifying_keeps_the_meaning() {
        let css = "/* note */\n:root {\n  --a: calc(1px + 2px);\n}\na :hover,\nb > c {\n  content: \"a  /* b */ \\\" {\";\n}\n";
        assert_eq!(
            minify(css),
            ":root{--a: calc(1px + 2px)}a :hover,b > c{content: \"a  /* b */ \\\" {\"}"
        );
    }

    #[test]
    fn imports_come_in_order_and_in_their_layer() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(
            dir.path().join("main.css"),
            "@import \"a.css\" layer(base);\n@import \"b.css\";\nc { d: e }\n",
        )
        .unwrap();
        fs::write(dir.path().join("a.css"), "a { x: y; }").unwrap();
        fs::write(dir.path().join("b.css"), "b { background: url(\"i.svg\") }").unwrap();
        let files = BTreeMap::from([("i.svg".to_owned(), "i-12.svg".to_owned())]);
        assert_eq!(
            bundle(dir.path(), "main.css", &files).unwrap(),
            "@layer base{a{x: y}}b{background: url(i-12.svg)}c{d: e}"
        );
        assert!(
            bundle(dir.path(), "main.css", &BTreeMap::new()).is_err(),
            "a lost file is noticed"
        );
    }

    #[test]
    fn a_circle_of_imports_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("main.css"), "@import \"main.css\";").unwrap();
        assert!(bundle(dir.path(), "main.css", &BTreeMap::new()).is_err());
    }
}
