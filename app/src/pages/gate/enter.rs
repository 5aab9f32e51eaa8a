//! Signing in and up.

use domain::error_code::ErrorCode;
use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use super::providers::{login_problem, provider_links};
use super::{Field, Start, frame, go_on, query_value, refusal, submit, typed_before, with_start};
use crate::address::with_next;
use crate::components::layout::{Tone, notice};
use crate::components::loading::error_notice;
use crate::error::UiError;
use crate::fns::gate::Door;
use crate::fns::second_factor::ask_for_passkey;
use crate::fns::session::{SignIn, SignUp};
use crate::i18n::texts;
use crate::map::Page;
use crate::passkeys;

pub fn sign_in() -> AnyView {
    let t = texts();
    let next = query_value("next");
    let login = query_value("login");
    let reset = query_value("reset");
    let action = ServerAction::<SignIn>::new();
    let value = action.value();
    let result = Signal::derive(move || value.get());
    go_on(result);
    let form = with_start("sign-in", move |Start { gate, flash }| {
        let typed = typed_before(flash.as_ref());
        let tried = flash.is_some();
        let error = refusal(result, flash);
        let next = next.get_untracked();
        let sign_up = gate.door.opens(&next).then(|| {
            view! { <p>{t.gate().no_account_yet} " " <a href=with_next(Page::SignUp.path(), &next)>{t.sign_up}</a></p> }
        });
        let providers = provider_links(gate.providers, &next);
        let username = Field {
            name: "username",
            kind: "text",
            label: t.gate().username_or_email,
            autocomplete: "username",
            value: typed("username"),
            optional: false,
        };
        let password = Field {
            name: "password",
            kind: "password",
            label: t.password,
            autocomplete: "current-password",
            value: String::new(),
            optional: false,
        };
        // Once the password was right, and from then on.
        let asks = Memo::new(move |before: Option<&bool>| {
            let codes = [
                ErrorCode::SecondFactorRequired,
                ErrorCode::PasskeyRequired,
                ErrorCode::WrongCode,
                ErrorCode::WrongPasskey,
            ];
            before.copied().unwrap_or_default() || refused_with(error, &codes)
        });
        let takes_passkey = Memo::new(move |before: Option<&bool>| {
            let codes = [ErrorCode::PasskeyRequired, ErrorCode::WrongPasskey];
            before.copied().unwrap_or_default() || refused_with(error, &codes)
        });
        let passkey = move || takes_passkey.get().then(passkey_button);
        let code = move || {
            asks.get().then(|| {
                let code = Field {
                    name: "code",
                    kind: "text",
                    label: t.code,
                    autocomplete: "one-time-code",
                    value: String::new(),
                    optional: false,
                };
                view! { {code.view(error)} <p class="hint">{t.code_hint}</p> }
            })
        };
        // The reason for coming here, until the first try.
        let arrived = move || {
            if tried || error.with(Option::is_some) {
                return None;
            }
            if let Some(problem) = login_problem(t, &login.get()) {
                return Some(
                    view! { <div role="alert">{notice(Tone::Danger, problem)}</div> }.into_any(),
                );
            }
            (!reset.get().is_empty()).then(|| {
                view! { <div role="status">{notice(Tone::Ok, t.gate().reset_done)}</div> }
                    .into_any()
            })
        };
        view! {
            {arrived}
            <ActionForm action=action attr:class="stack" attr:novalidate="">
                {error_notice(error.into())}
                <input type="hidden" name="next" value=next />
                {username.view(error)}
                {password.view(error)}
                {passkey}
                {code}
                <p class="small"><a href=Page::ForgotPassword.path()>{t.gate().forgot_link}</a></p>
                {submit(action.pending().into(), t.sign_in)}
            </ActionForm>
            {providers}
            {sign_up}
        }
        .into_any()
    });
    frame(t.gate().sign_in_title, t.gate().gate_text, form)
}

/// True if signing in was refused with one of these codes.
fn refused_with(error: Memo<Option<UiError>>, codes: &[ErrorCode]) -> bool {
    let code = error.with(|error| error.as_ref().and_then(UiError::code));
    code.is_some_and(|code| codes.contains(&code))
}

/// Asks the browser for a passkey and sends the form with its answer. Without scripts a code is the way.
fn passkey_button() -> AnyView {
    let t = texts();
    let answer = NodeRef::<Input>::new();
    let (pending, problem) = (RwSignal::new(false), RwSignal::new(None::<UiError>));
    let ask = move |_| {
        let Some(input) = answer.get_untracked() else {
            return;
        };
        let Some(form) = input.form() else { return };
        let value = |name: &str| {
            let field = form.elements().named_item(name);
            field.map_or_else(String::new, |field| {
                field.unchecked_into::<HtmlInputElement>().value()
            })
        };
        let (username, password) = (value("username"), value("password"));
        if pending.get_untracked() {
            return;
        }
        pending.set(true);
        problem.set(None);
        spawn_local(async move {
            let proof = match ask_for_passkey(username, password).await {
                Ok(options) => passkeys::prove(&options).await,
                Err(error) => Err(error),
            };
            if pending.try_set(false).is_some() {
                return;
            }
            match proof {
                Ok(proof) => {
                    input.set_value(&proof);
                    let _ = form.request_submit();
                }
                Err(error) => problem.set(Some(error)),
            }
        });
    };
    view! {
        {error_notice(problem.into())}
        <input type="hidden" name="passkey" node_ref=answer />
        <button type="button" class="button button-wide" aria-disabled=move || pending.get().to_string() on:click=ask>
            {t.gate().passkey_use}
        </button>
    }
    .into_any()
}

pub fn sign_up() -> AnyView {
    let t = texts();
    let next = query_value("next");
    let email = query_value("email");
    let action = ServerAction::<SignUp>::new();
    let value = action.value();
    let result = Signal::derive(move || value.get());
    go_on(result);
    let form = with_start("sign-up", move |Start { gate, flash }| {
        let typed = typed_before(flash.as_ref());
        // An invitation brings the address that it was sent to.
        let email = Some(typed("email"))
            .filter(|typed| !typed.is_empty())
            .unwrap_or_else(|| email.get_untracked());
        let error = refusal(result, flash);
        let next = next.get_untracked();
        if !gate.door.opens(&next) {
            let closed = if gate.door == Door::Off {
                t.sign_up_off
            } else {
                t.not_invited
            };
            return notice(Tone::Neutral, closed);
        }
        let providers = provider_links(gate.providers, &next);
        let field = move |name, kind, label, autocomplete, value, optional| {
            Field {
                name,
                kind,
                label,
                autocomplete,
                value,
                optional,
            }
            .view(error)
        };
        view! {
            <ActionForm action=action attr:class="stack" attr:novalidate="">
                {error_notice(error.into())}
                <input type="hidden" name="next" value=next />
                {field("display_name", "text", t.your_name, "name", typed("displayName"), true)}
                {field("username", "text", t.username, "username", typed("username"), false)}
                {field("email", "email", t.email, "email", email, false)}
                {field("password", "password", t.password, "new-password", String::new(), false)}
                {submit(action.pending().into(), t.sign_up)}
            </ActionForm>
            {providers}
        }
        .into_any()
    });
    let elsewhere = view! {
        <p>
            {t.gate().have_account} " "
            <a href=move || with_next(Page::SignIn.path(), &next.get())>{t.sign_in}</a>
        </p>
    };
    frame(
        t.gate().sign_up_title,
        t.gate().gate_text,
        (form, elsewhere),
    )
}
