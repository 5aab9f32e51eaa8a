//! Putting the widget on the site: the lines to copy, and whether they arrived.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::project_id;
use crate::components::copy::code_block;
use crate::components::icon::{Icon, icon};
use crate::components::layout::{Tone, busy_label, notice, page_head};
use crate::components::loading::{block_skeleton, empty_state, error_message, loaded};
use crate::error::UiError;
use crate::fns::install::{InstallData, Snippet, check_site, read_install};
use crate::i18n::{fill, texts};
use crate::pages::projects::bare;

pub fn page() -> AnyView {
    let t = texts();
    let project = project_id();
    let data = Resource::new(move || project.get(), read_install);
    let content = loaded(data, block_skeleton, move |data| content(data, project));
    view! {
        <div class="page">
            {page_head(t.install, t.install_text, ())}
            {content}
        </div>
    }
    .into_any()
}

/// The ways to embed, most recommended first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Bundle,
    Pinned,
    Loader,
}

fn content(data: InstallData, project: Memo<String>) -> AnyView {
    let t = texts();
    let id = project.get_untracked();
    if data.snippets.is_empty() {
        let link = view! {
            <a class="button button-primary" href=format!("/projects/{id}/widget")>{t.go_to_widget}</a>
        };
        return view! {
            <div class="card">
                {empty_state(Icon::Code, t.nothing_to_install_title, t.nothing_to_install_text, link.into_any())}
            </div>
        }
        .into_any();
    }
    let not_live = (!data.live).then(|| {
        notice(
            Tone::Warn,
            view! {
                <div class="row">
                    <span>{t.not_live_remark}</span>
                    <a class="button button-small" href=format!("/projects/{id}/publish")>{t.publish}</a>
                </div>
            },
        )
    });
    view! {
        {not_live}
        {lines(data.snippets)}
        <section class="card" aria-labelledby="boxes-title">
            <div class="card-head">
                <h2 id="boxes-title">{t.boxes}</h2>
                <a class="button" href=format!("/projects/{id}/boxes")>{icon(Icon::Form)} {t.install_boxes_action}</a>
            </div>
            <div class="card-body"><p class="muted">{t.install_boxes_text}</p></div>
        </section>
        {checker(data.site, project)}
    }
    .into_any()
}

fn lines(snippets: Vec<Snippet>) -> AnyView {
    let t = texts();
    let snippets = StoredValue::new(snippets);
    let chosen = RwSignal::new(0_usize);
    let way = RwSignal::new(Way::Bundle);
    let snippet = move || snippets.with_value(|all| all.get(chosen.get()).or(all.first()).cloned());
    let available = move |way: Way| {
        snippet().is_some_and(|snippet| match way {
            Way::Bundle => snippet.bundle.is_some(),
            Way::Pinned => snippet.pinned.is_some(),
            Way::Loader => true,
        })
    };
    // Before the first publish there is only the loader.
    let shown = Memo::new(move |_| {
        if available(way.get()) {
            way.get()
        } else {
            Way::Loader
        }
    });
    let code = Signal::derive(move || {
        snippet()
            .and_then(|snippet| match shown.get() {
                Way::Bundle => snippet.bundle,
                Way::Pinned => snippet.pinned,
                Way::Loader => Some(snippet.loader),
            })
            .unwrap_or_default()
    });
    let about = move || match shown.get() {
        Way::Bundle => t.way_bundle_text,
        Way::Pinned => t.way_pinned_text,
        Way::Loader => t.way_loader_text,
    };
    let tab = move |this: Way, label: &'static str| {
        move || {
            available(this).then(|| {
                view! {
                    <button
                        type="button"
                        aria-pressed=move || if shown.get() == this { "true" } else { "false" }
                        on:click=move |_| way.set(this)
                    >
                        {label}
                    </button>
                }
            })
        }
    };
    let many = snippets.with_value(|all| all.len() > 1).then(|| {
        let options = snippets.with_value(|all| {
            all.iter()
                .enumerate()
                .map(|(index, snippet)| {
                    (
                        index.to_string(),
                        format!("{} ({})", snippet.configuration, snippet.language),
                    )
                })
                .collect::<Vec<_>>()
        });
        view! {
            <div class="field">
                <label for="snippet-configuration">{t.configuration}</label>
                {crate::components::field::select_control(
                    "snippet-configuration".to_owned(),
                    options,
                    Signal::derive(move || chosen.get().to_string()),
                    move |value| chosen.set(value.parse().unwrap_or_default()),
                    Signal::stored(false),
                )}
            </div>
        }
    });
    // Before the first publish there is nothing to choose from.
    let ways = move || {
        available(Way::Bundle).then(|| {
            view! {
                <div class="segments" role="group" aria-label=t.way>
                    {tab(Way::Bundle, t.way_bundle)}
                    {tab(Way::Pinned, t.way_pinned)}
                    {tab(Way::Loader, t.way_loader)}
                </div>
            }
        })
    };
    view! {
        <section class="card" aria-labelledby="lines-title">
            <div class="card-head">
                <h2 id="lines-title">{t.lines_title}</h2>
                {ways}
            </div>
            <div class="card-body">
                <p class="muted">{about}</p>
                {many}
                {code_block(code, t.snippet)}
                <p class="hint">{t.lines_hint}</p>
            </div>
        </section>
        <section class="card" aria-labelledby="wait-title">
            <div class="card-head"><h2 id="wait-title">{t.scripts_wait_title}</h2></div>
            <div class="card-body">
                <p class="muted">{t.scripts_wait_text}</p>
                {code_block(
                    Signal::stored(
                        "<script type=\"text/plain\" data-requires-vendor-consent=\"service-name\" src=\"https://…\"></script>"
                            .to_owned(),
                    ),
                    t.example,
                )}
            </div>
        </section>
    }
    .into_any()
}

fn checker(site: String, project: Memo<String>) -> AnyView {
    let t = texts();
    let busy = RwSignal::new(false);
    let result = RwSignal::new(None::<Result<bool, UiError>>);
    let check = move |_| {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        spawn_local(async move {
            let found = check_site(project.get_untracked()).await;
            if busy.try_set(false).is_none() {
                result.set(Some(found));
            }
        });
    };
    let answer = move || {
        result.get().map(|result| match result {
            Ok(true) => notice(Tone::Ok, t.snippet_found),
            Ok(false) => notice(
                Tone::Warn,
                view! {
                    <p class="strong">{t.snippet_not_found}</p>
                    <p>{t.snippet_not_found_text}</p>
                },
            ),
            Err(error) => notice(Tone::Danger, error_message(t, &error)),
        })
    };
    view! {
        <section class="card" aria-labelledby="check-title">
            <div class="card-head">
                <h2 id="check-title">{t.check_title}</h2>
                <button type="button" class="button" disabled=busy on:click=check>
                    {icon(Icon::Search)}
                    {busy_label(busy.into(), t.check_action)}
                </button>
            </div>
            <div class="card-body">
                <p class="muted">{fill(t.check_text, &[("site", &bare(&site))])}</p>
                <div role="status" aria-live="polite">{answer}</div>
            </div>
        </section>
    }
    .into_any()
}
