//! What the API answers is registered together with its documentation (`routes!`), so the OpenAPI
//! document knows it, and with it the table of who may do what. A route that is registered by hand
//! escapes both: those that may are named here.

use std::fs;

use crate::{metadata::root, sql::rust_files};

/// Files with routes that are no operation of the API, and how many.
const BY_HAND: &[(&str, usize)] = &[
    // Published files and the SDK.
    ("server/src/cdn.rs", 3),
    // The demo shop, on a port of its own.
    ("server/src/demo/mod.rs", 5),
    // The document itself and its page.
    ("server/src/openapi/mod.rs", 2),
    // Other addresses of operations that are documented: an export with its file's name, and the
    // list of projects without the slash at its end.
    ("server/src/router.rs", 2),
    // Pages and files of the admin UI, files that people choose on its pages, and the way to a provider.
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
