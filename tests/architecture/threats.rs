//! The tests that the threat model, and the page of the proof, name exist.

use std::fs;

use crate::metadata::root;

#[test]
fn every_test_that_the_threat_model_names_exists() {
    let text = fs::read_to_string(root().join("docs/threats.md")).unwrap();
    let mut tests = String::new();
    read(&root().join("tests/api"), &mut tests);
    read(&root().join("tests/architecture"), &mut tests);
    read(&root().join("tests/browser/admin"), &mut tests);
    read(&root().join("tests/browser/widget"), &mut tests);
    let mut named = 0;
    for row in text.lines().filter(|line| line.starts_with('|')).skip(2) {
        let held = row.trim_end_matches('|').rsplit('|').next().unwrap();
        for name in held.split('`').skip(1).step_by(2) {
            let file = name.ends_with(".rs") || name.ends_with(".spec.ts");
            let known = if file {
                ["", "tests/browser"]
                    .iter()
                    .any(|folder| root().join(folder).join(name).exists())
            } else {
                tests.contains(name)
            };
            assert!(
                known,
                "docs/threats.md names `{name}`, and no test has that name"
            );
            named += 1;
        }
        assert!(held.contains('`'), "no test holds: {row}");
    }
    assert!(named > 20, "the table was really read");
}

#[test]
fn every_test_that_the_page_of_the_proof_names_exists() {
    let text = fs::read_to_string(root().join("docs/proof.md")).unwrap();
    let (_, section) = text.split_once("\n## How it is checked\n").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    let mut tests = String::new();
    for folder in [
        "tests/api",
        "tests/faults",
        "proof/src",
        "service/src/ledger",
    ] {
        read(&root().join(folder), &mut tests);
    }
    let mut named = 0;
    for row in section.lines().filter(|line| line.starts_with('|')).skip(2) {
        let held = row.trim_end_matches('|').rsplit('|').next().unwrap();
        for name in held.split('`').skip(1).step_by(2) {
            assert!(
                tests.contains(name),
                "docs/proof.md names `{name}`, and no test has that name"
            );
            named += 1;
        }
        assert!(held.contains('`'), "no test holds: {row}");
    }
    assert!(named > 20, "the table was really read");
}

/// The text of all files of a folder and of those in it.
fn read(folder: &std::path::Path, into: &mut String) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            into.push_str(&fs::read_to_string(path).unwrap());
        } else {
            read(&path, into);
        }
    }
}
