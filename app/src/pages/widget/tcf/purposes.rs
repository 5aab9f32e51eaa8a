//! The purposes and special features that visitors are asked about.

use domain::documents::TCF;
use leptos::prelude::*;
use serde_json::json;

use super::Tcf;
use super::advice::Card;
use super::choice::{ids_at, toggled_of_all};
use crate::components::editor::section;
use crate::components::field::id_of;
use crate::fns::tcf::Named;
use crate::i18n::{count, fill, number};
use crate::pages::fields::label;

const PURPOSES: &str = "/tcf/purposes";
const SPECIAL_FEATURES: &str = "/tcf/specialFeatures";

pub fn card(it: Tcf) -> AnyView {
    let w = it.w;
    let (purposes, features) = it
        .known
        .with_value(|known| (known.purposes.clone(), known.special_features.clone()));
    let fields = view! {
        {it.advice(Card::Purposes)}
        {entries(it, PURPOSES, purposes, purpose_counts)}
        {(!features.is_empty()).then(|| view! {
            <h3>{label(&TCF, "specialFeatures")}</h3>
            {entries(it, SPECIAL_FEATURES, features, feature_counts)}
        })}
    };
    section(label(&TCF, "purposes"), w.purposes_text, fields.into_any())
}

/// Checkboxes of entries, each with its number of partners.
fn entries(
    it: Tcf,
    pointer: &'static str,
    entries: Vec<Named>,
    counts: fn(Tcf, u16) -> Option<String>,
) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let all: Vec<u16> = entries.iter().map(|entry| entry.id).collect();
    let all = StoredValue::new(all);
    let chosen = Memo::new(move |_| ids_at(draft, pointer));
    let rows = entries.into_iter().map(|entry| {
        let id = entry.id;
        let element = format!("{}-{id}", id_of(pointer));
        let is_on =
            move || chosen.with(|chosen| chosen.as_ref().is_none_or(|ids| ids.contains(&id)));
        let hidden = Memo::new(move |_| {
            let treated = draft.with_at("/tcf/purposeOneTreatment", |value| {
                value.and_then(serde_json::Value::as_bool)
            });
            pointer == PURPOSES && id == 1 && treated == Some(true)
        });
        let remark = move || {
            if hidden.get() || !is_on() {
                return w.not_asked.to_owned();
            }
            let has_plan = it.plan.with(|plan| {
                let counts = plan.as_ref().and_then(|plan| plan.counts.as_ref());
                counts.is_some()
            });
            match counts(it, id) {
                Some(text) => text,
                None if has_plan => w.not_declared.to_owned(),
                None => String::new(),
            }
        };
        let change = move |_| {
            let left = all.with_value(|all| toggled_of_all(chosen.get_untracked(), id, all));
            draft.set(pointer, left.map(|ids| json!(ids)));
        };
        view! {
            <li>
                <input
                    type="checkbox"
                    id=element.clone()
                    disabled=move || draft.read_only.get() || hidden.get()
                    checked=untrack(is_on)
                    prop:checked=move || is_on() && !hidden.get()
                    aria-describedby=format!("{element}-about")
                    on:change=change
                />
                <div>
                    <label for=element.clone()>{format!("{id} · {}", entry.name)}</label>
                    <p class="hint" id=format!("{element}-about")>{remark}</p>
                    <details>
                        <summary class="hint">{w.about}</summary>
                        <p class="hint">{entry.description}</p>
                    </details>
                </div>
            </li>
        }
    });
    view! { <ul class="ticks" id=id_of(pointer) tabindex="-1">{rows.collect_view()}</ul> }
        .into_any()
}

fn purpose_counts(it: Tcf, id: u16) -> Option<String> {
    let (_, consent, interest) = it.plan.with(|plan| {
        let counts = plan.as_ref()?.counts.as_ref()?;
        let found = counts.purposes.iter().find(|(purpose, ..)| *purpose == id);
        found.copied()
    })?;
    let values = [number(consent), number(interest)];
    let [consent, interest] = &values;
    Some(fill(
        it.w.purpose_counts,
        &[("consent", consent), ("interest", interest)],
    ))
}

fn feature_counts(it: Tcf, id: u16) -> Option<String> {
    let (_, vendors) = it.plan.with(|plan| {
        let counts = plan.as_ref()?.counts.as_ref()?;
        let found = counts.special_features.iter();
        found.copied().find(|(feature, _)| *feature == id)
    })?;
    Some(count(vendors, it.w.who_n_one, it.w.who_n))
}
