//! The changes of a document, field by field, in words.

use domain::collection::Collection;
use domain::differences::FieldChange;
use domain::documents;
use domain::documents::field::Object;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use crate::components::layout::busy_label;
use crate::components::loading::error_message;
use crate::components::rich::as_shown;
use crate::fns::publish::{Change, First, How, read_changes};
use crate::i18n::{PublishTexts, Texts, count, fill, number, texts};
use crate::pages::collections::kind;
use crate::pages::fields;

/// The fields in which a document differs; nothing where it is new or gone.
pub fn of_document(change: &Change) -> Option<AnyView> {
    let How::Changed { fields, omitted } = &change.how else {
        return None;
    };
    let w = texts().publish();
    let (first, later) = (w.field_differs, w.fields_differ);
    let all = fields.len() as u64 + omitted;
    if all == 0 {
        return None;
    }
    let title = count(all, first, later);
    if fields.is_empty() {
        return Some(view! { <p class="muted small">{title}</p> }.into_any());
    }
    let document = documents::of(change.collection);
    let rows = fields.iter().map(|field| row(document, field));
    let rows = rows.collect_view();
    let shown = view! {
        <details class="differences">
            <summary>{title}</summary>
            <dl>{rows}</dl>
            {and_more(*omitted)}
        </details>
    };
    Some(shown.into_any())
}

/// The number of entries that a list does not show, in words; nothing where it shows all.
pub fn more_of(more: u64) -> Option<String> {
    let w = texts().publish();
    (more > 0).then(|| fill(w.more, &[("n", &number(more))]))
}

/// The same in a line below the list.
pub fn and_more(more: u64) -> Option<AnyView> {
    more_of(more).map(|text| view! { <p class="muted small">{text}</p> }.into_any())
}

/// A list of changes in rows, and a button that reads the next ones while there are more. With a job they are its changes,
/// else those of the drafts.
pub fn list(
    project: Memo<String>,
    job: Option<String>,
    first: First<Change>,
    row: impl Fn(Change) -> AnyView + Clone + Send + 'static,
) -> AnyView {
    let w = texts().publish();
    let (shown, more) = (RwSignal::new(first.shown), RwSignal::new(first.more));
    let (reading, failed) = (RwSignal::new(false), RwSignal::new(None));
    let (job, last) = (StoredValue::new(job), StoredValue::new(1));
    let next = move |_| {
        reading.set(true);
        failed.set(None);
        spawn_local(async move {
            let page = last.get_value() + 1;
            let read = read_changes(project.get_untracked(), job.get_value(), page).await;
            if reading.try_set(false).is_some() {
                return;
            }
            match read {
                Ok(next) => {
                    last.set_value(page);
                    shown.update(|all| all.extend(next.shown));
                    more.set(next.more);
                }
                Err(error) => failed.set(Some(error)),
            }
        });
    };
    let button = move || {
        let problem = failed.get();
        let problem =
            problem.map(|error| view! { <p role="alert">{error_message(texts(), &error)}</p> });
        (more.get() > 0).then(|| {
            view! {
                {and_more(more.get())}
                {problem}
                <button type="button" class="button button-small" disabled=reading on:click=next>
                    {busy_label(reading.into(), w.show_more)}
                </button>
            }
        })
    };
    view! {
        <ul class="card-rows">
            <For
                each=move || shown.get()
                key=|change| (change.collection, change.id.clone())
                children=row
            />
        </ul>
        {button}
    }
    .into_any()
}

/// The documents that another publish changes; `same` says that there are none.
pub fn of_documents(
    project: Memo<String>,
    job: String,
    changes: First<Change>,
    same: &'static str,
) -> AnyView {
    if changes.shown.is_empty() {
        return view! { <p class="muted" role="status">{same}</p> }.into_any();
    }
    list(project, Some(job), changes, of_another)
}

fn of_another(change: Change) -> AnyView {
    let (t, w) = (texts(), texts().publish());
    let word = match &change.how {
        How::New => w.comes,
        How::Removed => w.goes,
        How::Changed { .. } | How::Broken(_) => t.publish().changed_lower,
    };
    let differences = of_document(&change);
    view! {
        <li>
            <div class="row-between">
                <span class="row">
                    <span class="wrap-anywhere">{change.title}</span>
                    <span class="muted">{kind_of(t, change.collection)}</span>
                </span>
                <span class="muted small">{word}</span>
            </div>
            {differences}
        </li>
    }
    .into_any()
}

/// The kind of a document. A project is published with its look.
pub fn kind_of(t: &'static Texts, collection: Collection) -> &'static str {
    match collection {
        Collection::Projects => t.publish().kind_project,
        collection => kind(t, collection),
    }
}

fn row(document: &'static Object, change: &FieldChange) -> AnyView {
    let w = texts().publish();
    let field = change.path.last().map(String::as_str).unwrap_or_default();
    view! {
        <div>
            <dt>{fields::in_labels(document, &change.path).join(" › ")}</dt>
            <dd class="sides">
                <div>
                    <span class="side">{w.before}</span>
                    " "
                    <del>{shown(w, field, &change.before)}</del>
                </div>
                <div>
                    <span class="side">{w.after}</span>
                    " "
                    <ins>{shown(w, field, &change.after)}</ins>
                </div>
            </dd>
        </div>
    }
    .into_any()
}

/// A value of a field, with the formatting of texts.
fn shown(w: &PublishTexts, field: &str, value: &Value) -> AnyView {
    match value {
        Value::String(html) if !html.is_empty() && documents::is_html(field) => {
            as_shown(html.clone(), None)
        }
        value => in_words(w, field, value).into_any(),
    }
}

/// A value of a field for people.
fn in_words(w: &PublishTexts, field: &str, value: &Value) -> String {
    match value {
        Value::Null => w.nothing.to_owned(),
        Value::Bool(true) => w.yes.to_owned(),
        Value::Bool(false) => w.no.to_owned(),
        Value::String(text) if text.is_empty() => w.nothing.to_owned(),
        Value::String(text) => fields::option_text(field, text).unwrap_or_else(|| text.clone()),
        Value::Array(entries)
            if !entries.is_empty() && entries.iter().all(|one| !one.is_object()) =>
        {
            let entries: Vec<_> = entries.iter().map(|one| in_words(w, field, one)).collect();
            entries.join(", ")
        }
        Value::Array(entries) if entries.is_empty() => w.nothing.to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_told_in_words() {
        let w = texts().publish();
        for (value, words) in [
            (json!(null), "nothing"),
            (json!(""), "nothing"),
            (json!([]), "nothing"),
            (json!(true), "yes"),
            (json!(["a", 1]), "a, 1"),
            (json!({"a": 1}), r#"{"a":1}"#),
            (json!([{"a": 1}]), r#"[{"a":1}]"#),
        ] {
            assert_eq!(in_words(w, "title", &value), words);
        }
        for (field, word, text) in [
            ("displayMode", "modal", "Dialog"),
            ("onClose", "refuse", "Refuse all services"),
            ("buttonCase", "uppercase", "Capitals"),
            ("message", "refuse", "refuse"),
        ] {
            assert_eq!(in_words(w, field, &json!(word)), text);
        }
    }
}
