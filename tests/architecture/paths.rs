//! The walk through the house answers by names, so every file and folder that it names is there.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::metadata::root;

/// Documents that lead through the code.
const DOCUMENTS: [&str; 4] = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/architecture.md",
    "sdk-wasm/README.md",
];

/// Folders that builds make, or that hold the work of others.
const MADE: [&str; 4] = ["target", "dist", "node_modules", ".git"];

#[test]
fn every_file_that_leads_through_the_code_exists() {
    let mut known = Vec::new();
    walk(&root(), "", &mut known);
    let mut named = 0;
    let mut missing = Vec::new();
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for name in text.split('`').skip(1).step_by(2).flat_map(expanded) {
            if !is_path(&name) {
                continue;
            }
            named += 1;
            let end = format!("/{}", name.trim_end_matches('/'));
            if !known.iter().any(|path: &String| path.ends_with(&end)) {
                missing.push(format!("{document}: {name}"));
            }
        }
    }
    assert!(named > 150, "the documents were really read: {named}");
    assert!(missing.is_empty(), "{missing:#?}");
}

/// True for a path inside of the repository: a folder with its slash, or a file of code.
fn is_path(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    let is_made = MADE
        .iter()
        .any(|folder| name.starts_with(&format!("{folder}/")));
    let is_code = [
        ".rs", ".js", ".mjs", ".ts", ".css", ".toml", ".json", ".md", ".html",
    ];
    name.chars().all(plain)
        && name.contains('/')
        && !name.starts_with('/')
        && !is_made
        && (name.ends_with('/') || is_code.iter().any(|end| name.ends_with(end)))
}

/// Each name that `a/{b,c}.rs` stands for.
fn expanded(name: &str) -> Vec<String> {
    let parts = name
        .split_once('{')
        .and_then(|(start, rest)| Some((start, rest.split_once('}')?)));
    let Some((start, (names, end))) = parts else {
        return vec![name.to_owned()];
    };
    let names = names.split(',');
    names
        .flat_map(|name| expanded(&format!("{start}{name}{end}")))
        .collect()
}

/// Adds the paths of all files and folders, each after a slash.
fn walk(folder: &Path, path: &str, known: &mut Vec<String>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    entries.sort();
    for entry in entries {
        let name = entry.file_name().unwrap().to_string_lossy().into_owned();
        if MADE.contains(&name.as_str()) {
            continue;
        }
        let path = format!("{path}/{name}");
        if entry.is_dir() && !entry.is_symlink() {
            walk(&entry, &path, known);
        }
        known.push(path);
    }
}
