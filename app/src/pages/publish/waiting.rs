//! A publish that waits for its time, or for the approval of a second person.

use domain::error_code::ErrorCode;
use domain::field_error::FieldError;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;

use super::Watch;
use super::differences::of_documents;
use crate::components::dialog::dialog;
use crate::components::draft::Draft;
use crate::components::field::{id_of, text};
use crate::components::layout::{Tone, badge, notice};
use crate::components::loading::error_message;
use crate::components::preview::Preview;
use crate::components::table::show_all;
use crate::components::time::{ago, in_own_zone, of_own_zone};
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::publish::{Job, Waiting, approve_publish, cancel_publish, see_widget};
use crate::i18n::{count, fill, texts};
use crate::icon::{Icon, icon};

/// Pointer of the time in the draft of a publish.
pub const AT: &str = "/at";

/// The field for the time at which a publish goes live.
pub fn when(draft: Draft) -> AnyView {
    let w = texts().publish();
    text(draft, AT, w.at)
        .kind("datetime-local")
        .hint(w.at_hint)
        .optional()
        .view()
}

/// The time that stands in that field, in milliseconds since 1970; none if it is empty.
pub fn chosen(draft: Draft) -> Result<Option<i64>, UiError> {
    if is_incomplete() {
        let fields = vec![FieldError::new(AT, ErrorCode::InvalidTime, "")];
        return Err(UiError::Invalid { fields });
    }
    Ok(of_own_zone(&draft.text(AT)))
}

/// True if parts of the time are missing. The value of its field is empty then, as without a time.
fn is_incomplete() -> bool {
    let field = document().get_element_by_id(&id_of(AT));
    let field = field.and_then(|field| field.dyn_into::<web_sys::HtmlInputElement>().ok());
    field.is_some_and(|field| field.validity().bad_input())
}

/// The publish that waits: its author, its reason to wait and its changes, with the buttons of who may decide.
pub fn card(waiting: Waiting, can_publish: bool, watch: Watch) -> AnyView {
    let (t, w) = (texts(), texts().publish());
    let Waiting {
        job,
        changes,
        shown,
        is_own,
    } = waiting;
    let by = job
        .by
        .clone()
        .unwrap_or_else(|| t.publish().placet_itself.to_owned());
    let reasons = [
        job.waits_for_approval.then(|| {
            let text = if is_own && can_publish {
                w.another_approves
            } else {
                w.waits_for_approval
            };
            view! { <li>{text}</li> }.into_any()
        }),
        (job.rollback).then(|| view! { <li>{w.puts_back}</li> }.into_any()),
        job.publish_at
            .map(|at| view! { <li>{w.goes_live} " " {in_own_zone(at)}</li> }.into_any()),
    ];
    let reason = job.reason.as_deref().map(|reason| {
        let text = fill(w.with_note, &[("reason", reason)]);
        view! { <p class="wrap-anywhere">{text}</p> }
    });
    let warned = (job.warnings > 0).then(|| {
        let (one, many) = (
            t.publish().publish_with_warning,
            t.publish().publish_with_warnings,
        );
        badge(Tone::Warn, count(job.warnings, one, many))
    });
    let deciding = RwSignal::new(false);
    let id = StoredValue::new(job.id.clone());
    let approve = move |_| {
        let decided = approve_publish(watch.project.get_untracked(), id.get_value());
        decide(watch, deciding, w.approved, decided);
    };
    let cancel = move |_| {
        let decided = cancel_publish(watch.project.get_untracked(), id.get_value());
        decide(watch, deciding, w.cancelled, decided);
    };
    let may_approve = can_publish && job.waits_for_approval && !is_own;
    let buttons = can_publish.then(|| {
        view! {
            <div class="row">
                <button type="button" class="button" disabled=deciding on:click=cancel>
                    {w.cancel_publish}
                </button>
                {may_approve.then(|| view! {
                    <button type="button" class="button button-primary" disabled=deciding on:click=approve>
                        {w.approve}
                    </button>
                })}
            </div>
        }
    });
    view! {
        <section class="card" aria-labelledby="waits-title">
            <div class="card-head">
                <h2 id="waits-title">{w.waits}</h2>
                {buttons}
            </div>
            <div class="card-body">
                <p>{fill(w.asked_by, &[("person", &by)])} " " {ago(job.started)}</p>
                <ul class="bullets">{reasons.into_iter().flatten().collect_view()}</ul>
                {reason}
                {warned}
                {of_documents(watch.project, id.get_value(), changes, w.nothing_differs)}
                {looks(shown, id, watch)}
                {notice(Tone::Neutral, w.fixed)}
            </div>
        </section>
    }
    .into_any()
}

/// Configurations and boxes whose buttons are there from the first.
const FIRST: usize = 12;

/// A button for each configuration and box of a publish, which shows it as visitors would see it.
pub fn looks(shown: Vec<(String, String)>, job: StoredValue<String>, watch: Watch) -> AnyView {
    let (t, w) = (texts(), texts().publish());
    let open = RwSignal::new(false);
    let chosen = StoredValue::new(String::new());
    let (all, total) = (RwSignal::new(false), shown.len());
    let shown = StoredValue::new(shown);
    let button = move |(id, title): &(String, String)| {
        let (id, label) = (id.clone(), fill(w.see_widget, &[("title", title)]));
        let show = move |_| {
            chosen.set_value(id.clone());
            open.set(true);
        };
        view! {
            <button type="button" class="button button-small" on:click=show>
                {icon(Icon::Eye)}
                {label}
            </button>
        }
    };
    let buttons = move || {
        let most = if all.get() { total } else { FIRST };
        shown.with_value(|shown| shown.iter().take(most).map(button).collect_view())
    };
    let preview = move || {
        let draw = move |(), nonce, dark| {
            let project = watch.project.get_untracked();
            see_widget(project, job.get_value(), chosen.get_value(), nonce, dark)
        };
        let frames = Preview::new(|| (), draw, None).alone();
        view! { <div class="dialog-body">{frames}</div> }.into_any()
    };
    view! {
        <div class="row">{buttons} {move || show_all(t, total, FIRST, all)}</div>
        {dialog(open, w.seen_title, true, preview)}
    }
    .into_any()
}

fn decide<F>(watch: Watch, deciding: RwSignal<bool>, done: &'static str, decided: F)
where
    F: Future<Output = Result<Job, UiError>> + 'static,
{
    let (t, toasts) = (texts(), toasts());
    deciding.set(true);
    spawn_local(async move {
        let answer = decided.await;
        if deciding.try_set(false).is_some() {
            return;
        }
        match answer {
            Ok(job) => {
                toasts.done(done);
                watch.follow(job);
            }
            Err(error) => {
                toasts.problem(error_message(t, &error));
                // Somebody else may have decided.
                watch.data.refetch();
            }
        }
    });
}
