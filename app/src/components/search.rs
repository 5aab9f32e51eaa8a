//! The search of a list: a form whose answer is an address, which works before the page wakes up, and a field for lists
//! that have no address.

use domain::search::MOST_CHARS;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys::{Element, HtmlFormElement, HtmlInputElement, HtmlSelectElement, SubmitEvent};
use leptos_router::{NavigateOptions, hooks::use_navigate};

use crate::address::address;
use crate::i18n::texts;
use crate::icon::{Icon, icon};

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
        let elements: Vec<_> = elements.collect();
        let values: Vec<_> = elements.iter().filter_map(named).collect();
        for field in &elements {
            // The address has this text from now on, even if somebody clears the filter before the list is there.
            if field.has_attribute(OF_ADDRESS)
                && let Some((_, value)) = named(field)
            {
                hold_as(field, &value);
            }
        }
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

/// The attribute of a field among [`filters`] that holds the text of the address.
const OF_ADDRESS: &str = "data-of-address";

/// Gives a field among [`filters`] the text of the address when the address gets another one: a field ignores its attribute
/// `value` once somebody has typed. A list that is read again leaves alone what is typed meanwhile.
pub fn of_address(field: Element, text: String) {
    let before = field.get_attribute(OF_ADDRESS);
    if before.as_ref() == Some(&text) {
        return;
    }
    if let (Some(before), Some(input)) = (before, field.dyn_ref::<HtmlInputElement>()) {
        let is_held = document().active_element().as_ref() == Some(&field);
        // Somebody goes on typing while the list of the text before is on its way.
        if !is_held || input.value() == before {
            input.set_value(&text);
        }
    }
    hold_as(&field, &text);
}

/// Notes the text of the address at its field.
fn hold_as(field: &Element, text: &str) {
    // The name is valid, and elements take every value.
    let _ = field.set_attribute(OF_ADDRESS, text);
}

/// A field for a day among [`filters`].
pub fn day_field(
    id: &'static str,
    name: &'static str,
    label: &'static str,
    day: String,
) -> AnyView {
    view! {
        <div class="field">
            <label for=id>{label}</label>
            <input class="input" id=id type="date" name=name value=day.clone() use:of_address=day />
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
                        use:of_address=text
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
