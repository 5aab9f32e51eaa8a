//! Wakes a rendered page up in the browser.

use std::time::Duration;

use leptos::ev;
use leptos::mount::{hydrate_body, mount_to_body};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_split_helpers::SplitLoaderError;

use crate::components::icon::{Icon, icon};
use crate::early;
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
    in_a_quiet_moment(|| spawn_local(load_others()));
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

/// Fetches what the person is likely to open next, so that no click waits for it.
async fn load_others() {
    for page in Page::SIGNED_IN {
        // The open page works without the others; opening another one tries again.
        let _ = page.part().load().await;
    }
}

fn in_a_quiet_moment(run: impl Fn() + Clone + 'static) {
    // Not every browser tells when it is idle.
    if request_idle_callback_with_handle(run.clone()).is_err() {
        set_timeout(run, Duration::from_secs(1));
    }
}
