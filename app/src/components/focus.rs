//! The place of the keyboard's focus, which follows a change that draws elements anew.

use std::cell::Cell;
use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::draft::Draft;
use super::field::shown_at;

/// Moves focus to the first field on this page that has a problem.
pub fn focus_first_problem(draft: Draft) {
    if let Ok(Some(field)) = document().query_selector("[aria-invalid=true]") {
        focus(&field);
        return;
    }
    let errors = draft.errors_untracked();
    if let Some(element) = errors.iter().find_map(|error| shown_at(&error.pointer)) {
        focus(&element);
    }
}

pub fn focus(element: &web_sys::Element) {
    if let Some(element) = element.dyn_ref::<web_sys::HtmlElement>() {
        let _ = element.focus();
    }
}

thread_local! {
    /// Number of the latest wish of [`focus_when_there`].
    static LATEST: Cell<u64> = const { Cell::new(0) };
}

/// Moves focus to the first of these elements that can take it, once one is there: what a change
/// draws anew loses the focus, and some forms wait for the server. A later wish ends this one.
pub fn focus_when_there(ids: Vec<String>) {
    const TRIES: u32 = 160;
    let wish = LATEST.get() + 1;
    LATEST.set(wish);
    try_to_focus(ids, wish, TRIES);
}

fn try_to_focus(ids: Vec<String>, wish: u64, tries: u32) {
    let look = move || {
        if LATEST.get() != wish {
            return;
        }
        let elements = ids.iter().filter_map(|id| document().get_element_by_id(id));
        match elements
            .into_iter()
            .find(|it| !it.has_attribute("disabled"))
        {
            Some(element) => focus(&element),
            None if tries > 0 => try_to_focus(ids, wish, tries - 1),
            None => {}
        }
    };
    set_timeout(look, Duration::from_millis(60));
}
