//! The own role of a member. A dialog asks for it: keys choose among all roles there, and none is sent on the way to
//! another.

use domain::role::Role;
use leptos::prelude::*;
use serde_json::json;

use super::role_options;
use crate::components::dialog::dialog;
use crate::components::draft::Draft;
use crate::components::field::select;
use crate::components::form::Form;
use crate::components::layout::{Tone, badge};
use crate::components::role::role_name;
use crate::components::toast::toasts;
use crate::fns::people::{Circle, set_member};
use crate::i18n::texts;

/// The saved role of the person with this id, and a button that asks for another one.
pub fn own_role(
    id: String,
    saved: Memo<Role>,
    circle: Memo<Circle>,
    refresh: Callback<()>,
) -> AnyView {
    let (t, toasts) = (texts(), toasts());
    let w = t.people();
    let open = RwSignal::new(false);
    let form = move || {
        let draft = Draft::new(json!({"role": saved.get_untracked().as_str()}));
        let id = id.clone();
        let send = move |_| {
            let word = untrack(|| draft.text("/role"));
            let before = saved.get_untracked();
            let role = Role::parse(&word).unwrap_or(before);
            let (circle, id, is_other) = (circle.get_untracked(), id.clone(), role != before);
            async move {
                if is_other {
                    set_member(circle, id, role).await?;
                }
                Ok(is_other)
            }
        };
        let done = move |is_other: bool| {
            open.set(false);
            if is_other {
                toasts.done(w.role_changed);
                refresh.try_run(());
            }
        };
        let fields = view! {
            <p>{w.own_role_text}</p>
            {select(draft, "/role", t.role, role_options(t), None)}
        };
        Form::sending(draft, w.own_role_action, send, done).dialog(open, fields.into_any())
    };
    view! {
        {dialog(open, w.own_role_title, false, form)}
        {move || badge(Tone::Neutral, role_name(t, saved.get()))}
        <button type="button" class="button button-small" on:click=move |_| open.set(true)>
            {w.own_role_action}
        </button>
    }
    .into_any()
}
