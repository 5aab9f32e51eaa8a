//! Routes of the API are registered together with their documentation (`routes!`). So they are in the OpenAPI
//! document, and in the test of roles, which reads it. This list names the routes that are registered by
//! hand.

use std::fs;

use crate::{metadata::root, sql::rust_files};

/// Files with routes outside of the API, and the number of these routes.
const BY_HAND: &[(&str, usize)] = &[
    // Published files and the SDK.
    ("server/src/cdn.rs", 3),
    // The demo shop, on a separate port.
    ("server/src/demo/mod.rs", 5),
    // The document and its page.
    ("server/src/openapi/mod.rs", 2),
    // Other addresses of documented operations: an export with its file's name, and the list of projects
    // without a trailing slash.
    ("server/src/router.rs", 2),
    // Pages and files of the admin UI, uploads of its pages, and redirects to a provider.
    ("server/src/ui.rs", 5),
];

#[test]
fn routes_of_the_api_are_documented() {
    let mut files = Vec::new();
    rust_files(&root().join("server/src"), &mut files);
    let mut found: Vec<(String, usize)> = files
        .iter()
        .filter_map(|file| {
            let text = fs::read_to_string(file).unwrap();
            let routes = ["route(", "route_service(", "nest(", "nest_service("]
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
