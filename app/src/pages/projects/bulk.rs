//! Publishes several projects, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::channel::oneshot;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::dialog::confirm;
use crate::components::layout::{Tone, badge};
use crate::components::loading::error_message;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::publish::{Job, Status, publish_job, start_publish};
use crate::i18n::{SiteTexts, Texts, count, fill, number, texts};

/// The projects of the table that are chosen, and the publishing of them.
#[derive(Clone, Copy, Default)]
pub struct Bulk {
    chosen: RwSignal<BTreeSet<String>>,
    states: RwSignal<BTreeMap<String, State>>,
    is_busy: RwSignal<bool>,
    stops: RwSignal<bool>,
}

/// The state of a project that is published with others.
#[derive(Clone, Debug, PartialEq)]
enum State {
    Waits,
    Runs,
    Done,
    /// A second person must approve.
    Asked,
    /// The reason in words.
    Failed(String),
}

impl Bulk {
    /// Forgets the choice and what came of earlier ones, for other rows. Nothing that runs is stopped.
    pub fn forget(self) {
        if !self.is_busy.get_untracked() {
            self.chosen.set(BTreeSet::new());
            self.states.set(BTreeMap::new());
        }
    }

    pub fn is_busy(self) -> bool {
        self.is_busy.get()
    }

    /// True if all of these are chosen.
    pub fn has_all(self, ids: &[String]) -> bool {
        self.chosen
            .with(|chosen| ids.iter().all(|id| chosen.contains(id)))
    }

    /// Chooses projects, or takes them out.
    pub fn choose(self, ids: &[String], is_chosen: bool) {
        self.chosen.update(|chosen| {
            for id in ids {
                if is_chosen {
                    chosen.insert(id.clone());
                } else {
                    chosen.remove(id);
                }
            }
        });
    }

    /// The state of a project that was chosen, where it has one.
    pub fn state(self, id: &str) -> Option<AnyView> {
        let w = SiteTexts::of_this_page();
        let state = self.states.with(|states| states.get(id).cloned())?;
        Some(match state {
            State::Waits => badge(Tone::Neutral, w.waits),
            State::Runs => view! {
                <span class="spinner" aria-hidden="true"></span>
                {w.runs}
            }
            .into_any(),
            State::Done => badge(Tone::Ok, w.done),
            State::Asked => badge(Tone::Warn, w.asked),
            State::Failed(why) => view! {
                {badge(Tone::Danger, w.failed)}
                <span class="small">{why} " " <a href=format!("/projects/{id}/publish")>{w.look}</a></span>
            }
            .into_any(),
        })
    }

    /// The number of chosen projects, and the button that publishes them; later how far it is.
    pub fn bar(self) -> AnyView {
        let (t, w) = (texts(), SiteTexts::of_this_page());
        let content = move || {
            let chosen = self.chosen.with(BTreeSet::len) as u64;
            if self.is_busy() {
                let (all, done) = self.states.with(|states| {
                    let open = |state: &&State| matches!(state, State::Waits | State::Runs);
                    let open = states.values().filter(open).count();
                    (states.len() as u64, (states.len() - open) as u64)
                });
                let text = fill(
                    w.going_on,
                    &[("done", &number(done)), ("all", &number(all))],
                );
                return view! {
                    <p role="status">{text}</p>
                    <button
                        type="button"
                        class="button button-small"
                        disabled=move || self.stops.get()
                        on:click=move |_| self.stops.set(true)
                    >
                        {w.stop}
                    </button>
                }
                .into_any();
            }
            let ask = confirm(
                count(chosen, w.publish_title_one, w.publish_title),
                w.publish_text,
                w.publish,
                false,
                move || self.publish(),
            );
            view! {
                <p>{count(chosen, w.chosen_one, w.chosen)}</p>
                <span class="row">
                    <button type="button" class="button button-small" on:click=move |_| self.chosen.set(BTreeSet::new())>
                        {t.cancel}
                    </button>
                    <button type="button" class="button button-small button-primary" on:click=move |_| ask()>
                        {w.publish}
                    </button>
                </span>
            }
            .into_any()
        };
        let is_shown = move || self.is_busy() || self.chosen.with(|chosen| !chosen.is_empty());
        view! {
            {move || is_shown().then(|| view! { <div class="bulk-bar row-between">{content}</div> })}
        }
        .into_any()
    }

    /// Publishes the chosen projects. One that fails keeps no other from being published.
    fn publish(self) {
        let chosen: Vec<String> = self.chosen.get_untracked().into_iter().collect();
        if chosen.is_empty() || self.is_busy.get_untracked() {
            return;
        }
        let waits = chosen.iter().map(|id| (id.clone(), State::Waits));
        self.states.set(waits.collect());
        self.stops.set(false);
        self.is_busy.set(true);
        let toasts = toasts();
        // A task knows nothing of the page, its language included.
        let words = (texts(), SiteTexts::of_this_page());
        spawn_local(async move {
            for id in &chosen {
                if self.stops.try_get_untracked() != Some(false) {
                    break;
                }
                self.is(id, State::Runs);
                self.is(id, publish(id, words).await);
            }
            let ended = self.states.try_update(|states| {
                // Those that were not begun stay chosen.
                states.retain(|_, state| *state != State::Waits);
                let is_done = |state: &State| matches!(state, State::Done | State::Asked);
                states.len() == chosen.len() && states.values().all(is_done)
            });
            let _ = self.chosen.try_update(|left| {
                let _ = self.states.try_with_untracked(|states| {
                    left.retain(|id| !states.contains_key(id));
                });
            });
            let _ = self.is_busy.try_set(false);
            match ended {
                Some(true) => toasts.done(words.1.all_done),
                Some(false) => toasts.problem(words.1.some_left),
                // The page is gone.
                None => {}
            }
        });
    }

    fn is(self, id: &str, state: State) {
        let _ = self.states.try_update(|states| {
            if let Some(entry) = states.get_mut(id) {
                *entry = state;
            }
        });
    }
}

/// Publishes a project as it stands, and waits for the end.
async fn publish(project: &str, (t, w): (&'static Texts, &'static SiteTexts)) -> State {
    let ended = async {
        let mut job = start_publish(project.to_owned(), String::new(), None).await?;
        while job.runs() {
            pause(Duration::from_millis(u64::from(job.poll))).await;
            job = publish_job(project.to_owned(), job.id).await?;
        }
        Ok::<Job, UiError>(job)
    };
    match ended.await {
        Ok(job) => match job.status {
            Status::Complete => State::Done,
            Status::Error => State::Failed(job.message.unwrap_or_default()),
            Status::Waiting | Status::Started => State::Asked,
        },
        // The field is the reason for publishing in spite of warnings.
        Err(UiError::Invalid { .. }) => State::Failed(w.warned.to_owned()),
        Err(error) => State::Failed(error_message(t, &error)),
    }
}

async fn pause(time: Duration) {
    let (wake, woken) = oneshot::channel();
    set_timeout(
        move || {
            let _ = wake.send(());
        },
        time,
    );
    // It ends, too, if the timer is gone.
    let _ = woken.await;
}
