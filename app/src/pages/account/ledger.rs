//! The operator's page about the ledger. It follows the ledger's state.

use std::time::Duration;

use leptos::prelude::*;

use crate::components::copy::{copyable, copyable_as};
use crate::components::layout::{Tone, badge, notice, page_head, tile};
use crate::components::loading::{block_skeleton, empty_state, follow, live};
use crate::components::time::{ago, clock_time};
use crate::fns::ledger::{Ended, LedgerStatus, Voucher, read_ledger};
use crate::i18n::{LedgerTexts, fill, number, texts};
use crate::icon::Icon;

/// Time after which the state is read again.
const PAUSE: Duration = Duration::from_secs(5);

pub fn page() -> AnyView {
    let (t, w) = (texts(), LedgerTexts::of_this_page());
    let found = Resource::new(|| (), |()| read_ledger());
    follow(found, PAUSE);
    let content = live(
        found,
        block_skeleton,
        move |found: Memo<Option<LedgerStatus>>| {
            let view = move || match found.get() {
                Some(status) => state(w, &status),
                None => view! {
                    <div class="card">
                        {empty_state(Icon::Shield, w.absent, w.absent_text, ().into_any())}
                    </div>
                }
                .into_any(),
            };
            view! { {view} }.into_any()
        },
    );
    view! {
        <div class="page page-narrow">
            {page_head(t.ledger, w.lead, ())}
            {content}
        </div>
    }
    .into_any()
}

fn state(w: &'static LedgerTexts, status: &LedgerStatus) -> AnyView {
    let (tone, word) = match &status.stopped {
        Some(_) => (Tone::Danger, w.stopped),
        None if status.waiting > 0 => (Tone::Accent, w.writing),
        None => (Tone::Ok, w.complete),
    };
    let why = status
        .stopped
        .clone()
        .map(|why| view! { <div role="alert">{notice(Tone::Danger, why)}</div> });
    let checkpoint = match status.checkpoint_at {
        Some(at) => view! { {ago(at)} ", " {clock_time(at)} }.into_any(),
        None => w.none_yet.into_any(),
    };
    let lag = status.lag_seconds.filter(|seconds| *seconds > 0);
    let lag = lag.map_or_else(
        || w.uncovered_text.to_owned(),
        |seconds| fill(w.lag_text, &[("n", &number(seconds))]),
    );
    let older = status.older_vkey.clone().map(|older| {
        view! {
            <dt>{w.older_key}</dt>
            <dd>{copyable(older, w.older_key)} <p class="muted">{w.older_key_text}</p></dd>
        }
    });
    let ml_dsa = status.ml_dsa_vkey.clone().map(|key| {
        // It has 1.8 kB; its name and its number tell which it is.
        let named = key.rsplit_once('+').map_or(key.as_str(), |(named, _)| named);
        let short = format!("{named}+…");
        view! {
            <dt>{w.ml_dsa_key}</dt>
            <dd>{copyable_as(key, Some(short), w.ml_dsa_key)} <p class="muted">{w.ml_dsa_key_text}</p></dd>
        }
    });
    let kept = status.pruned_to.map(|index| {
        let from = fill(w.kept_from, &[("n", &number(index))]);
        notice(Tone::Accent, format!("{from}. {}", w.kept_from_text))
    });
    view! {
        <div class="stack-loose">
            {why}
            {kept}
            <dl class="tiles">
                {tile(w.state, badge(tone, word), checkpoint)}
                {tile(w.covered, number(status.published), w.covered_text)}
                {tile(w.uncovered, number(status.waiting), lag)}
            </dl>
            <section class="card" aria-labelledby="key-title">
                <div class="card-head"><h2 id="key-title">{w.key}</h2></div>
                <div class="card-body">
                    <p class="muted">{w.key_text}</p>
                    <dl class="facts">
                        <dt>{w.name}</dt>
                        <dd>{copyable(status.origin.clone(), w.name)}</dd>
                        <dt>{w.key}</dt>
                        <dd>{copyable(status.vkey.clone(), w.key)}</dd>
                        {older}
                        {ml_dsa}
                    </dl>
                </div>
            </section>
            <section class="card" aria-labelledby="witnesses-title">
                <div class="card-head"><h2 id="witnesses-title">{w.witnesses}</h2></div>
                <div class="card-body">{witnesses(w, &status.witnesses)}</div>
            </section>
            <section class="card" aria-labelledby="stamps-title">
                <div class="card-head"><h2 id="stamps-title">{w.stamps}</h2></div>
                <div class="card-body">{stamps(w, status.authority.as_ref())}</div>
            </section>
            {predecessors(w, &status.predecessors)}
        </div>
    }
    .into_any()
}

fn predecessors(w: &'static LedgerTexts, all: &[Ended]) -> Option<AnyView> {
    if all.is_empty() {
        return None;
    }
    let row = |one: &Ended| {
        let kept = one
            .pruned_to
            .map(|index| fill(w.kept_from, &[("n", &number(index))]));
        view! {
            <tr>
                <td class="wrap-anywhere">{one.origin.clone()}</td>
                <td>{fill(w.signed_entries, &[("n", &number(one.size))])} " " {kept}</td>
                <td>{ago(one.ended_at)} ", " {clock_time(one.ended_at)}</td>
            </tr>
        }
        .into_any()
    };
    let rows: Vec<AnyView> = all.iter().map(row).collect();
    let table = view! {
        <section class="card" aria-labelledby="predecessors-title">
            <div class="card-head"><h2 id="predecessors-title">{w.predecessors}</h2></div>
            <div class="card-body">
                <p class="muted">{w.predecessors_text}</p>
                <div class="table-scroll">
                    <table class="table">
                        <thead>
                            <tr>
                                <th scope="col">{w.name}</th>
                                <th scope="col">{w.entries}</th>
                                <th scope="col">{w.ended}</th>
                            </tr>
                        </thead>
                        <tbody>{rows}</tbody>
                    </table>
                </div>
            </div>
        </section>
    };
    Some(table.into_any())
}

fn witnesses(w: &'static LedgerTexts, all: &[Voucher]) -> AnyView {
    if all.is_empty() {
        return view! { <p class="muted">{w.witnesses_none}</p> }.into_any();
    }
    let late = all.iter().filter(|one| one.late);
    let late: Vec<&str> = late.map(|one| one.name.as_str()).collect();
    let warning = (!late.is_empty()).then(|| {
        notice(
            Tone::Warn,
            fill(w.late_text, &[("names", &late.join(", "))]),
        )
    });
    view! {
        {warning}
        <p class="muted">{w.witnesses_text}</p>
        {table(w, w.witness, all)}
    }
    .into_any()
}

fn stamps(w: &'static LedgerTexts, authority: Option<&Voucher>) -> AnyView {
    let Some(authority) = authority else {
        return view! { <p class="muted">{w.stamps_none}</p> }.into_any();
    };
    let warning = authority
        .late
        .then(|| notice(Tone::Warn, w.stamps_late_text));
    view! {
        {warning}
        <p class="muted">{w.stamps_text}</p>
        {table(w, w.authority, std::slice::from_ref(authority))}
    }
    .into_any()
}

fn table(w: &'static LedgerTexts, voucher: &'static str, all: &[Voucher]) -> AnyView {
    let rows: Vec<AnyView> = all.iter().map(|one| row(w, one)).collect();
    view! {
        <div class="table-scroll">
            <table class="table">
                <thead>
                    <tr>
                        <th scope="col">{voucher}</th>
                        <th scope="col">{w.signed}</th>
                        <th scope="col">{w.fault}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
    }
    .into_any()
}

fn row(w: &'static LedgerTexts, one: &Voucher) -> AnyView {
    let signed = match (one.size, one.signed_at) {
        (Some(size), Some(at)) => {
            let entries = fill(w.signed_entries, &[("n", &number(size))]);
            view! { {entries} ", " {ago(at)} }.into_any()
        }
        _ => w.signed_nothing.into_any(),
    };
    let late = one.late.then(|| badge(Tone::Warn, w.late));
    let fault = match (one.fault.clone(), one.fault_at) {
        (Some(fault), Some(at)) => view! { {fault} ", " {ago(at)} }.into_any(),
        _ => w.no_fault.into_any(),
    };
    view! {
        <tr>
            <td class="wrap-anywhere">{one.name.clone()}</td>
            <td>{signed} " " {late}</td>
            <td class="wrap-anywhere">{fault}</td>
        </tr>
    }
    .into_any()
}
