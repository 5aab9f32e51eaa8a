//! Putting the widget on the site: the lines to copy, and whether they arrived.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::project_id;
use crate::components::copy::{code_block, copyable};
use crate::components::following::following;
use crate::components::layout::{Tone, busy_label, notice, page_head};
use crate::components::loading::{block_skeleton, empty_state, error_message, live, loaded};
use crate::components::table::show_all;
use crate::error::UiError;
use crate::fns::install::{
    Choice, InstallData, Snippet, Waiting, check_site, read_install, read_snippet,
};
use crate::i18n::{ServiceTexts, fill, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::pages::projects::bare;
use crate::pages::vendors::lines as waiting;
use crate::pages::widget::language_name;

/// Services whose lines are shown until somebody asks for all.
const FIRST: usize = 6;

pub fn page() -> AnyView {
    let t = texts();
    let project = project_id();
    let choosing = Choosing {
        project,
        chosen: RwSignal::new(None),
    };
    let data = following(move || project.get(), read_install);
    let snippet = following(
        move || (project.get(), choosing.chosen()),
        |(project, configuration)| read_snippet(project, configuration),
    );
    let content = loaded(data, block_skeleton, move |data| {
        content(data, choosing, snippet)
    });
    view! {
        <div class="page">
            {page_head(t.install, t.install().install_text, ())}
            {content}
        </div>
    }
    .into_any()
}

/// The configuration whose lines are asked for.
#[derive(Clone, Copy)]
struct Choosing {
    project: Memo<String>,
    /// A project and the id of one of its configurations.
    chosen: RwSignal<Option<(String, String)>>,
}

impl Choosing {
    /// The id of the configuration, if somebody has chosen one of this project.
    fn chosen(self) -> Option<String> {
        let project = self.project.get();
        let chosen = self.chosen.get().filter(|(of, _)| *of == project);
        chosen.map(|(_, configuration)| configuration)
    }

    fn choose(self, configuration: String) {
        let project = self.project.get_untracked();
        self.chosen.set(Some((project, configuration)));
    }

    /// True if these are the lines that are asked for, and not those before them.
    fn is_asked(self, snippet: &Snippet) -> bool {
        let chosen = self.chosen();
        self.project.with(|project| *project == snippet.project)
            && chosen.is_none_or(|chosen| chosen == snippet.configuration)
    }
}

/// The ways to embed, most recommended first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Bundle,
    Pinned,
    Loader,
}

fn content(
    data: InstallData,
    choosing: Choosing,
    snippet: Resource<Result<Option<Snippet>, UiError>>,
) -> AnyView {
    let t = texts();
    let project = choosing.project;
    let id = project.get_untracked();
    if data.configurations.is_empty() {
        let link = view! {
            <a class="button button-primary" href=Page::Configurations.at(&[&id])>{t.go_to_widget}</a>
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
                    <a class="button button-small" href=Page::Publish.at(&[&id])>{t.publish}</a>
                </div>
            },
        )
    });
    let configurations = StoredValue::new(data.configurations);
    // The oldest one, until somebody chooses.
    let current = Memo::new(move |_| {
        let chosen = choosing.chosen();
        let id = |all: &Vec<Choice>| all.first().map(|first| first.id.clone());
        chosen
            .or_else(|| configurations.with_value(id))
            .unwrap_or_default()
    });
    let lines = live(
        snippet,
        block_skeleton,
        move |found: Memo<Option<Snippet>>| {
            let asked = Memo::new(move |_| found.get().filter(|one| choosing.is_asked(one)));
            lines(configurations, (choosing, current), asked)
        },
    );
    view! {
        {not_live}
        {lines}
        {wait(&id, data.services, data.total_services)}
        <section class="card" aria-labelledby="boxes-title">
            <div class="card-head">
                <h2 id="boxes-title">{t.boxes}</h2>
                <a class="button" href=Page::Boxes.at(&[&id])>{icon(Icon::Form)} {t.install().install_boxes_action}</a>
            </div>
            <div class="card-body"><p class="muted">{t.install().install_boxes_text}</p></div>
        </section>
        {other_ways(id, data.base_url, configurations, current)}
        {checker(data.site, project)}
    }
    .into_any()
}

/// The lines of a configuration, and the choice among them. `snippet` is empty while those of another one are on their
/// way.
fn lines(
    configurations: StoredValue<Vec<Choice>>,
    (choosing, current): (Choosing, Memo<String>),
    snippet: Memo<Option<Snippet>>,
) -> AnyView {
    let t = texts();
    let way = RwSignal::new(Way::Bundle);
    let language = RwSignal::new(String::new());
    let code_of = move |way: Way| {
        let snippet = snippet.get()?;
        let language = language.get();
        let mut languages = snippet.languages.into_iter();
        match (languages.find(|one| one.language == language), way) {
            (Some(one), Way::Bundle) => Some(one.bundle),
            (Some(one), Way::Pinned) => Some(one.pinned),
            // It finds a configuration, with all its languages.
            (Some(_), Way::Loader) => None,
            (None, Way::Bundle) => snippet.bundle,
            (None, Way::Pinned) => snippet.pinned,
            (None, Way::Loader) => Some(snippet.loader),
        }
    };
    let available = move |way: Way| code_of(way).is_some();
    // Before the first publish there is only the loader, and never for one language alone.
    let shown = Memo::new(move |last: Option<&Way>| {
        // While the lines of another configuration come, nothing changes.
        if snippet.with(Option::is_none) {
            return last.copied().unwrap_or(Way::Bundle);
        }
        let ways = [way.get(), Way::Bundle, Way::Loader];
        ways.into_iter()
            .find(|way| available(*way))
            .unwrap_or(Way::Loader)
    });
    let code = Signal::derive(move || code_of(shown.get()).unwrap_or_default());
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
    let many = configurations.with_value(|all| all.len() > 1).then(|| {
        let options = configurations.with_value(|all| {
            all.iter()
                .map(|one| (one.id.clone(), format!("{} ({})", one.name, one.language)))
                .collect::<Vec<_>>()
        });
        view! {
            <div class="field">
                <label for="snippet-configuration">{t.configuration}</label>
                {crate::components::field::select_control(
                    "snippet-configuration".to_owned(),
                    options,
                    current.into(),
                    move |id| {
                        choosing.choose(id);
                        language.set(String::new());
                    },
                    Signal::stored(false),
                )}
            </div>
        }
    });
    let languages = move || {
        let snippet = snippet
            .get()
            .filter(|snippet| !snippet.languages.is_empty())?;
        let others = snippet.languages.into_iter().map(|one| {
            let name = language_name(one.language.clone());
            (one.language, name)
        });
        let by_page = (String::new(), t.install().language_of_page.to_owned());
        let options = std::iter::once(by_page).chain(others).collect();
        let control = crate::components::field::select_control(
            "snippet-language".to_owned(),
            options,
            language.into(),
            move |code| language.set(code),
            Signal::stored(false),
        );
        Some(view! {
            <div class="field">
                <label for="snippet-language">{t.language}</label>
                {control}
                <p class="hint">{t.install().languages_hint}</p>
            </div>
        })
    };
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
        snippet.get().and_then(|snippet| snippet.stub).map(|line| {
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
    let is_there = Memo::new(move |_| snippet.with(Option::is_some));
    let code = move || {
        if is_there.get() {
            code_block(code, t.snippet)
        } else {
            block_skeleton()
        }
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
                {languages}
                {code}
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
    let page = Page::Vendors.at(&[&project]);
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
            let page = Page::Vendors.at(&[&project]);
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

/// The packages, with the values that they ask for, for the configuration that is chosen above. `docs/integrate.md` says
/// the same.
fn other_ways(
    project: String,
    base_url: String,
    configurations: StoredValue<Vec<Choice>>,
    current: Memo<String>,
) -> AnyView {
    let w = ServiceTexts::of_this_page();
    let configuration = Memo::new(move |_| {
        let id = current.get();
        configurations.with_value(|all| {
            let found = all.iter().find(|one| one.id == id);
            found.map_or_else(String::new, |one| one.name.clone())
        })
    });
    let values = || {
        view! {
            <dl class="facts">
                <dt>{w.server_address}</dt>
                <dd>{copyable(base_url.as_str(), w.server_address)}</dd>
                <dt>{w.project_id}</dt>
                <dd>{copyable(project.as_str(), w.project_id)}</dd>
                <dt>{w.configuration_name}</dt>
                <dd>{move || copyable(configuration.get(), w.configuration_name)}</dd>
            </dl>
        }
    };
    let (gtm, wordpress) = (values(), values());
    let npm = Signal::derive(move || {
        let configuration = configuration.get();
        format!(
            "import {{ load }} from \"@placet/sdk\";\n\nconst sdk = await load({{\n  url: \"{base_url}\",\n  clientId: \"{project}\",\n  \
             cookiesVersion: \"{configuration}\",\n}});"
        )
    });
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
                        {gtm}
                        <p>{w.gtm_3}</p>
                        <p>{w.gtm_4}</p>
                    </div>
                </details>
                <details class="form">
                    <summary class="strong">"WordPress"</summary>
                    <div class="stack-tight">
                        <p>{w.wordpress_1}</p>
                        <p>{w.wordpress_2}</p>
                        {wordpress}
                        <p>{w.wordpress_3}</p>
                    </div>
                </details>
                <details class="form">
                    <summary class="strong">"npm"</summary>
                    <div class="stack-tight">
                        <p>{w.npm_1}</p>
                        <p>{w.npm_2}</p>
                        {code_block(npm, "npm")}
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
