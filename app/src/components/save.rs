//! Saving a document that somebody else may have changed meanwhile: never over their version
//! without asking.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::dialog::dialog;
use super::draft::Draft;
use super::field::focus_first_problem;
use super::icon::{Icon, icon};
use super::loading::error_message;
use super::time::ago;
use super::toast::{Toasts, toasts};
use crate::error::UiError;
use crate::fns::documents::{Document, read_document, save_document};
use crate::i18n::{Texts, texts};

/// Progress of saving.
#[derive(Clone, Debug, PartialEq)]
pub enum SaveState {
    /// Nothing was tried since the last success.
    Idle,
    Saving,
    /// Refused; the draft's errors say why.
    Refused,
    /// Somebody else saved first; this is theirs.
    Conflict(Box<Document>),
    Failed(UiError),
}

/// Names the fields on the way to a value, as people read them.
pub type Labels = fn(&[String]) -> Vec<String>;

/// A draft, the version that it was read as, and how saving it stands.
#[derive(Clone, Copy)]
pub struct Saver {
    pub draft: Draft,
    pub state: RwSignal<SaveState>,
    collection: Collection,
    id: StoredValue<String>,
    version: StoredValue<i64>,
    after: StoredValue<Option<Callback<Document>>>,
    /// The document that was sent last.
    sent: StoredValue<Option<Value>>,
    toasts: Toasts,
    /// True while the dialog of a conflict is open.
    comparing: RwSignal<bool>,
    labels: Labels,
    t: &'static Texts,
}

impl Saver {
    /// Edits a document. `labels` names its fields where two versions are compared.
    pub fn new(collection: Collection, document: &Document, labels: Labels) -> Self {
        Self {
            draft: Draft::new(document.data.clone()),
            state: RwSignal::new(SaveState::Idle),
            collection,
            id: StoredValue::new(document.id.clone()),
            version: StoredValue::new(document.version),
            after: StoredValue::new(None),
            sent: StoredValue::new(None),
            toasts: toasts(),
            comparing: RwSignal::new(false),
            labels,
            t: texts(),
        }
    }

    /// Runs after each success.
    #[must_use]
    pub fn after(self, run: Callback<Document>) -> Self {
        self.after.set_value(Some(run));
        self
    }

    /// True while it saves.
    pub fn saving(self) -> Signal<bool> {
        Signal::derive(move || self.state.with(|state| *state == SaveState::Saving))
    }

    /// Saves because the person asked: moves to the first problem and reports success.
    pub fn save(self) {
        self.run(true);
    }

    /// Saves by itself, without moving the focus.
    pub fn save_quietly(self) {
        self.run(false);
    }

    /// True if the draft equals the last try.
    pub fn tried_as_it_is(self) -> bool {
        let draft = self.draft.value_untracked();
        self.sent.with_value(|sent| sent.as_ref() == Some(&draft))
    }

    /// True if the draft cannot be saved without a change. Follows every change of the state.
    pub fn stuck(self) -> bool {
        let refused = self.state.with(|state| match state {
            SaveState::Conflict(_) => Some(true),
            SaveState::Refused | SaveState::Failed(_) => Some(false),
            SaveState::Idle | SaveState::Saving => None,
        });
        refused.is_some_and(|conflict| conflict || self.tried_as_it_is())
    }

    /// The target of a save: collection, id and version.
    pub fn target(self) -> (Collection, String, i64) {
        (
            self.collection,
            self.id.get_value(),
            self.version.get_value(),
        )
    }

    fn run(self, asked: bool) {
        if self
            .state
            .with_untracked(|state| matches!(state, SaveState::Saving))
        {
            return;
        }
        let sent = self.draft.value_untracked();
        self.sent.set_value(Some(sent.clone()));
        self.state.set(SaveState::Saving);
        spawn_local(async move {
            let (Some(id), Some(version)) = (self.id.try_get_value(), self.version.try_get_value())
            else {
                return;
            };
            let result = save_document(self.collection, id.clone(), version, sent.clone()).await;
            let theirs = match &result {
                Err(UiError::Conflict) => Some(read_document(self.collection, id).await),
                _ => None,
            };
            // The page may be gone by now.
            if self.state.is_disposed() {
                return;
            }
            match (result, theirs) {
                (Ok(document), _) => self.succeed(document, sent, asked),
                (Err(_), Some(Ok(theirs))) => {
                    self.state.set(SaveState::Conflict(Box::new(theirs)));
                }
                (Err(error @ UiError::Invalid { .. }), _) => {
                    self.draft.refuse(&error);
                    self.state.set(SaveState::Refused);
                    if asked {
                        self.toasts.problem(error_message(self.t, &error));
                        // The problems must be in the page before the focus can go there.
                        request_animation_frame(move || focus_first_problem(self.draft));
                    }
                }
                (Err(error), _) => {
                    if error == UiError::SignedOut && asked {
                        crate::session::sign_in_again();
                    }
                    if asked {
                        self.toasts.problem(error_message(self.t, &error));
                    }
                    self.state.set(SaveState::Failed(error));
                }
            }
        });
    }

    fn succeed(self, document: Document, sent: Value, asked: bool) {
        self.version.set_value(document.version);
        self.draft.mark_saved(sent);
        self.state.set(SaveState::Idle);
        if asked {
            self.toasts.done(self.t.saved);
        }
        if let Some(after) = self.after.get_value() {
            after.run(document);
        }
    }

    fn take_theirs(self, theirs: &Document) {
        self.version.set_value(theirs.version);
        self.draft.mark_saved(theirs.data.clone());
        self.draft.replace(theirs.data.clone());
        self.state.set(SaveState::Idle);
    }

    fn keep_mine(self, theirs: &Document) {
        self.version.set_value(theirs.version);
        self.state.set(SaveState::Idle);
        self.save();
    }

    /// Line that tells the progress of saving.
    pub fn status(self) -> AnyView {
        let t = self.t;
        let draft = self.draft;
        let view = move || match self.state.get() {
            SaveState::Saving => view! {
                <span class="spinner" aria-hidden="true"></span>
                {t.saving}
            }
            .into_any(),
            SaveState::Refused if draft.has_errors() => {
                view! { <span class="dot"></span>{t.not_saved_problems} }.into_any()
            }
            SaveState::Conflict(_) => {
                let compare = move |_| self.comparing.set(true);
                view! {
                    <span class="dot"></span>
                    {t.not_saved_conflict}
                    <button type="button" class="button button-small" on:click=compare>{t.compare}</button>
                }
                .into_any()
            }
            SaveState::Failed(error) => {
                view! { <span class="dot"></span>{error_message(t, &error)} }.into_any()
            }
            _ if draft.dirty() => view! { <span class="dot"></span>{t.unsaved} }.into_any(),
            _ => view! { {icon(Icon::Check)}{t.all_saved} }.into_any(),
        };
        view! { <span class="save-state" role="status">{view}</span> }.into_any()
    }

    /// The dialog of a conflict; render it anywhere on the page.
    pub fn conflict_dialog(self) -> AnyView {
        let t = self.t;
        let open = self.comparing;
        Effect::new(move |_| {
            open.set(
                self.state
                    .with(|state| matches!(state, SaveState::Conflict(_))),
            );
        });
        dialog(open, t.conflict_title, false, move || {
            let SaveState::Conflict(theirs) = self.state.get_untracked() else {
                return ().into_any();
            };
            let changes = differences(&self.draft.value_untracked(), &theirs.data);
            let rows = changes
                .into_iter()
                .map(|(place, mine, theirs)| {
                    view! {
                        <tr>
                            <th scope="row">{(self.labels)(&place).join(" › ")}</th>
                            <td class="wrap-anywhere">{mine}</td>
                            <td class="wrap-anywhere">{theirs}</td>
                        </tr>
                    }
                    .into_any()
                })
                .collect_view();
            let saved_at = theirs.updated_at;
            let (mine, other) = (theirs.clone(), theirs);
            view! {
                <div class="dialog-body">
                    <p>{t.conflict_text} " " {ago(saved_at)}</p>
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
                </div>
                <div class="dialog-foot">
                    <button
                        type="button"
                        class="button"
                        on:click=move |_| self.take_theirs(&other)
                    >
                        {t.take_theirs}
                    </button>
                    <button
                        type="button"
                        class="button button-primary"
                        on:click=move |_| self.keep_mine(&mine)
                    >
                        {t.keep_mine}
                    </button>
                </div>
            }
            .into_any()
        })
    }
}

/// A path, with entries of lists by their numbers from 1, my value and their value.
type Difference = (Vec<String>, String, String);

/// Differences of two versions; at most twenty.
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
    const MOST: usize = 20;
    if mine == theirs || found.len() >= MOST {
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
        _ => found.push((place.to_vec(), short(mine), short(theirs))),
    }
}

fn short(value: &Value) -> String {
    let text = match value {
        Value::Null => return "–".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.chars().count() <= 120 {
        return text;
    }
    text.chars().take(119).chain(['…']).collect()
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
}
