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

/// Shows the differences of two versions of a document: mine and theirs.
pub type Compared = fn(Value, Value) -> AnyView;

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
    compared: Compared,
    t: &'static Texts,
}

impl Saver {
    /// Edits a document. `compared` shows two versions of it beside each other.
    pub fn new(collection: Collection, document: &Document, compared: Compared) -> Self {
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
            compared,
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
            let compared = (self.compared)(self.draft.value_untracked(), theirs.data.clone());
            let saved_at = theirs.updated_at;
            let (mine, other) = (theirs.clone(), theirs);
            view! {
                <div class="dialog-body">
                    <p>{t.conflict_text} " " {ago(saved_at)}</p>
                    {compared}
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
