//! The names in the tables of the interface's text.

use std::collections::BTreeSet;

/// The names with the heading above their table, or the sentence that ends before it with a colon.
pub fn names(text: &str) -> BTreeSet<(String, String)> {
    let mut names = BTreeSet::new();
    let (mut heading, mut section, mut columns) = ("", "", Vec::new());
    for line in text.lines() {
        if let Some(row) = line.strip_prefix('|') {
            let cells: Vec<&str> = row
                .trim_end_matches('|')
                .split('|')
                .map(str::trim)
                .collect();
            if columns.is_empty() {
                columns = cells;
            } else if !row.starts_with("--") {
                let found = of_row(columns[0], &cells);
                names.extend(found.into_iter().map(|name| (section.to_owned(), name)));
            }
            continue;
        }
        columns.clear();
        if line.starts_with('#') {
            heading = line.trim_start_matches('#').trim();
            section = heading;
        } else if let Some(values) = values(line) {
            names.extend(values.map(|name| (heading.to_owned(), name)));
        } else if !line.is_empty() {
            let sentence = line.rsplit(". ").next().unwrap_or_default();
            section = sentence.strip_suffix(':').unwrap_or(heading);
        }
    }
    names
}

/// The names in a row of a table whose first column has this title.
fn of_row(title: &str, cells: &[&str]) -> Vec<String> {
    let first = cells[0];
    if title == "Method" {
        return operations(first, cells[1]);
    }
    if title == "State" {
        return vec![format!("{first} → {}", cells[3])];
    }
    if !title.starts_with("Field") {
        return vec![first.to_owned()];
    }
    let rest = cells[1..].join(" | ");
    let mut names: Vec<String> = first.split(", ").map(str::to_owned).collect();
    names.extend(listed(&rest, "one of: ", ".").map(|value| format!("{first}={value}")));
    for begin in ["each has ", "each screen has "] {
        for part in listed(&rest, begin, " |") {
            // A field of the part, and its values in brackets.
            let (field, values) = part.split_once(" (").unwrap_or((part, ""));
            names.push(format!("{first}.{field}"));
            let values = values.trim_end_matches(')').split(" or ");
            let values = values.filter(|value| !value.is_empty());
            names.extend(values.map(|value| format!("{first}.{field}={value}")));
        }
    }
    names
}

/// The items of a list in a text, between its begin and its end.
fn listed<'a>(text: &'a str, begin: &str, end: &str) -> impl Iterator<Item = &'a str> {
    let list = text.split_once(begin).map(|(_, list)| list);
    let list = list.map(|list| list.split(end).next().unwrap_or_default());
    list.into_iter().flat_map(|list| list.split(", "))
}

/// The operations of a row. If it has a path of a list and one of an entry, entries are made in the list, and changed and
/// removed by their own path.
fn operations(methods: &str, paths: &str) -> Vec<String> {
    let paths = paths
        .split(" and ")
        .map(|path| path.split(' ').next().unwrap_or_default());
    let paths: Vec<&str> = paths.collect();
    let (list, entry) = (paths[0], *paths.last().unwrap_or(&paths[0]));
    let mut names = BTreeSet::new();
    for method in methods.split(", ") {
        let of_method = match method {
            "POST" => vec![list],
            "GET" => vec![list, entry],
            _ => vec![entry],
        };
        names.extend(of_method.iter().map(|path| format!("{method} {path}")));
    }
    names.into_iter().collect()
}

/// The values of a sentence that shows those of a field.
fn values(line: &str) -> Option<impl Iterator<Item = String>> {
    let (field, values) = line.split_once(" values shown: ")?;
    let field = field.rsplit(' ').next()?;
    let values = values.trim_end_matches('.').split(", ");
    Some(values.map(move |value| format!("{field}={value}")))
}
