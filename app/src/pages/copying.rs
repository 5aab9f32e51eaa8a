//! Copies of a document of a list: beside it, or in another project.

use domain::collection::Collection;
use domain::{error_code::ErrorCode, field_error::FieldError};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use serde_json::json;

use crate::components::debounce::debounced;
use crate::components::dialog::dialog;
use crate::components::draft::Draft;
use crate::components::field::{id_of, problem, text};
use crate::components::form::Form;
use crate::components::loading::{block_skeleton, error_message, fetched};
use crate::components::search;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::copies::{Copied, Places, copy_document, copy_places};
use crate::fns::projects::ProjectLink;
use crate::i18n::{CopyTexts, fill, texts};
use crate::icon::{Icon, icon};

/// Place of the chosen project in a draft.
pub const PROJECT: &str = "/projectId";

/// The document whose copy goes to another project.
#[derive(Clone, Debug)]
struct Original {
    id: String,
    /// Empty if it has none.
    title: String,
}

/// The address of the editor of a document, by its project and its id.
type EditorPath = fn(&str, &str) -> String;

/// Copies of the documents of a collection in a project.
#[derive(Clone, Copy)]
pub struct Copying {
    collection: Collection,
    project: Memo<String>,
    editor: EditorPath,
    asked: RwSignal<Option<Original>>,
    open: RwSignal<bool>,
    /// True while a copy is made beside its original.
    busy: RwSignal<bool>,
    duplicate: Callback<Original>,
}

impl Copying {
    pub fn new(collection: Collection, project: Memo<String>, editor: EditorPath) -> Self {
        let busy = RwSignal::new(false);
        Self {
            collection,
            project,
            editor,
            asked: RwSignal::new(None),
            open: RwSignal::new(false),
            busy,
            duplicate: duplicating(collection, project, editor, busy),
        }
    }

    /// The two buttons of a document's row, which `label` names.
    pub fn buttons(self, id: &str, title: &str, label: &str) -> AnyView {
        let w = CopyTexts::of_this_page();
        let original = Original {
            id: id.to_owned(),
            title: title.to_owned(),
        };
        let other = original.clone();
        view! {
            {button(w.duplicate, label, Icon::Copy, self.busy.into(), move || {
                self.duplicate.try_run(original.clone());
            })}
            {button(w.to_project, label, Icon::External, Signal::stored(false), move || {
                self.asked.set(Some(other.clone()));
                self.open.set(true);
            })}
        }
        .into_any()
    }

    /// The dialog that asks for the other project; outside of all that is rendered anew with the list.
    pub fn dialog(self) -> AnyView {
        let w = CopyTexts::of_this_page();
        dialog(self.open, w.to_project, false, move || {
            let original = self.asked.get_untracked();
            original.map_or_else(|| ().into_any(), |original| self.form(original))
        })
    }

    fn form(self, original: Original) -> AnyView {
        let w = CopyTexts::of_this_page();
        let toasts = toasts();
        let navigate = use_navigate();
        let draft = Draft::new(json!({"title": original.title}));
        let chosen = RwSignal::new(None::<ProjectLink>);
        let send = move |_| {
            let (id, project) = (original.id.clone(), chosen.get_untracked());
            let title = given(untrack(|| draft.text("/title")));
            async move {
                let project = project.ok_or_else(none_chosen)?;
                let into = Some(project.id.clone());
                let copy = copy_document(self.collection, id, into, title).await?;
                Ok((copy, project))
            }
        };
        let made = move |(copy, project): (Copied, ProjectLink)| {
            self.open.set(false);
            let path = (self.editor)(&project.id, &copy.id);
            let navigate = navigate.clone();
            let go = move || navigate(&path, NavigateOptions::default());
            toasts.done_with(said(w, &copy, &project), w.open, go);
        };
        let fields = view! {
            <p class="muted">{w.text}</p>
            {text(draft, "/title", w.title).view()}
            {project_field(w.project, self.project.get_untracked(), draft, chosen)}
        };
        Form::sending(draft, w.copy, send, made).dialog(self.open, fields.into_any())
    }
}

/// A title that is there.
fn given(title: String) -> Option<String> {
    Some(title).filter(|title| !title.trim().is_empty())
}

/// The refusal of a form whose project is not chosen.
pub fn none_chosen() -> UiError {
    let fields = vec![FieldError::new(PROJECT, ErrorCode::Required, String::new())];
    UiError::Invalid { fields }
}

fn said(w: &CopyTexts, copy: &Copied, project: &ProjectLink) -> String {
    let n = copy.left_out.to_string();
    let text = if copy.left_out == 0 {
        w.copied
    } else {
        w.left_out
    };
    fill(text, &[("project", &project.title), ("n", &n)])
}

fn button(
    action: &'static str,
    label: &str,
    picture: Icon,
    disabled: Signal<bool>,
    run: impl Fn() + Send + Sync + 'static,
) -> AnyView {
    view! {
        <button
            type="button"
            class="button button-quiet button-small button-icon"
            aria-label=format!("{action}: {label}")
            title=action
            disabled=disabled
            on:click=move |_| run()
        >
            {icon(picture)}
        </button>
    }
    .into_any()
}

/// Makes one copy at a time in the same project, and goes to its editor.
fn duplicating(
    collection: Collection,
    project: Memo<String>,
    editor: EditorPath,
    busy: RwSignal<bool>,
) -> Callback<Original> {
    let (t, w) = (texts(), CopyTexts::of_this_page());
    let toasts = toasts();
    let navigate = StoredValue::new(use_navigate());
    Callback::new(move |original: Original| {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let title = given(original.title).map(|title| fill(w.copy_of, &[("title", &title)]));
        spawn_local(async move {
            let copied = copy_document(collection, original.id, None, title).await;
            // The page may be gone by now.
            let is_there = busy.try_set(false).is_none();
            let copy = match copied {
                Ok(copy) => copy,
                Err(error) => return toasts.problem(error_message(t, &error)),
            };
            if is_there {
                let path = editor(&project.get_untracked(), &copy.id);
                navigate.with_value(|navigate| navigate(&path, NavigateOptions::default()));
            }
            toasts.done(match copy.left_out {
                0 if is_there => w.duplicated.to_owned(),
                0 => w.duplicated_meanwhile.to_owned(),
                n => fill(w.duplicated_without, &[("n", &n.to_string())]),
            });
        });
    })
}

/// The choice of a project that the person may edit, without `except`.
pub fn project_field(
    label: &'static str,
    except: String,
    draft: Draft,
    chosen: RwSignal<Option<ProjectLink>>,
) -> AnyView {
    view! {
        <fieldset class="field" id=id_of(PROJECT) tabindex="-1">
            <legend class="label">{label}</legend>
            {places(except, draft, chosen)}
            {problem("copy-project-problem".to_owned(), move || draft.problem(PROJECT))}
        </fieldset>
    }
    .into_any()
}

/// The projects that fit a search, one of which is chosen.
fn places(here: String, draft: Draft, chosen: RwSignal<Option<ProjectLink>>) -> AnyView {
    let w = CopyTexts::of_this_page();
    let query = RwSignal::new(String::new());
    let settled = debounced(query);
    let asked = Memo::new(move |_| settled.get());
    let here = StoredValue::new(here);
    let content = fetched(
        asked,
        block_skeleton,
        move |query| copy_places(here.get_value(), query),
        move |places: Places| {
            let Places { projects, has_more } = places;
            // Nobody sends to a project that is out of sight.
            let is_there = |id: &str| projects.iter().any(|project| project.id == id);
            if !is_there(&untrack(|| draft.text(PROJECT))) {
                draft.set(PROJECT, None);
                chosen.set(None);
            }
            let none = (projects.is_empty() && !has_more).then(|| {
                let is_search = !asked.get_untracked().trim().is_empty();
                let text = if is_search { w.none_fits } else { w.none };
                view! { <p class="hint" role="status">{text}</p> }
            });
            let more = has_more.then(|| view! { <p class="hint">{texts().search_to_narrow}</p> });
            let choices = projects
                .into_iter()
                .map(|project| choice(project, draft, chosen))
                .collect_view();
            view! {
                <div class="checks">{choices}</div>
                {none}
                {more}
            }
            .into_any()
        },
    );
    view! {
        <div class="stack-tight">
            {search::typed(None, w.find, query, || ())}
            {content}
        </div>
    }
    .into_any()
}

fn choice(project: ProjectLink, draft: Draft, chosen: RwSignal<Option<ProjectLink>>) -> AnyView {
    let id = format!("copy-to-{}", project.id);
    let (label, site) = (project.title.clone(), project.site.clone());
    let of = StoredValue::new(project);
    let is_chosen = move || of.with_value(|of| draft.text(PROJECT) == of.id);
    let choose = move |_| {
        let project = of.get_value();
        draft.set_text(PROJECT, &project.id);
        chosen.set(Some(project));
    };
    view! {
        <div class="check">
            <input
                type="radio"
                name="copy-to"
                id=id.clone()
                prop:checked=is_chosen
                on:change=choose
            />
            <div>
                <label for=id>{label}</label>
                <p class="hint wrap-anywhere">{site}</p>
            </div>
        </div>
    }
    .into_any()
}
