//! A new project, empty or like another one.

use domain::collection::Collection;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use serde_json::{Value, json};

use crate::components::draft::Draft;
use crate::components::field::text;
use crate::components::form::Form;
use crate::components::layout::page_head;
use crate::components::loading::shown_if;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::copies::{Begun, Original, Places, begin_like, copy_document, copy_places};
use crate::fns::documents::create_document;
use crate::fns::projects::ProjectLink;
use crate::frame::Rail;
use crate::i18n::{CopyTexts, fill, number, texts};
use crate::map::Page;
use crate::pages::copying;

/// A project that was made.
#[derive(Clone, Debug, Default)]
struct Made {
    id: String,
    /// Files and services that it does not have.
    left_out: usize,
    /// Titles of what could not be copied.
    failed: Vec<String>,
    /// Number of what was not tried.
    beyond: u64,
}

/// The project that the new one begins like, and how far its content is copied.
#[derive(Clone, Copy)]
struct Like {
    is_wanted: RwSignal<bool>,
    chosen: RwSignal<Option<ProjectLink>>,
    /// Number of the document that is being copied, and of all.
    progress: RwSignal<Option<(usize, usize)>>,
}

pub fn create() -> AnyView {
    let t = texts();
    let draft = Draft::new(json!({}));
    let (navigate, toasts) = (use_navigate(), toasts());
    let rail = Rail::refresher();
    let like = Like {
        is_wanted: RwSignal::new(false),
        chosen: RwSignal::new(None),
        progress: RwSignal::new(None),
    };
    let words = CopyTexts::of_this_page();
    let send = move |sent| make(with_scheme(sent), like);
    let made = move |made: Made| {
        rail();
        if let Some(left) = left_behind(words, &made) {
            toasts.problem(left);
        }
        let path = Page::Overview.at(&[&made.id]);
        navigate(&path, NavigateOptions::default());
    };
    let fields = view! {
        {text(draft, "/title", t.project_title).hint(t.project_title_hint).view()}
        {text(draft, "/websiteURL", t.site).kind("url").example("https://shop.example").hint(t.site_hint).view()}
        {beginning(draft, like)}
    };
    let cancel = view! { <a class="button button-quiet" href=Page::Projects.path()>{t.cancel}</a> };
    let form = Form::sending(draft, t.create_project, send, made)
        .class("form card card-pad")
        .beside(cancel.into_any())
        .view(fields.into_any());
    view! {
        <div class="page page-narrow">
            {page_head(t.new_project, t.new_project_text, ())}
            {form}
        </div>
    }
    .into_any()
}

/// The choice of another project to begin like, for people who edit one.
fn beginning(draft: Draft, like: Like) -> AnyView {
    let there = Resource::new(|| (), |()| copy_places(String::new(), String::new()));
    let has_some = |places: &Places| places.has_more || !places.projects.is_empty();
    shown_if(there, has_some, move || {
        let w = CopyTexts::of_this_page();
        let choose = move |wanted: bool| {
            like.is_wanted.set(wanted);
            if !wanted {
                like.chosen.set(None);
                draft.set(copying::PROJECT, None);
            }
        };
        let places = move || {
            like.is_wanted.get().then(|| {
                view! {
                    {copying::project_field(w.begin_like, String::new(), draft, like.chosen)}
                    <p class="hint">{w.begin_hint}</p>
                }
            })
        };
        let progress = move || {
            let (at, all) = like.progress.get()?;
            let (at, all) = (number(at as u64), number(all as u64));
            Some(fill(w.begin_progress, &[("n", &at), ("all", &all)]))
        };
        view! {
            <div class="check">
                <input
                    type="checkbox"
                    id="begin-like"
                    prop:checked=like.is_wanted
                    on:change=move |event| choose(event_target_checked(&event))
                />
                <label for="begin-like">{w.begin_wanted}</label>
            </div>
            {places}
            <p role="status" class="muted">{progress}</p>
        }
        .into_any()
    })
}

/// Makes the project, and copies what the other one contains.
async fn make(mut data: Value, like: Like) -> Result<Made, UiError> {
    // The draft holds the choice beside the fields of the new project.
    if let Some(fields) = data.as_object_mut() {
        fields.remove(copying::PROJECT.trim_start_matches('/'));
    }
    if !like.is_wanted.get_untracked() {
        let project = create_document(Collection::Projects, data).await?;
        return Ok(Made {
            id: project.id,
            ..Made::default()
        });
    }
    let from = like.chosen.get_untracked();
    let from = from.ok_or_else(copying::none_chosen)?;
    let begun = begin_like(from.id, data).await?;
    let copied = copy_all(&begun, like).await;
    let _ = like.progress.try_set(None);
    Ok(copied)
}

/// Copies documents one after the other. One that fails keeps no other from being copied.
async fn copy_all(begun: &Begun, like: Like) -> Made {
    let mut made = Made {
        id: begun.id.clone(),
        left_out: begun.left_out,
        failed: Vec::new(),
        beyond: begun.beyond,
    };
    let all = begun.content.len();
    for (at, one) in begun.content.iter().enumerate() {
        // The copies go on if the page is left: half of a project helps nobody.
        let _ = like.progress.try_set(Some((at + 1, all)));
        let Original {
            collection,
            id,
            title,
        } = one.clone();
        match copy_document(collection, id, Some(begun.id.clone()), None).await {
            Ok(copied) => made.left_out += copied.left_out,
            Err(_) => made.failed.push(title),
        }
    }
    made
}

/// The sentence about what the new project does not have; none if it has all.
fn left_behind(w: &CopyTexts, made: &Made) -> Option<String> {
    let mut sentences = Vec::new();
    if !made.failed.is_empty() {
        sentences.push(fill(w.begin_failed, &[("titles", &made.failed.join(", "))]));
    }
    if made.beyond > 0 {
        sentences.push(fill(w.begin_beyond, &[("n", &number(made.beyond))]));
    }
    if made.left_out > 0 {
        let n = number(made.left_out as u64);
        sentences.push(fill(w.begin_left_out, &[("n", &n)]));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// People type `shop.example`; the API wants an address.
fn with_scheme(mut project: Value) -> Value {
    if let Some(site) = project.get_mut("websiteURL")
        && let Some(text) = site.as_str().map(str::trim)
    {
        *site = if text.contains("://") || text.is_empty() {
            text.into()
        } else {
            format!("https://{text}").into()
        };
    }
    project
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_host_becomes_an_address() {
        assert_eq!(
            with_scheme(json!({"websiteURL": "shop.example"}))["websiteURL"],
            "https://shop.example"
        );
        assert_eq!(
            with_scheme(json!({"websiteURL": "http://a/"}))["websiteURL"],
            "http://a/"
        );
        assert_eq!(with_scheme(json!({})), json!({}));
    }
}
