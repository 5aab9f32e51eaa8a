//! Everything that people carry elsewhere has a copy button: ids, tokens, addresses, code.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::toast::toasts;
use crate::i18n::texts;
use crate::icon::{Icon, icon};

/// Puts text on the clipboard; on an insecure origin, where browsers have no clipboard, it
/// selects the shown text instead, ready for the keyboard.
fn copy_to_clipboard(text: &str, shown: Option<&web_sys::Node>) -> bool {
    let window = window();
    let clipboard = js_sys::Reflect::get(&window.navigator(), &"clipboard".into())
        .ok()
        .and_then(|value| value.dyn_into::<web_sys::Clipboard>().ok());
    if let Some(clipboard) = clipboard {
        let _ = clipboard.write_text(text);
        return true;
    }
    if let (Ok(Some(selection)), Some(node)) = (window.get_selection(), shown) {
        let _ = selection.select_all_children(node);
    }
    false
}

fn copy_action(text: Signal<String>, shown: NodeRef<html::Code>) -> (RwSignal<bool>, impl Fn()) {
    let t = texts();
    let toasts = toasts();
    let copied = RwSignal::new(false);
    let run = move || {
        let node = shown.get_untracked();
        let copied_now = text.with_untracked(|text| {
            copy_to_clipboard(text, node.as_ref().map(AsRef::<web_sys::Node>::as_ref))
        });
        if copied_now {
            copied.set(true);
            toasts.done(t.copied);
            set_timeout(
                move || {
                    let _ = copied.try_set(false);
                },
                std::time::Duration::from_secs(2),
            );
        } else {
            toasts.done(t.press_to_copy);
        }
    };
    (copied, run)
}

/// A short value in monospace with a copy button beside it; `what` names it for screen readers.
pub fn copyable(value: impl Into<String>, what: &'static str) -> AnyView {
    copyable_as(value, None, what)
}

/// As [`copyable`], showing a shorter form of the value.
pub fn copyable_as(value: impl Into<String>, shown: Option<String>, what: &'static str) -> AnyView {
    let t = texts();
    let value: String = value.into();
    let node = NodeRef::<html::Code>::new();
    let (copied, run) = copy_action(Signal::stored(value.clone()), node);
    let short = shown.is_some();
    view! {
        <span class="copyable">
            <code node_ref=node title=short.then(|| value.clone())>
                {shown.unwrap_or_else(|| value.clone())}
            </code>
            <button
                type="button"
                class="button button-quiet button-small button-icon"
                aria-label=format!("{} {what}", t.copy)
                on:click=move |_| run()
            >
                {move || icon(if copied.get() { Icon::Check } else { Icon::Copy })}
            </button>
        </span>
    }
    .into_any()
}

/// A block of code with a copy button.
pub fn code_block(code: Signal<String>, label: impl Into<String>) -> AnyView {
    let t = texts();
    let label: String = label.into();
    let node = NodeRef::<html::Code>::new();
    let (copied, run) = copy_action(code, node);
    view! {
        <div class="code">
            // Scrollable content must be reachable by keyboard.
            <pre tabindex="0" role="region" aria-label=label>
                <code node_ref=node>{code}</code>
            </pre>
            <button type="button" class="button button-small" on:click=move |_| run()>
                {move || icon(if copied.get() { Icon::Check } else { Icon::Copy })}
                {move || if copied.get() { t.copied_short } else { t.copy }}
            </button>
        </div>
    }
    .into_any()
}
