//! Editors save while somebody types; publishing is another page.

use std::time::Duration;

use leptos::prelude::*;

use super::save::{SaveState, Saver};

/// Pause in typing after which the draft is saved.
const PAUSE: Duration = Duration::from_millis(900);
/// Each failure that may pass doubles the pause before the next try, up to about a minute.
const MOST_DOUBLINGS: u32 = 6;

/// Saves after a pause in typing. A refused draft waits for the next change. After a failure that may pass the draft is
/// tried again.
pub fn save_by_itself(saver: Saver) {
    Effect::new(move |_| {
        let dirty = saver.draft.dirty();
        let Some(pause) = pause(saver).filter(|_| dirty) else {
            return;
        };
        if saver.draft.read_only.get_untracked() {
            return;
        }
        if let Ok(timer) = set_timeout_with_handle(move || saver.save_quietly(), pause) {
            // Each change begins a new pause. A page that is gone has saved by `save_on_leaving`.
            on_cleanup(move || timer.clear());
        }
    });
}

/// Pause before the draft is saved; `None` if it waits for a change, a decision or the end of a save. Follows every
/// change of the state.
fn pause(saver: Saver) -> Option<Duration> {
    let again = saver.tried_as_it_is();
    saver.state.with(|state| match state {
        SaveState::Saving | SaveState::Conflict(_) => None,
        SaveState::Failed(error) if again && error.may_pass() => {
            Some(PAUSE * 2_u32.pow(saver.failures().min(MOST_DOUBLINGS)))
        }
        SaveState::Refused | SaveState::Failed(_) if again => None,
        SaveState::Idle | SaveState::Refused | SaveState::Failed(_) => Some(PAUSE),
    })
}

/// Saves without the pause in typing. A try that failed is repeated after its own pause all the same.
pub fn save_at_once(saver: Saver) {
    if saver.draft.dirty_untracked() && untrack(|| pause(saver)) == Some(PAUSE) {
        saver.save_quietly();
    }
}

/// Going back in the browser cannot be asked about; the draft is saved instead.
pub fn save_on_leaving(saver: Saver) {
    on_cleanup(move || {
        let unsaved = !cfg!(feature = "ssr")
            && !saver.is_discarded()
            && saver.draft.dirty_untracked()
            && !saver.draft.read_only.get_untracked();
        if unsaved {
            saver.leave();
        }
    });
}
