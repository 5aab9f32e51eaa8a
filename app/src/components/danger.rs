//! The end of a page that deletes its subject: nothing happens until somebody has typed its name.

use leptos::prelude::*;

use super::dialog::dialog;
use crate::i18n::{fill, texts};

/// The element that takes the name.
const NAME: &str = "name-to-confirm";

/// The card with the button. `text` says what is lost, with the name for its `{name}`; `run` does it.
pub fn danger(
    name: Signal<String>,
    text: &'static str,
    action: &'static str,
    run: impl Fn() + Send + Sync + 'static,
) -> AnyView {
    let t = texts();
    let open = RwSignal::new(false);
    let typed = RwSignal::new(String::new());
    let run = StoredValue::new(run);
    let told = move || name.with(|name| fill(text, &[("name", name)]));
    // Nobody sees which spaces stand between the words of a name.
    let same = |one: &str, other: &str| one.split_whitespace().eq(other.split_whitespace());
    let fits = Memo::new(move |_| typed.with(|typed| name.with(|name| same(typed, name))));
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        if fits.get_untracked() {
            open.set(false);
            run.with_value(|run| run());
        }
    };
    let ask = move |_| {
        typed.set(String::new());
        open.set(true);
    };
    let content = move || {
        let label = move || name.with(|name| fill(t.settings().type_name, &[("name", name)]));
        view! {
            <form on:submit=submit novalidate>
                <div class="dialog-body form">
                    <p>{told}</p>
                    <div class="field">
                        <label for=NAME class="wrap-anywhere">{label}</label>
                        <input
                            class="input"
                            id=NAME
                            autocomplete="off"
                            prop:value=typed
                            on:input:target=move |event| typed.set(event.target().value())
                        />
                    </div>
                </div>
                <div class="dialog-foot">
                    <button type="button" class="button" on:click=move |_| open.set(false)>
                        {t.cancel}
                    </button>
                    <button class="button button-danger" disabled=move || !fits.get()>
                        {action}
                    </button>
                </div>
            </form>
        }
        .into_any()
    };
    view! {
        <section class="card" aria-labelledby="danger-title">
            <div class="card-head"><h2 id="danger-title">{t.danger_section}</h2></div>
            <div class="card-body">
                <p class="muted">{told}</p>
                <div>
                    <button type="button" class="button" on:click=ask>{action}</button>
                </div>
            </div>
        </section>
        {dialog(open, action, false, content)}
    }
    .into_any()
}
