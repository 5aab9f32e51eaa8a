//! Every page of the admin UI stands in the browser tests that look at every page. They cannot read the map of
//! pages, so a page that they do not list would never be looked at.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use crate::metadata::root;

/// A path with its parameters made equal.
fn plain(path: &str) -> String {
    let path = path.split('?').next().unwrap();
    let segments = path.split('/').map(|segment| {
        if segment.starts_with([':', '$']) {
            ":"
        } else {
            segment
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap()
}

/// The paths of a part of the map.
fn mapped(part: &str) -> BTreeSet<String> {
    let map = read("app/src/map.rs");
    let (_, rows) = map.split_once(&format!("{part} {{\n")).unwrap();
    let (rows, _) = rows.split_once('}').unwrap();
    let paths = rows.lines().filter_map(|row| row.split('"').nth(1));
    paths.map(plain).collect()
}

#[test]
fn pages_after_sign_in_are_looked_at() {
    let list = read("tests/browser/admin/pages.ts");
    let mut names = BTreeMap::new();
    let mut listed = BTreeSet::new();
    for line in list.lines().map(str::trim) {
        let (name, text) = if let Some(rest) = line.strip_prefix("const ") {
            let Some(pair) = rest.split_once(" = ") else {
                continue;
            };
            pair
        } else {
            let Some(pair) = line.split_once(": ") else {
                continue;
            };
            pair
        };
        let text = text.trim_end_matches([',', ';']);
        let text = names.get(text).cloned().unwrap_or_else(|| {
            let text = text.trim_matches(['"', '`']).to_owned();
            names
                .iter()
                .fold(text, |text, (name, value): (&String, &String)| {
                    text.replace(&format!("${{{name}}}"), value)
                })
        });
        if text.starts_with('/') {
            listed.insert(plain(&text));
            names.insert(name.to_owned(), text);
        }
    }
    let mapped = mapped("signed_in");
    assert!(mapped.len() > 15, "the map was really read");
    let unseen: Vec<_> = mapped.difference(&listed).collect();
    assert!(
        unseen.is_empty(),
        "not in tests/browser/admin/pages.ts: {unseen:?}"
    );
}

#[test]
fn pages_before_sign_in_are_looked_at() {
    let spec = read("tests/browser/admin/accessible.spec.ts");
    let listed: BTreeSet<String> = spec.split('"').map(plain).collect();
    let mapped = mapped("before_sign_in");
    assert!(mapped.len() > 3, "the map was really read");
    let unseen: Vec<_> = mapped.difference(&listed).collect();
    assert!(
        unseen.is_empty(),
        "not in tests/browser/admin/accessible.spec.ts: {unseen:?}"
    );
}
