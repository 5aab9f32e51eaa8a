//! The owner's restrictions, each with its effect in words.

use domain::documents::{RESTRICTION, RestrictionKind, TCF};
use domain::tcf::CONSENT_ONLY;
use leptos::prelude::*;
use serde_json::{Value, json};

use super::Tcf;
use super::advice::Card;
use super::choice::Chosen;
use super::vendors::chosen_ids;
use crate::components::chip::chip;
use crate::components::debounce::debounced;
use crate::components::draft::Draft;
use crate::components::editor::section;
use crate::components::field::{id_of, select_control};
use crate::components::focus::focus_when_there;
use crate::components::items::{Words, items};
use crate::components::loading::{block_skeleton, fetched};
use crate::components::search::typed;
use crate::fns::tcf::{Partner, PartnerSearch, Partners, search_partners};
use crate::i18n::{SectionTexts, count, fill, number};
use crate::icon::{Icon, icon};
use crate::pages::fields::{self, label};

const POINTER: &str = "/tcf/restrictions";
/// Purposes that a new rule begins with: those that allow each of the three.
const FLEXIBLE: [u16; 6] = [2, 7, 8, 9, 10, 11];
/// Partners of a rule whose names are looked up, and results of a search.
const NAMED: u32 = 100;
const SHOWN: u32 = 8;

pub fn card(it: Tcf) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let words = Words {
        one: w.rule_n,
        add: w.rule_add,
    };
    let fields = view! {
        {it.advice(Card::Rules)}
        {items(draft, POINTER, words, blank, row)}
    };
    section(
        label(&TCF, "restrictions"),
        w.restrictions_text,
        fields.into_any(),
    )
}

/// A rule for a purpose that has none yet.
fn blank(rules: &[Value]) -> Vec<Value> {
    let is_free = |id: &&u16| {
        let mut taken = rules.iter().filter_map(|rule| rule.get("purpose"));
        !taken.any(|purpose| purpose.as_u64() == Some(u64::from(**id)))
    };
    let purpose = FLEXIBLE.iter().find(is_free).copied().unwrap_or(1);
    let kind = RestrictionKind::NotAllowed;
    vec![json!({"purpose": purpose, "type": kind, "vendors": "all"})]
}

fn row(_: Draft, index: usize) -> AnyView {
    // `card` is the only one to make rows, inside of the section.
    let Some(it) = use_context::<Tcf>() else {
        return ().into_any();
    };
    let (draft, w) = (it.editor.draft, it.w);
    let at = StoredValue::new(format!("{POINTER}/{index}"));
    let field = move |key: &str| at.with_value(|at| format!("{at}/{key}"));
    let purpose = Memo::new(move |_| draft.with_at(&field("purpose"), purpose_of));
    let kind =
        Memo::new(move |_| RestrictionKind::parse(&draft.text(&field("type"))).unwrap_or_default());
    let who = Memo::new(move |_| draft.with_at(&field("vendors"), Chosen::of));
    let is_some = Memo::new(move |_| who.with(|who| *who != Chosen::All));

    let purposes: Vec<(String, String)> = it.known.with_value(|known| {
        let ids = known.purposes.iter().map(|purpose| purpose.id);
        ids.map(|id| (id.to_string(), it.purpose(id))).collect()
    });
    let kinds = fields::restrictions().into_iter();
    let kinds: Vec<_> = kinds
        .map(|(kind, label)| (kind.to_owned(), label))
        .collect();
    let extents = vec![
        ("all".to_owned(), w.rule_all.to_owned()),
        ("some".to_owned(), w.rule_some.to_owned()),
    ];
    let extent = Signal::derive(move || if is_some.get() { "some" } else { "all" }.to_owned());
    let change_purpose = move |value: String| {
        if let Ok(id) = value.parse::<u16>() {
            draft.set(&field("purpose"), Some(json!(id)));
            // The other rules are for purposes with two legal bases.
            if CONSENT_ONLY.contains(&id)
                && kind.get_untracked() == RestrictionKind::LegitimateInterest
            {
                draft.set(&field("type"), Some(json!(RestrictionKind::NotAllowed)));
            }
        }
    };
    let change_extent = move |value: String| {
        let next = if value == "some" {
            json!([])
        } else {
            json!("all")
        };
        draft.set(&field("vendors"), Some(next));
    };
    let said = move || {
        let affected = it.plan.with(|plan| {
            let counts = plan.as_ref()?.counts.as_ref()?;
            counts.restricted.get(index).copied()
        });
        let who = affected.map_or_else(|| w.who_all.to_owned(), |n| count(n, w.who_n_one, w.who_n));
        in_words(w, kind.get(), &who, &it.purpose(purpose.get()))
    };
    let ids = ["purpose", "type", "vendors"].map(|key| id_of(&field(key)));
    let [purpose_id, type_id, vendors_id] = ids;
    view! {
        <div class="form-pair">
            <div class="field">
                <label for=purpose_id.clone()>{label(&RESTRICTION, "purpose")}</label>
                {select_control(purpose_id, purposes, Signal::derive(move || purpose.get().to_string()), change_purpose, draft.read_only.into())}
            </div>
            <div class="field">
                <label for=type_id.clone()>{label(&RESTRICTION, "type")}</label>
                {select_control(type_id, kinds, Signal::derive(move || kind.get().as_str().to_owned()), move |value| draft.set_text(&field("type"), &value), draft.read_only.into())}
            </div>
        </div>
        <div class="field">
            <label for=vendors_id.clone()>{label(&RESTRICTION, "vendors")}</label>
            {select_control(vendors_id, extents, extent, change_extent, draft.read_only.into())}
        </div>
        {move || is_some.get().then(|| some(it, index, purpose, kind))}
        <p class="sunken" role="status">{said}</p>
    }
    .into_any()
}

fn purpose_of(value: Option<&Value>) -> u16 {
    let id = value.and_then(Value::as_u64);
    id.and_then(|id| u16::try_from(id).ok()).unwrap_or_default()
}

fn in_words(w: &SectionTexts, kind: RestrictionKind, who: &str, purpose: &str) -> String {
    let text = match kind {
        RestrictionKind::NotAllowed => w.says_not_allowed,
        RestrictionKind::Consent => w.says_consent,
        RestrictionKind::LegitimateInterest => w.says_interest,
    };
    fill(text, &[("who", who), ("purpose", purpose)])
}

/// The partners that a rule names: those that are there, and a search for more.
fn some(it: Tcf, index: usize, purpose: Memo<u16>, kind: Memo<RestrictionKind>) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let pointer = StoredValue::new(format!("{POINTER}/{index}/vendors"));
    let ids = Memo::new(move |_| {
        let ids = pointer.with_value(|pointer| draft.with_at(pointer, chosen_ids));
        ids.unwrap_or_default()
    });
    let write = move |ids: Vec<u16>| {
        pointer.with_value(|pointer| draft.set(pointer, Some(json!(ids))));
    };
    let focus_id = pointer.with_value(|pointer| format!("{}-search", id_of(pointer)));
    let focus_id = StoredValue::new(focus_id);

    let named = Memo::new(move |_| PartnerSearch {
        among: Some(ids.with(|ids| ids.iter().take(NAMED as usize).copied().collect())),
        page: 1,
        per_page: NAMED,
        ..PartnerSearch::default()
    });
    let chips = fetched(
        named,
        || ().into_any(),
        search_partners,
        move |found: Partners| {
            let name = |id: u16| {
                let known = found.items.iter().find(|partner| partner.id == id);
                known.map_or_else(
                    || fill(w.partner_n, &[("id", &id.to_string())]),
                    |partner| partner.name.clone(),
                )
            };
            let all = ids.get_untracked();
            let rest = all.len().saturating_sub(NAMED as usize) as u64;
            let rest = (rest > 0).then(|| {
                let text = fill(w.rule_more, &[("n", &number(rest))]);
                view! { <li class="muted">{text}</li> }
            });
            let chips = all.into_iter().take(NAMED as usize).map(|id| {
                let name = name(id);
                let label = fill(w.remove_name, &[("name", &name)]);
                chip(name, label, draft.read_only, move || {
                    let left = ids.get_untracked().into_iter();
                    write(left.filter(|other| *other != id).collect());
                    focus_when_there(vec![focus_id.get_value()]);
                })
            });
            view! { <ul class="chips">{chips.collect_view()} {rest}</ul> }.into_any()
        },
    );

    let query = RwSignal::new(String::new());
    let text = debounced(query);
    let search = Memo::new(move |_| {
        let chosen = draft.with_at("/tcf/vendors", chosen_ids);
        let flexible = (kind.get() != RestrictionKind::NotAllowed).then(|| purpose.get());
        PartnerSearch {
            text: text.get(),
            purpose: Some(purpose.get()),
            flexible,
            among: chosen,
            page: 1,
            per_page: SHOWN,
            ..PartnerSearch::default()
        }
    });
    let add = move |partner: &Partner| {
        let id = partner.id;
        let mut all = ids.get_untracked();
        if !all.contains(&id) {
            all.push(id);
            write(all);
        }
        query.set(String::new());
        focus_when_there(vec![focus_id.get_value()]);
    };
    let results = fetched(
        search,
        block_skeleton,
        search_partners,
        move |found: Partners| {
            let offered = move || {
                let offered = found.items.iter();
                let offered = offered.filter(|one| ids.with(|ids| !ids.contains(&one.id)));
                let offered: Vec<Partner> = offered.cloned().collect();
                if offered.is_empty() {
                    return view! { <p class="hint" role="status">{w.rule_no_partner}</p> }
                        .into_any();
                }
                let buttons = offered.into_iter().map(|partner| {
                let name = partner.name.clone();
                view! {
                    <li>
                        <button type="button" class="button button-small" on:click=move |_| add(&partner)>
                            {icon(Icon::Plus)}
                            <span class="wrap-anywhere">{name}</span>
                        </button>
                    </li>
                }
            });
                view! { <ul class="chips">{buttons.collect_view()}</ul> }.into_any()
            };
            view! { {offered} }.into_any()
        },
    );
    let finder = move || {
        (!draft.read_only.get())
            .then(|| typed(Some(focus_id.get_value()), w.rule_add_partner, query, || ()))
    };
    view! {
        <div class="stack-tight">
            {chips}
            {finder}
            {results}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::SectionTexts;

    #[test]
    fn a_new_rule_is_for_a_purpose_without_one() {
        let first = blank(&[]);
        assert_eq!(
            first,
            [json!({"purpose": 2, "type": "not_allowed", "vendors": "all"})]
        );
        assert_eq!(blank(&first)[0]["purpose"], 7);
    }

    #[test]
    fn a_rule_says_its_effect() {
        let said = in_words(
            SectionTexts::of_this_page(),
            RestrictionKind::Consent,
            "3 partners",
            "7 · Measure",
        );
        assert_eq!(
            said,
            "3 partners may use data for “7 · Measure” only if the visitor consents."
        );
    }
}
