//! Sessions of an account.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::device::device_name;
use crate::components::dialog::confirm;
use crate::components::following::following;
use crate::components::layout::{Tone, badge};
use crate::components::loading::{error_message, live, table_skeleton};
use crate::components::table::show_all;
use crate::components::time::ago;
use crate::components::toast::toasts;
use crate::fns::account::{SessionRow, end_other_sessions, end_session, list_sessions};
use crate::i18n::texts;

/// Sessions that are shown before one asks for all.
const FIRST: usize = 6;

/// `secured` runs when a session was ended here; `ended` changes with whatever ends some.
pub fn card(ended: RwSignal<u32>, secured: Callback<()>) -> AnyView {
    let t = texts();
    let toasts = toasts();
    let found = following(move || ended.get(), |_| list_sessions());
    let all = RwSignal::new(false);
    let refresh = Callback::new(move |()| found.refetch());
    let end = Callback::new(move |id: String| {
        spawn_local(async move {
            match end_session(id).await {
                Ok(()) => {
                    toasts.done(t.account().session_ended);
                    secured.try_run(());
                }
                Err(error) => {
                    toasts.problem(error_message(t, &error));
                    refresh.try_run(());
                }
            }
        });
    });
    let end_others = move || {
        spawn_local(async move {
            match end_other_sessions().await {
                Ok(()) => {
                    toasts.done(t.account().sessions_ended);
                    secured.try_run(());
                }
                Err(error) => {
                    toasts.problem(error_message(t, &error));
                    refresh.try_run(());
                }
            }
        });
    };
    let ask = confirm(
        t.account().end_others,
        t.account().end_others_text,
        t.account().end_others,
        true,
        end_others,
    );
    let content = live(
        found,
        table_skeleton,
        move |sessions: Memo<Vec<SessionRow>>| {
            let total = Memo::new(move |_| sessions.with(Vec::len));
            let shown = move || {
                let mut sessions = sessions.get();
                // This one first: it is the measure for the others.
                sessions.sort_by_key(|session| !session.current);
                sessions.truncate(if all.get() { usize::MAX } else { FIRST });
                sessions
            };
            let ask = ask.clone();
            let others = move || {
                let ask = ask.clone();
                (total.get() > 1).then(|| {
                    view! {
                        <button type="button" class="button" on:click=move |_| ask()>
                            {t.account().end_others}
                        </button>
                    }
                })
            };
            view! {
            <ul class="card-rows">
                <For each=shown key=|session| (session.id.clone(), session.last_used_at) let:session>
                    {row(&session, end)}
                </For>
            </ul>
            <div class="row">{move || show_all(t, total.get(), FIRST, all)} {others}</div>
        }
        .into_any()
        },
    );
    view! {
        <section class="card" aria-labelledby="sessions-title">
            <div class="card-head"><h2 id="sessions-title">{t.account().sessions}</h2></div>
            <div class="card-body">
                <p class="muted">{t.account().sessions_text}</p>
                {content}
            </div>
        </section>
    }
    .into_any()
}

fn row(session: &SessionRow, end: Callback<String>) -> AnyView {
    let t = texts();
    let name =
        device_name(&session.device).unwrap_or_else(|| t.account().unknown_device.to_owned());
    let label = format!("{}: {name}", t.account().end_session);
    let id = session.id.clone();
    let action = if session.current {
        badge(Tone::Ok, t.account().this_session)
    } else {
        view! {
            <button
                type="button"
                class="button button-small"
                aria-label=label
                on:click=move |_| end.run(id.clone())
            >
                {t.account().end_session}
            </button>
        }
        .into_any()
    };
    view! {
        <li class="row-between">
            <div class="grow">
                <p class="strong wrap-anywhere" title=session.device.clone()>{name}</p>
                <p class="row">
                    <span class="hint">{t.account().signed_in_at} " " {ago(session.created_at)}</span>
                    <span class="hint">{t.last_used} " " {ago(session.last_used_at)}</span>
                </p>
            </div>
            {action}
        </li>
    }
    .into_any()
}
