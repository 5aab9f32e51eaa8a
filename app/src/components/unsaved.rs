//! Nobody loses typed text by leaving: closing the page asks, and so does the way to another page, unless the page can
//! save first.

use leptos::ev;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use super::dialog::confirm;
use crate::i18n::texts;

/// Immediate saving, for a page that otherwise saves after a pause.
#[derive(Clone, Copy)]
pub struct Flush {
    pub save: Callback<()>,
    /// True while the present state cannot be saved.
    pub stuck: Signal<bool>,
    /// Gives up what is not saved.
    pub discard: Callback<()>,
}

/// Keeps somebody here who would lose text by going to an address, and asks; false where nothing would be lost.
type Guard = Callback<String, bool>;

/// The guards of this page, one for each form; in context from the frame.
#[derive(Clone, Copy, Default)]
pub struct Guards(StoredValue<Vec<Guard>>);

impl Guards {
    fn add(self, guard: Guard) {
        self.0.try_update_value(|guards| guards.push(guard));
    }

    fn remove(self, guard: Guard) {
        self.0
            .try_update_value(|guards| guards.retain(|other| !other.matches(&guard)));
    }

    fn keep_here(self, href: &str) -> bool {
        let guards = self.0.try_get_value().unwrap_or_default();
        guards
            .iter()
            .any(|guard| guard.try_run(href.to_owned()) == Some(true))
    }
}

/// Gives a function that leads to an address of this app, for controls that are no links. It asks first, as links do.
pub fn navigator() -> impl Fn(&str) + Clone + Send + Sync + 'static {
    let guards = use_context::<Guards>().unwrap_or_default();
    let navigate = use_navigate();
    move |href: &str| {
        if !guards.keep_here(href) {
            navigate(href, NavigateOptions::default());
        }
    }
}

/// True if an address is that of another page. A page keeps its forms while only its query changes.
fn leads_away(href: &str) -> bool {
    let path = href.split(['?', '#']).next();
    window().location().pathname().ok().as_deref() != path
}

/// Guards a page while `dirty` is true.
pub fn guard(dirty: Signal<bool>) {
    guard_or_flush(dirty, None);
}

/// Guards a page that saves by itself: the way to another page waits until all is saved, and asks only where that
/// cannot be.
pub fn guard_or_flush(dirty: Signal<bool>, flush: Option<Flush>) {
    let t = texts();
    let guards = use_context::<Guards>().unwrap_or_default();
    let target = StoredValue::new(String::new());
    let navigate = StoredValue::new(use_navigate());

    let leave = move || {
        let target = target.try_get_value().unwrap_or_default();
        navigate.try_with_value(|navigate| navigate(&target, NavigateOptions::default()));
    };
    let leave_unsaved = move || {
        if let Some(flush) = flush {
            flush.discard.try_run(());
        }
        leave();
    };
    let ask = confirm(
        t.leave_title,
        t.leave_text,
        t.leave_action,
        true,
        leave_unsaved,
    );
    let waiting = RwSignal::new(false);
    if let Some(flush) = flush {
        let ask = ask.clone();
        Effect::new(move |_| {
            if !waiting.get() {
                return;
            }
            if !dirty.get() {
                waiting.set(false);
                leave();
            } else if flush.stuck.get() {
                waiting.set(false);
                ask();
            } else {
                // Does nothing while it saves; what was typed meanwhile is saved next.
                untrack(|| flush.save.run(()));
            }
        });
    }

    let guard = Guard::new(move |href: String| {
        if !dirty.get_untracked() || !leads_away(&href) {
            return false;
        }
        target.set_value(href);
        if flush.is_some() {
            waiting.set(true);
        } else {
            ask();
        }
        true
    });

    Effect::new(move |_| {
        guards.add(guard);
        let unload = window_event_listener(ev::beforeunload, move |event| {
            if dirty.get_untracked() {
                event.prevent_default();
            }
        });
        // In the capture phase, so that the router does not see a link that waits for an answer.
        let click =
            Closure::<dyn Fn(web_sys::MouseEvent)>::new(move |event: web_sys::MouseEvent| {
                if event.ctrl_key() || event.meta_key() || event.shift_key() {
                    return;
                }
                let link = event
                    .target()
                    .and_then(|target| target.dyn_into::<web_sys::Element>().ok())
                    .and_then(|element| element.closest("a[href]").ok().flatten());
                let Some(link) = link else { return };
                let href = link.get_attribute("href").unwrap_or_default();
                if !href.starts_with('/') || link.has_attribute("target") {
                    return;
                }
                if guard.run(href) {
                    event.prevent_default();
                    event.stop_propagation();
                }
            });
        let _ = document().add_event_listener_with_callback_and_bool(
            "click",
            click.as_ref().unchecked_ref(),
            true,
        );
        let click = StoredValue::new_local(click);
        on_cleanup(move || {
            guards.remove(guard);
            unload.remove();
            click.try_with_value(|click| {
                document().remove_event_listener_with_callback_and_bool(
                    "click",
                    click.as_ref().unchecked_ref(),
                    true,
                )
            });
        });
    });
}
