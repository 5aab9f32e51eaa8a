//! Deleting a document of a list, which can be taken back for a while.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::dialog::confirm;
use super::loading::error_message;
use super::toast::toasts;
use crate::fns::documents::{delete_document, restore_document};
use crate::i18n::texts;
use crate::icon::{Icon, icon};

/// Deletes the document of an id, says so and offers to take it back; `changed` runs after either,
/// if its page is still there.
pub fn deletion(
    collection: Collection,
    said: &'static str,
    changed: Callback<()>,
) -> Callback<String> {
    let t = texts();
    let toasts = toasts();
    Callback::new(move |id: String| {
        spawn_local(async move {
            match delete_document(collection, id.clone()).await {
                Ok(()) => {
                    changed.try_run(());
                    let undo = move || {
                        let id = id.clone();
                        spawn_local(async move {
                            if let Err(error) = restore_document(collection, id).await {
                                toasts.problem(error_message(t, &error));
                            }
                            changed.try_run(());
                        });
                    };
                    toasts.done_with(said, t.undo, undo);
                }
                Err(error) => toasts.problem(error_message(t, &error)),
            }
        });
    })
}

/// The button of a row that asks before it deletes; `text` says what is lost.
pub fn delete_button(
    id: String,
    title: &str,
    action: &'static str,
    text: String,
    delete: Callback<String>,
) -> AnyView {
    let ask = confirm(action, text, action, true, move || {
        delete.try_run(id.clone());
    });
    view! {
        <button
            type="button"
            class="button button-quiet button-small button-icon"
            aria-label=format!("{action}: {title}")
            on:click=move |_| ask()
        >
            {icon(Icon::Trash)}
        </button>
    }
    .into_any()
}
