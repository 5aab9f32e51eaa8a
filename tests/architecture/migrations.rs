//! Both databases have the same migrations. A version that exists for one only would make two products.

use std::{collections::BTreeSet, fs};

use crate::metadata::root;

#[test]
fn both_databases_have_the_same_migrations() {
    let (sqlite, postgres) = (names("sqlite"), names("postgres"));
    assert!(!sqlite.is_empty());
    assert_eq!(sqlite, postgres);
}

#[test]
fn versions_are_unique_and_without_gaps() {
    let versions: Vec<u32> = names("sqlite")
        .iter()
        .map(|name| name.split_once('_').unwrap().0.parse().unwrap())
        .collect();
    let counted: Vec<u32> = (1..).take(versions.len()).collect();
    assert_eq!(versions, counted);
}

fn names(engine: &str) -> BTreeSet<String> {
    fs::read_dir(root().join("migrations").join(engine))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}
