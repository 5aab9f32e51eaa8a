//! A field for a picture that may be one of our illustrations. The gallery is fetched when somebody opens it.

use domain::documents::Illustration;
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::dialog::dialog;
use super::draft::Draft;
use super::field::id_of;
use super::focus::focus;
use super::loading::{block_skeleton, error_state};
use super::upload::{Takes, upload};
use crate::error::UiError;
use crate::fns::illustrations::{Paths, read_illustrations};
use crate::i18n::{IllustrationTexts, fill, texts};
use crate::icon::{Icon, icon};

/// The drawings, once they are asked for.
type Drawings = RwSignal<Option<Result<Vec<(String, Paths)>, UiError>>>;

/// A field for the picture at a pointer: a file of `project`, an address, or an illustration.
pub fn picture(
    draft: Draft,
    project: String,
    pointer: impl Into<String>,
    label: &'static str,
) -> AnyView {
    let w = IllustrationTexts::of_this_page();
    let pointer: String = pointer.into();
    let at = StoredValue::new(pointer.clone());
    let project = StoredValue::new(project);
    let chosen = Memo::new(move |_| Illustration::named(&draft.text(&pointer)));
    let open = RwSignal::new(false);
    let drawings = Drawings::new(None);
    let opener = NodeRef::<html::Button>::new();
    let fetch = Callback::new(move |()| {
        drawings.set(None);
        spawn_local(async move {
            let found = read_illustrations().await;
            // The page may be gone by now.
            let _ = drawings.try_set(Some(found));
        });
    });
    Effect::new(move |_| {
        let is_needed = open.get() || chosen.get().is_some();
        if is_needed && drawings.with_untracked(Option::is_none) {
            fetch.run(());
        }
    });
    let choose = Callback::new(move |illustration: Illustration| {
        at.with_value(|at| draft.set_text(at, &illustration.address()));
        open.set(false);
    });
    let remove = Callback::new(move |()| {
        at.with_value(|at| draft.set_text(at, ""));
        // The button that had the focus is gone.
        if let Some(opener) = opener.get_untracked() {
            focus(&opener);
        }
    });
    let field = move || match chosen.get() {
        Some(illustration) => {
            let id = at.with_value(|at| id_of(at));
            present(draft, &id, label, illustration, drawings, remove)
        }
        None => upload(
            draft,
            project.get_value(),
            at.get_value(),
            label,
            Takes::Picture,
        ),
    };
    view! {
        <div class="stack-tight">
            {field}
            <div class="row" hidden=draft.read_only>
                <button
                    type="button"
                    class="button button-small"
                    aria-haspopup="dialog"
                    node_ref=opener
                    on:click=move |_| open.set(true)
                >
                    {icon(Icon::Palette)}
                    {w.choose}
                </button>
            </div>
            {dialog(open, w.title, true, move || gallery(chosen, drawings, choose, fetch))}
        </div>
    }
    .into_any()
}

/// The illustration that is chosen.
fn present(
    draft: Draft,
    id: &str,
    label: &'static str,
    illustration: Illustration,
    drawings: Drawings,
    remove: Callback<()>,
) -> AnyView {
    let (t, w) = (texts(), IllustrationTexts::of_this_page());
    let label_id = format!("{id}-label");
    let drawing = move || {
        drawings.with(|drawings| {
            let all = drawings.as_ref()?.as_ref().ok()?;
            let own = all.iter().find(|(word, _)| word == illustration.as_str())?;
            Some(drawn(&own.1))
        })
    };
    let button = move || {
        (!draft.read_only.get()).then(|| {
            view! {
                <button
                    type="button"
                    class="button button-quiet button-small button-icon"
                    aria-label=format!("{}: {label}", t.remove)
                    title=t.remove
                    on:click=move |_| remove.run(())
                >
                    {icon(Icon::Trash)}
                </button>
            }
        })
    };
    view! {
        <div class="field" role="group" aria-labelledby=label_id.clone()>
            <span class="label">
                <span id=label_id.clone()>{label}</span>
                <span class="optional">" " {t.optional}</span>
            </span>
            <div class="upload">
                <span class="upload-thumbnail">{drawing}</span>
                <p class="grow">{fill(w.chosen, &[("name", w.name(illustration))])}</p>
                {button}
            </div>
        </div>
    }
    .into_any()
}

/// A drawing, as the widget draws it.
fn drawn([soft, line, dot]: &Paths) -> AnyView {
    view! {
        <svg
            class="illustration"
            viewBox="0 0 48 48"
            aria-hidden="true"
            fill="none"
            stroke="currentColor"
            stroke-width="2"
            stroke-linecap="round"
            stroke-linejoin="round"
        >
            <circle cx="24" cy="24" r="23" fill="currentColor" fill-opacity=".1" stroke="none" />
            <path fill="currentColor" fill-opacity=".22" d=soft.clone() />
            <path d=line.clone() />
            <path fill="currentColor" stroke="none" d=dot.clone() />
        </svg>
    }
    .into_any()
}

fn gallery(
    chosen: Memo<Option<Illustration>>,
    drawings: Drawings,
    choose: Callback<Illustration>,
    fetch: Callback<()>,
) -> AnyView {
    let w = IllustrationTexts::of_this_page();
    let choice = move |(word, paths): &(String, Paths)| {
        let illustration = Illustration::parse(word)?;
        let is_chosen = move || {
            if chosen.get() == Some(illustration) {
                "true"
            } else {
                "false"
            }
        };
        Some(view! {
            <li>
                <button
                    type="button"
                    class="choice"
                    aria-pressed=is_chosen
                    on:click=move |_| choose.run(illustration)
                >
                    {drawn(paths)}
                    <span>{w.name(illustration)}</span>
                </button>
            </li>
        })
    };
    let all = move || {
        drawings.with(|drawings| match drawings {
            None => block_skeleton(),
            Some(Err(error)) => error_state(error, Some(fetch)),
            Some(Ok(all)) => {
                let all = all.iter().filter_map(choice).collect_view();
                view! { <ul class="choices illustrations" aria-label=w.title>{all}</ul> }.into_any()
            }
        })
    };
    view! {
        <div class="dialog-body stack">
            <p class="muted">{w.text}</p>
            {all}
        </div>
    }
    .into_any()
}
