//! The table of two versions of a document. Browsers load it with the first conflict: it knows the names of all fields, and
//! most visits see none.

#![expect(
    clippy::unnecessary_wraps,
    reason = "a part may fail to load, and the function that is split off says so"
)]

use domain::differences::{self, Bounds, FieldChange};
use domain::documents::field::Object;
use leptos::prelude::*;
use serde_json::Value;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::fields;
use crate::i18n::{fill, number, texts};
use crate::split;

/// The bounds of the table.
const BOUNDS: Bounds = Bounds {
    fields: 20,
    characters: 120,
    context: 40,
};

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
    let found = differences::between(mine, theirs, BOUNDS);
    let more = found.omitted as u64;
    let more = (more > 0).then(|| {
        let text = fill(t.publish().more, &[("n", &number(more))]);
        view! { <p class="muted small">{text}</p> }
    });
    let row = |FieldChange {
                   path,
                   before,
                   after,
               }| {
        view! {
            <tr>
                <th scope="row">{fields::in_labels(described, &path).join(" › ")}</th>
                <td class="wrap-anywhere">{written(before)}</td>
                <td class="wrap-anywhere">{written(after)}</td>
            </tr>
        }
        .into_any()
    };
    let rows = found.fields.into_iter().map(row).collect_view();
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

fn written(value: Value) -> String {
    match value {
        Value::Null => "–".to_owned(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}
