//! The remarks about a card, each with the button that mends it.

use leptos::prelude::*;

use super::super::state::{Editor, remove_steps_beside};
use super::advice::{Advice, Fix};
use super::choice::{Chosen, ids};
use crate::components::draft::Draft;
use crate::icon::{Icon, icon};

fn mend(editor: Editor, fix: &Fix) {
    let draft: Draft = editor.draft;
    match fix {
        Fix::Set(pointer, value) => draft.set(pointer, value.clone()),
        Fix::Remove(pointer, gone) => {
            let left = untrack(|| draft.with_at(pointer, ids)).unwrap_or_default();
            let left: Vec<u16> = left.into_iter().filter(|id| !gone.contains(id)).collect();
            draft.set(pointer, Some(Chosen::Ids(left).value()));
        }
        Fix::RemoveSteps => {
            remove_steps_beside(draft);
        }
        Fix::Go(place) => editor.go.run(place.clone()),
    }
}

/// The remarks, each with its fix.
pub fn remarks(editor: Editor, remarks: Memo<Vec<Advice>>) -> AnyView {
    let row = move |remark: Advice| {
        let class = if remark.stops {
            "notice notice-danger"
        } else {
            "notice notice-warn"
        };
        let Advice { text, fix, .. } = remark;
        let may = move |fix: &Fix| matches!(fix, Fix::Go(_)) || !editor.draft.read_only.get();
        let button = move || {
            let (label, fix) = fix.clone().filter(|(_, fix)| may(fix))?;
            Some(view! {
                <button type="button" class="button button-small" on:click=move |_| mend(editor, &fix)>
                    {label}
                </button>
            })
        };
        view! {
            <li class=class>
                {icon(Icon::Warning)}
                <div><span>{text}</span> {button}</div>
            </li>
        }
    };
    let list = move || {
        let remarks = remarks.get();
        (!remarks.is_empty()).then(|| remarks.into_iter().map(row).collect_view())
    };
    view! {
        <ul class="advices" role="list" aria-live="polite" hidden=move || remarks.with(Vec::is_empty)>
            {list}
        </ul>
    }
    .into_any()
}
