//! Ways to sign in: the password, and identities of OpenID Connect providers.

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Value, json};

use super::second_factor::{at, field};
use crate::components::dialog::{confirm, dialog};
use crate::components::draft::Draft;
use crate::components::field::text as text_field;
use crate::components::form::Form;
use crate::components::layout::{Tone, notice};
use crate::components::loading::error_message;
use crate::components::time::ago;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::account::{LINK, Way, Ways, remove_way};
use crate::i18n::{Texts, fill, texts};

/// Field of the current password. Other forms of the page have fields of their own for it.
const PASSWORD: &str = "/wayPassword";

/// Nothing where the password is the only way there can be.
pub fn card(found: Ways, changed: Callback<()>) -> Option<AnyView> {
    let t = texts();
    let only_password = found.providers.is_empty() && found.ways.len() == 1 && found.has_password();
    if only_password {
        return None;
    }
    let last = found.ways.len() == 1;
    let has_password = found.has_password();
    let rows = found
        .ways
        .into_iter()
        .map(|way| row(t, way, last, changed))
        .collect_view();
    let links = found
        .providers
        .into_iter()
        .map(|provider| {
            view! {
                <form class="row" method="post" action=LINK>
                    <input type="hidden" name="provider" value=provider.name />
                    {has_password.then(current_password)}
                    <button class="button">
                        {fill(t.account().way_link, &[("provider", &provider.title)])}
                    </button>
                </form>
            }
        })
        .collect_view();
    let view = view! {
        <section class="card" aria-labelledby="ways-title">
            <div class="card-head"><h2 id="ways-title">{t.ways}</h2></div>
            <div class="card-body">
                <ul class="card-rows">{rows}</ul>
                {last.then(|| view! { <p class="hint">{t.account().way_last}</p> })}
                <div class="row">{links}</div>
            </div>
        </section>
    };
    Some(view.into_any())
}

/// The password that a new way asks for: it opens the account from then on.
fn current_password() -> AnyView {
    let label = texts().account().present_password;
    view! {
        <input
            class="input"
            type="password"
            name="present_password"
            autocomplete="current-password"
            required
            aria-label=label
            placeholder=label
        />
    }
    .into_any()
}

/// Removes the password by itself.
fn password_removal(way: String, open: RwSignal<bool>, changed: Callback<()>) -> AnyView {
    let (t, toasts) = (texts(), toasts());
    let draft = Draft::new(json!({}));
    let send = move |sent: Value| {
        let way = way.clone();
        let password = Some(field(&sent, PASSWORD));
        async move {
            remove_way(way, password)
                .await
                .map_err(|error| at(PASSWORD, error))
        }
    };
    let then = move |()| {
        open.set(false);
        toasts.done(t.account().way_removed);
        changed.try_run(());
    };
    let text = fill(t.account().way_remove_text, &[("name", t.password)]);
    let password = text_field(draft, PASSWORD, t.account().present_password).kind("password");
    let fields = view! {
        <p>{text}</p>
        {password.view()}
    };
    Form::sending(draft, t.remove, send, then).inline(fields.into_any())
}

fn row(t: &'static Texts, way: Way, last: bool, changed: Callback<()>) -> AnyView {
    let toasts = toasts();
    let failed = RwSignal::new(None::<UiError>);
    let name = way
        .provider
        .clone()
        .unwrap_or_else(|| t.password.to_owned());
    let id = way.id.clone();
    let run = move || {
        let id = id.clone();
        spawn_local(async move {
            match remove_way(id, None).await {
                Ok(()) => {
                    toasts.done(t.account().way_removed);
                    changed.try_run(());
                }
                Err(error) => {
                    let _ = failed.try_set(Some(error));
                }
            }
        });
    };
    let used = way.last_used_at.map(|at| {
        view! { <span class="hint">{t.last_used} " " {ago(at)}</span> }
    });
    let linked = way.provider.is_some().then(|| {
        view! { <span class="hint">{t.way_since} " " {ago(way.created_at)}</span> }
    });
    let remove_label = format!("{}: {name}", t.remove);
    let text = fill(t.account().way_remove_text, &[("name", &name)]);
    let ask = confirm(t.account().way_remove_title, text, t.remove, true, run);
    let open = RwSignal::new(false);
    let is_password = way.provider.is_none();
    let password = way.id.clone();
    let removal = is_password.then(|| {
        let form = move || password_removal(password.clone(), open, changed);
        dialog(open, t.account().way_remove_title, false, form)
    });
    view! {
        <li class="stack-tight">
            <div class="row-between">
                <div class="grow">
                    <p class="strong">{name}</p>
                    {way.email.map(|email| view! { <p class="wrap-anywhere">{email}</p> })}
                    <p class="row">{linked} {used}</p>
                </div>
                <button
                    type="button"
                    class="button button-small"
                    aria-label=remove_label
                    disabled=last
                    on:click=move |_| if is_password { open.set(true) } else { ask() }
                >
                    {t.remove}
                </button>
            </div>
            {removal}
            {move || {
                failed
                    .get()
                    .map(|error| {
                        view! { <div role="alert">{notice(Tone::Danger, error_message(t, &error))}</div> }
                    })
            }}
        </li>
    }
    .into_any()
}
