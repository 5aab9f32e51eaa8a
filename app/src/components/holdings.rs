//! Access that a new password or the first second factor ends unless its owner keeps it, as choices of a form: API keys,
//! linked identities, and invitations that wait for an answer.

use leptos::prelude::*;

use super::time::ago;
use crate::fns::holdings::{Holdings, Keep};
use crate::i18n::{Texts, fill, texts};

/// Names of the groups in plain forms: `shown` lists those that have a box, `end_…` is a ticked one.
const KEYS: &str = "keys";
const IDENTITIES: &str = "identities";
const INVITATIONS: &str = "invitations";

/// The choices, each ticked at first; `keep` follows them. Without a choice (`None`) the lists alone.
/// Nothing where there is nothing to end. `form` names the form among those of the page that have choices.
pub fn view(
    form: &'static str,
    holdings: &Holdings,
    keep: Option<RwSignal<Keep>>,
) -> Option<AnyView> {
    if holdings.is_empty() {
        return None;
    }
    let t = texts();
    let keys = holdings.keys.iter().map(|key| {
        let used = match key.last_used_at {
            Some(at) => view! { <span>{t.last_used} " " {ago(at)}</span> }.into_any(),
            None => view! { <span>{t.never_used}</span> }.into_any(),
        };
        line(
            view! { <span class="wrap-anywhere">{key.name.clone()}</span> " " <code>{key.prefix.clone()} "…"</code> }.into_any(),
            view! { <span>{t.key_made_at} " " {ago(key.created_at)}</span> {used} }.into_any(),
        )
    });
    let identities = holdings.identities.iter().map(|way| {
        let used = way
            .last_used_at
            .map(|at| view! { <span>{t.last_used} " " {ago(at)}</span> });
        let email = way.email.clone().unwrap_or_default();
        line(
            view! { <span>{way.provider.clone()}</span> " " <span class="wrap-anywhere">{email}</span> }.into_any(),
            view! { <span>{t.way_since} " " {ago(way.created_at)}</span> {used} }.into_any(),
        )
    });
    let invitations = holdings.invitations.iter().map(|invitation| {
        line(
            view! { <span class="wrap-anywhere">{invitation.email.clone()}</span> }.into_any(),
            view! { <span>{t.sent_at} " " {ago(invitation.created_at)}</span> }.into_any(),
        )
    });
    let groups = [
        (KEYS, t.api_keys, keys.collect::<Vec<_>>()),
        (IDENTITIES, t.linked_ways, identities.collect()),
        (INVITATIONS, t.waiting_invitations, invitations.collect()),
    ];
    let groups = groups.into_iter().filter(|(_, _, lines)| !lines.is_empty());
    let groups: Vec<_> = groups.collect();
    let shown: Vec<&str> = groups.iter().map(|(name, _, _)| *name).collect();
    let shown = shown.join(" ");
    let groups = groups
        .into_iter()
        .map(|(name, title, lines)| group(t, (form, name), title, lines, keep))
        .collect_view();
    let hint = if keep.is_some() {
        t.also_end_hint
    } else {
        t.all_ends_hint
    };
    let hint_id = format!("{form}-also-end-hint");
    let described = hint_id.clone();
    let view = view! {
        <fieldset class="field" aria-describedby=described>
            <legend class="label">{t.also_end}</legend>
            {keep.map(|_| view! { <input type="hidden" name="shown" value=shown /> })}
            <p class="hint" id=hint_id>{hint}</p>
            <div class="stack-tight">{groups}</div>
        </fieldset>
    };
    Some(view.into_any())
}

fn line(what: AnyView, when: AnyView) -> AnyView {
    view! {
        <li>
            <p>{what}</p>
            <p class="row hint">{when}</p>
        </li>
    }
    .into_any()
}

fn group(
    t: &'static Texts,
    (form, name): (&'static str, &'static str),
    title: &'static str,
    lines: Vec<AnyView>,
    keep: Option<RwSignal<Keep>>,
) -> AnyView {
    let count = lines.len().to_string();
    let label = fill(t.also_end_group, &[("what", title), ("count", &count)]);
    let id = format!("{form}-end-{name}");
    let head = match keep {
        None => view! { <p class="strong">{label}</p> }.into_any(),
        Some(keep) => view! {
                <div class="check">
                <input
                    type="checkbox"
                    id=id.clone()
                    name=format!("end_{name}")
                    value="1"
                    checked
                    prop:checked=move || !keep.with(|keep| *keep.of(name))
                    on:change:target=move |event| {
                        let kept = !event.target().checked();
                        keep.update(|keep| *keep.of_mut(name) = kept);
                    }
                />
                <label for=id>{label}</label>
            </div>
        }
        .into_any(),
    };
    view! {
        <div>
            {head}
            <ul class="held">{lines}</ul>
        </div>
    }
    .into_any()
}

impl Keep {
    fn of(&self, name: &str) -> &bool {
        match name {
            KEYS => &self.keys,
            IDENTITIES => &self.identities,
            _ => &self.invitations,
        }
    }

    fn of_mut(&mut self, name: &str) -> &mut bool {
        match name {
            KEYS => &mut self.keys,
            IDENTITIES => &mut self.identities,
            _ => &mut self.invitations,
        }
    }
}
