//! The person's own account: profile, password, second factor, ways to sign in, sessions.

mod device;
pub mod keys;
pub mod ledger;
mod letters;
mod second_factor;
mod sessions;
pub mod vendor_list;
mod ways;

use leptos::prelude::*;
use leptos::server_fn::ServerFn;
use leptos_router::hooks::use_query_map;
use serde_json::{Value, json};

use super::gate::login_problem;
use crate::address::address;
use crate::components::copy::copyable;
use crate::components::draft::Draft;
use crate::components::field::text;
use crate::components::form::Form;
use crate::components::holdings;
use crate::components::layout::{Tone, badge, notice, page_head};
use crate::components::loading::{block_skeleton, error_message, loaded};
use crate::components::strength::strength;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::account::{Ways, list_ways};
use crate::fns::flash::take_flash;
use crate::fns::gate::{ForgotPassword, SendVerification};
use crate::fns::holdings::{Holdings, Keep, list_holdings};
use crate::fns::session::{Account, KeepEmail, change_password, read_account, update_account};
use crate::i18n::{Texts, fill, texts};
use crate::map::Page;

/// The forms about the address, by the names in their messages.
const FORMS: [&str; 2] = ["verification", "keep-email"];

pub fn page() -> AnyView {
    let t = texts();
    let person = Resource::new(|| (), |()| read_account());
    let ways = Resource::new(|| (), |()| list_ways());
    // The account as it is saved now.
    let saved = RwSignal::new(None::<Account>);
    let about_me = loaded(person, block_skeleton, move |person: Account| {
        profile(person, saved, ways)
    });
    let held = Resource::new(|| (), |()| list_holdings());
    // Counts what has ended sessions.
    let ended = RwSignal::new(0_u32);
    // Ending sessions also ends a pending change of the address.
    let secured = Callback::new(move |()| {
        ended.update(|ended| *ended += 1);
        saved.try_update(|saved| {
            if let Some(saved) = saved {
                saved.pending_email = None;
            }
        });
    });
    // Some ways in may have gone as well.
    let changed = Callback::new(move |()| {
        secured.run(());
        held.refetch();
        ways.refetch();
    });
    // Outside of what is rendered anew when a way to sign in goes.
    let words = Draft::new(json!({}));
    let about_ways = loaded(ways, block_skeleton, move |found: Ways| {
        view! {
            {password(&found, words, person, held, changed)}
            {ways::card(found, changed)}
        }
        .into_any()
    });
    let about_letters = loaded(
        person,
        || ().into_any(),
        move |person: Account| {
            // A server that sends no e-mail has nothing to choose.
            let card = move || {
                let person = person.clone();
                Suspend::new(async move {
                    let sends = ways.await.is_ok_and(|ways| ways.mail);
                    sends.then(|| letters::card(&person))
                })
            };
            view! { <Transition fallback=|| ()>{card}</Transition> }.into_any()
        },
    );
    view! {
        <div class="page page-narrow">
            {page_head(t.account, t.account().account_text, ())}
            {arrived(person)}
            {refused()}
            <div class="stack-loose">
                {about_me} {about_ways} {second_factor::card(ended, held, changed)}
                {sessions::card(ended, secured)} {about_letters} {vendor_list::link_card()}
            </div>
        </div>
    }
    .into_any()
}

/// The result that a form or a provider left in the address.
fn arrived(person: Resource<Result<Account, UiError>>) -> impl IntoView {
    let t = texts();
    let query = use_query_map();
    let value = move |name: &str| query.with(|query| query.get(name).unwrap_or_default());
    let letter = move || {
        Suspend::new(async move {
            let email = person
                .await
                .map(|person| person.pending_email.unwrap_or(person.email));
            let text = fill(
                t.account().letter_sent,
                &[("email", &email.unwrap_or_default())],
            );
            view! { <div role="status">{notice(Tone::Ok, text)}</div> }
        })
    };
    move || {
        if let Some(problem) = login_problem(t, &value("login")) {
            return Some(
                view! { <div role="alert">{notice(Tone::Danger, problem)}</div> }.into_any(),
            );
        }
        if !value("linked").is_empty() {
            return Some(
                view! { <div role="status">{notice(Tone::Ok, t.account().way_linked)}</div> }
                    .into_any(),
            );
        }
        (!value("letter").is_empty())
            .then(|| view! { <Transition fallback=|| ()>{letter}</Transition> }.into_any())
    }
}

/// The refusal that a form about the address left when it led back here.
fn refused() -> AnyView {
    let t = texts();
    let flash = Resource::new(|| (), |()| async { take_flash().await.ok().flatten() });
    let content = move || {
        Suspend::new(async move {
            let flash = flash.await?;
            FORMS.contains(&flash.form.as_str()).then(|| {
                let text = error_message(t, &flash.error);
                view! { <div role="alert">{notice(Tone::Danger, text)}</div> }
            })
        })
    };
    view! { <Transition fallback=|| ()>{content}</Transition> }.into_any()
}

fn profile(
    person: Account,
    saved: RwSignal<Option<Account>>,
    ways: Resource<Result<Ways, UiError>>,
) -> AnyView {
    let t = texts();
    let draft = Draft::new(json!({
        "displayName": person.display_name,
        "email": person.email,
    }));
    let (id, username) = (person.id.clone(), person.username.clone());
    saved.set(Some(person));
    let send = move |mut sent: Value| async move {
        let field = |key: &str| {
            sent.get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let present = saved.get_untracked().map(|person| person.email);
        // The present address would end a change that waits.
        let email = Some(field("email")).filter(|email| Some(email) != present.as_ref());
        let asked = email.is_some();
        let password = Some(field("presentPassword")).filter(|password| !password.is_empty());
        let person = update_account(field("displayName"), email, password).await?;
        if let Some(sent) = sent.as_object_mut() {
            draft.set("/presentPassword", None);
            sent.remove("presentPassword");
            if asked {
                // The new one waits, and is said to.
                draft.set("/email", Some(json!(person.email)));
                sent.insert("email".to_owned(), json!(person.email));
            }
        }
        let _ = saved.try_set(Some(person));
        Ok(sent)
    };
    let changes = Memo::new(move |_| {
        let present = saved.with(|saved| saved.as_ref().map(|person| person.email.clone()));
        Some(draft.text("/email")) != present
    });
    let password = move || {
        changes.get().then(|| {
            Suspend::new(async move {
                let asks = ways.await.is_ok_and(|ways| ways.has_password());
                asks.then(|| {
                    text(draft, "/presentPassword", t.account().present_password)
                        .kind("password")
                        .view()
                })
            })
        })
    };
    let form = small_form(draft, t.save, t.saved, send, || {
        view! {
            {text(draft, "/displayName", t.your_name).view()}
            <div class="field">
                <label for="username">{t.username}</label>
                <input class="input" id="username" value=username.clone() disabled />
            </div>
            {text(draft, "/email", t.email).kind("email").view()}
            <Transition fallback=|| ()>{password}</Transition>
        }
        .into_any()
    });
    let state = move || {
        let person = saved.get();
        Suspend::new(async move {
            let Some(person) = person else {
                return ().into_any();
            };
            let verified = person
                .email_verified
                .then(|| badge(Tone::Ok, t.account().email_proved));
            if let Some(waits) = &person.pending_email {
                return view! { {verified} {waiting(waits, &person.email)} }.into_any();
            }
            if let Some(verified) = verified {
                return verified;
            }
            // Without e-mail nobody can change that.
            match ways.await {
                Ok(ways) if ways.mail => unproved(&person.email),
                _ => ().into_any(),
            }
        })
    };
    view! {
        <section class="card" aria-labelledby="profile-title">
            <div class="card-head">
                <h2 id="profile-title">{t.account().profile}</h2>
                {copyable(id, t.account().your_id)}
            </div>
            <div class="card-body">
                <div aria-live="polite"><Transition fallback=|| ()>{state}</Transition></div>
                {form}
            </div>
        </section>
    }
    .into_any()
}

/// Asks to confirm an address, and sends another e-mail.
fn unproved(email: &str) -> AnyView {
    let t = texts();
    let content = view! {
        <p>{fill(t.account().email_unproved, &[("email", email)])}</p>
        <form method="post" action=SendVerification::PATH>
            <input type="hidden" name="next" value=address(Page::Account.path(), &[("letter", "1")]) />
            <button class="button button-small">{t.send_again}</button>
        </form>
    };
    notice(Tone::Warn, content)
}

/// Names the pending address; sends another e-mail there, or keeps the present address.
fn waiting(email: &str, present: &str) -> AnyView {
    let t = texts();
    let content = view! {
        <p>{fill(t.account().email_waits, &[("email", email), ("present", present)])}</p>
        <div class="row">
            <form method="post" action=SendVerification::PATH>
                <input type="hidden" name="next" value=address(Page::Account.path(), &[("letter", "1")]) />
                <button class="button button-small">{t.send_again}</button>
            </form>
            <form method="post" action=KeepEmail::PATH>
                <button class="button button-small">{t.cancel}</button>
            </form>
        </div>
    };
    notice(Tone::Warn, content)
}

fn password(
    ways: &Ways,
    draft: Draft,
    person: Resource<Result<Account, UiError>>,
    held: Resource<Result<Holdings, UiError>>,
    secured: Callback<()>,
) -> AnyView {
    let t = texts();
    let content = if ways.has_password() {
        change(t, draft, held, secured)
    } else if ways.mail {
        // The same e-mail as for a lost password.
        let email = move || {
            Suspend::new(async move {
                let email = person.await.map(|person| person.email).unwrap_or_default();
                view! { <input type="hidden" name="email" value=email /> }
            })
        };
        view! {
            <p class="muted">{t.account().no_password_text}</p>
            <form method="post" action=ForgotPassword::PATH>
                <Suspense fallback=|| ()>{email}</Suspense>
                <button class="button">{t.account().no_password_action}</button>
            </form>
        }
        .into_any()
    } else {
        view! { <p class="muted">{t.account().no_password_no_mail}</p> }.into_any()
    };
    view! {
        <section class="card" aria-labelledby="password-title">
            <div class="card-head"><h2 id="password-title">{t.password}</h2></div>
            <div class="card-body">{content}</div>
        </section>
    }
    .into_any()
}

fn change(
    t: &'static Texts,
    draft: Draft,
    held: Resource<Result<Holdings, UiError>>,
    secured: Callback<()>,
) -> AnyView {
    let keep = RwSignal::new(Keep::default());
    let send = move |sent: Value| async move {
        let field = |key: &str| {
            sent.get(key)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        change_password(
            field("password"),
            field("newPassword"),
            keep.get_untracked(),
        )
        .await?;
        draft.replace(json!({}));
        let _ = keep.try_set(Keep::default());
        secured.try_run(());
        Ok(json!({}))
    };
    let choices = move || {
        Suspend::new(async move {
            // Without the list the form works, and all ends.
            let held = held.await.unwrap_or_default();
            holdings::view("password", &held, Some(keep))
        })
    };
    let typed = Signal::derive(move || draft.text("/newPassword"));
    let form = small_form(
        draft,
        t.account().change_password,
        t.account().password_changed,
        send,
        || {
            view! {
                {text(draft, "/password", t.account().present_password).kind("password").view()}
                {text(draft, "/newPassword", t.new_password).kind("password").view()}
                {strength(typed, Vec::new)}
                <Transition fallback=|| ()>{choices}</Transition>
            }
            .into_any()
        },
    );
    view! {
        <p class="muted">{t.account().password_text}</p>
        {form}
    }
    .into_any()
}

/// A form of a card; `send` answers with what is saved now.
fn small_form<F>(
    draft: Draft,
    action: &'static str,
    done: &'static str,
    send: impl Fn(Value) -> F + Send + Sync + 'static,
    fields: impl FnOnce() -> AnyView,
) -> AnyView
where
    F: Future<Output = Result<Value, UiError>> + 'static,
{
    let toasts = toasts();
    let saved = move |saved| {
        draft.mark_saved(saved);
        toasts.done(done);
    };
    Form::sending(draft, action, send, saved).view(fields())
}
