//! Strength of a new password, shown while somebody types it.

use leptos::prelude::*;

use super::debounce::debounced;
use crate::fns::passwords::{Strength, password_strength};
use crate::i18n::texts;

/// A meter for the password that is typed; `about` gives words that are easy to guess.
pub fn strength(
    typed: Signal<String>,
    about: impl Fn() -> Vec<String> + Send + Sync + 'static,
) -> AnyView {
    let t = texts();
    let settled = debounced(typed);
    let judged = LocalResource::new(move || {
        let password = settled.get();
        let about = untrack(&about);
        async move {
            if password.is_empty() {
                return None;
            }
            password_strength(password, about).await.ok()
        }
    });
    let found = RwSignal::new(None::<Strength>);
    // The last result stays until the next one.
    Effect::new(move |_| {
        if let Some(judged) = judged.get() {
            found.set(judged);
        }
    });
    let view = move || {
        let strength = found.get()?;
        let (value, word) = match strength {
            Strength::Short => ("1", t.password_short),
            Strength::Weak => ("1", t.password_weak),
            Strength::Fair => ("2", t.password_fair),
            Strength::Strong => ("3", t.password_strong),
        };
        Some(view! {
            <p class="row hint">
                <meter min="0" max="3" low="2" high="3" optimum="3" value=value aria-label=t.password_strength></meter>
                {word}
            </p>
        })
    };
    // Its place is kept, so that the button below does not move while somebody aims at it.
    view! { <div class="strength" role="status">{view}</div> }.into_any()
}
