//! Webhooks of a project: the list, and one with its deliveries. A project has at most 20 webhooks, fewer than a page, so
//! that their list needs no search.

use domain::webhook::{DeliveryStatus, NoAnswer, Topic};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_meta::Title;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_params_map, use_query_map};
use serde_json::{Value, json};

use super::project_id;
use crate::address::address;
use crate::components::copy::{code_block, copyable};
use crate::components::dialog::{confirm, dialog};
use crate::components::draft::Draft;
use crate::components::field::{select, switch, text};
use crate::components::following::following;
use crate::components::form::Form;
use crate::components::layout::{Tone, badge, crumbs, notice, page_head};
use crate::components::listing::{Shown, listing_of_address};
use crate::components::loading::{
    block_skeleton, empty_state, error_message, live, loaded, table_skeleton,
};
use crate::components::table::{page_of_address, pages};
use crate::components::time::ago;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::listing::Listing;
use crate::fns::webhooks::{
    Attempt, Delivery, DeliveryPage, Hook, HookData, HookPage, HookWish, create_hook, delete_hook,
    list_deliveries, list_hooks, read_hook, retry_delivery, rotate_hook, test_hook, update_hook,
};
use crate::i18n::{ListingTexts, Texts, count, fill, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

pub fn list() -> AnyView {
    let t = texts();
    let project = project_id();
    let page = page_of_address();
    let found = following(
        move || (project.get(), page.get()),
        |(project, page)| list_hooks(project, page),
    );
    let open = RwSignal::new(false);
    let made = RwSignal::new(None::<(String, String)>);
    let new = move || {
        view! {
            <button
                type="button"
                class="button button-primary"
                on:click=move |_| {
                    made.set(None);
                    open.set(true);
                }
            >
                {icon(Icon::Plus)}
                {t.webhooks().new_webhook}
            </button>
        }
        .into_any()
    };
    let content = loaded(found, table_skeleton, move |page: HookPage| {
        if page.total == 0 {
            let action = if page.can_edit { new() } else { ().into_any() };
            return view! {
                <div class="card">
                    {empty_state(Icon::Bolt, t.webhooks().no_webhooks_title, t.webhooks().no_webhooks_text, action)}
                </div>
            }
            .into_any();
        }
        let project = project.get_untracked();
        let base = Page::Webhooks.at(&[&project]);
        let rows = page
            .items
            .iter()
            .map(|hook| hook_row(t, &project, hook))
            .collect_view();
        view! {
            {page.can_edit.then(|| view! { <div class="row">{new()}</div> })}
            <section class="card" aria-label=t.webhooks>
                <div class="card-body"><ul class="card-rows">{rows}</ul></div>
                {pages(page.page, page.per_page, page.total, &base)}
            </section>
        }
        .into_any()
    });
    let refresh = Callback::new(move |()| found.refetch());
    let send = move |wish: HookWish| async move {
        let answer = create_hook(project.get_untracked(), wish).await?;
        let _ = made.try_set(Some(answer));
        refresh.try_run(());
        Ok(())
    };
    let form = move || match made.get() {
        Some((id, secret)) => {
            let href = Page::Webhook.at(&[&project.get_untracked(), &id]);
            let on =
                view! { <a class="button button-primary" href=href>{t.webhooks().see_webhook}</a> };
            secret_once(t, secret, on.into_any())
        }
        None => wish_form(first_wish(), t.add, Some(open), send),
    };
    view! {
        <div class="page">
            {page_head(t.webhooks, t.webhooks().webhooks_text, ())}
            {dialog(open, t.webhooks().new_webhook, false, move || view! { {form} }.into_any())}
            <div class="stack">{content}</div>
        </div>
    }
    .into_any()
}

/// The first values of a new webhook.
fn first_wish() -> Value {
    json!({"method": "POST", "topic": Topic::Consent, "url": "", "active": true})
}

fn topic_name(t: &'static Texts, topic: Topic) -> &'static str {
    match topic {
        Topic::Consent => t.webhooks().topic_consent,
        Topic::Publish => t.webhooks().topic_publish,
    }
}

/// The state of a webhook.
fn hook_state(t: &'static Texts, hook: &Hook) -> AnyView {
    match (hook.active, hook.inactive_reason.as_deref()) {
        (true, _) if hook.failing_since.is_some() => {
            badge(Tone::Warn, t.webhooks().hook_struggling)
        }
        (true, _) => badge(Tone::Ok, t.webhooks().hook_active),
        (false, Some("gone")) => badge(Tone::Danger, t.webhooks().hook_gone),
        (false, Some(_)) => badge(Tone::Danger, t.webhooks().hook_failing),
        (false, None) => badge(Tone::Neutral, t.webhooks().hook_off),
    }
}

fn status_name(t: &'static Texts, status: DeliveryStatus) -> &'static str {
    match status {
        DeliveryStatus::Waiting => t.status_waiting,
        DeliveryStatus::Delivered => t.webhooks().delivered,
        DeliveryStatus::Failed => t.webhooks().given_up,
    }
}

fn status_badge(t: &'static Texts, status: &str) -> AnyView {
    let status = DeliveryStatus::parse(status).unwrap_or(DeliveryStatus::Waiting);
    let tone = match status {
        DeliveryStatus::Waiting => Tone::Accent,
        DeliveryStatus::Delivered => Tone::Ok,
        DeliveryStatus::Failed => Tone::Danger,
    };
    badge(tone, status_name(t, status))
}

fn hook_row(t: &'static Texts, project: &str, hook: &Hook) -> AnyView {
    let last = match hook.last.clone() {
        Some((status, at)) => view! {
            <span class="hint">{t.webhooks().last_delivery} " " {ago(at)}</span>
            {status_badge(t, &status)}
        }
        .into_any(),
        None => view! { <span class="hint">{t.webhooks().no_delivery_yet}</span> }.into_any(),
    };
    view! {
        <li class="stack-tight">
            <div class="row-between">
                <a class="strong wrap-anywhere grow" href=Page::Webhook.at(&[&project, &hook.id])>
                    {hook.url.clone()}
                </a>
                {hook_state(t, hook)}
            </div>
            <p class="row">
                <code class="muted">{hook.method.clone()}</code>
                <span class="hint">{topic_name(t, hook.topic)}</span>
                {last}
            </p>
        </li>
    }
    .into_any()
}

/// The key of signatures, which is shown this once.
fn secret_once(t: &'static Texts, secret: String, on: AnyView) -> AnyView {
    view! {
        <div class="dialog-body">
            <div role="status">{notice(Tone::Warn, t.webhooks().hook_secret_once)}</div>
            {code_block(Signal::stored(secret), t.webhooks().hook_secret)}
            <p class="hint">{t.webhooks().hook_secret_how}</p>
        </div>
        <div class="dialog-foot">{on}</div>
    }
    .into_any()
}

/// Describes a webhook; in a dialog, or on its page.
fn wish_form<F>(
    start: Value,
    label: &'static str,
    in_dialog: Option<RwSignal<bool>>,
    send: impl Fn(HookWish) -> F + Send + Sync + 'static,
) -> AnyView
where
    F: Future<Output = Result<(), UiError>> + 'static,
{
    let t = texts();
    let draft = Draft::new(start);
    let send = move |sent: Value| send(wish_of(&sent));
    let methods =
        ["POST", "PUT", "PATCH", "DELETE", "GET"].map(|it| (it.to_owned(), it.to_owned()));
    let topics = Topic::ALL.iter().map(|topic| {
        let label = topic_name(t, *topic);
        (topic.as_str().to_owned(), label.to_owned())
    });
    let fields = view! {
        {text(draft, "/url", t.webhooks().hook_url).kind("url").example("https://shop.example/hooks").hint(t.webhooks().hook_url_hint).view()}
        <div class="form-pair">
            {select(draft, "/topic", t.webhooks().hook_topic, topics.collect(), None)}
            {select(draft, "/method", t.webhooks().hook_method, methods.into(), None)}
        </div>
    };
    let form = Form::sending(draft, label, send, |()| ());
    if let Some(open) = in_dialog {
        form.dialog(open, fields.into_any())
    } else {
        let hint = Some(t.webhooks().hook_is_active_hint);
        let active = switch(draft, "/active", t.webhooks().hook_active, hint, true);
        form.view(view! { {fields} {active} }.into_any())
    }
}

fn wish_of(draft: &Value) -> HookWish {
    let text = |key: &str| {
        let text = draft.get(key).and_then(Value::as_str);
        text.unwrap_or_default().trim().to_owned()
    };
    HookWish {
        method: text("method"),
        url: text("url"),
        // The field offers each of them.
        topic: Topic::parse(&text("topic")).unwrap_or(Topic::Consent),
        active: draft.get("active").and_then(Value::as_bool).unwrap_or(true),
    }
}

pub fn one() -> AnyView {
    let t = texts();
    let project = project_id();
    let params = use_params_map();
    let hook = Memo::new(move |_| params.with(|params| params.get("webhook").unwrap_or_default()));
    let query = use_query_map();
    let status = Memo::new(move |_| query.with(|query| query.get("status").unwrap_or_default()));
    let listing = listing_of_address();
    let found = following(
        move || (project.get(), hook.get()),
        |(project, hook)| read_hook(project, hook),
    );
    let deliveries = following(
        move || (hook.get(), status.get(), listing.get()),
        |(hook, status, listing)| list_deliveries(hook, status, listing),
    );
    let here = Here {
        t,
        project,
        hook,
        changed: Callback::new(move |()| found.refetch()),
        delivered: Callback::new(move |()| deliveries.refetch()),
    };
    let content = live(found, block_skeleton, move |data: Memo<HookData>| {
        let can_edit = Memo::new(move |_| data.with(|data| data.can_edit));
        let list = live(
            deliveries,
            table_skeleton,
            move |found: Memo<DeliveryPage>| delivery_list(here, can_edit, status, listing, found),
        );
        let shown = Memo::new(move |_| data.with(|data| data.hook.id.clone()));
        let settings = move || {
            // Going back may lead from one webhook to another, whose form begins with its own values.
            shown.track();
            can_edit
                .get()
                .then(|| data.with_untracked(|data| settings(here, &data.hook)))
        };
        view! {
            {move || data.with(|data| head(here, data))}
            <section class="card" aria-labelledby="deliveries-title">
                <div class="card-head">
                    <h2 id="deliveries-title">{t.webhooks().deliveries}</h2>
                    <button type="button" class="button button-small" on:click=move |_| deliveries.refetch()>
                        {t.webhooks().look_again}
                    </button>
                </div>
                {list}
            </section>
            {settings}
        }
        .into_any()
    });
    view! { <div class="page">{content}</div> }.into_any()
}

/// Data that the parts of a webhook's page share.
#[derive(Clone, Copy)]
struct Here {
    t: &'static Texts,
    project: Memo<String>,
    hook: Memo<String>,
    changed: Callback<()>,
    delivered: Callback<()>,
}

fn head(here: Here, data: &HookData) -> AnyView {
    let Here { t, project, .. } = here;
    let toasts = toasts();
    let id = data.hook.id.clone();
    let test = move |_| {
        let id = id.clone();
        spawn_local(async move {
            match test_hook(id).await {
                Ok(()) => toasts.done(t.webhooks().test_sent),
                Err(error) => toasts.problem(error_message(t, &error)),
            }
            here.delivered.try_run(());
        });
    };
    let active = data.hook.active;
    let actions = data.can_edit.then(|| {
        view! {
            <button type="button" class="button" disabled=!active on:click=test>
                {t.webhooks().send_test}
            </button>
        }
    });
    let why = match (active, data.hook.inactive_reason.as_deref()) {
        (false, Some("gone")) => Some(notice(Tone::Danger, t.webhooks().hook_gone_text)),
        (false, Some(_)) => Some(notice(Tone::Danger, t.webhooks().hook_failing_text)),
        _ => None,
    };
    let base = Page::Webhooks.at(&[&project.get_untracked()]);
    let what = view! {
        <span class="row">
            {hook_state(t, &data.hook)}
            <span>{topic_name(t, data.hook.topic)}</span>
            {copyable(data.hook.id.clone(), t.webhooks().webhook_id)}
        </span>
    };
    view! {
        <Title text=data.hook.url.clone() />
        <div class="stack-tight">
            {crumbs(vec![(base, t.webhooks.to_owned())], data.hook.url.clone())}
            {page_head(data.hook.url.clone(), what, actions)}
        </div>
        {why}
    }
    .into_any()
}

fn delivery_list(
    here: Here,
    can_edit: Memo<bool>,
    status: Memo<String>,
    listing: Memo<Listing>,
    found: Memo<DeliveryPage>,
) -> AnyView {
    let Here {
        t, project, hook, ..
    } = here;
    let base = Memo::new(move |_| Page::Webhook.at(&[&project.get(), &hook.get()]));
    let filters = move || {
        let (base, status) = (base.get(), status.get());
        let each = DeliveryStatus::ALL.iter();
        let each = each.map(|status| (status.as_str(), status_name(t, *status)));
        std::iter::once(("", t.any_outcome))
            .chain(each)
            .map(|(value, label)| {
                let href = address(&base, &[("status", value)]);
                let chosen = value == status;
                view! { <a href=href aria-current=chosen.then_some("page")>{label}</a> }
            })
            .collect_view()
    };
    // The rows stay when these numbers change, and so does what is open in them.
    let size = Memo::new(move |_| found.with(|found| (found.per_page, found.total)));
    let part = move |part: fn(&Shown<'_>) -> Option<AnyView>| {
        let ((per_page, total), listing) = (size.get(), listing.get());
        let base = base.get();
        part(&Shown {
            base: &base,
            listing: &listing,
            kept: vec![("status", known_status(&status.get()))],
            per_page,
            total,
        })
    };
    let none = Memo::new(move |_| size.get().1 == 0);
    let rows = move || {
        if none.get() {
            return ().into_any();
        }
        view! {
            <div class="card-body">
                <ul class="card-rows">
                    <For
                        each=move || found.with(|found| found.items.clone())
                        key=|delivery| delivery.id.clone()
                        let:delivery
                    >
                        {delivery_row(here, can_edit, found, delivery)}
                    </For>
                </ul>
            </div>
        }
        .into_any()
    };
    view! {
        <nav class="tabs tabs-inset" aria-label=t.filter>{filters}</nav>
        {move || part(search)}
        {move || part(nothing)}
        {rows}
        {move || part(foot)}
    }
    .into_any()
}

/// The state of deliveries that an address names, if it names one.
fn known_status(word: &str) -> &'static str {
    DeliveryStatus::parse(word).map_or("", DeliveryStatus::as_str)
}

fn search(list: &Shown<'_>) -> Option<AnyView> {
    let search = list.search_by_time(ListingTexts::of_this_page().search_deliveries)?;
    Some(view! { <div class="card-pad">{search}</div> }.into_any())
}

fn foot(list: &Shown<'_>) -> Option<AnyView> {
    list.pages()
}

/// The words in place of rows.
fn nothing(list: &Shown<'_>) -> Option<AnyView> {
    let w = texts().webhooks();
    if list.total > 0 {
        return None;
    }
    if list.is_searched() {
        return Some(list.nothing_fits());
    }
    let is_narrowed = list.kept.iter().any(|(_, value)| !value.is_empty());
    let text = if is_narrowed {
        w.no_delivery_fits
    } else {
        w.no_deliveries_text
    };
    let title = w.no_deliveries_title;
    Some(empty_state(Icon::Bolt, title, text, ().into_any()))
}

fn delivery_row(
    here: Here,
    can_edit: Memo<bool>,
    found: Memo<DeliveryPage>,
    delivery: Delivery,
) -> AnyView {
    let Here { t, hook, .. } = here;
    let toasts = toasts();
    let id = delivery.id.clone();
    let again = move |_| {
        let (hook, id) = (hook.get_untracked(), id.clone());
        spawn_local(async move {
            match retry_delivery(hook, id).await {
                Ok(()) => toasts.done(t.webhooks().sent_again),
                Err(error) => toasts.problem(error_message(t, &error)),
            }
            here.delivered.try_run(());
        });
    };
    let now = {
        let delivery = delivery.clone();
        Memo::new(move |_| {
            let same = |one: &&Delivery| one.id == delivery.id;
            let now = found.with(|found| found.items.iter().find(same).cloned());
            now.unwrap_or_else(|| delivery.clone())
        })
    };
    let state = move || now.with(|now| status_badge(t, &now.status));
    let tries = move || {
        now.with(|now| {
            count(
                now.attempts.len() as u64,
                t.webhooks().n_try,
                t.webhooks().n_tries,
            )
        })
    };
    let attempts = move || {
        let rows = |now: &Delivery| {
            let attempts = now.attempts.iter();
            attempts
                .map(|attempt| attempt_row(t, attempt))
                .collect_view()
        };
        now.with(rows)
    };
    let label = format!("{}: {}", t.webhooks().send_once_more, delivery.kind);
    let again = move || {
        let (again, label) = (again.clone(), label.clone());
        can_edit.get().then(|| {
            view! {
                <button type="button" class="button button-small" aria-label=label on:click=again>
                    {t.webhooks().send_once_more}
                </button>
            }
        })
    };
    view! {
        <li class="stack-tight">
            <div class="row-between">
                <p class="row grow">
                    {state}
                    <code>{delivery.kind}</code>
                    <span class="hint">{ago(delivery.created_at)}</span>
                </p>
                {again}
            </div>
            <details>
                <summary class="hint">{tries}</summary>
                <ol class="stack-tight attempts">{attempts}</ol>
                <p class="hint">{t.webhooks().delivery_id} " " <code>{delivery.id}</code></p>
            </details>
        </li>
    }
    .into_any()
}

fn attempt_row(t: &'static Texts, attempt: &Attempt) -> AnyView {
    let w = t.webhooks();
    let answer = match (attempt.status, attempt.error) {
        (Some(status), _) => fill(w.answered, &[("status", &status.to_string())]),
        (None, Some(NoAnswer::Timeout)) => w.no_answer_in_time.to_owned(),
        (None, Some(NoAnswer::AddressRefused)) => w.address_refused.to_owned(),
        (None, Some(NoAnswer::NothingToTell)) => w.nothing_to_tell.to_owned(),
        (None, Some(NoAnswer::ServerFault)) => w.server_fault.to_owned(),
        (None, Some(NoAnswer::ConnectionFailed | NoAnswer::TooManyRedirects) | None) => {
            w.not_reached.to_owned()
        }
    };
    let said = attempt
        .answer
        .clone()
        .filter(|said| !said.trim().is_empty())
        .map(|said| view! { <pre class="said" tabindex="0">{said}</pre> });
    view! {
        <li>
            <p class="row">
                <span>{answer}</span>
                <span class="hint">{ago(attempt.at)}</span>
                <span class="hint figure">{format!("{} ms", attempt.latency_ms)}</span>
            </p>
            {said}
        </li>
    }
    .into_any()
}

fn settings(here: Here, hook: &Hook) -> AnyView {
    let Here { t, project, .. } = here;
    let toasts = toasts();
    let navigate = StoredValue::new(use_navigate());
    let start = json!({
        "method": hook.method,
        "topic": hook.topic,
        "url": hook.url,
        "active": hook.active,
    });
    // The address may be that of another webhook by the time somebody presses a button.
    let id = StoredValue::new(hook.id.clone());
    let send = move |wish: HookWish| async move {
        update_hook(project.get_untracked(), id.get_value(), wish).await?;
        toasts.done(t.saved);
        here.changed.try_run(());
        Ok(())
    };
    let secret = RwSignal::new(None::<String>);
    let shown = RwSignal::new(false);
    let rotate = move || {
        let hook = id.get_value();
        spawn_local(async move {
            match rotate_hook(hook).await {
                Ok(made) => {
                    if secret.try_set(Some(made)).is_none() {
                        shown.set(true);
                    }
                }
                Err(error) => toasts.problem(error_message(t, &error)),
            }
        });
    };
    let remove = move || {
        let (hook, base) = (
            id.get_value(),
            Page::Webhooks.at(&[&project.get_untracked()]),
        );
        spawn_local(async move {
            match delete_hook(hook).await {
                Ok(()) => {
                    toasts.done(t.webhook_deleted);
                    navigate.try_with_value(|navigate| navigate(&base, NavigateOptions::default()));
                }
                Err(error) => toasts.problem(error_message(t, &error)),
            }
        });
    };
    let ask_to_rotate = confirm(
        t.webhooks().rotate,
        t.webhooks().rotate_text,
        t.webhooks().rotate,
        false,
        rotate,
    );
    let (title, text) = (
        t.webhooks().delete_webhook,
        t.webhooks().delete_webhook_text,
    );
    let ask_to_remove = confirm(title, text, t.webhooks().delete_webhook, true, remove);
    let new_secret = move || {
        let done = view! {
            <button type="button" class="button button-primary" on:click=move |_| shown.set(false)>
                {t.done_button}
            </button>
        };
        secret_once(
            t,
            secret.get_untracked().unwrap_or_default(),
            done.into_any(),
        )
    };
    view! {
        {dialog(shown, t.webhooks().hook_secret, false, new_secret)}
        <section class="card" aria-labelledby="hook-settings">
            <div class="card-head"><h2 id="hook-settings">{t.settings}</h2></div>
            <div class="card-body">
                {wish_form(start, t.save, None, send)}
                <div class="row">
                    <button type="button" class="button" on:click=move |_| ask_to_rotate()>
                        {t.webhooks().rotate}
                    </button>
                    <button type="button" class="button" on:click=move |_| ask_to_remove()>
                        {t.webhooks().delete_webhook}
                    </button>
                </div>
            </div>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_webhook_is_what_was_written() {
        let draft = json!({"method": "PUT", "topic": "publish", "url": " https://a.example ", "active": false});
        let expected = HookWish {
            method: "PUT".to_owned(),
            url: "https://a.example".to_owned(),
            topic: Topic::Publish,
            active: false,
        };
        assert_eq!(wish_of(&draft), expected);
    }
}
