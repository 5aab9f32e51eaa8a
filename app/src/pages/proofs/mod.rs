//! Proofs: every consent, found by token, configuration, outcome and day; and one with everything that it proves.

mod list;
mod one;
mod tcf;

use domain::choices::Outcome;
use domain::user_agent::Device;
use leptos::prelude::*;

pub use list::page as list;
pub use one::page as one;

use crate::address::{self, page_number};
use crate::components::layout::{Tone, badge};
use crate::fns::listing::Listing;
use crate::fns::proofs::{Filter, Origin, Screen};
use crate::i18n::{EvidenceTexts, Texts, texts};
use crate::map::Page;

/// The address of a page of a filtered list.
fn address(project: &str, filter: &Filter, page: u32) -> String {
    let sort = if filter.oldest { Listing::OLDEST } else { "" };
    address::address(
        &Page::Proofs.at(&[&project]),
        &[
            ("token", &filter.token),
            ("identifier", &filter.identifier),
            ("outcome", &filter.outcome),
            ("from", &filter.from),
            ("to", &filter.to),
            ("sort", sort),
            ("page", &page_number(page)),
        ],
    )
}

/// An outcome in the colour that the charts have for it.
pub fn outcome_badge(t: &'static Texts, outcome: Outcome) -> AnyView {
    let (class, text) = match outcome {
        Outcome::Accepted => ("badge outcome-accepted", t.accepted),
        Outcome::Partial => ("badge outcome-partial", t.partial),
        Outcome::Refused => ("badge outcome-refused", t.refused),
    };
    view! { <span class=class>{text}</span> }.into_any()
}

/// A token without a signature, as most sites have them: no reason for alarm.
fn unsigned_badge(t: &'static Texts) -> AnyView {
    badge(Tone::Neutral, t.proofs().token_unsigned)
}

/// The country, the kind of device and the browser, as far as they are known: "FR, phone, Firefox".
pub fn circumstances(origin: &Origin) -> String {
    let t = texts();
    let device = origin.device.map(|device| match device {
        Device::Phone => t.proofs().device_phone,
        Device::Tablet => t.proofs().device_tablet,
        Device::Computer => t.proofs().device_computer,
    });
    let parts = [origin.country.as_deref(), device, origin.browser.as_deref()];
    let parts: Vec<&str> = parts.into_iter().flatten().collect();
    parts.join(", ")
}

/// The texts that were shown. On paper they stand for the preview, which scrolls.
pub fn shown_texts(screens: &[Screen], class: &'static str) -> AnyView {
    let w = EvidenceTexts::of_this_page();
    let screen = |screen: &Screen| {
        view! {
            <div class="stack-tight">
                <h3>{screen.title.clone()}</h3>
                <p class="as-lines">{screen.text.clone()}</p>
            </div>
        }
        .into_any()
    };
    if screens.is_empty() {
        return ().into_any();
    }
    view! {
        <section class=class aria-labelledby="texts-title">
            <div class="card-head"><h2 id="texts-title">{w.shown_texts}</h2></div>
            <div class="card-body">{screens.iter().map(screen).collect_view()}</div>
        </section>
    }
    .into_any()
}

pub fn print_button() -> AnyView {
    let w = EvidenceTexts::of_this_page();
    view! {
        <button
            type="button"
            class="button button-small"
            on:click=move |_| {
                let _ = window().print();
            }
        >
            {w.print}
        </button>
    }
    .into_any()
}
