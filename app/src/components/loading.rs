//! Placeholders for data: a skeleton while it loads, an error with a retry when it does not come.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::{Serialize, de::DeserializeOwned};

use super::layout::{Tone, notice};
use crate::address::sign_in_path;
use crate::error::UiError;
use crate::i18n::{Texts, count, texts, words};
use crate::icon::{Icon, icon};
use crate::map::Page;
use crate::session::sign_in_again;

/// The text of an error for people.
pub fn error_message(t: &'static Texts, error: &UiError) -> String {
    match error {
        UiError::SignedOut => t.error_signed_out.to_owned(),
        UiError::Forbidden => t.error_forbidden.to_owned(),
        UiError::NotFound => t.error_not_found.to_owned(),
        UiError::Invalid { .. } => t.error_invalid.to_owned(),
        UiError::Conflict => t.error_conflict.to_owned(),
        UiError::Refused { code, detail, .. } => {
            words(t, *code).map_or_else(|| detail.clone(), str::to_owned)
        }
        UiError::Busy => t.error_busy.to_owned(),
        UiError::TooMany { seconds } => count(
            seconds.div_ceil(60).max(1),
            t.error_too_often_minute,
            t.error_too_often_minutes,
        ),
        UiError::QueueFull { .. } => t.error_queue_full.to_owned(),
        UiError::Failed => t.error_failed.to_owned(),
        UiError::Unreachable => t.error_unreachable.to_owned(),
        UiError::NoPasskey => t.passkey_failed.to_owned(),
    }
}

/// The same with a link to sign in, if the session has ended. It opens another tab, so that nothing typed is lost.
pub fn error_with_way_out(t: &'static Texts, error: &UiError) -> AnyView {
    let link = (*error == UiError::SignedOut).then(|| {
        view! { " " <a href=sign_in_path(Page::Projects.path()) target="_blank">{t.sign_in}</a> }
    });
    view! { {error_message(t, error)} {link} }.into_any()
}

/// Says why something was refused, unless fields say it.
pub fn error_notice(error: Signal<Option<UiError>>) -> AnyView {
    let t = texts();
    let view = move || {
        let error = error.get().filter(|error| error.fields().is_empty())?;
        let text = error_with_way_out(t, &error);
        Some(view! { <div role="alert">{notice(Tone::Danger, text)}</div> })
    };
    view! { {view} }.into_any()
}

/// Shows a resource: skeleton, error with retry, or its value.
pub fn loaded<T>(
    resource: Resource<Result<T, UiError>>,
    skeleton: fn() -> AnyView,
    render: impl Fn(T) -> AnyView + Send + Sync + 'static,
) -> AnyView
where
    T: Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
{
    let render = StoredValue::new(render);
    let retry = Callback::new(move |()| resource.refetch());
    let content = move || {
        Suspend::new(async move {
            match resource.await {
                Ok(value) => render.with_value(|render| render(value)),
                Err(error) => error_state(&error, Some(retry)),
            }
        })
    };
    view! { <Transition fallback=skeleton>{content}</Transition> }.into_any()
}

/// Shows a view beside a resource's, where `allows` says so of the value; nothing until it is there.
pub fn shown_if<T>(
    resource: Resource<Result<T, UiError>>,
    allows: fn(&T) -> bool,
    render: impl Fn() -> AnyView + Copy + Send + Sync + 'static,
) -> AnyView
where
    T: Clone + Send + Sync + Serialize + DeserializeOwned + 'static,
{
    let content = move || {
        Suspend::new(async move {
            let value = resource.await;
            value.is_ok_and(|value| allows(&value)).then(render)
        })
    };
    view! { <Transition fallback=|| ()>{content}</Transition> }.into_any()
}

/// The same for what is read again while one looks at it. It is rendered once and follows the value,
/// so that what is open stays open and the focus stays where it is. A reading that did not succeed leaves the last
/// value under a notice.
pub fn live<T>(
    resource: Resource<Result<T, UiError>>,
    skeleton: fn() -> AnyView,
    render: impl Fn(Memo<T>) -> AnyView + Send + Sync + 'static,
) -> AnyView
where
    T: Clone + PartialEq + Send + Sync + Serialize + DeserializeOwned + 'static,
{
    let render = StoredValue::new(render);
    let retry = Callback::new(move |()| resource.refetch());
    let content = async move {
        // The server must not write the page before it has the value. A signal that follows the resource
        // may still be empty when the transition already knows that the value came.
        let first = resource.await;
        let found = Memo::new(move |_| resource.get().unwrap_or_else(|| first.clone()));
        let error = Memo::new(move |_| found.with(|found| found.as_ref().err().cloned()));
        let value = Memo::new(move |last: Option<&Option<T>>| match found.get() {
            Ok(value) => Some(value),
            // The next reading may succeed, and nobody wants to lose the page meanwhile.
            Err(error) if error.may_pass() => last.cloned().flatten(),
            Err(_) => None,
        });
        let is_there = Memo::new(move |_| value.with(Option::is_some));
        move || {
            if !is_there.get() {
                return error.get().map(|error| error_state(&error, Some(retry)));
            }
            let first = value.get_untracked()?;
            // The last value stays until the error takes the place of all this.
            let value = Memo::new(move |last: Option<&T>| {
                value
                    .get()
                    .unwrap_or_else(|| last.unwrap_or(&first).clone())
            });
            let missed = move || {
                error.get().map(|error| {
                    let text = error_message(texts(), &error);
                    view! { <div role="status">{notice(Tone::Warn, text)}</div> }
                })
            };
            let shown = render.with_value(|render| render(value));
            Some(view! { {missed} {shown} }.into_any())
        }
    };
    // Untracked: what is around it would otherwise be rendered anew with each value.
    let content = untrack(|| Suspend::new(content));
    view! { <Transition fallback=skeleton>{content}</Transition> }.into_any()
}

/// Reads a resource again and again, while the page can be seen. For [`live`].
pub fn follow<T>(resource: Resource<T>, every: Duration)
where
    T: Send + Sync + Serialize + DeserializeOwned + 'static,
{
    Effect::new(move |_| {
        let read = move || {
            if !document().hidden() {
                resource.refetch();
            }
        };
        if let Ok(ticks) = set_interval_with_handle(read, every) {
            on_cleanup(move || ticks.clear());
        }
    });
}

/// Shows what a part of a page fetches that itself waits for data: skeleton, error with retry, or the value. Browsers
/// alone fetch it. The server would make a resource there twice, so that browsers look for its value under another
/// number.
pub fn fetched<I, T, F>(
    input: Memo<I>,
    skeleton: fn() -> AnyView,
    fetch: impl Fn(I) -> F + Copy + Send + Sync + 'static,
    render: impl Fn(T) -> AnyView + Send + Sync + 'static,
) -> AnyView
where
    I: Clone + PartialEq + Send + Sync + 'static,
    T: Clone + Send + Sync + 'static,
    F: Future<Output = Result<T, UiError>> + 'static,
{
    let found = RwSignal::new(None::<Result<T, UiError>>);
    let asked = StoredValue::new(0_u32);
    let ask = move |input: I| {
        let number = asked.get_value() + 1;
        asked.set_value(number);
        spawn_local(async move {
            let answer = fetch(input).await;
            // Another question came after it, or the page is gone.
            if asked.try_get_value() == Some(number) {
                let _ = found.try_set(Some(answer));
            }
        });
    };
    Effect::new(move |_| ask(input.get()));
    let again = Callback::new(move |()| {
        found.set(None);
        ask(input.get_untracked());
    });
    let render = StoredValue::new(render);
    let content = move || match found.get() {
        None => skeleton(),
        Some(Ok(value)) => render.with_value(|render| render(value)),
        Some(Err(error)) => error_state(&error, Some(again)),
    };
    view! { {content} }.into_any()
}

/// A block that says what went wrong.
pub fn error_state(error: &UiError, retry: Option<Callback<()>>) -> AnyView {
    let t = texts();
    if *error == UiError::SignedOut {
        sign_in_again();
    }
    respond_with(error);
    let title = if *error == UiError::NotFound {
        t.not_found_title
    } else {
        t.error_title
    };
    let again = error.may_pass().then_some(retry).flatten().map(|retry| {
        view! {
            <button type="button" class="button" on:click=move |_| retry.run(())>
                {t.try_again}
            </button>
        }
    });
    view! {
        <div class="card empty" role="alert">
            {icon(Icon::Warning)}
            <h2>{title}</h2>
            <p>{error_message(t, error)}</p>
            <div class="row">
                {again}
                <a class="button button-quiet" href=Page::Projects.path()>{t.to_projects}</a>
            </div>
        </div>
    }
    .into_any()
}

/// The page's HTTP status follows the error, so that programs and caches see it too.
fn respond_with(error: &UiError) {
    #[cfg(feature = "ssr")]
    if let Some(response) = use_context::<leptos_axum::ResponseOptions>() {
        response.set_status(crate::fns::server::status_of(error));
    }
    #[cfg(not(feature = "ssr"))]
    let _ = error;
}

/// Skeleton of a table.
pub fn table_skeleton() -> AnyView {
    view! {
        <div class="card card-pad stack" aria-hidden="true">
            <div class="skeleton skeleton-line"></div>
            <div class="skeleton skeleton-line"></div>
            <div class="skeleton skeleton-line"></div>
            <div class="skeleton skeleton-line"></div>
        </div>
    }
    .into_any()
}

/// Skeleton of a form or a text.
pub fn block_skeleton() -> AnyView {
    view! {
        <div class="stack" aria-hidden="true">
            <div class="skeleton skeleton-line"></div>
            <div class="skeleton skeleton-block"></div>
        </div>
    }
    .into_any()
}

/// An empty list: its purpose, and how to begin.
pub fn empty_state(
    picture: Icon,
    title: &'static str,
    text: &'static str,
    action: AnyView,
) -> AnyView {
    view! {
        <div class="empty">
            {icon(picture)}
            <h2>{title}</h2>
            <p>{text}</p>
            <div class="row">{action}</div>
        </div>
    }
    .into_any()
}
