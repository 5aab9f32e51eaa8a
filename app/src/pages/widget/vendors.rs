//! The services of a step: chosen from the catalogue by search, or made on the spot.

use domain::collection::Collection;
use domain::documents::{self, Vendor, vendor_id};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::buttons::icon_button;
use super::own_language;
use super::own_service::{Kept, vendor_form};
use super::state::{Editor, Place};
use crate::components::debounce::debounced;
use crate::components::dialog::dialog;
use crate::components::draft::Draft;
use crate::components::field::{id_of, problem};
use crate::components::focus::focus_when_there;
use crate::components::following::following;
use crate::components::layout::{Tone, badge};
use crate::components::loading::{block_skeleton, error_message, loaded};
use crate::components::toast::{Toasts, toasts};
use crate::components::undo::Undo;
use crate::fns::documents::{Document, read_document};
use crate::fns::vendors::{VendorCard, VendorPage, read_vendor_card, search_vendors};
use crate::i18n::{ServiceTexts, count, fill, texts};
use crate::icon::{Icon, icon};

/// A service in a list, with what can be done to it.
pub fn vendor_row(card: &VendorCard, actions: AnyView) -> AnyView {
    let t = texts();
    let first = card
        .title
        .chars()
        .next()
        .map(String::from)
        .unwrap_or_default();
    let about = [card.company.as_str(), card.category.as_str()]
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join(" · ");
    view! {
        <li class="vendor">
            <span class="avatar avatar-square" aria-hidden="true">{first}</span>
            <div>
                <div class="row">
                    <span class="strong wrap-anywhere">{card.title.clone()}</span>
                    {card.custom.then(|| badge(Tone::Accent, t.own_service))}
                    {card.deprecated.then(|| badge(Tone::Warn, t.deprecated))}
                    {card.missing.then(|| badge(Tone::Danger, t.gone))}
                </div>
                {(!about.is_empty()).then(|| view! { <p>{about}</p> })}
                {(!card.description.is_empty()).then(|| view! { <p class="clamp">{card.description.clone()}</p> })}
            </div>
            <div class="row">{actions}</div>
        </li>
    }
    .into_any()
}

fn ids_at(draft: Draft, pointer: &str) -> Vec<Value> {
    draft
        .at(pointer)
        .and_then(|list| list.as_array().cloned())
        .unwrap_or_default()
}

/// The services of a step.
pub fn step_vendors(editor: Editor, index: usize) -> AnyView {
    let Editor {
        draft, chosen, t, ..
    } = editor;
    let pointer = StoredValue::new(format!("/steps/{index}/vendors"));
    let list = Memo::new(move |_| pointer.with_value(|pointer| ids_at(draft, pointer)));
    let picking = RwSignal::new(false);
    let edited = RwSignal::new(None::<Document>);
    let toasts = toasts();
    let write = move |list: Vec<Value>| {
        pointer.with_value(|pointer| draft.set(pointer, Some(Value::Array(list))));
    };
    let rows = move || {
        let list = list.get();
        let count = list.len();
        list.iter()
            .enumerate()
            .filter_map(|(position, vendor)| Some((position, vendor_id(vendor)?.to_owned())))
            .map(|(position, id)| {
                let card = chosen.card(&id);
                let title = card.title.clone();
                let shift = move |to: usize| {
                    let mut list = list_untracked(draft, pointer);
                    if position < list.len() && to < list.len() {
                        let item = list.remove(position);
                        list.insert(to, item);
                        write(list);
                        let (same, other) = if to < position { (UP, DOWN) } else { (DOWN, UP) };
                        focus_when_there([same, other].map(|what| action_id(index, to, what)).into());
                    }
                };
                let own = card.custom.then(|| id.clone());
                let actions = move || {
                    (!draft.read_only.get()).then(|| {
                        let name = title.clone();
                        let remove = move || remove(editor, toasts, index, position, &name);
                        let change = own.clone().map(|own| {
                            let label = format!("{}: {title}", t.edit);
                            icon_button(action_id(index, position, EDIT), label, Icon::Text, false, move || edit(own.clone(), edited, toasts))
                        });
                        view! {
                            {change}
                            {icon_button(action_id(index, position, UP), format!("{}: {title}", t.move_up), Icon::ChevronUp, position == 0, move || shift(position.saturating_sub(1)))}
                            {icon_button(action_id(index, position, DOWN), format!("{}: {title}", t.move_down), Icon::ChevronDown, position + 1 == count, move || shift(position + 1))}
                            {icon_button(action_id(index, position, REMOVE), format!("{}: {title}", t.remove), Icon::Cross, false, remove)}
                        }
                    })
                };
                vendor_row(&VendorCard { description: String::new(), ..card }, view! { {actions} }.into_any())
            })
            .collect_view()
    };
    let id = pointer.with_value(|pointer| id_of(pointer));
    let problem_id = format!("{id}-problem");
    view! {
        <section class="card" id=id tabindex="-1" aria-label=t.services>
            <div class="card-head">
                <h2>{t.services}</h2>
                {move || {
                    (!draft.read_only.get())
                        .then(|| {
                            view! {
                                <button
                                    type="button"
                                    class="button button-small"
                                    id=format!("add-services-{index}")
                                    on:click=move |_| picking.set(true)
                                >
                                    {icon(Icon::Plus)}
                                    {t.widget().add_services}
                                </button>
                            }
                        })
                }}
            </div>
            <div class="card-body">
                {move || {
                    if list.with(Vec::is_empty) {
                        view! { <p class="muted">{t.widget().no_services_in_step}</p> }.into_any()
                    } else {
                        view! { <ul class="vendor-list">{rows()}</ul> }.into_any()
                    }
                }}
                {problem(problem_id, move || pointer.with_value(|pointer| draft.problem(pointer)))}
            </div>
        </section>
        {picker(editor, index, picking)}
        {own_editor(editor, edited)}
    }
    .into_any()
}

/// Takes a service out of a step. The notice offers to put it back, and the focus goes to the next one.
fn remove(editor: Editor, toasts: Toasts, index: usize, position: usize, title: &str) {
    let draft = editor.draft;
    let pointer = format!("/steps/{index}/vendors");
    let mut list = untrack(|| ids_at(draft, &pointer));
    if position >= list.len() {
        return;
    }
    let gone = Removed {
        step: untrack(|| draft.text(&format!("/steps/{index}/name"))),
        position,
        service: list.remove(position),
    };
    draft.set(&pointer, Some(Value::Array(list)));
    let words = fill(ServiceTexts::of_this_page().removed, &[("title", title)]);
    Undo::of(draft).offer_by(words, move || {
        if !gone.put_back(editor) {
            toasts.problem(ServiceTexts::of_this_page().not_put_back);
        }
    });
    let near = [position, position.saturating_sub(1)];
    let mut ids = near.map(|at| action_id(index, at, REMOVE)).to_vec();
    ids.push(format!("add-services-{index}"));
    focus_when_there(ids);
}

/// A service that is taken out of a step.
struct Removed {
    /// Name of the step, which may move meanwhile.
    step: String,
    position: usize,
    service: Value,
}

impl Removed {
    /// Puts the service back at its old place, unless a step asks for it again. False if its step is gone, or nobody
    /// may write.
    fn put_back(&self, editor: Editor) -> bool {
        let Editor {
            draft, place, go, ..
        } = editor;
        let Some(here) = place.try_get_untracked() else {
            return false;
        };
        if untrack(|| draft.read_only.get()) {
            return false;
        }
        let steps = untrack(|| ids_at(draft, "/steps"));
        let is_its = |step: &Value| step.get("name").and_then(Value::as_str) == Some(&self.step);
        let id = vendor_id(&self.service).unwrap_or_default();
        let is_asked = steps.iter().any(|step| {
            let vendors = step.get("vendors").and_then(Value::as_array);
            let mut ids = vendors.into_iter().flatten().filter_map(vendor_id);
            ids.any(|other| other == id)
        });
        if is_asked {
            return true;
        }
        let Some(index) = steps.iter().position(is_its) else {
            return false;
        };
        let pointer = format!("/steps/{index}/vendors");
        let mut list = untrack(|| ids_at(draft, &pointer));
        let position = self.position.min(list.len());
        list.insert(position, self.service.clone());
        draft.set(&pointer, Some(Value::Array(list)));
        if here != Place::Step(index) {
            go.run(Place::Step(index));
        }
        focus_when_there(vec![action_id(index, position, REMOVE)]);
        true
    }
}

fn list_untracked(draft: Draft, pointer: StoredValue<String>) -> Vec<Value> {
    untrack(|| pointer.with_value(|pointer| ids_at(draft, pointer)))
}

const EDIT: &str = "edit";
const UP: &str = "up";
const DOWN: &str = "down";
const REMOVE: &str = "remove";

/// The element id of a button of a service, by which it gets the focus back.
fn action_id(step: usize, position: usize, what: &str) -> String {
    format!("service-{step}-{position}-{what}")
}

/// Reads a custom service, which opens its form.
fn edit(id: String, edited: RwSignal<Option<Document>>, toasts: Toasts) {
    let t = texts();
    spawn_local(async move {
        match read_document(Collection::Vendors, id).await {
            Ok(document) => {
                edited.try_set(Some(document));
            }
            Err(error) => toasts.problem(error_message(t, &error)),
        }
    });
}

/// The form of a custom service that a step asks for.
fn own_editor(editor: Editor, edited: RwSignal<Option<Document>>) -> AnyView {
    let Editor { project, t, .. } = editor;
    let toasts = toasts();
    let open = RwSignal::new(false);
    let kept = Kept::default();
    Effect::new(move |_| open.set(edited.with(Option::is_some)));
    let saved = Callback::new(move |document: Document| {
        toasts.done(t.saved);
        editor.chosen.redraw();
        open.set(false);
        learn(editor, document.id);
    });
    let cancel = Callback::new(move |()| open.set(false));
    dialog(open, t.own_service, true, move || {
        let document = edited.get_untracked();
        let form = vendor_form(
            project.get_value(),
            document,
            String::new(),
            kept,
            saved,
            cancel,
        );
        view! { <div class="dialog-body">{form}</div> }.into_any()
    })
}

/// Reads the card of a custom service again: its purposes have titles on the server alone.
fn learn(editor: Editor, id: String) {
    let language = untrack(|| own_language(editor.draft));
    spawn_local(async move {
        // Without an answer the card stays as it was.
        if let Ok(card) = read_vendor_card(id, language).await {
            editor.chosen.learn(card);
        }
    });
}

/// Searching the catalogue, adding and removing with one click, or making a custom service.
fn picker(editor: Editor, index: usize, open: RwSignal<bool>) -> AnyView {
    let Editor {
        draft,
        chosen,
        project,
        t,
        ..
    } = editor;
    let making = RwSignal::new(false);
    let kept = Kept::default();
    let toggle = move |card: VendorCard| {
        let pointer = format!("/steps/{index}/vendors");
        let mut list = untrack(|| ids_at(draft, &pointer));
        let before = list.len();
        list.retain(|vendor| vendor_id(vendor) != Some(card.id.as_str()));
        if list.len() == before {
            list.push(Value::String(card.id.clone()));
        }
        chosen.learn(card);
        draft.set(&pointer, Some(Value::Array(list)));
    };
    let made = Callback::new(move |document: Document| {
        making.set(false);
        toggle(card_of(&document));
        learn(editor, document.id);
    });
    dialog(open, t.widget().add_services, true, move || {
        making.set(false);
        let query = RwSignal::new(String::new());
        let asked = debounced(query);
        let results = following(
            move || (asked.get(), own_language(draft)),
            move |(query, language)| search_vendors(project.get_value(), query, language),
        );
        let list = loaded(results, block_skeleton, move |page: VendorPage| {
            if page.items.is_empty() {
                return view! {
                    <p class="muted">{fill(t.widget().no_service_found, &[("query", &asked.get_untracked())])}</p>
                }
                .into_any();
            }
            let shown = page.items.len() as u64;
            let rows = page
                .items
                .into_iter()
                .map(|card| result_row(draft, index, card, toggle))
                .collect_view();
            view! {
                <p class="muted small" role="status">
                    {count(page.total, t.widget().n_service_found, t.widget().n_services_found)}
                    {(page.total > shown).then(|| format!(" – {}", t.search_to_narrow))}
                </p>
                <ul class="vendor-list vendor-results">{rows}</ul>
            }
            .into_any()
        });
        let body = move || {
            if making.get() {
                let title = query.get_untracked();
                return vendor_form(
                    project.get_value(),
                    None,
                    title,
                    kept,
                    made,
                    Callback::new(move |()| making.set(false)),
                );
            }
            ().into_any()
        };
        view! {
            <div class="dialog-body">
                <div class="stack" hidden=making>
                    <div class="row">
                        <div class="input-icon grow">
                            {icon(Icon::Search)}
                            <input
                                class="input"
                                type="search"
                                autofocus
                                aria-label=t.widget().search_services
                                placeholder=t.widget().search_services
                                prop:value=query
                                on:input:target=move |event| query.set(event.target().value())
                            />
                        </div>
                        <button type="button" class="button" on:click=move |_| making.set(true)>
                            {icon(Icon::Plus)}
                            {t.own_service_new}
                        </button>
                    </div>
                    {list}
                </div>
                {body}
            </div>
            // A form of a service has buttons of its own.
            <div class="dialog-foot" hidden=making>
                <button type="button" class="button button-primary" on:click=move |_| open.set(false)>
                    {t.done_button}
                </button>
            </div>
        }
        .into_any()
    })
}

fn result_row(
    draft: Draft,
    index: usize,
    card: VendorCard,
    toggle: impl Fn(VendorCard) + Copy + Send + Sync + 'static,
) -> AnyView {
    let t = texts();
    let id = card.id.clone();
    // In which step it is already: a service is asked for once.
    let place = Memo::new(move |_| {
        let steps = draft.at("/steps")?;
        steps.as_array()?.iter().position(|step| {
            let vendors = step.get("vendors").and_then(Value::as_array);
            vendors
                .into_iter()
                .flatten()
                .any(|vendor| vendor_id(vendor) == Some(id.as_str()))
        })
    });
    let this = card.clone();
    let title = card.title.clone();
    let button = move || {
        let this = this.clone();
        match place.get() {
            Some(step) if step != index => {
                view! { <span class="muted small nowrap">{fill(t.widget().in_step, &[("n", &(step + 1).to_string())])}</span> }
                    .into_any()
            }
            place => {
                let added = place.is_some();
                view! {
                    <button
                        type="button"
                        class="button button-small"
                        class:button-done=added
                        aria-pressed=if added { "true" } else { "false" }
                        aria-label=format!("{}: {title}", if added { t.added } else { t.add })
                        on:click=move |_| toggle(this.clone())
                    >
                        {icon(if added { Icon::Check } else { Icon::Plus })}
                        {if added { t.added } else { t.add }}
                    </button>
                }
                .into_any()
            }
        }
    };
    vendor_row(&card, view! { {button} }.into_any())
}

/// A card of a custom service.
fn card_of(document: &Document) -> VendorCard {
    let title = document.text("title");
    let name = document.text("name");
    VendorCard {
        id: document.id.clone(),
        title: if title.is_empty() {
            name.clone()
        } else {
            title
        },
        name,
        description: document.text("shortDescription"),
        company: document.text("company"),
        category: documents::read::<Vendor>(&document.data)
            .categories
            .join(", "),
        custom: true,
        deprecated: false,
        missing: false,
    }
}
