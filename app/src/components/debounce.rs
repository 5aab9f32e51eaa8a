//! Text that somebody types, after a pause.

use std::time::Duration;

use leptos::prelude::*;

/// Follows a text once nobody has typed for a moment.
pub fn debounced(text: impl Into<Signal<String>>) -> RwSignal<String> {
    let text = text.into();
    let settled = RwSignal::new(String::new());
    let timer = StoredValue::new(None::<TimeoutHandle>);
    Effect::new(move |_| {
        let now = text.get();
        if let Some(timer) = timer.get_value() {
            timer.clear();
        }
        if settled.get_untracked() == now {
            return;
        }
        let settle = move || {
            let _ = settled.try_set(now);
        };
        timer.set_value(set_timeout_with_handle(settle, Duration::from_millis(200)).ok());
    });
    settled
}
