//! The warnings about the drafts, and the reason to publish all the same.

use domain::collection::Collection;
use leptos::prelude::*;

use super::Watch;
use super::differences::and_more;
use super::waiting::{AT, chosen};
use crate::components::dialog::dialog;
use crate::components::draft::Draft;
use crate::components::field::text;
use crate::components::form::Form;
use crate::components::layout::{Tone, notice};
use crate::error::UiError;
use crate::fns::publish::{First, Job, Warning, publish_as_shown};
use crate::i18n::{Texts, concern, texts};
use crate::map::Page;
use crate::pages::widget::Place;

/// Lists the settings and texts of the drafts that are not fair to visitors, or keep the widget from them, with links
/// to them.
pub fn warnings(t: &'static Texts, project: &str, warnings: &First<Warning>) -> AnyView {
    let rows = warnings
        .shown
        .iter()
        .map(|warning| {
            let href = if warning.collection == Collection::Projects {
                Page::Settings.at(&[&project])
            } else {
                let at = Place::of_field(&warning.pointer).code();
                format!(
                    "{}?at={at}",
                    Page::Configuration.at(&[&project, &warning.id])
                )
            };
            view! {
                <li>
                    <a href=href>{warning.title.clone()}</a>
                    <span class="grow">{concern(t, warning.concern)}</span>
                </li>
            }
        })
        .collect_view();
    notice(
        Tone::Warn,
        view! {
            <ul class="repairs" aria-label=t.warnings>{rows}</ul>
            {and_more(warnings.more)}
        },
    )
}

/// Asks why somebody publishes in spite of the warnings.
pub fn anyway_dialog(open: RwSignal<bool>, watch: Watch, warnings: First<Warning>) -> AnyView {
    let t = texts();
    dialog(open, t.publish().publish_anyway, false, move || {
        let draft = Draft::new(serde_json::json!({"reason": ""}));
        let shown = warnings.clone();
        let send = move |_| {
            let (reason, at) = untrack(|| (draft.text("/reason"), chosen(watch.draft)));
            let (project, shown) = (watch.project.get_untracked(), shown.clone());
            async move {
                let started = match at {
                    Ok(at) => publish_as_shown(project, reason, at, shown).await,
                    Err(error) => Err(error),
                };
                if let Err(error) = &started
                    && is_of_page(error)
                    && open.try_set(false).is_none()
                {
                    watch.refused(error.clone());
                }
                started
            }
        };
        let started = move |job: Job| {
            open.set(false);
            watch.started(job);
        };
        let rows = warnings
            .shown
            .iter()
            .map(|warning| view! { <li>{warning.title.clone()} ": " {concern(t, warning.concern)}</li> })
            .collect_view();
        let fields = view! {
            <p class="muted">{t.publish().publish_anyway_text}</p>
            <ul class="repairs">{rows}</ul>
            {and_more(warnings.more)}
            {text(draft, "/reason", t.publish().publish_reason).rows(3).hint(t.publish().publish_reason_hint).view()}
        };
        Form::sending(draft, t.publish().publish_anyway, send, started)
            .dialog(open, fields.into_any())
    })
}

/// True if the page behind the dialog shows the reason: other warnings, or the field of the time.
fn is_of_page(error: &UiError) -> bool {
    let mut fields = error.fields().iter();
    *error == UiError::Conflict || fields.any(|field| field.pointer == AT)
}
