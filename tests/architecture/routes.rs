//! Routes of the API are registered together with their documentation (`routes!`). So they are in the OpenAPI
//! document, and in the test of roles, which reads it. This list names the routes that are registered by
//! hand.
//!
//! The treatment of a route (limits, CORS, deadlines, bodies, the log) stands beside its path as a `Policy`. Code that
//! knows a path by itself would forget the next route.

use std::fs;

use crate::{metadata::root, sql::rust_files};

/// Files with routes outside of the API, and the number of these routes.
const BY_HAND: &[(&str, usize)] = &[
    // Published files and the SDK.
    ("server/src/cdn.rs", 3),
    // The demo shop, on a separate port.
    ("server/src/demo/mod.rs", 5),
    // Adds all the others.
    ("server/src/http/policy.rs", 2),
    // The page of visitors, its script and its styles.
    ("server/src/me/mod.rs", 3),
    // Metrics for Prometheus, on an address of their own.
    ("server/src/metrics.rs", 1),
    // The document itself and its page.
    ("server/src/openapi/mod.rs", 2),
    // An export with its file's name, which is documented in another way. The files of the ledger for verifiers,
    // which docs/proof.md describes. And paths that no route knows.
    ("server/src/router.rs", 3),
    // The witness of other logs, which is mounted below a path of the server.
    ("server/src/serve.rs", 1),
    // Files that people give or take on pages.
    ("server/src/ui/files.rs", 8),
    // Pages and files of the admin UI, and the way to a provider.
    ("server/src/ui/mod.rs", 5),
    // The page that verifies proofs.
    ("server/src/verifier.rs", 1),
    // A witness is a server of its own, whose protocol c2sp.org/tlog-witness describes.
    ("server/src/witness/mod.rs", 2),
];

#[test]
fn routes_of_the_api_are_documented() {
    let mut files = Vec::new();
    rust_files(&root().join("server/src"), &mut files);
    let mut found: Vec<(String, usize)> = files
        .iter()
        .filter_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            let routes = [
                "plain(",
                "route(",
                "route_service(",
                "nest(",
                "nest_service(",
            ]
            .iter()
            .map(|word| text.matches(&format!(".{word}")).count())
            .sum();
            let path = file.strip_prefix(root()).unwrap().to_str().unwrap();
            (routes > 0).then(|| (path.to_owned(), routes))
        })
        .collect();
    found.sort();
    let allowed: Vec<(String, usize)> = BY_HAND
        .iter()
        .map(|(path, routes)| ((*path).to_owned(), *routes))
        .collect();
    assert_eq!(
        found, allowed,
        "routes that the OpenAPI document does not know"
    );
}

#[test]
fn every_tag_of_a_route_is_described() {
    let described = fs::read_to_string(root().join("server/src/openapi/mod.rs")).unwrap();
    let (_, described) = described.split_once("const TAGS").unwrap();
    let (described, _) = described.split_once("];\n").unwrap();
    let mut files = Vec::new();
    rust_files(&root().join("server/src/api"), &mut files);
    let mut read = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for rest in text.split(" tag = \"").skip(1) {
            let tag = rest.split('"').next().unwrap();
            assert!(
                described.contains(&format!("\"{tag}\",")),
                "{}: `TAGS` of server/src/openapi/mod.rs does not describe `{tag}`",
                file.display()
            );
            read += 1;
        }
    }
    assert!(read > 40, "the files were really read");
}

/// Ways in which code compares a path with one that it knows.
const COMPARISONS: [&str; 6] = [
    "starts_with(\"/",
    "ends_with(\"/",
    "contains(\"/",
    "strip_prefix(\"/",
    "== \"/",
    "[\"\", \"v1\"",
];

#[test]
fn paths_are_known_where_routes_are_declared_and_nowhere_else() {
    let mut files = Vec::new();
    rust_files(&root().join("server/src"), &mut files);
    let mut read = 0;
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split("#[cfg(test)]").next().unwrap();
        let shown = file.strip_prefix(root()).unwrap().display();
        let mut declared = 0;
        for (number, line) in code.lines().enumerate() {
            let line = line.trim_start();
            if line.ends_with(".plain(") {
                declared = number;
            }
            if line.starts_with("//") {
                continue;
            }
            read += 1;
            let at = number + 1;
            // The table of routes itself names versions and slashes that may be left out. The document
            // about the API names paths to describe them.
            let is_table = file.ends_with("server/src/router.rs")
                || file.starts_with(root().join("server/src/openapi"));
            let compares = !is_table && COMPARISONS.iter().any(|sign| line.contains(sign));
            assert!(!compares, "{shown}:{at} compares a path: {line}");
            let knows = ["\"/v1/", "\"/ui/", "\"/vault/", "\"/cdn/", "\"/sdk/"]
                .iter()
                .any(|sign| line.contains(sign));
            let declares = line.contains("path = \"/")
                || line.contains("example = ")
                || line.contains("href=")
                || line.contains("plain(")
                || number <= declared + 2
                || line.starts_with("(Policy::");
            assert!(
                is_table || !knows || declares,
                "{shown}:{at} knows a path: {line}"
            );
        }
    }
    assert!(read > 1_000, "the files were really read");
}
