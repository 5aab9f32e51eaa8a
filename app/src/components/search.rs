//! The search of a list: a form whose answer is an address, which works before the page wakes up, and a field for lists
//! that have no address.

use domain::search::MOST_CHARS;
use leptos::prelude::*;
use leptos_router::components::Form;

use super::icon::{Icon, icon};
use crate::i18n::texts;

/// A search among the entries of a list, whose words stand in the address as `q`.
pub struct Search {
    /// The address of the list.
    pub action: String,
    pub label: &'static str,
    pub text: String,
    /// Names and values of the address that a search keeps. Empty values are left out.
    pub kept: Vec<(&'static str, &'static str)>,
    /// The choice of the order, if the list has one.
    pub order: AnyView,
    /// The address of the whole list, where a search narrows it.
    pub whole: Option<String>,
}

impl Search {
    pub fn view(self) -> AnyView {
        let (t, label) = (texts(), self.label);
        let kept = self.kept.into_iter();
        let kept = kept.filter(|(_, value)| !value.is_empty());
        let kept =
            kept.map(|(name, value)| view! { <input type="hidden" name=name value=value /> });
        let clear = self
            .whole
            .map(|whole| view! { <a class="button button-quiet" href=whole>{t.clear_filter}</a> });
        view! {
            <Form method="GET" action=self.action attr:class="row" attr:role="search">
                {kept.collect_view()}
                <div class="input-icon grow">
                    {icon(Icon::Search)}
                    <input
                        class="input"
                        type="search"
                        name="q"
                        maxlength=MOST_CHARS
                        aria-label=label
                        placeholder=label
                        value=self.text
                    />
                </div>
                {self.order}
                <button class="button">{t.search}</button>
                {clear}
            </Form>
        }
        .into_any()
    }
}

/// A field that narrows a list while somebody types. Each new text is followed by `then`.
pub fn typed(
    id: Option<String>,
    label: &'static str,
    text: RwSignal<String>,
    then: impl Fn() + 'static,
) -> AnyView {
    view! {
        <div class="input-icon">
            {icon(Icon::Search)}
            <input
                class="input"
                type="search"
                id=id
                maxlength=MOST_CHARS
                aria-label=label
                placeholder=label
                prop:value=text
                on:input:target=move |event| {
                    text.set(event.target().value());
                    then();
                }
                // Enter would send a form around it.
                on:keydown=|event| if event.key() == "Enter" { event.prevent_default() }
            />
        </div>
    }
    .into_any()
}

/// The orders of a list: the value of each in the address and its name. The usual one has an empty value.
pub fn order<const N: usize>(
    label: &'static str,
    orders: [(&'static str, &'static str); N],
    chosen: &str,
) -> AnyView {
    let options = orders.map(|(value, name)| {
        let selected = value == chosen;
        view! { <option value=value selected=selected>{name}</option> }.into_any()
    });
    view! {
        <span class="select">
            <select class="input" name="sort" aria-label=label>
                {options.into_iter().collect_view()}
            </select>
            {icon(Icon::ChevronDown)}
        </span>
    }
    .into_any()
}
