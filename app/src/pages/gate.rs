//! Signing up and in. Both are plain forms that work without script; with it, errors appear
//! without losing the password.

use domain::field_error::FieldError;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use crate::components::draft::error_text;
use crate::components::icon::{Icon, icon, mark};
use crate::components::layout::{Tone, notice};
use crate::components::loading::error_message;
use crate::error::UiError;
use crate::fns::session::{Flash, SignIn, SignUp, take_flash};
use crate::i18n::{Locale, locale, texts};

pub fn sign_in() -> AnyView {
    let t = texts();
    let next = next_path();
    let action = ServerAction::<SignIn>::new();
    let value = action.value();
    let result = Signal::derive(move || value.get());
    go_on_when_in(result);
    let form = with_flash("sign-in", move |flash| {
        let typed = typed_before(flash.as_ref());
        let error = refusal(result, flash);
        view! {
            <ActionForm action=action attr:class="stack" attr:novalidate="">
                {move || {
                    error
                        .get()
                        .map(|error| {
                            let text = match &error {
                                UiError::Refused { code, .. } if code == "wrong_credentials" => {
                                    t.wrong_credentials.to_owned()
                                }
                                error => error_message(t, error),
                            };
                            view! { <div role="alert">{notice(Tone::Danger, text)}</div> }
                        })
                }}
                <input type="hidden" name="next" value=next.get_untracked() />
                {field("username", "text", t.username_or_email, "username", typed("username"), None, error)}
                {field("password", "password", t.password, "current-password", String::new(), None, error)}
                {submit(action.pending().into(), t.sign_in)}
            </ActionForm>
        }
        .into_any()
    });
    let elsewhere = view! {
        {t.no_account_yet} " " <a href=move || with_next("/sign-up", &next.get())>{t.sign_up}</a>
    };
    gate(t.sign_in_title, form, elsewhere.into_any())
}

pub fn sign_up() -> AnyView {
    let t = texts();
    let next = next_path();
    let action = ServerAction::<SignUp>::new();
    let value = action.value();
    let result = Signal::derive(move || value.get());
    go_on_when_in(result);
    let form = with_flash("sign-up", move |flash| {
        let typed = typed_before(flash.as_ref());
        let error = refusal(result, flash);
        view! {
            <ActionForm action=action attr:class="stack" attr:novalidate="">
                {move || {
                    error
                        .get()
                        .filter(|error| error.fields().is_empty())
                        .map(|error| {
                            let text = error_message(t, &error);
                            view! { <div role="alert">{notice(Tone::Danger, text)}</div> }
                        })
                }}
                <input type="hidden" name="next" value=next.get_untracked() />
                {field("display_name", "text", t.your_name, "name", typed("displayName"), Some(t.optional), error)}
                {field("username", "text", t.username, "username", typed("username"), None, error)}
                {field("email", "email", t.email, "email", typed("email"), None, error)}
                {field("password", "password", t.password, "new-password", String::new(), None, error)}
                {submit(action.pending().into(), t.sign_up)}
            </ActionForm>
        }
        .into_any()
    });
    let elsewhere = view! {
        {t.have_account} " " <a href=move || with_next("/sign-in", &next.get())>{t.sign_in}</a>
    };
    gate(t.sign_up_title, form, elsewhere.into_any())
}

/// Where to go afterwards.
fn next_path() -> Memo<String> {
    let query = use_query_map();
    Memo::new(move |_| query.with(|query| query.get("next").unwrap_or_default()))
}

fn with_next(path: &str, next: &str) -> String {
    crate::session::sign_in_path(next).replacen("/sign-in", path, 1)
}

/// A new session is a new page: everything is read anew, as its person may.
fn go_on_when_in(result: Signal<Option<Result<String, UiError>>>) {
    Effect::new(move |_| {
        if let Some(Ok(next)) = result.get() {
            let _ = window().location().assign(&next);
        }
    });
}

/// Renders a form with what an earlier try without script left behind.
fn with_flash(
    form: &'static str,
    render: impl Fn(Option<Flash>) -> AnyView + Send + Sync + 'static,
) -> AnyView {
    let left = Resource::new(|| (), |()| take_flash());
    let render = StoredValue::new(render);
    let content = move || {
        Suspend::new(async move {
            let flash = left.await.ok().flatten().filter(|flash| flash.form == form);
            render.with_value(|render| render(flash))
        })
    };
    view! { <Suspense fallback=|| ()>{content}</Suspense> }.into_any()
}

/// What was typed at an earlier try without script, by field name.
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

fn field(
    name: &'static str,
    kind: &'static str,
    label: &'static str,
    autocomplete: &'static str,
    value: String,
    remark: Option<&'static str>,
    error: Memo<Option<UiError>>,
) -> AnyView {
    let t = texts();
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
    view! {
        <div class="field">
            <label for=name>
                {label} {remark.map(|remark| view! { <span class="optional">" " {remark}</span> })}
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
                aria-describedby=problem_id.clone()
                aria-invalid=move || problem.with(Option::is_some).then_some("true")
            />
            <div id=problem_id aria-live="polite">
                {move || {
                    problem
                        .get()
                        .map(|text| view! { <p class="problem">{icon(Icon::Warning)}<span>{text}</span></p> })
                }}
            </div>
        </div>
    }
    .into_any()
}

fn taken_text(error: &FieldError) -> Option<String> {
    let t = texts();
    let text = match (error.code.as_str(), error.pointer.as_str()) {
        ("taken", "/username") => t.username_taken,
        ("taken", "/email") => t.email_taken,
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

fn gate(title: &'static str, form: AnyView, elsewhere: AnyView) -> AnyView {
    let t = texts();
    let here = locale();
    let languages = Locale::ALL
        .into_iter()
        .filter(|locale| *locale != here)
        .map(|locale| {
            view! {
                <form method="post" action="/ui/preferences">
                    <input type="hidden" name="name" value="language" />
                    <input type="hidden" name="value" value=locale.code() />
                    <input type="hidden" name="next" value="/sign-in" />
                    <button class="button button-quiet button-small" lang=locale.code()>
                        {locale.name()}
                    </button>
                </form>
            }
        })
        .collect_view();
    view! {
        <Title text=title />
        <div class="gate">
            <header><a class="brand" href="/sign-in">{mark()} "Placet"</a></header>
            <main id="main">
                <div class="stack-tight">
                    <h1>{title}</h1>
                    <p class="muted">{t.gate_text}</p>
                </div>
                {form}
                <p>{elsewhere}</p>
            </main>
            <footer class="gate-foot">{languages}</footer>
        </div>
    }
    .into_any()
}
