//! The subscription of an organization, and its invoices.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::{use_navigate, use_query_map};

use crate::components::following::following;
use crate::components::layout::{Tone, badge, busy_label, notice};
use crate::components::loading::{block_skeleton, error_message, fetched, loaded};
use crate::components::time::day;
use crate::components::toast::toasts;
use crate::error::UiError;
use crate::fns::billing::{
    Invoice, State, Subscription, checkout, portal, read_invoices, read_subscription,
};
use crate::i18n::{BillingTexts, fill, locale, texts};
use crate::icon::{Icon, icon};
use crate::map::Page;

use super::plans::{self, amount};

/// Stands in the address that the pages of the provider lead back to, before it has told the server of a change.
const FROM: &str = "from";

/// The subscription of an organization; `None` where the server has no billing.
pub type Found = Resource<Result<Option<Subscription>, UiError>>;

/// Reads the subscription. The browser asks for a fresh answer after the provider's pages: the page does not wait for it.
pub fn read(id: Memo<String>) -> Found {
    let query = use_query_map();
    let navigate = use_navigate();
    let fresh = RwSignal::new(false);
    Effect::new(move |_| {
        if query.with(|query| query.get(FROM).is_some()) {
            fresh.set(true);
            let options = NavigateOptions {
                replace: true,
                scroll: false,
                ..NavigateOptions::default()
            };
            navigate(&Page::Organization.at(&[&id.get_untracked()]), options);
        }
    });
    following(
        move || (id.get(), fresh.get()),
        |(id, fresh)| read_subscription(id, fresh),
    )
}

/// The card; nothing where the server has no billing.
pub fn card(found: Found, id: Memo<String>, is_owner: bool) -> AnyView {
    loaded(found, block_skeleton, move |found| {
        let Some(found) = found else {
            return ().into_any();
        };
        let w = BillingTexts::of_this_page();
        let shown = RwSignal::new(false);
        let invoices = move || {
            match (is_owner, shown.get()) {
            (false, _) => ().into_any(),
            (true, true) => invoice_list(id),
            (true, false) => view! {
                <div>
                    <button type="button" class="button button-small" on:click=move |_| shown.set(true)>
                        {w.show_invoices}
                    </button>
                </div>
            }
            .into_any(),
        }
        };
        view! {
            <section class="card" aria-labelledby="subscription-title">
                <div class="card-head">
                    <h2 id="subscription-title">{w.title}</h2>
                    {state(w, found.state)}
                </div>
                <div class="card-body">
                    {about(w, &found)}
                    {plans::list(w, &found)}
                    {if is_owner { actions(w, id, &found) } else { view! { <p class="muted">{w.owners_only}</p> }.into_any() }}
                    {invoices}
                </div>
            </section>
        }
        .into_any()
    })
}

fn state(w: &BillingTexts, state: State) -> AnyView {
    let (tone, word) = match state {
        State::None => (Tone::Neutral, w.none),
        State::Trialing => (Tone::Ok, w.trialing),
        State::Active => (Tone::Ok, w.active),
        State::PastDue => (Tone::Danger, w.past_due),
        State::Canceled => (Tone::Neutral, w.canceled),
    };
    badge(tone, word)
}

fn about(w: &BillingTexts, found: &Subscription) -> AnyView {
    let until = found.period_end.filter(|_| found.state.is_active());
    let until = until.map(|end| {
        let text = if found.ends { w.ends } else { w.renews };
        view! { <p>{fill(text, &[("day", &day(end))])}</p> }
    });
    let text = match found.state {
        State::PastDue => return notice(Tone::Danger, w.past_due_text),
        State::Trialing | State::Active => w.active_text.to_owned(),
        State::None | State::Canceled => return ().into_any(),
    };
    view! { <p>{text}</p> {until} }.into_any()
}

/// The buttons to the provider's pages.
fn actions(w: &'static BillingTexts, id: Memo<String>, found: &Subscription) -> AnyView {
    let subscribes = matches!(found.state, State::None | State::Canceled);
    // Without a subscription there is nothing to change.
    let manages = found.state != State::None;
    view! {
        <div class="row">
            {subscribes.then(|| leave(w.subscribe, true, move || checkout(id.get_untracked())))}
            {manages.then(|| leave(w.manage, !subscribes, move || portal(id.get_untracked())))}
        </div>
        <p class="hint">{w.elsewhere}</p>
    }
    .into_any()
}

/// A button to a page elsewhere, whose address the server gets first.
fn leave<F>(label: &'static str, primary: bool, address: impl Fn() -> F + 'static) -> AnyView
where
    F: Future<Output = Result<String, UiError>> + 'static,
{
    let t = texts();
    let toasts = toasts();
    let busy = RwSignal::new(false);
    let go = move |_| {
        if busy.get_untracked() {
            return;
        }
        busy.set(true);
        let address = address();
        spawn_local(async move {
            match address.await {
                Ok(url) => {
                    let _ = window().location().set_href(&url);
                }
                Err(error) => toasts.problem(error_message(t, &error)),
            }
            // Browsers may bring the page back as it was.
            busy.try_set(false);
        });
    };
    view! {
        <button type="button" class="button" class:button-primary=primary aria-disabled=move || busy.get().then_some("true") on:click=go>
            {busy_label(busy.into(), label)}
        </button>
    }
    .into_any()
}

fn invoice_list(id: Memo<String>) -> AnyView {
    let w = BillingTexts::of_this_page();
    let list = fetched(
        id,
        block_skeleton,
        read_invoices,
        move |found: Vec<Invoice>| {
            if found.is_empty() {
                return view! { <p class="muted">{w.no_invoices}</p> }.into_any();
            }
            let rows = found.into_iter().map(|one| row(w, one)).collect_view();
            view! {
                <div class="table-scroll" tabindex="0" role="region" aria-label=w.invoices>
                    <table class="table">
                        <thead>
                            <tr>
                                <th scope="col">{w.day}</th>
                                <th scope="col">{w.number}</th>
                                <th scope="col" class="number">{w.amount}</th>
                                <th scope="col">{w.state}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            }
            .into_any()
        },
    );
    view! { <h3>{w.invoices}</h3> {list} }.into_any()
}

fn row(w: &BillingTexts, invoice: Invoice) -> AnyView {
    let number = invoice.number.unwrap_or(invoice.id);
    let (tone, word) = match invoice.status.as_deref() {
        Some("paid") => (Tone::Ok, w.paid),
        Some("open") => (Tone::Warn, w.due),
        Some("uncollectible") => (Tone::Danger, w.lost),
        Some("void") => (Tone::Neutral, w.void),
        _ => (Tone::Neutral, w.draft),
    };
    let number = match invoice.url {
        Some(url) => {
            let label = fill(w.open, &[("number", &number)]);
            view! { <a href=url target="_blank" rel="noopener" aria-label=label>{number} " " {icon(Icon::External)}</a> }
                .into_any()
        }
        None => number.into_any(),
    };
    view! {
        <tr>
            <td class="nowrap">{invoice.created_at.map(day)}</td>
            <td>{number}</td>
            <td class="number nowrap">{amount(locale(), invoice.total, invoice.currency.as_deref())}</td>
            <td>{badge(tone, word)}</td>
        </tr>
    }
    .into_any()
}
