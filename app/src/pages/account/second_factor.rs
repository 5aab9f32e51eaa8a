//! The second factors: an authenticator app and passkeys, turned on and off, and recovery codes.

use domain::field_error::FieldError;
use leptos::prelude::*;
use serde_json::{Value, json};

use crate::components::copy::{code_block, copyable};
use crate::components::draft::Draft;
use crate::components::field::text;
use crate::components::following::following;
use crate::components::form::Form;
use crate::components::holdings;
use crate::components::layout::{Tone, badge, notice};
use crate::components::loading::{block_skeleton, live};
use crate::components::time::day;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::holdings::{Holdings, Keep};
use crate::fns::second_factor::{
    AppSecret, Passkey, SecondFactor, add_passkey, begin_passkey, begin_second_factor,
    confirm_second_factor, end_passkey, end_second_factor, read_second_factor,
    renew_recovery_codes,
};
use crate::i18n::{Texts, count, fill, texts};
use crate::passkeys;

/// Squares around a QR code that stay light (ISO/IEC 18004).
const QUIET: usize = 4;
/// Field of the current password. Another form of the page has the API's field.
const PASSWORD: &str = "/factorPassword";

/// The task in progress. The card shows its form below its state.
#[derive(Clone)]
enum Task {
    None,
    /// Asks for the password.
    Begin,
    /// Asks for the first code.
    Confirm(AppSecret),
    /// Shows codes this once.
    Keep(Vec<String>),
    /// Asks for a code, for other recovery codes.
    Renew,
    /// Asks for a code, to turn the app off.
    End,
    /// Asks for a name and the password, then the browser for a passkey.
    AddPasskey,
    /// Asks for the password, to remove this passkey.
    EndPasskey(Passkey),
}

/// The ways into the account that ask for no second factor, and those of them that the first one leaves.
#[derive(Clone, Copy)]
struct Others {
    found: Resource<Result<Option<SecondFactor>, UiError>>,
    held: Resource<Result<Holdings, UiError>>,
    keep: RwSignal<Keep>,
}

impl Others {
    /// The choices. Nothing beside another second factor, which has ended them already.
    fn view(self) -> AnyView {
        let choices = move || {
            Suspend::new(async move {
                let factor = self.found.await.ok().flatten()?;
                if factor.since.is_some() || !factor.passkeys.is_empty() {
                    return None;
                }
                // Without the list the form works, and all ends. Invitations open no account.
                let held = Holdings {
                    invitations: Vec::new(),
                    ..self.held.await.unwrap_or_default()
                };
                holdings::view("factor", &held, Some(self.keep))
            })
        };
        view! { <Transition fallback=|| ()>{choices}</Transition> }.into_any()
    }
}

/// `held` is what the first second factor ends unless it is kept. `secured` runs when other sessions have ended; `ended`
/// changes with whatever ends some.
pub fn card(
    ended: RwSignal<u32>,
    held: Resource<Result<Holdings, UiError>>,
    secured: Callback<()>,
) -> AnyView {
    let t = texts();
    let found = following(move || ended.get(), |_| read_second_factor());
    let others = Others {
        found,
        held,
        keep: RwSignal::new(Keep::default()),
    };
    let task = RwSignal::new(Task::None);
    let changed = Callback::new(move |next: Task| {
        task.set(next);
        found.refetch();
    });
    let form = move || match task.get() {
        Task::None => ().into_any(),
        Task::Begin => begin(t, task),
        Task::Confirm(secret) => confirm(t, &secret, others, task, secured),
        Task::Keep(codes) => keep(t, codes, task),
        Task::Renew => with_code(
            t,
            t.account().recovery_renew,
            renew_recovery_codes,
            move |codes| {
                changed.run(Task::Keep(codes));
            },
        ),
        Task::End => end(t, changed),
        Task::AddPasskey => new_passkey(t, others, task, changed, secured),
        Task::EndPasskey(passkey) => old_passkey(t, &passkey, task, changed),
    };
    let content = move |found: Memo<Option<SecondFactor>>| {
        let has_password = Memo::new(move |_| found.with(Option::is_some));
        let state = move || found.get().map(|found| state(t, &found, task));
        let rest = move || {
            if has_password.get() {
                view! {
                    {state}
                    <div class="stack" aria-live="polite">{form}</div>
                }
                .into_any()
            } else {
                view! { <p>{t.account().second_factor_needs_password}</p> }.into_any()
            }
        };
        view! {
            <section class="card" aria-labelledby="factor-title">
                <div class="card-head"><h2 id="factor-title">{t.account().second_factor}</h2></div>
                <div class="card-body">
                    <p class="muted">{t.account().second_factor_text}</p>
                    {rest}
                </div>
            </section>
        }
        .into_any()
    };
    live(found, block_skeleton, content)
}

/// The app, the passkeys, and the recovery codes that are left.
fn state(t: &'static Texts, found: &SecondFactor, task: RwSignal<Task>) -> AnyView {
    let button = move |label: String, next: Task| {
        let next = StoredValue::new(next);
        view! {
            <button type="button" class="button" on:click=move |_| task.set(next.get_value())>
                {label}
            </button>
        }
    };
    let app = match found.since {
        None => view! {
            {badge(Tone::Neutral, t.account().second_factor_off)}
            {button(t.second_factor_begin.to_owned(), Task::Begin)}
        }
        .into_any(),
        Some(since) => view! {
            {badge(Tone::Ok, t.account().second_factor_on)}
            <span class="hint">{fill(t.account().second_factor_since, &[("day", &day(since))])}</span>
            {button(t.account().second_factor_end.to_owned(), Task::End)}
        }
        .into_any(),
    };
    let none = found.passkeys.is_empty();
    let passkeys = found.passkeys.iter().map(|passkey| {
        let facts = match passkey.used_at {
            Some(used) => fill(t.account().passkey_used, &[("day", &day(used))]),
            None => fill(t.account().passkey_since, &[("day", &day(passkey.created_at))]),
        };
        let remove = fill(t.account().passkey_remove, &[("name", &passkey.name)]);
        view! {
            <li class="row-between">
                <span class="wrap-anywhere">{passkey.name.clone()} " " <span class="hint">{facts}</span></span>
                {button(remove, Task::EndPasskey(passkey.clone()))}
            </li>
        }
    });
    let few = found.recovery_codes < 3;
    let codes = count(
        found.recovery_codes,
        t.account().recovery_left_one,
        t.account().recovery_left_many,
    );
    let recovery = (found.since.is_some() || !none).then(|| {
        view! {
            <div class="row">
                {if few { badge(Tone::Warn, codes) } else { view! { <span class="hint">{codes}</span> }.into_any() }}
                {button(t.account().recovery_renew.to_owned(), Task::Renew)}
            </div>
        }
    });
    view! {
        <h3>{t.account().second_factor_app}</h3>
        <div class="row">{app}</div>
        <h3>{t.account().passkeys}</h3>
        {none.then(|| view! { <p class="hint">{t.account().passkeys_none}</p> })}
        {(!none).then(|| view! { <ul class="card-rows">{passkeys.collect_view()}</ul> })}
        <div class="row">{button(t.account().passkey_add.to_owned(), Task::AddPasskey)}</div>
        {recovery}
    }
    .into_any()
}

/// A button that leaves the task.
fn cancel(t: &'static Texts, task: RwSignal<Task>) -> AnyView {
    view! {
        <button type="button" class="button button-quiet" on:click=move |_| task.set(Task::None)>
            {t.cancel}
        </button>
    }
    .into_any()
}

fn begin(t: &'static Texts, task: RwSignal<Task>) -> AnyView {
    let draft = Draft::new(json!({}));
    let send = |sent: Value| async move {
        let password = field(&sent, PASSWORD);
        begin_second_factor(password).await.map_err(at_password)
    };
    let then = move |secret| task.set(Task::Confirm(secret));
    let password = text(draft, PASSWORD, t.account().present_password).kind("password");
    Form::sending(draft, t.account().second_factor_show, send, then)
        .beside(cancel(t, task))
        .inline(password.view())
}

fn at_password(error: UiError) -> UiError {
    at(PASSWORD, error)
}

/// The refusal of the current password, at the field of a form.
pub(super) fn at(pointer: &str, error: UiError) -> UiError {
    let UiError::Invalid { fields } = error else {
        return error;
    };
    let own = |field: FieldError| FieldError::new(pointer, field.code, field.detail);
    UiError::Invalid {
        fields: fields.into_iter().map(own).collect(),
    }
}

fn confirm(
    t: &'static Texts,
    secret: &AppSecret,
    others: Others,
    task: RwSignal<Task>,
    secured: Callback<()>,
) -> AnyView {
    let side = secret.side + 2 * QUIET;
    let squares = format!("-{QUIET} -{QUIET} {side} {side}");
    let form = with_code(
        t,
        t.second_factor_begin,
        move |code| confirm_second_factor(code, others.keep.get_untracked()),
        move |codes| {
            task.set(Task::Keep(codes));
            let _ = others.keep.try_set(Keep::default());
            secured.try_run(());
        },
    );
    view! {
        <p>{t.account().second_factor_scan}</p>
        <svg class="qr" viewBox=squares role="img" aria-label=t.account().second_factor_qr>
            <path d=secret.squares.clone() />
        </svg>
        <p>{t.account().second_factor_type} " " {copyable(secret.secret.clone(), t.account().second_factor_secret)}</p>
        {others.view()}
        {form}
    }
    .into_any()
}

fn keep(t: &'static Texts, codes: Vec<String>, task: RwSignal<Task>) -> AnyView {
    let codes = Signal::stored(codes.join("\n"));
    view! {
        {notice(Tone::Warn, t.account().recovery_text)}
        {code_block(codes, t.account().recovery_codes)}
        <div class="row">
            <button
                type="button"
                class="button button-primary"
                on:click=move |_| task.set(Task::None)
            >
                {t.account().recovery_kept}
            </button>
        </div>
    }
    .into_any()
}

fn end(t: &'static Texts, changed: Callback<Task>) -> AnyView {
    let toasts = toasts();
    with_code(
        t,
        t.account().second_factor_end,
        end_second_factor,
        move |()| {
            toasts.done(t.account().second_factor_ended);
            changed.run(Task::None);
        },
    )
}

fn new_passkey(
    t: &'static Texts,
    others: Others,
    task: RwSignal<Task>,
    changed: Callback<Task>,
    secured: Callback<()>,
) -> AnyView {
    let toasts = toasts();
    let draft = Draft::new(json!({}));
    let send = move |sent: Value| async move {
        let options = begin_passkey(field(&sent, PASSWORD)).await;
        let credential = passkeys::make(&options.map_err(at_password)?).await?;
        let keep = others.keep.get_untracked();
        add_passkey(field(&sent, "/name"), credential, keep).await
    };
    let then = move |codes: Vec<String>| {
        toasts.done(t.account().passkey_added);
        if codes.is_empty() {
            changed.run(Task::None);
        } else {
            changed.run(Task::Keep(codes));
            let _ = others.keep.try_set(Keep::default());
            secured.try_run(());
        }
    };
    let name = text(draft, "/name", t.account().passkey_name).hint(t.account().passkey_name_hint);
    let password = text(draft, PASSWORD, t.account().present_password).kind("password");
    Form::sending(draft, t.account().passkey_add, send, then)
        .beside(cancel(t, task))
        .inline(view! { {name.view()} {password.view()} {others.view()} }.into_any())
}

fn old_passkey(
    t: &'static Texts,
    passkey: &Passkey,
    task: RwSignal<Task>,
    changed: Callback<Task>,
) -> AnyView {
    let toasts = toasts();
    let draft = Draft::new(json!({}));
    let id = passkey.id.clone();
    let send = move |sent: Value| {
        let id = id.clone();
        async move {
            let ended = end_passkey(id, field(&sent, PASSWORD)).await;
            ended.map_err(at_password)
        }
    };
    let then = move |()| {
        toasts.done(t.account().passkey_removed);
        changed.run(Task::None);
    };
    let password = text(draft, PASSWORD, t.account().present_password).kind("password");
    view! {
        <p class="wrap-anywhere">{fill(t.account().passkey_remove, &[("name", &passkey.name)])}</p>
        {Form::sending(draft, t.remove, send, then).beside(cancel(t, task)).inline(password.view())}
    }
    .into_any()
}

/// A form that sends a code.
fn with_code<T, F>(
    t: &'static Texts,
    label: &'static str,
    send: impl Fn(String) -> F + Copy + Send + Sync + 'static,
    then: impl Fn(T) + Clone + Send + Sync + 'static,
) -> AnyView
where
    F: Future<Output = Result<T, UiError>> + 'static,
    T: 'static,
{
    let draft = Draft::new(json!({}));
    let send = move |sent: Value| send(field(&sent, "/code"));
    let code = text(draft, "/code", t.code).hint(t.code_hint);
    Form::sending(draft, label, send, then).inline(code.view())
}

pub(super) fn field(sent: &Value, pointer: &str) -> String {
    let field = sent.pointer(pointer).and_then(Value::as_str);
    field.unwrap_or_default().to_owned()
}
