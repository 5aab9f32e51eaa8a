//! Pages before sign-in. All are plain forms that work without script; with it, errors appear
//! without losing what was typed.

mod enter;
mod links;
mod password;
mod providers;

use domain::{error_code::ErrorCode, field_error::FieldError};
use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::hooks::{use_location, use_query_map};

use crate::components::draft::error_text;
use crate::components::loading::error_state;
use crate::components::strength::strength;
use crate::error::UiError;
use crate::fns::flash::{Flash, take_flash};
use crate::fns::gate::{Gate, read_gate};
use crate::fns::session::Preferences;
use crate::i18n::{Locale, locale, texts};
use crate::icon::{Icon, icon, mark};
use crate::map::Page;

pub use enter::{sign_in, sign_up};
pub use links::{invitation, verify_email};
pub use password::{forgot_password, reset_password};
pub use providers::login_problem;

/// A value of the page's query; empty when absent.
fn query_value(name: &'static str) -> Memo<String> {
    let query = use_query_map();
    Memo::new(move |_| query.with(|query| query.get(name).unwrap_or_default()))
}

/// This page with its query, for forms that lead back to it.
fn here() -> Memo<String> {
    let location = use_location();
    Memo::new(move |_| {
        let search = location.search.get();
        let search = search.trim_start_matches('?');
        let path = location.pathname.get();
        if search.is_empty() {
            path
        } else {
            format!("{path}?{search}")
        }
    })
}

/// A form that did its work leads to a new page: everything is read anew, as its person may.
fn go_on(result: Signal<Option<Result<String, UiError>>>) {
    Effect::new(move |_| {
        if let Some(Ok(next)) = result.get() {
            let _ = window().location().assign(&next);
        }
    });
}

/// The data of a page: the server's ways to sign in, and the message of an earlier try without script.
struct Start {
    gate: Gate,
    flash: Option<Flash>,
}

/// Renders what needs [`Start`] once it is there.
fn with_start(
    form: &'static str,
    render: impl Fn(Start) -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let start = Resource::new(
        || (),
        |()| async { (read_gate().await, take_flash().await.ok().flatten()) },
    );
    let render = StoredValue::new(render);
    let content = move || {
        Suspend::new(async move {
            let (gate, flash) = start.await;
            match gate {
                Ok(gate) => {
                    let flash = flash.filter(|flash| flash.form == form);
                    render.with_value(|render| render(Start { gate, flash }))
                }
                Err(error) => error_state(&error, None),
            }
        })
    };
    view! { <Suspense fallback=|| ()>{content}</Suspense> }.into_any()
}

/// The values of an earlier try without script, by field name.
fn typed_before(flash: Option<&Flash>) -> impl Fn(&str) -> String + use<> {
    let values = flash.map(|flash| flash.values.clone()).unwrap_or_default();
    move |name| values.get(name).cloned().unwrap_or_default()
}

/// The latest refusal: of this page's own try, else of the one before.
fn refusal(
    result: Signal<Option<Result<String, UiError>>>,
    flash: Option<Flash>,
) -> Memo<Option<UiError>> {
    Memo::new(move |_| match result.get() {
        Some(result) => result.err(),
        None => flash.as_ref().map(|flash| flash.error.clone()),
    })
}

/// A field of a plain form.
struct Field {
    name: &'static str,
    kind: &'static str,
    label: &'static str,
    autocomplete: &'static str,
    value: String,
    optional: bool,
}

impl Field {
    fn view(self, error: Memo<Option<UiError>>) -> AnyView {
        let t = texts();
        let Self {
            name,
            kind,
            label,
            autocomplete,
            value,
            optional,
        } = self;
        // The API calls its fields in camelCase.
        let pointer = if name == "display_name" {
            "/displayName".to_owned()
        } else {
            format!("/{name}")
        };
        let problem = Memo::new(move |_| {
            error.with(|error| {
                let field = error
                    .as_ref()?
                    .fields()
                    .iter()
                    .find(|field| field.pointer == pointer)?;
                Some(taken_text(field).unwrap_or_else(|| error_text(t, field)))
            })
        });
        let problem_id = format!("{name}-problem");
        let is_new = autocomplete == "new-password";
        let typed = RwSignal::new(String::new());
        view! {
            <div class="field">
                <label for=name>
                    {label}
                    {optional.then(|| view! { <span class="optional">" " {t.optional}</span> })}
                </label>
                <input
                    class="input"
                    id=name
                    name=name
                    type=kind
                    autocomplete=autocomplete
                    autocapitalize="none"
                    spellcheck="false"
                    value=value
                    on:input:target=move |event| {
                        if is_new {
                            typed.set(event.target().value());
                        }
                    }
                    aria-describedby=problem_id.clone()
                    aria-invalid=move || problem.with(Option::is_some).then_some("true")
                />
                <div id=problem_id aria-live="polite">
                    {move || {
                        problem
                            .get()
                            .map(|text| {
                                view! { <p class="problem">{icon(Icon::Warning)}<span>{text}</span></p> }
                            })
                    }}
                </div>
                {is_new.then(|| strength(typed.into(), Vec::new))}
            </div>
        }
        .into_any()
    }
}

fn taken_text(error: &FieldError) -> Option<String> {
    let t = texts();
    let text = match (error.code, error.pointer.as_str()) {
        (ErrorCode::Taken, "/username") => t.gate().username_taken,
        (ErrorCode::Taken, "/email") => t.gate().email_taken,
        _ => return None,
    };
    Some(text.to_owned())
}

fn submit(pending: Signal<bool>, label: &'static str) -> AnyView {
    view! {
        <button class="button button-primary button-wide" disabled=pending>
            {move || pending.get().then(|| view! { <span class="spinner" aria-hidden="true"></span> })}
            {label}
        </button>
    }
    .into_any()
}

/// A button as wide as the column that leads somewhere.
fn way_on(href: String, label: &'static str, primary: bool) -> AnyView {
    let class = if primary {
        "button button-primary button-wide"
    } else {
        "button button-wide"
    };
    view! { <a class=class href=href rel="external">{label}</a> }.into_any()
}

/// The frame: title and sentence, content, and the other languages, which lead back here.
fn frame(
    title: impl Into<String>,
    text: impl IntoView + 'static,
    content: impl IntoView + 'static,
) -> AnyView {
    let title: String = title.into();
    let current = locale();
    let here = here();
    let languages = Locale::ALL
        .into_iter()
        .filter(|locale| *locale != current)
        .map(|locale| {
            view! {
                <form method="post" action=Preferences::PATH>
                    <input type="hidden" name="name" value="language" />
                    <input type="hidden" name="value" value=locale.code() />
                    <input type="hidden" name="next" value=here />
                    <button class="button button-quiet button-small" lang=locale.code()>
                        {locale.name()}
                    </button>
                </form>
            }
        })
        .collect_view();
    view! {
        <div class="gate">
            <header><a class="brand" href=Page::Projects.path() rel="external">{mark()} "Placet"</a></header>
            <main id="main">
                <div class="stack-tight">
                    <h1>{title}</h1>
                    <p class="muted">{text.into_any()}</p>
                </div>
                {content.into_any()}
            </main>
            <footer class="gate-foot">{languages}</footer>
        </div>
    }
    .into_any()
}
