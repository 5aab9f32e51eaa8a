//! Wakes a rendered page up in the browser.

use std::time::Duration;

use leptos::ev;
use leptos::mount::{hydrate_body, mount_to_body};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use wasm_split_helpers::SplitLoaderError;

use crate::early;
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::routes::App;
use crate::session::Preferences;

/// Brings the page to life once the part that it is in has come; its forms and links work before.
pub async fn wake() {
    if load_what_is_needed().await.is_err() {
        return mount_to_body(asleep);
    }
    early::hold();
    hydrate_body(App);
    // Views that wait for data hydrate in microtasks, which all run before the next timer.
    set_timeout(early::release, Duration::ZERO);
    load_before_clicks();
}

async fn load_what_is_needed() -> Result<(), SplitLoaderError> {
    let path = window().location().pathname().unwrap_or_default();
    let words = Preferences::of_this_page().locale.load();
    let page = async {
        match Page::of(&path) {
            Some(page) => page.part().load().await,
            None => Ok(()),
        }
    };
    futures::try_join!(words, page)?;
    Ok(())
}

/// Says that the page stays as the server made it, and how to try again.
fn asleep() -> AnyView {
    let t = Preferences::of_this_page().locale.texts();
    let again = move |_: ev::MouseEvent| {
        let _ = window().location().reload();
    };
    view! {
        <div class="toasts" role="alert">
            <div class="toast toast-problem">
                {icon(Icon::Warning)}
                <span>{t.asleep}</span>
                <button type="button" class="button button-small" on:click=again>
                    {t.try_again}
                </button>
            </div>
        </div>
    }
    .into_any()
}

/// Loads the part of a page when somebody points at a link to it or focuses one. The click comes a moment
/// later and does not wait.
fn load_before_clicks() {
    for event in ["pointerover", "focusin"] {
        // Lasts as long as the page.
        let _ = window_event_listener_untyped(event, |event| {
            if let Some(page) = event.target().and_then(|target| page_behind(&target)) {
                // If it fails, opening the page tries again.
                spawn_local(async move {
                    let _ = page.part().load().await;
                });
            }
        });
    }
}

/// The page of this app to which the link around an element leads.
fn page_behind(target: &web_sys::EventTarget) -> Option<Page> {
    let link = target
        .dyn_ref::<web_sys::Element>()?
        .closest("a[href]")
        .ok()??;
    let link = link.dyn_into::<web_sys::HtmlAnchorElement>().ok()?;
    let is_here = window().location().origin().ok()? == link.origin();
    Page::of(&link.pathname()).filter(|_| is_here)
}
