//! Dialogs on the native `<dialog>`: focus trap, Escape and inert background are the browser's.

use leptos::html;
use leptos::prelude::*;

use super::icon::{Icon, icon};
use crate::i18n::texts;

/// A modal dialog that is shown while `open` is true. Its content is made when it opens.
pub fn dialog(
    open: RwSignal<bool>,
    title: impl Into<String>,
    large: bool,
    content: impl Fn() -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let t = texts();
    let title: String = title.into();
    let heading = title.clone();
    let node = NodeRef::<html::Dialog>::new();
    let content = StoredValue::new(content);
    Effect::new(move |_| {
        let (Some(node), open) = (node.get(), open.get()) else {
            return;
        };
        if open && !node.open() {
            // Fails only when the element left the document, where there is nothing to show.
            let _ = node.show_modal();
        } else if !open && node.open() {
            node.close();
        }
    });
    view! {
        <dialog
            node_ref=node
            class:dialog-large=large
            aria-label=title
            on:close=move |_| open.set(false)
        >
            <div class="dialog-head">
                <h2>{heading}</h2>
                <button
                    type="button"
                    class="button button-quiet button-icon"
                    aria-label=t.close
                    on:click=move |_| open.set(false)
                >
                    {icon(Icon::Cross)}
                </button>
            </div>
            {move || open.get().then(|| content.with_value(|content| content()))}
        </dialog>
    }
    .into_any()
}

/// Asks before something that cannot be taken back lightly; says what is lost.
pub fn confirm(
    open: RwSignal<bool>,
    title: impl Into<String>,
    text: impl Into<String>,
    action: &'static str,
    danger: bool,
    run: Callback<()>,
) -> AnyView {
    let t = texts();
    let text: String = text.into();
    dialog(open, title, false, move || {
        view! {
            <div class="dialog-body">
                <p>{text.clone()}</p>
            </div>
            <div class="dialog-foot">
                <button type="button" class="button" on:click=move |_| open.set(false)>
                    {t.cancel}
                </button>
                <button
                    type="button"
                    class=if danger { "button button-danger" } else { "button button-primary" }
                    on:click=move |_| {
                        open.set(false);
                        run.run(());
                    }
                >
                    {action}
                </button>
            </div>
        }
        .into_any()
    })
}
