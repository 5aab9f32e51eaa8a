//! "Go to": one field that finds pages and projects, from everywhere, and the keys that lead there at once.

#![expect(
    clippy::unnecessary_wraps,
    reason = "a part may fail to load, and the function that is split off says so"
)]

mod help;
mod keys;
mod search;

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use crate::components::dialog::dialog;
use crate::i18n::PaletteTexts;
use crate::split;

/// A dialog of this part.
#[derive(Clone, Copy)]
enum Dialog {
    Search,
    Help,
}

/// The dialogs. The button of the rail opens the first one by `open`.
pub fn palette(open: RwSignal<bool>, project: Memo<Option<String>>) -> AnyView {
    let w = PaletteTexts::of_this_page();
    let help = RwSignal::new(false);
    keys::listen(open, help, project);
    let loaded = move |which, open| {
        let view = move || split::now(content(which, open, project));
        split::once_loaded(fetch(), view)
    };
    view! {
        {dialog(open, w.title, false, move || loaded(Dialog::Search, open))}
        {dialog(help, w.keys, false, move || loaded(Dialog::Help, help))}
    }
    .into_any()
}

// Loaded when one of them opens: most visits open none.
#[wasm_split(palette, fallible, preload(fetch))]
fn content(
    which: Dialog,
    open: RwSignal<bool>,
    project: Memo<Option<String>>,
) -> Result<AnyView, SplitLoaderError> {
    Ok(match which {
        Dialog::Search => search::search(open, project),
        Dialog::Help => help::help(open),
    })
}
