//! The data that a banner by the Framework needs from the server, and the numbers of its plan.

use leptos::prelude::*;

use super::Tcf;
use super::advice::Card;
use crate::components::editor::section;
use crate::components::layout::{Tone, badge, notice};
use crate::components::time::ago;
use crate::fns::tcf::Platform;
use crate::i18n::{fill, number, texts};

pub fn card(it: Tcf) -> AnyView {
    let Tcf { w, .. } = it;
    let platform = move || {
        let platform = it.plan.with(|plan| plan.as_ref().map(|plan| plan.platform));
        let Some(platform) = platform else {
            return "…".to_owned();
        };
        let (text, id) = match platform {
            Platform::Registered(id) => (w.platform_registered, id),
            Platform::Own(id) => (w.platform_own, id),
            Platform::Test(id) => (w.platform_test, id),
            Platform::Absent => return "–".to_owned(),
        };
        fill(text, &[("id", &id.to_string())])
    };
    let list = it.known.with_value(|known| known.list.clone());
    let list = list.map(|list| {
        let (version, vendors) = (list.version.to_string(), number(list.vendors));
        let values = [("version", version.as_str()), ("vendors", vendors.as_str())];
        view! {
            <span class="row">
                <span>{fill(w.list_state, &values)}</span>
                <span class="muted">{ago(list.updated_at)}</span>
                {list.is_old.then(|| badge(Tone::Warn, w.old))}
            </span>
        }
        .into_any()
    });
    let list = list.unwrap_or_else(|| "–".into_any());
    let counted = move |of: fn(&crate::fns::tcf::Counts) -> String| {
        it.plan.with(|plan| {
            let counts = plan.as_ref().and_then(|plan| plan.counts.as_ref());
            counts.map(of)
        })
    };
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    // Without a list there is nothing to choose.
    let has_list = it.known.with_value(|known| known.list.is_some());
    let partners = move || {
        let counted = counted(|counts| number(counts.vendors));
        or_none(counted.or_else(|| has_list.then(|| w.no_counts.to_owned())))
    };
    let weight = move || {
        let counts = it.plan.with(|plan| {
            let counts = plan.as_ref().and_then(|plan| plan.counts.as_ref())?;
            Some((counts.string_bytes, counts.partners_bytes))
        });
        let text = counts.map(|(string, partners)| {
            let kilobytes = fill(
                texts().kilobytes,
                &[("n", &number(partners.div_ceil(1_000)))],
            );
            let values = [("string", number(string)), ("partners", kilobytes)];
            fill(
                w.weight_text,
                &values
                    .each_ref()
                    .map(|(name, value)| (*name, value.as_str())),
            )
        });
        or_none(text)
    };
    let fields = view! {
        {it.advice(Card::State)}
        <dl class="facts">
            <dt>{w.platform}</dt>
            <dd>{platform}</dd>
            <dt>{w.list}</dt>
            <dd>{list}</dd>
            <dt>{w.disclosed}</dt>
            <dd>{partners}</dd>
            <dt>{w.asked_purposes}</dt>
            <dd>{move || or_none(counted(|counts| number(counts.purposes.len() as u64)))}</dd>
            <dt>{w.weight}</dt>
            <dd>{weight}</dd>
        </dl>
        {notice(Tone::Neutral, w.forced)}
    };
    section(w.state, w.state_text, fields.into_any())
}
