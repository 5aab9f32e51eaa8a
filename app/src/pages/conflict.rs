//! The table of two versions of a document. Browsers load it with the first conflict: it knows the names of all fields, and
//! most visits see none.

#![expect(
    clippy::unnecessary_wraps,
    reason = "a part may fail to load, and the function that is split off says so"
)]

use domain::documents::field::Object;
use leptos::prelude::*;
use serde_json::Value;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::fields;
use crate::i18n::{fill, number, texts};
use crate::split;

/// Most rows of the table.
const MOST: usize = 20;
/// Most characters of a value that a cell shows.
const SHOWN: usize = 120;
/// Characters of a long value before the place where it begins to differ.
const BEFORE: usize = 40;

/// The table of two versions of a document, mine and theirs.
pub fn table(described: &'static Object, mine: Value, theirs: Value) -> AnyView {
    let view = move || split::now(rows_of(described, mine.clone(), theirs.clone()));
    split::once_loaded(fetch(), view)
}

#[wasm_split(conflict, fallible, preload(fetch))]
fn rows_of(
    described: &'static Object,
    mine: Value,
    theirs: Value,
) -> Result<AnyView, SplitLoaderError> {
    Ok(rows(described, &mine, &theirs))
}

fn rows(described: &'static Object, mine: &Value, theirs: &Value) -> AnyView {
    let t = texts();
    let found = differences(mine, theirs);
    let more = found.len().saturating_sub(MOST) as u64;
    let more = (more > 0).then(|| {
        let text = fill(t.publish().more, &[("n", &number(more))]);
        view! { <p class="muted small">{text}</p> }
    });
    let rows = found
        .into_iter()
        .take(MOST)
        .map(|(place, mine, theirs)| {
            view! {
                <tr>
                    <th scope="row">{fields::in_labels(described, &place).join(" › ")}</th>
                    <td class="wrap-anywhere">{mine}</td>
                    <td class="wrap-anywhere">{theirs}</td>
                </tr>
            }
            .into_any()
        })
        .collect_view();
    view! {
        <div class="table-scroll" tabindex="0" role="region" aria-label=t.conflict_title>
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">{t.place}</th>
                        <th scope="col">{t.mine}</th>
                        <th scope="col">{t.theirs}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {more}
    }
    .into_any()
}

/// A path, with entries of lists by their numbers from 1, my value and their value.
type Difference = (Vec<String>, String, String);

/// Differences of two versions.
fn differences(mine: &Value, theirs: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    collect_differences(&[], mine, theirs, &mut found);
    found
}

fn collect_differences(
    place: &[String],
    mine: &Value,
    theirs: &Value,
    found: &mut Vec<Difference>,
) {
    if mine == theirs {
        return;
    }
    let null = Value::Null;
    let below = |name: String| -> Vec<String> { place.iter().cloned().chain([name]).collect() };
    match (mine, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let keys = a.keys().chain(b.keys().filter(|key| !a.contains_key(*key)));
            for key in keys {
                collect_differences(
                    &below(key.clone()),
                    a.get(key).unwrap_or(&null),
                    b.get(key).unwrap_or(&null),
                    found,
                );
            }
        }
        (Value::Array(a), Value::Array(b)) => {
            for index in 0..a.len().max(b.len()) {
                collect_differences(
                    &below((index + 1).to_string()),
                    a.get(index).unwrap_or(&null),
                    b.get(index).unwrap_or(&null),
                    found,
                );
            }
        }
        _ => {
            let (mine, theirs) = in_cells(&written(mine), &written(theirs));
            found.push((place.to_vec(), mine, theirs));
        }
    }
}

fn written(value: &Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Two values as cells show them. Long ones are cut around their first difference, so that it can be seen.
fn in_cells(mine: &str, theirs: &str) -> (String, String) {
    let is_short = |text: &str| text.chars().count() <= SHOWN;
    let start = if is_short(mine) && is_short(theirs) {
        0
    } else {
        let pairs = mine.chars().zip(theirs.chars());
        let same = pairs.take_while(|(mine, theirs)| mine == theirs).count();
        same.saturating_sub(BEFORE)
    };
    (cut(mine, start), cut(theirs, start))
}

/// The part of a text that a cell shows.
fn cut(text: &str, start: usize) -> String {
    let mut rest = text.chars().skip(start);
    let before = if start > 0 { "…" } else { "" };
    let shown: String = rest.by_ref().take(SHOWN).collect();
    let after = if rest.next().is_some() { "…" } else { "" };
    format!("{before}{shown}{after}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_every_place_where_two_versions_differ() {
        let mine = json!({"title": "A", "steps": [{"name": "x"}, {"name": "y"}], "same": 1});
        let theirs = json!({"title": "B", "steps": [{"name": "x"}], "same": 1, "new": true});
        let mut found = differences(&mine, &theirs);
        found.sort();
        let expected = [
            ("new", "–", "true"),
            ("steps 2", "{\"name\":\"y\"}", "–"),
            ("title", "A", "B"),
        ];
        let found: Vec<_> = found
            .iter()
            .map(|(place, mine, theirs)| (place.join(" "), mine.as_str(), theirs.as_str()))
            .collect();
        assert_eq!(
            found,
            expected.map(|(place, mine, theirs)| (place.to_owned(), mine, theirs))
        );
    }

    #[test]
    fn long_values_are_cut_around_their_first_difference() {
        let same = "a".repeat(200);
        let (mine, theirs) = (format!("{same} mine"), format!("{same} theirs, and more"));
        let before = "a".repeat(BEFORE - 1);
        let expected = (
            format!("…{before} mine"),
            format!("…{before} theirs, and more"),
        );
        assert_eq!(in_cells(&mine, &theirs), expected);
        let shown = format!("{}…", "b".repeat(SHOWN));
        assert_eq!(
            in_cells("–", &"b".repeat(200)),
            ("–".to_owned(), shown.clone())
        );
        let short = "c".repeat(SHOWN);
        assert_eq!(in_cells(&short, &"b".repeat(200)), (short.clone(), shown));
    }
}
