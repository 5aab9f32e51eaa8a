//! Pages of links in e-mails: the proof of an address, and invitations.

use leptos::prelude::*;
use leptos::server_fn::ServerFn;

use super::{Field, Start, frame, here, query_value, submit, way_on, with_start};
use crate::address::{address, sign_in_path, with_next};
use crate::components::following::following;
use crate::components::layout::{Tone, notice};
use crate::components::loading::{block_skeleton, error_notice, error_state};
use crate::components::role::{role_name, role_text};
use crate::components::time::day;
use crate::error::UiError;
use crate::fns::gate::{
    AcceptInvitation, Gate, Invitation, Needs, SendVerification, VerifyEmail, read_invitation,
    read_proof,
};
use crate::fns::session::SignOut;
use crate::i18n::{fill, texts};
use crate::map::Page;

/// A plain form with one button.
fn one_button(
    action: &'static str,
    values: Vec<(&'static str, String)>,
    label: &'static str,
    primary: bool,
) -> AnyView {
    let class = if primary {
        "button button-primary button-wide"
    } else {
        "button button-wide"
    };
    let values = values
        .into_iter()
        .map(|(name, value)| view! { <input type="hidden" name=name value=value /> })
        .collect_view();
    view! {
        <form method="post" action=action>
            {values}
            <button class=class>{label}</button>
        </form>
    }
    .into_any()
}

pub fn verify_email() -> AnyView {
    let t = texts();
    let token = query_value("token");
    let done = query_value("done");
    let sent = query_value("sent");
    let here = here();
    let proof = following(move || token.get(), read_proof);
    let content = with_start("verify-email", move |Start { gate, flash }| {
        let error = Memo::new(move |_| flash.as_ref().map(|flash| flash.error.clone()));
        let gate = StoredValue::new(gate);
        let content = move || {
            Suspend::new(async move {
                if !done.get_untracked().is_empty() {
                    let (to, label) = if gate.with_value(|gate| gate.person.is_some()) {
                        (Page::Projects.path(), t.to_projects)
                    } else {
                        (Page::SignIn.path(), t.gate().to_sign_in)
                    };
                    return view! {
                        <div role="status">{notice(Tone::Ok, t.gate().verify_done)}</div>
                        {way_on(to.to_owned(), label, true)}
                    }
                    .into_any();
                }
                if !sent.get_untracked().is_empty() {
                    return view! {
                        <div role="status">{notice(Tone::Ok, t.gate().verify_sent)}</div>
                    }
                    .into_any();
                }
                match proof.await {
                    Ok(Some(proof)) => {
                        let token = token.get_untracked();
                        let answer = if proof.needs == Needs::Nothing {
                            let values = vec![("token", token)];
                            one_button(VerifyEmail::PATH, values, t.gate().verify_action, true)
                        } else {
                            let here = here.get_untracked();
                            gate.with_value(|gate| outside(gate, proof.needs, token, &here, error))
                        };
                        view! {
                            {error_notice(error.into())}
                            <p>{fill(t.gate().verify_ask, &[("email", &proof.email)])}</p>
                            {answer}
                        }
                        .into_any()
                    }
                    Ok(None) => gate.with_value(verify_ended),
                    Err(error) => error_state(&error, None),
                }
            })
        };
        view! { <Transition fallback=block_skeleton>{content}</Transition> }.into_any()
    });
    frame(t.verify_title, t.gate().verify_text, content)
}

/// Somebody opens the link without a session of its account: to sign in first, or to make the account
/// their own.
fn outside(
    gate: &Gate,
    needs: Needs,
    token: String,
    here: &str,
    error: Memo<Option<UiError>>,
) -> AnyView {
    let t = texts();
    let enter = match &gate.person {
        Some(person) => view! {
            <p>{fill(t.gate().verify_as_other, &[("mine", &person.email)])}</p>
            {one_button(SignOut::PATH, vec![("next", here.to_owned())], t.gate().invited_sign_out, true)}
        }
        .into_any(),
        None => way_on(with_next(Page::SignIn.path(), here), t.gate().verify_sign_in, true),
    };
    if needs == Needs::Session {
        return view! {
            <p class="muted">{t.gate().verify_session}</p>
            {enter}
        }
        .into_any();
    }
    let password = Field {
        name: "password",
        kind: "password",
        label: t.new_password,
        autocomplete: "new-password",
        value: String::new(),
        optional: false,
    };
    view! {
        <div class="stack-tight">
            <p class="muted">{t.gate().verify_keep}</p>
            {enter}
        </div>
        <p class="or" aria-hidden="true"><span>{t.or}</span></p>
        <form method="post" action=VerifyEmail::PATH class="stack" novalidate>
            <p class="muted">{t.gate().verify_anew}</p>
            <input type="hidden" name="token" value=token />
            {password.view(error)}
            {submit(Signal::stored(false), t.gate().verify_anew_action)}
        </form>
    }
    .into_any()
}

/// The link has expired, perhaps because it was used.
fn verify_ended(gate: &Gate) -> AnyView {
    let t = texts();
    match &gate.person {
        // Which address that is, as the link may have been about another.
        Some(person) if person.email_verified && person.pending_email.is_none() => view! {
            <div role="status">{notice(Tone::Ok, t.gate().verify_done)}</div>
            <p class="strong wrap-anywhere">{person.email.clone()}</p>
            {way_on(Page::Projects.path().to_owned(), t.to_projects, true)}
        }
        .into_any(),
        Some(_) if gate.mail => view! {
            <div role="alert">{notice(Tone::Warn, t.gate().link_ended)}</div>
            {one_button(
                SendVerification::PATH,
                vec![("next", address(Page::VerifyEmail.path(), &[("sent", "1")]))],
                t.send_again,
                true,
            )}
        }
        .into_any(),
        Some(_) => view! {
            <div role="alert">{notice(Tone::Warn, t.gate().link_ended)}</div>
            {way_on(Page::Account.path().to_owned(), t.account, true)}
        }
        .into_any(),
        None => view! {
            <div role="alert">{notice(Tone::Warn, t.gate().link_ended)}</div>
            <p class="muted">{t.gate().verify_sign_in_first}</p>
            {way_on(sign_in_path(Page::Account.path()), t.sign_in, true)}
        }
        .into_any(),
    }
}

pub fn invitation() -> AnyView {
    let t = texts();
    let token = query_value("token");
    let here = here();
    let invited = following(move || token.get(), read_invitation);
    let content = with_start("invitation", move |Start { gate, flash }| {
        let error = Memo::new(move |_| flash.as_ref().map(|flash| flash.error.clone()));
        let gate = StoredValue::new(gate);
        let content = move || {
            Suspend::new(async move {
                match invited.await {
                    Ok(Some(invited)) => {
                        let answer = gate.with_value(|gate| {
                            answers(
                                gate,
                                &invited,
                                &token.get_untracked(),
                                &here.get_untracked(),
                            )
                        });
                        view! {
                            {error_notice(error.into())}
                            {what(&invited)}
                            {answer}
                        }
                        .into_any()
                    }
                    Ok(None) => view! {
                        <div role="alert">{notice(Tone::Warn, t.gate().invited_ended)}</div>
                        {way_on(Page::Projects.path().to_owned(), t.to_projects, true)}
                    }
                    .into_any(),
                    Err(error) => error_state(&error, None),
                }
            })
        };
        view! { <Transition fallback=block_skeleton>{content}</Transition> }.into_any()
    });
    frame(t.invited_title, t.gate().gate_text, content)
}

/// The facts of an invitation.
fn what(invited: &Invitation) -> AnyView {
    let t = texts();
    let target = if invited.to_project {
        t.project
    } else {
        t.organization
    };
    view! {
        <p>{fill(t.gate().invited_by, &[("sender", &invited.invited_by), ("name", &invited.name)])}</p>
        <dl class="facts card card-facts">
            <dt>{target}</dt>
            <dd class="strong">{invited.name.clone()}</dd>
            <dt>{t.role}</dt>
            <dd>{role_name(t, invited.role)} <span class="hint">{role_text(t, invited.role)}</span></dd>
            <dt>{t.gate().sent_to}</dt>
            <dd>{invited.email.clone()}</dd>
            <dt>{t.good_until}</dt>
            <dd>{day(invited.expires_at)}</dd>
        </dl>
    }
    .into_any()
}

/// The possible answers, by who is signed in.
fn answers(gate: &Gate, invited: &Invitation, token: &str, here: &str) -> AnyView {
    let t = texts();
    match &gate.person {
        Some(person) if same_address(&person.email, &invited.email) => one_button(
            AcceptInvitation::PATH,
            vec![("token", token.to_owned())],
            t.gate().invited_accept,
            true,
        ),
        Some(person) => {
            let text = fill(
                t.gate().invited_as_other,
                &[("mine", &person.email), ("invited", &invited.email)],
            );
            view! {
                {notice(Tone::Warn, text)}
                {one_button(SignOut::PATH, vec![("next", here.to_owned())], t.gate().invited_sign_out, true)}
            }
            .into_any()
        }
        None => {
            let sign_up = address(
                Page::SignUp.path(),
                &[("next", here), ("email", &invited.email)],
            );
            let open = gate.door.opens(here);
            view! {
                <p class="muted">{fill(t.gate().invited_needs_account, &[("email", &invited.email)])}</p>
                <div class="stack-tight">
                    {open.then(|| way_on(sign_up, t.sign_up, true))}
                    {way_on(with_next(Page::SignIn.path(), here), t.sign_in, !open)}
                </div>
            }
            .into_any()
        }
    }
}

/// Addresses are compared as the service does.
fn same_address(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}
