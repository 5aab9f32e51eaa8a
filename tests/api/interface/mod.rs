//! The interface that users rely on. `fields.json` lists each name of it: the place that describes it (see
//! `place.rs`), and the test that shows its effect. So a name that loses one of them is found. The second part of
//! `docs/reference.md` is made from the same places.

mod named;
mod place;
mod reference;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;

use place::Places;

/// The interface's own text, for those who have it beside the repository.
const INTERFACE: &str = "../shared/spec/interface.md";

/// A name of the interface.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The heading, or the sentence, above its table in the interface.
    section: String,
    /// The name; a value of a field stands behind `=`.
    name: String,
    /// The place that describes it.
    at: String,
    /// A file, and the name of a test in it.
    test: String,
    /// Its effect, where the place says none, or less.
    effect: Option<String>,
}

impl Entry {
    /// Its effect in a sentence; empty if nobody has told it.
    fn effect(&self, places: &Places) -> Result<String, String> {
        let told = places.effect(&self.at)?;
        Ok(self.effect.clone().unwrap_or(told))
    }

    /// Its name in the row of the reference.
    fn row(&self) -> &str {
        let place = self.at.rsplit(' ').next().unwrap_or_default();
        match self.effect {
            Some(_) => &self.name,
            None if self.at.starts_with("query ") => place,
            None if self.at.starts_with("response ") => place,
            None if ["tag ", "security "]
                .iter()
                .any(|kind| self.at.starts_with(kind)) =>
            {
                &self.name
            }
            None => place.rsplit('.').next().unwrap_or_default(),
        }
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn entries() -> Vec<Entry> {
    serde_json::from_str(include_str!("fields.json")).expect("the list is JSON")
}

#[test]
fn every_name_of_the_interface_has_a_place_and_an_effect() {
    let places = Places::read();
    for entry in entries() {
        let Entry { section, name, .. } = &entry;
        let effect = entry
            .effect(&places)
            .unwrap_or_else(|why| panic!("{section}, {name}: {why}"));
        assert!(!effect.trim().is_empty(), "{section}, {name}: no effect");
    }
}

#[test]
fn every_name_of_the_interface_has_a_test() {
    for Entry { name, test, .. } in entries() {
        let (file, wanted) = test.split_once(' ').expect("a file and a test");
        let text = fs::read_to_string(root().join(file));
        let text = text.unwrap_or_else(|error| panic!("{name}: {file}: {error}"));
        // A line of a macro's list has the name alone, and a title in backticks goes on with the values of a loop.
        let ways: &[(&str, &str)] = if file.ends_with(".rs") {
            &[("fn ", "("), ("\n    ", ",\n"), ("both!(", ", ")]
        } else {
            &[("test(\"", "\""), ("test(`", "")]
        };
        let exists = ways
            .iter()
            .any(|(before, after)| text.contains(&format!("{before}{wanted}{after}")));
        assert!(
            exists && !wanted.is_empty(),
            "{name}: {file} has no test `{wanted}`"
        );
    }
}

#[test]
fn the_list_has_every_name_of_the_interface() {
    let Ok(text) = fs::read_to_string(root().join(INTERFACE)) else {
        return;
    };
    let entries = entries();
    let listed: BTreeSet<_> = entries
        .iter()
        .map(|entry| (entry.section.clone(), entry.name.clone()))
        .collect();
    assert_eq!(listed.len(), entries.len(), "a name stands twice");
    let named = named::names(&text);
    assert!(named.len() > 150, "the tables were really read");
    let missing: Vec<_> = named.difference(&listed).collect();
    assert!(
        missing.is_empty(),
        "names that are not listed: {missing:#?}"
    );
    for (section, name) in listed.difference(&named) {
        assert!(
            text.contains(section.as_str()) && text.contains(name.as_str()),
            "the interface does not say {section}, {name}"
        );
    }
}

/// `UPDATE_DOCS=1` writes the second part of the file anew.
#[test]
fn the_reference_says_what_the_places_say() {
    let file = root().join("docs/reference.md");
    let (places, entries) = (Places::read(), entries());
    let made = reference::text(&places, &entries);
    let there = fs::read_to_string(&file).expect("the file is there");
    let at = there
        .find(reference::TITLE)
        .expect("the file has both parts");
    let (documents, second) = there.split_at(at);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&file, format!("{documents}{made}")).expect("the file can be written");
    } else {
        assert!(second == made, "docs/reference.md is old: UPDATE_DOCS=1");
    }
    let whole = format!("{documents}{made}");
    for entry in &entries {
        let effect = entry.effect(&places).unwrap_or_default();
        let effect = reference::cell(&effect);
        let mut rows = whole.lines().filter(|line| line.starts_with('|'));
        let has_row = rows.any(|row| row.contains(&effect) && row.contains(entry.row()));
        let of_schema = entry.at.strip_prefix("schema ");
        let schema = of_schema.and_then(|path| path.split(['.', '=']).next());
        let has_table = entry.effect.is_some()
            || schema
                .is_none_or(|name| whole.contains(&format!("### `{}`", reference::plain(name))));
        assert!(
            has_row && has_table,
            "docs/reference.md lacks {}, {}",
            entry.section,
            entry.name
        );
    }
}
