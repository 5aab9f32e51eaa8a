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
        || path.starts_with("service/src/jobs/")
        // Permissions, which every sub-service checks.
        || path == "service/src/access.rs"
        // Members of documents, which have a table of their own.
        || path == "service/src/vault/members.rs"
        // The writer of consents: one bulk insert, with a text for each engine.
        || path == "service/src/consents/commit.rs"
}

const SIGNS: &[&str] = &[
    "sqlx::query",
    "query_as(",
    "query_as::<",
    "query_scalar",
    "QueryBuilder",
    "AssertSqlSafe",
];

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
        if SIGNS.iter().any(|sign| text.contains(sign)) {
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
