//! Putting the widget on the site: the lines to copy, and whether they arrived.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::project_id;
use crate::components::copy::{code_block, copyable};
use crate::components::icon::{Icon, icon};
use crate::components::layout::{Tone, busy_label, notice, page_head};
use crate::components::loading::{block_skeleton, empty_state, error_message, loaded};
use crate::components::table::show_all;
use crate::error::UiError;
use crate::fns::install::{InstallData, Snippet, Waiting, check_site, read_install};
use crate::i18n::{ServiceTexts, fill, texts};
use crate::pages::projects::bare;
use crate::pages::vendors::lines as waiting;

/// Services whose lines are shown until somebody asks for all.
const FIRST: usize = 6;

pub fn page() -> AnyView {
    let t = texts();
    let project = project_id();
    let data = Resource::new(move || project.get(), read_install);
    let content = loaded(data, block_skeleton, move |data| content(data, project));
    view! {
        <div class="page">
            {page_head(t.install, t.install().install_text, ())}
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
                {empty_state(Icon::Code, t.install().nothing_to_install_title, t.install().nothing_to_install_text, link.into_any())}
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
        {lines(data.snippets.clone())}
        {wait(&id, data.services, data.total_services)}
        <section class="card" aria-labelledby="boxes-title">
            <div class="card-head">
                <h2 id="boxes-title">{t.boxes}</h2>
                <a class="button" href=format!("/projects/{id}/boxes")>{icon(Icon::Form)} {t.install().install_boxes_action}</a>
            </div>
            <div class="card-body"><p class="muted">{t.install().install_boxes_text}</p></div>
        </section>
        {other_ways(&id, &data.base_url, &data.snippets)}
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
        Way::Bundle => t.install().way_bundle_text,
        Way::Pinned => t.install().way_pinned_text,
        Way::Loader => t.install().way_loader_text,
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
                    {tab(Way::Bundle, t.install().way_bundle)}
                    {tab(Way::Pinned, t.install().way_pinned)}
                    {tab(Way::Loader, t.install().way_loader)}
                </div>
            }
        })
    };
    let stub = move || {
        snippet().and_then(|snippet| snippet.stub).map(|line| {
            view! {
                <details class="form">
                    <summary class="strong">{t.install().strict_title}</summary>
                    <div class="stack-tight">
                        <p>{t.install().strict_text}</p>
                        {code_block(Signal::stored(line), t.install().strict_title)}
                    </div>
                </details>
            }
        })
    };
    view! {
        <section class="card" aria-labelledby="lines-title">
            <div class="card-head">
                <h2 id="lines-title">{t.install().lines_title}</h2>
                {ways}
            </div>
            <div class="card-body">
                <p class="muted">{about}</p>
                {many}
                {code_block(code, t.snippet)}
                <p class="hint">{t.install().lines_hint}</p>
                {stub}
            </div>
        </section>
    }
    .into_any()
}

/// A line for each service that a step asks for.
fn wait(project: &str, services: Vec<Waiting>, total: u64) -> AnyView {
    let (t, w) = (texts(), ServiceTexts::of_this_page());
    let page = format!("/projects/{project}/vendors");
    let content = if services.is_empty() {
        let example = waiting::script("service-name");
        view! {
            <p class="muted">{t.install().scripts_wait_text}</p>
            {code_block(Signal::stored(example), t.example)}
        }
        .into_any()
    } else {
        let all = RwSignal::new(false);
        let count = services.len();
        let services = StoredValue::new(services);
        let rows = move || {
            let shown = if all.get() { count } else { FIRST };
            services.with_value(|services| {
                let first = services.iter().take(shown);
                first.map(|service| wait_row(&page, service)).collect_view()
            })
        };
        let beyond = (total > count as u64).then(|| {
            let page = format!("/projects/{project}/vendors");
            view! { <a class="button" href=page>{w.all_services}</a> }
        });
        view! {
            <p class="muted">{w.wait_text}</p>
            <ul class="stack">{rows}</ul>
            <div class="row">
                {move || show_all(t, count, FIRST, all)}
                {beyond}
            </div>
        }
        .into_any()
    };
    view! {
        <section class="card" aria-labelledby="wait-title">
            <div class="card-head"><h2 id="wait-title">{t.install().scripts_wait_title}</h2></div>
            <div class="card-body">{content}</div>
        </section>
    }
    .into_any()
}

fn wait_row(page: &str, service: &Waiting) -> AnyView {
    let line = waiting::usual(&service.name, service.is_frame);
    let href = format!("{page}?service={}", service.id);
    view! {
        <li class="stack-tight">
            <a class="strong wrap-anywhere" href=href>{service.title.clone()}</a>
            {code_block(Signal::stored(line), service.title.clone())}
        </li>
    }
    .into_any()
}

/// The packages, with the values that they ask for. `docs/integrate.md` says the same.
fn other_ways(project: &str, base_url: &str, snippets: &[Snippet]) -> AnyView {
    let w = ServiceTexts::of_this_page();
    let configuration = snippets
        .first()
        .map(|snippet| snippet.configuration.clone());
    let configuration = configuration.unwrap_or_default();
    let npm = format!(
        "import {{ load }} from \"@placet/sdk\";\n\nconst sdk = await load({{\n  url: \"{base_url}\",\n  clientId: \"{project}\",\n  \
         cookiesVersion: \"{configuration}\",\n}});"
    );
    let values = || {
        view! {
            <dl class="facts">
                <dt>{w.server_address}</dt>
                <dd>{copyable(base_url, w.server_address)}</dd>
                <dt>{w.project_id}</dt>
                <dd>{copyable(project, w.project_id)}</dd>
                <dt>{w.configuration_name}</dt>
                <dd>{copyable(configuration.as_str(), w.configuration_name)}</dd>
            </dl>
        }
    };
    view! {
        <section class="card" aria-labelledby="ways-title">
            <div class="card-head"><h2 id="ways-title">{w.other_ways}</h2></div>
            <div class="card-body">
                <p class="muted">{w.other_ways_text}</p>
                <details class="form">
                    <summary class="strong">"Google Tag Manager"</summary>
                    <div class="stack-tight">
                        <p>{w.gtm_1}</p>
                        <p>{w.gtm_2}</p>
                        {values()}
                        <p>{w.gtm_3}</p>
                        <p>{w.gtm_4}</p>
                    </div>
                </details>
                <details class="form">
                    <summary class="strong">"WordPress"</summary>
                    <div class="stack-tight">
                        <p>{w.wordpress_1}</p>
                        <p>{w.wordpress_2}</p>
                        {values()}
                        <p>{w.wordpress_3}</p>
                    </div>
                </details>
                <details class="form">
                    <summary class="strong">"npm"</summary>
                    <div class="stack-tight">
                        <p>{w.npm_1}</p>
                        <p>{w.npm_2}</p>
                        {code_block(Signal::stored(npm), "npm")}
                    </div>
                </details>
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
            Ok(true) => notice(Tone::Ok, t.install().snippet_found),
            Ok(false) => notice(
                Tone::Warn,
                view! {
                    <p class="strong">{t.install().snippet_not_found}</p>
                    <p>{t.install().snippet_not_found_text}</p>
                },
            ),
            Err(error) => notice(Tone::Danger, error_message(t, &error)),
        })
    };
    view! {
        <section class="card" aria-labelledby="check-title">
            <div class="card-head">
                <h2 id="check-title">{t.install().check_title}</h2>
                <button type="button" class="button" disabled=busy on:click=check>
                    {icon(Icon::Search)}
                    {busy_label(busy.into(), t.install().check_action)}
                </button>
            </div>
            <div class="card-body">
                <p class="muted">{fill(t.install().check_text, &[("site", &bare(&site))])}</p>
                <div role="status" aria-live="polite">{answer}</div>
            </div>
        </section>
    }
    .into_any()
}
