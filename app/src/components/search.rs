//! The search of a list: a form whose answer is an address, which works before the page wakes up, and a field for lists
//! that have no address.

use domain::search::MOST_CHARS;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{Element, HtmlFormElement, HtmlInputElement, HtmlSelectElement, SubmitEvent};
use leptos_router::{NavigateOptions, hooks::use_navigate};

use super::icon::{Icon, icon};
use crate::address::address;
use crate::i18n::texts;

/// A form for the entries of a list, named by `label`. It leads to the address `action` with the values of its fields. Empty
/// fields are left out once the page is awake.
pub fn filters(
    action: String,
    class: &'static str,
    label: &'static str,
    fields: impl IntoView,
) -> AnyView {
    let base = action.clone();
    let navigate = use_navigate();
    let lead = move |event: SubmitEvent| {
        event.prevent_default();
        let form: HtmlFormElement = event_target(&event);
        let elements = form.elements();
        let elements = (0..elements.length()).filter_map(|at| elements.item(at));
        let values: Vec<_> = elements.filter_map(|field| named(&field)).collect();
        let query: Vec<_> = values
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        navigate(&address(&base, &query), NavigateOptions::default());
    };
    view! {
        <form method="get" action=action class=class role="search" aria-label=label on:submit=lead>
            {fields}
        </form>
    }
    .into_any()
}

/// Name and value of a field; nothing of a button.
fn named(field: &Element) -> Option<(String, String)> {
    if let Some(field) = field.dyn_ref::<HtmlInputElement>() {
        return Some((field.name(), field.value()));
    }
    let field = field.dyn_ref::<HtmlSelectElement>()?;
    Some((field.name(), field.value()))
}

/// A field for a day among [`filters`]. Its property says its value, too, because a field ignores its attribute once
/// somebody has typed.
pub fn day_field(
    id: &'static str,
    name: &'static str,
    label: &'static str,
    day: String,
) -> AnyView {
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input class="input" id=id type="date" name=name value=day.clone() prop:value=day />
        </div>
    }
    .into_any()
}

/// A search among the entries of a list.
pub struct Search {
    /// The address of the list.
    pub action: String,
    /// The name of the words in the address.
    pub name: &'static str,
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
        let (t, label, text) = (texts(), self.label, self.text);
        let kept = self.kept.into_iter();
        let kept = kept.filter(|(_, value)| !value.is_empty());
        let kept =
            kept.map(|(name, value)| view! { <input type="hidden" name=name value=value /> });
        let clear = self
            .whole
            .map(|whole| view! { <a class="button button-quiet" href=whole>{t.clear_filter}</a> });
        let fields = view! {
                {kept.collect_view()}
                <div class="input-icon grow">
                    {icon(Icon::Search)}
                    <input
                        class="input"
                        type="search"
                        name=self.name
                        maxlength=MOST_CHARS
                        aria-label=label
                        placeholder=label
                        value=text.clone()
                        prop:value=text
                    />
                </div>
                {self.order}
                <button class="button">{t.search}</button>
                {clear}
        };
        filters(self.action, "row", label, fields)
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
