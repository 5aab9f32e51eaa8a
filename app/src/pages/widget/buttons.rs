//! Buttons that show a picture alone.

use leptos::prelude::*;

use crate::icon::{Icon, icon};

/// A button with an element id, by which it gets the focus back. `label` is also its tooltip.
pub fn icon_button(
    id: String,
    label: String,
    picture: Icon,
    disabled: bool,
    run: impl Fn() + 'static,
) -> AnyView {
    view! {
        <button
            type="button"
            class="button button-quiet button-small button-icon"
            id=id
            aria-label=label.clone()
            title=label
            disabled=disabled
            on:click=move |_| run()
        >
            {icon(picture)}
        </button>
    }
    .into_any()
}
