//! Resources that follow a question, such as the words of a search or the project of the address.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use leptos::leptos_dom::helpers::TimeoutHandle;
use leptos::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

/// Fetches the answer of a question, and fetches again when the question changes.
///
/// A resource alone may miss a change (`reactive_graph` 0.2.16): an effect that reads it can clear the mark of the
/// change before the resource's own task sees it. An old answer would then stay under a new question. Here the question
/// of the last fetch is compared with the present one.
pub fn following<Q, T, F>(
    question: impl Fn() -> Q + Send + Sync + 'static,
    fetch: impl Fn(Q) -> F + Send + Sync + 'static,
) -> Resource<T>
where
    Q: Clone + PartialEq + Send + Sync + 'static,
    T: Serialize + DeserializeOwned + Send + Sync + 'static,
    F: Future<Output = T> + Send + 'static,
{
    let question = Arc::new(question);
    // The first answer may come with the page.
    let fetched = Arc::new(Mutex::new(untrack(|| question())));
    let answer = Resource::new(
        {
            let question = question.clone();
            move || question()
        },
        {
            let fetched = fetched.clone();
            move |question: Q| {
                *fetched.lock().unwrap_or_else(PoisonError::into_inner) = question.clone();
                fetch(question)
            }
        },
    );
    let watched = {
        let question = question.clone();
        move || {
            question();
            answer.track();
        }
    };
    let compare = move || {
        let present = untrack(|| question());
        let is_old = *fetched.lock().unwrap_or_else(PoisonError::into_inner) != present;
        if is_old {
            answer.refetch();
        }
        is_old
    };
    after_each_change(Box::new(watched), Arc::new(compare));
    answer
}

/// Pause before a check that found something is repeated.
const AGAIN: Duration = Duration::from_millis(50);

type Check = Arc<dyn Fn() -> bool + Send + Sync>;
type Timer = Arc<Mutex<Option<TimeoutHandle>>>;

/// Runs `check` after each change of the signals that `watched` reads, once all tasks that the change woke have run. Not
/// generic, because the code of each resource comes to the browser.
fn after_each_change(watched: Box<dyn Fn() + Send + Sync>, check: Check) {
    Effect::new(move |_| {
        watched();
        let timer = Timer::default();
        // Tasks run in microtasks, which all come before the next timer.
        run_after(Duration::ZERO, check.clone(), timer.clone());
        on_cleanup(move || {
            if let Some(timer) = timer.lock().unwrap_or_else(PoisonError::into_inner).take() {
                timer.clear();
            }
        });
    });
}

/// Runs a check after a pause, and again while it finds something: a fetch that it asks for may be missed, too.
fn run_after(pause: Duration, check: Check, timer: Timer) {
    let run = {
        let timer = timer.clone();
        move || {
            if check() {
                run_after(AGAIN, check.clone(), timer.clone());
            }
        }
    };
    let begun = set_timeout_with_handle(run, pause);
    *timer.lock().unwrap_or_else(PoisonError::into_inner) = begun.ok();
}
