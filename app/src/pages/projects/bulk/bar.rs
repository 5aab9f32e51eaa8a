//! The bar that publishes the chosen projects, one after the other.

use std::collections::BTreeSet;

use domain::publish::JobStatus;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Bulk, State};
use crate::components::dialog::confirm;
use crate::components::loading::error_message;
use crate::components::polling::later;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::publish::{Job, start_publish};
use crate::i18n::{SiteTexts, Texts, count, fill, number, texts};

/// The number of chosen projects, and the button that publishes them; later how far it is.
pub fn bar(bulk: Bulk) -> AnyView {
    let content = move || {
        if bulk.is_busy() {
            progress(bulk)
        } else {
            choice(bulk)
        }
    };
    let is_shown = Memo::new(move |_| bulk.is_shown());
    view! {
        {move || is_shown.get().then(|| view! { <div class="bulk-bar row-between">{content}</div> })}
    }
    .into_any()
}

fn progress(bulk: Bulk) -> AnyView {
    let w = SiteTexts::of_this_page();
    let text = move || {
        let (all, done) = bulk.states.with(|states| {
            let open = |state: &&State| matches!(state, State::Waits | State::Runs);
            let open = states.values().filter(open).count();
            (states.len() as u64, (states.len() - open) as u64)
        });
        fill(
            w.going_on,
            &[("done", &number(done)), ("all", &number(all))],
        )
    };
    view! {
        <p role="status">{text}</p>
        <button
            type="button"
            class="button button-small"
            disabled=move || bulk.stops.get()
            on:click=move |_| bulk.stops.set(true)
        >
            {w.stop}
        </button>
    }
    .into_any()
}

fn choice(bulk: Bulk) -> AnyView {
    let (t, w) = (texts(), SiteTexts::of_this_page());
    let chosen = bulk.chosen.with(BTreeSet::len) as u64;
    let ask = confirm(
        count(chosen, w.publish_title_one, w.publish_title),
        w.publish_text,
        w.publish,
        false,
        move || publish_all(bulk),
    );
    view! {
        <p>{count(chosen, w.chosen_one, w.chosen)}</p>
        <span class="row">
            <button type="button" class="button button-small" on:click=move |_| bulk.chosen.set(BTreeSet::new())>
                {t.cancel}
            </button>
            <button type="button" class="button button-small button-primary" on:click=move |_| ask()>
                {w.publish}
            </button>
        </span>
    }
    .into_any()
}

/// Publishes the chosen projects. One that fails keeps no other from being published.
fn publish_all(bulk: Bulk) {
    let chosen: Vec<String> = bulk.chosen.get_untracked().into_iter().collect();
    if chosen.is_empty() || bulk.is_busy.get_untracked() {
        return;
    }
    let waits = chosen.iter().map(|id| (id.clone(), State::Waits));
    bulk.states.set(waits.collect());
    bulk.stops.set(false);
    bulk.is_busy.set(true);
    let toasts = toasts();
    // A task knows nothing of the page, its language included.
    let words = (texts(), SiteTexts::of_this_page());
    spawn_local(async move {
        for id in &chosen {
            if bulk.stops.try_get_untracked() != Some(false) {
                break;
            }
            mark(bulk, id, State::Runs);
            mark(bulk, id, publish(id, words).await);
        }
        let ended = bulk.states.try_update(|states| {
            // Those that were not begun stay chosen.
            states.retain(|_, state| *state != State::Waits);
            let of = |wanted: &State| states.values().filter(|state| *state == wanted).count();
            let (done, asked) = (of(&State::Done), of(&State::Asked));
            (done + asked == chosen.len()).then_some((done, asked))
        });
        let _ = bulk.chosen.try_update(|left| {
            let _ = bulk.states.try_with_untracked(|states| {
                left.retain(|id| !states.contains_key(id));
            });
        });
        let _ = bulk.is_busy.try_set(false);
        match ended {
            Some(Some((done, asked))) => toasts.done(all_ended(words.1, done, asked)),
            Some(None) => toasts.problem(words.1.some_left),
            // The page is gone.
            None => {}
        }
    });
}

/// The outcome in words, if none has failed.
fn all_ended(w: &SiteTexts, done: usize, asked: usize) -> String {
    if asked == 0 {
        return w.all_done.to_owned();
    }
    let waits = count(asked as u64, w.some_ask_one, w.some_ask);
    if done == 0 {
        return waits;
    }
    format!("{waits} {}", w.others_done)
}

fn mark(bulk: Bulk, id: &str, state: State) {
    let _ = bulk.states.try_update(|states| {
        if let Some(entry) = states.get_mut(id) {
            *entry = state;
        }
    });
}

/// Publishes a project as it stands, and waits for the end.
async fn publish(project: &str, (t, w): (&'static Texts, &'static SiteTexts)) -> State {
    let ended = async {
        let mut job = start_publish(project.to_owned(), String::new(), None).await?;
        while job.runs() {
            job = later(project.to_owned(), &job).await?;
        }
        Ok::<Job, UiError>(job)
    };
    match ended.await {
        Ok(job) => match job.status {
            JobStatus::Complete => State::Done,
            JobStatus::Error => State::Failed(job.message.unwrap_or_default()),
            JobStatus::Waiting | JobStatus::Started => State::Asked,
        },
        // The field is the reason for publishing in spite of warnings.
        Err(UiError::Invalid { .. }) => State::Failed(w.warned.to_owned()),
        Err(error) => State::Failed(error_message(t, &error)),
    }
}
