//! The list of the keys, with the switch of the single letters.

use leptos::prelude::*;

use super::keys;
use crate::i18n::{PaletteTexts, texts};
use crate::map::Page;

/// All keys, with the switch of the single letters.
pub fn help(open: RwSignal<bool>) -> AnyView {
    let (t, w) = (texts(), PaletteTexts::of_this_page());
    let on = RwSignal::new(keys::are_on());
    let turn = move |_| {
        on.update(|on| *on = !*on);
        keys::turn(on.get_untracked());
    };
    let of_pages = Page::SIGNED_IN.iter().filter_map(|page| {
        let key = page.key()?;
        Some(row(&["g", &key.to_string()], page.title(t)))
    });
    view! {
        <div class="dialog-body">
            <dl class="keys">
                {row(&["Ctrl", "K"], w.title)}
                {row(&["/"], w.search)}
                {row(&["?"], w.keys)}
                {of_pages.collect_view()}
            </dl>
            <div class="switch">
                <input type="checkbox" role="switch" id="letters" prop:checked=on on:change=turn />
                <div><label for="letters">{w.letters}</label></div>
            </div>
        </div>
        <div class="dialog-foot">
            <button type="button" class="button" on:click=move |_| open.set(false)>
                {t.close}
            </button>
        </div>
    }
    .into_any()
}

fn row(keys: &[&str], action: &'static str) -> AnyView {
    let keys = keys
        .iter()
        .map(|key| view! { <kbd>{(*key).to_owned()}</kbd> " " });
    view! {
        <div>
            <dt>{keys.collect_view()}</dt>
            <dd>{action}</dd>
        </div>
    }
    .into_any()
}
