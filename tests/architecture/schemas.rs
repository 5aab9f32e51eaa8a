//! The OpenAPI document names types by their names alone, so two types with one name would be documented as
//! one.

use std::{collections::BTreeMap, fs, path::PathBuf};

use crate::{metadata::root, sql::rust_files};

/// Names of a source file's types in the document.
fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !(line.trim_start().starts_with("#[derive(") && line.contains("ToSchema")) {
            continue;
        }
        let mut renamed = None;
        for line in lines.by_ref() {
            if let Some((_, rest)) = line.split_once("#[schema(as = ") {
                renamed = Some(word(rest));
            }
            let declared = ["struct ", "enum "]
                .iter()
                .find_map(|kind| line.split_once(kind))
                .filter(|(before, _)| {
                    matches!(before.trim(), "" | "pub" | "pub(super)" | "pub(crate)")
                });
            if let Some((_, rest)) = declared {
                let name = word(rest);
                // A generic type gets the names of its parameters in the document.
                if rest.get(name.len()..name.len() + 1) != Some("<") {
                    names.push(renamed.unwrap_or(name));
                }
                break;
            }
        }
    }
    names
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric()).collect()
}

#[test]
fn no_two_types_share_a_name_in_the_openapi_document() {
    let mut files = Vec::new();
    for dir in ["domain/src", "service/src", "server/src"] {
        rust_files(&root().join(dir), &mut files);
    }
    let mut known: BTreeMap<String, PathBuf> = BTreeMap::new();
    for file in files {
        for name in names(&fs::read_to_string(&file).unwrap()) {
            if let Some(other) = known.insert(name.clone(), file.clone()) {
                panic!("{name} is in {} and {}", other.display(), file.display());
            }
        }
    }
    assert!(known.len() > 50, "the files were really read");
}
