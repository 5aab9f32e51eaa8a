//! A word has one meaning, in prose and in the names of code. The third table of the glossary retires names that gave
//! a word another one; a name that comes back would mislead again.

use std::{collections::BTreeSet, fs, path::Path};

use crate::{metadata::root, sql::rust_files};

/// Retired names that are still in code. Each is to go when its code is changed, and then from this list.
const REMAINING: [&str; 5] = [
    "state::Place",
    "boxes::Kind",
    "auth::door",
    "gate::Door",
    "pages::gate",
];

#[test]
fn a_word_has_one_row() {
    let mut seen = BTreeSet::new();
    let words = rows("## Our words");
    assert!(words.len() > 60, "the glossary was really read");
    for row in words {
        let word = row.first().unwrap().to_owned();
        assert!(seen.insert(word.clone()), "`{word}` has two meanings");
    }
}

#[test]
fn retired_names_are_gone() {
    let retired: BTreeSet<String> = rows("## Words with several meanings")
        .iter()
        .flat_map(|row| names(row.get(1).map_or("", String::as_str)))
        .collect();
    assert!(retired.len() > 8, "the glossary was really read");
    let mut files = Vec::new();
    for room in ["domain", "proof", "service", "server", "app"] {
        rust_files(&root().join(room).join("src"), &mut files);
    }
    let mut found = BTreeSet::new();
    for file in files {
        let (module, text) = (module(&file), fs::read_to_string(&file).unwrap());
        let declared = |name: &&String| {
            let (parent, name) = last_two(name);
            parent == module && declares(&text, name)
        };
        found.extend(retired.iter().filter(declared).cloned());
    }
    let remaining = REMAINING.map(str::to_owned).into();
    assert_eq!(
        found, remaining,
        "names that the glossary retires and code has"
    );
}

#[test]
fn declarations_are_found() {
    let text = "pub enum Kind {\n    Part,\n}\npub(super) struct Place<T>(T);\nmod door;\n";
    for name in ["Kind", "Place", "door"] {
        assert!(declares(text, name), "{name}");
    }
    for name in ["Part", "Kin", "T"] {
        assert!(!declares(text, name), "{name}");
    }
}

/// The cells of the table under a title.
fn rows(title: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join("docs/glossary.md")).unwrap();
    let (_, section) = text.split_once(title).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let lines = section.lines().filter(|line| line.starts_with("| "));
    let cells = lines.skip(1).map(|line| {
        let cells = line.trim_matches('|').split('|');
        cells.map(|cell| cell.trim().to_owned()).collect()
    });
    cells.collect()
}

/// The names of code in a cell: those in backticks with a module before them.
fn names(cell: &str) -> impl Iterator<Item = String> {
    let quoted = cell.split('`').skip(1).step_by(2);
    quoted.filter(|text| text.contains("::")).map(|text| {
        let (parent, name) = last_two(text);
        format!("{parent}::{name}")
    })
}

fn last_two(name: &str) -> (&str, &str) {
    let (before, name) = name.rsplit_once("::").unwrap();
    let parent = before.rsplit("::").next().unwrap();
    (parent, name)
}

/// The name of a file's module without those above it.
fn module(file: &Path) -> String {
    let file = file.with_extension("");
    let named = if file.ends_with("mod") {
        file.parent().unwrap()
    } else {
        &file
    };
    named.file_name().unwrap().to_str().unwrap().to_owned()
}

/// True if a file declares a type or a module of this name.
fn declares(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        words.windows(2).any(|pair| match pair {
            ["enum" | "struct" | "type" | "mod" | "trait", declared] => *declared == name,
            _ => false,
        })
    })
}
