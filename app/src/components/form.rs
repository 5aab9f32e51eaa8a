//! A form that sends a draft: its button is busy meanwhile, problems appear at their fields, and what
//! belongs to no field above them.

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::dialog::keep_open_while;
use super::draft::Draft;
use super::field::problems_without_field;
use super::focus::focus_first_problem;
use super::layout::{Tone, busy_label, notice};
use super::loading::error_notice;
use super::save::Saver;
use super::unsaved::guard;
use crate::error::UiError;
use crate::i18n::texts;

/// A form under construction.
#[must_use]
pub struct Form {
    draft: Draft,
    label: &'static str,
    pending: Signal<bool>,
    refused: RwSignal<Option<UiError>>,
    /// Problems of fields that this form does not have.
    outside: RwSignal<Vec<String>>,
    submit: Callback<()>,
    class: &'static str,
    beside: AnyView,
    around: AnyView,
}

impl Form {
    /// Sends the draft by `send`. `then` runs after success, if the form is still there.
    pub fn sending<T, F>(
        draft: Draft,
        label: &'static str,
        send: impl Fn(Value) -> F + Send + Sync + 'static,
        then: impl Fn(T) + Clone + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<T, UiError>> + 'static,
        T: 'static,
    {
        let pending = RwSignal::new(false);
        let refused = RwSignal::new(None::<UiError>);
        let outside = RwSignal::new(Vec::new());
        let submit = move |()| {
            if pending.get_untracked() {
                return;
            }
            pending.set(true);
            refused.set(None);
            outside.set(Vec::new());
            let sent = draft.value_untracked();
            let (answer, then) = (send(sent.clone()), then.clone());
            spawn_local(async move {
                let answer = answer.await;
                if pending.try_set(false).is_some() {
                    return;
                }
                match answer {
                    Ok(answer) => {
                        draft.mark_saved(sent);
                        then(answer);
                    }
                    Err(error) => {
                        draft.refuse(&error);
                        refused.set(Some(error));
                        // The problems must be in the page before the focus can go there.
                        request_animation_frame(move || {
                            // Its dialog may be closed by then.
                            if !outside.is_disposed() {
                                outside.set(problems_without_field(draft));
                                focus_first_problem(draft);
                            }
                        });
                    }
                }
            });
        };
        Self {
            draft,
            label,
            pending: pending.into(),
            refused,
            outside,
            submit: Callback::new(submit),
            class: "form",
            beside: ().into_any(),
            around: ().into_any(),
        }
    }

    /// Saves a document, and asks when somebody else saved it first.
    pub fn saving(saver: Saver) -> Self {
        Self {
            draft: saver.draft,
            label: texts().save,
            pending: saver.saving(),
            refused: RwSignal::new(None),
            outside: RwSignal::new(Vec::new()),
            submit: Callback::new(move |()| saver.save()),
            class: "form",
            beside: saver.status(),
            around: saver.conflict_dialog(),
        }
    }

    /// Its class in the style sheet, if not `form`.
    pub fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }

    /// Shown beside the button, such as a link to cancel. Buttons are disabled while the request runs.
    pub fn beside(self, beside: AnyView) -> Self {
        let beside = view! { {beside} {self.beside} }.into_any();
        Self { beside, ..self }
    }

    /// In a page, which asks before somebody leaves it with unsaved changes.
    pub fn view(self, fields: AnyView) -> AnyView {
        let draft = self.draft;
        guard(Signal::derive(move || draft.dirty()));
        self.inline(fields)
    }

    /// In a page or dialog that may go without asking.
    pub fn inline(self, fields: AnyView) -> AnyView {
        let draft = self.draft;
        let (class, pending, label, beside) = (self.class, self.pending, self.label, self.beside);
        let foot = view! {
            // Hidden, not left out: `beside` can be there once only.
            <fieldset class="form-actions" hidden=draft.read_only disabled=pending>
                <button class="button button-primary">{busy_label(pending, label)}</button>
                {beside}
            </fieldset>
        };
        let content = view! {
            {error_notice(self.refused.into())}
            {list_of(self.outside)}
            {fields}
            {foot}
        };
        element(class, pending, self.submit, self.around, content.into_any())
    }

    /// In a dialog of its own, with a button that closes it.
    pub fn dialog(self, open: RwSignal<bool>, fields: AnyView) -> AnyView {
        let (pending, label) = (self.pending, self.label);
        let content = view! {
            <div class="dialog-body">
                {error_notice(self.refused.into())}
                {list_of(self.outside)}
                {fields}
            </div>
            <fieldset class="dialog-foot" disabled=pending>
                <button type="button" class="button" on:click=move |_| open.set(false)>
                    {texts().cancel}
                </button>
                <button class="button button-primary">{busy_label(pending, label)}</button>
            </fieldset>
        };
        element("", pending, self.submit, self.around, content.into_any())
    }
}

fn list_of(problems: RwSignal<Vec<String>>) -> AnyView {
    let view = move || {
        let texts = problems.get();
        (!texts.is_empty()).then(|| {
            let rows: Vec<_> = texts
                .into_iter()
                .map(|text| view! { <p>{text}</p> })
                .collect();
            view! { <div role="alert">{notice(Tone::Danger, rows)}</div> }
        })
    };
    view! { {view} }.into_any()
}

fn element(
    class: &'static str,
    pending: Signal<bool>,
    submit: Callback<()>,
    around: AnyView,
    content: AnyView,
) -> AnyView {
    keep_open_while(pending);
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        // A form may stand in a dialog inside another one.
        event.stop_propagation();
        submit.run(());
    };
    view! {
        {around}
        <form class=class on:submit=submit novalidate>
            {content}
        </form>
    }
    .into_any()
}
