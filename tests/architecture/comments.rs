//! Comments name the thing. A question word at their start, or a pointer without a noun, leaves it to the reader to find
//! the noun.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::metadata::root;

const WORDS: [&str; 8] = [
    "What", "Whatever", "Who", "Whoever", "Whose", "How", "Where", "Why",
];

/// Pointers without a noun.
const POINTERS: [&str; 3] = ["the one that", "the ones that", "the one which"];

/// Longer markers before their prefixes.
const MARKERS: [&str; 6] = ["//!", "///", "//", "/**", "/*", "* "];

const LANGUAGES: [&str; 6] = ["rs", "js", "mjs", "cjs", "ts", "tsx"];

/// Folders with files that tools make or download.
const MADE: [&str; 6] = ["target", "dist", "node_modules", "venv", "out", "site"];

#[test]
fn comments_name_the_thing() {
    let mut files = Vec::new();
    source_files(&root(), &mut files);
    assert!(files.len() > 500, "the files were really read");
    let mut found = Vec::new();
    for file in files {
        let path = file.strip_prefix(root()).unwrap().display();
        let text = fs::read_to_string(&file).unwrap();
        let lines = questions(&text).chain(pointers(&text));
        found.extend(lines.map(|line| format!("{path}:{line}")));
    }
    assert!(
        found.is_empty(),
        "comments that begin with a question word, or point without a noun: {found:#?}"
    );
}

/// Characters of the longest line of a comment.
const LONGEST: usize = 128;

#[test]
fn lines_of_comments_are_short() {
    let mut files = Vec::new();
    source_files(&root(), &mut files);
    let mut found = Vec::new();
    for file in files {
        let path = file.strip_prefix(root()).unwrap().display();
        let text = fs::read_to_string(&file).unwrap();
        let lines = (1..).zip(text.lines());
        let long = lines.filter(|(_, line)| {
            let is_comment = ["//", "* "]
                .iter()
                .any(|it| line.trim_start().starts_with(it));
            is_comment && !line.contains("http") && line.chars().count() > LONGEST
        });
        found.extend(long.map(|(number, _)| format!("{path}:{number}")));
    }
    assert!(
        found.is_empty(),
        "comments of more than {LONGEST} characters: {found:#?}"
    );
}

#[test]
fn a_question_word_is_found_where_a_comment_begins() {
    let text = "//! # How it works\n\n/** What's there. */\n/**\n * Who asks.\n */\n    // Where it is.\nlet what = 1;";
    assert_eq!(questions(text).collect::<Vec<_>>(), [1, 3, 5, 7]);
    let text =
        "/// Names it.\n/// What follows explains.\n\n// However, whatever\nlet how = \"// What\";";
    assert_eq!(questions(text).count(), 0);
}

#[test]
fn a_pointer_without_a_noun_is_found_in_a_comment() {
    let text = "// Not this, but The one that waits.\nlet one = \"the one that waits\"; // The one here.\n/// It is the ones that wait.";
    assert_eq!(pointers(text).collect::<Vec<_>>(), [1, 3]);
}

/// Numbers of the lines whose comment has one of the pointers.
fn pointers(text: &str) -> impl Iterator<Item = usize> {
    text.lines().zip(1..).filter_map(|(line, number)| {
        let comment = comment_of(line).to_lowercase();
        let points = POINTERS.iter().any(|pointer| comment.contains(pointer));
        points.then_some(number)
    })
}

/// The text of a line that is a comment, and nothing of other lines.
fn comment_of(line: &str) -> &str {
    let line = line.trim();
    let comment = MARKERS.iter().find_map(|marker| line.strip_prefix(marker));
    comment.unwrap_or_default()
}

/// Numbers of the lines where a comment or a paragraph of it begins with one of the words.
fn questions(text: &str) -> impl Iterator<Item = usize> {
    let mut before = "";
    text.lines().zip(1..).filter_map(move |(line, number)| {
        let comment = comment_of(line).trim_start_matches([' ', '#']);
        let begins = std::mem::replace(&mut before, comment).is_empty();
        let first = comment.split(|letter: char| !letter.is_alphabetic()).next();
        (begins && WORDS.contains(&first?)).then_some(number)
    })
}

fn source_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !name.starts_with('.') && !MADE.contains(&name) {
                source_files(&path, files);
            }
        } else if LANGUAGES
            .iter()
            .any(|end| name.ends_with(&format!(".{end}")))
        {
            files.push(path);
        }
    }
}
