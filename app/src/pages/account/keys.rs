//! API keys: what programs sign in with.

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Value, json};

use crate::components::copy::code_block;
use crate::components::dialog::{confirm, dialog};
use crate::components::draft::Draft;
use crate::components::field::{focus_first_problem, id_of, problem, select, text};
use crate::components::icon::{Icon, icon};
use crate::components::layout::{Tone, badge, busy_label, notice, page_head};
use crate::components::loading::{empty_state, error_message, live, loaded, table_skeleton};
use crate::components::table::show_all;
use crate::components::time::{ago, day};
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::keys::{KeyRow, KeyWish, SCOPES, list_keys, make_key, revoke_key};
use crate::fns::projects::{ProjectLink, project_links};
use crate::i18n::{Texts, fill, texts};

/// Keys that are shown before one asks for all.
const FIRST: usize = 20;
/// Lifetimes that one can choose, in days.
const LIFETIMES: [u32; 4] = [30, 90, 180, 365];

pub fn page() -> AnyView {
    let t = texts();
    let found = Resource::new(|| (), |()| list_keys());
    let open = RwSignal::new(false);
    let secret = RwSignal::new(None::<String>);
    let refresh = Callback::new(move |()| found.refetch());
    let all = RwSignal::new(false);
    let new = move || {
        view! {
            <button
                type="button"
                class="button button-primary"
                on:click=move |_| {
                    secret.set(None);
                    open.set(true);
                }
            >
                {icon(Icon::Plus)}
                {t.new_key}
            </button>
        }
        .into_any()
    };
    let content = live(found, table_skeleton, move |keys: Memo<Vec<KeyRow>>| {
        let total = Memo::new(move |_| keys.with(Vec::len));
        let none = Memo::new(move |_| total.get() == 0);
        let shown = move || {
            let most = if all.get() { usize::MAX } else { FIRST };
            keys.with(|keys| keys.iter().take(most).cloned().collect::<Vec<_>>())
        };
        let content = move || {
            if none.get() {
                return view! {
                    <div class="card">
                        {empty_state(Icon::Code, t.no_keys_title, t.no_keys_text, new())}
                    </div>
                }
                .into_any();
            }
            view! {
                <section class="card" aria-label=t.api_keys>
                    <div class="card-body">
                        <ul class="card-rows">
                            <For each=shown key=|key| (key.id.clone(), key.last_used_at) let:key>
                                {row(t, key, refresh)}
                            </For>
                        </ul>
                        {move || {
                            show_all(t, total.get(), FIRST, all).map(|more| view! { <div>{more}</div> })
                        }}
                    </div>
                </section>
            }
            .into_any()
        };
        view! { {content} }.into_any()
    });
    let form = move || match secret.get() {
        Some(secret) => made(t, secret, open),
        None => make_form(open, secret, refresh),
    };
    view! {
        <div class="page page-narrow">
            {page_head(t.api_keys, t.api_keys_text, new())}
            {dialog(open, t.new_key, false, move || view! { {form} }.into_any())}
            {content}
        </div>
    }
    .into_any()
}

fn scope_name(t: &'static Texts, scope: &str) -> &'static str {
    match scope {
        "read" => t.scope_read,
        "write" => t.scope_write,
        "publish" => t.scope_publish,
        _ => t.scope_consents,
    }
}

fn scope_text(t: &'static Texts, scope: &str) -> &'static str {
    match scope {
        "read" => t.scope_read_text,
        "write" => t.scope_write_text,
        "publish" => t.scope_publish_text,
        _ => t.scope_consents_text,
    }
}

fn row(t: &'static Texts, key: KeyRow, refresh: Callback<()>) -> AnyView {
    let toasts = toasts();
    let id = key.id.clone();
    let run = move || {
        let id = id.clone();
        spawn_local(async move {
            match revoke_key(id).await {
                Ok(()) => toasts.done(t.key_revoked),
                Err(error) => toasts.problem(error_message(t, &error)),
            }
            refresh.try_run(());
        });
    };
    let scopes = key
        .scopes
        .iter()
        .map(|scope| badge(Tone::Neutral, scope_name(t, scope)))
        .collect_view();
    let reach = key
        .projects
        .as_ref()
        .map_or_else(|| t.all_my_projects.to_owned(), |titles| titles.join(", "));
    let used = match key.last_used_at {
        Some(at) => view! { <span class="hint">{t.last_used} " " {ago(at)}</span> }.into_any(),
        None => view! { <span class="hint">{t.never_used}</span> }.into_any(),
    };
    let ends = key.expires_at.map(|at| {
        view! { <span class="hint">{t.good_until} " " {day(at)}</span> }
    });
    let label = format!("{}: {}", t.revoke, key.name);
    let text = fill(t.revoke_key_text, &[("name", &key.name)]);
    let ask = confirm(t.revoke_key, text, t.revoke, true, run);
    view! {
        <li class="row-between">
            <div class="grow stack-tight">
                <p class="row">
                    <span class="strong wrap-anywhere">{key.name}</span>
                    <code class="muted">{key.prefix} "…"</code>
                </p>
                <p class="row">{scopes}</p>
                <p class="row">
                    <span class="hint">{reach}</span>
                    {used}
                    {ends}
                </p>
            </div>
            <button
                type="button"
                class="button button-small"
                aria-label=label
                on:click=move |_| ask()
            >
                {t.revoke}
            </button>
        </li>
    }
    .into_any()
}

/// The secret, which is shown this once.
fn made(t: &'static Texts, secret: String, open: RwSignal<bool>) -> AnyView {
    view! {
        <div class="dialog-body">
            <div role="status">{notice(Tone::Warn, t.key_once)}</div>
            {code_block(Signal::stored(secret), t.key_secret)}
            <p class="hint">{t.key_how}</p>
        </div>
        <div class="dialog-foot">
            <button type="button" class="button button-primary" on:click=move |_| open.set(false)>
                {t.done_button}
            </button>
        </div>
    }
    .into_any()
}

/// Whether a list of the draft holds a word, and putting it there.
fn listed(draft: Draft, pointer: &'static str, word: String) -> (Memo<bool>, impl Fn(bool) + Copy) {
    let word = StoredValue::new(word);
    let words = move || {
        let list = draft.at(pointer).unwrap_or_default();
        list.as_array().cloned().unwrap_or_default()
    };
    let has = Memo::new(move |_| word.with_value(|word| words().iter().any(|at| at == word)));
    let put = move |there: bool| {
        let mut list = untrack(words);
        word.with_value(|word| {
            list.retain(|at| at != word);
            if there {
                list.push(json!(word));
            }
        });
        draft.set(pointer, Some(Value::Array(list)));
    };
    (has, put)
}

fn check(
    draft: Draft,
    pointer: &'static str,
    word: &str,
    label: String,
    hint: Option<&'static str>,
) -> AnyView {
    let (has, put) = listed(draft, pointer, word.to_owned());
    let id = format!("{}-{word}", id_of(pointer));
    let hint_id = format!("{id}-hint");
    view! {
        <div class="check">
            <input
                type="checkbox"
                id=id.clone()
                aria-describedby=hint.map(|_| hint_id.clone())
                prop:checked=has
                on:change:target=move |event| put(event.target().checked())
            />
            <div>
                <label for=id>{label}</label>
                {hint.map(|hint| view! { <p class="hint" id=hint_id>{hint}</p> })}
            </div>
        </div>
    }
    .into_any()
}

fn make_form(
    open: RwSignal<bool>,
    secret: RwSignal<Option<String>>,
    refresh: Callback<()>,
) -> AnyView {
    let t = texts();
    let draft = Draft::new(json!({"scopes": ["read"], "projects": [], "days": "90"}));
    let busy = RwSignal::new(false);
    let failed = RwSignal::new(None::<UiError>);
    let projects = Resource::new(|| (), |()| project_links());
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        failed.set(None);
        let wish = wish_of(&draft.value_untracked());
        spawn_local(async move {
            let made = make_key(wish).await;
            if busy.try_set(false).is_some() {
                return;
            }
            match made {
                Ok(made) => {
                    secret.set(Some(made));
                    refresh.try_run(());
                }
                Err(error) => {
                    draft.refuse(&error);
                    failed.set(error.fields().is_empty().then_some(error));
                    request_animation_frame(move || focus_first_problem(draft));
                }
            }
        });
    };
    let scopes = SCOPES
        .map(|scope| {
            let name = scope_name(t, scope).to_owned();
            check(draft, "/scopes", scope, name, Some(scope_text(t, scope)))
        })
        .into_iter()
        .collect_view();
    let choices = loaded(projects, table_skeleton, move |links: Vec<ProjectLink>| {
        let checks = links
            .into_iter()
            .map(|link| check(draft, "/projects", &link.id, link.title, None))
            .collect_view();
        view! { <div class="checks">{checks}</div> }.into_any()
    });
    let mut lifetimes = LIFETIMES
        .map(|days| (days.to_string(), format!("{days} {}", t.days)))
        .to_vec();
    lifetimes.push((String::new(), t.never.to_owned()));
    view! {
        <form on:submit=submit novalidate>
            <div class="dialog-body">
                {move || {
                    failed
                        .get()
                        .map(|error| {
                            view! { <div role="alert">{notice(Tone::Danger, error_message(t, &error))}</div> }
                        })
                }}
                {text(draft, "/name", t.key_name).hint(t.key_name_hint).view()}
                <fieldset class="field" id=id_of("/scopes") tabindex="-1">
                    <legend class="label">{t.scopes}</legend>
                    <div class="checks">{scopes}</div>
                    {problem("scopes-problem".to_owned(), move || draft.problem("/scopes"))}
                </fieldset>
                <fieldset class="field" id=id_of("/projects") tabindex="-1">
                    <legend class="label">{t.key_projects}</legend>
                    <p class="hint">{t.key_projects_hint}</p>
                    {choices}
                    {problem("projects-problem".to_owned(), move || draft.problem("/projects"))}
                </fieldset>
                {select(draft, "/days", t.key_lifetime, lifetimes, None)}
            </div>
            <div class="dialog-foot">
                <button type="button" class="button" on:click=move |_| open.set(false)>
                    {t.cancel}
                </button>
                <button class="button button-primary" disabled=busy>
                    {busy_label(busy.into(), t.make_key)}
                </button>
            </div>
        </form>
    }
    .into_any()
}

fn wish_of(draft: &Value) -> KeyWish {
    let words = |key: &str| {
        let list = draft.get(key).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect()
    };
    let text = |key: &str| draft.get(key).and_then(Value::as_str).unwrap_or_default();
    KeyWish {
        name: text("name").to_owned(),
        scopes: words("scopes"),
        projects: words("projects"),
        days: text("days").parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_what_was_chosen() {
        let draft = json!({"name": "Export", "scopes": ["read"], "projects": [], "days": "30"});
        let wish = wish_of(&draft);
        assert_eq!(
            (wish.days, wish.scopes),
            (Some(30), vec!["read".to_owned()])
        );
        assert_eq!(wish_of(&json!({"name": "x", "days": ""})).days, None);
    }
}
