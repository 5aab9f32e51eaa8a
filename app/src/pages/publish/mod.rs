//! Publishing: what waits, what happens step by step, what was published before.

mod differences;
mod waiting;
mod warnings;

use domain::collection::Collection;
use domain::documents;
use domain::error_code::ErrorCode;
use domain::field_error::FieldError;
use domain::publish::{JobStatus, StepName, StepStatus};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::project_id;
use crate::components::copy::copyable;
use crate::components::dialog::dialog;
use crate::components::draft::Draft;
use crate::components::field::{id_of, text};
use crate::components::focus::focus_when_there;
use crate::components::following::following;
use crate::components::form::Form;
use crate::components::layout::{Tone, badge, busy_label, notice, page_head};
use crate::components::listing::{Shown, listing_of_address};
use crate::components::loading::{
    block_skeleton, empty_state, error_message, fetched, loaded, table_skeleton,
};
use crate::components::polling::later;
use crate::components::time::ago;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::listing::Listing;
use crate::fns::publish::{
    Change, EarlierPublish, First, How, Job, PublishData, Step, publish_as_shown, read_publish,
    read_rollback, rollback,
};
use crate::i18n::{ListingTexts, Texts, count, fill, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::pages::collections::page_of;
use crate::pages::fields;
use crate::pages::publish::differences::{kind_of, more_of, of_document, of_documents};
use crate::pages::publish::waiting::{card, chosen, looks, when};
use crate::pages::publish::warnings::{anyway_dialog, warnings};

/// A job that this page watches.
#[derive(Clone, Copy)]
struct Watch {
    project: Memo<String>,
    job: RwSignal<Option<Job>>,
    starting: RwSignal<bool>,
    failed: RwSignal<Option<UiError>>,
    data: Resource<Result<PublishData, UiError>>,
    listing: Memo<Listing>,
    /// The note and the time of the next publish.
    draft: Draft,
}

impl Watch {
    fn busy(self) -> Signal<bool> {
        Signal::derive(move || {
            self.starting.get() || self.job.with(|job| job.as_ref().is_some_and(Job::runs))
        })
    }

    /// Starts a job and watches it to its end.
    fn begin<F>(self, start: F)
    where
        F: Future<Output = Result<Job, UiError>> + 'static,
    {
        if self.busy().get_untracked() {
            return;
        }
        self.starting.set(true);
        self.failed.set(None);
        spawn_local(async move {
            let started = start.await;
            if self.starting.try_set(false).is_some() {
                return;
            }
            match started {
                Ok(job) => self.started(job),
                Err(error) => self.refused(error),
            }
        });
    }

    /// Tells why nothing was started. After a change of somebody else the page is read again, with its warnings.
    fn refused(self, error: UiError) {
        if error == UiError::Conflict {
            self.data.refetch();
        }
        self.draft.refuse(&error);
        self.failed.set(Some(error));
    }

    /// Watches a job whose note and time are sent.
    fn started(self, job: Job) {
        self.failed.set(None);
        self.draft.replace(serde_json::json!({}));
        self.follow(job);
    }

    /// Asks again after the time that the job names, until it ends.
    fn follow(self, job: Job) {
        // A publish that waits has a card of its own.
        let shown = (job.status != JobStatus::Waiting).then(|| job.clone());
        // The page may be gone by now.
        if self.job.try_set(shown).is_some() {
            return;
        }
        if !job.runs() {
            self.data.refetch();
            return;
        }
        let project = self.project.get_untracked();
        spawn_local(async move {
            match later(project, &job).await {
                Ok(job) => self.follow(job),
                Err(error) => {
                    // The page may be gone by now. Otherwise it is read again, and offers what it finds.
                    if self.failed.try_set(Some(error)).is_none() {
                        self.job.set(None);
                        self.data.refetch();
                    }
                }
            }
        });
    }
}

pub fn page() -> AnyView {
    let t = texts();
    let project = project_id();
    let listing = listing_of_address();
    let data = following(
        move || (project.get(), listing.get()),
        |(project, listing)| read_publish(project, listing),
    );
    let watch = Watch {
        project,
        job: RwSignal::new(None),
        starting: RwSignal::new(false),
        failed: RwSignal::new(None),
        data,
        listing,
        draft: Draft::new(serde_json::json!({})),
    };
    let content = loaded(data, table_skeleton, move |data| content(data, watch));
    view! {
        <div class="page">
            {page_head(t.publish, t.publish_text, ())}
            {content}
        </div>
    }
    .into_any()
}

fn content(data: PublishData, watch: Watch) -> AnyView {
    let t = texts();
    let project = watch.project.get_untracked();
    let listing = watch.listing.get_untracked();
    let base = Page::Publish.at(&[&project]);
    let list = Shown {
        base: &base,
        listing: &listing,
        kept: Vec::new(),
        per_page: data.per_page,
        total: data.total,
    };
    if data.configurations == 0 && list.is_empty() {
        let link = view! {
            <a class="button button-primary" href=Page::Configurations.at(&[&project])>{t.go_to_widget}</a>
        };
        return view! {
            <div class="card">
                {empty_state(Icon::Publish, t.publish().nothing_to_publish_title, t.publish().nothing_to_publish_text, link.into_any())}
            </div>
        }
        .into_any();
    }
    // A job that was started elsewhere, or before a reload, is followed too.
    if let Some(running) = data.running.clone() {
        Effect::new(move |_| {
            if watch.job.with_untracked(Option::is_none) {
                watch.follow(running.clone());
            }
        });
    }
    let waiting = data.changes.total();
    let is_refused = data.refusal.is_some();
    let state = if let Some(refusal) = data.refusal.clone() {
        notice(Tone::Danger, refusal)
    } else if waiting == 0 {
        notice(Tone::Ok, t.publish().all_live)
    } else {
        let row = move |change| change_row(t, &watch.project.get_untracked(), &change);
        differences::list(watch.project, None, data.changes.clone(), row)
    };
    let anyway = RwSignal::new(false);
    let warned = data.warnings.total() > 0;
    let draft = watch.draft;
    let publish = move |_| {
        let (note, at) = untrack(|| (draft.text("/reason"), chosen(draft)));
        match at {
            Err(error) => {
                draft.refuse(&error);
                focus_when_there(vec![id_of(waiting::AT)]);
            }
            Ok(_) if warned => anyway.set(true),
            Ok(at) => {
                let project = watch.project.get_untracked();
                watch.begin(publish_as_shown(project, note, at, First::default()));
            }
        }
    };
    let can_publish = data.can_publish && !is_refused;
    let is_free = can_publish && data.waiting.is_none();
    let when = is_free.then(|| when(draft));
    let waits = data.waiting.clone();
    let waits = waits.map(|waiting| card(waiting, data.can_publish, watch));
    let needs_approval = data.needs_approval;
    let label = move || {
        let w = texts().publish();
        match (needs_approval, draft.text(waiting::AT).is_empty()) {
            (true, _) => w.ask,
            (false, false) => w.schedule,
            (false, true) if waiting == 0 => t.publish().publish_again,
            (false, true) => t.publish().publish_changes,
        }
    };
    // In spite of warnings the reason stands in its place.
    let note_field = (is_free && !warned).then(|| {
        let w = texts().publish();
        text(draft, "/reason", w.note)
            .hint(w.note_hint)
            .optional()
            .view()
    });
    let warned_of = warned.then(|| warnings(t, &project, &data.warnings));
    let reason = anyway_dialog(anyway, watch, data.warnings.clone());
    let button = (is_free || !needs_approval && can_publish).then(|| {
        view! {
            <button
                type="button"
                class="button button-primary"
                disabled=watch.busy()
                on:click=publish
            >
                {move || busy_label(watch.busy(), label())}
            </button>
        }
    });
    let history = (!list.is_empty()).then(|| history(&data, &list, watch));
    let title = if is_refused {
        t.too_large.to_owned()
    } else {
        count(waiting, t.change_waiting, t.changes_waiting)
    };
    view! {
        <section class="card" aria-labelledby="waiting-title">
            <div class="card-head">
                <h2 id="waiting-title">{title}</h2>
                {button}
            </div>
            <div class="card-body">
                {move || watch.failed.get().map(|error| view! { <div role="alert">{notice(Tone::Danger, error_message(t, &error))}</div> })}
                {move || watch.job.get().map(|job| progress(t, &job))}
                {state}
                {warned_of}
                {note_field}
                {when}
            </div>
        </section>
        {waits}
        {reason}
        {history}
    }
    .into_any()
}

fn change_row(t: &'static Texts, project: &str, change: &Change) -> AnyView {
    let href = page_of(change.collection, project, &change.id);
    view! {
        <li>
            <div class="row-between">
            <span class="row">
                <a href=href>{change.title.clone()}</a>
                <span class="muted">{kind_of(t, change.collection)}</span>
            </span>
            <span class="row muted small">
                {match &change.how {
                    How::New => t.publish().never_published.into_any(),
                    How::Changed { .. } => t.publish().changed_lower.into_any(),
                    How::Removed => t.publish().removed_lower.into_any(),
                    How::Broken(errors) => {
                        let rows = errors.shown.iter();
                        let rows = rows.map(|error| view! { <span class="problem">{broken(t, change.collection, error)}</span> });
                        view! {
                            {rows.collect_view()}
                            {more_of(errors.more).map(|text| view! { <span>{text}</span> })}
                        }
                        .into_any()
                    }
                }}
            </span>
            </div>
            {of_document(change)}
        </li>
    }
    .into_any()
}

/// The problem of a field that keeps its document from being published.
fn broken(t: &'static Texts, collection: Collection, error: &FieldError) -> String {
    let needed = fields::needed(documents::of(collection), &error.pointer);
    match needed.filter(|_| error.code == ErrorCode::Required) {
        Some(field) => fill(t.publish().field_needed, &[("field", field)]),
        None => error.detail.clone(),
    }
}

/// The name of a step in the page's language.
fn step_name(t: &'static Texts, name: StepName) -> &'static str {
    match name {
        StepName::Build => t.publish().step_build,
        StepName::FreeTier => t.publish().step_limits,
        StepName::Organization => t.publish().step_organization,
        StepName::Subscription => t.publish().step_subscription,
        StepName::Upload => t.publish().step_upload,
        StepName::Invalidate => t.publish().step_invalidate,
    }
}

fn progress(t: &'static Texts, job: &Job) -> AnyView {
    let step = |step: &Step| {
        let (class, picture, word) = match step.status {
            StepStatus::Waiting => ("waiting", ().into_any(), t.status_waiting),
            StepStatus::Started => (
                "running",
                view! { <span class="spinner" aria-hidden="true"></span> }.into_any(),
                t.publish().status_running,
            ),
            StepStatus::Complete => ("ok", icon(Icon::Check), t.publish().status_done),
            StepStatus::Error => ("failed", icon(Icon::Cross), t.publish().status_failed),
        };
        let took = step.took.map(|ms| format!("{ms} ms"));
        let picture = if step.status == StepStatus::Waiting {
            view! { <span></span> }.into_any()
        } else {
            picture
        };
        view! {
            <li class=class>
                {picture}
                <span>{step_name(t, step.name)} <span class="quiet">" – " {word}</span></span>
                <span class="muted small figure">{took}</span>
            </li>
        }
        .into_any()
    };
    let end = match job.status {
        JobStatus::Complete => {
            let url = job.url.clone();
            notice(
                Tone::Ok,
                view! {
                    <p class="strong">{t.publish().published_now}</p>
                    {url.map(|url| view! {
                        <div class="row">
                            {copyable(url.clone(), t.address)}
                            <a class="button button-small" href=url target="_blank" rel="noreferrer">
                                {icon(Icon::External)}
                                {t.open}
                            </a>
                        </div>
                    })}
                },
            )
        }
        JobStatus::Error => notice(
            Tone::Danger,
            view! {
                <p class="strong">{t.publish_failed}</p>
                <p>{job.message.clone().unwrap_or_default()}</p>
                <p class="muted small">{t.publish().still_live}</p>
            },
        ),
        JobStatus::Waiting | JobStatus::Started => ().into_any(),
    };
    view! {
        <div class="stack-tight" role="status" aria-live="polite">
            <ol class="progress">{job.steps.iter().map(step).collect_view()}</ol>
            {end}
        </div>
    }
    .into_any()
}

fn history(data: &PublishData, list: &Shown<'_>, watch: Watch) -> AnyView {
    let t = texts();
    let project = watch.project.get_untracked();
    let seen = Page::Publications.at(&[&project]);
    let search = list.search(ListingTexts::of_this_page().search_publishes, []);
    let search = search.map(|search| view! { <div class="card-pad">{search}</div> });
    let rows = data
        .jobs
        .iter()
        .map(|job| {
            history_row(
                t,
                job,
                data.live.as_ref() == Some(&job.id),
                data.can_publish,
                watch,
            )
        })
        .collect_view();
    let table = if data.total == 0 {
        list.nothing_fits()
    } else {
        view! {
            <div class="table-scroll">
                <table class="table">
                    <thead>
                        <tr>
                            {list.time_head(t.when)}
                            <th scope="col">{t.publish().result}</th>
                            <th scope="col" class="wide-only">{t.by}</th>
                            <th scope="col" class="wide-only">{t.publish().job}</th>
                            <th scope="col"><span class="quiet">{t.actions}</span></th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </div>
        }
        .into_any()
    };
    view! {
        <section class="card" aria-labelledby="history-title">
            <div class="card-head">
                <h2 id="history-title">{t.history}</h2>
                <a class="button button-small" href=seen>{t.publications}</a>
            </div>
            {search}
            {table}
            {list.pages()}
        </section>
    }
    .into_any()
}

/// The field of the note in the dialog. The page behind it has one at `/reason`.
const NOTE: &str = "/rollbackReason";

/// Shows what comes back before somebody puts an earlier publish back.
fn back_dialog(open: RwSignal<bool>, id: String, when: &str, watch: Watch) -> AnyView {
    let (t, toasts) = (texts(), toasts());
    let id = StoredValue::new(id);
    let told = StoredValue::new(fill(t.publish().put_back_text, &[("when", when)]));
    dialog(open, t.publish().put_back_action, true, move || {
        let draft = Draft::new(serde_json::json!({}));
        let send = move |_| {
            let note = untrack(|| draft.text(NOTE));
            rollback(watch.project.get_untracked(), id.get_value(), note)
        };
        let started = move |job: Job| {
            open.set(false);
            toasts.done(t.publish().putting_back);
            watch.failed.set(None);
            watch.follow(job);
        };
        let asked = Memo::new(move |_| (watch.project.get_untracked(), id.get_value()));
        let read = |(project, job)| read_rollback(project, job);
        let found = fetched(asked, block_skeleton, read, move |found: EarlierPublish| {
            let waits = found
                .waits
                .then(|| view! { <p>{texts().publish().put_back_waits}</p> });
            view! {
                {waits}
                {of_documents(watch.project, id.get_value(), found.changes, texts().publish().same)}
                {looks(found.shown, id, watch)}
            }
            .into_any()
        });
        let fields = view! {
            <p>{told.get_value()}</p>
            {found}
            {text(draft, NOTE, t.publish().note).hint(t.publish().note_back_hint).optional().view()}
        };
        Form::sending(draft, t.publish().put_back_action, send, started)
            .dialog(open, fields.into_any())
    })
}

fn history_row(
    t: &'static Texts,
    job: &Job,
    live: bool,
    can_publish: bool,
    watch: Watch,
) -> AnyView {
    let result = match job.status {
        JobStatus::Complete if live => badge(Tone::Ok, t.live),
        JobStatus::Complete => badge(Tone::Neutral, t.publish().status_done),
        JobStatus::Error => badge(Tone::Danger, t.publish().status_failed),
        JobStatus::Waiting => badge(Tone::Accent, texts().publish().waits_badge),
        JobStatus::Started => badge(Tone::Accent, t.publish().status_running),
    };
    let remark = match job.status {
        JobStatus::Error => job.message.clone(),
        _ => job.rollback.then(|| t.publish().put_back.to_owned()),
    };
    let warned = (job.warnings > 0).then(|| {
        let warnings = count(
            job.warnings,
            t.publish().publish_with_warning,
            t.publish().publish_with_warnings,
        );
        badge(Tone::Warn, warnings)
    });
    let reason = job.reason.as_deref().map(|reason| {
        let template = if job.warnings > 0 {
            t.publish().publish_with_reason
        } else {
            texts().publish().with_note
        };
        let text = fill(template, &[("reason", reason)]);
        view! { <p class="muted small wrap-anywhere">{text}</p> }
    });
    let id = job.id.clone();
    let back = (can_publish && job.status == JobStatus::Complete && !live).then(|| {
        let when = crate::components::time::exact(job.started);
        let open = RwSignal::new(false);
        view! {
            <button
                type="button"
                class="button button-small"
                disabled=watch.busy()
                on:click=move |_| open.set(true)
            >
                {t.publish().put_back_action}
            </button>
            {back_dialog(open, id, &when, watch)}
        }
    });
    let short = job
        .id
        .get(job.id.len().saturating_sub(8)..)
        .map(|tail| format!("…{tail}"));
    view! {
        <tr>
            <td>{ago(job.started)}</td>
            <td>
                {result} " " {warned}
                {remark.map(|text| view! { <p class="muted small">{text}</p> })}
                {reason}
            </td>
            <td class="wide-only">{job.by.clone().unwrap_or_else(|| t.publish().placet_itself.to_owned())}</td>
            <td class="wide-only">{crate::components::copy::copyable_as(job.id.clone(), short, t.publish().job)}</td>
            <td class="number">{back}</td>
        </tr>
    }
    .into_any()
}
