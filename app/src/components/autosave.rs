//! Editors save while somebody types; publishing is another page.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::save::{SaveState, Saver};
use crate::fns::documents::save_document;

/// Pause in typing after which the draft is saved.
const PAUSE: Duration = Duration::from_millis(900);

/// Saves after a pause in typing; what is refused waits for the next change.
pub fn save_by_itself(saver: Saver) {
    let timer = StoredValue::new(None::<TimeoutHandle>);
    Effect::new(move |_| {
        saver.draft.value();
        let idle = saver
            .state
            .with(|state| !matches!(state, SaveState::Saving | SaveState::Conflict(_)));
        if let Some(timer) = timer.get_value() {
            timer.clear();
        }
        if idle && saver.draft.dirty_untracked() && !saver.draft.read_only.get_untracked() {
            let refused = saver
                .state
                .with_untracked(|state| matches!(state, SaveState::Refused | SaveState::Failed(_)));
            if refused && saver.tried_as_it_is() {
                return;
            }
            timer.set_value(set_timeout_with_handle(move || saver.save_quietly(), PAUSE).ok());
        }
    });
}

/// Going back in the browser cannot be asked about; the draft is saved instead.
pub fn save_on_leaving(saver: Saver) {
    on_cleanup(move || {
        let unsaved = !cfg!(feature = "ssr")
            && saver.draft.dirty_untracked()
            && !saver.draft.read_only.get_untracked()
            && saver
                .state
                .with_untracked(|state| *state == SaveState::Idle);
        if unsaved {
            let (collection, id, version) = saver.target();
            let data = saver.draft.value_untracked();
            spawn_local(async move {
                // Nobody is left to tell; the version keeps it from overwriting others.
                let _ = save_document(collection, id, version, data).await;
            });
        }
    });
}
