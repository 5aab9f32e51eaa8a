//! Short messages in the corner, announced to screen readers. A toast may offer one action,
//! such as undoing what it reports.

use leptos::prelude::*;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

use crate::i18n::texts;
use crate::icon::{Icon, icon};

/// Long enough to read twice and to reach the action by keyboard.
const SHOWN: Duration = Duration::from_secs(8);

/// Outlives the row or page that offered it.
type Action = Arc<dyn Fn() + Send + Sync>;

#[derive(Clone)]
struct Toast {
    id: u64,
    text: String,
    problem: bool,
    action: Option<(String, Action)>,
    /// The draft that it would change.
    document: Option<RwSignal<Value>>,
}

/// The page's messages; in context from the root.
#[derive(Clone, Copy)]
pub struct Toasts {
    list: RwSignal<Vec<Toast>>,
    next: StoredValue<u64>,
}

impl Toasts {
    pub fn new() -> Self {
        Self {
            list: RwSignal::new(Vec::new()),
            next: StoredValue::new(0),
        }
    }

    /// Reports that something is done.
    pub fn done(self, text: impl Into<String>) {
        self.push(text.into(), false, None, None);
    }

    /// Reports that something is done and offers to take it back.
    pub fn done_with(
        self,
        text: impl Into<String>,
        label: &str,
        action: impl Fn() + Send + Sync + 'static,
    ) {
        let action: Action = Arc::new(action);
        self.push(text.into(), false, Some((label.to_owned(), action)), None);
    }

    /// As [`Toasts::done_with`], for a change of a document. It goes with the document's draft.
    pub fn done_in(
        self,
        document: RwSignal<Value>,
        text: impl Into<String>,
        label: &str,
        action: impl Fn() + Send + Sync + 'static,
    ) {
        let action: Action = Arc::new(action);
        let action = Some((label.to_owned(), action));
        self.push(text.into(), false, action, Some(document));
    }

    /// Takes the toasts about a document away.
    pub fn leave(self, document: RwSignal<Value>) {
        let _ = self
            .list
            .try_update(|list| list.retain(|toast| toast.document != Some(document)));
    }

    /// Reports that something did not work.
    pub fn problem(self, text: impl Into<String>) {
        self.push(text.into(), true, None, None);
    }

    fn push(
        self,
        text: String,
        problem: bool,
        action: Option<(String, Action)>,
        document: Option<RwSignal<Value>>,
    ) {
        let id = self.next.get_value();
        self.next.set_value(id + 1);
        self.list.update(|list| {
            list.push(Toast {
                id,
                text,
                problem,
                action,
                document,
            });
            // Three are readable; older ones give way.
            let surplus = list.len().saturating_sub(3);
            list.drain(..surplus);
        });
        set_timeout(move || self.dismiss(id), SHOWN);
    }

    fn dismiss(self, id: u64) {
        // The page may be gone by the time the timer fires.
        let _ = self
            .list
            .try_update(|list| list.retain(|toast| toast.id != id));
    }
}

impl Default for Toasts {
    fn default() -> Self {
        Self::new()
    }
}

/// The toasts of this page.
pub fn toasts() -> Toasts {
    use_context::<Toasts>().unwrap_or_default()
}

/// The corner where they appear; rendered once, at the root.
pub fn toast_region() -> AnyView {
    let t = texts();
    let toasts = toasts();
    view! {
        <div class="toasts" role="status" aria-live="polite">
            <For each=move || toasts.list.get() key=|toast| toast.id let:toast>
                {toast_view(toasts, toast, t.dismiss)}
            </For>
        </div>
    }
    .into_any()
}

fn toast_view(toasts: Toasts, toast: Toast, dismiss: &'static str) -> AnyView {
    let id = toast.id;
    let action = toast.action.map(|(label, action)| {
        view! {
            <button
                type="button"
                class="button button-small"
                on:click=move |_| {
                    action();
                    toasts.dismiss(id);
                }
            >
                {label}
            </button>
        }
    });
    view! {
        <div class="toast" class:toast-problem=toast.problem>
            {icon(if toast.problem { Icon::Warning } else { Icon::Check })}
            <span>{toast.text}</span>
            {action}
            <button
                type="button"
                class="button button-quiet button-small button-icon"
                aria-label=dismiss
                on:click=move |_| toasts.dismiss(id)
            >
                {icon(Icon::Cross)}
            </button>
        </div>
    }
    .into_any()
}
