//! Resources that follow a question, such as the words of a search or the project of the address.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

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
        if *fetched.lock().unwrap_or_else(PoisonError::into_inner) != present {
            answer.refetch();
        }
    };
    after_each_change(Box::new(watched), Arc::new(compare));
    answer
}

/// Runs `then` after each change of the signals that `watched` reads, once all tasks that the change woke have run. Not
/// generic, because the code of each resource comes to the browser.
fn after_each_change(watched: Box<dyn Fn() + Send + Sync>, then: Arc<dyn Fn() + Send + Sync>) {
    Effect::new(move |_| {
        watched();
        let then = then.clone();
        // Tasks run in microtasks, which all come before the next timer.
        if let Ok(timer) = set_timeout_with_handle(move || then(), Duration::ZERO) {
            on_cleanup(move || timer.clear());
        }
    });
}
