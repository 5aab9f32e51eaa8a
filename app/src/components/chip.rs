//! A word of a list, with a button that takes it out.

use leptos::prelude::*;

use crate::icon::{Icon, icon};

/// `label` names the button.
pub fn chip(
    word: String,
    label: String,
    disabled: RwSignal<bool>,
    remove: impl Fn() + 'static,
) -> impl IntoView {
    view! {
        <li class="chip">
            <span class="wrap-anywhere">{word}</span>
            <button
                type="button"
                class="button button-quiet button-small button-icon"
                aria-label=label
                disabled=disabled
                on:click=move |_| remove()
            >
                {icon(Icon::Cross)}
            </button>
        </li>
    }
}
