//! Dialogs on the native `<dialog>`: focus trap, Escape and inert background are the browser's.

use std::sync::Arc;

use leptos::html;
use leptos::prelude::*;

use crate::i18n::texts;
use crate::icon::{Icon, icon};

/// The request of the form in a dialog; in context within the dialog.
#[derive(Clone, Copy)]
struct Running(RwSignal<Option<Signal<bool>>>);

impl Running {
    fn runs(self) -> bool {
        // A form that gave way to the next one in the dialog is gone, and its signal with it.
        let pending = self.0.try_get().flatten();
        pending.is_some_and(|pending| pending.try_get().unwrap_or_default())
    }
}

/// Keeps people from closing the dialog around a form while its request runs: nobody would read the answer. Does
/// nothing outside of dialogs.
pub fn keep_open_while(pending: Signal<bool>) {
    if let Some(Running(running)) = use_context() {
        running.set(Some(pending));
    }
}

/// A modal dialog that is shown while `open` is true. Its content is made when it opens.
pub fn dialog(
    open: RwSignal<bool>,
    title: impl Into<String>,
    large: bool,
    content: impl Fn() -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let class = if large { "dialog-large" } else { "" };
    let title = Signal::stored(title.into());
    let close = Callback::new(move |()| open.set(false));
    modal(open.into(), close, title, class, content)
}

/// A modal dialog along the side of the page, over its whole height. `close` is called when somebody closes it, and
/// makes `open` false.
pub fn drawer(
    open: Signal<bool>,
    close: Callback<()>,
    title: Signal<String>,
    content: impl Fn() -> AnyView + Send + Sync + 'static,
) -> AnyView {
    modal(open, close, title, "drawer", content)
}

fn modal(
    open: Signal<bool>,
    close: Callback<()>,
    title: Signal<String>,
    class: &'static str,
    content: impl Fn() -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let t = texts();
    let node = NodeRef::<html::Dialog>::new();
    let content = StoredValue::new(content);
    let running = Running(RwSignal::new(None));
    Effect::new(move |_| {
        let (Some(node), open) = (node.get(), open.get()) else {
            return;
        };
        if open && !node.open() {
            show(&node);
        } else if !open && node.open() {
            node.close();
        }
    });
    let cancelled = move |event: web_sys::Event| {
        if untrack(|| running.runs()) {
            event.prevent_default();
        }
    };
    let closed = move |_| {
        if !open.get_untracked() {
            return;
        }
        if untrack(|| running.runs()) {
            // Browsers close it without asking at a second Escape.
            if let Some(node) = node.get_untracked() {
                show(&node);
            }
        } else {
            close.run(());
        }
    };
    let shown = move || {
        open.get().then(|| {
            provide_context(running);
            content.with_value(|content| content())
        })
    };
    view! {
        <dialog
            node_ref=node
            class=class
            aria-label=title
            on:cancel=cancelled
            on:close=closed
        >
            <div class="dialog-head">
                <h2>{title}</h2>
                <button
                    type="button"
                    class="button button-quiet button-icon"
                    aria-label=t.close
                    disabled=move || running.runs()
                    on:click=move |_| close.run(())
                >
                    {icon(Icon::Cross)}
                </button>
            </div>
            {shown}
        </dialog>
    }
    .into_any()
}

fn show(dialog: &web_sys::HtmlDialogElement) {
    // Fails only when the element left the document, where there is nothing to show.
    let _ = dialog.show_modal();
}

/// The open question of this page; in context from the frame.
#[derive(Clone, Copy, Default)]
pub struct Asked(RwSignal<Option<Question>>);

/// Outlives the row that asks it, like the action of a toast.
#[derive(Clone)]
struct Question {
    title: String,
    text: String,
    action: &'static str,
    danger: bool,
    run: Arc<dyn Fn() + Send + Sync>,
}

impl Asked {
    /// Forgets the question: its page is gone.
    pub fn withdraw(self) {
        self.0.set(None);
    }

    /// Dialog with the question. It belongs outside of all that is rendered anew when its data changes.
    pub fn dialog(self) -> AnyView {
        let question = move || {
            self.0.get().map(|question| {
                let open = RwSignal::new(true);
                let title = question.title.clone();
                dialog(open, title, false, move || asked(&question, open))
            })
        };
        view! { {question} }.into_any()
    }
}

/// Gives a function that asks before an action that is hard to undo. `text` says what is lost.
pub fn confirm(
    title: impl Into<String>,
    text: impl Into<String>,
    action: &'static str,
    danger: bool,
    run: impl Fn() + Send + Sync + 'static,
) -> impl Fn() + Clone + Send + Sync + 'static {
    let asked = use_context::<Asked>().unwrap_or_default();
    let question = Question {
        title: title.into(),
        text: text.into(),
        action,
        danger,
        run: Arc::new(run),
    };
    move || asked.0.set(Some(question.clone()))
}

fn asked(question: &Question, open: RwSignal<bool>) -> AnyView {
    let t = texts();
    let run = question.run.clone();
    view! {
        <div class="dialog-body">
            <p>{question.text.clone()}</p>
        </div>
        <div class="dialog-foot">
            <button type="button" class="button" on:click=move |_| open.set(false)>
                {t.cancel}
            </button>
            <button
                type="button"
                class=if question.danger { "button button-danger" } else { "button button-primary" }
                on:click=move |_| {
                    open.set(false);
                    run();
                }
            >
                {question.action}
            </button>
        </div>
    }
    .into_any()
}
