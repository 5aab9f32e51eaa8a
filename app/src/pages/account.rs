//! The person's own account: profile and password.

use leptos::ev;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::{Value, json};

use crate::components::copy::copyable;
use crate::components::draft::Draft;
use crate::components::field::{focus_first_problem, text};
use crate::components::layout::{Tone, busy_label, notice, page_head};
use crate::components::loading::{block_skeleton, error_message, loaded};
use crate::components::toast::toasts;
use crate::components::unsaved::guard;
use crate::error::UiError;
use crate::fns::session::{Account, change_password, read_account, update_account};
use crate::i18n::texts;

pub fn page() -> AnyView {
    let t = texts();
    let person = Resource::new(|| (), |()| read_account());
    let content = loaded(person, block_skeleton, |person: Account| {
        view! {
            <div class="stack-loose">{profile(&person)} {password()}</div>
        }
        .into_any()
    });
    view! {
        <div class="page page-narrow">
            {page_head(t.account, t.account_text, ())}
            {content}
        </div>
    }
    .into_any()
}

fn profile(person: &Account) -> AnyView {
    let t = texts();
    let draft = Draft::new(json!({
        "displayName": person.display_name,
        "username": person.username,
        "email": person.email,
    }));
    let send = move |sent: Value| async move {
        let field = |key: &str| {
            sent.get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        update_account(field("displayName"), field("username"), field("email"))
            .await
            .map(|_| sent)
    };
    let form = small_form(draft, t.save, t.saved, send, || {
        view! {
            {text(draft, "/displayName", t.your_name).view()}
            {text(draft, "/username", t.username).view()}
            {text(draft, "/email", t.email).kind("email").view()}
        }
        .into_any()
    });
    view! {
        <section class="card" aria-labelledby="profile-title">
            <div class="card-head">
                <h2 id="profile-title">{t.profile}</h2>
                {copyable(person.id.clone(), t.your_id)}
            </div>
            <div class="card-body">{form}</div>
        </section>
    }
    .into_any()
}

fn password() -> AnyView {
    let t = texts();
    let draft = Draft::new(json!({}));
    let send = move |sent: Value| async move {
        let field = |key: &str| {
            sent.get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        change_password(field("password"), field("newPassword")).await?;
        draft.replace(json!({}));
        Ok(json!({}))
    };
    let form = small_form(draft, t.change_password, t.password_changed, send, || {
        view! {
            {text(draft, "/password", t.present_password).kind("password").view()}
            {text(draft, "/newPassword", t.new_password).kind("password").view()}
        }
        .into_any()
    });
    view! {
        <section class="card" aria-labelledby="password-title">
            <div class="card-head"><h2 id="password-title">{t.password}</h2></div>
            <div class="card-body">
                <p class="muted">{t.password_text}</p>
                {form}
            </div>
        </section>
    }
    .into_any()
}

/// A short form with its own button; `send` answers with what is saved now.
fn small_form<F>(
    draft: Draft,
    action: &'static str,
    done: &'static str,
    send: impl Fn(Value) -> F + Copy + 'static,
    fields: impl Fn() -> AnyView,
) -> AnyView
where
    F: Future<Output = Result<Value, UiError>> + 'static,
{
    let t = texts();
    let toasts = toasts();
    let busy = RwSignal::new(false);
    let failed = RwSignal::new(None::<UiError>);
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        failed.set(None);
        spawn_local(async move {
            let answer = send(draft.value_untracked()).await;
            if busy.try_set(false).is_some() {
                return;
            }
            match answer {
                Ok(saved) => {
                    draft.mark_saved(saved);
                    toasts.done(done);
                }
                Err(error) => {
                    draft.refuse(&error);
                    failed.set(error.fields().is_empty().then_some(error));
                    request_animation_frame(move || focus_first_problem(draft));
                }
            }
        });
    };
    view! {
        {guard(Signal::derive(move || draft.dirty()))}
        <form class="form" on:submit=submit novalidate>
            {move || failed.get().map(|error| view! { <div role="alert">{notice(Tone::Danger, error_message(t, &error))}</div> })}
            {fields()}
            <div class="form-actions">
                <button class="button button-primary" disabled=busy>{busy_label(busy.into(), action)}</button>
            </div>
        </form>
    }
    .into_any()
}
