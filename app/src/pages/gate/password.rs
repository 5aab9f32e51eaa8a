//! Lost passwords: asking for a link, and choosing a new password by it.

use leptos::prelude::*;

use super::{
    Field, Start, frame, go_on, query_value, refusal, submit, typed_before, way_on, with_start,
};
use crate::components::following::following;
use crate::components::holdings;
use crate::components::layout::{Tone, notice};
use crate::components::loading::{block_skeleton, error_notice, error_state};
use crate::error::UiError;
use crate::fns::gate::{ForgotPassword, ResetPassword, read_reset};
use crate::fns::holdings::Keep;
use crate::i18n::{fill, texts};
use crate::map::Page;

pub fn forgot_password() -> AnyView {
    let t = texts();
    let sent = query_value("sent");
    let action = ServerAction::<ForgotPassword>::new();
    let value = action.value();
    let result = Signal::derive(move || value.get());
    go_on(result);
    let form = with_start("forgot-password", move |Start { gate, flash }| {
        if !gate.mail {
            return notice(Tone::Warn, t.gate().forgot_no_mail);
        }
        if !sent.get_untracked().is_empty() {
            return view! {
                <div role="status">{notice(Tone::Ok, t.gate().forgot_sent)}</div>
                <p class="muted">
                    {t.gate().forgot_sent_hint} " "
                    <a href=Page::ForgotPassword.path() rel="external">{t.gate().forgot_again}</a>
                </p>
            }
            .into_any();
        }
        let typed = typed_before(flash.as_ref());
        let error = refusal(result, flash);
        let email = Field {
            name: "email",
            kind: "email",
            label: t.email,
            autocomplete: "email",
            value: typed("email"),
            optional: false,
        };
        view! {
            <ActionForm action=action attr:class="stack" attr:novalidate="">
                {error_notice(error.into())}
                {email.view(error)}
                {submit(action.pending().into(), t.gate().forgot_action)}
            </ActionForm>
        }
        .into_any()
    });
    let back =
        view! { <p><a href=Page::SignIn.path() rel="external">{t.gate().to_sign_in}</a></p> };
    frame(t.forgot_title, t.gate().forgot_text, (form, back))
}

pub fn reset_password() -> AnyView {
    let t = texts();
    let token = query_value("token");
    let link = following(move || token.get(), read_reset);
    // Outlives a try that is refused, as what was typed does.
    let keep = RwSignal::new(Keep::default());
    let action = ServerAction::<ResetPassword>::new();
    let value = action.value();
    let result = Signal::derive(move || value.get());
    go_on(result);
    let form = with_start("reset-password", move |Start { flash, .. }| {
        let error = refusal(result, flash);
        let content = move || {
            // Used meanwhile, in another window.
            let used = error.with(|error| is_used(error.as_ref()));
            Suspend::new(async move {
                match link.await {
                    Ok(Some(link)) if !used => {
                        let choice = link.email_verified.then_some(keep);
                        let held = holdings::view("password", &link.holdings, choice);
                        let address = link.email;
                        let password = Field {
                            name: "password",
                            kind: "password",
                            label: t.new_password,
                            autocomplete: "new-password",
                            value: String::new(),
                            optional: false,
                        };
                        let whose = fill(t.gate().reset_for, &[("email", &address)]);
                        view! {
                            <ActionForm action=action attr:class="stack" attr:novalidate="">
                                {error_notice(error.into())}
                                <p>{whose}</p>
                                <input type="hidden" name="token" value=token.get_untracked() />
                                // Tells the browser's store of passwords whose this is.
                                <input
                                    class="quiet"
                                    type="text"
                                    autocomplete="username"
                                    value=address
                                    readonly
                                    tabindex="-1"
                                    aria-hidden="true"
                                />
                                {password.view(error)}
                                {held}
                                {submit(action.pending().into(), t.gate().reset_action)}
                            </ActionForm>
                        }
                        .into_any()
                    }
                    Ok(_) => view! {
                        <div role="alert">{notice(Tone::Warn, t.gate().reset_ended)}</div>
                        {way_on(Page::ForgotPassword.path().to_owned(), t.gate().forgot_action, true)}
                    }
                    .into_any(),
                    Err(error) => error_state(&error, None),
                }
            })
        };
        view! { <Transition fallback=block_skeleton>{content}</Transition> }.into_any()
    });
    let back =
        view! { <p><a href=Page::SignIn.path() rel="external">{t.gate().to_sign_in}</a></p> };
    frame(t.reset_title, t.gate().reset_text, (form, back))
}

fn is_used(error: Option<&UiError>) -> bool {
    error.is_some_and(|error| error.fields().iter().any(|field| field.pointer == "/token"))
}
