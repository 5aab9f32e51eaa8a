//! The field of "Go to", and the places that it finds.

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use crate::components::debounce::debounced;
use crate::components::icon::{Icon, icon};
use crate::components::loading::error_message;
use crate::error::UiError;
use crate::fns::projects::{ProjectLink, find_projects};
use crate::i18n::{PaletteTexts, texts};
use crate::map::Page;

/// A place to go to.
#[derive(Clone, PartialEq)]
struct Choice {
    label: String,
    /// The kind of place, or the project's site.
    beside: String,
    href: String,
    picture: Icon,
}

/// The pages whose titles have the words: those of the project that is open, then those of the person.
fn pages(project: Option<&str>, words: &str) -> Vec<Choice> {
    let (t, w) = (texts(), PaletteTexts::of_this_page());
    let words = words.trim().to_lowercase();
    let mut found: Vec<Choice> = Vec::new();
    for of_project in [true, false] {
        let of_kind = Page::SIGNED_IN.iter();
        let of_kind = of_kind.filter(|page| page.is_of_project() == of_project);
        for page in of_kind {
            let Some(picture) = page.icon() else { continue };
            let title = page.title(t);
            let is_away = of_project && project.is_none();
            if is_away || !title.to_lowercase().contains(&words) {
                continue;
            }
            found.push(Choice {
                label: title.to_owned(),
                beside: if of_project { w.this_project } else { w.all }.to_owned(),
                href: page.path().replace(":project", project.unwrap_or_default()),
                picture,
            });
        }
    }
    found
}

fn of_project(link: ProjectLink) -> Choice {
    Choice {
        label: link.title,
        beside: link.site,
        href: format!("/projects/{}", link.id),
        picture: Icon::Grid,
    }
}

/// The field, and the places that it finds.
pub fn search(open: RwSignal<bool>, project: Memo<Option<String>>) -> AnyView {
    let (t, w) = (texts(), PaletteTexts::of_this_page());
    let query = RwSignal::new(String::new());
    let projects = RwSignal::new(Ok::<_, UiError>(Vec::<ProjectLink>::new()));
    let asked = StoredValue::new(0_u32);
    let settled = debounced(query);
    Effect::new(move |_| {
        let words = settled.get();
        let number = asked.get_value() + 1;
        asked.set_value(number);
        spawn_local(async move {
            let found = find_projects(words).await;
            // Another question came after it, or the dialog is gone.
            if asked.try_get_value() == Some(number) {
                let _ = projects.try_set(found.map(|(found, _)| found));
            }
        });
    });
    let choices = Memo::new(move |_| {
        let mut found = project.with(|project| pages(project.as_deref(), &query.get()));
        if let Ok(projects) = projects.get() {
            found.extend(projects.into_iter().map(of_project));
        }
        found
    });
    // Enter takes the first place: it fits best.
    let active = RwSignal::new(0_usize);
    Effect::new(move |_| {
        choices.track();
        active.set(0);
    });
    let navigate = use_navigate();
    let go = move |href: &str| {
        open.set(false);
        navigate(href, NavigateOptions::default());
    };
    let on_key = {
        let go = go.clone();
        move |event: KeyboardEvent| {
            let last = choices.with_untracked(Vec::len).saturating_sub(1);
            let now = active.get_untracked();
            match event.key().as_str() {
                "ArrowDown" => active.set(if now < last { now + 1 } else { 0 }),
                "ArrowUp" => active.set(if now > 0 { now - 1 } else { last }),
                "Enter" => {
                    let chosen = choices.with_untracked(|all| all.get(now).cloned());
                    if let Some(chosen) = chosen {
                        go(&chosen.href);
                    }
                }
                _ => return,
            }
            event.prevent_default();
            scroll_to_active();
        }
    };
    let field = NodeRef::<html::Input>::new();
    field.on_load(|field| {
        let _ = field.focus();
    });
    let rows = move || {
        let all = choices.get();
        if all.is_empty() {
            return view! { <p class="muted" role="status">{w.nothing}</p> }.into_any();
        }
        let rows = all.into_iter().enumerate().map(|(index, choice)| {
            let go = go.clone();
            let href = choice.href.clone();
            let is_active = move || active.get() == index;
            view! {
                <li
                    class="menu-item"
                    id=format!("place-{index}")
                    role="option"
                    aria-selected=move || if is_active() { "true" } else { "false" }
                    on:click=move |_| go(&href)
                >
                    {icon(choice.picture)}
                    <span class="truncate grow">{choice.label}</span>
                    <span class="muted small truncate">{choice.beside}</span>
                </li>
            }
        });
        view! { <ul class="places" id="places" role="listbox" aria-label=w.places>{rows.collect_view()}</ul> }
            .into_any()
    };
    let problem = move || projects.with(|found| found.as_ref().err().map(|e| error_message(t, e)));
    view! {
        <div class="dialog-body">
            <div class="input-icon">
                {icon(Icon::Search)}
                <input
                    class="input"
                    node_ref=field
                    role="combobox"
                    aria-label=w.title
                    aria-expanded="true"
                    aria-autocomplete="list"
                    aria-controls="places"
                    aria-activedescendant=move || format!("place-{}", active.get())
                    autocomplete="off"
                    on:input:target=move |event| query.set(event.target().value())
                    on:keydown=on_key
                />
            </div>
            {move || problem().map(|text| view! { <p class="problem" role="alert">{text}</p> })}
            {rows}
        </div>
    }
    .into_any()
}

/// Brings the chosen place into view, once it is drawn.
fn scroll_to_active() {
    request_animation_frame(|| {
        let chosen = document().query_selector("#places [aria-selected=true]");
        if let Ok(Some(chosen)) = chosen {
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Nearest);
            chosen.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}
