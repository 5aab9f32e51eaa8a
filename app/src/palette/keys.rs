//! Keys that work everywhere: Ctrl K (or ⌘ K) for "Go to", and single letters for those who want them.
//!
//! Single letters can be turned off, because speech input and slips of the hand press them (WCAG 2.2, criterion 2.1.4).

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::components::focus::focus;
use crate::components::unsaved::navigator;
use crate::map::Page;

/// Name of the browser's memory that single letters are off.
const OFF: &str = "placet_keys_off";
/// Time within which the letter of a page follows the `g`, in milliseconds.
const PATIENCE: f64 = 1_500.0;

fn memory() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// True if single letters are to do something.
pub fn are_on() -> bool {
    let off = memory().and_then(|memory| memory.get_item(OFF).ok().flatten());
    off.is_none()
}

/// Turns single letters on or off.
pub fn turn(on: bool) {
    if let Some(memory) = memory() {
        let _ = if on {
            memory.remove_item(OFF)
        } else {
            memory.set_item(OFF, "1")
        };
    }
}

/// Follows the keys of the page.
pub fn listen(open: RwSignal<bool>, help: RwSignal<bool>, project: Memo<Option<String>>) {
    let go = StoredValue::new(navigator());
    Effect::new(move |_| {
        let went = StoredValue::new(f64::NEG_INFINITY);
        let listener = window_event_listener(ev::keydown, move |event| {
            let key = event.key();
            if (event.ctrl_key() || event.meta_key()) && key.eq_ignore_ascii_case("k") {
                // There it makes a link.
                if is_in(&event, "[contenteditable]") {
                    return;
                }
                event.prevent_default();
                help.set(false);
                open.set(true);
                return;
            }
            let with_another = event.ctrl_key() || event.meta_key() || event.alt_key();
            if with_another || is_busy(&event) || !are_on() {
                return;
            }
            let now = event.time_stamp();
            if now - went.get_value() < PATIENCE {
                went.set_value(f64::NEG_INFINITY);
                if let Some(href) = page_of(&key, project.get_untracked().as_deref()) {
                    event.prevent_default();
                    go.try_with_value(|go| go(&href));
                }
                return;
            }
            match key.as_str() {
                "g" => went.set_value(now),
                "?" => help.set(true),
                "/" => match document().query_selector("main input[type=search]") {
                    Ok(Some(field)) => focus(&field),
                    _ => open.set(true),
                },
                _ => return,
            }
            event.prevent_default();
        });
        on_cleanup(move || listener.remove());
    });
}

/// True if the key is pressed inside an element that one of these selectors finds.
fn is_in(event: &ev::KeyboardEvent, selectors: &str) -> bool {
    let target = event.target();
    let element = target.and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    element.is_some_and(|element| element.closest(selectors).ok().flatten().is_some())
}

/// True if the key is for a field that somebody types in, or for a dialog.
fn is_busy(event: &ev::KeyboardEvent) -> bool {
    let fields = "input, textarea, select, [contenteditable], dialog, [role=application]";
    is_in(event, fields)
        || document()
            .query_selector("dialog[open]")
            .ok()
            .flatten()
            .is_some()
}

/// The address of the page with this letter.
fn page_of(key: &str, project: Option<&str>) -> Option<String> {
    let mut letters = key.chars();
    let letter = letters.next().filter(|_| letters.next().is_none())?;
    let fits =
        |page: &&Page| page.key() == Some(letter) && (!page.is_of_project() || project.is_some());
    let page = Page::SIGNED_IN.iter().find(fits)?;
    Some(page.path().replace(":project", project.unwrap_or_default()))
}
