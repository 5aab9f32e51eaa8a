//! SQL is in few files. So a change of a table concerns few files, and queries do not mix with rules of the
//! product.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::metadata::root;

/// True for each sub-service's `store.rs` and for the few files with a query as their subject.
fn may_hold_sql(path: &str) -> bool {
    path.ends_with("/store.rs")
        || path.starts_with("service/src/db/")
        // Permissions, which every sub-service checks.
        || path.starts_with("service/src/access/")
        // Members of documents and organizations, whose rule is one with their tables.
        || path == "service/src/members.rs"
        // The ledger, with a file for each reason.
        || path.starts_with("service/src/ledger/store/")
        // The single writer of consents, and the columns that it writes.
        || path.starts_with("service/src/consents/writing/")
}

const SIGNS: &[&str] = &[
    "sqlx::query",
    "query_as",
    "query_scalar",
    "QueryBuilder",
    "AssertSqlSafe",
];

/// Statements that write rows of consents.
const WRITES: &[&str] = &[
    "INSERT INTO consents ",
    "UPDATE consents ",
    "DELETE FROM consents ",
];

#[test]
fn consents_are_written_in_one_place() {
    let mut files = Vec::new();
    rust_files(&root().join("service/src"), &mut files);
    let writers: Vec<String> = files
        .iter()
        .filter(|file| {
            let text = fs::read_to_string(file).unwrap();
            WRITES.iter().any(|write| text.contains(write))
        })
        .map(|file| {
            file.strip_prefix(root())
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    assert!(!writers.is_empty(), "the writer was read");
    for writer in writers {
        assert!(
            writer.starts_with("service/src/consents/writing/"),
            "{writer} writes consents; that belongs into consents/writing"
        );
    }
}

#[test]
fn sql_is_only_in_permitted_files() {
    let mut files = Vec::new();
    for dir in [
        "domain/src",
        "service/src",
        "app/src",
        "server/src",
        "frontend/src",
        "sdk-wasm/src",
    ] {
        rust_files(&root().join(dir), &mut files);
    }
    let mut found = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        // A long statement stands in the next line.
        let states = text.split(".query(").skip(1);
        let states = states
            .map(str::trim_start)
            .any(|rest| rest.starts_with('"'));
        if states || SIGNS.iter().any(|sign| text.contains(sign)) {
            let path = file.strip_prefix(root()).unwrap().to_str().unwrap();
            assert!(
                may_hold_sql(path),
                "{path} holds SQL; it belongs into a store.rs"
            );
            found += 1;
        }
    }
    assert!(found > 3, "the files were really read");
}

pub fn rust_files(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
