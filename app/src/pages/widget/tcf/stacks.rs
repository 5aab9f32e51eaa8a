//! Stacks of the first screen: those that fit what is asked, with what they cover.

use domain::documents::TCF;
use leptos::prelude::*;
use serde_json::json;

use super::Tcf;
use super::advice::Card;
use super::choice::{ids_at, toggled};
use crate::components::editor::section;
use crate::components::field::id_of;
use crate::fns::tcf::{Plan, Stack};
use crate::i18n::{count, fill};
use crate::pages::fields::label;

const POINTER: &str = "/tcf/stacks";

pub fn card(it: Tcf) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let chosen = Memo::new(move |_| ids_at(draft, POINTER).unwrap_or_default());
    // Only what decides which stacks are there: a change of other numbers must not rebuild the rows.
    let asked = Memo::new(move |_| it.plan.with(|plan| plan.as_ref().and_then(asked)));
    let rows = move || {
        let chosen_now = chosen.get();
        let all = it.known.with_value(|known| known.stacks.clone());
        let (shown, hidden): (Vec<Stack>, Vec<Stack>) = all.into_iter().partition(|stack| {
            let fits = asked.with(|asked| asked.as_ref().is_some_and(|asked| fits(stack, asked)));
            fits || chosen_now.contains(&stack.id)
        });
        let rest = match (shown.is_empty(), hidden.len() as u64) {
            (true, _) => Some(w.stacks_none.to_owned()),
            (false, 0) => None,
            (false, rest) => Some(count(rest, w.stacks_hidden_one, w.stacks_hidden)),
        };
        let is_empty = shown.is_empty();
        let rows: Vec<_> = shown
            .iter()
            .map(|stack| row(it, chosen, stack, &shown))
            .collect();
        view! {
            <ul class="ticks" id=id_of(POINTER) tabindex="-1" hidden=is_empty>{rows}</ul>
            {rest.map(|text| view! { <p class="hint">{text}</p> })}
        }
    };
    let fields = view! {
        {it.advice(Card::Stacks)}
        {rows}
        {first_screen(it)}
    };
    section(label(&TCF, "stacks"), w.stacks_text, fields.into_any())
}

/// The purposes and special features that a plan asks about.
fn asked(plan: &Plan) -> Option<(Vec<u16>, Vec<u16>)> {
    let counts = plan.counts.as_ref()?;
    let purposes = counts.purposes.iter().map(|(id, ..)| *id);
    let features = counts.special_features.iter().map(|(id, _)| *id);
    Some((purposes.collect(), features.collect()))
}

/// True if all that a stack covers is asked.
fn fits(stack: &Stack, (purposes, features): &(Vec<u16>, Vec<u16>)) -> bool {
    stack.purposes.iter().all(|id| purposes.contains(id))
        && stack
            .special_features
            .iter()
            .all(|id| features.contains(id))
}

/// True if two stacks cover something together.
fn overlap(one: &Stack, other: &Stack) -> bool {
    let shares = |ids: &[u16], others: &[u16]| ids.iter().any(|id| others.contains(id));
    one.id != other.id
        && (shares(&one.purposes, &other.purposes)
            || shares(&one.special_features, &other.special_features))
}

fn row(it: Tcf, chosen: Memo<Vec<u16>>, stack: &Stack, shown: &[Stack]) -> AnyView {
    let (draft, w) = (it.editor.draft, it.w);
    let id = stack.id;
    let element = format!("{}-{id}", id_of(POINTER));
    let is_on = chosen.with_untracked(|chosen| chosen.contains(&id));
    let overlaps = chosen.with_untracked(|chosen| {
        let mut others = shown.iter().filter(|other| chosen.contains(&other.id));
        others.any(|other| overlap(stack, other))
    });
    let is_shut = overlaps && !is_on;
    let names = names(it, stack);
    let change = {
        let element = element.clone();
        move |_| {
            let left = toggled(chosen.get_untracked(), id);
            draft.set(POINTER, (!left.is_empty()).then(|| json!(left)));
            // The rows are drawn anew.
            crate::components::focus::focus_when_there(vec![element.clone()]);
        }
    };
    view! {
        <li>
            <input
                type="checkbox"
                id=element.clone()
                disabled=move || draft.read_only.get() || is_shut
                checked=is_on
                prop:checked=is_on
                aria-describedby=format!("{element}-about")
                on:change=change
            />
            <div>
                <label for=element.clone()>{stack.name.clone()}</label>
                <p class="hint" id=format!("{element}-about")>
                    {fill(w.stack_covers, &[("names", &names)])}
                    {is_shut.then(|| format!(" – {}", w.stack_overlaps))}
                </p>
            </div>
        </li>
    }
    .into_any()
}

/// The names of all that a stack covers.
fn names(it: Tcf, stack: &Stack) -> String {
    let features = it.known.with_value(|known| {
        let features = known.special_features.iter();
        let covered = features.filter(|feature| stack.special_features.contains(&feature.id));
        covered
            .map(|feature| feature.name.clone())
            .collect::<Vec<_>>()
    });
    let purposes = stack.purposes.iter().map(|id| it.purpose(*id));
    purposes.chain(features).collect::<Vec<_>>().join("; ")
}

/// The names that the first screen has: stacks, then the purposes beside them.
fn first_screen(it: Tcf) -> AnyView {
    let names = Memo::new(move |_| {
        let (chosen, asked) = it.plan.with(|plan| {
            let plan = plan.as_ref()?;
            Some((plan.counts.as_ref()?.stacks.clone(), asked(plan)?))
        })?;
        let (purposes, features) = asked;
        it.known.with_value(|known| {
            let stacks: Vec<&Stack> = known
                .stacks
                .iter()
                .filter(|stack| chosen.contains(&stack.id))
                .collect();
            let alone = |id: &u16| !stacks.iter().any(|stack| stack.purposes.contains(id));
            let feature_alone = |id: u16| {
                features.contains(&id)
                    && !stacks
                        .iter()
                        .any(|stack| stack.special_features.contains(&id))
            };
            let beside = purposes.into_iter().filter(alone).filter_map(|id| {
                let found = known.purposes.iter().find(|purpose| purpose.id == id);
                found.map(|purpose| purpose.name.clone())
            });
            let special = known.special_features.iter();
            let special = special.filter(|feature| feature_alone(feature.id));
            let names = stacks.iter().map(|stack| stack.name.clone());
            let names = names.chain(beside);
            Some(
                names
                    .chain(special.map(|feature| feature.name.clone()))
                    .collect::<Vec<_>>(),
            )
        })
    });
    let view = move || {
        names.get().map(|names| {
            let items = names.into_iter();
            let items: Vec<_> = items.map(|name| view! { <li>{name}</li> }).collect();
            view! {
                <div class="sunken">
                    <p class="strong">{it.w.first_names}</p>
                    <ul class="bullets">{items}</ul>
                </div>
            }
        })
    };
    view! { {view} }.into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(id: u16, purposes: &[u16], special_features: &[u16]) -> Stack {
        Stack {
            id,
            name: id.to_string(),
            purposes: purposes.into(),
            special_features: special_features.into(),
        }
    }

    #[test]
    fn a_stack_fits_what_is_asked_whole() {
        let asked = (vec![1, 2, 7], vec![1]);
        assert!(fits(&stack(2, &[2, 7], &[]), &asked));
        assert!(!fits(&stack(3, &[2, 3], &[]), &asked));
        assert!(!fits(&stack(43, &[], &[1, 2]), &asked));
    }

    #[test]
    fn stacks_overlap_by_a_purpose_or_a_feature() {
        assert!(overlap(&stack(2, &[2, 7], &[]), &stack(42, &[7, 9], &[])));
        assert!(overlap(&stack(2, &[], &[1]), &stack(43, &[], &[1, 2])));
        assert!(!overlap(&stack(2, &[2, 7], &[]), &stack(3, &[3], &[])));
    }
}
