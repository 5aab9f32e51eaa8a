//! Resources that follow a question, such as the words of a search or the project of the address.

use std::time::Duration;

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
    let question = Memo::new(move |_| question());
    // The first answer may come with the page.
    let fetched = StoredValue::new(question.get_untracked());
    let answer = Resource::new(
        move || question.get(),
        move |question| {
            fetched.set_value(question.clone());
            fetch(question)
        },
    );
    let compare = move || {
        let is_missed = fetched
            .try_with_value(|fetched| question.try_with_untracked(|question| fetched != question));
        if is_missed.flatten() == Some(true) {
            answer.refetch();
        }
    };
    Effect::new(move |_| {
        question.track();
        answer.track();
        // Tasks that wait run in microtasks, which all come before the next timer.
        set_timeout(compare, Duration::ZERO);
    });
    answer
}
