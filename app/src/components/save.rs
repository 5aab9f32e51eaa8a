//! Saving a document that somebody else may have changed meanwhile: never over their version
//! without asking.

use domain::collection::Collection;
use domain::documents::field::Object;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::dialog::dialog;
use super::draft::Draft;
use super::focus::focus_first_problem;
use super::loading::{error_message, error_with_way_out};
use super::stored::{Stored, Unsaved};
use super::time::ago;
use super::toast::{Toasts, toasts};
use crate::error::UiError;
use crate::fns::documents::Document;
use crate::i18n::{Texts, texts};
use crate::icon::{Icon, icon};

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

/// Progress of saving in a word, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Progress {
    Conflict,
    Refused,
    Failed,
    Saving,
    Unsaved,
    Saved,
}

/// Shows the differences of two versions of a document: mine and theirs. The first argument is its description.
pub type Compared = fn(&'static Object, Value, Value) -> AnyView;

/// A draft, the version that it was read as, and how saving it stands.
#[derive(Clone, Copy)]
pub struct Saver {
    pub draft: Draft,
    pub state: RwSignal<SaveState>,
    stored: StoredValue<Stored>,
    after: StoredValue<Option<Callback<Document>>>,
    /// The document that was sent last.
    sent: StoredValue<Option<Value>>,
    /// The number of failures in a row, of the kind that may pass.
    failures: StoredValue<u32>,
    toasts: Toasts,
    /// True once the person has chosen to leave without saving.
    discarded: StoredValue<bool>,
    /// True while the dialog of a conflict is open.
    comparing: RwSignal<bool>,
    compared: Compared,
    t: &'static Texts,
}

impl Saver {
    /// Failures in a row after which somebody who leaves is asked.
    const PATIENCE: u32 = 3;

    /// Edits a document. `compared` shows two versions of it beside each other.
    pub fn new(collection: Collection, document: &Document, compared: Compared) -> Self {
        Self {
            draft: Draft::of(collection, document.data.clone()),
            state: RwSignal::new(SaveState::Idle),
            stored: StoredValue::new(Stored::new(collection, document)),
            after: StoredValue::new(None),
            sent: StoredValue::new(None),
            failures: StoredValue::new(0),
            discarded: StoredValue::new(false),
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

    /// The number of failures in a row, of the kind that may pass.
    pub fn failures(self) -> u32 {
        self.failures.get_value()
    }

    /// True if the draft cannot be saved without a change or a decision, or failed several times in a row. Follows every
    /// change of the state.
    pub fn stuck(self) -> bool {
        self.state.with(|state| match state {
            SaveState::Idle | SaveState::Saving => false,
            SaveState::Conflict(_) => true,
            SaveState::Failed(error) if error.may_pass() && self.failures() < Self::PATIENCE => {
                false
            }
            SaveState::Refused | SaveState::Failed(_) => self.tried_as_it_is(),
        })
    }

    /// The id of the document.
    pub fn id(self) -> String {
        self.stored.with_value(|stored| stored.id().to_owned())
    }

    /// Gives up what is not saved.
    pub fn discard(self) {
        self.discarded.set_value(true);
    }

    /// True if what is not saved was given up.
    pub fn is_discarded(self) -> bool {
        self.discarded.get_value()
    }

    fn run(self, asked: bool) {
        if self.is_saving_untracked() {
            return;
        }
        let sent = self.draft.value_untracked();
        self.sent.set_value(Some(sent.clone()));
        self.state.set(SaveState::Saving);
        let (stored, toasts, t) = (self.stored.get_value(), self.toasts, self.t);
        spawn_local(async move {
            let result = stored.save(sent.clone()).await;
            // The page may be gone by now.
            if self.state.is_disposed() {
                let saved = result.is_ok().then_some(&sent);
                if let Some(left) = stored.left(saved) {
                    save_last(stored, left, toasts, t).await;
                }
                return;
            }
            self.end(result, sent, asked);
        });
    }

    fn end(self, result: Result<Document, Unsaved>, sent: Value, asked: bool) {
        let may_pass = matches!(&result, Err(Unsaved::Failed(error)) if error.may_pass());
        self.failures
            .update_value(|failures| *failures = if may_pass { *failures + 1 } else { 0 });
        match result {
            Ok(document) => self.succeed(document, sent, asked),
            Err(Unsaved::Conflict(theirs)) => self.state.set(SaveState::Conflict(theirs)),
            Err(Unsaved::Failed(error)) => self.fail(error, asked),
        }
    }

    fn fail(self, error: UiError, asked: bool) {
        if asked {
            self.toasts.problem(error_message(self.t, &error));
        }
        if !matches!(error, UiError::Invalid { .. }) {
            self.state.set(SaveState::Failed(error));
            return;
        }
        self.draft.refuse(&error);
        self.state.set(SaveState::Refused);
        if asked {
            // The problems must be in the page before the focus can go there.
            request_animation_frame(move || focus_first_problem(self.draft));
        }
    }

    /// Saves the draft of a page that somebody leaves, after the save that runs.
    pub fn leave(self) {
        let (stored, draft) = (self.stored.get_value(), self.draft.value_untracked());
        if self.is_saving_untracked() {
            stored.leave(draft);
        } else {
            spawn_local(save_last(stored, draft, self.toasts, self.t));
        }
    }

    fn is_saving_untracked(self) -> bool {
        self.state
            .with_untracked(|state| matches!(state, SaveState::Saving))
    }

    fn succeed(self, document: Document, sent: Value, asked: bool) {
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
        self.stored.with_value(|stored| stored.know(theirs.version));
        self.draft.mark_saved(theirs.data.clone());
        self.draft.replace(theirs.data.clone());
        self.state.set(SaveState::Idle);
    }

    fn keep_mine(self, theirs: &Document) {
        self.stored.with_value(|stored| stored.know(theirs.version));
        self.state.set(SaveState::Idle);
        self.save();
    }

    /// Line that tells the progress of saving.
    pub fn status(self) -> AnyView {
        status_of(vec![self])
    }

    fn progress(self) -> Progress {
        self.state.with(|state| match state {
            SaveState::Saving => Progress::Saving,
            SaveState::Refused if self.draft.has_errors() => Progress::Refused,
            SaveState::Conflict(_) => Progress::Conflict,
            SaveState::Failed(_) => Progress::Failed,
            _ if self.draft.dirty() => Progress::Unsaved,
            _ => Progress::Saved,
        })
    }

    fn line(self) -> AnyView {
        let t = self.t;
        match self.progress() {
            Progress::Saving => view! {
                <span class="spinner" aria-hidden="true"></span>
                {t.saving}
            }
            .into_any(),
            Progress::Refused => {
                view! { <span class="dot"></span>{t.not_saved_problems} }.into_any()
            }
            Progress::Conflict => {
                let compare = move |_| self.comparing.set(true);
                view! {
                    <span class="dot"></span>
                    {t.not_saved_conflict}
                    <button type="button" class="button button-small" on:click=compare>{t.compare}</button>
                }
                .into_any()
            }
            Progress::Failed => {
                let reason = self.state.with(|state| match state {
                    SaveState::Failed(error) => Some(error_with_way_out(t, error)),
                    _ => None,
                });
                view! { <span class="dot"></span>{reason} }.into_any()
            }
            Progress::Unsaved => view! { <span class="dot"></span>{t.unsaved} }.into_any(),
            Progress::Saved => view! { {icon(Icon::Check)}{t.all_saved} }.into_any(),
        }
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
            let compared = self.draft.described().map(|described| {
                (self.compared)(described, self.draft.value_untracked(), theirs.data.clone())
            });
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

/// Line that tells the progress of saving several documents: that of the worst.
pub fn status_of(savers: Vec<Saver>) -> AnyView {
    let worst = move || {
        let worst = savers.iter().min_by_key(|saver| saver.progress());
        worst.map(|saver| saver.line())
    };
    view! { <span class="save-state" role="status">{worst}</span> }.into_any()
}

/// Saves the last changes of a page that is gone. Nobody is there who could try again or decide, so that a failure is
/// told above the page.
async fn save_last(stored: Stored, draft: Value, toasts: Toasts, t: &'static Texts) {
    if stored.save(draft).await.is_err() {
        toasts.problem(t.last_changes_lost);
    }
}
